"""Numbers that nothing tells apart: of those that a Change card can bring, one is enough.

A card that gets "any number" can become some forty different ones, but most of them do the same: they equal no other
card's number, stand in no run, and every power-up marks all of them or none. Exchanging the names of two such numbers
changes nothing of what can follow, so one stands for all.

Numbers that matter by themselves are *near*: those of the other cards, those that a Change card left brings by name,
those of a Fibonacci row, and those in a run that the changes left might complete. All others fall into the classes that
``own.classes`` holds (learn.py). A Change card left that adds to numbers widens all this by how far it reaches; where
one that brings many numbers is left beside it, every number is kept.
"""

from sushibalance.core.bits import lowest, popcount
from sushibalance.core.jit import lean
from sushibalance.games.otter.kernel.state import (
    FIBONACCI_PART,
    NUMBER_BITS,
    NUMBER_MASK,
    SLOTS,
    STRAIGHT_PART,
)
from sushibalance.games.otter.kernel.worth import code_at

EVERY_NUMBER = (1 << NUMBER_BITS) - 1


@lean
def brings_many(rules, p):
    """Tell whether a use of Change card ``p`` can bring one of several numbers."""
    for i in range(rules.n_conversions[p]):
        if popcount(rules.to_numbers[p, i]) > 1:
            return True
    return False


@lean
def all_near(near):
    """Fill a NEAR record so that every number is tried."""
    near.adds = 0
    for slot in range(SLOTS):
        near.numbers[slot] = EVERY_NUMBER


@lean
def widened(numbers, by):
    """Return the numbers of a mask and those at most ``by`` from one."""
    result = numbers
    for distance in range(1, by + 1):
        result |= numbers << distance | numbers >> distance
    return result & EVERY_NUMBER


@lean
def near_numbers(rules, own, near, p, left, touched, revealed, cards, n_cards):
    """Fill a NEAR record (work.py) for a use of Change card ``p``: the numbers that matter by themselves.

    Parameters
    ----------
    left : int
        The Change cards that can still be used afterwards (mask of places in ``own.change``).
    touched : int
        How many cards each of them can change at most (nibbles).
    """
    near.adds = 0
    if not brings_many(rules, p):
        return
    adds = named = moves = 0
    many = False
    for k in range(own.n_changes):
        q = own.change[k]
        times = min(rules.times[q], (touched >> (4 * k)) & 7)
        if q == p:
            times -= 1  # the other cards of the same use
        elif (left >> k) & 1 == 0:
            continue
        if times <= 0 or rules.moves_numbers[q] == 0:
            continue
        moves += times
        furthest = 0
        for i in range(rules.n_conversions[q]):
            furthest = max(furthest, abs(rules.to_add[q, i]))
            if popcount(rules.to_numbers[q, i]) > 1:
                many = True
            else:
                named |= rules.to_numbers[q, i]
        adds += furthest
    moves = min(moves, n_cards - 1)
    needed = SLOTS  # cards that a run must have of those that stay
    fibonacci = 0
    for j in range(own.n_parts):
        if own.part_kind[j] == STRAIGHT_PART:
            needed = min(needed, own.part_need[j] - 1 - moves)
        elif own.part_kind[j] == FIBONACCI_PART:
            fibonacci = rules.fib_numbers
    near.adds = adds
    if needed <= 0 or (many and adds):
        all_near(near)
        return
    numbers = widened(named | fibonacci, 2 * adds)
    if rules.as_revealed:
        for slot in range(n_cards):
            numbers |= 1 << (code_at(revealed, slot) & NUMBER_MASK)
    for slot in range(n_cards):
        others = 0
        for other in range(n_cards):
            if other != slot or rules.times[p] > 1:
                others |= 1 << (code_at(cards, other) & NUMBER_MASK)
        near.numbers[slot] = numbers | widened(others, 2 * adds) | widened(run_numbers(rules, own, others, moves), adds)


@lean
def run_numbers(rules, own, others, moves):
    """Return the numbers that can stand in a run with numbers of ``others``, of which ``moves`` may change."""
    result = 0
    for j in range(own.n_parts):
        if own.part_kind[j] != STRAIGHT_PART:
            continue
        needed, width = own.part_need[j] - 1 - moves, own.part_need[j] + own.part_gaps[j]
        window = (1 << width) - 1
        rest = others & rules.straight_numbers
        while popcount(rest) >= needed:
            at = lowest(rest)
            # All runs in which this is the lowest number that stays
            for first in range(max(at - width + 1, 0), at + 1):
                if popcount(rest & (window << first)) >= needed:
                    result |= window << first
            rest &= rest - 1
    return result & EVERY_NUMBER


@lean
def one_of_each(own, near, adds, numbers, kinds):
    """Return those of ``numbers`` that are near, and ``kinds`` of each class of the others."""
    result, rest = numbers & near, numbers & ~near
    if rest == 0:
        return result
    for i in range(own.n_classes):
        inner = own.classes[i]
        for distance in range(1, adds + 1):
            inner &= own.classes[i] << distance & own.classes[i] >> distance
        group = own.classes[i] & rest
        result |= group & ~inner
        group &= inner
        for _ in range(kinds):
            taken = group & widened(group & -group, 2 * adds)
            result |= taken
            group &= ~taken
    return result
