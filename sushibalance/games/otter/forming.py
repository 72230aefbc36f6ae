"""What revealed cards must show to form a hand, read number by number.

A set of cards is read like a word: for each number from 1 up one letter, which says which suits hold the number. What
matters of the numbers read so far is the state of a part of a hand, and the state at the end tells whether the cards
show the part. `automata` makes tables of these, `counting` counts with them.

No hand names a suit. So a part needs to know how many suits hold a number; or also whether a certain one does (a
flush: the same for each suit); or which suits do (different suits). The suits that it needs to know are the *tracked*
suits of a letter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from itertools import product
from typing import Any, NamedTuple

from sushibalance.games.otter.rules import Hand, OtterRules
from sushibalance.games.otter.vocabulary import resolve_numbers


class Letter(NamedTuple):
    """The cards of one number: which tracked suits hold it (a mask), and how many of the other suits do."""

    suits: int
    others: int

    @property
    def cards(self) -> int:
        """How many cards they are."""
        return self.suits.bit_count() + self.others

    def within(self) -> Iterator[Letter]:
        """Yield what can be taken of these cards, from nothing to all of them."""
        for suits, others in product(range(self.suits + 1), range(self.others + 1)):
            if suits & ~self.suits == 0:
                yield Letter(suits, others)


class Part(NamedTuple):
    """What a set of cards must show.

    Attributes
    ----------
    start : hashable
        The state before the first number.
    step : callable
        ``step(state, number, letter)``: the state after a number; None if the part cannot be shown any more.
    holds : callable
        ``holds(state)``: whether the cards read show the part.
    """

    start: Hashable
    step: Callable[[Any, int, Letter], Hashable | None]
    holds: Callable[[Any], bool]


class Size(NamedTuple):
    """How many cards: from ``low`` to ``high``."""

    low: int
    high: int


def so_many(size: Size) -> Part:
    """Return the part: so many cards."""

    def step(count: int, number: int, letter: Letter) -> int | None:
        return count + letter.cards if count + letter.cards <= size.high else None

    return Part(0, step, lambda count: count >= size.low)


def parts(rules: OtterRules, hand: Hand, suit: int = 0) -> tuple[list[Part], list[Part]]:
    """Return what revealed cards must show to be declared as a hand: groups of equal numbers, and other parts.

    For a player without power-ups. ``suit`` is the tracked suit that a flush must be of.
    """
    groups = [_groups(tuple(sorted(hand.groups, reverse=True)), rules.readings.kinds == "exact")] if hand.groups else []
    cards, row, others = hand.cards, rules.fibonacci, []
    if hand.run == "straight":
        others.append(_straight(cards))
    if hand.run == "fibonacci":
        others.append(_stretch([row[start : start + cards] for start in range(len(row) - cards + 1)]))
    if hand.numbers is not None:
        marked = resolve_numbers(hand.numbers, rules.deck.numbers)
        others.append(_counting(cards, lambda number, letter: letter.cards * (number in marked)))
    if hand.same_suit:
        others.append(_counting(cards, lambda number, letter: letter.suits >> suit & 1))
    if hand.different == "numbers":
        others.append(_counting(cards, lambda number, letter: letter.cards > 0))
    if hand.different == "suits":
        others.append(_different_suits(cards))
    return groups, others


def _groups(sizes: tuple[int, ...], exact: bool) -> Part:
    """Return the part: groups of equal numbers of these sizes, the largest first; ``exact``: no others (O1)."""

    def step(shown: tuple[int, ...], number: int, letter: Letter) -> tuple[int, ...] | None:
        if letter.cards < 2:
            return shown
        shown = tuple(sorted((*shown, letter.cards), reverse=True))
        return None if exact and Counter(shown) - Counter(sizes) else shown

    def holds(shown: tuple[int, ...]) -> bool:
        if exact:
            return shown == sizes
        return len(shown) >= len(sizes) and all(map(int.__ge__, shown, sizes))

    return Part((), step, holds)


def _straight(cards: int) -> Part:
    """Return the part: so many numbers in a row."""

    def step(run: int, number: int, letter: Letter) -> int:
        return run if run == cards else run + 1 if letter.cards else 0

    return Part(0, step, lambda run: run == cards)


def _stretch(rows: list[list[int]]) -> Part:
    """Return the part: one of these rows of numbers, two cards for a number that stands in it twice."""

    def step(left: frozenset[int], number: int, letter: Letter) -> frozenset[int] | None:
        return frozenset(row for row in left if rows[row].count(number) <= letter.cards) or None

    return Part(frozenset(range(len(rows))), step, bool)


def _counting(cards: int, count: Callable[[int, Letter], int]) -> Part:
    """Return the part: ``count`` of all numbers and letters adds up to so many cards."""

    def step(counted: int, number: int, letter: Letter) -> int:
        return min(counted + count(number, letter), cards)

    return Part(0, step, lambda counted: counted == cards)


def _different_suits(cards: int) -> Part:
    """Return the part: cards of so many different suits."""

    def step(seen: int, number: int, letter: Letter) -> int:
        return seen if seen.bit_count() >= cards else seen | letter.suits

    return Part(0, step, lambda seen: seen.bit_count() >= cards)
