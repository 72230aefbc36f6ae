"""The best play of a hand: which cards to reveal, how to change them, which hand to declare. Exact.

All reveals that can be best are valued unchanged first. With Change cards, an optimistic bound for each (bound.py)
leaves a few that could still beat the best play so far; these are searched, the most promising first, and the
same bound cuts their states.
"""

import numpy as np

from sushibalance.core.bits import lowest
from sushibalance.core.jit import compile_part, kernel, lean
from sushibalance.games.otter.kernel.alike import brings_many, look_near
from sushibalance.games.otter.kernel.bound import (
    hope,
    hope_beside,
    is_conditional,
    outlook,
    price_gains,
    slots_worth_changing,
    spend,
)
from sushibalance.games.otter.kernel.changes import CARDS_MASK, USED_SHIFT, expand
from sushibalance.games.otter.kernel.explore import EMPTY, add_key, arranged
from sushibalance.games.otter.kernel.reach import forget_reach
from sushibalance.games.otter.kernel.reveals import (
    MARGIN,
    N_CARDS,
    best_worth,
    fill,
    grow_reveals,
    harmless,
    rank_hands,
    value_reveals,
    write_reveal,
)
from sushibalance.games.otter.kernel.state import CHOICE_HAND, CHOICE_USE, CHOICE_USES, OWN, SLOTS, USE_WIDTH
from sushibalance.games.otter.kernel.survey import survey
from sushibalance.games.otter.kernel.work import FEATURES, NEAR, WORK, new_states, new_work
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
    return search_hand(rules, own, new_work(1), round_number, weight, choice)


@kernel
def search_hand(rules, own, works, round_number, weight, choice):
    """Do it with a WORK record to work on."""
    work = works[0]
    rank_hands(rules, own, work.ranking, weight)
    usable_changes(rules, own, work, round_number)
    grow_reveals(rules, own, work, harmless(rules, own, work.ranking, work.every))
    key, row, hand, value = value_reveals(rules, own, work)
    uses = 0
    if work.every:
        forget_reach(rules, own, work)
        price_gains(rules, own, work, weight)
        survey(rules, own, work, key)
    if work.every:
        bound_reveals(rules, own, work, key)
        done, size = False, 1 << 9
        while not done:
            stack, made, places = new_states(size), np.empty(size, np.int64), np.empty(size, np.int64)
            key, row, hand, value, uses, done = search_reveals(
                rules, own, work, key, row, hand, value, uses, stack, made, places
            )
            size *= 4
        for step in range(uses):
            at = CHOICE_USE + step * USE_WIDTH
            choice[at] = own.change[work.path[step, 0]]
            for slot in range(N_CARDS[row]):
                choice[at + 1 + slot] = code_at(work.path[step, 1], slot)
    write_reveal(row, choice)
    choice[CHOICE_HAND] = hand + 1
    choice[CHOICE_USES] = uses
    return value, hand


@lean
def usable_changes(rules, own, work, round_number):
    """Note the Change cards that may be used in this round, and those of them without a condition (masks)."""
    every = unconditional = 0
    for k in range(own.n_changes):
        p = own.change[k]
        if (rules.rounds[p] >> round_number) & 1:
            every |= 1 << k
            if not is_conditional(rules, p, SLOTS):
                unconditional |= 1 << k
    work.round_number, work.every, work.unconditional = round_number, every, unconditional


@lean
def bound_reveals(rules, own, work, key):
    """Write an optimistic bound for each reveal; at most ``key`` where Change cards cannot make it better."""
    best = work.otherwise_key
    if work.n_hopeful:
        best = max(best, work.hopeful_key[0])
    for i in range(work.n_kept):
        row = work.kept[i]
        if best + work.bound[i] <= key + MARGIN:
            work.bound[i] = key
            continue
        cards, budget = work.rows[row], spend(rules, own, work, work.every, work.touched[row])
        work.bound[i] = hope_beside(
            rules, own, work, cards.packed, cards, N_CARDS[row], work.every, budget, work.bound[i], key
        )


@lean
def search_reveals(rules, own, work, key, row, hand, value, uses, stack, made, places):
    """Search the reveals that could still be better; return the best play and whether the buffers held.

    Depth first over states (cards, Change cards used). ``work.path`` gets the uses of the best play.
    """
    changed = work.changed
    while True:
        best = 0
        for other in range(1, work.n_kept):
            if work.bound[other] > work.bound[best]:
                best = other
        if work.bound[best] <= key + MARGIN:
            return key, row, hand, value, uses, True
        r = work.kept[best]
        n_cards, revealed, icons = N_CARDS[r], work.rows[r].packed, work.rows[r].icons
        places[:] = EMPTY
        known = 0
        outlook(rules, own, work, revealed, work.rows[r], n_cards, work.every)
        push(stack[0], revealed, 0, work, work.bound[best])
        n = 1
        while n:
            n -= 1
            if stack[n].hope <= key + MARGIN:
                continue
            state, depth, live, touched = stack[n].state, stack[n].use >> 4, stack[n].live, stack[n].touched
            cards, before = state & CARDS_MASK, state >> USED_SHIFT
            if depth:
                work.way[depth - 1, 0], work.way[depth - 1, 1] = stack[n].use & 15, cards
            rest = live
            while rest:
                k = lowest(rest)
                rest &= rest - 1
                used, left, p = before | (1 << k), live & ~(1 << k), own.change[k]
                look_near(rules, own, work, p, left, touched, revealed, cards, n_cards)
                if rules.times[p] == 1 and (brings_many(rules, p) or rules.moves_suits[p]):
                    fill(rules, own, cards, n_cards, icons, changed)
                    work.near.slots = slots_worth_changing(rules, own, work, k, left, changed, n_cards, key)
                found = expand(rules, work.near, p, work.round_number, revealed, cards, n_cards, made)
                if found < 0 or n + found > stack.shape[0] or 2 * (known + found) > places.shape[0]:
                    return key, row, hand, value, uses, False
                for i in range(found):
                    if left:
                        if not add_key(places, arranged(made[i], n_cards) | used << USED_SHIFT):
                            continue
                        known += 1
                    fill(rules, own, made[i], n_cards, icons, changed)
                    new_key, new_hand, new_value = best_worth(rules, own, work.ranking, changed, n_cards)
                    if new_key > key + MARGIN:
                        key, row, hand, value, uses = new_key, r, new_hand, new_value, depth + 1
                        for step in range(depth):
                            work.path[step, 0], work.path[step, 1] = work.way[step, 0], work.way[step, 1]
                        work.path[depth, 0], work.path[depth, 1] = k, made[i]
                    if left:
                        highest = hope(rules, own, work, revealed, changed, n_cards, left, touched, key)
                        if highest > key + MARGIN:
                            push(stack[n], made[i] | used << USED_SHIFT, (depth + 1) << 4 | k, work, highest)
                            n += 1
        work.bound[best] = key


def compile_last(rules):
    """Compile what `search_hand` comes to last, for whoever compiles it meanwhile from its beginning."""
    own, work, near, cards = (np.zeros(1, dtype)[0] for dtype in (OWN, WORK, NEAR, FEATURES))
    made = np.zeros(1, np.int64)
    compile_part(outlook, rules, own, work, 0, cards, 0, 0)
    compile_part(look_near, rules, own, work, 0, 0, 0, 0, 0, 0)
    compile_part(expand, rules, near, 0, 0, 0, 0, 0, made)


@lean
def push(place, state, use, work, hope):
    """Fill a place of the stack with a state, after `outlook` has looked at it."""
    place.state, place.use, place.hope = state, use, hope
    place.live, place.touched = work.live, work.reach.touched
