"""How many sets of cards are best played as which hand, over all that can be dealt: exact, and not one by one.

`automata` tells which sets of cards contain no reveal that forms a hand. The sets that form none of the best hands,
the best two, the best three and so on are counted by the paths through these tables, with the states of all of them
side by side: each set takes one path. Suits are alike, so paths that differ only in the names of suits are one. A
hand is the best one of as many sets as its turn takes away.
"""

from __future__ import annotations

from functools import reduce

import numpy as np

from sushibalance.games.otter.automata import (
    ROWS,
    Alphabet,
    Automaton,
    anything,
    both,
    check,
    numbered,
    reading,
    without,
)
from sushibalance.games.otter.forming import Part, Size, parts, so_many
from sushibalance.games.otter.rules import Hand, OtterRules


def best_hands(rules: OtterRules, cards: int) -> dict[str, int]:
    """Return of how many sets of so many cards each hand is the best.

    For a player without power-ups and Key Client cards: basic hands only. The best hand is the one with most score;
    among equals, that with most VP; then the first in the rule file. One for cards that form nothing (``otherwise``,
    reading ``no_hand``) comes after its equals, as `best_play` names the hand of a reveal.
    """
    always = rules.readings.no_hand == "always"
    basic = {name: hand for name, hand in rules.hands.items() if name not in rules.new_hands}
    ranked = sorted(basic, key=lambda name: (-basic[name].score, -basic[name].vp, basic[name].otherwise and not always))
    counts, sets = dict.fromkeys(basic, 0), _Sets(rules, cards)
    left = sets.count()
    for name in ranked:
        if not basic[name].otherwise:
            sets.leave_out(*_forming(rules, basic[name], _reveal_size(rules)))
        elif always or name == ranked[-1]:
            sets.leave_out_all()
        else:
            sets.leave_out(_forming_none(rules, [hand for hand in basic.values() if not hand.otherwise]))
        after = sets.count()
        counts[name], left = left - after, after
    return counts


def formable(rules: OtterRules, cards: int) -> dict[str, int]:
    """Return how many sets of so many cards can form each hand, whatever else they can form.

    New hands as for a player who has learned them; the hand with ``otherwise`` is left out.
    """
    counts = {}
    for name, hand in rules.hands.items():
        if not hand.otherwise:
            sets = _Sets(rules, cards)
            all_sets = sets.count()
            sets.leave_out(*_forming(rules, hand, _reveal_size(rules)))
            counts[name] = all_sets - sets.count()
    return counts


# ---------------------------------------------------------------- reveals


def _reveal_size(rules: OtterRules) -> Size:
    return Size(rules.play.reveal_at_least, rules.play.reveal_at_most)


def _forming(rules: OtterRules, hand: Hand, size: Size) -> list[Automaton]:
    """Return the reveals of a size that form a hand: one kind, or with a flush one for each tracked suit."""
    suits = len(rules.deck.suits)
    alphabet = Alphabet(suits, suits if hand.different == "suits" else int(hand.same_suit))
    flushes = alphabet.tracked if hand.same_suit else 1
    return [_forming_in(rules, hand, size, alphabet, suit) for suit in range(flushes)]


def _forming_in(rules: OtterRules, hand: Hand, size: Size, alphabet: Alphabet, suit: int) -> Automaton:
    """Return the reveals that form a hand, a flush being of one tracked suit."""

    def showing(*shown: Part) -> Automaton:
        return reduce(both, (reading(part, alphabet, rules.deck.numbers) for part in shown))

    groups, others = parts(rules, hand, suit)
    if rules.readings.lowered_parts == "apart" or not others or hand.cards == size.high:
        return showing(so_many(size), *groups, *others)
    same_cards = showing(so_many(Size(hand.cards, hand.cards)), *others)
    return both(showing(so_many(size), *groups), without(same_cards, size), but=True)


def _forming_none(rules: OtterRules, hands: list[Hand]) -> Automaton:
    """Return reveals that form none of the hands, enough of them to tell which sets contain any."""
    size, suits = _reveal_size(rules), len(rules.deck.suits)
    if size.low == 1 or rules.readings.kinds == "contained":
        # Fewer cards show nothing new. (If groups are exact, fewer can show a smaller group, but one card shows none.)
        size = Size(size.low, size.low)
    by_suit = any(hand.same_suit or hand.different == "suits" for hand in hands)
    alphabet = Alphabet(suits, suits if by_suit else 0)
    result = reading(so_many(size), alphabet, rules.deck.numbers)
    for hand in hands:
        for reveals in _forming(rules, hand, size):
            for suit in range(suits if reveals.alphabet.tracked == 1 else 1):
                result = both(result, _retold(reveals, alphabet, suit), but=True)
    return result


def _retold(automaton: Automaton, alphabet: Alphabet, suit: int) -> Automaton:
    """Return an automaton in an alphabet where all suits are tracked or none; it may track one, this one."""
    if automaton.alphabet == alphabet:
        return automaton
    letters = [automaton.alphabet.letter(letter.suits, suit) for letter in alphabet.letters]
    return Automaton(alphabet, [table[:, letters] for table in automaton.steps])


# ---------------------------------------------------------------- sets


class _Sets:
    """Sets of so many cards of the deck; those that contain certain reveals are left out step by step.

    They are the sets inside three automata: one reads how many cards there are of each number, one reads it for each
    suit and tracks that suit, one tracks all suits.
    """

    def __init__(self, rules: OtterRules, cards: int) -> None:
        self.suits, self.numbers, self.size = len(rules.deck.suits), rules.deck.numbers, Size(cards, cards)
        self.kept = {tracked: anything(Alphabet(self.suits, tracked), self.numbers) for tracked in (0, 1, self.suits)}
        self.kept[0] = reading(so_many(self.size), Alphabet(self.suits, 0), self.numbers)
        self.renamed = _renamed(self.kept[self.suits])

    def leave_out(self, *kinds: Automaton) -> None:
        """Leave out the sets that contain a reveal of one of these kinds."""
        for reveals in filter(None, kinds):
            tracked = reveals.alphabet.tracked
            self.kept[tracked] = both(self.kept[tracked], without(reveals, self.size))
            if tracked == self.suits and self.kept[tracked]:
                self.renamed = _renamed(self.kept[tracked])

    def leave_out_all(self) -> None:
        """Leave out all that is left."""
        self.kept[0] = both(self.kept[0], self.kept[0], but=True)

    def count(self) -> int:
        """Return how many sets are left."""
        if not all(self.kept.values()):
            return 0
        by_size, by_suit, by_all = (self.kept[tracked] for tracked in (0, 1, self.suits))
        held = range(1 << self.suits)
        sizes = [by_size.alphabet.letter(mask) for mask in held]
        singles = [[by_suit.alphabet.letter(mask, suit) for mask in held] for suit in range(self.suits)]
        alls = [by_all.alphabet.letter(mask) for mask in held]
        states, sets = np.zeros((1, self.suits + 2), np.int64), np.ones(1, np.int64)
        for number in range(self.numbers):
            found = []
            for start in range(0, len(states), ROWS):
                size, *single, every = states[start : start + ROWS].T
                after = [by_size.steps[number][size][:, sizes]]
                after += [by_suit.steps[number][single[suit]][:, singles[suit]] for suit in range(self.suits)]
                after += [by_all.steps[number][every][:, alls]]
                alive = np.all([part >= 0 for part in after], axis=0)
                rows = np.stack([part[alive] for part in after], axis=-1)
                _rename(rows, self.renamed[number])
                found.append(_merged(rows, np.broadcast_to(sets[start : start + ROWS, None], alive.shape)[alive]))
            states, sets = _merged(*map(np.concatenate, zip(*found, strict=True)))
            check(len(states), by_all.alphabet)
            if not len(states):
                break
        return int(sets.sum())


def _renamed(automaton: Automaton) -> list[np.ndarray]:
    """Return after each number, by state and suit, the state that it is with this suit and the next exchanged."""
    masks = range(1 << automaton.alphabet.suits)
    letters = np.array([automaton.alphabet.letter(mask) for mask in masks])
    pairs = range(automaton.alphabet.suits - 1)
    exchanged = [letters[[_exchanged(mask, suit) for mask in masks]] for suit in pairs]
    before, result = np.zeros((1, len(pairs)), np.int64), []
    for table in automaton.steps:
        to = table[:, letters]
        alive = to >= 0
        after = np.zeros((to.max() + 1, len(pairs)), np.int64)
        for suit in pairs:
            after[to[alive], suit] = table[before[:, suit]][:, exchanged[suit]][alive]
        result.append(after)
        before = after
    return result


def _exchanged(mask: int, suit: int) -> int:
    """Return a mask of suits with this suit and the next exchanged."""
    differ = (mask >> suit ^ mask >> suit + 1) & 1
    return mask ^ (differ << suit | differ << suit + 1)


def _rename(rows: np.ndarray, renamed: np.ndarray) -> None:
    """Exchange names of suits in each row (size, each suit, all suits) until the suits' states ascend.

    Where they are equal, the state of all suits gets as low as exchanges of neighbours make it.
    """
    suits = rows.shape[1] - 2
    for suit in [*range(suits - 1)] * (suits - 1):
        this, that, every = rows[:, 1 + suit], rows[:, 2 + suit], rows[:, -1]
        other = renamed[every, suit]
        wrong = np.flatnonzero((this > that) | ((this == that) & (other < every)))
        rows[wrong, 1 + suit], rows[wrong, 2 + suit] = that[wrong], this[wrong]
        rows[wrong, -1] = other[wrong]


def _merged(rows: np.ndarray, sets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the different rows, and how many sets lead to each."""
    numbers, first = numbered(*rows.T)
    total = np.zeros(len(first), np.int64)
    np.add.at(total, numbers, sets)
    return rows[first], total
