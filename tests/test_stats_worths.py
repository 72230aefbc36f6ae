"""Worths of things that are chosen between: known worths are found again, and intervals hold them."""

import choix
import numpy as np
import pandas as pd
import pytest

from sushibalance.errors import UserError
from sushibalance.stats import worths as module
from sushibalance.stats.worths import BLOCKS, Choices, worths

THINGS = 12


def drafts(log, games, seed, size=5, rounds=3):
    """Return orders in which the things of random sets are chosen, by Plackett and Luce: (game, round, place)."""
    rng = np.random.default_rng(seed)
    sets = rng.random((games, rounds, len(log))).argpartition(size, axis=-1)[..., :size]
    keys = log[sets] + rng.gumbel(size=sets.shape)
    return np.take_along_axis(sets, np.argsort(-keys, axis=-1), -1)


def rows(order):
    """Return a row for each thing that is left at each turn, shuffled."""
    size = order.shape[-1]
    parts = []
    for turn in range(size - 1):
        left = order[..., turn:]
        game, number, place = np.indices(left.shape)
        parts.append(
            pd.DataFrame(
                {
                    "game": game.ravel(),
                    "round": number.ravel(),
                    "turn": turn,
                    "thing": left.ravel(),
                    "chosen": place.ravel() == 0,
                }
            )
        )
    return pd.concat(parts).sample(frac=1, random_state=0).reset_index(drop=True)


def asked(frame, by=()):
    return Choices(frame, list(by), "thing", "chosen", ["game", "round", "turn"])


def wins_of(order, things):
    wins = np.zeros((BLOCKS, things, things), np.int64)
    block = np.arange(len(order))[:, None] % BLOCKS
    for first in range(order.shape[-1] - 1):
        for second in range(first + 1, order.shape[-1]):
            np.add.at(wins, (block, order[..., first], order[..., second]), 1)
    return wins


def test_pairs_are_counted_once_in_their_game():
    """Against a plain loop over turns, with two groups."""
    frame = rows(drafts(np.zeros(6), 150, 1)).assign(half=lambda f: f["game"] // 75)
    tally = asked(frame, ["half"]).tally()
    expected = np.zeros_like(tally.wins)
    for (half, game, *_), turn in frame.groupby(["half", "game", "round", "turn"]):
        (winner,) = turn.loc[turn["chosen"], "thing"]
        for loser in turn.loc[~turn["chosen"], "thing"]:
            expected[half, game % BLOCKS, winner, loser] += 1
    assert (tally.wins == expected).all() and expected.sum() == 150 * 3 * (4 + 3 + 2 + 1)
    found = tally.frame()
    by = frame.groupby(["half", "thing"])
    assert (found["n"].to_numpy() == by.size().to_numpy()).all()
    assert (found["games"].to_numpy() == by["game"].nunique().to_numpy()).all()


def test_two_things_are_a_plain_ratio():
    """Chosen 30 times of 40: worth 3 to 1, so sqrt(3) and 1 / sqrt(3); half a win each way is all that is added."""
    chosen = np.arange(40) % 4 != 0
    frame = pd.DataFrame(
        {
            "game": np.repeat(range(40), 2),
            "thing": ["a", "b"] * 40,
            "chosen": np.column_stack([chosen, ~chosen]).ravel(),
            "round": 0,
            "turn": 0,
        }
    )
    found = asked(frame).tally().frame().set_index("thing")
    assert found["estimate"].tolist() == pytest.approx([3**0.5, 3**-0.5], rel=0.02)
    assert found["estimate"].prod() == pytest.approx(1.0)
    log, variance, _ = worths(np.stack([[[0, won], [1 - won, 0]] for won in chosen.astype(int)]))
    binomial = 40 / 39 / (40 * 0.75 * 0.25)  # of the log odds, clustered by game
    assert 4 * variance[0] == pytest.approx(binomial, rel=0.05) and log.sum() == pytest.approx(0)


def test_the_fit_is_that_of_choix_on_the_pairs():
    order = drafts(np.linspace(-1, 1, THINGS), 400, 2)
    pairs = [(r[i], r[j]) for r in order.reshape(-1, 5) for i in range(4) for j in range(i + 1, 5)]
    expected = choix.opt_pairwise(THINGS, pairs)
    log, _, freedom = worths(wins_of(order, THINGS))
    assert log == pytest.approx(expected - expected.mean(), abs=2e-3) and freedom == BLOCKS - 1


def test_both_ways_to_the_greatest_likelihood_agree():
    won = wins_of(drafts(np.linspace(-2, 2, THINGS), 300, 3), THINGS).sum(axis=0) + 0.5 * (1 - np.eye(THINGS))
    assert module._by_newton(won) == pytest.approx(module._likeliest(won), abs=1e-6)


def test_known_worths_without_bias_and_within_their_intervals():
    log = np.linspace(-1.2, 1.2, THINGS)
    found, inside = [], []
    for seed in range(150):
        got, variance, _ = worths(wins_of(drafts(log, 240, seed), THINGS))
        found.append(got)
        inside.append(abs(got - log) <= 2.001 * np.sqrt(variance))  # Student's t, 59 degrees of freedom
    error = np.array(found) - log
    assert abs(error.mean(axis=0)).max() < 4 * error.std() / 150**0.5
    assert 0.93 < np.mean(inside) < 0.97


def test_the_loss_against_the_whole_likelihood_is_small():
    """Choices out of whole sets (choix) use more than pairs do: not much."""
    log, errors = np.linspace(-1.2, 1.2, THINGS), []
    for seed in range(8):
        order = drafts(log, 200, seed)
        sets = [(r[i], list(r[i + 1 :])) for r in order.reshape(-1, 5) for i in range(4)]
        whole = choix.ilsr_top1(THINGS, sets)
        pairs, *_ = worths(wins_of(order, THINGS))
        errors.append([np.square(whole - whole.mean() - log).mean(), np.square(pairs - log).mean()])
    whole, pairs = np.mean(errors, axis=0)
    assert pairs < 1.25 * whole


def test_games_that_hang_together_widen_the_interval():
    """Each game played twice over: as many choices again, and nothing more known."""
    order = drafts(np.linspace(-1, 1, THINGS), 300, 4)
    once, twice = wins_of(order, THINGS), wins_of(np.concatenate([order, order], axis=1), THINGS)
    assert worths(twice)[1] == pytest.approx(worths(once)[1], rel=0.02)


def test_parts_add_up_whatever_things_they_know():
    frame = rows(drafts(np.linspace(-1, 1, THINGS), 90, 5)).assign(half=lambda f: (f["game"] > 40).astype(np.int8))
    parts = [frame[frame["game"] % 3 == k] for k in range(3)] + [frame.iloc[:0]]
    parts[1] = parts[1][parts[1]["thing"] != 3]  # a part without one of them
    whole = pd.concat(parts)
    expected = asked(whole, ["half"]).tally().frame()
    pd.testing.assert_frame_equal(sum(asked(part, ["half"]).tally() for part in parts).frame(), expected)
    pd.testing.assert_frame_equal(sum(asked(part, ["half"]).tally() for part in parts[::-1]).frame(), expected)
    with pytest.raises(TypeError, match="different questions"):
        asked(whole).tally() + asked(whole, ["half"]).tally()


def test_what_is_always_chosen_first_has_no_interval():
    order = drafts(np.zeros(THINGS), 200, 6)
    first = np.take_along_axis(order, np.argsort(order != 7, axis=-1, kind="stable"), -1)  # 7 before all
    found = asked(rows(first)).tally().frame().set_index("thing")
    assert found["estimate"].idxmax() == 7 and np.isfinite(found["estimate"]).all()
    assert found["low"].isna().tolist() == [thing == 7 for thing in found.index]


def test_a_strict_order_of_many_things_is_found():
    log, variance, _ = worths(wins_of(np.sort(drafts(np.zeros(40), 2_000, 7), axis=-1), 40))
    assert (np.diff(log) < 0).all() and np.isnan(variance).all()


def test_what_cannot_be_asked_is_told(monkeypatch):
    frame = rows(drafts(np.zeros(6), 5, 1))
    with pytest.raises(UserError, match="found no choice"):
        asked(frame.iloc[:0]).tally().frame()
    monkeypatch.setattr(module, "LARGEST", 5)
    with pytest.raises(UserError, match="thing: found 6 different ones, allowed 5"):
        asked(frame).tally()
