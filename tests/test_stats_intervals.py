"""The interval formulas against textbook values, and their coverage by simulation."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats
from statsmodels.stats.proportion import proportion_confint

from sushibalance.stats import lifts, means, quantiles, rates, shares, student, wilson
from sushibalance.stats.groups import ColumnError
from sushibalance.stats.intervals import LevelError, effective_wilson

REPEATS = 2_000
LEVEL = 0.95


def coverage(frame, truth):
    """Return the part of the rows whose interval holds ``truth``."""
    return float(((frame["low"] <= truth) & (truth <= frame["high"])).mean())


def repeated(games, rows=1, seed=0):
    """Return the keys of ``REPEATS`` experiments of some games with some rows each, and a generator."""
    repeat, game, _ = (part.ravel() for part in np.meshgrid(range(REPEATS), range(games), range(rows), indexing="ij"))
    return pd.DataFrame({"repeat": repeat, "game": game}), np.random.default_rng(seed)


def test_wilson_is_newcombes_example():
    """Newcombe (Stat. Med. 17, 1998), table I, method 3: 81 of 263 gives 0.2553 to 0.3662."""
    low, high = wilson([81, 0], [263, 20])
    assert (low[0], high[0]) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert (low[1], high[1]) == pytest.approx((0.0, 0.1611), abs=5e-5)


def test_wilson_of_nothing_is_unknown():
    low, high = wilson(0, 0)
    assert np.isnan(low) and np.isnan(high)


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, float("nan")])
def test_a_level_is_between_0_and_1(level):
    with pytest.raises(LevelError, match="allowed a number between 0 and 1"):
        wilson(1, 2, level)


def test_student_is_scipys():
    values = np.array([3.0, 5, 9, 4])
    expected = scipy_stats.t.interval(0.9, 3, values.mean(), scipy_stats.sem(values))
    assert student(values.mean(), values.var(ddof=1) / 4, 3, 0.9) == pytest.approx(expected)
    assert np.isnan(student(1.0, 0.0, 0)).all()


def test_one_row_a_game_gives_the_textbook_intervals():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"game": range(200), "win": rng.random(200) < 0.3, "vp": rng.normal(20, 6, 200)})
    win, vp = rates(frame, [], "win").iloc[0], means(frame, [], "vp").iloc[0]
    assert (win.low, win.high) == pytest.approx(proportion_confint(frame.win.sum(), 200, method="wilson"))
    expected = scipy_stats.t.interval(0.95, 199, frame.vp.mean(), scipy_stats.sem(frame.vp))
    assert (vp.low, vp.high) == pytest.approx(expected)
    assert (win.n, win.games, vp.n, vp.games) == (200, 200, 200, 200)


def test_means_in_clusters_are_statsmodels_cluster_covariance():
    """The linearised ratio estimator is the cluster-robust covariance of a regression on a constant."""
    import statsmodels.api as sm

    rng = np.random.default_rng(2)
    game = np.repeat(np.arange(60), rng.integers(1, 6, 60))
    frame = pd.DataFrame({"game": game, "vp": rng.normal(0, 1, len(game)) + rng.normal(0, 2, 60)[game]})
    fit = sm.OLS(frame["vp"], np.ones(len(frame))).fit(
        cov_type="cluster", cov_kwds={"groups": game, "use_correction": False}, use_t=True
    )
    row = means(frame, [], "vp").iloc[0]
    half = scipy_stats.t.ppf(0.975, 59) * fit.bse.iloc[0] * np.sqrt(60 / 59)
    assert (row.estimate, row.high - row.estimate) == pytest.approx((fit.params.iloc[0], half))


def exact_coverage(interval, rate, games):
    """Return the coverage of an interval of a rate: binomial probabilities, no simulation."""
    wins = np.arange(games + 1)
    low, high = interval(wins, games)
    return scipy_stats.binom.pmf(wins, games, rate)[(low <= rate) & (rate <= high)].sum()


@pytest.mark.parametrize(("rate", "games"), [(0.5, 50), (0.25, 50), (0.04, 50), (0.25, 200), (0.004, 2_000)])
def test_coverage_of_a_rate_of_games(rate, games):
    assert exact_coverage(wilson, rate, games) == pytest.approx(LEVEL, abs=0.02)


def test_coverage_over_all_rates_is_nominal():
    over = [exact_coverage(wilson, rate, 50) for rate in np.linspace(0.005, 0.995, 199)]
    assert np.mean(over) == pytest.approx(LEVEL, abs=0.01)


def test_a_normal_interval_of_a_small_rate_would_fail_here():
    """The proof above can fail: the interval of most spreadsheets covers far too little."""

    def normal(wins, games):
        return proportion_confint(wins, games, method="normal")

    assert exact_coverage(normal, 0.04, 50) < 0.90


def test_coverage_of_a_mean_of_games():
    frame, rng = repeated(50, seed=4)
    frame["vp"] = rng.gamma(4, 5, len(frame))  # skewed, as points are
    assert coverage(means(frame, "repeat", "vp"), 20) == pytest.approx(LEVEL, abs=0.02)


def clustered(games, rows, alpha, beta, seed):
    """Return picks that agree within a game: each game has a rate of its own (beta-binomial)."""
    frame, rng = repeated(games, rows, seed)
    own = np.repeat(rng.beta(alpha, beta, REPEATS * games), rows)
    return frame.assign(taken=rng.random(len(frame)) < own)


@pytest.mark.parametrize(
    ("games", "alpha", "beta"), [(100, 1.0, 1.0), (300, 0.1, 1.9), (60, 2.0, 2.0)], ids=["wide", "rare", "few"]
)
def test_coverage_of_a_rate_of_picks_inside_games(games, alpha, beta):
    frame = clustered(games, 4, alpha, beta, seed=5)
    truth = alpha / (alpha + beta)
    by_game = rates(frame, "repeat", "taken")
    assert coverage(by_game, truth) == pytest.approx(LEVEL, abs=0.02)
    as_if_alone = rates(frame.assign(pick=range(len(frame))), "repeat", "taken", cluster="pick")
    assert coverage(as_if_alone, truth) < 0.92  # picks are no sampling unit
    assert (by_game["estimate"] == as_if_alone["estimate"]).all()


def test_coverage_of_shares_inside_games():
    frame = clustered(150, 4, 1.0, 3.0, seed=6)
    frame["hand"] = pd.Categorical(np.where(frame["taken"], "pair", "none"), ["none", "pair", "flush"])
    found = shares(frame, "repeat", "hand")
    pairs = found[found["hand"] == "pair"]
    assert coverage(pairs, 0.25) == pytest.approx(LEVEL, abs=0.02)
    never = found[found["hand"] == "flush"]
    assert (never["estimate"] == 0).all() and (never["high"] < 0.03).all() and (never["high"] > 0.02).all()


def test_shares_are_the_rates_of_each_category():
    frame = clustered(40, 4, 1.0, 1.0, seed=7).query("repeat < 3")
    frame["hand"] = pd.Categorical(np.where(frame["taken"], "pair", "none"))
    found = shares(frame, "repeat", "hand").query("hand == 'pair'")
    expected = rates(frame, "repeat", "taken")
    columns = ["estimate", "low", "high", "n", "games"]
    np.testing.assert_allclose(found[columns], expected[columns])


def test_coverage_of_a_lift():
    """Cards are offered with one to four rivals; taken half as often again as chance has it."""
    frame, rng = repeated(120, 3, seed=8)
    frame["chance"] = 1 / rng.integers(2, 6, len(frame))
    own = np.repeat(rng.uniform(0.5, 2.5, REPEATS * 120), 3)  # mean 1.5, shared inside a game
    frame["taken"] = rng.random(len(frame)) < np.minimum(frame["chance"] * own, 1)
    truth = (frame["chance"] * own).clip(upper=1).sum() / frame["chance"].sum()
    assert coverage(lifts(frame, "repeat", "taken", "chance"), truth) == pytest.approx(LEVEL, abs=0.02)


def test_a_card_never_taken_has_an_interval_above_0():
    frame = pd.DataFrame({"game": range(30), "taken": False, "chance": 0.25})
    row = lifts(frame, [], "taken", "chance").iloc[0]
    assert (row.estimate, row.low) == (0, 0)
    assert row.high == pytest.approx(wilson(0, 30)[1] / 0.25)


def test_a_card_always_taken_has_the_interval_of_a_certain_rate():
    """Also where the estimate times the mean chance is not quite 1 in floats."""
    for games in range(50, 250):
        frame = pd.DataFrame({"game": range(games), "taken": True, "chance": 1 / np.resize([5, 5, 5, 4, 3], games)})
        row, chance = lifts(frame, [], "taken", "chance").iloc[0], frame["chance"].mean()
        assert (row.low, row.high) == pytest.approx([float(edge) / chance for edge in wilson(games, games)])


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_coverage_of_a_quantile(part):
    frame, rng = repeated(100, 4, seed=9)
    frame["vp"] = rng.normal(0, 1, len(frame)) + np.repeat(rng.normal(0, 1, REPEATS * 100), 4)
    truth = scipy_stats.norm.ppf(part) * np.sqrt(2)
    found = quantiles(frame, "repeat", "vp", at=[part])
    assert coverage(found, truth) == pytest.approx(LEVEL, abs=0.02)


def test_quantiles_of_whole_numbers_are_values_seen():
    frame = pd.DataFrame({"game": range(10), "vp": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]})
    found = quantiles(frame, [], "vp", at=[0.1, 0.5, 0.9])
    assert found["estimate"].tolist() == [0, 4, 8]
    bounds = found[["low", "high"]].to_numpy()
    assert np.isnan(bounds[0, 0]) and np.isnan(bounds[2, 1])  # a tenth may be below, or above, all ten that were seen
    bounds = np.where(np.isnan(bounds), found[["estimate"]], bounds)
    assert (bounds[:, 0] <= found["estimate"]).all() and (found["estimate"] <= bounds[:, 1]).all()


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_a_bound_of_a_quantile_is_missing_where_all_that_were_seen_may_lie_beyond_it(part):
    """As often as the interval may be wrong on each side, none of n rows is on that side of the quantile."""
    for games in range(2, 200):
        row = quantiles(pd.DataFrame({"game": range(games), "vp": 7}), [], "vp", at=[part]).iloc[0]
        for bound, beyond in ((row.low, 1 - part), (row.high, part)):
            chance = beyond**games  # that all are on the other side
            assert np.isnan(bound) or (bound == 7 and chance < 0.04)
            assert bound == 7 or chance > 0.005


def test_coverage_of_a_quantile_that_most_games_have():
    """An interval without width from games that are the same leaves the quantile out no oftener than it may."""
    rng, many = np.random.default_rng(5), 4_000
    for games in (8, 40):
        values = (rng.random((many, games)) < 0.52).astype(int)  # the median is 1, and often a game away from 0
        frame = pd.DataFrame({"game": np.arange(values.size), "repeat": np.repeat(range(many), games)})
        found = quantiles(frame.assign(vp=values.reshape(-1)), "repeat", "vp", at=[0.5])
        out = (found["low"] > 1) | (found["high"] < 1)
        assert out.mean() < 0.05


@pytest.mark.parametrize("games", [2, 20, 2_000])
def test_games_that_are_alike_leave_room_for_others(games):
    """One pair among four hands in each game: the next may have none, or four, if that is rare."""
    frame = pd.DataFrame({"game": np.repeat(range(games), 4), "pair": [1, 0, 0, 0] * games, "chance": 0.5})
    rare = float(wilson(0, games)[1])
    row = rates(frame, [], "pair").iloc[0]
    assert (row.estimate, row.low, row.high) == pytest.approx((0.25, 0.25 * (1 - rare), 0.25 + 0.75 * rare))
    row = lifts(frame, [], "pair", "chance").iloc[0]
    assert (row.estimate, row.low, row.high) == pytest.approx((0.5, 0.5 * (1 - rare), 0.5 + 1.5 * rare))


@pytest.mark.parametrize("games", [2, 20, 2_000])
def test_a_mean_that_is_the_same_in_all_games_has_an_interval_by_its_limits_or_none(games):
    frame = pd.DataFrame({"game": range(games), "order": 1})
    row = means(frame, [], "order").iloc[0]
    assert row.estimate == 1 and np.isnan(row.low) and np.isnan(row.high)
    row, rare = means(frame, [], "order", within=(1, 4)).iloc[0], float(wilson(0, games)[1])
    assert (row.low, row.high) == pytest.approx((1, 1 + 3 * rare))
    parts = [
        means.tally(part, [], "order", within=within) for part, within in ((frame[:1], (1, 2)), (frame[1:], (1, 4)))
    ]
    assert sum(parts).frame().iloc[0].high == row.high


def test_a_mean_stays_within_its_limits():
    frame = pd.DataFrame({"game": range(3), "order": [1, 1, 2]})
    assert means(frame, [], "order").iloc[0].low < 1 == means(frame, [], "order", within=(1, 4)).iloc[0].low


def test_a_single_game_leaves_the_rest_unknown():
    frame = pd.DataFrame({"game": [0, 0], "win": [1, 0]})
    row = rates(frame, [], "win").iloc[0]
    assert row.estimate == 0.5 and np.isnan(row.low) and np.isnan(row.high)
    assert np.isnan(means(frame, [], "win").iloc[0].low)


def test_all_or_none_counts_each_game_once():
    low, high = effective_wilson([0.0, 1.0], [0.0, 0.0], [25, 25])
    assert (low[0], high[0]) == pytest.approx(tuple(map(float, wilson(0, 25))))
    assert (low[1], high[1]) == pytest.approx(tuple(map(float, wilson(25, 25))))


def test_groups_are_sorted_and_keep_their_keys():
    frame = pd.DataFrame(
        {"game": [0, 1, 0, 1], "policy": pd.Categorical(["b", "a", "a", "b"], ["b", "a"]), "vp": [1, 2, 3, 4]}
    )
    found = means(frame, "policy", "vp")
    assert found["policy"].tolist() == ["b", "a"] and found["estimate"].tolist() == [2.5, 2.5]
    assert found.attrs["level"] == 0.95
    assert list(found.columns) == ["policy", "estimate", "low", "high", "n", "games"]


def test_empty_frames_give_empty_results():
    frame = pd.DataFrame({"game": [], "policy": [], "vp": []})
    assert means(frame, "policy", "vp").empty and means(frame, [], "vp").empty
    assert shares(frame, "policy", "vp").empty and quantiles(frame, "policy", "vp").empty


@pytest.mark.parametrize("key", ["estimate", "low", "n", "games", "base", "verdict"])
def test_a_key_does_not_take_the_place_of_the_answer(key):
    frame = pd.DataFrame({"game": [0, 1], "vp": [1, 2], key: [0, 0]})
    for ask in (means, quantiles):
        with pytest.raises(ColumnError, match=f'by: found "{key}", which is the name of a column of the answer'):
            ask(frame, key, "vp")
    with pytest.raises(ColumnError, match=key):
        shares(frame, [], key)


@pytest.mark.parametrize("by", [5, None, [5], ["vp", None]])
def test_keys_are_names(by):
    for ask in (means, quantiles):
        with pytest.raises(ColumnError, match=r"by: found .*, allowed the name of a column, or several"):
            ask(pd.DataFrame({"game": [0], "vp": [1]}), by, "vp")


def test_a_missing_column_is_named():
    with pytest.raises(ColumnError, match='no column "seat", allowed one of: game, vp'):
        means(pd.DataFrame({"game": [0], "vp": [1]}), "seat", "vp")
