"""The C twins of benchmarks/ play the same games as the kernels, bit for bit."""

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sushibalance.games.intervention import Intervention
from sushibalance.games.registry import engine
from sushibalance.simulation.request import Request

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.twins import CompilerError, Twin

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="the twins need gcc")


@pytest.mark.parametrize(
    ("game", "policy", "games"),
    [
        ("sushi_go", "random", 2_000),
        ("sushi_go", "greedy", 500),
        ("nightmares", "random", 2_000),
        ("otter", "random", 300),
    ],
)
def test_same_rows(game, policy, games, tmp_path):
    for seats in range(engine(game).seats[0], engine(game).seats[1] + 1):
        request = Request.of(game, seats, policy, 5)
        by_twin, by_kernel = request.new_rows(games), request.new_rows(games)
        assert not Twin(request, "-O2", tmp_path).play(7, by_twin).any()
        assert not request.play(7, by_kernel).any()
        for name, rows in by_kernel.items():
            assert np.array_equal(rows, by_twin[name]), (seats, name)


def test_a_twin_plays_no_interventions(tmp_path):
    request = replace(Request.of("otter", 4, "random", 5), intervention=Intervention("power_up", "1"))
    with pytest.raises(CompilerError, match="plays no interventions: found power_up 1 forced"):
        Twin(request, "-O2", tmp_path)
