"""Hands counted over all cards that can be dealt: against formulas, against lists of all sets, against the engine."""

from __future__ import annotations

import random
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
import pytest
from reference import otter as reference

from sushibalance import load_rules
from sushibalance.analysis.exact_hands import exact, price_against_rarity
from sushibalance.core.jit import kernel
from sushibalance.errors import UserError
from sushibalance.games.otter import automata
from sushibalance.games.otter.counting import best_hands, formable
from sushibalance.games.otter.kernel import learn, search
from sushibalance.games.otter.kernel import state as s
from sushibalance.games.otter.rules import OtterRules
from sushibalance.games.otter.tables import rules_table

RULES = load_rules("otter")
NEW_HANDS = {f"key_clients.{name}": None for name, card in RULES.key_clients.items() if card.type == "new_hand"}
EVERYONE_KNOWS_ALL = RULES.vary(NEW_HANDS)
PRINTED = RULES.model_dump(mode="json")["hands"]
SIX_SUITS = [*RULES.deck.suits, "crab"]


def hands_of(rules, cards):
    return dict(exact(cards, rules)[["hand", "count"]].itertuples(index=False))


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


# ---------------------------------------------------------------- all sets, listed


def five_card_hands():
    """Yield (numbers, suits) of all sets of five cards, both ascending by card, in portions."""
    cards = np.array(list(combinations(range(65), 3)), np.int16)
    for first, second in combinations(range(65), 2):
        rest = cards[cards[:, 0] > second]
        five = np.concatenate([np.full((len(rest), 2), (first, second), np.int16), rest], axis=1)
        yield five % 13, five // 13


@pytest.mark.slow
def test_five_cards_listed():
    """Hand Details: each of the 8,259,888 sets of five cards, looked at."""
    found = dict.fromkeys((name for name in RULES.hands if name not in RULES.new_hands), 0)
    for numbers, suits in five_card_hands():
        numbers = np.sort(numbers, axis=1)
        pairs = (numbers[:, :, None] == numbers[:, None, :]).sum(axis=(1, 2))  # 5 and 2 for each pair of equal cards
        flush = (suits == suits[:, :1]).all(axis=1)
        straight = (np.diff(numbers, axis=1) == 1).all(axis=1)
        kinds = {5: "no_hand", 7: "one_pair", 9: "two_pair", 11: "three_of_a_kind", 13: "full_house",
                 17: "four_of_a_kind", 25: "five_of_a_kind"}  # fmt: skip
        names = np.array([kinds.get(count, "") for count in range(26)])[pairs]
        names = np.where(
            straight & flush, "straight_flush", np.where(flush, "flush", np.where(straight, "straight", names))
        )
        for name, count in zip(*np.unique(names, return_counts=True), strict=True):
            found[name] += int(count)
    assert hands_of(RULES, 5) == found


def listed(rules):
    """Return {cards: (best hands, formable)} by looking at every reveal of a small deck."""
    deck = [(suit, number) for suit in rules.deck.suits for number in range(1, rules.deck.numbers + 1)]
    new, names, always = set(rules.new_hands), list(rules.hands), rules.readings.no_hand == "always"
    basic = [name for name in names if name not in new]
    hands = rules.hands
    ranked = sorted(basic, key=lambda name: (-hands[name].score, -hands[name].vp, hands[name].otherwise and not always))
    rank = {name: place for place, name in enumerate(ranked)}
    knows_all = reference.Player(new_hands=tuple(new))
    best, forms = np.full(1 << len(deck), len(ranked), np.int8), np.zeros(1 << len(deck), np.int64)
    for size in range(rules.play.reveal_at_least, rules.play.reveal_at_most + 1):
        for places in combinations(range(len(deck)), size):
            cards, mask = tuple(deck[place] for place in places), sum(1 << place for place in places)
            best[mask] = min(rank[name] for name in reference.declarable(cards, rules))
            for bit, name in enumerate(names):
                if not hands[name].otherwise and reference.forms(cards, hands[name], rules, knows_all):
                    forms[mask] |= 1 << bit
    for place in range(len(deck)):  # from each set of cards to those with a card more
        less, more = best.reshape(-1, 2, 1 << place)[:, 0], best.reshape(-1, 2, 1 << place)[:, 1]
        np.minimum(more, less, out=more)
        less, more = forms.reshape(-1, 2, 1 << place)[:, 0], forms.reshape(-1, 2, 1 << place)[:, 1]
        np.bitwise_or(more, less, out=more)
    held = np.bitwise_count(np.arange(1 << len(deck)))
    result = {}
    for cards in range(rules.play.reveal_at_least, min(len(deck), 12) + 1):
        counts = np.bincount(best[held == cards], minlength=len(ranked))
        can = forms[held == cards]
        result[cards] = (
            {name: int(counts[rank[name]]) for name in basic},
            {name: int((can >> bit & 1).sum()) for bit, name in enumerate(names) if not hands[name].otherwise},
        )
    return result


def small(suits, numbers, *, hands=None, readings=(), fibonacci=(1, 1, 2, 3, 5), reveal=(1, 5)):
    """Return rules of a small deck; None where no table could play invented hands."""
    values = RULES.model_dump(mode="json")
    names = SIX_SUITS[:suits]
    hands = PRINTED | {"five_suits": {**PRINTED["five_suits"], "cards": min(suits, 5)}} if hands is None else hands
    anything = {"type": "change", "times": 1, "conversions": [{"to": {"numbers": "any"}}]}
    values |= {
        "deck": {"suits": names, "numbers": numbers},
        "card_scores": {suit: {str(number): 0 for number in range(1, numbers + 1)} for suit in names},
        "round_cards": {"2": {"1": [1, 0, 0]}},
        "hands": hands,
        "fibonacci": list(fibonacci),
        "key_clients": {name: card for name, card in values["key_clients"].items() if set(card["hands"]) <= set(hands)},
        "power_ups": {"1": anything},  # with it, a hand may ask for more cards of a number than there are suits
    }
    values["play"] |= {"rounds": 1, "hand_limit": 5, "reveal_at_least": reveal[0], "reveal_at_most": reveal[1]}
    values["readings"] |= {"never_by_change": [], **dict(readings)}
    rules = OtterRules.model_validate(values)
    impossible = {key.split(".")[1] for key, _, _ in rules.impossible() if key.startswith("hands.")}
    if impossible:
        possible = {name: hand for name, hand in hands.items() if name not in impossible}
        return small(suits, numbers, hands=possible, readings=readings, fibonacci=fibonacci, reveal=reveal)
    return None if list(rules.impossible()) else rules


INVENTED = {
    "triple_run": {"cards": 3, "run": "straight", "same_suit": True, "score": 13, "vp": 0},
    "four_suits": {"cards": 4, "different": "suits", "score": 6, "vp": 0},
    "rainbow": {"cards": 5, "run": "straight", "different": "numbers", "score": 12, "vp": 0},
    "even_pairs": {"cards": 4, "groups": [2, 2], "numbers": "even", "score": 12, "vp": 1},
    "flush_and_suits": {"cards": 3, "same_suit": True, "different": "suits", "score": 11, "vp": 0},
    "run_of_pairs": {"cards": 3, "groups": [3], "run": "straight", "score": 23, "vp": 0},
}
CASES = {
    "printed hands": {},
    "contained (O1)": {"readings": {"kinds": "contained"}},
    "no hand always (O1)": {"readings": {"no_hand": "always"}},
    "highest score (O2)": {"readings": {"declared_hand": "highest_score"}},
    "no hand pays more than some (O1)": {"hands": {**PRINTED, "no_hand": {**PRINTED["no_hand"], "score": 11}}},
    "no hand pays more, five revealed": {
        "hands": {**PRINTED, "no_hand": {**PRINTED["no_hand"], "score": 11}},
        "reveal": (5, 5),
    },
    "at least three revealed": {"reveal": (3, 5)},
    "at most four revealed": {"reveal": (1, 4), "hands": {n: h for n, h in PRINTED.items() if h["cards"] < 5}},
    "inventions": {"hands": {**PRINTED, **INVENTED}},
    "inventions, same cards (O4)": {"hands": {**PRINTED, **INVENTED}, "readings": {"lowered_parts": "same_cards"}},
    "inventions, contained, same cards": {
        "hands": {**PRINTED, **INVENTED},
        "readings": {"lowered_parts": "same_cards", "kinds": "contained"},
    },
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_all_sets_of_a_small_deck(case):
    """Hand Details and New Hands, readings O1, O2, O4: each reveal of each hand of cards, by the reference."""
    rules = small(3, 5 if case else 6, **case)
    for cards, (best, can) in listed(rules).items():
        assert best_hands(rules, cards) == best, cards
        assert formable(rules, cards) == can, cards


def random_hand(rng, numbers, most):
    cards = rng.randint(1, most)
    hand: dict = {"cards": cards, "score": rng.randint(0, 6), "vp": rng.randint(0, 1)}
    if rng.random() < 0.45 and cards >= 2:
        hand["groups"] = rng.choice([[cards], *([size, cards - size] for size in range(2, cards - 1))])
    if rng.random() < 0.35 and cards >= 3:
        hand["run"] = rng.choice(["straight", "fibonacci"])
    if rng.random() < 0.35:
        hand["same_suit"] = True
    if rng.random() < 0.3:
        some = sorted(rng.sample(range(1, numbers + 1), rng.randint(1, 4)))
        hand["numbers"] = rng.choice(["odd", "even", f"1-{rng.randint(2, numbers)}", some])
    if rng.random() < 0.3:
        hand["different"] = rng.choice(["numbers", "suits"])
    return hand


def random_rules(rng, suits, numbers):
    """Return a rule set with an invented hand table (docs/otter-vocabulary.md, Hands and Readings)."""
    rules = None
    while rules is None:
        reveal = rng.choice([(1, 5), (1, 5), (1, 4), (1, 3), (2, 5), (3, 5), (5, 5), (2, 4)])
        hands = {f"hand_{i}": random_hand(rng, numbers, reveal[1]) for i in range(rng.randint(1, 8))}
        items = [(name, hand) for name, hand in hands.items() if len(hand) > 3]
        nothing = {"cards": 1, "otherwise": True, "score": rng.choice([0, 0, 3, 4, 9]), "vp": 0}
        items.insert(rng.randint(0, len(items)), ("nothing", nothing))
        row = [number for number in range(1, numbers + 1) for _ in range(2)]
        rng.shuffle(row)
        row = row[: rng.randint(3, 8)]
        rules = small(
            suits,
            numbers,
            hands=dict(items),
            fibonacci=sorted(row) if rng.random() < 0.5 else row,
            reveal=reveal,
            readings={
                "kinds": rng.choice(["exact", "exact", "contained"]),
                "no_hand": rng.choice(["only_when_nothing_forms", "only_when_nothing_forms", "always"]),
                "declared_hand": rng.choice(["player_chooses", "highest_score"]),
                "lowered_parts": rng.choice(["apart", "apart", "same_cards"]),
            },
        )
    return rules


def check_random(seed, suits, numbers):
    rules = random_rules(random.Random(seed), suits, numbers)
    for cards, (best, can) in listed(rules).items():
        assert best_hands(rules, cards) == best, (seed, cards, rules.hands, rules.readings, rules.play)
        assert formable(rules, cards) == can, (seed, cards, rules.hands, rules.readings, rules.play)


@pytest.mark.parametrize("seed", range(24))
def test_random_hand_tables(seed):
    check_random(seed, *((2, 5), (2, 7), (3, 5), (2, 8))[seed % 4])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 220))
def test_many_random_hand_tables(seed):
    check_random(seed, *((2, 8), (3, 5), (3, 6), (4, 5))[seed % 4])


# ---------------------------------------------------------------- the engine


@kernel
def best_of_each(rules, own, hands, choice, found):
    """Write the hand that the engine declares with the best play of each hand of cards."""
    for i in range(hands.shape[0]):
        own.n_hand = hands.shape[1]
        for j in range(hands.shape[1]):
            own.hand[j] = hands[i, j]
        choice[:] = 0
        _, found[i] = search.best_play(rules, own, 1, 0.0, choice)


def without_icons(rules):
    """Return rules whose best play is that of the hand alone."""
    scores = {suit: {number: 0 for number in row} for suit, row in rules.card_scores.items()}
    return rules.vary({"card_scores": scores})


ENGINE_CASES = {
    "printed": RULES,
    "all known": EVERYONE_KNOWS_ALL,
    "contained": RULES.vary({"readings.kinds": "contained"}),
    "highest score, no hand pays more": RULES.vary(
        {"readings.declared_hand": "highest_score", "hands.no_hand.score": 5, "play.reveal_at_least": 2}
    ),
    "inventions": RULES.vary({f"hands.{name}": hand for name, hand in INVENTED.items()}),
}


@pytest.mark.parametrize("cards", [8, 9, 10])
@pytest.mark.parametrize("rules", ENGINE_CASES.values(), ids=ENGINE_CASES)
def test_random_cards_played_by_the_engine(rules, cards):
    """Hand Details: what `best_play` declares with random cards, icons apart, comes up as often as counted."""
    games = 40_000
    rules = without_icons(rules)
    table = rules_table(rules)
    own = np.zeros(1, s.OWN).view(np.recarray)
    learn.forget(table[0], own[0])
    rng = np.random.default_rng(cards)
    deck = table[0].card_code[: table[0].n_cards]
    dealt = np.sort(deck[np.argsort(rng.random((games, len(deck))), axis=1)[:, :cards]], axis=1)
    found = np.zeros(games, np.int64)
    best_of_each(table[0], own[0], dealt, np.zeros(s.CHOICE, np.int64), found)
    worth = {name: (hand.score, hand.vp) for name, hand in rules.hands.items()}
    names = list(rules.hands)
    seen = pd.Series([worth[names[hand]] for hand in found.tolist()]).value_counts()
    table_of = exact(cards, rules)
    shares = table_of.groupby(table_of["hand"].map(worth).astype(object))["share"].sum()
    assert set(seen.index) <= set(shares[shares > 0].index)
    for value, share in shares.items():
        spread = np.sqrt(games * share * (1 - share))
        if spread > 0:
            assert abs(seen.get(value, 0) - games * share) < 4 * spread + 1, value


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
