"""The best play of a hand: which cards to reveal, how to change them, which hand to declare. Exact.

All reveals are valued unchanged first. With Change cards, an optimistic bound for each reveal (bound.py) leaves a
few that could still beat the best play so far; these are searched, the most promising first, and the
same bound cuts their states.
"""

import numpy as np

from sushibalance.core.bits import lowest
from sushibalance.core.jit import kernel, lean
from sushibalance.games.otter.kernel.bound import (
    ANYTHING,
    Search,
    gain_spread,
    hope,
    is_conditional,
    new_entries,
    new_reach,
    reach_nothing,
    remember,
)
from sushibalance.games.otter.kernel.changes import CARDS_MASK, USED_SHIFT, expand
from sushibalance.games.otter.kernel.explore import EMPTY, add_key, arranged
from sushibalance.games.otter.kernel.reveals import (
    ADDED,
    MARGIN,
    N_CARDS,
    PARENT,
    ROWS,
    Ranking,
    best_worth,
    fill,
    harmless,
    new_features,
    rank_hands,
    value_reveals,
    write_reveal,
)
from sushibalance.games.otter.kernel.state import (
    CHOICE_HAND,
    CHOICE_USE,
    CHOICE_USES,
    CODES,
    HANDS,
    HELD,
    PATTERNS,
    RESULTS,
    SLOTS,
    USE_WIDTH,
)
from sushibalance.games.otter.kernel.worth import code_at


@kernel
def best_play(rules, own, round_number, weight, choice):
    """Find the best play of a seat's hand; return (packed worth, hand declared).

    Parameters
    ----------
    own : OWN record
        With hand, power-ups and the round started (learn.py).
    weight : float
        Score points that a VP is worth; the play with the highest score + weight * VP is taken, ties by
        more VP, then more cards.
    choice : int64[CHOICE]
        Written as a reveal (state.py).
    """
    rows = new_features(ROWS[own.n_hand] + 1)  # the last one is for changed cards
    order, keys, first = np.empty(HANDS, np.int64), np.empty(HANDS, np.float64), np.empty(PATTERNS, np.int64)
    ranking = Ranking(weight, order, rank_hands(rules, own, weight, order, keys, first), first)
    every, unconditional = usable_changes(rules, own, round_number)
    kept = np.empty(ROWS[own.n_hand], np.int64)
    good = harmless(rules, own, every, weight)
    key, row, hand, value, n_kept = value_reveals(rules, own, ranking, rows, good, kept)
    uses = 0
    if every:
        path = np.empty((HELD + 1, 2), np.int64)
        row, hand, value, uses = search_changes(
            rules, own, round_number, ranking, rows, kept[:n_kept], every, unconditional, key, row, hand, value, path
        )
        for step in range(uses):
            at = CHOICE_USE + step * USE_WIDTH
            choice[at] = own.change[path[step, 0]]
            for slot in range(N_CARDS[row]):
                choice[at + 1 + slot] = code_at(path[step, 1], slot)
    write_reveal(row, choice)
    choice[CHOICE_HAND] = hand + 1
    choice[CHOICE_USES] = uses
    return value, hand


@kernel
def search_changes(
    rules, own, round_number, ranking, rows, kept, every, unconditional, key, row, hand, value, path
):  # fmt: skip
    """Improve the best unchanged play by Change cards; return it as (row, hand, worth, uses).

    ``kept`` are the rows of the reveals that can be best; ``path`` gets the uses in order: (place in ``own.change``,
    cards after it).
    """
    sets = 1 << own.n_changes
    search = Search(
        round_number, rows, ranking, every, unconditional, np.empty((2, sets), np.int64),
        np.zeros(sets * CODES, np.int8), new_entries(sets * CODES),
        new_reach(2), gain_spread(rules, own, ranking.weight),
    )  # fmt: skip
    bounds = np.empty(kept.shape[0])
    bound_reveals(rules, own, search, key, kept, bounds)
    codes, way = np.empty(RESULTS, np.int64), np.empty((HELD + 1, 2), np.int64)
    uses, done, size = 0, False, 1 << 9
    while not done:
        stack, made, places = np.empty((size, 2), np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
        key, row, hand, value, uses, done = search_reveals(
            rules, own, search, key, row, hand, value, uses, path, kept, bounds, stack, made, places, codes, way
        )
        size *= 4
    return row, hand, value, uses


@lean
def usable_changes(rules, own, round_number):
    """Return the Change cards that may be used in this round, and those of them without a condition (masks)."""
    every = unconditional = 0
    for k in range(own.n_changes):
        p = own.change[k]
        if (rules.rounds[p] >> round_number) & 1:
            every |= 1 << k
            if not is_conditional(rules, p, SLOTS):
                unconditional |= 1 << k
    return every, unconditional


@lean
def bound_reveals(rules, own, search, key, kept, bounds):
    """Write an optimistic bound for each reveal; at most ``key`` where Change cards cannot make it better."""
    reach_nothing(search.reach[0])
    for i in range(kept.shape[0]):
        row = kept[i]
        features, n_cards, touched = search.rows[row], N_CARDS[row], 0
        while row:
            touched += remember(rules, own, search, search.every, own.hand[ADDED[row]]).touched
            row = PARENT[row]
        bounds[i] = hope(rules, own, search, features.packed, features, n_cards, search.every, touched, key)


@lean
def search_reveals(
    rules, own, search, key, row, hand, value, uses, path, kept, bounds, stack, made, places, codes, way
):  # fmt: skip
    """Search the reveals that could still be better; return the best play and whether the buffers held.

    Depth first over states (cards, Change cards used); ``way`` holds the uses that lead to the state at hand.
    """
    scratch = search.rows[ROWS[own.n_hand]]
    while True:
        best = 0
        for other in range(1, kept.shape[0]):
            if bounds[other] > bounds[best]:
                best = other
        if bounds[best] <= key + MARGIN:
            return key, row, hand, value, uses, True
        r = kept[best]
        n_cards, revealed, icons = N_CARDS[r], search.rows[r].packed, search.rows[r].icons
        places[:] = EMPTY
        known = 0
        stack[0, 0], stack[0, 1] = revealed, 0
        n = 1
        while n:
            n -= 1
            state, depth = stack[n, 0], stack[n, 1] >> 4
            if depth:
                way[depth - 1, 0], way[depth - 1, 1] = stack[n, 1] & 15, state & CARDS_MASK
            rest = search.every & ~(state >> USED_SHIFT)
            while rest:
                k = lowest(rest)
                rest &= rest - 1
                used = (state >> USED_SHIFT) | (1 << k)
                left = search.every & ~used
                found = expand(
                    rules, own.change[k], search.round_number, revealed, state & CARDS_MASK, n_cards, made, codes
                )
                if found < 0 or n + found > stack.shape[0] or 2 * (known + found) > places.shape[0]:
                    return key, row, hand, value, uses, False
                for i in range(found):
                    if left:
                        if not add_key(places, arranged(made[i], n_cards) | used << USED_SHIFT):
                            continue
                        known += 1
                    fill(rules, own, made[i], n_cards, icons, scratch)
                    new_key, new_hand, new_value = best_worth(rules, own, search.ranking, scratch, n_cards)
                    if new_key > key + MARGIN:
                        key, row, hand, value, uses = new_key, r, new_hand, new_value, depth + 1
                        for step in range(depth):
                            path[step, 0], path[step, 1] = way[step, 0], way[step, 1]
                        path[depth, 0], path[depth, 1] = k, made[i]
                    if left:
                        if hope(rules, own, search, revealed, scratch, n_cards, left, ANYTHING, key) > key + MARGIN:
                            stack[n, 0] = made[i] | used << USED_SHIFT
                            stack[n, 1] = (depth + 1) << 4 | k
                            n += 1
        bounds[best] = key
