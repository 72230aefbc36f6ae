"""Memory does not grow with the number of games, and the shell starts quickly."""

from __future__ import annotations

import pytest

from sushibalance.games.registry import GAMES

PEAK = """
import sys
from pathlib import Path
from sushibalance import fold, simulate
from sushibalance.analysis import win_rates
from sushibalance.analysis.headlines import headlines
from sushibalance.analysis.over import over, question, questions
game, out, asking, *sizes = sys.argv[1:]
asked = headlines(game) if asking == "all" else questions(wins=question(win_rates.of, "players", by="policy"))
for games in map(int, sizes):
    run = simulate(game, games=games, workers=2, progress=False, out=f"{out}/{games}")
    there = over(run, asked, workers=2)
    here = fold(game, asked, games=games, workers=2, progress=False).frame()
    assert all(there[name].equals(here[name]) for name in asked) and run.n == games
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    print(int(status["VmHWM"].split()[0]) // 1024)  # ru_maxrss would hold that of the process it was started by
"""


def peaks(python, game, out, asking, *sizes) -> list[int]:
    """Return the peak memory in MB of a program after each size of run, to disk, asked there, and folded."""
    return [int(line) for line in python(PEAK, game, str(out), asking, *map(str, sizes)).split()]


def test_the_peak_does_not_grow_with_the_games(python, tmp_path):
    """The rows alone of half a million games more would take 210 MB."""
    few, many = peaks(python, "sushi_go", tmp_path, "wins", 100_000, 600_000)
    assert many < 500 and many - few < 80


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_the_peak_stays_below_600_mb(python, tmp_path, game):
    """With all headlines asked; the rows alone would take some 200 MB more, and their frames many times as much."""
    few, many = peaks(python, game, tmp_path, "all", *((60_000, 400_000) if game == "otter" else (200_000, 1_500_000)))
    assert many < 600 and many - few < 100


def test_simulate_loads_no_more_than_it_needs(python):
    """What takes long to import is imported by who needs it: half of the time of a small run would be that."""
    code = """
import sys
from sushibalance.cli import main
sys.argv = ["sushibalance", "simulate", "sushi_go", "-q", "-n", "100"]
try:
    main()
except SystemExit:
    pass
slow = ("statsmodels", "scipy.stats", "scipy.optimize", "matplotlib", "seaborn", "IPython", "nbformat", "distributed",
        "pyarrow.parquet", "filelock", "rich")
print([name for name in slow if name in sys.modules])
"""
    assert python(code).splitlines()[-1] == "[]"


def test_the_package_loads_no_more_than_numba_and_the_models(python):
    code = (
        "import sys, sushibalance\nsushibalance.simulate, sushibalance.fold\n"
        "print([name for name in ('pandas', 'scipy.stats', 'pyarrow', 'matplotlib', 'rich') if name in sys.modules])"
    )
    assert python(code) == "[]\n"
