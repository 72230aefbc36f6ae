"""docs/size-and-clusters.md is in step with the code: examples, sizes, options, files."""

from __future__ import annotations

import re
import runpy
from math import sqrt
from pathlib import Path

import pytest

from sushibalance import simulate
from sushibalance.games.registry import GAMES, engine
from sushibalance.simulation.memory import row_bytes
from sushibalance.simulation.request import MAX_GAMES, PART_BYTES, Request
from sushibalance.simulation.storage import JOURNAL, MANIFEST, encode

TEXT = (Path(__file__).resolve().parent.parent / "docs" / "size-and-clusters.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```$(?:\n\n^```\n(.*?)^```$)?", TEXT, re.M | re.S)


@pytest.mark.parametrize(("code", "printed"), EXAMPLES, ids=range(len(EXAMPLES)))
def test_every_example_runs_and_prints_what_is_shown(code, printed, capsys, write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(write(code, "mine.py")))
    if printed:
        assert capsys.readouterr().out == printed
        names = {path.name for path in (tmp_path / "big").iterdir()}
        assert {MANIFEST, JOURNAL, "games", "players"} < names
        assert (tmp_path / "big" / "games" / "0000000000-0000019999.parquet").exists()


def row(start: str) -> list[str]:
    """Return the cells of the row of a table that begins so."""
    found = re.search(rf"^\| {re.escape(start)} \|(.*)\|$", TEXT, re.M)
    assert found, start
    return [cell.strip() for cell in found[1].split("|")]


@pytest.mark.parametrize("game", GAMES)
def test_bytes_and_parts_are_as_told(game):
    rows, *disk, part = row(engine(game).title)[:4]
    asked = Request.of(game, 4, "random", 0)
    assert rows == f"{row_bytes(asked.new_rows(1))} bytes" and part == f"{asked.part_games:,}"
    for policy, told in zip(("random", "greedy"), disk, strict=True):
        run = simulate(game, policies=policy, games=500 if game == "otter" else 5_000, seed=1, progress=False)
        size = sum(size for _, size in encode(run).entry.files.values()) / run.n
        assert size == pytest.approx(int(told.removesuffix(" bytes")), rel=0.15)


def test_numbers_that_follow_from_others():
    assert f"{PART_BYTES // 2**20} MB of rows" in TEXT and MAX_GAMES == 10**9
    for games, points in zip(row("games"), row("points"), strict=True):
        assert 196 * sqrt(0.25 * 0.75 / int(games.replace(",", ""))) == pytest.approx(float(points), rel=0.03)
