"""The engine as a whole: rows, frames, the same games with the jit off, a golden trace."""

import hashlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sushi_go_replay import KINDS_OF_POINTS, logged

from sushibalance import load_rules, simulate, trace
from sushibalance.games.sushi_go.engine import ENGINE
from sushibalance.games.sushi_go.kernel.state import CARDS
from sushibalance.games.sushi_go.policies import POLICIES

RULES = load_rules("sushi_go")
GOLDEN = Path(__file__).parent / "golden" / "sushi_go.txt"

# Some games of every policy, for 2 to 5 players, under rules with every option; prints a hash of the rows.
DIGEST = """
import hashlib
from sushibalance import load_rules, simulate
tables = [
    ("sushi_go", ["random", "greedy"]),
    ("sushi_go/wasabi_next_turn", ["denier", "random", "pudding_lover"]),
    ("sushi_go/alternating", ["pudding_avoider", "random", "greedy", "denier"]),
    ("sushi_go/pudding_every_round", ["random", "random", "denier", "pudding_lover", "greedy"]),
]
digest = hashlib.sha256()
for name, policies in tables:
    run = simulate(name, policies=policies, players=len(policies), games=GAMES, seed=3, workers=1, progress=False)
    for rows in run.rows.values():
        digest.update(rows.tobytes())
print(digest.hexdigest())
"""


def digest(games):
    tables = {}
    exec(compile(DIGEST.replace("GAMES", str(games)).replace("print(", "result = ("), "digest", "exec"), tables)
    return tables["result"]


def test_jit_off_plays_the_same_games(python):
    assert python(DIGEST.replace("GAMES", "8"), NUMBA_DISABLE_JIT="1").strip() == digest(8)


def test_bounds_are_kept(python, tmp_path):
    """No access outside an array: a compile of its own, as a warm cache would skip the checks."""
    found = python(DIGEST.replace("GAMES", "60"), NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(tmp_path)).strip()
    assert found == digest(60)


def test_a_game_depends_on_seed_and_index_alone():
    """Chunks of any size leave no trace: what a policy remembers is cleared."""
    policies = ["random", "greedy", "denier", "pudding_lover"]
    whole = logged(RULES, policies, 4, 0, 30).rows
    for first, games in ((0, 1), (7, 5), (29, 1)):
        part = logged(RULES, policies, 4, first, games).rows
        for name, rows in part.items():
            assert np.array_equal(rows, whole[name][first : first + games])


def test_frames():
    run = simulate(RULES, players=3, policies=["random", "greedy", "denier"], games=200, seed=2, progress=False)
    picks, rounds = run.picks, run.rounds
    assert list(picks.columns) == ["game", "round", "turn", "seat", "card", "with_chopsticks"]
    assert list(rounds.columns) == [
        "game", "round", "seat", *KINDS_OF_POINTS, "total", "maki_icons", "puddings",
    ]  # fmt: skip
    assert len(rounds) == 200 * 3 * 3
    assert len(picks) == 200 * 3 * 9 * 3 + picks["with_chopsticks"].sum()
    assert list(picks["card"].cat.categories) == list(CARDS)
    keys = picks[["game", "round", "turn", "seat", "with_chopsticks"]]
    assert not keys.duplicated().any()
    assert keys.equals(keys.sort_values(["game", "round", "turn", "seat", "with_chopsticks"]))
    assert (picks["round"].min(), picks["round"].max(), picks["turn"].min(), picks["turn"].max()) == (1, 3, 1, 9)
    # The frame against the rows, card by card.
    rows = run.rows["picks"]
    for frame in picks.sample(300, random_state=1).itertuples():
        row = rows[frame.game, frame.round - 1, frame.turn - 1, frame.seat]
        assert CARDS.index(frame.card) == (row["second"] - 1 if frame.with_chopsticks else row["card"])
    totals = run.players.set_index(["game", "seat"])["total"]
    summed = rounds.groupby(["game", "seat"])["total"].sum()
    pd.testing.assert_series_equal(summed, totals, check_dtype=False)
    assert (rounds[list(KINDS_OF_POINTS)].sum(axis=1) == rounds["total"]).all()
    wins = run.players.groupby("game")["win"].sum()
    assert np.allclose(wins, 1)
    assert set(run.games["ended_by"]) <= set(ENGINE.endings)


def test_rows_are_narrow():
    rows = ENGINE.rows(RULES, 4, 1)
    assert sum(array.nbytes for array in rows.values()) <= 450


@pytest.mark.parametrize("players", [2, 5])
def test_traces_tell_the_totals(players):
    for game in range(3):
        text = trace(RULES, players=players, policies="greedy", seed=1, game=game)
        run = simulate(RULES, players=players, policies="greedy", games=game + 1, seed=1, progress=False)
        for player in run.players[run.players["game"] == game].itertuples():
            assert f"  {player.rank}. seat {player.seat} (greedy): {player.total} points, " in text
        assert text.count("  Turn ") == 3 * RULES.hand_size(players)


@pytest.mark.parametrize("name", ["sushi_go", "sushi_go/pudding_every_round"])
def test_the_sums_in_traces_are_true(name):
    """Points by kind add up to those of the round, rounds to the total, and both are those of the simulation."""
    policies = ["random", "greedy", "denier", "pudding_lover"]
    run = simulate(name, policies=policies, games=20, seed=6, progress=False)
    for game in range(20):
        totals = [0] * 4
        tables = trace(name, policies=policies, seed=6, game=game).split("\n  Points ")[1:]
        assert len(tables) == 3
        for number, table in enumerate(tables, 1):
            for seat, line in enumerate(table.splitlines()[1:5]):
                *points, total, so_far, icons, puddings = map(int, line.rpartition(")")[2].split())
                totals[seat] += total
                assert sum(points) == total and so_far == totals[seat]
                rows = run.rounds[(run.rounds["game"] == game) & (run.rounds["round"] == number)]
                (row,) = rows[rows["seat"] == seat].itertuples()
                assert ([getattr(row, kind) for kind in KINDS_OF_POINTS], row.total) == (points, total)
                assert (row.maki_icons, row.puddings) == (icons, puddings)


def test_traces_tell_every_ending():
    rows = simulate(RULES, players=2, games=2000, seed=1, progress=False).rows["games"]
    words = {"points": " wins with ", "puddings": " by puddings: ", "shared": " share the win: "}
    for code, ending in enumerate(ENGINE.endings):
        game = int(np.flatnonzero(rows["ended_by"] == code)[0])
        assert words[ending] in trace(RULES, players=2, seed=1, game=game).splitlines()[-1]


def test_golden_trace():
    """One whole game, read by hand: chopsticks, wasabi, and a tie that puddings decide."""
    text = trace(RULES, policies=["random", "greedy", "denier", "pudding_lover"], seed=1, game=28)
    assert text == GOLDEN.read_text(encoding="utf-8")


def test_every_policy_finishes_games_of_any_size():
    for size, players in ((1, 2), (2, 5), (20, 2)):
        rules = RULES.vary({f"deal.{players}": size, "rounds": 2})
        run = simulate(rules, players=players, policies=(list(POLICIES) * 2)[:players], games=50, progress=False)
        assert run.rows["picks"].shape == (50, 2, size, players)


def test_digests_differ_between_seeds():
    """The digest above looks at the rows: another number of games, another digest."""
    assert digest(8) != digest(9)
    assert len(digest(8)) == len(hashlib.sha256().hexdigest())
