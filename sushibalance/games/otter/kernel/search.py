"""The best play of a hand: which cards to reveal, how to change them, which hand to declare. Exact.

All reveals are valued unchanged first. With Change cards, an optimistic bound for each reveal (bound.py) leaves a
few that could still beat the best play so far; these are searched, the most promising first, and the
same bound cuts their states.
"""

import numpy as np

from sushibalance.core.jit import kernel, lean
from sushibalance.games.otter.kernel.bound import (
    C1,
    CAN,
    REACH,
    TOUCHED,
    bound,
    budgets,
    card_reach,
    conditions_reach,
    could_hold,
    is_conditional,
    row_reach,
)
from sushibalance.games.otter.kernel.changes import CARDS_MASK, USED_SHIFT, expand
from sushibalance.games.otter.kernel.explore import EMPTY, add_key, arranged
from sushibalance.games.otter.kernel.reveals import (
    ADDED,
    ICONS,
    MARGIN,
    N_CARDS,
    PACKED,
    PARENT,
    ROWS,
    WIDTH,
    best_worth,
    fill,
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
    rows = np.empty((ROWS[own.n_hand] + 1, WIDTH), np.int64)  # the last row is for changed cards
    order, keys = np.empty(HANDS, np.int64), np.empty(HANDS, np.float64)
    n_order = rank_hands(rules, own, weight, order, keys)
    key, row, hand, value = value_reveals(rules, own, order, n_order, weight, rows)
    uses = 0
    if own.n_changes:
        path = np.empty((HELD + 1, 2), np.int64)
        row, hand, value, uses = search_changes(
            rules, own, round_number, weight, rows, order, n_order, key, row, hand, value, path
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
def search_changes(rules, own, round_number, weight, rows, order, n_order, key, row, hand, value, path):
    """Improve the best unchanged play by Change cards; return it as (row, hand, worth, uses).

    ``path`` gets the uses in order: (place in ``own.change``, cards after it).
    """
    n_hand = own.n_hand
    n_rows = ROWS[n_hand]
    ops = np.empty((2, HELD), np.int64)
    n_ops = np.empty(2, np.int64)
    list_ops(rules, own, round_number, ops, n_ops)
    buffers = np.empty((2, 1 << n_ops[1]), np.int64)
    cards = np.empty((2, n_hand, REACH), np.int64)
    best, worst = np.empty((2, n_hand)), np.empty((2, n_hand))
    marked = np.empty((2, n_hand), np.int64)
    bounds, level = np.empty(n_rows), np.empty(n_rows, np.int64)
    reach = np.empty(REACH, np.int64)
    bound_reveals(
        rules, own, round_number, weight, rows, n_rows, order, n_order, key, ops, n_ops, buffers, cards, best, worst,
        marked, reach, bounds, level,
    )  # fmt: skip
    codes, way = np.empty(CODES, np.int64), np.empty((HELD + 1, 2), np.int64)
    uses, done, size = 0, False, 1 << 9
    while not done:
        stack, made, places = np.empty((size, 2), np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
        key, row, hand, value, uses, done = search_reveals(
            rules, own, round_number, weight, rows, n_rows, order, n_order, key, row, hand, value, uses, path, ops,
            n_ops, cards, best, worst, reach, bounds, level, stack, made, places, codes, way,
        )  # fmt: skip
        size *= 4
    return row, hand, value, uses


@lean
def list_ops(rules, own, round_number, ops, n_ops):
    """List the Change cards that may be used in this round: 0, the unconditional ones; 1, all."""
    n_ops[0] = n_ops[1] = 0
    for k in range(own.n_changes):
        p = own.change[k]
        if (rules.rounds[p] >> round_number) & 1:
            ops[1, n_ops[1]] = k
            n_ops[1] += 1
            if not is_conditional(rules, p, SLOTS):
                ops[0, n_ops[0]] = k
                n_ops[0] += 1


@lean
def bound_reveals(
    rules, own, round_number, weight, rows, n_rows, order, n_order, key, ops, n_ops, buffers, cards, best, worst,
    marked, reach, bounds, level,
):  # fmt: skip
    """Write an optimistic bound for each reveal, and the level of Change cards it rests on.

    Level 0: only the unconditional Change cards can act in this reveal; level 1: any of them may.
    """
    for i in range(own.n_hand):
        c = own.hand[i]
        for which in range(2):
            if which == 0 or n_ops[1] > n_ops[0]:
                best[which, i], worst[which, i] = card_reach(
                    rules, own, ops, n_ops, c, weight, buffers, cards, which, i
                )
        if n_ops[1] > n_ops[0]:
            suits = 0
            for suit in range(rules.n_suits):
                suits |= ((cards[0, i, CAN] >> (4 * suit)) & 1) << suit
            marked[0, i], marked[1, i] = conditions_reach(rules, own, ops, n_ops, cards[0, i, C1], suits)
    for row in range(1, n_rows):
        bounds[row] = -1e300
        level[row] = 0
        n_cards = N_CARDS[row]
        if not rules.reveal_low <= n_cards <= rules.reveal_high:
            continue
        total, largest = row_reach(row, cards, 0, best, worst, reach)
        numbers, suits, together = budgets(rules, own, ops, n_ops, 0, 0, reach[TOUCHED])
        if n_ops[1] > n_ops[0]:
            can = must = 0
            at = row
            while at:
                can += marked[0, ADDED[at]]
                must += marked[1, ADDED[at]]
                at = PARENT[at]
            for j in range(n_ops[1]):
                k = ops[1, j]
                if is_conditional(rules, own.change[k], SLOTS) and could_hold(
                    rules, own, k, round_number, rows, row, reach, can, must, n_cards, numbers
                ):
                    level[row] = 1
                    break
            if level[row]:
                total, largest = row_reach(row, cards, 1, best, worst, reach)
                numbers, suits, together = budgets(rules, own, ops, n_ops, 1, 0, reach[TOUCHED])
        if together:
            bounds[row] = bound(
                rules, own, order, n_order, weight, rows, row, reach, total, largest, n_cards, numbers, suits,
                together, key,
            )  # fmt: skip


@lean
def search_reveals(
    rules, own, round_number, weight, rows, n_rows, order, n_order, key, row, hand, value, uses, path, ops, n_ops,
    cards, best, worst, reach, bounds, level, stack, made, places, codes, way,
):  # fmt: skip
    """Search the reveals that could still be better; return the best play and whether the buffers held.

    Depth first over states (cards, Change cards used); `way` holds the uses that lead to the state at hand.
    """
    scratch = n_rows
    while True:
        r = 1
        for other in range(2, n_rows):
            if bounds[other] > bounds[r]:
                r = other
        if bounds[r] <= key + MARGIN:
            return key, row, hand, value, uses, True
        n_cards, which = N_CARDS[r], level[r]
        total, largest = row_reach(r, cards, which, best, worst, reach)
        revealed, icons = rows[r, PACKED], rows[r, ICONS]
        places[:] = EMPTY
        known = 0
        stack[0, 0], stack[0, 1] = revealed, 0
        n = 1
        while n:
            n -= 1
            state, depth = stack[n, 0], stack[n, 1] >> 4
            if depth:
                way[depth - 1, 0], way[depth - 1, 1] = stack[n, 1] & 15, state & CARDS_MASK
            for j in range(n_ops[which]):
                k = ops[which, j]
                if (state >> (USED_SHIFT + k)) & 1:
                    continue
                used = (state >> USED_SHIFT) | (1 << k)
                found = expand(rules, own.change[k], round_number, revealed, state & CARDS_MASK, n_cards, made, codes)
                if found < 0 or n + found > stack.shape[0] or 2 * (known + found) > places.shape[0]:
                    return key, row, hand, value, uses, False
                numbers, suits, together = budgets(rules, own, ops, n_ops, which, used, reach[TOUCHED])
                for i in range(found):
                    if not add_key(places, arranged(made[i], n_cards) | used << USED_SHIFT):
                        continue
                    known += 1
                    fill(rules, own, made[i], n_cards, icons, rows, scratch)
                    new_key, new_hand, new_value = best_worth(
                        rules, own, order, n_order, weight, rows, scratch, n_cards
                    )
                    if new_key > key + MARGIN:
                        key, row, hand, value, uses = new_key, r, new_hand, new_value, depth + 1
                        for step in range(depth):
                            path[step, 0], path[step, 1] = way[step, 0], way[step, 1]
                        path[depth, 0], path[depth, 1] = k, made[i]
                    if together and bound(
                        rules, own, order, n_order, weight, rows, scratch, reach, total, largest, n_cards, numbers,
                        suits, together, key,
                    ) > key + MARGIN:  # fmt: skip
                        stack[n, 0] = made[i] | used << USED_SHIFT
                        stack[n, 1] = (depth + 1) << 4 | k
                        n += 1
        bounds[r] = -1e300
