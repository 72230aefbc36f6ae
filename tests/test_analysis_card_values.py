"""What a card is worth: against pairs of games set against each other by hand, and planted values."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from sushibalance import load_rules, simulate
from sushibalance.analysis import card_outcomes, card_values
from sushibalance.analysis.forced.cards import PICK, cards_of, pairs
from sushibalance.analysis.forced.effects import compared
from sushibalance.errors import UserError
from sushibalance.games.intervention import Intervention
from sushibalance.simulation.request import Request
from sushibalance.stats import student, verdicts

RULES = load_rules("otter")
QUIET = {"progress": False, "workers": 2}
MIXED = ["greedy", "random", "random", "random"]


def values(rules=RULES, **options):
    return card_values.card_values(rules, **{**QUIET, "ordinary": 0, **options})


def some(frame, **keys):
    """Return the rows of some keys, by default of all rounds and policies and of VP."""
    for key, value in {"round": "all", "policy": "all", "outcome": "vp", **keys}.items():
        frame = frame[frame[key] == value]
    return frame


def by_hand(request, kind, key, first, games):
    """Return the seat, the round, and what VP and win points differ, of each pair of games."""
    arms = []
    for given in (False, True):
        one = replace(request, intervention=Intervention(kind, key, given))
        rows = one.new_rows(games)
        assert not one.play(first, rows).any()
        arms.append(rows["players"])
    seats, rounds = request.engine.interventions.places(request.rules, 4, request.seed, first, games)
    at = np.arange(games), seats
    nothing, given = arms
    vp = given["total"][at].astype(float) - nothing["total"][at]
    return seats, rounds, vp, 4.0 * given["won"][at] - 4.0 * nothing["won"][at]


@pytest.mark.parametrize(("card", "kind", "key"), [(28, "power_up", "28"), ("learn_even", "key_client", "learn_even")])
def test_equals_pairs_set_against_each_other_by_hand(card, kind, key, monkeypatch):
    """Counted in parts, by round and by policy."""
    monkeypatch.setattr("sushibalance.analysis.forced.cards.PART", 150)
    table = ["greedy", "greedy", "random", "tank"]
    found = values(cards=[card], games=400, policies=table, seed=4)
    seats, rounds, vp, points = by_hand(Request.of(RULES, 4, table, 4), kind, key, 0, 400)
    players = np.array(table)[seats]
    assert len(found) == 2 * 4 * 8
    for row in found.itertuples():
        at = np.ones(400, bool) if row.round == "all" else rounds == int(row.round)
        at &= True if row.policy == "all" else players == row.policy
        difference = (vp if row.outcome == "vp" else points)[at]
        assert row.n == row.games == at.sum()
        assert row.estimate == pytest.approx(difference.mean(), abs=1e-12)
        assert row.given - row.nothing == pytest.approx(row.estimate, abs=1e-12)
        if row.outcome == "vp":
            low, high = student(difference.mean(), difference.var(ddof=1) / at.sum(), at.sum() - 1, 0.95)
            expected = pytest.approx((float(low), float(high)), abs=1e-9)
            assert (row.low, row.high) == expected or (low == high and row.low < row.estimate < row.high)
        assert row.low <= row.estimate <= row.high


@pytest.fixture(scope="module")
def planted():
    """A card that pays 3 VP in each round after it is taken, whatever is revealed."""
    gold = {"type": "score", "text": "3 VP each round", "score": 0, "vp": 3}
    late = {"type": "score", "text": "1 score in round 1", "score": 1, "rounds": [1]}
    return RULES.vary({"power_ups.70": gold, "power_ups.71": late}, name="planted")


def test_a_planted_value_is_found_exactly(planted):
    """3 VP in each of the 8 - r rounds after round r: 12 on the average, for every player and in every game."""
    found = values(planted, cards=[70], games=400, policies=MIXED, seed=2)
    for number in range(1, 8):
        row = some(found, round=str(number)).iloc[0]
        assert row.estimate == pytest.approx(3 * (8 - number), abs=1e-9) and row.low < row.estimate < row.high
    whole = some(found).iloc[0]
    assert whole.low < 12 < whole.high and whole.high - whole.low < 1.5


def test_the_association_of_a_planted_card_is_not_its_value(planted):
    """The good player takes it when it can: so it goes with far more VP than it brings."""
    found = values(planted, cards=[70], games=400, policies=MIXED, seed=2, ordinary=3_000)
    row = some(found).iloc[0]
    assert row.association_low > 12 + 5 and row.association_low > row.over_pick_high and row.gap_low > 3
    good = some(found, policy="greedy").iloc[0]
    assert good.association_low < good.association < row.association


def test_a_card_that_does_nothing_is_worth_nothing(planted):
    found = values(planted, cards=[71], games=300, seed=2)
    for row in some(found).itertuples():
        assert row.low < row.estimate == 0 < row.high < 0.5
        assert row.nothing == row.given
    for row in some(found, outcome="win_points").itertuples():
        assert row.estimate == 0


def test_picks_by_lot_leave_no_gap(planted):
    """Who gets which card is then an accident, and VP that nobody loses change nothing for others: no gap but chance.

    Cards that win rounds also take VP from the others at the table, so there a small gap remains.
    """
    found = some(values(planted, policies="random", games=2_000, ordinary=40_000, seed=5, cards=[70, 1, 9, 28]))
    assert found["over_pick"].to_numpy() == pytest.approx(found["estimate"] - found["pick"])
    assert len(set(found["pick"])) == 1
    row = found.iloc[0]
    assert row.over_pick_low > 9 and row.over_pick_high < 12
    assert row.gap_low < 0 < row.gap_high < 0.4
    assert (found["gap"].abs() < 1).all()
    greedy = some(values(games=400, ordinary=10_000, seed=5, cards=[1, 28, 60]))
    assert (greedy["gap"].abs() > 1).all()


def test_the_association_is_that_of_the_ordinary_run():
    found = values(cards=[28, 60, "learn_odd"], games=300, ordinary=400, seed=6, policies=MIXED)
    run = simulate(RULES, policies=MIXED, games=400, seed=6, progress=False)
    for outcome in ("vp", "win_points"):
        by_number = card_outcomes.power_ups(run.picks, run.players, outcome=outcome)
        expected = by_number[by_number["power_up"] == 28].iloc[0]
        row = some(found, outcome=outcome).iloc[0]
        assert (row.association, row.holders) == (expected.estimate, expected.n)
        clients = card_outcomes.key_clients(run.picks, run.players, "policy", outcome=outcome, rounds=True)
        for other in clients[clients["key_client"] == "learn_odd"].itertuples():
            row = some(found, outcome=outcome, policy=other.policy, round=str(other.round), card="learn_odd").iloc[0]
            assert (row.association, row.association_high) == pytest.approx((other.estimate, other.high), nan_ok=True)
            assert row.holders == other.n
    bringers = run.picks["power_up"].between(52, 63)
    holders = len(run.picks[bringers].drop_duplicates(["game", "seat"]))
    row = some(found, type="key_client").iloc[0]
    assert row.holders == holders


def test_the_pick_of_ones_own():
    """The ordinary game against one in which the pick brings nothing."""
    request = Request.of(RULES, 4, "greedy", 3)
    frame = pairs(request, [PICK], 300, **QUIET, executor=None)["vp"].frame()
    nothing = replace(request, intervention=Intervention("pick", "own", False))
    rows, without = request.new_rows(300), request.new_rows(300)
    assert not request.play(0, rows).any() and not nothing.play(0, without).any()
    seats, _ = request.engine.interventions.places(RULES, 4, 3, 0, 300)
    at = np.arange(300), seats
    expected = rows["players"]["total"][at].mean() - without["players"]["total"][at].mean()
    assert frame[frame["round"] == "all"]["estimate"].iloc[0] == pytest.approx(expected)


def test_games_are_planned_until_the_intervals_are_narrow():
    found = some(values(cards=[28, 1], games=100, half_width=0.8, seed=7))
    half = (found["high"] - found["low"]) / 2
    assert (half <= 0.8).all() and (half > 0.5).all()
    assert (found["games"] > 100).all() and found["games"].nunique() == 2


@pytest.mark.slow
def test_planned_intervals_cover(monkeypatch):
    """How many pairs are played depends on those before; 95% intervals must cover all the same (skew, many zeros)."""
    rng = np.random.default_rng(3)

    def drawn(arms, plans, question, **how):
        total = 0
        for plan in plans:
            change = np.where(rng.random(plan.games) < 0.6, 0, 5 + rng.geometric(0.1, plan.games))
            keys = {"card": "28", "type": "change", "policy": "all", "round": "all"}
            base = pd.DataFrame({"game": plan.first + np.arange(plan.games), "vp": 20, "win": 0.0, "fair": 0.25})
            base = base.assign(**{key: pd.Categorical([value] * plan.games) for key, value in keys.items()})
            total += compared(base, base.assign(vp=20 + change), list(keys), ["vp"])
        return total

    monkeypatch.setattr("sushibalance.analysis.forced.cards.played", drawn)
    request, card = Request.of(RULES, 4, "random", 1), replace(cards_of(RULES)["28"], name="28")
    covered = []
    for _ in range(600):
        row = pairs(request, [card], 100, half_width=0.8, executor=None, **QUIET)["vp"].frame().iloc[0]
        assert (row.high - row.low) / 2 <= 0.8 and row.games > 150
        covered.append(row.low <= 6 <= row.high)
    assert 0.93 <= np.mean(covered) <= 0.97


def test_the_same_whoever_plays():
    asked = {"cards": [28, 39], "games": 60, "seed": 8, "half_width": 1.5, "ordinary": 50}
    one = values(workers=1, **asked)
    with ThreadPoolExecutor(2) as pool:
        assert values(executor=pool, **asked).equals(one)
    assert values(workers=2, **asked).equals(one)


def test_tallies_take_verdicts():
    found = verdicts(card_values.effects(cards=[28, 1], games=200, **QUIET)["vp"], (0.5, 10))
    assert set(found[found["round"] == "all"]["verdict"]) == {"inside"}


def test_cards_that_are_alike_are_one():
    cards = cards_of(RULES)
    assert len(cards) == 64 + 14
    assert cards["52"] is not cards["64"] and cards["52"] == cards["63"]
    assert (cards["60"].name, cards["60"].key) == ("52 to 63: Take a Key Client card", "52")
    assert cards["learn_odd"].type == "client"
    found = values(cards=[52, 60, "63"], games=20)
    assert len(set(found["card"])) == 1


@pytest.mark.parametrize(
    ("rules", "players"), [("otter", 2), ("otter", 5), ("otter/starting_power_ups", 3), ("otter/no_catch_up", 4)]
)
def test_every_table(rules, players):
    found = values(rules, players=players, policies="random", cards=[37, 60, "learn_low"], games=30, ordinary=200)
    whole = some(found)
    assert whole["games"].tolist() == [30] * 3
    assert whole[["estimate", "low", "high", "over_pick", "association", "gap"]].notna().all(axis=None)


def test_a_deck_that_would_run_out_is_told():
    few = RULES.vary({f"power_ups.{number}": None for number in list(RULES.power_ups)[:28]})
    with pytest.raises(UserError, match=r"power-up 64: found 35 power-ups without the one that is kept out"):
        values(few, players=5, cards=[64], policies="random")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"cards": [99]}, "cards: found 99; did you mean 9"),
        ({"cards": []}, "cards: found none, allowed one or more"),
        ({"cards": ["learn_evn"]}, "did you mean learn_even"),
        ({"half_width": 0}, "half_width: found 0, allowed a number above 0"),
        ({"games": 1}, "games: found 1, allowed a whole number from 2"),
        ({"ordinary": -1}, "ordinary: found -1"),
        ({"rules": "nightmares"}, "card_values: found Nightmares of Sushi, allowed Sushi Otter"),
    ],
)
def test_what_cannot_be_asked_is_told(asked, words):
    with pytest.raises(UserError, match=words):
        values(**asked)
