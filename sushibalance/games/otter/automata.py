"""Deterministic automata that read a set of cards number by number, as tables: a layer a number.

Numbered states, and tables from state and letter to the next state, make the work on them that of numpy. States that
the same cards lead to the same end are merged after each operation (Revuz 1992), so that the tables stay small.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from sushibalance.errors import UserError
from sushibalance.games.otter.forming import Letter, Part, Size

MOST_PLACES = 8_000_000  # of a table, of which there is one for each number
ROWS = 10_000
BITS = 64


@dataclass(frozen=True)
class Alphabet:
    """All letters of a deck with so many suits, some of them tracked (see `forming.Letter`)."""

    suits: int
    tracked: int

    @cached_property
    def letters(self) -> list[Letter]:
        """The letters by index; the first is that of no card."""
        return list(Letter((1 << self.tracked) - 1, self.suits - self.tracked).within())

    @cached_property
    def cards(self) -> np.ndarray:
        """How many cards each letter is."""
        return np.array([letter.cards for letter in self.letters])

    @cached_property
    def within(self) -> list[list[int]]:
        """The letters that can be taken of the cards of each."""
        return [[self._index[some] for some in letter.within()] for letter in self.letters]

    @cached_property
    def _index(self) -> dict[Letter, int]:
        return {letter: index for index, letter in enumerate(self.letters)}

    def letter(self, held: int, suit: int = 0) -> int:
        """Return the letter of a number that a mask of suits holds, the tracked suits being those from ``suit`` on."""
        tracked = held >> suit & (1 << self.tracked) - 1
        return self._index[Letter(tracked, held.bit_count() - tracked.bit_count())]


@dataclass(frozen=True)
class Automaton:
    """Sets of cards.

    Attributes
    ----------
    alphabet : Alphabet
        The letters.
    steps : list of int64[states, letters]
        For each number, by state before it (0 at the start) and letter: the state after it, -1 for outside. A set is
        inside if it never comes outside.
    """

    alphabet: Alphabet
    steps: list[np.ndarray]

    def __bool__(self) -> bool:
        """Tell whether any set is inside."""
        return len(self.steps[0]) > 0


def anything(alphabet: Alphabet, numbers: int) -> Automaton:
    """Return all sets of cards."""
    return Automaton(alphabet, [np.zeros((1, len(alphabet.letters)), np.int64)] * numbers)


def reading(part: Part, alphabet: Alphabet, numbers: int) -> Automaton:
    """Return the sets of cards that show a part."""
    layer, steps = {part.start: 0}, []
    for number in range(1, numbers + 1):
        after: dict = {}
        table = np.full((len(layer), len(alphabet.letters)), -1)
        for state, row in layer.items():
            for index, letter in enumerate(alphabet.letters):
                new = part.step(state, number, letter)
                if new is not None:
                    table[row, index] = after.setdefault(new, len(after))
        steps.append(table)
        layer = after
    return _minimal(alphabet, steps, np.array([part.holds(state) for state in layer], bool))


def both(a: Automaton, b: Automaton, *, but: bool = False) -> Automaton:
    """Return the sets that are inside both; with ``but``, those inside ``a`` and outside ``b``."""
    if not a or not b:
        return a if not a or but else b
    x, y, steps = np.zeros(1, np.int64), np.zeros(1, np.int64), []
    for left, right in zip(a.steps, b.steps, strict=True):
        outside = np.full((1, right.shape[1]), -1)
        to_x, to_y = left[x], np.append(right, outside, axis=0)[y]
        alive = (to_x >= 0) & (but | (to_y >= 0))
        table = np.full(to_x.shape, -1)
        table[alive], first = numbered(to_x[alive], to_y[alive] + 1)
        steps.append(table)
        x, y = to_x[alive][first], to_y[alive][first]
        check(len(x), a.alphabet)
    return _minimal(a.alphabet, steps, (y < 0) if but else np.ones(len(x), bool))


class _Ahead(NamedTuple):
    """What reveals can become after a number; flags of states are packed (see `_packed`).

    Attributes
    ----------
    moves : uint64[states before, letters, words]
        The states that some of a letter's cards lead to.
    done : uint64[words]
        The states that are inside without a card more.
    enough : uint64[cards + 1, words]
        By cards left: the states that they are enough for.
    unbeaten : uint64[states, words]
        The states that each one does not beat. One beats another if some of the cards that complete the other
        complete it, whatever cards they are (it simulates it); of two that beat each other, the later is beaten.
    """

    moves: np.ndarray
    done: np.ndarray
    enough: np.ndarray
    unbeaten: np.ndarray


def without(reveals: Automaton, size: Size) -> Automaton:
    """Return the sets of so many cards that contain none of these reveals.

    A state stands for all states that reveals of the cards so far can be in: the subset construction of Rabin and
    Scott (1959). Left out are those that too few cards are left for, and those that another one beats.
    """
    alphabet = reveals.alphabet
    ways, held, steps = _packed(np.ones((1, 1), bool)), np.zeros(1, np.int64), []
    for number, ahead in enumerate(_all_ahead(reveals, size.high), start=1):
        least = size.low - alphabet.suits * (len(reveals.steps) - number)  # or there are too few cards to come
        tables, all_ways, all_held, known = [], [], [], 0
        for start in range(0, max(len(ways), 1), ROWS):  # in portions, for the memory's sake
            now = held[start : start + ROWS, None] + alphabet.cards
            after, alive = _after(ways[start : start + ROWS], ahead, size.high - now)
            alive &= (least <= now) & (now <= size.high)
            table = np.full(now.shape, -1)
            table[alive], first = numbered(now[alive], *after[alive].T)
            table[alive] += known
            known += len(first)
            tables.append(table)
            all_ways.append(after[alive][first])
            all_held.append(now[alive][first])
        ways, held = np.concatenate(all_ways), np.concatenate(all_held)
        merged, first = numbered(held, *ways.T)
        steps.append(np.append(merged, -1)[np.concatenate(tables)])
        ways, held = ways[first], held[first]
        check(len(ways), alphabet)
    return _minimal(alphabet, steps, np.ones(len(ways), bool))


def _after(ways: np.ndarray, ahead: _Ahead, left: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the states that reveals can be in after each letter, and whether none of them is inside already."""
    after = np.zeros((len(ways), *ahead.moves.shape[1:]), np.uint64)
    for state, move in enumerate(ahead.moves):
        after[_has(ways, state)] |= move
    alive = (after & ahead.done == 0).all(axis=-1)
    after &= ahead.enough[np.maximum(left, 0)]
    for state, others in enumerate(ahead.unbeaten):
        after[_has(after, state)] &= others
    return after, alive


def _all_ahead(reveals: Automaton, most: int) -> list[_Ahead]:
    """Return what is ahead of reveals after each number, in sets of at most so many cards."""
    letters, within = reveals.alphabet.cards, reveals.alphabet.within
    done, need, beats, result = np.ones(1, bool), np.zeros(1, np.int64), np.ones((1, 1), bool), []
    for table in reversed(reveals.steps):
        states = len(done)
        moves = np.zeros((*table.shape, states + 1), bool)  # the last place is that of -1
        later = np.zeros((states + 1, states + 1), bool)
        later[:-1, :-1], later[:, -1] = beats, True
        unbeaten = ~beats | beats.T & np.tri(states, dtype=bool)
        enough = need <= np.arange(most + 1)[:, None]
        beats = np.ones((len(table), len(table)), bool)
        for letter, some in enumerate(within):
            moves[np.arange(len(table))[:, None], letter, table[:, some]] = True
            to, completes = later[:, table[:, letter]], np.zeros_like(beats)
            for less in some:
                completes |= to[table[:, less]]
            beats &= completes
        result.append(_Ahead(*map(_packed, (moves[..., :-1], done, enough, unbeaten))))
        done = np.append(done, False)[table[:, 0]]
        need = (np.append(need, most + 1)[table] + letters).min(axis=1)
    return result[::-1]


def _packed(flags: np.ndarray) -> np.ndarray:
    """Return flags packed along the last axis, 64 in a word."""
    words = max(-(-flags.shape[-1] // BITS), 1)
    room = np.zeros((*flags.shape[:-1], words * BITS), bool)
    room[..., : flags.shape[-1]] = flags
    return np.packbits(room, axis=-1, bitorder="little").view("<u8").astype(np.uint64)


def _has(ways: np.ndarray, state: int) -> np.ndarray:
    """Tell for each row of packed flags whether that of a state is set."""
    return ways[..., state // BITS] >> np.uint64(state % BITS) & np.uint64(1) == 1


def _minimal(alphabet: Alphabet, steps: list[np.ndarray], inside: np.ndarray) -> Automaton:
    """Return the automaton with the fewest states; ``inside`` says which ends are inside."""
    merged, result = np.where(inside, 0, -1), []
    for table in reversed(steps):
        rows = np.append(merged, -1)[table]
        alive = (rows >= 0).any(axis=1)
        merged = np.full(len(rows), -1)
        merged[alive], first = numbered(*(rows[alive] + 1).T)
        result.append(rows[alive][first])
    return Automaton(alphabet, result[::-1])


def numbered(*columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number the different rows of columns of whole numbers from 0; return each row's number, and a row of each."""
    key, size = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        values = column if column.dtype == np.int64 else pd.factorize(column)[0]
        width = int(values.max(initial=0)) + 1
        if size * width >= 1 << 62:
            key, different = pd.factorize(key)
            size = len(different)
        key, size = key * width + values, size * width
    numbers, different = pd.factorize(key)
    first = np.empty(len(different), np.int64)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    return numbers, first


def check(states: int, alphabet: Alphabet) -> None:
    """Raise a UserError for a table that would fill the memory."""
    places = states * len(alphabet.letters)
    if places > MOST_PLACES:
        allowed = f"allowed {MOST_PLACES:,}: fewer cards, or hands that depend on fewer suits and numbers"
        raise UserError(f"counting these hands: found a table of {places:,} places, {allowed}")
