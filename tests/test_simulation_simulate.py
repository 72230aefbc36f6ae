"""What `simulate` promises whatever the game: the same rows on any threads, with the compiler or without."""

from __future__ import annotations

import numpy as np
import pytest

from sushibalance import Policy, simulate, trace
from sushibalance.games.registry import GAMES, engine
from sushibalance.simulation import threads


def same(a, b) -> bool:
    return a.rows.keys() == b.rows.keys() and all(a.rows[name].tobytes() == b.rows[name].tobytes() for name in a.rows)


# ------------------------------------------------------------------ the same rows


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("players", [2, 4])
def test_the_rows_do_not_depend_on_workers_or_chunks(game, players, monkeypatch):
    policies = (["greedy", "random"] * players)[:players]
    runs = [
        simulate(game, players=players, policies=policies, games=60, seed=7, workers=workers, progress=False)
        for workers in (1, 2, 4)
    ]
    for seconds in (1e-9, 1e9):
        monkeypatch.setattr(threads, "CHUNK_SECONDS", seconds)
        runs.append(simulate(game, players=players, policies=policies, games=60, seed=7, workers=3, progress=False))
    assert all(same(runs[0], run) for run in runs[1:])
    other = simulate(game, players=players, policies=policies, games=60, seed=8, progress=False)
    assert not same(runs[0], other)


@pytest.mark.parametrize("game", GAMES)
def test_a_game_depends_on_its_index_not_on_how_many_are_played(game):
    short, long = (simulate(game, games=games, seed=3, progress=False) for games in (5, 40))
    for name, rows in short.rows.items():
        assert rows.tobytes() == long.rows[name][:5].tobytes()


@pytest.mark.parametrize("game", GAMES)
def test_trace_tells_the_game_that_simulate_played(game):
    run = simulate(game, games=12, seed=5, progress=False)
    text = trace(game, seed=5, game=11)
    assert text.splitlines()[0] == f"{engine(game).title}, {game}, 4 players, seed 5, game 11"
    assert text == trace(game, seed=5, game=11) != trace(game, seed=5, game=10)
    totals = run.players[run.players["game"] == 11]["total"]
    for total in totals:
        assert str(total) in text


def test_the_same_seed_under_two_variants_deals_the_same_cards():
    runs = [simulate(name, games=50, seed=1, progress=False) for name in ("sushi_go", "sushi_go/pudding_every_round")]
    assert runs[0].rows["picks"].tobytes() == runs[1].rows["picks"].tobytes()
    assert runs[0].rows["players"].tobytes() != runs[1].rows["players"].tobytes()


# ------------------------------------------------------------------ without the compiler


def test_without_the_compiler_the_rows_are_the_same(python):
    code = """
import sys
from hashlib import sha256
from sushibalance import simulate
run = simulate("sushi_go", players=3, policies=["greedy", "random", "denier"], games=12, seed=9, progress=False)
print({name: sha256(rows.tobytes()).hexdigest() for name, rows in run.rows.items()})
"""
    assert python(code, NUMBA_DISABLE_JIT="1") == python(code, NUMBA_DISABLE_JIT="0")


def test_the_frames_say_who_won(monkeypatch):
    run = simulate("sushi_go", games=200, progress=False)
    assert list(run.games.columns) == ["game", "players", "rounds", "ended_by", "winners"]
    assert list(run.players.columns) == ["game", "seat", "policy", "total", "rank", "win"]
    assert np.allclose(run.players.groupby("game")["win"].sum(), 1)
    assert repr(run) == "<Run of 200 games, sushi_go, seed 0: random, random, random, random>"
    with pytest.raises(ValueError, match='Sushi Go! has no frame "offers"; one of: games, players, picks, rounds'):
        run.offers  # noqa: B018


def test_policies_of_one_name_that_play_otherwise_are_told_apart():
    table = ["greedy(vp_weight=3)", "greedy", "greedy(vp_weight=3)"]
    run = simulate("otter", players=3, policies=table, games=2, progress=False)
    assert run.players["policy"].tolist() == table * 2 and "greedy(vp_weight=3), greedy, " in repr(run)
    mine = Policy("mine", {}, {"a": 1.0, "b": 2.0})
    own = [mine, mine.with_parameters(b=3.0), engine("otter").policies["greedy"]]
    assert engine("otter").called(own) == ["mine(b=2)", "mine(b=3)", "greedy"]
    assert engine("otter").called([mine, mine]) == ["mine", "mine"]
