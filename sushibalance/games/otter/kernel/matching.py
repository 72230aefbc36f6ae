"""Whether so many changed numbers bring the cards to where a hand needs them, each card to a place of its own.

Each card gets a number within its reach: free, or at the cost of a use of a limited Change card (reach.py). All that
some of the cards can fill at a given cost is kept in one word, a bit for each way to fill, so that one shift adds a
card to all of them.
"""

from collections.abc import Callable

import numpy as np

from sushibalance.core.bits import lowest
from sushibalance.core.jit import lean
from sushibalance.games.otter.kernel.work import SETS

PLACES = 6  # of a run, with its gaps: a bit for each set of places


def _words(test: Callable[[int, int], bool]) -> np.ndarray:
    """Return by i the word of all ways w with ``test(w, i)``."""
    words = [sum(1 << way for way in range(64) if test(way, i)) for i in range(PLACES + 1)]
    return np.array(words, np.uint64).view(np.int64)


WITHOUT = _words(lambda places, place: places >> place & 1 == 0)  # sets of places without one
FILLED = _words(lambda places, count: places.bit_count() >= count)  # sets of at least so many places
# Of two groups, a way is 6 * cards in one + cards in the other
ROOM_ONE = _words(lambda way, size: way // 6 < size)
ROOM_TWO = _words(lambda way, size: way % 6 < size)

# By set of limited uses: the sets that have none of them
APART = np.array([sum(1 << other for other in range(SETS) if other & uses == 0) for uses in range(SETS)])


@lean
def fills_run(work, n_cards, first, allowed, need, budget):
    """Tell whether ``budget`` moves bring ``need`` different numbers to the ``allowed`` places from ``first`` on.

    Parameters
    ----------
    work : WORK record
        With what each slot could become in ``work.reach``.
    allowed : int
        Mask of places: number ``first + i`` may count.
    """
    ways = work.reach.ways
    start(ways, budget)
    for slot in range(n_cards):
        entry = work.memo[work.reach.entry[slot]]
        free = (entry.free >> first) & allowed
        moves = (entry.numbers >> first) & allowed & ~free
        for cost in range(budget, -1, -1):
            made = 0
            rest = free
            while rest:
                place = lowest(rest)
                rest &= rest - 1
                made |= (ways[cost] & WITHOUT[place]) << (1 << place)
            rest = moves if cost else 0
            while rest:
                place = lowest(rest)
                rest &= rest - 1
                made |= (ways[cost - 1] & WITHOUT[place]) << (1 << place)
            ways[cost] |= made
    for cost in range(budget + 1):
        if ways[cost] & FILLED[need]:
            return True
    return False


@lean
def fills_groups(work, n_cards, one, first, two, second, budget):
    """Tell whether ``budget`` moves give ``first`` cards number ``one`` and ``second`` others number ``two``."""
    ways = work.reach.ways
    start(ways, budget)
    for slot in range(n_cards):
        entry = work.memo[work.reach.entry[slot]]
        free, numbers = entry.free, entry.numbers
        for cost in range(budget, -1, -1):
            made = 0
            if (free >> one) & 1:
                made |= (ways[cost] & ROOM_ONE[first]) << 6
            elif cost and (numbers >> one) & 1:
                made |= (ways[cost - 1] & ROOM_ONE[first]) << 6
            if (free >> two) & 1:
                made |= (ways[cost] & ROOM_TWO[second]) << 1
            elif cost and (numbers >> two) & 1:
                made |= (ways[cost - 1] & ROOM_TWO[second]) << 1
            ways[cost] |= made
    for cost in range(budget + 1):
        if (ways[cost] >> (6 * first + second)) & 1:
            return True
    return False


@lean
def fills_group(work, n_cards, number, size, but_x):
    """Tell whether ``size`` cards can have a number together, no limited use being spent twice.

    Of cards that have it, a way is the set of uses spent on them. Where the use "any number but X" cannot bring this
    number, ``but_x`` holds the sets of it and another use that can.
    """
    ways, spare = work.reach.ways, n_cards - size
    start(ways, size)
    for slot in range(n_cards):
        sets = np.int64(work.memo[work.reach.entry[slot]].sets[number])
        if but_x >= 0 and (sets >> work.but_x) & 1:
            sets = sets & ~(1 << work.but_x) | but_x
        if sets == 0:
            if spare == 0:
                return False
            spare -= 1
            continue
        for cards in range(min(slot, size - 1), -1, -1):
            made, rest = 0, sets if ways[cards] else 0
            while rest:
                uses = lowest(rest)
                rest &= rest - 1
                made |= (ways[cards] & APART[uses]) << uses
            ways[cards + 1] |= made
    return ways[size] != 0


@lean
def start(ways, budget):
    """Let no card be placed yet."""
    for cost in range(budget + 1):
        ways[cost] = 0
    ways[0] = 1
