"""Paired differences: exact sums, additive over parts, and intervals that cover what they say."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from sushibalance.errors import UserError
from sushibalance.stats import lifts, means, quantiles, rates, shares, wilson
from sushibalance.stats.pairs import paired

REPEATS = 1_000


def coverage(frame, truth):
    return float(((frame["low"] <= truth) & (truth <= frame["high"])).mean())


def identical(found, expected):
    pd.testing.assert_frame_equal(found, expected, check_exact=True)


def two_runs(games=40, seed=0):
    """Return two runs over the same games, of rows that come and go, with a shared part."""
    rng = np.random.default_rng(seed)
    runs = []
    shared = rng.normal(0, 3, games)
    for step in (0, 1):
        game = np.repeat(np.arange(games), rng.integers(1, 5, games))
        n = len(game)
        vp = np.rint(20 + step + shared[game] + rng.normal(0, 1, n)).astype(int)
        hand = pd.Categorical(rng.choice(["pair", "flush"], n), ["pair", "flush", "none"])
        chance = 1 / rng.integers(2, 6, n)
        taken = rng.random(n) < chance
        frame = {"game": game, "seat": rng.integers(0, 3 + step, n), "vp": vp, "hand": hand}
        runs.append(pd.DataFrame(frame | {"chance": chance, "taken": taken}))
    return runs


ASKED = {
    "means": lambda frame: means.observe(frame, "seat", "vp"),
    "rates": lambda frame: rates.observe(frame, "seat", "taken"),
    "lifts": lambda frame: lifts.observe(frame, "seat", "taken", "chance"),
    "shares": lambda frame: shares.observe(frame, "seat", "hand"),
}


@pytest.mark.parametrize("name", ASKED)
def test_both_sides_are_the_estimates_of_each_run(name):
    base, variant = two_runs(60)
    found = paired(ASKED[name](base), ASKED[name](variant)).frame()
    keys = [key for key in ("seat", "hand") if key in found.columns]
    for side, frame in (("base", base), ("variant", variant)):
        alone = ASKED[name](frame).tally().frame()
        both = found.merge(alone, on=keys, how="left", suffixes=("", "_alone"))
        assert both[side].to_numpy() == pytest.approx(both["estimate_alone"].to_numpy(), nan_ok=True)
    assert (found["estimate"].dropna() == (found["variant"] - found["base"]).dropna()).all()
    assert found.loc[found["seat"] == 3, "base"].isna().all() and found["variant"].notna().all()


def test_the_mean_difference_is_the_textbook_paired_t_test():
    rng = np.random.default_rng(1)
    before = rng.integers(10, 40, 80)
    after = before + rng.integers(-3, 6, 80)
    base, variant = (pd.DataFrame({"game": range(80), "vp": vp}) for vp in (before, after))
    row = paired(means.observe(base, [], "vp"), means.observe(variant, [], "vp")).frame(0.9).iloc[0]
    expected = scipy_stats.ttest_rel(after, before).confidence_interval(0.9)
    assert [row.low, row.high] == pytest.approx([expected.low, expected.high])
    apart = np.var(before, ddof=1) + np.var(after, ddof=1)
    assert row.reduction == pytest.approx(apart / np.var(after - before, ddof=1))
    assert (row.n, row.games) == (160, 80)


def slow_difference(base, variant, top, bottom):
    """Return the difference of two ratios and its variance, game by game."""
    games = sorted({*base["game"], *variant["game"]})
    ratios = [frame[top].sum() / frame[bottom].sum() for frame in (base, variant)]
    moved = []
    for game in games:
        parts = [
            (part[top].sum() - ratio * part[bottom].sum()) / frame[bottom].sum()
            for frame, ratio in zip((base, variant), ratios, strict=True)
            for part in [frame[frame["game"] == game]]
        ]
        moved.append(parts[1] - parts[0])
    return ratios[1] - ratios[0], np.sum(np.square(moved)) * len(games) / (len(games) - 1)


def test_the_spread_is_that_of_a_slow_count():
    base, variant = (frame.assign(_one=1) for frame in two_runs(50, 3))
    row = paired(means.observe(base, [], "vp"), means.observe(variant, [], "vp")).frame().iloc[0]
    change, variance = slow_difference(base, variant, "vp", "_one")
    half = scipy_stats.t.ppf(0.975, 49) * np.sqrt(variance)
    assert [row.estimate, row.high - row.estimate] == pytest.approx([change, half])


@given(
    seed=st.integers(0, 2**32 - 1), name=st.sampled_from(sorted(ASKED)), cuts=st.sets(st.integers(1, 39), max_size=5)
)
def test_parts_of_the_games_add_up(seed, name, cuts):
    base, variant = two_runs(seed=seed)
    edges, parts = [0, *sorted(cuts), 40], []
    for low, high in pairwise(edges):
        sides = [frame[(frame["game"] >= low) & (frame["game"] < high)] for frame in (base, variant)]
        parts.append(paired(*map(ASKED[name], sides)))
    identical(sum(parts[::-1]).frame(), paired(ASKED[name](base), ASKED[name](variant)).frame())


def test_the_same_run_twice_differs_by_nothing():
    base, _ = two_runs(200)
    for ask in ASKED.values():
        found = paired(ask(base), ask(base)).frame()
        assert (found["estimate"] == 0).all() and (found["low"] <= 0).all() and (found["high"] >= 0).all()
        assert (found["reduction"] == np.inf).sum() >= 3


def test_pairs_that_differ_by_nothing_leave_room_for_others():
    """Whoever wins, one of four does: where that is no rule, a game without a winner may be too rare to be seen."""
    rng = np.random.default_rng(1)
    runs = []
    for _ in range(2):
        win = (np.arange(4) == rng.integers(0, 4, (50, 1))).reshape(-1)
        runs.append(pd.DataFrame({"game": np.repeat(range(50), 4), "win": win, "chance": 0.25}))
    for ask in (
        lambda frame: rates.observe(frame, [], "win"), lambda frame: lifts.observe(frame, [], "win", "chance")
    ):  # fmt: skip
        row = paired(*map(ask, runs)).frame().iloc[0]
        assert row.low < 0 == row.estimate < row.high


def test_means_of_pairs_that_differ_by_nothing_leave_room_for_games_that_have_nothing_in_common():
    rng, games = np.random.default_rng(1), 50
    frame = pd.DataFrame({"game": range(games), "vp": rng.normal(0, 3, games).round(2)})
    row = paired(*[means.observe(frame, [], "vp")] * 2).frame().iloc[0]
    reach = float(wilson(0, games)[1]) * np.sqrt(2) * frame["vp"].std()
    assert (row.estimate, row.low, row.high) == pytest.approx((0, -reach, reach))
    still = paired(*[means.observe(frame.assign(vp=0), [], "vp")] * 2).frame().iloc[0]
    assert (still.low, still.high) == (0, 0)


def test_seats_rotated_make_one_pair_a_game():
    """The same game from each seat: all rows of a game count as one, so the seats' luck cancels."""
    rng = np.random.default_rng(5)
    luck = rng.normal(0, 5, (300, 2))
    sides = []
    for gain in (0.0, 0.5):
        rows = [
            pd.DataFrame({"game": range(300), "vp": np.rint(luck[:, seat] * (1 if seat else -1) + gain * 10)})
            for seat in (0, 1)
        ]
        sides.append([means.observe(frame, [], "vp") for frame in rows])
    row = paired(*sides).frame().iloc[0]
    assert row.games == 300 and row.n == 1_200 and row.low <= 5.0 <= row.high and row.reduction > 10


def test_what_cannot_be_paired_is_told():
    base, _ = two_runs()
    with pytest.raises(UserError, match="paired: found different questions on the two sides"):
        paired(means.observe(base, [], "vp"), means.observe(base, "seat", "vp"))
    with pytest.raises(UserError, match="paired: found Ranks, allowed means"):
        paired(quantiles.observe(base, [], "vp"), means.observe(base, [], "vp"))


def test_quantiles_are_compared_as_if_the_runs_were_independent():
    base, variant = two_runs(400)
    tallies = [
        paired(*(quantiles.observe(frame[frame["game"] % 2 == part], "seat", "vp", [0.5]) for frame in (base, variant)))
        for part in (0, 1)
    ]
    found = sum(tallies).frame()
    medians = [quantiles(frame, "seat", "vp", [0.5]).set_index("seat") for frame in (base, variant)]
    by_seat = found.set_index("seat")
    assert (by_seat["base"].dropna() == medians[0]["estimate"]).all() and np.isnan(by_seat.loc[3, "base"])
    for seat in (0, 1, 2):
        widths = [frame.loc[seat, "high"] - frame.loc[seat, "low"] for frame in medians]
        row = by_seat.loc[seat]
        assert row.low <= 1.0 <= row.high and row.high - row.low >= max(widths)


# -- coverage ------------------------------------------------------------------------------------------


def yes_or_no(games, rate, worse, better, seed=0):
    """Return pairs of games that are won or not, and the true difference: ``worse`` and ``better`` of what changes."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"repeat": np.repeat(range(REPEATS), games), "game": range(REPEATS * games)})
    won = rng.random(len(frame)) < rate
    then = np.where(won, rng.random(len(frame)) >= worse, rng.random(len(frame)) < better)
    truth = (1 - rate) * better - rate * worse
    return [rates.observe(frame.assign(win=part), "repeat", "win") for part in (won, then)], truth


@pytest.mark.parametrize(
    ("games", "rate", "worse", "better"),
    [(50, 0.5, 0.5, 0.5), (50, 0.25, 0.6, 0.3), (200, 0.25, 0.2, 0.1), (2_000, 0.02, 0.2, 0.02)],
)
def test_coverage_of_a_difference_of_rates(games, rate, worse, better):
    sides, truth = yes_or_no(games, rate, worse, better)
    assert coverage(paired(*sides).frame(), truth) == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize(
    ("games", "rate", "worse", "better"),
    [
        (50, 0.02, 0.02, 0.02),
        (50, 0.5, 0.02, 0.0),
        (50, 0.04, 0.5, 0.0),
        (200, 0.5, 0.02, 0.0),
        (200, 0.005, 0.3, 0.01),
        (1_000, 0.02, 0.02, 0.02),
    ],
)
def test_a_rare_change_is_covered_too(games, rate, worse, better):
    """Where next to nothing changes, no interval can cover just so often; it must not cover less."""
    sides, truth = yes_or_no(games, rate, worse, better)
    assert coverage(paired(*sides).frame(), truth) >= 0.93


@pytest.mark.parametrize(("games", "rate"), [(200, 0.3), (400, 0.02)])
def test_coverage_of_a_difference_of_rates_inside_games(games, rate):
    """Eight reveals a game, of which some change their hand; more often in some games than in others."""
    rng = np.random.default_rng(7)
    frame = pd.DataFrame({"repeat": np.repeat(range(REPEATS), games * 8), "game": np.repeat(range(REPEATS * games), 8)})
    own = np.repeat(rng.beta(2 * rate, 2 * (1 - rate), REPEATS * games), 8)
    first = rng.random(len(frame)) < own
    moved = rng.random(len(frame)) < np.repeat(rng.beta(0.5, 2.0, REPEATS * games), 8)
    then = np.where(moved, rng.random(len(frame)) < 0.1, first)
    truth = 0.2 * (0.1 - rate)
    sides = [rates.observe(frame.assign(hand=part), "repeat", "hand") for part in (first, then)]
    found = paired(*sides).frame()
    assert coverage(found, truth) == pytest.approx(0.95, abs=0.02)
    assert found["reduction"].median() > 1.5


def test_coverage_of_a_difference_of_lifts():
    """Other turns in each run: how often a card is met changes with the rules."""
    rng, games, sides = np.random.default_rng(8), 150, []
    skill = rng.uniform(0.5, 1.5, REPEATS * games)
    for lift in (1.0, 1.4):
        game = np.repeat(np.arange(REPEATS * games), rng.integers(1, 5, REPEATS * games))
        chance = 1 / rng.integers(4, 7, len(game))
        taken = rng.random(len(game)) < chance * lift * skill[game]
        frame = pd.DataFrame({"repeat": game // games, "game": game, "chance": chance, "taken": taken})
        sides.append(lifts.observe(frame, "repeat", "taken", "chance"))
    assert coverage(paired(*sides).frame(), 0.4) == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize("games", [50, 200])
def test_coverage_of_a_difference_of_means(games):
    rng = np.random.default_rng(9)
    frame = pd.DataFrame({"repeat": np.repeat(range(REPEATS), games), "game": range(REPEATS * games)})
    luck = rng.gamma(4, 5, len(frame))
    sides = [
        means.observe(frame.assign(vp=np.rint(luck + rng.normal(step, 2, len(frame)))), "repeat", "vp")
        for step in (0, 1)
    ]
    found = paired(*sides).frame()
    assert coverage(found, 1.0) == pytest.approx(0.95, abs=0.02)
    assert found["reduction"].median() > 10


@pytest.mark.parametrize("name", ASKED)
def test_a_tally_that_was_asked_before_answers_like_a_new_one(name):
    """What is the same at every level is found once; no answer may show it."""
    sides = [ASKED[name](run) for run in two_runs(seed=8)]
    asked = paired(*sides)
    for level in (0.9, 0.95, 0.99):
        identical(asked.frame(level), paired(*sides).frame(level))
        identical(asked.base.frame(level), paired(*sides).base.frame(level))
    identical((asked + asked).frame(), (paired(*sides) + paired(*sides)).frame())
