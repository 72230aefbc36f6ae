"""Memory does not grow with the number of games, and the shell starts quickly."""

from __future__ import annotations

import pytest

from sushibalance.games.registry import GAMES

PEAK = """
import re, sys
from pathlib import Path
from sushibalance import Run, fold, simulate
from sushibalance.analysis.headlines import headlines
from sushibalance.analysis.over import over
game, out, *sizes = sys.argv[1:]
asked = headlines(game)
for games in map(int, sizes):
    run = simulate(game, games=games, workers=2, progress=False, out=f"{out}/{games}")
    there = over(run, asked, workers=2)
    here = fold(game, asked, games=games, workers=2, progress=False).frame()
    assert all(there[name].equals(here[name]) for name in asked) and run.n == games
    # Not ru_maxrss: a new program begins with that of the one that started it.
    print(int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) // 1024)
"""


def peaks(python, game, out, *sizes) -> list[int]:
    """Return the peak memory of a program after each run, to disk and folded, with all headlines asked: in MB."""
    return [int(line) for line in python(PEAK, game, str(out), *map(str, sizes)).split()]


def test_the_peak_does_not_grow_with_the_games(python, tmp_path):
    """The rows of 180,000 more games of Sushi Go! would take 75 MB, and their frames 300 MB."""
    few, many = peaks(python, "sushi_go", tmp_path, 60_000, 240_000)
    assert many < 600 and many - few < 60


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_the_peak_stays_below_600_mb(python, tmp_path, game):
    """Rows take 419, 187 and 577 bytes a game; with their frames, many times as much."""
    few, many = peaks(python, game, tmp_path, *((40_000, 200_000) if game == "otter" else (200_000, 1_500_000)))
    assert many < 600 and many - few < 60


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
