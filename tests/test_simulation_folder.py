"""Runs that go to disk while they are played: parts, stopping, going on, refusing, memory."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sushibalance import Policy, Run, RunError, load_rules, simulate
from sushibalance.games.registry import GAMES, engine
from sushibalance.games.sushi_go.policies import KINDS, decision
from sushibalance.simulation import folder as writer
from sushibalance.simulation import memory, request
from sushibalance.simulation.request import Request
from sushibalance.simulation.storage import encode

ROOT = Path(__file__).resolve().parent.parent
PART = 500


@pytest.fixture
def small_parts(monkeypatch):
    """Make parts of 500 games, so that a few thousand have several."""
    monkeypatch.setattr(Request, "part_games", PART)


def play(out: object = None, games: int = 1800, **changes) -> Run:
    return simulate("nightmares", **{"seed": 3, "progress": False, **changes}, games=games, out=out)


def content(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder by its path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def same(a: Run, b: Run) -> bool:
    return all(a.rows[name].tobytes() == b.rows[name].tobytes() for name in a.rows)


@decision
def first_kind(rules, table, own, seat, params, rng, choice):
    """Take the kind that stands first in the hand."""
    for kind in range(KINDS - 1, -1, -1):
        if own.hand[kind] > 0:
            choice[0] = kind


# ------------------------------------------------------------------ parts


@pytest.mark.parametrize("game", GAMES)
def test_a_part_is_a_round_number_of_games_of_8_mb(game):
    for players in (2, engine(game).seats[1]):
        asked = Request.of(game, players, "random", 0)
        size = memory.row_bytes(asked.new_rows(asked.part_games))
        assert request.PART_BYTES / 2.5 < size <= request.PART_BYTES
        assert str(asked.part_games).rstrip("0") in ("1", "2", "5")


def test_games_that_are_wide_make_small_parts(monkeypatch):
    monkeypatch.setattr(request, "PART_BYTES", 1)
    assert Request.of("sushi_go", 4, "random", 0).part_games == 1
    assert list(Request.of("sushi_go", 4, "random", 0).spans(3)) == [(0, 1), (1, 1), (2, 1)]


@pytest.mark.parametrize("game", GAMES)
def test_a_run_on_disk_has_the_rows_of_one_in_memory(game, small_parts, tmp_path):
    there = simulate(game, games=1200, seed=5, progress=False)
    stored = simulate(game, games=1200, seed=5, progress=False, out=tmp_path / "run")
    assert same(stored, there) and same(Run.load(tmp_path / "run"), there)
    assert (stored.n, stored.seed, repr(stored)) == (1200, 5, repr(there))
    assert [(part.first, part.n) for part in stored.parts()] == [(0, 500), (500, 500), (1000, 200)]
    for name in ("games", "players", *stored.engine.frames):
        whole = there.frame(name)
        pieces = [part.frame(name) for part in stored.parts()]
        assert stored.frame(name).equals(whole)
        assert all((piece.dtypes == whole.dtypes).all() for piece in pieces)
        at = 0
        for piece in pieces:
            assert piece.equals(whole.iloc[at : at + len(piece)].reset_index(drop=True)), name
            at += len(piece)
        assert at == len(whole)


def test_a_run_in_memory_is_one_part(small_parts):
    run = play()
    assert list(run.parts()) == [run]


def test_the_files_are_the_same_whoever_writes_them(small_parts, tmp_path):
    one = play(tmp_path / "one", workers=1)
    play(tmp_path / "two", workers=2)
    play().save(tmp_path / "saved")
    one.save(tmp_path / "again")
    files = content(tmp_path / "one")
    assert files and all(content(tmp_path / name) == files for name in ("two", "saved", "again"))


def test_the_disk_that_a_run_takes_is_known(small_parts, tmp_path):
    run = play(tmp_path / "run")
    size = sum(path.stat().st_size for path in (tmp_path / "run").glob("*/*.parquet"))
    assert run.disk_bytes == Run.load(tmp_path / "run").disk_bytes == size


def test_saving_a_run_onto_itself_changes_nothing(small_parts, tmp_path):
    run = play(tmp_path / "run")
    before = content(tmp_path / "run")
    assert run.save(tmp_path / "run") == tmp_path / "run" and content(tmp_path / "run") == before


def test_a_part_is_not_saved_as_if_it_were_a_run(small_parts, tmp_path):
    first, second, *_ = play(tmp_path / "run").parts()
    with pytest.raises(RunError, match=r"found games 500 to 999 of a run; allowed: the whole run"):
        second.save(tmp_path / "part")
    assert same(Run.load(first.save(tmp_path / "part")), play(games=500))


# ------------------------------------------------------------------ memory


def test_more_than_memory_is_refused_or_goes_to_disk(small_parts, tmp_path, monkeypatch):
    each = memory.row_bytes(engine("nightmares").rows(load_rules("nightmares"), 4, 1))
    monkeypatch.setattr(memory, "free_bytes", lambda: 1000 * each)
    with pytest.raises(ValueError, match=r"^games: found 1,800, .*into a folder \(out=, --out\), .*: fold\(...\)$"):
        play()
    run = play(tmp_path / "run")
    with pytest.raises(RunError, match=r"rounds: found 1,800, allowed at most .*; allowed in pieces: run.parts\(\)"):
        run.rounds  # noqa: B018
    assert sum(len(part.rounds["game"].unique()) for part in run.parts()) == 1800


@pytest.mark.parametrize("stored", [False, True])
def test_a_frame_that_does_not_fit_is_refused_before_it_is_made(small_parts, tmp_path, monkeypatch, stored):
    run = simulate("sushi_go", games=11_000, progress=False, out=tmp_path / "run" if stored else None)
    monkeypatch.setattr(memory, "free_bytes", lambda: 20_000_000)
    with pytest.raises(RunError, match=r'^frame "picks" of 11,000 games: found about .* GB.*run.parts\(\).*fold'):
        run.picks  # noqa: B018
    assert len(run.games) == 11_000


# ------------------------------------------------------------------ stopping and going on


def stopped(monkeypatch, at: int, fault: BaseException, out: Path, **changes) -> BaseException:
    """Play into a folder and meet a fault when the ``at``-th file is brought to disk."""
    synced, fsync = [], os.fsync

    def failing(number):
        synced.append(number)
        if len(synced) == at:
            raise fault
        fsync(number)

    monkeypatch.setattr(writer.os, "fsync", failing)
    with pytest.raises((RunError, type(fault))) as caught:
        play(out, **changes)
    monkeypatch.setattr(writer.os, "fsync", fsync)
    return caught.value


@pytest.mark.parametrize("fault", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_whatever_file_fails_the_same_call_ends_bit_identical(small_parts, tmp_path, monkeypatch, fault):
    """The manifest, the tables and the list of each of four parts."""
    play(tmp_path / "whole")
    expected = content(tmp_path / "whole")
    for at in range(1, 18):
        out = tmp_path / f"at {at}"
        error = stopped(monkeypatch, at, fault, out)
        whole = max(at - 2, 0) // 4 * PART
        if whole:
            assert Run.load(out, unfinished=True).n == whole
            with pytest.raises(RunError, match=rf"found {whole:,} of 1,800 games; the same simulate\(..., out=folder"):
                Run.load(out)
            if isinstance(error, RunError):
                assert str(error) == (
                    f"{out}: cannot be written (No space left on device); {whole:,} of 1,800 games are whole, and the "
                    "same call goes on from there"
                )
        else:
            assert not out.exists()
        play(out)
        assert content(out) == expected


def test_a_write_that_fails_for_real(python, tmp_path):
    """The system refuses files over 100,000 bytes, as a full disk would."""
    code = """
import resource, sys
from sushibalance import Run, RunError, simulate
from sushibalance.simulation.request import Request
Request.part_games = 2000
limits = resource.getrlimit(resource.RLIMIT_FSIZE)
def play(out): return simulate("nightmares", games=10000, seed=3, out=out, progress=False)
play(sys.argv[1])
sizes = [size for entry in Run.load(sys.argv[1]).entries for _, size in entry.files.values()]
journal = (Run.load(sys.argv[1]).folder / "parts.jsonl").stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (max(sizes) - 1, limits[1]))
try:
    play(sys.argv[2])
except RunError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, limits)
play(sys.argv[2])
"""
    said = python(code, str(tmp_path / "a"), str(tmp_path / "b"))
    assert said.startswith(f"{tmp_path / 'b'}: cannot be written (File too large); ")
    assert content(tmp_path / "a") == content(tmp_path / "b")


KILLED = """
import os, signal, sys
from sushibalance import simulate
from sushibalance.simulation.folder import Folder
from sushibalance.simulation.request import Request
Request.part_games = 500
add = Folder.add
def counted(self, part):
    add(self, part)
    if len(self.entries) == int(sys.argv[2]):
        os.kill(os.getpid(), int(sys.argv[3]))
Folder.add = counted
simulate("nightmares", games=1800, seed=3, out=sys.argv[1], progress=False)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_program_leaves_whole_parts(small_parts, tmp_path, number):
    play(tmp_path / "whole")
    out = tmp_path / "killed"
    done = subprocess.run([sys.executable, "-c", KILLED, str(out), "2", str(int(number))], cwd=ROOT)
    assert done.returncode == -number
    assert Run.load(out, unfinished=True).n == 1000
    play(out)
    assert content(out) == content(tmp_path / "whole")


def test_what_a_kill_leaves_half_done_is_cleared_away(small_parts, tmp_path):
    play(tmp_path / "whole")
    out = shutil.copytree(tmp_path / "whole", tmp_path / "half")
    lines = (out / "parts.jsonl").read_text().splitlines(keepends=True)
    (out / "parts.jsonl").write_text(lines[0] + lines[1][:50])  # a list torn in mid-line; files that are not listed
    (out / "games" / "0000001500-0000001799.parquet.new").write_bytes(b"half")
    (out / "run.lock").write_text("")
    assert Run.load(out, unfinished=True).n == 500
    play(out)
    assert content(out) == content(tmp_path / "whole")


@pytest.mark.parametrize("damage", ["missing", "short"])
def test_a_part_that_got_lost_is_played_again(small_parts, tmp_path, damage):
    play(tmp_path / "run")
    before = content(tmp_path / "run")
    path = tmp_path / "run" / "players" / "0000000500-0000000999.parquet"
    path.unlink() if damage == "missing" else path.write_bytes(b"short")
    with pytest.raises(
        RunError, match=r"players/0000000500-0000000999.parquet: (missing|damaged: found 5 bytes, allowed [\d,]+); the"
    ):
        Run.load(tmp_path / "run")
    play(tmp_path / "run")
    assert content(tmp_path / "run") == before


def without(lines, place):
    return lines[:place] + lines[place + 1 :]


@pytest.mark.parametrize(
    ("harm", "said", "first"),
    [
        (
            lambda lines: without(lines, 1),
            "line 2: damaged: found games 1,000 to 1,499, allowed games 500 to 999:",
            500,
        ),
        (lambda lines: without(lines, 0), "line 1: damaged: found games 500 to 999, allowed games 0 to 499:", 0),
        (lambda lines: [lines[1], lines[0]], "line 1: damaged: found games 500 to 999, allowed games 0 to 499:", 0),
        (lambda lines: [lines[0], *lines], "line 2: damaged: found games 0 to 499, allowed games 500 to 999:", 500),
        (lambda lines: [*lines, lines[2]], "line 5: damaged: found games 1,000 to 1,499 after a part of fewer", 1_800),
        (lambda lines: [lines[0], "\n", *lines[1:]], 'line 2: damaged: found "", allowed a part of some games wi', 500),
        (lambda lines: [lines[0], "note\n"], 'line 2: damaged: found "note", allowed a part of some games with', 500),
    ],
)
def test_a_list_of_parts_with_a_line_too_many_or_too_few(small_parts, tmp_path, harm, said, first):
    """Says what to do; until that is done all stays as it is, and then no game is another."""
    play(tmp_path / "run")
    whole, journal = content(tmp_path / "run"), tmp_path / "run" / "parts.jsonl"
    lines = harm(journal.read_text().splitlines(keepends=True))
    journal.write_text("".join(lines))
    harmed = content(tmp_path / "run")
    for again in (Run.load, play):
        with pytest.raises(RunError) as caught:
            again(tmp_path / "run")
        text = str(caught.value)
        assert f"parts.jsonl: {said}" in text and "put the list right, or cut it off before this line" in text
        assert f"plays the games from {first:,} on again" in text
    assert content(tmp_path / "run") == harmed
    number = int(re.search(r"line (\d+)", said)[1])
    journal.write_text("".join(lines[: number - 1]))
    play(tmp_path / "run")
    assert content(tmp_path / "run") == whole


def test_a_folder_in_the_place_of_a_file_is_named_and_left_alone(small_parts, tmp_path):
    play(tmp_path / "run")
    whole, path = content(tmp_path / "run"), tmp_path / "run" / "players" / "0000000500-0000000999.parquet"
    path.unlink()
    path.mkdir()
    (path / "notes.md").write_text("thesis")
    with pytest.raises(RunError, match="found a folder, allowed the file of games 500 to 999; move it away: the same"):
        Run.load(tmp_path / "run")
    for again in (play, Run.load(play(tmp_path / "other").folder).save):
        with pytest.raises(RunError) as caught:
            again(tmp_path / "run")
        assert "not a stored run (players/0000000500-0000000999.parquet: a folder); allowed: a new" in str(caught.value)
        assert "or this one when that is moved away" in str(caught.value)
    assert (path / "notes.md").read_text() == "thesis"
    path.rename(tmp_path / "mine")
    play(tmp_path / "run")
    assert content(tmp_path / "run") == whole
    (tmp_path / "run" / "parts.jsonl").unlink()
    (tmp_path / "run" / "parts.jsonl").mkdir()
    for again in (Run.load, play):
        with pytest.raises(
            RunError, match=r"parts.jsonl: found a folder, allowed the list of the parts, a file; put it"
        ):
            again(tmp_path / "run")


def test_more_games_of_the_same_request_are_added(small_parts, tmp_path):
    out = tmp_path / "run"
    play(tmp_path / "whole", games=1800)
    for games in (300, 500, 700, 1500):
        assert same(play(out, games=games), play(games=games))
        play(tmp_path / f"{games}", games=games)
        assert content(out) == content(tmp_path / f"{games}")
    untouched = (out / "games" / "0000000000-0000000499.parquet").stat()
    play(out, games=1800)
    assert content(out) == content(tmp_path / "whole")
    assert (out / "games" / "0000000000-0000000499.parquet").stat() == untouched


@pytest.mark.parametrize("games", [1000, 1200, 1500])
def test_a_run_that_was_stopped_ends_sooner(small_parts, tmp_path, monkeypatch, games):
    """1,000 of 1,800 games are there: so many are enough now, or a few more."""
    out = tmp_path / "run"
    stopped(monkeypatch, 11, OSError(errno.ENOSPC, "No space left on device"), out)
    assert Run.load(out, unfinished=True).n == 1000
    assert same(play(out, games=games), play(games=games)) and Run.load(out).n == games
    play(tmp_path / "whole", games=games)
    assert content(out) == content(tmp_path / "whole")


@pytest.mark.parametrize("whole", [True, False])
def test_games_that_are_there_are_not_thrown_away(small_parts, tmp_path, monkeypatch, whole):
    out = tmp_path / "run"
    if whole:
        play(out, games=1000)
    else:
        stopped(monkeypatch, 11, OSError(errno.ENOSPC, "No space left on device"), out)
    before = content(out)
    said = f"{out}: found 1,000 games of this run, asked 700; allowed: no fewer than are there, which are kept, or a "
    with pytest.raises(RunError, match=re.escape(said)):
        play(out, games=700)
    assert content(out) == before


def test_adding_that_stops_leaves_what_was_there(small_parts, tmp_path, monkeypatch):
    """The short last part stays until the longer one is whole."""
    out = tmp_path / "run"
    play(out, games=700)
    play(tmp_path / "whole")
    for at in range(1, 6):
        copy = shutil.copytree(out, tmp_path / f"at {at}")
        stopped(monkeypatch, at, OSError(errno.ENOSPC, "No space left on device"), copy)
        assert same(Run.load(copy, unfinished=True), play(games=700))
        play(copy)
        assert content(copy) == content(tmp_path / "whole")


def test_a_whole_run_is_returned_as_it_is(small_parts, tmp_path, monkeypatch):
    before = play(tmp_path / "run")
    monkeypatch.setattr(writer, "write", None)
    monkeypatch.setattr(writer, "FileLock", None)  # a disk that can only be read will do
    assert same(play(tmp_path / "run"), before)


def test_progress_begins_with_what_is_there(small_parts, tmp_path, capsys):
    play(tmp_path / "run", games=1000)
    play(tmp_path / "run", games=1800, progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Nightmares of Sushi: nightmares: 1,000 of 1,800 games are there already"
    assert lines[-1].startswith("Nightmares of Sushi: nightmares: 1,800 of 1,800 games, ")


# ------------------------------------------------------------------ never another run


@pytest.mark.parametrize(
    ("rules", "changes", "said"),
    [
        ("nightmares", {"seed": 4}, "seed: found 3, asked 4"),
        ("nightmares", {"players": 3}, "players: found 4, asked 3"),
        ("nightmares", {"policies": "random"}, 'policy of seat 0: found "greedy", asked "random"'),
        ("nightmares", {"policies": ["greedy"] * 3 + ["random"]}, 'policy of seat 3: found "greedy", asked "random"'),
        ("nightmares", {"policies": ["greedy(penalty_weight=3)"] * 4}, "policy of seat 0: found other parameters of"),
        (
            "nightmares/penalty_victory_8",
            {},
            'rules: found "nightmares", asked "penalty_victory_8" (penalty_victory: found 10, asked 8)',
        ),
        ("sushi_go", {}, 'game: found "nightmares", asked sushi_go'),
    ],
)
def test_another_request_is_refused_with_what_differs(small_parts, tmp_path, rules, changes, said):
    play(tmp_path / "run", games=800, policies="greedy")
    before = content(tmp_path / "run")
    with pytest.raises(RunError) as caught:
        simulate(rules, **{"games": 800, "seed": 3, "policies": "greedy", **changes}, out=tmp_path / "run")
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'run'}: found another run than the one asked for: {said}")
    assert message.endswith("; allowed: the same request, or a new or empty folder")
    assert content(tmp_path / "run") == before


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("sushibalance", "version of sushibalance: found"),
        ("numba", "version of numba: found"),
        ("engine", "the code of the game: found other code than this version has"),
    ],
)
def test_a_run_of_another_version_is_not_taken_for_the_same(small_parts, tmp_path, monkeypatch, name, said):
    play(tmp_path / "run")
    here = request.versions("nightmares")
    monkeypatch.setattr(request, "versions", lambda game: {**here, name: "x"})
    with pytest.raises(RunError, match=said):
        play(tmp_path / "run")
    assert Run.load(tmp_path / "run").n == 1800  # for reading it is good


def test_parts_of_another_length_are_not_mixed(small_parts, tmp_path, monkeypatch):
    play(tmp_path / "run")
    monkeypatch.setattr(Request, "part_games", 1000)
    with pytest.raises(RunError, match=r"part: found 500 games, here 1000"):
        play(tmp_path / "run")
    assert Run.load(Run.load(tmp_path / "run").save(tmp_path / "copy")).manifest["part"] == 500


def test_a_policy_of_ones_own_is_known_by_its_code(small_parts, tmp_path):
    own = Policy("mine", {"choose": first_kind})
    run = simulate("sushi_go", policies=own, games=800, progress=False, out=tmp_path / "run")
    assert simulate("sushi_go", policies=own, games=800, progress=False, out=tmp_path / "run").policies == run.policies
    source = (tmp_path / "edited.py").resolve()
    source.write_text(Path(__file__).read_text().split("\n# -----")[0].replace("KINDS - 1, -1, -1", "KINDS"))
    names: dict = {"__name__": __name__, "__file__": str(source)}
    exec(compile(source.read_text(), str(source), "exec"), names)
    edited = Policy("mine", {"choose": names["first_kind"]})
    with pytest.raises(RunError, match='policy of seat 0: found other code of "mine"'):
        simulate("sushi_go", policies=edited, games=800, progress=False, out=tmp_path / "run")


@pytest.mark.parametrize(
    "changes",
    [
        {"rules": 5},
        {"rules": {"values": 3}},
        {"policies": 5},
        {"policies": [5] * 4},
        {"seed": [1]},
        {"games": "many"},
        {"versions": []},
        {"part": None},
        {"fingerprint": None},
    ],
)
def test_a_manifest_from_outside_is_refused_in_words(small_parts, tmp_path, changes):
    play(tmp_path / "run")
    manifest = json.loads((tmp_path / "run" / "run.json").read_text())
    if "rules" in changes:
        changes = {**changes, "fingerprint": "x"}
    (tmp_path / "run" / "run.json").write_text(json.dumps({**manifest, **changes}))
    with pytest.raises(RunError, match="found another run than the one asked for"):
        play(tmp_path / "run")


# ------------------------------------------------------------------ two at once


TWO = """
import sys
from sushibalance import RunError, simulate
try:
    print(simulate("sushi_go", games=30_000, seed=1, out=sys.argv[1], progress=False).n)
except RunError as error:
    print(error)
"""


def test_two_programs_do_not_write_one_run(python, tmp_path):
    """One is told that the other writes, and finds the run whole when that one has ended."""
    out = tmp_path / "run"
    busy = f"{out}: another program is writing this run just now; allowed when it has ended\n"
    asked = Request.of("sushi_go", 4, "random", 1)
    with writer.writing(out, asked, 30_000) as folder:
        assert python(TWO, str(out)) == busy
        for first, games in asked.spans(30_000):
            folder.add(encode(simulate("sushi_go", games=30_000, seed=1, progress=False).cut(first, first + games)))
            assert python(TWO, str(out)) == (busy if folder.done < 30_000 else "30000\n")
    assert Run.load(out).n == 30_000 and not (out / "run.lock").exists()


def test_programs_that_start_together_do_no_damage(tmp_path):
    out = tmp_path / "run"
    pipe = subprocess.PIPE
    both = [subprocess.Popen([sys.executable, "-c", TWO, str(out)], stdout=pipe, text=True) for _ in range(2)]
    said = {program.communicate(timeout=120)[0] for program in both}
    assert "30000\n" in said
    assert said <= {"30000\n", f"{out}: another program is writing this run just now; allowed when it has ended\n"}
    assert same(Run.load(out), simulate("sushi_go", games=30_000, seed=1, progress=False))


def test_a_run_that_is_being_written_is_not_replaced(small_parts, tmp_path):
    out = tmp_path / "run"
    mine = play(games=8)
    with writer.writing(out, Request.of("nightmares", 4, "random", 3), 1800):
        with pytest.raises(RunError, match="another program is writing this run just now"):
            mine.save(out)
        with pytest.raises(RunError, match="another program is writing this run just now"):
            play(out)
    assert not out.exists()
    mine.save(out)


def whole_parts(out: Path) -> int:
    """Return how many parts a run that is being written lists."""
    return (out / "parts.jsonl").read_text().count("\n") if (out / "parts.jsonl").exists() else 0


def test_ctrl_c_leaves_a_run_that_goes_on(tmp_path):
    code = "from sushibalance.cli import main; main()"
    words = ["simulate", "sushi_go", "--games", "3000000", "--out", "run", "--quiet"]
    out = tmp_path / "run"
    with subprocess.Popen([sys.executable, "-c", code, *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True) as one:
        ends = time.monotonic() + 300
        while time.monotonic() < ends and whole_parts(out) < 3:  # the last line may just be written: it is taken back
            time.sleep(0.02)
        assert whole_parts(out) >= 3, "too slow to begin"
        began = time.monotonic()
        one.send_signal(signal.SIGINT)
        _, err = one.communicate(timeout=60)
    assert one.returncode == 130 and time.monotonic() - began < 2
    part = Run.load(out, unfinished=True)
    assert 20_000 < part.n < 3_000_000 and part.n % 20_000 == 0
    assert err.startswith(f"sushibalance: {part.n:,} of 3,000,000 games are whole in run; the same command plays the")
    more = simulate("sushi_go", games=part.n + 5, progress=False)
    assert same(part, more.cut(0, part.n))
