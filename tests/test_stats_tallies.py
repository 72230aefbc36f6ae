"""Tallies: exact, the same however the games are cut and added up, and right against a slow count."""

import pickle
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from operator import add

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sushibalance.stats import lifts, means, quantiles, rates, shares, student
from sushibalance.stats.counting import DIGITS, Clusters, add_product, whole
from sushibalance.stats.exact import exact
from sushibalance.stats.groups import ColumnError, Groups, joined
from sushibalance.stats.ratios import Ratio

HANDS = ["pair", "flush", "straight", "none"]


def frame_of(games=60, seed=0, rows=(1, 7)):
    """Return a frame with keys of every kind, whole numbers, shares and fractions of no small denominator."""
    rng = np.random.default_rng(seed)
    game = np.repeat(np.arange(games), rng.integers(*rows, games))
    n = len(game)
    words = np.array(["otter", "tuna", "eel"], object)
    return pd.DataFrame(
        {
            "game": game,
            "hand": pd.Categorical(rng.choice(HANDS[:3], n), HANDS),
            "seat": rng.integers(0, 4, n).astype(np.int8),
            "target": pd.array(np.where(rng.random(n) < 0.3, None, rng.integers(0, 3, n)), "Int8"),
            "name": np.where(rng.random(n) < 0.2, None, words[rng.integers(0, 3, n)]),
            "size": rng.choice([0.5, -1.25, np.nan], n),
            "far": rng.choice([-(2**60), 3, 2**60], n),
            "own": rng.random(n) < 0.4,
            "vp": rng.integers(-20, 90, n).astype(np.int16),
            "win": rng.choice([0, 1, 1 / 2, 1 / 3, 1 / 4, 1 / 5], n),
            "chance": 1 / rng.integers(1, 7, n),
            "odd": rng.normal(5, 2, n),
            "taken": rng.random(n) < 0.3,
        }
    )


KEYS = ["hand", "seat", "target", "name", "size", "far", "own"]
ASKED = {
    "means": lambda frame, by: means.tally(frame, by, "vp"),
    "means of shares": lambda frame, by: means.tally(frame, by, "win"),
    "rates": lambda frame, by: rates.tally(frame, by, "win"),
    "rates of yes or no": lambda frame, by: rates.tally(frame, by, "taken"),
    "lifts": lambda frame, by: lifts.tally(frame, by, "taken", "chance"),
    "shares": lambda frame, by: shares.tally(frame, [key for key in by if key != "hand"], "hand"),
    "shares of texts": lambda frame, by: shares.tally(frame, [key for key in by if key != "name"], "name"),
    "shares of numbers": lambda frame, by: shares.tally(frame, [key for key in by if key != "seat"], "seat"),
    "quantiles": lambda frame, by: quantiles.tally(frame, by, "vp"),
    "quantiles of shares": lambda frame, by: quantiles.tally(frame, by, "win", at=[0.9, 0.05]),
}


def identical(found, expected):
    pd.testing.assert_frame_equal(found, expected, check_exact=True)
    assert found.attrs == expected.attrs


def pieces(frame, cuts):
    """Return the frame in parts of whole games, cut before the games named."""
    edges = [-1, *sorted(cuts), frame["game"].max() + 1]
    return [frame[(frame["game"] >= a) & (frame["game"] < b)] for a, b in pairwise(edges)]


@given(
    seed=st.integers(0, 2**32 - 1),
    name=st.sampled_from(sorted(ASKED)),
    by=st.lists(st.sampled_from(KEYS), unique=True, max_size=3),
    cuts=st.lists(st.integers(0, 40), max_size=6),
    random=st.randoms(use_true_random=False),
)
def test_however_the_games_are_cut_and_added_up_the_answer_is_the_same(seed, name, by, cuts, random):
    frame, ask = frame_of(40, seed), ASKED[name]
    expected = ask(frame, by).frame()
    tallies = [ask(part, by) for part in pieces(frame, cuts)]
    while len(tallies) > 1:  # any two, in any order
        random.shuffle(tallies)
        tallies.append(tallies.pop() + tallies.pop())
    identical(tallies[0].frame(), expected)


@given(seed=st.integers(0, 2**32 - 1), name=st.sampled_from(sorted(ASKED)))
def test_the_order_of_the_rows_does_not_count(seed, name):
    frame = frame_of(40, seed)
    shuffled = frame.sample(frac=1, random_state=seed)
    identical(ASKED[name](shuffled, ["seat"]).frame(), ASKED[name](frame, ["seat"]).frame())


def test_fractions_of_no_small_denominator_agree_to_the_last_digits():
    frame = frame_of(200, 3)
    whole_run, parts = means(frame, "hand", "odd"), [means.tally(part, "hand", "odd") for part in pieces(frame, [70])]
    pd.testing.assert_frame_equal(sum(parts).frame(), whole_run, rtol=1e-14)
    assert whole_run["estimate"].to_numpy() == pytest.approx(frame.groupby("hand", observed=True)["odd"].mean())


def slowly(frame, by, top, bottom):
    """Return by group the ratio, the variance of its linearised estimate, rows and games, in fractions."""
    found = {}
    for key, group in frame.groupby(by, dropna=False, observed=True):
        games = [(sum(map(Fraction, part[top])), sum(map(Fraction, part[bottom]))) for _, part in group.groupby("game")]
        above, below = (sum(column) for column in zip(*games, strict=True))
        spread = sum((a - above / below * b) ** 2 for a, b in games)
        variance = spread / below**2 * len(games) / (len(games) - 1) if len(games) > 1 else np.nan
        found[key] = (float(above / below), float(variance), len(group), len(games))
    return found


@pytest.mark.parametrize(("top", "bottom"), [("vp", None), ("win", None), ("taken", "chance"), ("odd", "vp")])
@pytest.mark.parametrize("by", [["hand"], ["target", "own"], ["name", "far", "size"]])
def test_sums_are_those_of_a_slow_count(top, bottom, by):
    frame = frame_of(80, 1).assign(_one=1)
    frame["vp"] = frame["vp"].abs() + 1
    for name in ("win", "chance"):  # a float near 1/3 stands for 1/3
        frame[name] = [Fraction(value).limit_denominator(60) for value in frame[name]]
    expected = slowly(frame, by, top, bottom or "_one")
    rows = frame.assign(win=frame["win"].astype(float), chance=frame["chance"].astype(float))
    found = Ratio(rows, by, top, bottom).tally().frame(0.9)
    assert len(found) == len(expected)
    for row, (estimate, variance, n, games) in zip(found.itertuples(), expected.values(), strict=True):
        assert (row.n, row.games) == (n, games)
        assert row.estimate == pytest.approx(estimate, rel=1e-13)
        bounds = [float(edge) for edge in student(estimate, variance or np.nan, games - 1, 0.9)]  # none without spread
        assert [row.low, row.high] == pytest.approx(bounds, rel=1e-12, nan_ok=True)


def test_quantiles_are_those_of_a_slow_count():
    """Woodruff's bounds: the spread between games of the rows at or below the estimate, around the quantile."""
    frame = frame_of(300, 4)
    for row in quantiles(frame, "seat", "vp", at=[0.25, 0.5, 0.9]).itertuples():
        vp = frame.loc[frame["seat"] == row.seat].sort_values("vp")
        ranked, n = vp["vp"].to_numpy(), len(vp)
        assert row.estimate == ranked[int(np.ceil(row.quantile * n - 1e-9)) - 1] and row.n == n
        share = means.tally(vp.assign(below=vp["vp"] <= row.estimate), [], "below").moments
        of_one = (
            share.variance[0] / (share.estimate[0] * (1 - share.estimate[0])) if share.variance[0] else 1 / row.games
        )
        bounds = student(row.quantile, of_one * row.quantile * (1 - row.quantile), row.games - 1)
        for bound, found in zip(bounds, (row.low, row.high), strict=True):
            part = np.clip(bound, 0, 1)
            assert found == ranked[int(np.clip(np.ceil(part * n - 1e-9) - 1, 0, n - 1))]


def test_quantiles_of_long_games():
    """Games of many rows are sorted another way."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"game": np.repeat(range(20), 500), "vp": rng.integers(0, 50, 10_000)})
    frame["seat"] = rng.integers(0, 3, len(frame))
    found = quantiles(frame, "seat", "vp", at=[0.5])
    assert found["estimate"].tolist() == [
        frame.loc[frame["seat"] == seat, "vp"].quantile(0.5, interpolation="inverted_cdf") for seat in range(3)
    ]
    parts = [quantiles.tally(part, "seat", "vp", at=[0.5]) for part in pieces(frame, range(20))]
    identical(sum(parts).frame(), found)


def test_a_billion_games_are_counted_exactly():
    """Doubled thirty times: the counters outgrow 64 bits, the estimate keeps its last bit."""
    frame = frame_of(40, 6)
    for ask in ASKED.values():
        one = ask(frame, ["own"])
        many = reduce(lambda tally, _: tally + tally, range(30), one)
        before, after = one.frame(), many.frame()
        assert (after["n"] == before["n"] * 2**30).all() and (after["games"] == before["games"] * 2**30).all()
        assert (after["estimate"] == before["estimate"]).all()
        width = (before["high"] - before["low"]).fillna(np.inf)  # of a quantile that so few games do not bound
        assert ((after["high"] - after["low"]) <= width / 10).all()


@pytest.mark.parametrize("size", [1, 2**31, 2**40, 2**50])
def test_large_numbers_do_not_overflow(size):
    rng = np.random.default_rng(7)
    frame = pd.DataFrame({"game": np.arange(2_000) // 2, "vp": rng.integers(-size, size + 1, 2_000)})
    tally = means.tally(frame, [], "vp")
    tops = [sum(part) for part in zip(frame["vp"][::2].tolist(), frame["vp"][1::2].tolist(), strict=True)]
    expected = [sum(tops), sum(top * top for top in tops), 2 * sum(tops)]
    assert tally.cells.sums[0, :3].tolist() == expected
    assert all(type(part) is int for part in tally.cells.sums[0])


@given(st.lists(st.tuples(*[st.integers(-(2**61) + 1, 2**61 - 1)] * 2), max_size=30))
def test_products_in_digits_are_pythons(pairs):
    sums = np.zeros((1, DIGITS), np.int64)
    for a, b in pairs:
        add_product(sums, 0, a, b)
    assert whole(sums)[0] == sum(a * b for a, b in pairs)


@given(seed=st.integers(0, 2**32 - 1), by=st.permutations(KEYS), inner=st.integers(0, 2))
def test_numbers_of_groups_and_their_keys_go_together(seed, by, inner):
    """Many keys: so many combinations that only those that occur are numbered."""
    frame = frame_of(30, seed)
    groups = Groups(frame, by[inner:], by[:inner])
    order = [*by[inner:], *by[:inner]]
    assert groups.cell_keys(groups.cell_of_row).frame()[order].equals(frame[order])
    outer = groups.group_keys(groups.group_of_cell[groups.cell_of_row]).frame()
    assert outer.equals(frame[by[inner:]])
    ranked = frame[order].assign(_cell=groups.cell_of_row).drop_duplicates().sort_values(order)["_cell"]
    assert ranked.is_monotonic_increasing and ranked.is_unique
    assert groups.cells <= max(2**16, 2 * len(frame))


def test_sums_of_tallies_know_categories_that_only_some_parts_have():
    first = pd.DataFrame({"game": [0, 1], "hand": pd.Categorical(["a", "b"], ["b", "a"]), "vp": [1, 2]})
    second = pd.DataFrame({"game": [2], "hand": pd.Categorical(["c"], ["c"]), "vp": [3]})
    found = (means.tally(first, "hand", "vp") + means.tally(second, "hand", "vp")).frame()
    assert found["hand"].cat.categories.tolist() == ["b", "a", "c"] and found["estimate"].tolist() == [2, 1, 3]
    found = (shares.tally(first, [], "hand") + shares.tally(second, [], "hand")).frame()
    assert found["hand"].tolist() == ["b", "a", "c"] and found["estimate"].tolist() == pytest.approx([1 / 3] * 3)


def test_numbers_and_texts_of_other_kinds_meet_in_one_column():
    first = pd.DataFrame({"game": [0, 1], "key": np.array([5, 300], np.int16), "vp": [1, 2]})
    second = pd.DataFrame({"game": [2, 3], "key": np.array([5, 7], np.int8), "vp": [3, 4]})
    found = (means.tally(first, "key", "vp") + means.tally(second, "key", "vp")).frame()
    assert found["key"].dtype == np.int16 and found["key"].tolist() == [5, 7, 300]
    third = pd.DataFrame({"game": [4], "key": [np.nan], "vp": [5]})
    found = (means.tally(first, "key", "vp") + means.tally(third, "key", "vp")).frame()
    assert found["key"].tolist()[:2] == [5.0, 300.0] and np.isnan(found["key"].iloc[2])


def test_a_part_without_rows_changes_nothing():
    frame = frame_of(20)
    for ask in ASKED.values():
        nothing, all_rows = ask(frame.iloc[:0], ["hand", "seat"]), ask(frame, ["hand", "seat"])
        identical((nothing + all_rows).frame(), all_rows.frame())
        identical((all_rows + nothing).frame(), all_rows.frame())
        assert (nothing + nothing).frame().empty
    odd = pd.DataFrame({"game": [], "hand": [], "seat": [], "vp": []})
    identical((means.tally(odd, "hand", "vp") + means.tally(frame, "hand", "vp")).frame(), means(frame, "hand", "vp"))


def test_tallies_can_be_sent_to_other_processes():
    frame = frame_of(20)
    for ask in ASKED.values():
        tally = ask(frame, ["hand"])
        identical(pickle.loads(pickle.dumps(tally)).frame(), tally.frame())


def test_tallies_of_different_questions_do_not_add_up():
    frame = frame_of(20)
    by_hand = means.tally(frame, "hand", "vp")
    for other in (means.tally(frame, "seat", "vp"), rates.tally(frame, "hand", "win"), 1):
        with pytest.raises(TypeError, match="tallies of different questions"):
            by_hand + other
    with pytest.raises(TypeError):
        1 + by_hand
    with pytest.raises(TypeError, match="tallies of different questions"):
        quantiles.tally(frame, [], "vp", [0.1]) + quantiles.tally(frame, [], "vp", [0.2])


def test_any_level_follows_from_the_same_tally():
    tally, frame = rates.tally(frame_of(50), "hand", "taken"), frame_of(50)
    for level in (0.5, 0.95, 0.99):
        identical(tally.frame(level), rates(frame, "hand", "taken", level=level))


def test_missing_categories_count_among_the_rows():
    frame = pd.DataFrame({"game": range(4), "client": pd.Categorical(["a", None, "a", None], ["a", "b"])})
    found = shares(frame, [], "client")
    assert found["client"].tolist() == ["a", "b"] and found["estimate"].tolist() == [0.5, 0] and (found["n"] == 4).all()


@pytest.mark.parametrize(
    ("values", "unit"),
    [
        ([True, False], 1), ([3, -4], 1), ([3.0, 4.0], 1), ([1 / 3, 0.25], 60), ([1 / 7, 1 / 16], 720720),
        ([2.5, -1 / 6], 60), ([np.pi], 2**51), ([], 1), ([1e-300], 2**1049),
        (np.array([-128], np.int8), 1), (np.array([2**53 - 1]), 1),
    ],
)  # fmt: skip
def test_units(values, unit):
    whole_numbers, found, largest = exact(pd.DataFrame({"x": values}), "x")
    assert found == unit and largest == max(map(abs, whole_numbers.tolist()), default=0)
    assert [int(a) / found for a in whole_numbers] == pytest.approx(
        [float(value) for value in values], rel=1e-15, abs=0
    )


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([1.0, np.nan], "x: found nan in 1 rows, allowed numbers"),
        ([np.inf], "x: found inf"),
        ([1e300], "x: found 1e"),
        ([2**53], "x: found 9007199254740992 in 1 rows, allowed numbers below 9.0e"),
        (np.array([2**63], np.uint64), "x: found 9223372036854775808"),
        (["a"], "x: found (str|object), allowed numbers, or true and false"),
        (pd.Categorical(["a"]), "x: found category, allowed numbers"),
        (pd.array([1, None], "Int8"), "x: found nan in 1 rows"),
    ],
)
def test_values_that_cannot_be_counted_are_told(column, message):
    frame = pd.DataFrame({"game": range(len(column)), "x": column})
    for ask in (means, quantiles):
        with pytest.raises(ColumnError, match=message):
            ask(frame, [], "x")


def test_a_key_is_given_once():
    with pytest.raises(ColumnError, match='keys: found "seat" twice, allowed once'):
        means(frame_of(5), ["seat", "seat"], "vp")


def test_games_may_be_named_by_anything():
    frame = frame_of(30, 8)
    named = frame.assign(game=[f"game {number}" for number in frame["game"]])
    identical(means(named, "seat", "vp"), means(frame, "seat", "vp"))
    games = Clusters(pd.Series([5, 5, 2, 9, 2]))
    assert games.number.tolist() == [2, 2, 5, 5, 9] and games.longest == 2


def test_tallies_add():
    frame = frame_of(20)
    parts = [means.tally(part, "seat", "vp") for part in pieces(frame, [5, 12])]
    identical(sum(parts).frame(), reduce(add, parts).frame())


def test_without_the_jit_the_counts_are_the_same(python):
    code = """if True:
        import numpy as np, pandas as pd
        from sushibalance.stats import means, paired, quantiles
        rng = np.random.default_rng(1)
        frame = pd.DataFrame({"game": np.repeat(range(30), 4), "seat": [0, 1, 0, 1] * 30})
        frame["vp"], frame["big"] = rng.integers(0, 9, 120), rng.integers(-(2**50), 2**50, 120)
        pair = paired(means.observe(frame, [], "big"), means.observe(frame[frame["seat"] == 0], [], "big"))
        tallies = [means.tally(frame, "seat", "big"), quantiles.tally(frame, "seat", "vp"), pair.base, pair]
        print([[tally.groups.sums.tolist(), tally.cells.sums.tolist()] for tally in tallies])
    """
    assert python(code, NUMBA_DISABLE_JIT="1") == python(code)


def slowly_joined(parts):
    """Return categorical columns one below the other: all made alike, then put together."""
    names = list(dict.fromkeys(name for part in parts for name in part.cat.categories))
    return pd.concat([part.cat.set_categories(names) for part in parts], ignore_index=True)


@pytest.mark.parametrize("orders", [("abc", "abc"), ("abc", "cab"), ("ab", "dcb"), ("abc", "b", "xa")])
def test_columns_are_joined_with_the_categories_of_all(orders):
    parts = [pd.Series(pd.Categorical.from_codes([0, -1, len(order) - 1, 0], list(order))) for order in orders]
    pd.testing.assert_series_equal(joined(parts), slowly_joined(parts))


def test_joined_columns_are_ordered_where_all_have_one_order():
    ordered, other = (pd.Series(pd.Categorical(["a", None], list(names), ordered=True)) for names in ("abc", "cba"))
    assert joined([ordered, ordered]).dtype == ordered.dtype
    both = joined([ordered, other])
    assert not both.cat.ordered and both.tolist() == ["a", np.nan] * 2


def test_joined_numbers_and_texts_are_as_pandas_has_them():
    for parts in ([pd.Series([1], dtype=np.int8), pd.Series([300])], [pd.Series(["a"]), pd.Series([None, "b"])]):
        pd.testing.assert_series_equal(joined(parts), pd.concat(parts, ignore_index=True))
