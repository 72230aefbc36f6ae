"""Runs on disk: lossless, whole or not at all, and data from outside is checked before it is believed."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sushibalance import Policy, PolicyError, Run, RunError, load_rules, simulate
from sushibalance.games.registry import GAMES, engine
from sushibalance.games.sushi_go.frames import POINTS
from sushibalance.simulation import folder as writer
from sushibalance.simulation import memory


def played(game="nightmares", **changes) -> Run:
    return simulate(game, **{"games": 8, "seed": 4, "progress": False, **changes})


@pytest.fixture(scope="module")
def run() -> Run:
    return played()


@pytest.fixture
def folder(run, tmp_path) -> Path:
    return run.save(tmp_path / "run")


def into(folder: object) -> Run:
    """Play a run straight into a folder."""
    return played(out=folder)


def read(folder: Path) -> Run:
    """Load a run and look at every row of it."""
    run = Run.load(folder)
    assert sum(len(part.rows["games"]) for part in run.parts() if all(map(len, part.rows.values()))) == run.n
    return run


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def same(a: Run, b: Run) -> bool:
    return a.rows.keys() == b.rows.keys() and all(
        a.rows[name].tobytes() == b.rows[name].tobytes() and a.rows[name].dtype == b.rows[name].dtype for name in a.rows
    )


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


# ------------------------------------------------------------------ data from outside


def file_of(folder: Path, table: str) -> Path:
    """Return the file of the first part of a table."""
    return min((folder / table).iterdir())


def refused(folder: Path) -> str:
    with pytest.raises(RunError) as caught:
        read(folder)
    assert str(folder) in str(caught.value)
    return str(caught.value)


def test_what_is_no_run(tmp_path, folder):
    assert "no stored run here (run.json is missing)" in refused(tmp_path / "gone")
    assert "no stored run here (run.json is missing)" in refused(tmp_path)
    file_of(folder, "players").unlink()
    assert "players/0000000000-0000000007.parquet: missing; the same simulate(..., out=folder) plays" in refused(folder)
    (folder / "parts.jsonl").unlink()
    assert "found 0 of 8 games; the same simulate(..., out=folder) plays the others" in refused(folder)
    shutil.rmtree(folder)
    folder.write_text("x")
    assert "cannot be read" in refused(folder)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "null", "{", "[" * 100_000, '{"format": 1}', "9" * 5000, '{"a": NaN}', "\udcff", " " * 8_000_001],
    ids=range(11),
)
def test_a_manifest_that_is_none(folder, text):
    (folder / "run.json").write_bytes(text.encode(errors="surrogateescape"))
    assert len(refused(folder)) < 400


def change(folder: Path, **changes) -> None:
    """Change keys of the manifest."""
    manifest = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**manifest, **changes}))


def change_part(folder: Path, **changes) -> None:
    """Change keys of the one line in the list of parts."""
    line = json.loads((folder / "parts.jsonl").read_text())
    (folder / "parts.jsonl").write_text(json.dumps({**line, **changes}) + "\n")


def test_a_run_of_the_format_before(folder):
    for file in (folder / "parts.jsonl", *(folder / "games").iterdir()):
        file.unlink()
    (folder / "run.json").write_text(json.dumps({"format": 1, "fingerprint": "", "files": {}}))
    assert "run.json: a run stored by an earlier version of sushibalance; play it again" in refused(folder)
    with pytest.raises(RunError, match=r"earlier version of sushibalance; play it again.*allowed: a new or empty"):
        into(folder)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": 3}, "another version"),
        ({"extra": 1}, "another version"),
        ({"seed": -1}, "seed"),
        ({"seed": True}, "seed"),
        ({"seed": "0"}, "seed"),
        ({"seed": 2**70}, "seed"),
        ({"games": 0}, "games"),
        ({"games": 7}, "line 1: damaged"),
        ({"games": 9}, "found 8 of 9 games"),
        ({"games": 2**39}, "games"),
        ({"games": 10**300}, "games"),
        ({"part": 0}, "part"),
        ({"part": "8"}, "part"),
        ({"part": 7}, "line 1: damaged"),
        ({"games": [8]}, "games"),
        ({"fingerprint": "0"}, "fingerprint"),
        ({"policies": []}, "policies"),
        ({"policies": "random"}, "policies"),
        ({"policies": ["random"] * 4}, "policies"),
        ({"policies": [{"name": "x", "parameters": {}, "shipped": True}] * 3}, "other rows"),
        ({"policies": [{"name": "x", "parameters": {}, "shipped": True}] * 99}, "policies"),
        ({"policies": [{"name": "x", "parameters": {"a": float("inf")}, "shipped": True}] * 4}, "policies"),
        ({"policies": [{"name": "x", "parameters": {"a": "1"}, "shipped": True}] * 4}, "policies"),
        ({"policies": [{"name": "x" * 201, "parameters": {}, "shipped": True}] * 4}, "policies"),
        ({"rules": []}, "rules"),
        ({"rules": {"game": "chess"}}, "rules"),
    ],
)
def test_a_manifest_that_lies(folder, changes, said):
    change(folder, **changes)
    assert said in refused(folder)


FILES = {name: ["0" * 64, 5] for name in ("games", "players", "rounds")}


@pytest.mark.parametrize(
    "line",
    [
        {},
        [],
        {"first": 1, "games": 8, "files": FILES},
        {"first": 0, "games": 0, "files": FILES},
        {"first": 0, "games": -8, "files": FILES},
        {"first": 0, "games": 8.0, "files": FILES},
        {"first": False, "games": 8, "files": FILES},
        {"first": 0, "games": 9, "files": FILES},
        {"first": 0, "games": 8, "files": {}},
        {"first": 0, "games": 8, "files": []},
        {"first": 0, "games": 8, "files": {**FILES, "rounds": "x"}},
        {"first": 0, "games": 8, "files": {**FILES, "rounds": ["x", -1]}},
        {"first": 0, "games": 8, "files": {**FILES, "../../x": ["x", 1]}},
        {"first": 0, "games": 8, "files": FILES, "x" * 5000: 1},
    ],
)
def test_a_list_of_parts_that_lies(folder, line):
    (folder / "parts.jsonl").write_text(json.dumps(line) + "\n")
    assert "parts.jsonl: line 1: damaged: not the next part of this run" in refused(folder)


def test_a_list_with_a_part_too_many_or_without_an_end(folder, run):
    line = (folder / "parts.jsonl").read_text()
    (folder / "parts.jsonl").write_text(line + line)
    assert "parts.jsonl: line 2: damaged" in refused(folder)
    (folder / "parts.jsonl").write_text(line + line[:40])
    assert same(read(folder), run)
    (folder / "parts.jsonl").write_text(line[:40])
    assert "found 0 of 8 games" in refused(folder)


def test_more_rows_in_a_part_than_memory_holds(folder, monkeypatch):
    change(folder, games=2**32, part=2**32)
    change_part(folder, games=2**32)
    for name in ("games", "players", "rounds"):
        file_of(folder, name).rename(folder / name / f"0000000000-{2**32 - 1:010d}.parquet")
    monkeypatch.setattr(memory, "free_bytes", lambda: 10**9)
    assert "of memory are free" in refused(folder)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("game", "../../etc"),
        ("game", "os"),
        ("game", "sushi_go"),
        ("game", 5),
        ("name", "a\nb"),
        ("description", None),
        ("values", []),
        ("values", {"rounds": 4}),
        ("values", {"rounds": 10**30}),
        ("sources", {}),
        ("sources", {"rounds": "guess"}),
        ("notes", {"rounds": 5}),
        ("files", 7),
    ],
)
def test_stored_rules_that_are_none(folder, part, value):
    rules = json.loads((folder / "run.json").read_text())["rules"]
    change(folder, rules={**rules, part: value})
    assert "the stored rules are not playable by this version" in refused(folder)


def test_stored_rules_nested_too_deep(folder):
    deep: dict = {}
    for _ in range(200):
        deep = {"a": deep}
    rules = json.loads((folder / "run.json").read_text())["rules"]
    change(folder, rules={**rules, "values": {**rules["values"], "x": deep}})
    assert "nested too deep" in refused(folder)


def rewritten(folder: Path, name: str, table: pa.Table) -> str:
    """Replace a table with a right checksum, as somebody could who means it, and return what load says."""
    path = file_of(folder, name)
    pq.write_table(table, path)
    relisted(folder, name)
    return refused(folder)


def relisted(folder: Path, name: str) -> None:
    """Give a table's file the checksum and size that it has now."""
    content = file_of(folder, name).read_bytes()
    files = json.loads((folder / "parts.jsonl").read_text())["files"]
    change_part(folder, files={**files, name: [hashlib.sha256(content).hexdigest(), len(content)]})


def test_tables_that_are_damaged_swapped_or_of_another_shape(run, folder):
    games = pq.read_table(file_of(folder, "games"))
    wide = games.set_column(0, "rounds", games.column(0).cast(pa.int64()))
    assert "other rows or columns" in rewritten(folder, "games", wide)
    assert "other rows or columns" in rewritten(folder, "games", games.slice(0, 7))
    assert "other rows or columns" in rewritten(folder, "games", games.drop_columns(["winners"]))
    assert "other rows or columns" in rewritten(folder, "games", games.append_column("x", games.column(0)))
    assert "other rows or columns" in rewritten(folder, "games", games.select([1, 0, 2]))
    texts = games.set_column(0, "rounds", pa.array(["x"] * 8))
    assert "other rows or columns" in rewritten(folder, "games", texts)
    holes = games.set_column(0, "rounds", pa.array([None] * 8, pa.int8()))
    assert "other rows or columns" in rewritten(folder, "games", holes)
    run.save(folder)
    other = played(seed=77).save(folder.parent / "other")
    shutil.copy(file_of(other, "rounds"), file_of(folder, "rounds"))
    assert f"{file_of(folder, 'rounds')}: damaged" in refused(folder)
    run.save(folder)
    with file_of(folder, "players").open("r+b") as file:
        byte = file.read(31)[-1]
        file.seek(30)
        file.write(bytes([byte ^ 1]))
    assert f"{file_of(folder, 'players')}: damaged, or of another run: its checksum differs" in refused(folder)


# Rule sets whose rows hold every code: a third seat, chefs, starting power-ups, a short game.
VARIED = {
    "otter": [("otter", 3), ("otter/starting_power_ups", 2), ("otter/inventions", 5)],
    "nightmares": [("nightmares", 2), ("nightmares", 6), ("nightmares/no_penalty_victory", 3)],
    "sushi_go": [("sushi_go", 2), ("sushi_go/pudding_every_round", 5)],
}


@pytest.mark.parametrize("game", GAMES)
def test_what_is_played_is_allowed_and_anything_else_refused(game, tmp_path):
    """Every code and count, one beyond its range at either end, in the first row, a middle one and the last."""
    for rules, players in VARIED[game]:
        played_run = played(rules, players=players, games=40, policies=["greedy", *["random"] * (players - 1)])
        folder = played_run.save(tmp_path / "run")
        assert same(read(folder), played_run)
        for name, fields in played_run.engine.allowed(played_run.rules, players).items():
            path = file_of(folder, name)
            table = pq.read_table(path)
            kept = path.read_bytes(), (folder / "parts.jsonl").read_text()
            for place, (field, values) in enumerate(fields.items()):
                kind = np.iinfo(played_run.rows[name].dtype[field])
                beyond = [wrong for wrong in (min(values) - 1, max(values) + 1) if kind.min <= wrong <= kind.max]
                gaps = [wrong for wrong in range(min(values), max(values)) if wrong not in values][:1]
                assert beyond or len(values) > 30_000, (name, field)
                for wrong in beyond + gaps:
                    column = table.column(field).to_numpy().copy()
                    column[[0, len(column) // 2, -1][place % 3]] = wrong
                    at = table.schema.get_field_index(field)
                    said = rewritten(folder, name, table.set_column(at, field, pa.array(column)))
                    assert f"{path}: {field}: found {wrong}, allowed " in said
                    path.write_bytes(kept[0])
                    (folder / "parts.jsonl").write_text(kept[1])
        assert same(read(folder), played_run)


def test_every_code_of_a_frame_is_checked():
    """What names or counts something has a range; only points are free."""
    free = {
        (game, name, field)
        for game in GAMES
        for name, rows in engine(game).rows(load_rules(game), 4, 1).items()
        for field in set(rows.dtype.names) - set(engine(game).allowed(load_rules(game), 4).get(name, {}))
    }
    points = {(game, "players", "total") for game in GAMES}
    points |= {("otter", "rounds", field) for field in ("score", "round_vp", "vp")}
    points |= {("sushi_go", "rounds", kind) for kind in POINTS}
    assert free == points


def test_a_run_without_rows_in_a_table(tmp_path):
    """A game of one round has no power-ups on offer."""
    late = [number for number, card in load_rules("otter").power_ups.items() if getattr(card, "rounds", None)]
    rules = load_rules("otter").vary({"play.rounds": 1, **{f"power_ups.{number}": None for number in late}})
    run = played(rules)
    assert len(run.offers) == 0 and same(Run.load(run.save(tmp_path / "run")), run)


@pytest.mark.parametrize("name", ["\ud800", "a\nb", "\x1b[31m", "", 5, None, "x" * 101])
def test_names_that_cannot_be_shown(run, folder, name):
    """In a stored run, and of a user's own policy before anything is played."""
    for entry in ({"name": name, "parameters": {}}, {"name": "x", "parameters": {str(name): 1.0}}):
        if entry["name"] == name or not isinstance(name, int | None):
            change(folder, policies=[{**entry, "shipped": False}] * 4)
            assert len(refused(folder).encode()) < 400
    with pytest.raises(PolicyError, match=r"^name of a policy: found .*, allowed a short text") as caught:
        Policy(name, {})
    assert str(caught.value).isprintable()


def test_no_text_of_a_manifest_holds_half_a_character(folder):
    """A lone surrogate anywhere: pandas, the screen and files would stumble over it later."""
    rules = json.loads((folder / "run.json").read_text())["rules"]
    for part in ({"description": "\ud800"}, {"notes": {"rounds": "\udfff"}}, {"files": {"\ud800": "x"}}):
        change(folder, rules={**rules, **part})
        assert "surrogates not allowed" in refused(folder)


def test_parameters_of_any_number_type_are_saved(run, tmp_path):
    own = Policy("own", {}, {"a": np.int64(3), "b": np.float32(0.5), "c": True, "d": Fraction(1, 4)})
    after = Run.load(Run(run.rules, [own] * 4, 1, run.rows).save(tmp_path / "run"))
    assert after.policies[0].parameters == {"a": 3.0, "b": 0.5, "c": 1.0, "d": 0.25}


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


def test_a_pipe_or_a_folder_in_place_of_a_file_does_not_hang(folder):
    path = file_of(folder, "games")
    path.unlink()
    os.mkfifo(path)
    assert "damaged: not of its size" in refused(folder)
    for name in ("parts.jsonl", "run.json"):
        (folder / name).unlink()
        os.mkfifo(folder / name)
        assert "not a file" in refused(folder)


def test_rows_that_would_not_fit_in_memory(folder, monkeypatch):
    run = Run.load(folder)
    monkeypatch.setattr(memory, "free_bytes", lambda: 10)
    with pytest.raises(RunError, match=r"games: found 8, allowed at most 3: .*; allowed in pieces: run.parts\(\)"):
        run.rows["games"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(st.sampled_from(["run.json", "parts.jsonl", "games", "players"]), st.integers(0, 10**6), st.binary(max_size=4))
def test_any_damage_gives_the_run_or_a_run_error(run, folder, name, place, new):
    path = folder / name if "." in name else file_of(folder, name)
    content = path.read_bytes()
    place %= len(content)
    try:
        path.write_bytes(content[:place] + new + content[place + max(1, len(new)) :])
        if "." not in name:
            relisted(folder, name)
        try:
            loaded = read(folder)
        except RunError:
            return
        assert loaded.n == run.n and np.array_equal(loaded.rows["rounds"], run.rows["rounds"])
    finally:
        shutil.rmtree(folder)
        run.save(folder)


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
