"""docs/frames-and-analyses.md is in step with the code: frames, columns, dtypes, analyses, charts."""

from __future__ import annotations

import re
import runpy
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import FunctionType

import matplotlib.pyplot as plt
import pytest
from matplotlib.axes import Axes

from sushibalance import analysis, plots, simulate, stats
from sushibalance.games.registry import GAMES

PAGE = Path(__file__).resolve().parent.parent / "docs" / "frames-and-analyses.md"
TEXT = PAGE.read_text(encoding="utf-8")
TITLES = {"sushi_go": "Sushi Go!", "nightmares": "Nightmares of Sushi", "otter": "Sushi Otter"}
EXAMPLES = re.findall(r"^```python\n(.*?)^```$(?:\n\n^```\n(.*?)^```$)?", TEXT, re.M | re.S)
MODULES = {name: import_module(f"sushibalance.analysis.{name}") for _, name, _ in iter_modules(analysis.__path__)}
FIVE = ["estimate", "low", "high", "n", "games"]


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the first table below a heading that begins so."""
    section = re.search(rf"^#+ {re.escape(heading)}[^\n]*\n(.*?)(?=^#|\Z)", TEXT, re.M | re.S)
    assert section, heading
    table = re.search(r"((?:^\|.*\n)+)", section[1], re.M)[1].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


@pytest.fixture(scope="module")
def runs():
    policies = {
        "otter": ["greedy", "tank", "saver", "random"],
        "nightmares": ["greedy", "penalty_hunter", "honest", "trickster"],
        "sushi_go": ["greedy", "denier", "pudding_lover", "random"],
    }
    return {game: simulate(game, policies=policies[game], games=300, seed=1, progress=False) for game in GAMES}


@pytest.mark.parametrize(("code", "printed"), EXAMPLES, ids=range(len(EXAMPLES)))
def test_every_example_runs_and_prints_what_is_shown(code, printed, capsys, write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(write(code, "mine.py")))
    if printed:
        assert capsys.readouterr().out == printed


@pytest.mark.parametrize("game", GAMES)
def test_every_frame_is_told_with_its_columns_and_dtypes(game, runs):
    run = runs[game]
    for name in ("games", "players", *run.engine.frames):
        told = rows(f"`{name}`" + ("," if name in ("games", "players") else f" of {TITLES[game]},"))
        frame = run.frame(name)
        assert [column.strip("`") for column, *_ in told] == list(frame.columns), name
        for (_, dtype, _, meaning), column in zip(told, frame.columns, strict=True):
            assert str(frame[column].dtype) in dtype.split(" or "), (name, column)
            assert meaning
    (ended_by,) = (row[3] for row in rows("`games`,") if row[0] == "`ended_by`")
    assert all(f"`{ending}`" in ended_by for ending in run.engine.endings)


def test_no_frame_is_told_that_no_game_has(runs):
    told = re.findall(r"^### `(\w+)` of (.*?),", TEXT, re.M)
    assert sorted(told) == sorted((name, TITLES[game]) for game in GAMES for name in runs[game].engine.frames)


def calls(heading: str) -> list[tuple[str, str, str]]:
    """Return (game, code, the cell after it) of the rows of a table of calls."""
    found, game = [], "otter"
    for name, code, after in rows(heading):
        if name.startswith("**"):
            game = {title: key for key, title in TITLES.items()}.get(name.strip("*"), "otter")
        else:
            found.append((game, code.strip("`"), after.strip("`")))
    return found


@pytest.mark.parametrize(("game", "code", "columns"), calls("Analyses"), ids=lambda part: part[:40])
def test_every_analysis_gives_the_columns_told(game, code, columns, runs):
    frame = eval(code, {**MODULES, "run": runs[game]})
    assert sorted(frame.columns) == sorted([*columns.split(", "), *FIVE])
    assert list(frame.columns)[: len(columns.split(", "))][0] == columns.split(", ")[0]


def test_every_analysis_is_told():
    section = TEXT[TEXT.index("## Analyses") : TEXT.index("## Charts")]
    for name, module in MODULES.items():
        for function, value in vars(module).items():
            public = isinstance(value, FunctionType) and value.__module__ == module.__name__ and function[0] != "_"
            if public:
                homes = [home for home, other in MODULES.items() if getattr(other, function, None) is value]
                told = any(f"{home}.{function}" in section for home in homes)
                assert told or (name == "tables" and f"`{function}" in section), function


@pytest.mark.parametrize("code", [code for _, code, _ in calls("Charts")], ids=lambda code: code[:40])
def test_every_chart_draws(code, runs):
    games = {
        "nightmares": ("victory_odds", "served_values"),
        "sushi_go": ("points_by_kind", "puddings", "draft_rates", "misreadings"),
    }
    game = next((game for game, of in games.items() if any(f"({module}." in code for module in of)), "otter")
    assert isinstance(eval(code, {**MODULES, "plots": plots, "verdicts": stats.verdicts, "run": runs[game]}), Axes)
    plt.close("all")


def test_every_chart_is_told():
    charts = {name for name in plots.__all__ if name not in ("Options", "use_style")}
    assert charts == {code.removeprefix("plots.").partition("(")[0] for _, code, _ in calls("Charts")}


def test_what_stands_beside_is_told():
    assert {re.match(r"`(\w+)", name)[1] for name, _ in rows("Questions of your own")} == {
        name for name in stats.__all__ if name not in ("student", "wilson")
    }
    told = [(home.strip("`"), re.match(r"`(\w+)", call)[1]) for home, call, _ in rows("Asking the rules alone")]
    assert sorted(told) == sorted(
        (f"sushibalance.games.{game}", name)
        for game in GAMES
        for name in import_module(f"sushibalance.games.{game}").__all__
    )
