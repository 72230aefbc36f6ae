"""The manifest and the list of parts of a stored run, from outside: checked before they are believed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from stored_runs import change_part, file_of, into, read, refused, same

from sushibalance import Policy, PolicyError, RunError
from sushibalance.simulation import memory


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
    assert "parts.jsonl: line 1: damaged: found " in (said := refused(folder)) and ", allowed " in said


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
