"""Progress of `simulate` on a terminal, in a log or a notebook; and Ctrl-C, which stops it at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from sushibalance import simulate
from sushibalance.games.sushi_go.policies import KINDS, decision
from sushibalance.simulation import progress

# ------------------------------------------------------------------ progress


def test_progress_goes_to_stderr_by_lines_where_there_is_no_terminal(capsys):
    simulate("sushi_go", games=300)
    out, err = capsys.readouterr()
    assert out == "" and err.splitlines()[-1].startswith("Sushi Go!: sushi_go: 300 of 300 games, ")
    simulate("sushi_go", games=300, progress=False)
    assert capsys.readouterr() == ("", "")


def test_lines_come_every_five_seconds_and_at_the_end(monkeypatch, capsys):
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    lines = progress.Lines("Otter", 1000, brief=False)
    lines.compiling()
    for seconds, games in ((30, 1), (2, 99), (2, 100), (2, 400), (4, 400)):
        now[0] += seconds
        lines.advance(games)
    assert capsys.readouterr().err.splitlines() == [
        "Otter: compiling the engine (once; some 20 seconds)",
        "Otter: 600 of 1,000 games, 100 a second, 4 s left",
        "Otter: 1,000 of 1,000 games, 100 a second",
    ]
    quick = progress.Lines("Otter", 10, brief=True)
    quick.advance(10)
    progress.Lines("Otter", 1, brief=False).advance(1)
    assert capsys.readouterr().err == ""


def test_compiling_is_told_once_a_game_and_only_when_it_happens(tmp_path):
    """Not by each step or each call, and not where the cache has it all."""
    code = """
from sushibalance import simulate
from sushibalance.simulation import threads
threads.PATIENCE = 0.2
for policies in ("random", "greedy", "denier"):
    simulate("sushi_go", games=5, policies=policies)
"""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for expected in (1, 0):
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert done.stderr.count("compiling") == expected, done.stderr


def test_a_bar_moves_on_a_terminal(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    with progress.shown("Otter", 10, True) as bar:
        assert isinstance(bar, progress.Bar)
        bar.compiling()
        assert "compiling" in bar.bar.tasks[0].description
        bar.advance(4)
        assert bar.bar.tasks[0].completed == 4 and bar.bar.tasks[0].description == "Otter"


def test_a_bar_shows_any_name_of_rules(monkeypatch, capsys):
    """Square brackets are no markup."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    with progress.shown("Otter: [/b] [red]", 10, True) as bar:
        bar.advance(10)
    assert "[/b] [red]" in capsys.readouterr().err


def test_a_notebook_gets_brief_lines(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    with progress.shown("Otter", 10, True) as lines:
        assert isinstance(lines, progress.Lines) and lines.brief


# ------------------------------------------------------------------ Ctrl-C


@decision
def ponder(rules, table, own, seat, params, rng, choice):
    """Take a card after 10**8 steps: about a tenth of a second, some seconds a game."""
    total = 0
    for step in range(100_000_000):
        total ^= step * step
    for kind in range(KINDS):
        if own.hand[kind] > 0:
            choice[0] = kind
    if total == 1:
        choice[0] = 0


def interrupted(
    command: list[str], after: str, folder: Path, delay: float = 0.7, **environment: str
) -> tuple[int, str, float]:
    """Start a command, press Ctrl-C a moment after it says ``after``; return code, stderr, delay in seconds."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", **environment}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=pipe, stderr=pipe, text=True) as program:
        assert program.stdout is not None
        while after not in (line := program.stdout.readline()):
            assert line, program.communicate()
        time.sleep(delay)
        began = time.monotonic()
        program.send_signal(signal.SIGINT)
        try:
            _, err = program.communicate(timeout=60)
        finally:
            program.kill()
    return program.returncode, err, time.monotonic() - began


SIMULATE = """
import sys
from sushibalance.cli import main
from sushibalance.simulation import executors
in_threads = executors.in_threads
def announced(*given):
    print("playing", flush=True)
    return in_threads(*given)
executors.in_threads = announced
main()
"""


def test_ctrl_c_stops_the_command_line_within_two_seconds(tmp_path):
    command = [sys.executable, "-c", SIMULATE, "simulate", "sushi_go", "--games", "5000000", "--quiet"]
    code, err, delay = interrupted(command, "playing", tmp_path)
    assert (code, err) == (130, "sushibalance: stopped\n")
    assert delay < 2 and list(tmp_path.iterdir()) == []


def test_ctrl_c_stops_while_the_engine_compiles(tmp_path):
    command = [sys.executable, "-c", SIMULATE, "simulate", "sushi_go", "--games", "10", "--quiet"]
    code, err, delay = interrupted(command, "playing", tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert (code, err) == (130, "sushibalance: stopped\n")
    assert delay < 2


def test_ctrl_c_stops_a_trace_while_its_engine_compiles(tmp_path):
    code = "print('playing', flush=True)\nfrom sushibalance.__main__ import main\nmain()"
    command = [sys.executable, "-c", code, "trace", "nightmares", "--policy", "greedy"]
    code, err, delay = interrupted(command, "playing", tmp_path, 4, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert (code, err) == (130, "sushibalance: stopped\n")
    assert delay < 2


def test_ctrl_c_stops_a_slow_policy(tmp_path):
    code = """
import time, sys, os
from sushibalance import Policy, simulate
from tests.test_simulation_progress import ponder
print("playing", flush=True)
try:
    simulate("sushi_go", players=2, policies=Policy("ponder", {"choose": ponder}), games=100, progress=False)
except KeyboardInterrupt:
    print("stopped", file=sys.stderr, flush=True)
    os._exit(130)
"""
    root = str(Path(__file__).resolve().parent.parent)
    returned, err, delay = interrupted([sys.executable, "-c", code], "playing", tmp_path, PYTHONPATH=root)
    assert (returned, err) == (130, "stopped\n")
    assert delay < 2
