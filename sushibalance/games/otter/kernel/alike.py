"""Numbers that nothing tells apart: of those that a Change card can bring, one is enough.

A card that gets "any number" can become some forty different ones, but most of them do the same: they equal no other
card's number, stand in no run, and every power-up marks all of them or none. Exchanging the names of two such numbers
changes nothing of what can follow, so one stands for all.

Numbers that matter by themselves are *near*: those of the other cards, those that a Change card left brings by name,
those of a Fibonacci row, and those in a run that the changes left might complete. All others fall into classes, told
apart by what power-ups, hands and the Change cards left mark. A Change card left that adds to numbers widens all this
by how far it reaches; where one that brings many numbers is left beside it, every number is kept.
"""

from sushibalance.core.bits import lowest, popcount
from sushibalance.core.jit import lean
from sushibalance.games.otter.kernel.state import (
    FIBONACCI_PART,
    FILTER_BIT,
    NUMBER_BITS,
    NUMBER_MASK,
    SLOTS,
    STRAIGHT_PART,
)
from sushibalance.games.otter.kernel.worth import code_at

EVERY_SLOT = (1 << SLOTS) - 1
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
    near.adds, near.slots = 0, EVERY_SLOT
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
def look_near(rules, own, work, p, left, touched, revealed, cards, n_cards):
    """Fill ``work.near`` for a use of Change card ``p``: which numbers it need try.

    Parameters
    ----------
    left : int
        The Change cards that can still be used afterwards (mask of places in ``own.change``).
    touched : int
        How many cards each of them can change at most (nibbles).
    """
    near = work.near
    near.adds, near.n_classes, near.slots = 0, 1, EVERY_SLOT
    if not brings_many(rules, p):
        return
    near.classes[0] = EVERY_NUMBER
    for j in range(own.n_marks):
        tell_apart(near, own.marks[j])
    for j in range(rules.n_filters):
        if (work.hopeful_parts >> (FILTER_BIT + j)) & 1:
            tell_apart(near, rules.filter_numbers[j])
    named = moves = many = up = down = 0
    for k in range(own.n_changes):
        q = own.change[k]
        times = min(rules.times[q], (touched >> (4 * k)) & 7)
        if q == p:
            times -= 1  # the other cards of the same use
        elif (left >> k) & 1 == 0:
            continue
        tell_apart(near, rules.numbers[q])
        highest = lowest_add = 0
        brings = False
        for i in range(rules.n_conversions[q]):
            tell_apart(near, rules.from_numbers[q, i])
            if rules.to_add[q, i]:
                tell_apart(near, rules.numbers_by_add)
                highest, lowest_add = max(highest, rules.to_add[q, i]), min(lowest_add, rules.to_add[q, i])
            elif popcount(rules.to_numbers[q, i]) > 1:
                tell_apart(near, rules.to_numbers[q, i])
                brings = True
            else:
                named |= rules.to_numbers[q, i]
        if times > 0 and rules.moves_numbers[q]:
            moves += times
            up, down = up + highest, down - lowest_add
            if brings:
                many += times
    moves = min(moves, n_cards - 1)
    needed = SLOTS  # cards that a run must have of those that stay
    fibonacci = 0
    for j in range(own.n_parts):
        if (work.hopeful_parts >> own.part_bit[j]) & 1:
            if own.part_kind[j] == STRAIGHT_PART:
                needed = min(needed, own.part_need[j] - 1 - moves)
            elif own.part_kind[j] == FIBONACCI_PART:
                fibonacci = rules.fib_numbers
    if needed <= 0 or (many > 1 and up + down):
        all_near(near)
        return
    # Two cards meet when they are at most up + down apart; one brought to where it can meet this card may meet others.
    beside = up + down if many else 0
    near.adds = max(up, down) + beside
    numbers = widened(named | fibonacci, up + down + beside)
    if rules.as_revealed:
        for slot in range(n_cards):
            numbers |= 1 << (code_at(revealed, slot) & NUMBER_MASK)
    for slot in range(n_cards):
        others = 0
        for other in range(n_cards):
            if other != slot or rules.times[p] > 1:
                others |= 1 << (code_at(cards, other) & NUMBER_MASK)
        runs = run_numbers(rules, own, work, others, moves)
        near.numbers[slot] = numbers | widened(others, up + down + beside) | widened(runs, near.adds)


@lean
def tell_apart(near, numbers):
    """Part each class of numbers into those inside and outside a mask."""
    for i in range(near.n_classes):
        inside, outside = near.classes[i] & numbers, near.classes[i] & ~numbers
        if inside and outside:
            near.classes[i], near.classes[near.n_classes] = inside, outside
            near.n_classes += 1


@lean
def run_numbers(rules, own, work, others, moves):
    """Return the numbers that can stand in a run with numbers of ``others``, of which ``moves`` may change."""
    result = 0
    for j in range(own.n_parts):
        if own.part_kind[j] != STRAIGHT_PART or (work.hopeful_parts >> own.part_bit[j]) & 1 == 0:
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
def one_of_each(near, slot, numbers, kinds):
    """Return those of ``numbers`` that are near, and ``kinds`` of each class of the others."""
    adds = near.adds
    result, rest = numbers & near.numbers[slot], numbers & ~near.numbers[slot]
    if rest == 0:
        return result
    for i in range(near.n_classes):
        group = near.classes[i] & rest
        if adds:
            inner = near.classes[i]
            for distance in range(1, adds + 1):
                inner &= near.classes[i] << distance & near.classes[i] >> distance
            result |= group & ~inner
            group &= inner
        for _ in range(kinds):
            taken = group & widened(group & -group, 2 * adds)
            result |= taken
            group &= ~taken
    return result
