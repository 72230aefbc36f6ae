"""Where the differences between players come from: known variances, the same deals, shares that add up."""

from dataclasses import replace

import numpy as np
import pytest

from sushibalance import Policy, load_rules, simulate, trace
from sushibalance.analysis.luck import GROUPS, SOURCES, Design, _with_other_choices, luck
from sushibalance.errors import UserError
from sushibalance.games.registry import GAMES
from sushibalance.games.sushi_go.policies import decision
from sushibalance.simulation.request import Request

SEATS = 4
CYCLE = np.array([[(seat - turn) % SEATS for seat in range(SEATS)] for turn in range(SEATS)])


def outcomes(rng, deals, deal=1.0, seat=0.0, policies=0.0, interplay=0.0, choices=0.0, policy=CYCLE):
    """Return outcomes (deals, rotations, streams, seats) with known variances of each source."""
    turns, seats = policy.shape
    unit = np.array([-1.0, 1.0] * (seats // 2))
    kinds = policy.max() + 1
    level = np.array([-1.0, 1.0] * kinds)[:kinds] if kinds > 1 else np.zeros(1)
    found = np.zeros((deals, turns, 2, seats))
    found += rng.normal(0, np.sqrt(deal), (deals, 1, 1, seats))
    found += np.sqrt(seat) * unit + np.sqrt(policies) * level[policy][None, :, None, :]
    # What the deal does to a policy alone: different at each rotation, without a mean over them.
    own = rng.normal(size=(deals, turns, 1, seats))
    own -= own.mean(axis=1, keepdims=True)
    found += np.sqrt(interplay * turns / max(turns - 1, 1)) * own
    return found + rng.normal(0, np.sqrt(choices), found.shape)


def shares(rng, deals, policy=CYCLE, **variances):
    design = Design(policy)
    return design.shares(design.sums(outcomes(rng, deals, policy=policy, **variances), np.arange(deals)), 0.95)


def test_known_variances_are_found():
    rng = np.random.default_rng(1)
    known = {"deal": 2.0, "seat": 0.5, "policies": 1.0, "interplay": 0.75, "choices": 0.75}
    design = Design(CYCLE)
    sums = design.sums(outcomes(rng, 20_000, **known), np.arange(20_000))
    assert design.components(sums) == pytest.approx([known[source] for source in SOURCES], abs=0.06)
    estimate, low, high = shares(rng, 20_000, **known)
    assert estimate == pytest.approx(np.array([known[source] for source in SOURCES]) / 5, abs=0.01)
    assert estimate.sum() == pytest.approx(1) and (low < estimate).all() and (estimate < high).all()


def test_components_are_those_of_a_slow_count():
    """Against the definitions, with the variance of choices taken out by the two streams."""
    values = outcomes(np.random.default_rng(2), 40, seat=0.3, policies=0.4, interplay=0.5, choices=0.6)
    total = (values**2).mean() - values.mean() ** 2
    of_seat = values.mean(axis=(0, 1, 2)).var()
    of_policy = np.array([values.transpose(0, 2, 1, 3)[:, :, kind == CYCLE].mean() for kind in range(SEATS)]).var()
    choices = np.mean([(values[d, r, 0, i] - values[d, r, 1, i]) ** 2 / 2
                       for d in range(40) for r in range(SEATS) for i in range(SEATS)])  # fmt: skip
    dealt = np.mean([values[d, :, 0, i].mean() * values[d, :, 1, i].mean() for d in range(40) for i in range(SEATS)])
    of_deal = dealt - (values.mean(axis=(0, 1, 2)) ** 2).mean()
    design = Design(CYCLE)
    found = dict(zip(SOURCES, design.components(design.sums(values, np.arange(40))), strict=True))
    assert found["deal"] == pytest.approx(of_deal) and found["seat"] == pytest.approx(of_seat)
    assert found["policies"] == pytest.approx(of_policy) and found["choices"] == pytest.approx(choices)
    assert sum(found.values()) == pytest.approx(total)


@pytest.mark.parametrize(
    "known",
    [
        {"deal": 1.0, "choices": 1.0},
        {"deal": 0.2, "seat": 0.05, "policies": 0.5, "interplay": 0.25, "choices": 1.0},
        {"deal": 3.0, "interplay": 1.0},
    ],
    ids=["two", "five", "no lots"],
)
def test_intervals_cover(known):
    """Over 300 repeats of 200 deals; shares of nothing are covered more often than asked for."""
    rng = np.random.default_rng(3)
    truth = np.array([known.get(source, 0.0) for source in SOURCES])
    truth = truth / truth.sum()
    held = np.zeros(len(SOURCES))
    for _ in range(300):
        _, low, high = shares(rng, 200, **known)
        held += (low <= truth + 1e-12) & (truth - 1e-12 <= high)
    rate = held / 300
    assert (rate[truth > 0] > 0.95 - 0.04).all() and (rate[truth > 0] <= 0.99).all()
    assert (rate[truth == 0] > 0.93).all()


def test_tables_of_one_policy_have_no_share_of_policies_or_interplay():
    estimate, low, high = shares(np.random.default_rng(4), 500, policy=np.zeros((1, SEATS), int), choices=1.0)
    assert [estimate[2], estimate[3], low[2], high[2]] == pytest.approx([0] * 4, abs=1e-9)
    assert low[0] < 0.5 < high[0]


@pytest.mark.parametrize("game", GAMES)
def test_other_choices_leave_the_deal_as_it_is(game):
    """The logs tell the same starters, decks and first hands; what players do differs."""
    seats = 3
    request = Request.of(game, seats, "random", 5)
    again = _with_other_choices(request)
    one, other = (
        trace(game, players=seats, policies=list(policies), seed=5, game=9).splitlines()
        for policies in (request.policies, [replace(policy, name="other") for policy in again.policies])
    )
    assert one != other
    choice = next(place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    dealt = {"sushi_go": "takes", "nightmares": "aside", "otter": "reveals"}[game]
    before = "\n".join(one[:choice])
    assert choice > 1 and before.count(dealt) < seats, one[: choice + 1]


@pytest.mark.parametrize("game", ["nightmares", "sushi_go"])
def test_other_choices_are_as_good_as_the_first(game):
    """The same policy, the same distribution, independent of the first given the deal."""
    request = Request.of(game, 2, "random", 5)
    again = _with_other_choices(request)
    runs = [simulate(game, players=2, policies=list(seats), games=4_000, seed=5, progress=False)
            for seats in (request.policies, [replace(policy, name="other") for policy in again.policies])]  # fmt: skip
    one, other = (run.rows["players"]["total"].astype(float) for run in runs)
    assert abs(one.mean() - other.mean()) < 4 * one.std() / np.sqrt(4_000)
    assert other.std() == pytest.approx(one.std(), rel=0.05)
    assert abs(np.corrcoef(one[:, 0], other[:, 0])[0, 1]) < 0.5


def test_players_who_draw_no_lots_leave_nothing_to_choices():
    found = luck("sushi_go", policies="greedy", games=200, progress=False).set_index("source")
    assert found["estimate"]["choices"] == 0 and found["high"]["choices"] < 1e-9
    assert found["estimate"][["deal", "seat"]].sum() == pytest.approx(1)


def test_it_does_not_depend_on_who_plays_or_on_parts():
    asked = {"policies": ["greedy", "random"], "players": 2, "games": 2_500, "progress": False}
    one = luck("nightmares", workers=1, **asked)
    assert luck("nightmares", workers=2, **asked).equals(one)
    assert list(one["source"]) == list(SOURCES) and one["estimate"].sum() == pytest.approx(1)
    assert set(one["n"]) == {2_500 * 2 * 2 * 2} and set(one["games"]) == {2_500}


def test_who_plays_matters_where_one_knows_the_game():
    found = luck("sushi_go", policies=["greedy", "random", "random", "random"], games=300, progress=False)
    found = found.set_index("source")
    assert found["low"]["policies"] > 0.5 and found["estimate"]["seat"] < 0.02
    points = luck("sushi_go", policies=["greedy", "random"], players=2, of="points", games=300, progress=False)
    assert points["variance"].sum() > 20


def test_parameters_of_a_policy_and_of_ones_own_are_kept():
    rules = load_rules("otter")
    request = Request.of(rules, 2, ["greedy(vp_weight=1)", "greedy(vp_weight=9)"], 0)
    again = _with_other_choices(request)
    for one, other in zip(request.policies, again.policies, strict=True):
        vector = one.params(rules)
        assert (other.params(rules)[: len(vector)] == vector).all() and isinstance(other, Policy)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"of": "wins"}, 'of: found "wins", allowed win_points or points'),
        ({"games": 5}, "games: found 5"),
        ({"policies": "greed"}, "did you mean greedy"),
        ({"level": 0}, "level"),
    ],
)
def test_mistakes_are_told(arguments, message):
    with pytest.raises(UserError, match=message):
        luck("nightmares", **{"games": 50, "progress": False, **arguments})


def test_groups_are_many_enough():
    assert GROUPS >= 50


def test_a_policy_that_cannot_be_compiled_is_told():
    @decision
    def broken(rules, table, own, seat, params, rng, choice):
        choice[0] = own.nothing

    with pytest.raises(UserError, match='policy "broken": choose: broken cannot be compiled: found the field nothing'):
        luck("sushi_go", policies=Policy("broken", {"choose": broken}), games=20, progress=False)
