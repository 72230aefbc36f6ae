"""The proof of the intervals: over 2,000 repeats each covers the truth as often as it says, within 2 points.

A table of kinds of intervals and situations: few games, many, and rates near 0. A rate of few games can only take
a few values, so that no interval covers a *given* small rate exactly as often as it says: coverage jumps up and down
with the rate, by some points (Brown, Cai and DasGupta, Statistical Science 16, 2001). So near 0 every repeat has a true
rate of its own, and what is held is the coverage over all of them; how far it dips at a given rate is told at the end.
"""

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from sushibalance.stats import lifts, means, paired, quantiles, rates, shares, wilson
from sushibalance.stats.ratios import Ratio

REPEATS = 2_000
LEVEL = 0.95
OFF = 0.02
SEATS = 4
SITUATIONS = {
    "50 games": (50, (0.1, 0.5)),
    "50 games, rates near 0": (50, (0.005, 0.1)),
    "400 games, rates near 0": (400, (0.002, 0.05)),
}


class Drawn:
    """Repeats of an experiment: so many games each, with a true rate of each repeat.

    Attributes
    ----------
    rng : Generator
    games : int
    rate : ndarray of float
        The true rate of each repeat.
    """

    def __init__(self, situation, seed=0):
        self.rng = np.random.default_rng(seed)
        self.games, (low, high) = SITUATIONS[situation]
        self.rate = self.rng.uniform(low, high, REPEATS)

    def frame(self, rows=1):
        """Return the keys: rows of players in each game, the games of each repeat."""
        game = np.repeat(np.arange(REPEATS * self.games), rows)
        return pd.DataFrame({"repeat": game // self.games, "game": game})

    def own(self, frame, alike=4.0):
        """Return a rate of each game around that of its repeat: players of a game are alike."""
        rate = np.repeat(self.rate, self.games)
        return self.rng.beta(alike * rate, alike * (1 - rate))[frame["game"].to_numpy()]


def mean_of_games(drawn):
    frame = drawn.frame()
    frame["vp"] = np.rint(drawn.rng.gamma(4, 5, len(frame)) * 12)
    return means(frame, "repeat", "vp", level=LEVEL), 240.0


def mean_of_players(drawn):
    frame = drawn.frame(SEATS)
    shared = drawn.rng.normal(0, 20, REPEATS * drawn.games)[frame["game"]]
    frame["vp"] = np.rint(100 + shared + drawn.rng.normal(0, 30, len(frame)))
    return means(frame, "repeat", "vp", level=LEVEL), 100.0


def rate_of_games(drawn):
    frame = drawn.frame()
    frame["won"] = drawn.rng.random(len(frame)) < drawn.rate[frame["repeat"]]
    return rates(frame, "repeat", "won", level=LEVEL), drawn.rate


def rate_of_players(drawn):
    frame = drawn.frame(SEATS)
    frame["taken"] = drawn.rng.random(len(frame)) < drawn.own(frame)
    return rates(frame, "repeat", "taken", level=LEVEL), drawn.rate


def share_of_reveals(drawn):
    frame = drawn.frame(SEATS)
    flush = drawn.rng.random(len(frame)) < drawn.own(frame)
    frame["hand"] = pd.Categorical(np.where(flush, "flush", "pair"), ["pair", "flush"])
    found = shares(frame, "repeat", "hand", level=LEVEL)
    return found[found["hand"] == "flush"], drawn.rate


def lift_of_picks(drawn):
    """Taken so many times as often as by chance; among two to five on offer."""
    frame = drawn.frame(3)
    frame["chance"] = 1 / drawn.rng.integers(2, 6, len(frame))
    lift = 2 * drawn.rate
    skill = drawn.rng.gamma(4, 0.25, REPEATS * drawn.games)[frame["game"]]
    likely = frame["chance"] * lift[frame["repeat"]] * skill
    frame["taken"] = drawn.rng.random(len(frame)) < likely.clip(upper=1)
    return lifts(frame, "repeat", "taken", "chance", level=LEVEL), lift


def median_of_players(drawn):
    frame = drawn.frame(SEATS)
    shared = drawn.rng.normal(0, 1, REPEATS * drawn.games)[frame["game"]]
    frame["vp"] = shared + drawn.rng.normal(0, 1, len(frame))
    return quantiles(frame, "repeat", "vp", at=[0.5], level=LEVEL), 0.0


def upper_tenth_of_players(drawn):
    frame = drawn.frame(SEATS)
    shared = drawn.rng.normal(0, 1, REPEATS * drawn.games)[frame["game"]]
    frame["vp"] = shared + drawn.rng.normal(0, 1, len(frame))
    return quantiles(frame, "repeat", "vp", at=[0.9], level=LEVEL), scipy_stats.norm.ppf(0.9) * np.sqrt(2)


def difference_of_means(drawn):
    frame = drawn.frame()
    luck = drawn.rng.gamma(4, 50, len(frame))
    sides = [
        means.observe(frame.assign(vp=np.rint(luck + drawn.rng.normal(step, 20, len(frame)))), "repeat", "vp")
        for step in (0, 10)
    ]
    return paired(*sides).frame(LEVEL), 10.0


def difference_of_rates(drawn):
    """Two runs over the same games, in which half of what happened happens again."""
    frame = drawn.frame()
    rate = drawn.rate[frame["repeat"]]
    first = drawn.rng.random(len(frame)) < rate
    then = np.where(drawn.rng.random(len(frame)) < 0.5, first, drawn.rng.random(len(frame)) < 1.5 * rate)
    sides = [rates.observe(frame.assign(won=part), "repeat", "won") for part in (first, then)]
    return paired(*sides).frame(LEVEL), 0.25 * drawn.rate


def difference_of_rates_of_players(drawn):
    frame = drawn.frame(SEATS)
    own = drawn.own(frame)
    first = drawn.rng.random(len(frame)) < own
    then = np.where(drawn.rng.random(len(frame)) < 0.5, first, drawn.rng.random(len(frame)) < 0.5 * own)
    sides = [rates.observe(frame.assign(won=part), "repeat", "won") for part in (first, then)]
    return paired(*sides).frame(LEVEL), -0.25 * drawn.rate


def difference_of_lifts(drawn):
    """Other turns in each run: how often a card is met changes with the rules."""
    sides = []
    skill = drawn.rng.gamma(4, 0.25, REPEATS * drawn.games)
    for factor in (2.0, 3.0):
        game = np.repeat(np.arange(REPEATS * drawn.games), drawn.rng.integers(1, 5, REPEATS * drawn.games))
        frame = pd.DataFrame({"repeat": game // drawn.games, "game": game})
        frame["chance"] = 1 / drawn.rng.integers(4, 7, len(frame))
        likely = frame["chance"] * factor * drawn.rate[frame["repeat"]] * skill[game]
        frame["taken"] = drawn.rng.random(len(frame)) < likely.clip(upper=1)
        sides.append(lifts.observe(frame, "repeat", "taken", "chance"))
    return paired(*sides).frame(LEVEL), drawn.rate


KINDS = {
    function.__name__: function
    for function in (
        mean_of_games, mean_of_players, rate_of_games, rate_of_players, share_of_reveals, lift_of_picks,
        median_of_players, upper_tenth_of_players, difference_of_means, difference_of_rates,
        difference_of_rates_of_players, difference_of_lifts,
    )
}  # fmt: skip


def covered(found, truth):
    """Return the part of the repeats whose interval holds the truth."""
    return float(((found["low"] <= truth + 1e-12) & (truth - 1e-12 <= found["high"])).mean())


WITHOUT_RATE = (
    "mean_of_games",
    "mean_of_players",
    "median_of_players",
    "upper_tenth_of_players",
    "difference_of_means",
)
# A few games that differ, or none: then no interval of the difference can cover just so often, and these cover more.
FEW_CHANGES = ("difference_of_rates", "difference_of_rates_of_players", "difference_of_lifts")
TABLE = [
    pytest.param(situation, kind, marks=[pytest.mark.slow] * (situation == "400 games, rates near 0"))
    for situation in SITUATIONS
    for kind in KINDS
    if not (situation == "50 games, rates near 0" and kind in WITHOUT_RATE)
]


@pytest.mark.parametrize(("situation", "kind"), TABLE)
def test_intervals_cover_as_often_as_they_say(situation, kind):
    found, truth = KINDS[kind](Drawn(situation))
    assert len(found) == REPEATS
    most = 0.995 if situation == "50 games, rates near 0" and kind in FEW_CHANGES else LEVEL + OFF
    assert LEVEL - OFF <= covered(found.reset_index(drop=True), truth) <= most


@pytest.mark.parametrize("level", [0.8, 0.9, 0.99])
def test_other_levels_are_kept_as_well(level, monkeypatch):
    monkeypatch.setattr("test_stats_coverage.LEVEL", level)
    for kind in ("mean_of_players", "rate_of_players", "lift_of_picks", "difference_of_rates_of_players"):
        found, truth = KINDS[kind](Drawn("50 games"))
        assert covered(found.reset_index(drop=True), truth) == pytest.approx(level, abs=OFF), kind


def share_of_one_ending(drawn):
    """One of four wins, nearly always by the one ending."""
    frame = drawn.frame(SEATS)
    frame["win"] = np.tile([1, 0, 0, 0], len(frame) // SEATS)
    seldom = drawn.rng.random(REPEATS * drawn.games) < np.repeat(drawn.rate, drawn.games)
    frame["end"] = pd.Categorical(np.where(seldom, "seldom", "often")[frame["game"]], ["often", "seldom"])
    found = Ratio(frame, ["repeat"], "win", kind="rate", inner=["end"]).tally().frame(LEVEL)
    return found[found["end"] == "often"], (1 - drawn.rate) / SEATS


def lift_at_its_ceiling(drawn):
    """Taken nearly always, by the first of five to pick."""
    frame = drawn.frame().assign(chance=0.2)
    frame["taken"] = drawn.rng.random(len(frame)) >= drawn.rate[frame["repeat"]]
    return lifts(frame, "repeat", "taken", "chance", level=LEVEL), 5 * (1 - drawn.rate)


def mean_at_its_limit(drawn):
    """Taken by the first of four to pick, and seldom by another, whoever that is."""
    frame = drawn.frame()
    later = drawn.rng.random(len(frame)) < drawn.rate[frame["repeat"]]
    frame["order"] = np.where(later, drawn.rng.integers(2, 5, len(frame)), 1)
    return means(frame, "repeat", "order", within=(1, 4), level=LEVEL), 1 + 2 * drawn.rate


def difference_of_means_by_few_games(drawn):
    """A change that seldom comes into play, and then brings what games differ by."""
    frame = drawn.frame()
    luck = np.rint(drawn.rng.normal(200, 40, len(frame)))
    moved = drawn.rng.random(len(frame)) < drawn.rate[frame["repeat"]]
    sides = [means.observe(frame.assign(vp=luck + step * moved), "repeat", "vp") for step in (0, 40)]
    return paired(*sides).frame(LEVEL), 40 * drawn.rate


ENDS = (share_of_one_ending, lift_at_its_ceiling, mean_at_its_limit, difference_of_means_by_few_games)


@pytest.mark.parametrize("kind", ENDS)
@pytest.mark.parametrize("situation", ["50 games, none differs", "400 games, none differs"])
def test_intervals_cover_where_hardly_a_game_differs(situation, kind, monkeypatch):
    """In most repeats all games are alike; an interval of no width would hold the truth in none of these."""
    monkeypatch.setitem(SITUATIONS, situation, {"5": (50, (0, 0.02)), "4": (400, (0, 0.0025))}[situation[0]])
    found, truth = kind(Drawn(situation))
    found = found.reset_index(drop=True)
    assert covered(found, truth) >= LEVEL - OFF
    assert (found["low"] < found["high"]).all()


def test_how_far_coverage_dips_at_a_given_rate():
    """Exactly, without simulation: 50 games and every rate from 0.5% up; on the average it is what it says."""
    games = np.arange(51)
    low, high = wilson(games, 50)
    rates_ = np.linspace(0.005, 0.1, 96)
    exact = [scipy_stats.binom.pmf(games, 50, rate)[(low <= rate) & (rate <= high)].sum() for rate in rates_]
    assert np.mean(exact) == pytest.approx(0.95, abs=OFF)
    assert 0.88 < np.min(exact) < 0.93 < 0.97 < np.max(exact)


def test_the_table_can_fail():
    """Players of a game taken for independent, and the interval of most spreadsheets: both cover far too little."""
    drawn = Drawn("50 games")
    frame = drawn.frame(SEATS)
    frame["taken"] = drawn.rng.random(len(frame)) < drawn.own(frame, alike=1.0)
    alone = rates(frame.assign(row=range(len(frame))), "repeat", "taken", cluster="row")
    assert covered(alone, drawn.rate) < 0.9
    drawn = Drawn("50 games, rates near 0")
    found, truth = rate_of_games(drawn)
    half = 1.96 * np.sqrt(found["estimate"] * (1 - found["estimate"]) / found["n"])
    normal = found.assign(low=found["estimate"] - half, high=found["estimate"] + half)
    assert covered(normal, truth) < 0.85
