"""docs/own-policies.md: every example runs, and the tables of fields are those of the records."""

from __future__ import annotations

import re
import runpy
from importlib import import_module
from pathlib import Path

import pytest

from sushibalance.games.registry import GAMES, engine

PAGE = Path(__file__).resolve().parent.parent / "docs" / "own-policies.md"
TEXT = PAGE.read_text(encoding="utf-8")
TITLES = {"sushi_go": "Sushi Go!", "nightmares": "Nightmares of Sushi", "otter": "Sushi Otter"}
EXAMPLES = re.findall(r"^```python\n(.*?)^```$(?:\n\n^```\n(.*?)^```$)?", TEXT, re.M | re.S)


@pytest.mark.parametrize(("code", "printed"), EXAMPLES, ids=range(len(EXAMPLES)))
def test_every_example_runs_and_prints_what_is_shown(code, printed, capsys, write):
    runpy.run_path(str(write(code, "mine.py")))
    if printed:
        assert capsys.readouterr().out == printed


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the first table below a heading."""
    section = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", TEXT, re.M | re.S)
    assert section, heading
    table = re.search(r"((?:^\|.*\n)+)", section[1], re.M)[1].splitlines()[2:]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in table]


def fields(dtype) -> list[tuple[str, str]]:
    return [(name, " x ".join(map(str, dtype[name].shape))) for name in dtype.names]


def state(game: str):
    return import_module(f"sushibalance.games.{game}.kernel.state")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("record", ["table", "own"])
def test_the_tables_list_every_field_with_its_shape(game, record):
    told = rows(f"Fields of `{record}` in {TITLES[game]}")
    assert [(name, shape) for name, shape, *_ in told] == fields(getattr(state(game), record.upper()))
    assert all(len(row) == 4 and all(row[2:]) for row in told)


@pytest.mark.parametrize("game", GAMES)
def test_the_fields_of_rules_exist(game):
    told = [(name, shape) for name, shape, *_ in rows(f"Fields of `rules` in {TITLES[game]}, the most useful")]
    assert told and set(told) <= set(fields(state(game).RULES))


@pytest.mark.parametrize("game", GAMES)
def test_every_decision_is_told(game):
    assert [name for name, *_ in rows(f"Decisions of {TITLES[game]}")] == list(engine(game).decisions)


def test_every_word_in_capitals_is_one_of_the_games():
    """With its value, where one is told."""
    for game in GAMES:
        section = TEXT[TEXT.index(f"\n## {TITLES[game]}\n") :]
        section = section[: section.find("\n## ", 5)]
        for word, value in re.findall(r"`([A-Z][A-Z_]+)` \(?(-?\d+)", section):
            assert getattr(state(game), word) == int(value), word
        for word in re.findall(r"`([A-Z][A-Z_]+)`", section):
            assert hasattr(state(game), word) or hasattr(import_module(f"sushibalance.games.{game}.policies"), word)
    places = re.findall(r"^\| `((?:CHOICE|USE)_\w+)` \| (\d+) \|", TEXT, re.M)
    assert len(places) == 6
    assert all(getattr(state("otter"), name) == int(value) for name, value in places)


def test_the_kinds_of_cards_are_told_in_their_order():
    assert ", ".join(state("sushi_go").CARDS) in " ".join(TEXT.split())
