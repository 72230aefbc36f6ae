"""What Change cards could still do for revealed cards, judged optimistically: the bound that cuts the work.

It rests on three facts that hold whatever the order of uses: the cards that each card can ever become by the
Change cards left, how many cards these can touch at all (`spend`), and what the cards show now. Cases that
a simpler bound gets wrong: No. 17 to X - 1, then No. 49, reaches X; Nos. 45 and 14 together bring an egg to
shrimp; an upgraded lower hand can be worth more than a higher one; Nos. 13, 30 and 64 gain by removing.

Sets of Change cards are masks of places in ``own.change``. What one card could become by one such set is worked
out once a decision and kept.
"""

from sushibalance.core.bits import lowest
from sushibalance.core.jit import inlined, lean
from sushibalance.games.otter.kernel.alike import EVERY_NUMBER
from sushibalance.games.otter.kernel.changes import may_change, may_use
from sushibalance.games.otter.kernel.learn import EVERY_HAND
from sushibalance.games.otter.kernel.reach import fill_reach, remember, sum_reach
from sushibalance.games.otter.kernel.reveals import (
    MARGIN,
    TIE_CARDS,
    key_of,
)
from sushibalance.games.otter.kernel.state import (
    COUNT_CARDS,
    COUNT_SAME,
    SLOTS,
    SUIT_SHIFT,
)
from sushibalance.games.otter.kernel.within_reach import group_within_reach, parts_near, within_reach
from sushibalance.games.otter.kernel.worth import (
    code_at,
    count_of,
)


@lean
def is_conditional(rules, p, n_cards):
    """Tell whether Change card ``p`` has a condition that some cards do not meet."""
    return rules.low[p] > 0 or rules.high[p] < n_cards or rules.revealed[p] != 0


@lean
def price_gains(rules, own, work, weight):
    """Note in ``work`` what single cards, counts of Score power-ups and no hand are worth, in key."""
    best = worst = 0.0
    if own.n_each:
        for c in range(rules.n_suits << SUIT_SHIFT):
            gain = key_of(own.each[c], weight)
            best, worst = max(best, gain), min(worst, gain)
    work.spread = best - worst
    work.otherwise_key = key_of(own.worth[rules.otherwise], weight)
    for j in range(own.n_active):
        p = own.op[own.active[j]]
        for low in range(SLOTS + 1):
            best = 0.0 if rules.gain_hands[p] != EVERY_HAND else -1e300
            for high in range(SLOTS + 1):
                if high >= low:
                    best = max(best, key_of(rules.gain[p, high], weight))
                work.gain[j, low, high] = best


@inlined
def spend(rules, own, work, left, touched):
    """Fill ``work.budget``: how much the Change cards ``left`` can change, with what each can touch (nibbles)."""
    together = numbers = suits = limited_numbers = limited_suits = untold = 0
    while left:
        k = lowest(left)
        left &= left - 1
        p = own.change[k]
        most = min(rules.times[p], (touched >> (4 * k)) & 7)
        together += most
        if rules.moves_numbers[p]:
            numbers += most
            if (work.limited_numbers >> k) & 1:
                limited_numbers += most
            if (work.told_apart >> k) & 1 == 0:
                untold |= work.brings[k]
        if rules.moves_suits[p]:
            suits += most
            if (work.limited_suits >> k) & 1:
                limited_suits += most
    budget = work.budget
    budget.together, budget.numbers, budget.suits = min(together, SLOTS), min(numbers, SLOTS), min(suits, SLOTS)
    budget.limited_numbers, budget.limited_suits = min(limited_numbers, SLOTS), min(limited_suits, SLOTS)
    budget.untold = untold
    return budget


@inlined
def most_changed(rules, own, left, touched):
    """Return how many cards the Change cards ``left`` can change."""
    together = 0
    while left:
        k = lowest(left)
        left &= left - 1
        together += min(rules.times[own.change[k]], (touched >> (4 * k)) & 7)
    return min(together, SLOTS)


@inlined
def loose_gain(rules, own, work, row, n_cards, together):
    """Return a gain, in key, that no play exceeds, whatever the hand, by how many cards can change alone."""
    weight = work.ranking.weight
    gain = key_of(own.constant + row.icons + row.each, weight) + together * work.spread + TIE_CARDS * n_cards
    for j in range(own.n_active):
        k = own.active[j]
        p = own.op[k]
        if rules.revealed[p] != 0 and rules.revealed[p] != n_cards:
            continue
        low, high = 0, SLOTS
        if rules.counting[p] == COUNT_CARDS:
            count = (row.counted >> (4 * k)) & 7
            low, high = max(count - together, 0), min(count + together, n_cards)
        gain += work.gain[j, low, high]
    return gain


@inlined
def loose_bound(rules, own, work, row, n_cards, budget, gain, floor):
    """Return a key that no play exceeds, by the features of the cards and the budgets alone (or at most ``floor``)."""
    best = work.otherwise_key
    if work.n_hopeful == 0 or max(best, work.hopeful_key[0]) + gain <= floor + MARGIN:
        return best + gain
    shown = parts_near(rules, own, row, n_cards, budget.numbers, budget.suits, work.hopeful_parts)
    for j in range(work.n_hopeful):
        needs = own.needs[work.hopeful[j]]
        if needs & shown == needs:
            best = max(best, work.hopeful_key[j])
            break
    return best + gain


@lean
def bound(rules, own, work, row, n_cards, budget, floor):
    """Return a key that no play from here exceeds, or at most ``floor`` when none can beat that.

    ``row`` holds the features of the cards now, ``work.reach`` what they could become, ``budget`` how many can change.
    """
    reach, together, weight = work.reach, budget.together, work.ranking.weight
    gain = key_of(own.constant + row.icons, weight) + TIE_CARDS * n_cards
    gain += min(reach.best, key_of(row.each, weight) + together * reach.spread)
    for j in range(own.n_active):
        k = own.active[j]
        p = own.op[k]
        low, high = 0, SLOTS
        if rules.revealed[p] != 0 and rules.revealed[p] != n_cards:
            continue
        if rules.counting[p] == COUNT_CARDS:
            count = (row.counted >> (4 * k)) & 7
            high = min((reach.high >> (4 * k)) & 7, count + together)
            low = max((reach.low >> (4 * k)) & 7, count - together)
        gain += work.gain[j, low, high]
    best = work.otherwise_key
    for j in range(work.n_hopeful):
        if max(best, work.hopeful_key[j]) + gain <= floor + MARGIN:
            return floor
        if within_reach(rules, own, work, work.hopeful[j], row, n_cards, budget):
            best = max(best, work.hopeful_key[j])
            break
    return best + gain


@lean
def changes_of_count(rules, p, budget):
    """Return how many changed cards can alter what the condition of Change card ``p`` counts."""
    if rules.numbers[p] == EVERY_NUMBER:
        return budget.suits
    if rules.suits[p] == (1 << rules.n_suits) - 1:
        return budget.numbers
    return budget.together


@lean
def could_hold(rules, own, work, k, revealed, row, n_cards, budget):
    """Tell whether the condition of Change card ``k`` could ever hold, by these budgets and this reach."""
    p, reach = own.change[k], work.reach
    if rules.revealed[p] != 0 and rules.revealed[p] != n_cards:
        return False
    if rules.as_revealed:
        return may_use(rules, p, work.round_number, revealed, n_cards)
    if rules.counting[p] == COUNT_SAME:
        return group_within_reach(reach, max(rules.low[p], 1), 0, budget.limited_numbers)
    if rules.counting[p] != COUNT_CARDS:
        return True
    if (reach.may_mark >> (4 * k)) & 7 < rules.low[p] or (reach.must_mark >> (4 * k)) & 7 > rules.high[p]:
        return False
    most = changes_of_count(rules, p, budget)
    count = count_of(rules, p, row.packed, n_cards)
    return count + most >= rules.low[p] and count - most <= rules.high[p]


@lean
def woken(rules, own, work, waiting, revealed, row, n_cards, budget):
    """Return those of the conditional Change cards ``waiting`` whose condition could hold."""
    result = 0
    while waiting:
        k = lowest(waiting)
        waiting &= waiting - 1
        if could_hold(rules, own, work, k, revealed, row, n_cards, budget):
            result |= 1 << k
    return result


@lean
def outlook(rules, own, work, revealed, row, n_cards, left):
    """Find the Change cards of ``left`` whose condition could hold, and leave them in ``work.live``.

    What the cards could become by these is left in ``work.reach``, how much they can change in ``work.budget``.
    """
    live, waiting = left & work.unconditional, left & ~work.unconditional
    while True:
        fill_reach(rules, own, work, row.packed, n_cards, live)
        budget = spend(rules, own, work, live, work.reach.touched)
        more = woken(rules, own, work, waiting, revealed, row, n_cards, budget)
        if more == 0:
            work.live = live
            return
        live |= more
        waiting &= ~more


@lean
def hope(rules, own, work, revealed, row, n_cards, left, touched, floor):
    """Return a key that no play of a set of cards with the Change cards ``left`` exceeds (or at most ``floor``).

    ``revealed`` are the cards as revealed, ``row`` the features of the cards now, ``touched`` tells how many cards each
    Change card can touch at most (nibbles). Change cards whose condition is out of reach of the others do not
    count. Where it exceeds ``floor``, the others are left in ``work.live``, and what they can touch in ``work.reach``.
    """
    budget = spend(rules, own, work, left, touched)
    gain = loose_gain(rules, own, work, row, n_cards, budget.together)
    return hope_beside(rules, own, work, revealed, row, n_cards, left, budget, gain, floor)


@lean
def hope_beside(rules, own, work, revealed, row, n_cards, left, budget, gain, floor):
    """Do it by what the Change cards can change at most, and what all could gain beside the hand."""
    if budget.together == 0 or loose_bound(rules, own, work, row, n_cards, budget, gain, floor) <= floor + MARGIN:
        return floor
    outlook(rules, own, work, revealed, row, n_cards, left)
    if work.budget.together == 0:
        return floor
    return bound(rules, own, work, row, n_cards, work.budget, floor)


@lean
def slots_worth_changing(rules, own, work, k, left, row, n_cards, floor):
    """Return the slots (mask) where a use of Change card ``k`` on one card can lead to more than ``floor``.

    ``left`` are the Change cards that can still be used afterwards.
    """
    entry, result = work.reach.entry, 0
    fill_reach(rules, own, work, row.packed, n_cards, left)
    for chosen in range(n_cards):
        c, without = code_at(row.packed, chosen), entry[chosen]
        if not may_change(rules, own.change[k], c):
            continue
        entry[chosen] = remember(rules, own, work, left | 1 << k, c)
        sum_reach(work, n_cards)
        budget = spend(rules, own, work, left | 1 << k, work.reach.touched)
        if bound(rules, own, work, row, n_cards, budget, floor) > floor + MARGIN:
            result |= 1 << chosen
        entry[chosen] = without
    return result
