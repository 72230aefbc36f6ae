"""Hands counted over all cards that can be dealt: against formulas, at the limits, and priced by their rarity."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
import pytest
from otter_small_decks import EVERYONE_KNOWS_ALL, RULES, hands_of, small

from sushibalance import load_rules
from sushibalance.analysis.exact_hands import exact, price_against_rarity
from sushibalance.errors import UserError
from sushibalance.games.otter import automata
from sushibalance.games.otter.counting import best_hands, formable

# ---------------------------------------------------------------- formulas


def test_five_cards_by_the_standard_hand_table():
    """Hand Details, Standard Hand Table: the formulas of poker, for five suits of thirteen."""
    straight_flush = 5 * 9
    flush = 5 * comb(13, 5) - straight_flush
    straight = 9 * 5**5 - straight_flush
    one_pair = 13 * comb(5, 2) * comb(12, 3) * 5**3
    two_pair = comb(13, 2) * comb(5, 2) ** 2 * 11 * 5
    no_hand = comb(13, 5) * 5**5 - flush - straight - straight_flush
    assert hands_of(RULES, 5) == {
        "no_hand": no_hand,
        "one_pair": one_pair,
        "two_pair": two_pair,
        "three_of_a_kind": 13 * comb(5, 3) * comb(12, 2) * 5**2,
        "straight": straight,
        "flush": flush,
        "full_house": 13 * comb(5, 3) * 12 * comb(5, 2),
        "four_of_a_kind": 13 * comb(5, 4) * 12 * 5,
        "straight_flush": straight_flush,
        "five_of_a_kind": 13,
    }


@pytest.mark.parametrize("cards", [5, 8, 9, 10, 12])
@pytest.mark.parametrize(
    "rules",
    [RULES, EVERYONE_KNOWS_ALL, load_rules("otter/inventions"), load_rules("otter/flush_8")],
    ids=["printed", "all known", "inventions", "flush_8"],
)
def test_every_set_of_cards_has_one_best_hand(rules, cards):
    counts = hands_of(rules, cards)
    assert sum(counts.values()) == comb(65, cards)
    assert min(counts.values()) >= 0
    assert exact(cards, rules)["share"].sum() == pytest.approx(1)


def power(row, times, length):
    """Return a polynomial's power, cut after the term of ``length``, in whole numbers."""
    result = [1] + [0] * length
    for _ in range(times):
        result = [sum(result[i] * row[n - i] for i in range(n + 1) if n - i < len(row)) for n in range(length + 1)]
    return result


@pytest.mark.parametrize("cards", [8, 9, 10])
def test_what_cards_can_form_by_generating_functions(cards):
    """Hand Details: a suit, a number at a time."""
    sets, can = comb(65, cards), formable(RULES, cards)
    no_flush = power([comb(13, k) for k in range(5)], 5, cards)[cards]
    assert can["flush"] == sets - no_flush
    for hand, most in (("one_pair", 1), ("three_of_a_kind", 2), ("four_of_a_kind", 3), ("five_of_a_kind", 4)):
        assert can[hand] == sets - power([comb(5, k) for k in range(most + 1)], 13, cards)[cards]
    for hand, fitting in (("all_even", 30), ("all_odd", 35), ("all_low", 30)):
        assert can[hand] == sum(comb(fitting, k) * comb(65 - fitting, cards - k) for k in range(5, cards + 1))
        suits = power([sum(comb(fitting // 5, k) * comb(13 - fitting // 5, n - k) for k in range(min(n, 4) + 1))
                       for n in range(14)], 5, cards)  # fmt: skip
        assert can[f"flush_{hand[4:]}"] == sets - suits[cards]
    assert can["five_suits"] == sum((-1) ** k * comb(5, k) * comb(13 * (5 - k), cards) for k in range(6))
    one_each = [0, 5, 10, 10, 5, 1]
    with_row = 0  # the Fibonacci rows 1 1 2 3 5, 1 2 3 5 8, 2 3 5 8 13
    for rows in (sub for size in (1, 2, 3) for sub in combinations(([2, 1, 1, 1], [1] * 5, [0, 1, 1, 1, 1, 1]), size)):
        least = [max((row[i] if i < len(row) else 0) for row in rows) for i in range(6)]
        numbers = [1]
        for need in least:
            some = [0 if n < need else ([1, *one_each[1:]][n]) for n in range(6)]
            numbers = [sum(numbers[i] * some[n - i] for i in range(len(numbers)) if 0 <= n - i < 6)
                       for n in range(len(numbers) + 5)]  # fmt: skip
        others = power([1, *one_each[1:]], 7, cards)
        with_row -= (-1) ** len(rows) * sum(numbers[n] * others[cards - n] for n in range(min(len(numbers), cards + 1)))
    assert can["fibonacci"] == with_row


def no_run_of_five(weights, cards):
    """Return the coefficient for so many cards of sums over sets of numbers without five in a row."""
    states = {(0, 0): 1}
    for row in weights:
        after: dict[tuple[int, int], int] = {}
        for (run, held), ways in states.items():
            for k, weight in enumerate(row):
                state = (run + 1 if k else 0, held + k)
                if state[0] < 5 and state[1] <= cards:
                    after[state] = after.get(state, 0) + ways * weight
        states = after
    return sum(ways for (_, held), ways in states.items() if held == cards)


@pytest.mark.parametrize("cards", [8, 9, 10])
def test_straights_by_runs(cards):
    """Hand Details: five numbers in a row; in a straight flush of one suit."""
    sets, can = comb(65, cards), formable(RULES, cards)
    assert can["straight"] == sets - no_run_of_five([[comb(5, k) for k in range(6)]] * 13, cards)
    suit = [no_run_of_five([[1, 1]] * 13, n) for n in range(cards + 1)]
    assert can["straight_flush"] == sets - power(suit, 5, cards)[cards]


# ---------------------------------------------------------------- decks, ties, bad input


@pytest.mark.parametrize(("suits", "numbers"), [(6, 16), (2, 16), (6, 5), (4, 13)])
def test_decks_up_to_the_limits(suits, numbers):
    rules = small(suits, numbers)
    for cards in (5, 8, 10):
        can = formable(rules, cards)
        sets = comb(suits * numbers, cards)
        assert sum(best_hands(rules, cards).values()) == sets
        assert can["one_pair"] == sets - comb(numbers, cards) * suits**cards
        no_flush = power([comb(numbers, k) for k in range(5)], suits, cards)[cards]
        assert can["flush"] == sets - no_flush


def test_equal_hands_go_to_the_first_in_the_file():
    """Hand Details name no order: as `best_play` names a reveal, the first in the file, and no hand at last."""
    two = {"cards": 2, "score": 3, "vp": 1}
    nothing = {"cards": 1, "otherwise": True, "score": 3, "vp": 1}
    pair, suit = {**two, "groups": [2]}, {**two, "same_suit": True}
    first = best_hands(small(3, 5, hands={"nothing": nothing, "pair": pair, "suit": suit}), 2)
    second = best_hands(small(3, 5, hands={"nothing": nothing, "suit": suit, "pair": pair}), 2)
    assert first == second == {"nothing": comb(15, 2) - 15 - 30, "pair": 15, "suit": 30}
    three = best_hands(small(3, 5, hands={"suit": suit, "pair": pair, "nothing": nothing}), 4)
    assert three == {"suit": comb(15, 4), "pair": 0, "nothing": 0}  # four cards of three suits
    always = small(3, 5, hands={"nothing": nothing, "pair": pair}, readings={"no_hand": "always"})
    assert best_hands(always, 2) == {"nothing": comb(15, 2), "pair": 0}


@pytest.mark.parametrize(
    ("cards", "found"), [(0, "0"), (13, "13"), (8.0, "8.0"), ("8", "'8'"), (True, "True"), (None, "None")]
)
def test_cards_that_nobody_can_hold(cards, found):
    with pytest.raises(UserError, match=f"cards: found {found}, allowed 1 to 12"):
        exact(cards)
    with pytest.raises(UserError, match=f"cards: found {found}, allowed 1 to 12"):
        price_against_rarity(cards)


def test_fewer_cards_than_must_be_revealed_or_more_than_the_deck_has():
    with pytest.raises(UserError, match="cards: found 2, allowed 3 to 10"):
        exact(2, small(2, 5, reveal=(3, 5)))


@pytest.mark.parametrize("rules", [load_rules("sushi_go"), "otter"])
def test_rules_of_another_game(rules):
    with pytest.raises(UserError, match=r"rules: found .(sushi_go|otter)., allowed rules of Sushi Otter"):
        exact(8, rules)


def test_tables_too_large_for_the_memory(monkeypatch):
    monkeypatch.setattr(automata, "MOST_PLACES", 500)
    with pytest.raises(UserError, match=r"found a table of [\d,]+ places, allowed 500"):
        exact(8)


# ---------------------------------------------------------------- prices


def test_price_against_rarity():
    table = price_against_rarity(8, vp_weight=3).set_index("hand")
    assert list(table.index) == list(RULES.hands)
    assert table.loc["four_of_a_kind", ["score", "vp", "price"]].tolist() == [14, 2, 20]
    assert table["new"].sum() == 9 and table.loc[table["new"], "share"].isna().all()
    assert table["share"].sum() == pytest.approx(1)
    assert table.loc["flush", "formable"] == formable(RULES, 8)["flush"] / comb(65, 8)
    assert table.loc["no_hand", ["formable", "rarity", "expected", "residual"]].isna().all()
    basic = table[~table["new"]].drop("no_hand")
    slope, start = np.polyfit(basic["price"], np.log10(1 / basic["formable"]), 1)
    on_line = start + slope * table["price"].drop("no_hand")
    np.testing.assert_allclose(table["expected"].drop("no_hand"), on_line)
    np.testing.assert_allclose(table["residual"].drop("no_hand"), table["rarity"].drop("no_hand") - on_line)
    assert basic["residual"].sum() == pytest.approx(0)


def test_the_same_hand_at_a_higher_price_is_rarer_for_less():
    """A new hand is held against the line of the basic hands: a point of price, a point of the line."""
    dear = {"cards": 5, "same_suit": True, "score": 30, "vp": 1}
    learn_dear = {"type": "new_hand", "hands": ["dear"]}
    rules = RULES.vary({"hands.dear": dear, "key_clients.learn_dear": learn_dear})
    table = price_against_rarity(8, rules).set_index("hand")
    flush, dear = table.loc["flush"], table.loc["dear"]
    slope = (table.loc["one_pair", "expected"] - flush["expected"]) / (table.loc["one_pair", "price"] - flush["price"])
    assert dear["new"] and not flush["new"] and slope > 0
    assert dear["rarity"] == flush["rarity"]
    assert dear["residual"] == pytest.approx(flush["residual"] - 20 * slope)


def test_the_share_in_play_stands_beside():
    rng = np.random.default_rng(1)
    names = list(RULES.hands)
    rounds = pd.DataFrame({"game": np.repeat(np.arange(50), 8), "hand": rng.choice(names[:4], 400)})
    table = price_against_rarity(8, rounds=rounds).set_index("hand")
    assert table.loc["one_pair", "played"] == (rounds["hand"] == "one_pair").mean()
    assert (table["n"] == 400).all() and (table["games"] == 50).all()
    assert ((table["low"] <= table["played"]) & (table["played"] <= table["high"])).all()
    assert table.loc["five_suits", "played"] == 0
    wide = price_against_rarity(8, rounds=rounds, level=0.99).set_index("hand")
    assert wide.loc["one_pair", "high"] > table.loc["one_pair", "high"]


def test_rounds_of_other_rules():
    rounds = pd.DataFrame({"game": [0], "hand": ["four_suits"]})
    with pytest.raises(UserError, match='rounds: found the hand "four_suits", allowed the hands of the rules: no_hand'):
        price_against_rarity(8, rounds=rounds)
    with pytest.raises(UserError, match='rounds: no column "hand"'):
        price_against_rarity(8, rounds=rounds[["game"]])
    with pytest.raises(UserError, match="vp_weight: found -1, allowed a number from 0 to 1000"):
        price_against_rarity(8, vp_weight=-1)


def test_no_line_through_too_few_hands():
    """Two hands are always on a line; hands of one price are on none."""
    nothing = {"cards": 1, "otherwise": True, "score": 0, "vp": 0}
    same = {"cards": 2, "groups": [2], "score": 3, "vp": 0}
    suit = {"cards": 3, "same_suit": True, "score": 5, "vp": 0}
    few = price_against_rarity(5, small(3, 5, hands={"nothing": nothing, "pair": same, "suit": suit}))
    assert few["rarity"].notna().sum() == 2 and few[["expected", "residual"]].isna().all(axis=None)
    hands = {
        "nothing": nothing,
        "pair": same,
        "suit": {**suit, "score": 3},
        "two": {**same, "cards": 4, "groups": [2, 2]},
    }
    assert price_against_rarity(5, small(3, 5, hands=hands))["residual"].isna().all()


def test_a_hand_that_no_cards_form():
    """No printed cards show a full house of one suit; Change cards may."""
    rules = RULES.vary({"hands.flush_house": {"cards": 5, "groups": [3, 2], "same_suit": True, "score": 40, "vp": 9}})
    assert hands_of(rules, 8)["flush_house"] == 0
    table = price_against_rarity(8, rules).set_index("hand")
    assert table.loc["flush_house", "formable"] == 0
    assert table.loc["flush_house", ["rarity", "residual"]].isna().all()
    printed = price_against_rarity(8).set_index("hand")
    np.testing.assert_array_equal(table["residual"].drop("flush_house"), printed["residual"])
