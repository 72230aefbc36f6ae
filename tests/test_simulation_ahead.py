"""The engine compiled in another process while this one compiles the policies."""

from __future__ import annotations

import subprocess
import time

import pytest

from sushibalance.games.game import PolicyError
from sushibalance.games.otter import policies as otter_policies
from sushibalance.games.registry import engine
from sushibalance.simulation import ahead
from sushibalance.simulation.machine import cores
from sushibalance.simulation.request import Request

SUSHI_GO = engine("sushi_go")
GREEDY, RANDOM = [SUSHI_GO.policies["greedy"]], [SUSHI_GO.policies["random"]]

COLD = """
from sushibalance import simulate
from sushibalance.games.sushi_go.kernel.game import play_games
simulate("sushi_go", policies="greedy", games=3, progress=False)
print(sum(play_games.stats.cache_hits.values()), sum(play_games.stats.cache_misses.values()))
"""


@pytest.fixture
def cold(monkeypatch, tmp_path):
    """Let nothing be compiled yet, and return the processes that are started."""
    monkeypatch.setattr(ahead, "cache_folder", lambda home: tmp_path)
    started, popen = [], subprocess.Popen
    monkeypatch.setattr(ahead, "cores", lambda: 2)
    monkeypatch.setattr(ahead.subprocess, "Popen", lambda *a, **k: started.append(popen(*a, **k)) or started[-1])
    return started


@pytest.mark.skipif(cores() < 2, reason="one core compiles one thing at a time")
def test_the_engine_is_found_in_the_cache(python, tmp_path):
    assert python(COLD, NUMBA_CACHE_DIR=str(tmp_path)) == "1 0\n"


def test_it_is_waited_for(monkeypatch, cold, tmp_path):
    monkeypatch.setattr(ahead, "PLAY_ONE", f"import time; time.sleep(0.5); open({str(tmp_path / 'done')!r}, 'w')")
    with ahead.engine_ahead(SUSHI_GO, GREEDY):
        assert not (tmp_path / "done").exists()
    assert (tmp_path / "done").exists() and cold[0].returncode == 0


def test_one_that_fails_is_passed_over(monkeypatch, cold, capfd):
    monkeypatch.setattr(ahead, "PLAY_ONE", "print('no', 1 // 0)")
    with ahead.engine_ahead(SUSHI_GO, GREEDY):
        pass
    assert cold[0].returncode == 1 and capfd.readouterr() == ("", "")


def test_one_that_is_not_needed_any_more_is_stopped(monkeypatch, cold):
    monkeypatch.setattr(ahead, "PLAY_ONE", "import time; time.sleep(60)")
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt), ahead.engine_ahead(SUSHI_GO, GREEDY):
        raise KeyboardInterrupt
    assert cold[0].returncode and time.monotonic() - began < 10


def test_nothing_is_compiled_before_it(monkeypatch):
    """Or the processes would work one after the other."""

    def too_early(*arguments):
        raise AssertionError("draft values before the engine is compiled aside")

    monkeypatch.setattr(otter_policies, "_added_values", too_early)
    request = Request.of("otter", 4, "greedy(vp_weight=1.23)", 0)
    with pytest.raises(PolicyError, match="draft values before"):
        _ = request.play


def test_none_is_started_for_nothing(monkeypatch, cold, tmp_path):
    with ahead.engine_ahead(SUSHI_GO, RANDOM):
        pass
    (tmp_path / "kernel_1").mkdir()  # where numba puts it
    (tmp_path / "kernel_1" / "game.play_games-1.py311.nbi").touch()
    with ahead.engine_ahead(SUSHI_GO, GREEDY):
        pass
    assert cold == []
