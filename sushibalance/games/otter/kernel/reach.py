"""What the Change cards could make of each card, whatever the order of uses and whoever else wants them.

Sets of Change cards are masks of places in ``own.change``. A *limited* one cannot change all cards at once. Who else
wants its uses does matter to matching.py, so the uses that bring a card to a number are noted here.
"""

import numpy as np

from sushibalance.core.bits import lowest
from sushibalance.core.jit import inlined, lean, vectorized
from sushibalance.games.otter.kernel.alike import EVERY_NUMBER
from sushibalance.games.otter.kernel.reveals import key_of
from sushibalance.games.otter.kernel.state import CODES, NUMBER_BITS, NUMBER_MASK, SLOTS, SUIT_SHIFT, SUITS
from sushibalance.games.otter.kernel.work import MEMO, SETS, USES
from sushibalance.games.otter.kernel.worth import code_at

# By set of uses: all sets within it
WITHIN = np.array([sum(1 << part for part in range(SETS) if part & ~uses == 0) for uses in range(SETS)])


@lean
def could_become(rules, own, work, left, c):
    """Return what the Change cards ``left`` could make of a card: (numbers, suits, touched, free_suits).

    ``numbers`` and ``suits`` are masks of every number and suit within reach, ``free_suits`` without a limited Change
    card; ``touched`` has the nibble of each Change card set that could change the card. ``work.by_set`` gets the
    numbers by set of limited uses.
    """
    after_numbers, after_suits = work.after_numbers, work.after_suits
    all_numbers, all_suits, touched = 1 << (c & NUMBER_MASK), 1 << (c >> SUIT_SHIFT), 0
    after_numbers[0], after_suits[0], free_suits = all_numbers, all_suits, all_suits
    for uses in range(1 << work.n_uses):
        work.by_set[uses] = 0
    work.by_set[0] = all_numbers
    used = 0
    while used != left:
        used = (used - left) & left  # the next set within `left`
        numbers = suits = 0
        rest = used
        while rest:
            k = lowest(rest)
            rest &= rest - 1
            before = used ^ (1 << k)
            p = own.change[k]
            for i in range(rules.n_conversions[p]):
                from_numbers = after_numbers[before] & rules.from_numbers[p, i]
                from_suits = after_suits[before] & rules.from_suits[p, i]
                if from_numbers == 0 or from_suits == 0:
                    continue
                touched |= 1 << (4 * k)
                if rules.to_numbers[p, i]:
                    from_numbers = rules.to_numbers[p, i]
                elif rules.to_add[p, i] > 0:
                    from_numbers = (from_numbers << rules.to_add[p, i]) & EVERY_NUMBER
                elif rules.to_add[p, i] < 0:
                    from_numbers = from_numbers >> -rules.to_add[p, i]
                numbers |= from_numbers
                suits |= rules.to_suits[p, i] if rules.to_suits[p, i] else from_suits
        after_numbers[used], after_suits[used] = numbers, suits
        all_numbers |= numbers
        all_suits |= suits
        if used & work.limited_suits == 0:
            free_suits |= suits
        note_uses(work, used, numbers)
    return all_numbers, all_suits, touched, free_suits


@lean
def note_uses(work, used, numbers):
    """Note the numbers that a set of Change cards brings, under the uses of limited ones that this takes."""
    one = other = 0
    rest = used & work.limited_numbers
    while rest:
        k = lowest(rest)
        rest &= rest - 1
        one |= work.use[k, 0]
        other |= work.use[k, 1] if work.use[k, 1] else work.use[k, 0]
    work.by_set[one] |= numbers
    work.by_set[other] |= numbers


@lean
def number_sets(work, entry):
    """Note in an entry the smallest sets of limited uses that bring each number, and what needs none."""
    entry.free = work.by_set[0]
    for bit in range(NUMBER_BITS):
        entry.sets[bit] = (entry.free >> bit) & 1
    for uses in range(1, 1 << work.n_uses):
        rest = work.by_set[uses] & ~entry.free
        while rest:
            bit = lowest(rest)
            rest &= rest - 1
            if entry.sets[bit] & WITHIN[uses] == 0:
                entry.sets[bit] |= 1 << uses


@lean
def place_of(work, left, c):
    """Return the place in the memo for a card and a set of Change cards.

    Cards of one set never share a place, nor do those of two sets that differ in one Change card: what `remember` tells
    of the slots of a reveal stays there until all are known. Cards are shifted by the set, for the processor's cache.
    """
    block = left ^ left >> 3 ^ left >> 6 ^ left >> 9
    return (block * CODES + ((c + left * 37) & (CODES - 1))) & (work.memo_size - 1)


@inlined
def remember(rules, own, work, left, c):
    """Return the place in the memo of what the Change cards ``left`` could make of a card; worked out if not there."""
    key, at = left * CODES + c + 1, place_of(work, left, c)
    if work.memo_key[at] != key:
        work.memo_key[at] = key
        work_out(rules, own, work, left, c, work.memo[at])
    return at


@lean
def work_out(rules, own, work, left, c, entry):
    """Fill an entry of the memo with what the Change cards ``left`` could make of a card."""
    numbers, suits, touched, unlimited = could_become(rules, own, work, left, c)
    number_sets(work, entry)
    can = free_suits = high = low = may = must = 0
    for suit in range(rules.n_suits):
        can |= ((suits >> suit) & 1) << (4 * suit)
        free_suits |= ((unlimited >> suit) & 1) << (4 * suit)
    for i in range(rules.n_filters):
        if numbers & rules.filter_numbers[i]:
            can |= 1 << (4 * (SUITS + i))
    for j in range(own.n_active):
        k = np.int64(own.active[j])  # without the jit, 1 << k would be as narrow as k
        p = own.op[k]
        if numbers & rules.numbers[p] and suits & rules.suits[p]:
            high |= 1 << (4 * k)
            if numbers & ~rules.numbers[p] == 0 and suits & ~rules.suits[p] == 0:
                low |= 1 << (4 * k)
    for k in range(own.n_changes):
        p = own.change[k]
        if numbers & rules.numbers[p] and suits & rules.suits[p]:
            may |= 1 << (4 * k)
            if numbers & ~rules.numbers[p] == 0 and suits & ~rules.suits[p] == 0:
                must |= 1 << (4 * k)
    best = worst = key_of(own.each[c], work.ranking.weight)
    if own.n_each:
        while suits:
            suit = lowest(suits)
            suits &= suits - 1
            rest = numbers
            while rest:
                gain = key_of(own.each[suit << SUIT_SHIFT | lowest(rest)], work.ranking.weight)
                rest &= rest - 1
                best, worst = max(best, gain), min(worst, gain)
    entry.numbers, entry.can, entry.free_suits, entry.touched = numbers, can, free_suits, touched
    entry.high, entry.low, entry.may_mark, entry.must_mark = high, low, may, must
    entry.best, entry.spread = best, best - worst


@lean
def fill_reach(rules, own, work, cards, n_cards, left):
    """Fill ``work.reach``: what the cards of a set could become by the Change cards ``left``."""
    for slot in range(n_cards):
        work.reach.entry[slot] = remember(rules, own, work, left, code_at(cards, slot))
    sum_reach(work, n_cards)


@vectorized
def sum_reach(work, n_cards):
    """Sum up in ``work.reach`` what each of the cards could become that it has entries of."""
    # Numbers and free ones lie and are summed in pairs, then seven counts: a third of the instructions of one by one.
    reach, memo, same = work.reach, work.memo, work.reach.same
    c1 = c2 = c3 = c4 = c5 = f1 = f2 = f3 = f4 = f5 = 0
    for i in range(n_cards):
        entry = memo[reach.entry[i]]
        numbers, free = entry.numbers, entry.free
        c5, f5 = c5 | c4 & numbers, f5 | f4 & free
        c4, f4 = c4 | c3 & numbers, f4 | f3 & free
        c3, f3 = c3 | c2 & numbers, f3 | f2 & free
        c2, f2 = c2 | c1 & numbers, f2 | f1 & free
        c1, f1 = c1 | numbers, f1 | free
    same[0, 0], same[0, 1], same[1, 0], same[1, 1], same[2, 0], same[2, 1] = c1, f1, c2, f2, c3, f3
    same[3, 0], same[3, 1], same[4, 0], same[4, 1] = c4, f4, c5, f5
    can = free_suits = high = low = touched = may = must = 0
    best = spread = 0.0
    for i in range(n_cards):
        entry = memo[reach.entry[i]]
        can += entry.can
        free_suits += entry.free_suits
        high += entry.high
        low += entry.low
        touched += entry.touched
        may += entry.may_mark
        must += entry.must_mark
        best += entry.best
        spread = max(spread, entry.spread)
    reach.can, reach.free_suits, reach.high, reach.low, reach.touched = can, free_suits, high, low, touched
    reach.may_mark, reach.must_mark, reach.best, reach.spread = may, must, best, spread


@lean
def limited_uses(rules, own, work):
    """Note the limited Change cards of a seat, and number the uses of those that move numbers.

    With more uses than can be told apart, the last cards change as many cards as they like, as far as matching goes.
    """
    work.limited_numbers = work.limited_suits = work.n_uses = work.told_apart = work.but_x = 0
    for k in range(own.n_changes):
        p = own.change[k]
        times = rules.times[p]
        work.brings[k] = brought(rules, p)
        work.use[k, 0] = work.use[k, 1] = 0
        if times >= SLOTS:
            continue
        if rules.moves_suits[p]:
            work.limited_suits |= 1 << k
        if rules.moves_numbers[p]:
            work.limited_numbers |= 1 << k
            if times <= 2 and work.n_uses + times <= USES:
                for use in range(times):
                    work.use[k, use] = 1 << (work.n_uses + use)
                work.n_uses += times
                work.told_apart |= 1 << k
                if rules.n_conversions[p] == 1 and rules.not_x[p, 0] and rules.as_revealed == 0 and times == 1:
                    work.but_x, work.share_x = work.use[k, 0], max(rules.low[p], 1)


@lean
def brought(rules, p):
    """Return the numbers (mask) that Change card ``p`` can bring."""
    result = 0
    for i in range(rules.n_conversions[p]):
        result |= EVERY_NUMBER if rules.to_add[p, i] else rules.to_numbers[p, i]
    return result


@lean
def forget_reach(rules, own, work):
    """Empty the memo of `remember`; the more Change cards, the larger it is."""
    limited_uses(rules, own, work)
    work.memo_size = min(CODES << own.n_changes, MEMO)
    for i in range(work.memo_size):
        work.memo_key[i] = 0
