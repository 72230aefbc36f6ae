"""Hands counted over all cards that can be dealt: against lists of all sets, and against the engine's play."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from otter_small_decks import EVERYONE_KNOWS_ALL, PRINTED, RULES, hands_of, small
from reference import otter as reference

from sushibalance.analysis.exact_hands import exact
from sushibalance.core.jit import kernel
from sushibalance.games.otter.counting import best_hands, formable
from sushibalance.games.otter.kernel import learn, search
from sushibalance.games.otter.kernel import state as s
from sushibalance.games.otter.tables import rules_table

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
