"""What the whole hand tells before its reveals are looked at one by one: Change cards and hands that can matter at all.

It is judged like a single reveal (bound.py), as if all cards of the hand could be revealed together.
"""

from sushibalance.core.jit import lean
from sushibalance.games.otter.kernel.bound import changes_of_count, loose_gain, most_changed, spend
from sushibalance.games.otter.kernel.reach import remember, sum_reach
from sushibalance.games.otter.kernel.reveals import (
    ADDED,
    MARGIN,
    N_CARDS,
    PARENT,
    ROWS,
    add_card,
    fill,
    key_of,
)
from sushibalance.games.otter.kernel.state import (
    COUNT_CARDS,
    COUNT_SAME,
    NUMBER_MASK,
    SLOTS,
    SUIT_SHIFT,
)
from sushibalance.games.otter.kernel.within_reach import group_within_reach, within_reach


@lean
def survey(rules, own, work, floor):
    """Look at the whole hand: which Change cards and which hands can matter for any reveal that beats ``floor``.

    Leaves in ``work.every`` the Change cards whose condition some reveal could meet, in ``work.hopeful`` the hands that
    some reveal could form, those worth most first, in ``work.touched`` how many cards of each reveal each
    Change card can touch, and in ``work.bound`` what each reveal could gain beside its hand.
    """
    whole, reach = work.whole, work.reach
    fill(rules, own, 0, 0, 0, whole)
    for i in range(own.n_hand):
        add_card(rules, own, whole, whole, own.hand[i], i if own.n_hand <= SLOTS else 0)
    whole.word = at_most_five(whole.word)
    work.unconditional &= work.every
    live, waiting = work.unconditional, work.every & ~work.unconditional
    while True:
        for i in range(own.n_hand):
            reach.entry[i] = remember(rules, own, work, live, own.hand[i])
        sum_reach(work, own.n_hand)
        reach.can, reach.touched = at_most_five(reach.can), at_most_five(reach.touched)
        reach.free_suits = at_most_five(reach.free_suits)
        budget = spend(rules, own, work, live, reach.touched)
        more = 0
        for k in range(own.n_changes):
            if (waiting >> k) & 1 and could_hold_somewhere(rules, own, work, k, budget):
                more |= 1 << k
        if more == 0:
            break
        live |= more
        waiting &= ~more
    work.every = live
    work.n_hopeful = 0
    if budget.together == 0:
        work.every = 0
        return
    for i in range(own.n_hand):
        work.touches[i] = work.memo[reach.entry[i]].touched
    work.touched[0] = 0
    for row in range(1, ROWS[own.n_hand]):
        work.touched[row] = work.touched[PARENT[row]] + work.touches[ADDED[row]]
    gain = -1e300
    for i in range(work.n_kept):
        row = work.kept[i]
        most = most_changed(rules, own, live, work.touched[row])
        work.bound[i] = loose_gain(rules, own, work, work.rows[row], N_CARDS[row], most)
        gain = max(gain, work.bound[i])
    work.hopeful_parts = 0
    for j in range(work.ranking.n_order):
        h = work.ranking.order[j]
        key = key_of(own.worth[h], work.ranking.weight)
        if key + gain > floor + MARGIN and within_reach(rules, own, work, h, whole, own.n_hand, budget):
            at = work.n_hopeful
            while at > 0 and work.hopeful_key[at - 1] < key:  # the ranking may be by score alone (reading O2)
                work.hopeful[at], work.hopeful_key[at] = work.hopeful[at - 1], work.hopeful_key[at - 1]
                at -= 1
            work.hopeful[at], work.hopeful_key[at] = h, key
            work.n_hopeful += 1
            work.hopeful_parts |= own.needs[h]


@lean
def at_most_five(word):
    """Return a word of nibbles with none above the most cards of a reveal."""
    result = 0
    for shift in range(0, 60, 4):
        result |= min((word >> shift) & 15, SLOTS) << shift
    return result


@lean
def could_hold_somewhere(rules, own, work, k, budget):
    """Tell whether the condition of Change card ``k`` could hold for any reveal, by what ``survey`` knows so far."""
    p = own.change[k]
    if rules.revealed[p] > min(rules.reveal_high, own.n_hand):
        return False
    if rules.counting[p] == COUNT_SAME:
        return group_within_reach(work.reach, max(rules.low[p], 1), 0, budget.limited_numbers)
    if rules.counting[p] != COUNT_CARDS:
        return True
    count = 0
    for i in range(own.n_hand):
        c = own.hand[i]
        count += (rules.suits[p] >> (c >> SUIT_SHIFT)) & (rules.numbers[p] >> (c & NUMBER_MASK)) & 1
    may = (work.reach.may_mark >> (4 * k)) & 15
    return may >= rules.low[p] and count + changes_of_count(rules, p, budget) >= rules.low[p]
