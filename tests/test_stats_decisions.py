"""Verdicts, planning, confidence sequences, shrinkage: right against known formulas, and as sure as they say."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import ttost_paired

from sushibalance.errors import UserError
from sushibalance.stats import Running, games_for, means, paired, rates, shrunk, student, verdicts
from sushibalance.stats.sequences import START, asymptotic, bernstein

REPEATS = 1_000
MARGIN = (-0.5, 0.5)


def cards(truths, games=200, spread=2.0, seed=0):
    """Return one row a game and card, around the true value of each."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"card": np.tile(range(len(truths)), games), "game": np.repeat(range(games), len(truths))})
    return frame.assign(vp=np.asarray(truths)[frame["card"]] + rng.normal(0, spread, len(frame)))


# -- verdicts ------------------------------------------------------------------------------------------


def test_verdicts_go_by_the_interval():
    frame = cards([0.0, 1.5, -1.5, 0.5], games=400)
    found = verdicts(means.tally(frame, "card", "vp"), MARGIN, correct=False)
    assert found["verdict"].tolist() == ["inside", "above", "below", "undecided"]
    assert found["needed"].tolist()[:3] == [0, 0, 0] and found["needed"].iloc[3] > 0
    assert found["verdict"].cat.categories.tolist() == ["inside", "above", "below", "undecided"]


def test_a_few_games_that_are_alike_decide_nothing():
    same = [pd.DataFrame({"game": range(games), "vp": 0.1}) for games in (2, 19, 20)]
    tallies = [paired(*(means.observe(side, [], "vp") for side in (frame.assign(vp=0), frame))) for frame in same]
    found = [verdicts(tally, MARGIN).iloc[0] for tally in tallies]
    assert [row.verdict for row in found] == ["undecided", "undecided", "inside"]
    assert [row.needed for row in found] == [18, 1, 0]


def test_what_has_no_estimate_costs_the_others_nothing():
    base, variant = (cards(truths, seed=seed) for truths, seed in (([0.0, 1.0, 9.9], 0), ([0.0, 1.7], 1)))
    both, known = (
        verdicts(paired(*(means.observe(side, "card", "vp") for side in (left, variant))), MARGIN, level=0.9)
        for left in (base, base[base["card"] < 2])
    )
    assert both["estimate"].isna().tolist() == [False, False, True] and both["verdict"][2] == "undecided"
    pd.testing.assert_frame_equal(both[:2], known)
    assert both.attrs["level"] == known.attrs["level"]


def test_inside_is_the_two_one_sided_tests_of_statsmodels():
    """The interval at 1 - 2 alpha lies inside the margin just when both tests reject at alpha."""
    rng, agreed = np.random.default_rng(2), []
    for _ in range(60):
        before = rng.normal(0, 1, 40)
        after = before + rng.normal(rng.uniform(-0.6, 0.6), 0.8, 40)
        base, variant = (pd.DataFrame({"game": range(40), "vp": vp}) for vp in (before, after))
        tally = paired(means.observe(base, [], "vp"), means.observe(variant, [], "vp"))
        p = ttost_paired(after, before, *MARGIN)[0]
        inside = verdicts(tally, MARGIN, level=0.9, correct=False)["verdict"].iloc[0] == "inside"
        assert inside == (p < 0.05)
        agreed.append(inside)
    assert 10 < sum(agreed) < 50


def test_many_verdicts_are_those_of_benjamini_and_hochberg():
    truths = np.repeat([0.0, 0.4, 0.55, 0.9], 10)
    frame = cards(truths, games=600, seed=3)
    tally = means.tally(frame, "card", "vp")
    found = verdicts(tally, MARGIN, level=0.95)
    plain = tally.frame()
    half = (plain["high"] - plain["estimate"]).to_numpy()
    error = half / scipy_stats.t.ppf(0.975, 599)
    edges = [(plain["estimate"].to_numpy() - edge) / error for edge in MARGIN]
    below, above = (scipy_stats.t.cdf(edge, 599) for edge in edges)  # of each edge
    p = 2 * np.minimum.reduce([np.maximum(1 - below, above), 1 - above, below])
    expected = multipletests(np.minimum(p, 1), 0.05, "fdr_bh")[0]
    assert ((found["verdict"] != "undecided") == expected).all() and 10 < expected.sum() < 38
    alone = verdicts(tally, MARGIN, correct=False)
    assert (alone["verdict"] != "undecided").sum() > expected.sum()
    assert found.attrs["level"] > 0.95


def test_false_verdicts_are_rare_however_many_cards():
    """Forty cards, thirty of which lie right on the edge of the margin: what is claimed of those is false."""
    wrong, claimed = [], []
    for seed in range(200):
        frame = cards([0.5 + 1e-9] * 15 + [-0.5 - 1e-9] * 15 + [0.0] * 10, games=500, seed=seed)
        verdict = verdicts(means.tally(frame, "card", "vp"), MARGIN)["verdict"]
        false = (verdict[:30] == "inside").sum() + (verdict[15:30] == "above").sum() + (verdict[:15] == "below").sum()
        claimed.append((verdict != "undecided").sum())
        wrong.append(false / max(claimed[-1], 1))
    assert np.mean(wrong) < 0.05 and np.mean(claimed) > 1


def test_needed_games_settle_it():
    """As many games more as it says, and four in five are settled."""
    rng = np.random.default_rng(4)
    first = cards([0.42] * 300, games=100, seed=5)
    found = verdicts(means.tally(first, "card", "vp"), MARGIN, correct=False)
    row = found.iloc[(found["estimate"] - 0.42).abs().argmin()]
    assert row.verdict == "undecided"
    error = (row.high - row.estimate) / scipy_stats.t.ppf(0.975, 99) * np.sqrt(100 / (row.needed + 100))
    means_then = rng.normal(row.estimate, error, 4_000)
    settled = np.mean(means_then + 1.96 * error < 0.5)
    assert settled == pytest.approx(0.8, abs=0.05)


def rarely(held, games):
    """Return players in the same games: one group in each of them, and another with the same points in a few."""
    rng = np.random.default_rng(7)
    points = rng.normal(0.42, 2, held)
    often = np.concatenate([points, rng.permutation(np.resize(points, games - held))])
    return pd.DataFrame(
        {"game": [*range(games), *range(held)], "group": ["all"] * games + ["few"] * held, "vp": [*often, *points]}
    )


def test_a_rare_group_needs_as_many_more_games_as_it_is_rare():
    """A group in one game of a hundred: of those to come too, one in a hundred holds it."""
    tally = means.tally(rarely(30, 3_000), "group", "vp")
    outright, told, known = (
        verdicts(one, MARGIN, correct=False, **more)
        for one, more in ((tally, {}), (tally, {"played": 3_000}), (tally.of_games(3_000), {}))
    )
    assert outright["verdict"].tolist()[1] == "undecided" and outright["games"].tolist() == [3_000, 30]
    assert known["needed"][0] == outright["needed"][0]  # it is in every game
    assert known["needed"][1] == pytest.approx(100 * outright["needed"][1], abs=100) and known["needed"][1] > 100
    pd.testing.assert_frame_equal(told, known)
    both = [games_for(one, 0.05)["needed"] for one in (tally, tally.of_games(3_000))]
    assert both[1][0] == both[0][0] and both[1][1] == pytest.approx(100 * both[0][1], abs=100)


def test_a_group_of_three_of_a_thousand_games():
    """13 games with the group are 13 / 3 of a thousand games."""
    frame = pd.DataFrame({"game": range(3), "vp": [-0.1, 0.2, 0.5]})
    tally = means.tally(frame, [], "vp")
    few, many = (verdicts(one, MARGIN, correct=False)["needed"].iloc[0] for one in (tally, tally.of_games(1_000)))
    assert few - 1 < many * 3 / 1_000 <= few


def test_tallies_add_up_the_games_that_they_know_of():
    tally = means.tally(rarely(3, 30), "group", "vp")
    assert tally.played is None and (tally + tally.of_games(30)).played is None
    assert (tally.of_games(30) + tally.of_games(12)).played == 42 and sum([tally.of_games(30)]).played == 30


def test_a_confidence_sequence_plans_by_the_games_that_were_played():
    tally = means.tally(rarely(200, 2_000), "group", "vp")
    few, many = (verdicts(Running(one), MARGIN, correct=False)["needed"] for one in (tally, tally.of_games(2_000)))
    assert many[0] == few[0] and many[1] == pytest.approx(10 * few[1], abs=10)


def test_no_number_of_games_settles_what_lies_on_the_edge():
    frame = pd.DataFrame({"game": range(4), "vp": [0.0, 1.0, 0.0, 1.0]})
    found = verdicts(means.tally(frame, [], "vp"), MARGIN).iloc[0]
    assert found.verdict == "undecided" and found.needed is pd.NA
    single = verdicts(means.tally(frame.iloc[:1], [], "vp"), MARGIN).iloc[0]
    assert single.verdict == "undecided" and single.needed is pd.NA
    assert verdicts(means.tally(frame.iloc[:0], [], "vp"), MARGIN).empty


def test_games_for_a_width():
    frame = cards([0.0, 3.0], games=100)
    found = games_for(means.tally(frame, "card", "vp"), 0.05)
    assert (found["needed"] == np.ceil(100 * (found["half_width"] / 0.05) ** 2)).all()
    assert found["needed"].to_numpy(float) == pytest.approx((1.98 * 2 / 0.05) ** 2, rel=0.4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda tally: verdicts(tally, (1.1, 0.9)), "margin: found 1.1 to 0.9, allowed a lower and a higher number"),
        (lambda tally: verdicts(tally, MARGIN, level=1), "level: found 1"),
        (lambda tally: verdicts(tally, MARGIN, power=0), "level: found 0"),
        (lambda tally: games_for(tally, 0), "half_width: found 0, allowed a number above 0"),
        (lambda tally: shrunk(tally), "shrunk: found 2 rows with more than one game, allowed 4 or more"),
    ],
)
def test_what_cannot_be_decided_is_told(call, message):
    with pytest.raises(UserError, match=message):
        call(means.tally(cards([0.0, 1.0]), "card", "vp"))


# -- confidence sequences --------------------------------------------------------------------------------

LOOKS = np.unique(np.geomspace(1, 5_000, 160).astype(int))


def watched(draw, seed=0, games=5_000):
    """Return the means and sums of squares at all looks, for many repeats."""
    values = draw(np.random.default_rng(seed), (REPEATS, games))
    sums, squares = values.cumsum(axis=1)[:, LOOKS - 1], (values**2).cumsum(axis=1)[:, LOOKS - 1]
    return sums / LOOKS, squares


def ever_left_out(low, high, truth):
    return float(((low > truth) | (high < truth)).any(axis=1).mean())


BOUNDED = {
    "even": (lambda rng, size: (rng.random(size) < 0.5).astype(float), 0.5, (0, 1), 0.5),
    "rare": (lambda rng, size: (rng.random(size) < 0.01).astype(float), 0.01, (0, 1), 0.25),
    "shared wins": (lambda rng, size: rng.choice([0, 0.5, 1], size, p=[0.7, 0.1, 0.2]), 0.25, (0, 1), 0.25),
    "differences": (lambda rng, size: rng.choice([-1, 0, 1], size, p=[0.1, 0.85, 0.05]), -0.05, (-1, 1), 0.0),
    "always": (lambda rng, size: np.ones(size), 1.0, (0, 1), 0.5),
}


@pytest.mark.parametrize("name", BOUNDED)
def test_a_sequence_with_bounds_is_watched_from_the_first_game_on(name):
    draw, truth, (lowest, highest), guess = BOUNDED[name]
    mean, squares = watched(draw)
    around = squares - 2 * guess * mean * LOOKS + guess**2 * LOOKS
    low, high = bernstein(mean, around, np.broadcast_to(LOOKS, mean.shape), highest - lowest, about=1_000)
    assert ever_left_out(low, high, truth) <= 0.05 + 0.01
    assert (high - low)[:, -1].mean() < 0.1 * (highest - lowest)


UNBOUNDED = {
    "skewed": (lambda rng, size: rng.gamma(2, 5, size), 10.0),
    "normal": (lambda rng, size: rng.normal(3, 2, size), 3.0),
    "even": (lambda rng, size: (rng.random(size) < 0.3).astype(float), 0.3),
}


def spread(mean, squares):
    return np.maximum(squares - LOOKS * mean**2, 0) / np.maximum(LOOKS - 1, 1) / LOOKS


@pytest.mark.parametrize("name", UNBOUNDED)
def test_a_sequence_without_bounds_is_watched_from_a_hundred_games_on(name):
    draw, truth = UNBOUNDED[name]
    mean, squares = watched(draw)
    low, high = asymptotic(mean, spread(mean, squares), np.broadcast_to(LOOKS, mean.shape), about=1_000)
    assert np.isnan(low[:, LOOKS < START]).all() and not np.isnan(low[:, LOOKS >= START]).any()
    assert ever_left_out(low, high, truth) <= 0.05 + 0.02


def test_an_ordinary_interval_that_is_watched_would_fail_here():
    """The proof above can fail: an interval for one look leaves the truth out in a third of the runs."""
    mean, squares = watched(UNBOUNDED["normal"][0])
    low, high = student(mean, spread(mean, squares), np.broadcast_to(LOOKS - 1, mean.shape))
    seen = LOOKS >= START
    assert ever_left_out(low[:, seen], high[:, seen], 3.0) > 0.2


def test_stopping_when_it_looks_good_does_not_mislead():
    """A rate a little inside the margin: whoever plays until the verdict is there is wrong in one of twenty."""
    mean, squares = watched(lambda rng, size: (rng.random(size) < 0.5).astype(float), seed=6)
    low, high = bernstein(
        mean, squares - mean * LOOKS + 0.25 * LOOKS, np.broadcast_to(LOOKS, mean.shape), 1.0, about=1_000
    )
    stopped = (low > 0.5) | (high < 0.5)
    assert stopped.any(axis=1).mean() <= 0.05


def test_running_is_read_off_tallies():
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(
        {"game": np.repeat(range(500), 2), "seat": np.tile([0, 1], 500), "win": rng.random(1_000) < 0.3}
    )
    parts = [rates.tally(frame[frame["game"].between(*span)], "seat", "win") for span in ((0, 199), (200, 499))]
    found = Running(sum(parts), bounds=(0, 1), guess=0.25, about=500).frame(0.9)
    for row in found.itertuples():
        wins = frame.loc[frame["seat"] == row.seat, "win"]
        low, high = bernstein(wins.mean(), ((wins - 0.25) ** 2).sum(), 500, 1.0, 0.9, about=500)
        assert [row.low, row.high] == pytest.approx([float(low), float(high)])
    assert found.attrs["level"] == 0.9 and (found["games"] == 500).all()
    plain = Running(sum(parts), about=500).frame()
    ordinary = sum(parts).frame()
    assert (plain["high"] > ordinary["high"]).all() and (plain["low"] < ordinary["low"]).all()


def test_running_differences_of_pairs():
    rng = np.random.default_rng(8)
    luck = rng.random(2_000)
    base, variant = (pd.DataFrame({"game": range(2_000), "win": luck < rate}) for rate in (0.25, 0.27))
    tally = paired(rates.observe(base, [], "win"), rates.observe(variant, [], "win"))
    row = Running(tally, bounds=(-1, 1), about=2_000).frame().iloc[0]
    change = variant["win"].astype(int) - base["win"].astype(int)
    low, high = bernstein(change.mean(), (change**2).sum(), 2_000, 2.0, about=2_000)
    assert [row.estimate, row.low, row.high] == pytest.approx([change.mean(), float(low), float(high)])
    verdict = verdicts(Running(tally, bounds=(-1, 1), about=2_000), (-0.1, 0.1))
    assert verdict["verdict"].tolist() == ["inside"]


def test_bounds_need_games_that_weigh_the_same():
    frame = pd.DataFrame({"game": [0, 0, 1], "win": [1, 0, 1]})
    with pytest.raises(UserError, match="bounds: found games with different numbers of rows"):
        Running(rates.tally(frame, [], "win"), bounds=(0, 1)).frame()


# -- shrinkage -------------------------------------------------------------------------------------------


def card_set(seed, kind):
    """Return cards seen in 3 to 300 games, and their true values."""
    rng = np.random.default_rng(seed)
    seen = np.rint(np.geomspace(3, 300, 40)).astype(int)
    truths = rng.normal(5, 1.5, 40) if kind == "vp" else rng.beta(8, 24, 40)
    card = np.repeat(range(40), seen)
    frame = pd.DataFrame({"card": card, "game": np.concatenate([rng.permutation(400)[:count] for count in seen])})
    noise = truths[card] + rng.normal(0, 4, len(card)) if kind == "vp" else rng.random(len(card)) < truths[card]
    return frame.assign(value=noise), truths


@pytest.mark.parametrize("kind", ["vp", "rate"])
def test_shrunk_estimates_cover_and_are_nearer_the_truth(kind):
    covered, nearer = [], []
    for seed in range(100):
        frame, truths = card_set(seed, kind)
        tally = (means if kind == "vp" else rates).tally(frame, "card", "value")
        found = shrunk(tally)
        covered.append(((found["low"] <= truths) & (truths <= found["high"])).mean())
        errors = [((found[name] - truths) ** 2).mean() for name in ("estimate", "alone")]
        nearer.append(errors[0] / errors[1])
    assert np.mean(covered) == pytest.approx(0.95, abs=0.02)
    assert np.mean(nearer) < 0.6


def test_what_is_seen_often_stays_and_what_is_seen_rarely_leans():
    frame, _ = card_set(0, "vp")
    found = shrunk(means.tally(frame, "card", "value"))
    assert found["weight"].iloc[:5].max() < 0.5 < 0.9 < found["weight"].iloc[-5:].min()
    assert (found["alone"] == means(frame, "card", "value")["estimate"]).all()


def test_cards_that_are_all_alike_lean_on_each_other_altogether():
    rng = np.random.default_rng(9)
    frame = pd.DataFrame(
        {"card": np.tile(range(30), 20), "game": np.repeat(range(20), 30), "vp": rng.normal(5, 2, 600)}
    )
    found = shrunk(means.tally(frame, "card", "vp"))
    assert found["estimate"].std() < 0.4 * found["alone"].std()


def test_a_card_seen_once_is_taken_for_the_mean():
    frame, _ = card_set(1, "vp")
    once = pd.concat([frame, pd.DataFrame({"card": [99], "game": [1], "value": [50.0]})])
    row = shrunk(means.tally(once, "card", "value")).iloc[-1]
    assert row.card == 99 and abs(row.estimate - 5) < 5
