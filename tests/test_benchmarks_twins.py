"""The C twins of benchmarks/ play the same games as the kernels, bit for bit."""

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from sushibalance.core.log import new_log
from sushibalance.games.registry import engine, load_rules

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.twins import Twin

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
    known, rules = engine(game), load_rules(game)
    twin, table = Twin(game, "-O2", tmp_path), known.table(rules)
    for seats in range(known.seats[0], known.seats[1] + 1):
        policies = [known.policies[policy]] * seats
        params = known.params(policies, rules)
        by_twin, by_kernel = known.rows(rules, seats, games), known.rows(rules, seats, games)
        assert not twin.play(table, twin.functions(policies), params, 5, 7, by_twin).any()
        assert not known.play(table, known.functions(policies), params, 5, 7, by_kernel, new_log(0)).any()
        for name, rows in by_kernel.items():
            assert np.array_equal(rows, by_twin[name]), (seats, name)
