"""The tables of a stored run, from outside: checked before they are believed; any damage is told."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stored_runs import change_part, file_of, played, read, refused, same

from sushibalance import Run, RunError, load_rules
from sushibalance.games.registry import GAMES, engine
from sushibalance.games.sushi_go.frames import POINTS
from sushibalance.simulation import memory


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


def test_a_pipe_or_a_folder_in_place_of_a_file_does_not_hang(folder):
    path = file_of(folder, "games")
    path.unlink()
    os.mkfifo(path)
    assert "found no plain file, allowed the file of games 0 to 7" in refused(folder)
    for name in ("parts.jsonl", "run.json"):
        (folder / name).unlink()
        os.mkfifo(folder / name)
        assert "found no plain file, allowed " in refused(folder)


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
