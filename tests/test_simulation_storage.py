"""Runs on disk: lossless, whole or not at all, and nothing that stands in the way is lost."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from stored_runs import into, played, read, same

from sushibalance import Policy, Run, RunError, load_rules, simulate
from sushibalance.games.registry import GAMES
from sushibalance.simulation import folder as writer


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# ------------------------------------------------------------------ lossless


def test_of_a_part_only_the_tables_that_are_asked_for_are_read(folder, run):
    part = next(Run.load(folder).parts())
    (file,) = (folder / "players").iterdir()
    file.write_bytes(bytes(file.stat().st_size))
    assert part.games.equals(run.games)
    with pytest.raises(RunError, match="damaged"):
        part.players  # noqa: B018


@pytest.mark.parametrize("game", GAMES)
def test_what_is_loaded_is_what_was_saved(game, tmp_path):
    rules = load_rules(game).vary({}, name="mine")
    before = played(rules, players=3, policies=["greedy", "random", "random"])
    after = Run.load(before.save(tmp_path / "a" / "b"))
    assert same(before, after)
    assert (after.seed, after.n, after.seats) == (4, 8, 3)
    assert after.rules == before.rules and after.rules.document == before.rules.document
    assert after.policies == before.policies
    for frame in ("games", "players", *after.engine.frames):
        assert after.frame(frame).equals(before.frame(frame))
    assert same(simulate(after.rules, players=3, policies=after.policies, games=8, seed=4, progress=False), before)


def test_parameters_come_back_and_own_policies_by_name(run, tmp_path):
    shipped = run.engine.policies["greedy"]
    key = next(iter(shipped.parameters))
    own = [Policy("greedy", {}, {"x": 1.5}), Policy("my own", {}), shipped.with_parameters(**{key: 2.25}), shipped]
    after = Run.load(Run(run.rules, own, 1, run.rows).save(tmp_path / "run"))
    assert [policy.name for policy in after.policies] == ["greedy", "my own", "greedy", "greedy"]
    assert after.policies[0].parameters == {"x": 1.5} and "not stored" in after.policies[0].description
    assert after.policies[2].parameters[key] == 2.25 and after.policies[3] == shipped


def test_no_pickle_and_no_machine_path_is_needed(folder, tmp_path):
    assert leftovers(folder) == ["games", "parts.jsonl", "players", "rounds", "run.json"]
    assert leftovers(folder / "games") == ["0000000000-0000000007.parquet"]
    moved = tmp_path / "elsewhere"
    shutil.move(folder, moved)
    assert Run.load(moved).n == 8


def test_a_run_without_rows_in_a_table(tmp_path):
    """A game of one round has no power-ups on offer."""
    late = [number for number, card in load_rules("otter").power_ups.items() if getattr(card, "rounds", None)]
    rules = load_rules("otter").vary({"play.rounds": 1, **{f"power_ups.{number}": None for number in late}})
    run = played(rules)
    assert len(run.offers) == 0 and same(Run.load(run.save(tmp_path / "run")), run)


def test_parameters_of_any_number_type_are_saved(run, tmp_path):
    own = Policy("own", {}, {"a": np.int64(3), "b": np.float32(0.5), "c": True, "d": Fraction(1, 4)})
    after = Run.load(Run(run.rules, [own] * 4, 1, run.rows).save(tmp_path / "run"))
    assert after.policies[0].parameters == {"a": 3.0, "b": 0.5, "c": 1.0, "d": 0.25}


# ------------------------------------------------------------------ whole or not at all


def test_a_run_replaces_a_run_and_an_empty_folder_and_nothing_else(run, folder):
    other = played(seed=5)
    other.save(folder)
    assert same(Run.load(folder), other)
    empty = folder.parent / "empty"
    empty.mkdir()
    assert same(Run.load(run.save(empty)), run)
    for name in ("file", "folder"):
        precious = folder.parent / name
        if name == "folder":
            precious.mkdir()
            (precious / "thesis.txt").write_text("mine")
        else:
            precious.write_text("mine")
        for write in (run.save, into):
            with pytest.raises(RunError, match=r"something that is not a stored run \(.*; allowed: a new or empty"):
                write(precious)
    assert (folder.parent / "file").read_text() == (folder.parent / "folder" / "thesis.txt").read_text() == "mine"
    assert leftovers(folder.parent) == ["empty", "file", "folder", "run"]


@pytest.mark.parametrize("fault", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("at", ["manifest", "first table", "last table", "list", "old away", "new in"])
def test_a_full_disk_or_ctrl_c_leaves_the_old_run_and_nothing_else(run, folder, monkeypatch, fault, at):
    steps = ["manifest", "first table", "", "last table", "list"]
    synced, renamed = [], []
    fsync, rename = os.fsync, os.rename

    def failing_fsync(number):
        synced.append(number)
        if steps[len(synced) - 1] == at:
            raise fault
        fsync(number)

    def failing_rename(source, target):
        renamed.append(source)
        if at == "new in" and len(renamed) == 2:
            raise fault
        rename(source, target)
        if at == "old away" and len(renamed) == 1:
            raise fault

    monkeypatch.setattr(writer.os, "fsync", failing_fsync)
    monkeypatch.setattr(writer.os, "rename", failing_rename)
    expected = KeyboardInterrupt if isinstance(fault, KeyboardInterrupt) else RunError
    with pytest.raises(expected) as caught:
        played(seed=99).save(folder)
    if expected is RunError:
        assert str(caught.value) == f"{folder}: cannot be written (No space left on device)"
    monkeypatch.undo()
    assert leftovers(folder.parent) == ["run"]
    assert same(read(folder), run)


def test_a_file_that_cannot_be_written_to_its_end(python, folder, run):
    """A real write error: the system refuses files over 1,000 bytes, as a full disk would."""
    code = """
import resource, sys
from sushibalance import RunError, simulate
run = simulate("nightmares", games=2000, progress=False)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    run.save(sys.argv[1])
except RunError as error:
    print(error)
"""
    assert python(code, str(folder)).startswith(f"{folder}: cannot be written (")
    assert leftovers(folder.parent) == ["run"] and same(Run.load(folder), run)


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_may_not_be_written(run, tmp_path):
    tmp_path.chmod(0o500)
    for write in (run.save, into):
        with pytest.raises(RunError, match="Permission denied"):
            write(tmp_path / "run")


def test_a_folder_that_cannot_be_looked_into_is_left_alone(run, tmp_path, monkeypatch):
    """Whoever may not read it does not know that nothing is lost with it."""
    (tmp_path / "circle").symlink_to("circle")
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.txt").write_text("mine")

    def forbidden(self):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", forbidden)
    for place in (precious, tmp_path / "circle"):
        for write in (run.save, into):
            with pytest.raises(RunError, match="cannot be looked into"):
                write(place)
    monkeypatch.undo()
    assert leftovers(precious) == ["thesis.txt"] and leftovers(tmp_path) == ["circle", "precious"]


def test_many_programs_may_save_to_one_folder(run, tmp_path):
    target = tmp_path / "run"
    runs = [played(seed=seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(10):
            list(pool.map(lambda one: one.save(target), runs))
            assert any(same(read(target), one) for one in runs)
    assert leftovers(tmp_path) == ["run"]


def test_two_processes_may_save_to_one_folder(tmp_path):
    code = (
        "import sys; from sushibalance import simulate\n"
        "run = simulate('nightmares', games=50, seed=int(sys.argv[1]), progress=False)\n"
        "for _ in range(20): run.save(sys.argv[2])"
    )
    target = str(tmp_path / "run")
    both = [subprocess.Popen([sys.executable, "-c", code, str(seed), target]) for seed in (1, 2)]
    assert [program.wait(120) for program in both] == [0, 0]
    assert Run.load(target).seed in (1, 2) and leftovers(tmp_path) == ["run"]


def test_a_link_to_a_run_stays_a_link(run, folder):
    link = folder.parent / "link"
    link.symlink_to(folder)
    played(seed=6).save(link)
    assert link.is_symlink() and Run.load(folder).seed == 6


def test_what_stands_beside_a_run_is_never_lost(run, folder, tmp_path, monkeypatch):
    """A foreign run.json, notes beside a run, and the folder that one stands in are left alone."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "run.json").write_text('{"other": "tool"}')
    (folder / "notes.md").write_text("thesis")
    for place in (other, folder):
        before = sorted(path.name for path in place.iterdir())
        with pytest.raises(RunError, match="not a stored run"):
            run.save(place)
        assert sorted(path.name for path in place.iterdir()) == before
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    with pytest.raises(RunError, match="the folder you are in"):
        run.save(".")


# ------------------------------------------------------------------ names of folders and of rules


@pytest.mark.parametrize("place", [3, None, 2.5, ["run"], b"run", "a\0b"])
def test_a_folder_that_is_no_path(run, place):
    for use in (run.save, Run.load, *([into] if place is not None else [])):
        with pytest.raises(RunError, match=r"^folder of a run: found .*, allowed the name or path of a folder"):
            use(place)


def test_names_of_folders_too_long_or_not_of_letters(run, tmp_path):
    """Refused before the games are played; or written and read, whatever bytes the name is made of."""
    for write in (into, run.save):
        with pytest.raises(RunError, match=r"cannot be (written|looked into|read) \(File name too long\)"):
            write(tmp_path / ("x" * 300))
    assert leftovers(tmp_path) == []
    bytes_in_names = sys.platform == "linux"
    for odd in [tmp_path / "\udcff", tmp_path / "\udcfe" / "run"] * bytes_in_names + [tmp_path / ("ü" * 127)]:
        assert same(into(odd), run)
        assert same(read(run.save(odd)), run)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
@pytest.mark.parametrize("stem", ["a\nb", " ", "\udcff", "\x1b[31m", "x" * 200])
def test_rules_of_a_file_of_any_name_are_saved_and_loaded(stem, write, tmp_path):
    rules = load_rules(write('extends = "nightmares"\nremove = []\nrounds = 3\n', f"{stem}.toml"))
    assert rules.name.strip() and rules.name.isprintable() and len(rules.name) <= 100
    loaded = Run.load(played(rules).save(tmp_path / "run"))
    assert loaded.rules.document == rules.document
