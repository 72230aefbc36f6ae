"""The pudding rule misread: recounted by hand, against the engine, and what a misreading cannot change."""

import numpy as np
import pandas as pd
import pytest

from sushibalance import load_rules, simulate
from sushibalance.analysis import misreadings, puddings
from sushibalance.errors import UserError
from sushibalance.simulation.executors import allowed
from sushibalance.stats.intervals import wilson

MIXED = ["greedy", "denier", "pudding_lover", "random"]


def printed(name):
    return load_rules(f"sushi_go/{name}")


@pytest.mark.parametrize("name", misreadings.PUDDINGS)
@pytest.mark.parametrize("players", [2, 4])
def test_the_shipped_variants_are_counted_as_the_engine_counts_them(name, players):
    """Random players do not look at the pudding rule: the same cards, counted by either rule."""
    base, variant = (
        simulate(rules, players=players, policies="random", games=400, seed=6, progress=False)
        for rules in ("sushi_go", printed(name))
    )
    total, others, won = misreadings.recounted(base, variant.rules)
    assert (total == variant.rows["players"]["total"]).all() and (won == (variant.rows["players"]["won"] > 0)).all()
    pudding = variant.rows["rounds"]["pudding"].sum(axis=1)
    assert (others == variant.rows["players"]["total"] - pudding).all()
    same, _, still = misreadings.recounted(base, base.rules)
    assert (same == base.rows["players"]["total"]).all() and (still == (base.rows["players"]["won"] > 0)).all()


def test_the_names_are_those_of_shipped_variants():
    base = load_rules("sushi_go")
    for name, changes in misreadings.PUDDINGS.items():
        assert base.vary(dict(changes), name=name).differences(base) == printed(name).differences(base)


def test_against_the_frames_of_plain_simulations():
    found = misreadings.puddings(policies=MIXED, games=300, seed=3, progress=False).set_index(
        ["rule", "choices", "measure"]
    )
    base = simulate("sushi_go", policies=MIXED, games=300, seed=3, progress=False)
    for name in misreadings.PUDDINGS:
        variant = simulate(printed(name), policies=MIXED, games=300, seed=3, progress=False)
        before, after = (
            run.players.pivot_table(index="game", columns="seat", values="total") for run in (base, variant)
        )
        won, now = (run.players.pivot_table(index="game", columns="seat", values="win") > 0 for run in (base, variant))
        plain, other = (
            run.rounds.assign(rest=run.rounds["total"] - run.rounds["pudding"])
            .pivot_table(index="game", columns="seat", values="rest", aggfunc="sum") for run in (base, variant)
        )  # fmt: skip
        expected = {
            "winners change": (won != now).any(axis=1).mean(),
            "others win": (~(won & now).any(axis=1)).mean(),
            "scores move": (before != after).any(axis=1).mean(),
            "points moved": (after - before).abs().to_numpy().mean(),
            "points gained": (after - before).to_numpy().mean(),
            "more than puddings moves": (plain != other).any(axis=1).mean(),
        }
        rows = found.loc[(name, "as misread")]
        assert rows["estimate"].to_dict() == pytest.approx(expected)
        assert (rows["games"] == 300).all() and (rows["n"] == 300).all()
        low, high = wilson(expected["winners change"] * 300, 300)
        assert rows.loc["winners change", ["low", "high"]].tolist() == pytest.approx([float(low), float(high)])
        as_before = found.loc[(name, "as before")]["estimate"]
        assert as_before["more than puddings moves"] == 0 and as_before["scores move"] >= as_before["winners change"]


def test_random_players_do_not_notice():
    found = misreadings.puddings(players=2, games=200, seed=1, progress=False)
    columns = ["rule", "measure", "estimate", "low", "high"]
    before, misread = (
        found.loc[found["choices"] == choices, columns].reset_index(drop=True) for choices in misreadings.CHOICES
    )
    pd.testing.assert_frame_equal(before, misread)
    told = before.set_index(["rule", "measure"])["estimate"]
    assert told["pudding_penalty_for_two", "points gained"] < -1  # at most 6 of two players
    assert told["pudding_ties_lose_all", "scores move"] == 0  # two who tie score nothing
    assert told["pudding_every_round", "points gained"] > 0


def test_four_players_lose_nothing_to_the_penalty_for_two():
    found = misreadings.puddings(policies="greedy", games=50, progress=False)
    rows = found[found["rule"] == "pudding_penalty_for_two"]
    assert (rows["estimate"] == 0).all() and rows.loc[rows["measure"] == "others win", "high"].min() > 0


def test_the_same_whoever_plays(monkeypatch):
    one = misreadings.puddings(policies=MIXED, games=90, seed=2, workers=1, progress=False)
    monkeypatch.setattr(misreadings.Sides, "parts", staticmethod(lambda games: [(0, 40), (40, games - 40)]))
    two = misreadings.puddings(policies=MIXED, games=90, seed=2, workers=allowed(2), progress=False)
    pd.testing.assert_frame_equal(one, two, check_exact=True)


def test_other_games_are_refused():
    with pytest.raises(UserError, match="rules: found 'otter', allowed rules of Sushi Go!"):
        misreadings.puddings("otter", progress=False)
    with pytest.raises(UserError, match="level: found 2"):
        misreadings.puddings(level=2)


def test_win_points_by_puddings_are_wins_in_fair_shares():
    run = simulate("sushi_go", policies=MIXED, games=400, seed=2, progress=False)
    held = puddings.collected(run.players, run.rounds)
    points, wins = puddings.win_points_by_count(held), puddings.wins_by_count(held)
    assert points["estimate"].to_numpy() == pytest.approx(4 * wins["estimate"].to_numpy())
    assert np.average(points["estimate"], weights=points["n"]) == pytest.approx(1.0)
