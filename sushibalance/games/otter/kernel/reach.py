"""What the Change cards could make of each card, whatever the order of uses and whoever else wants them.

Sets of Change cards are masks of places in ``own.change``.
"""

from sushibalance.core.bits import lowest
from sushibalance.core.jit import lean
from sushibalance.games.otter.kernel.alike import EVERY_NUMBER
from sushibalance.games.otter.kernel.reveals import key_of
from sushibalance.games.otter.kernel.state import CODES, NUMBER_MASK, SLOTS, SUIT_SHIFT, SUITS
from sushibalance.games.otter.kernel.work import MEMO
from sushibalance.games.otter.kernel.worth import code_at


@lean
def could_become(rules, own, work, left, c):
    """Return (numbers, suits, touched): what the Change cards ``left`` could make of a card, sharing ignored.

    ``numbers`` and ``suits`` are masks of every number and suit within reach, ``touched`` has the nibble of each
    Change card set that could change the card.
    """
    after_numbers, after_suits = work.after_numbers, work.after_suits
    all_numbers, all_suits, touched = 1 << (c & NUMBER_MASK), 1 << (c >> SUIT_SHIFT), 0
    after_numbers[0], after_suits[0] = all_numbers, all_suits
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
    return all_numbers, all_suits, touched


@lean
def remember(rules, own, work, left, c):
    """Return what the Change cards ``left`` could make of a card; looked up where it is known already."""
    key = left * CODES + c + 1
    at = (key + left * 37) & (work.memo_size - 1)
    entry = work.memo[at]
    if work.memo_key[at] == key:
        return entry
    work.memo_key[at] = key
    numbers, suits, touched = could_become(rules, own, work, left, c)
    can = high = low = may = must = 0
    for suit in range(rules.n_suits):
        can |= ((suits >> suit) & 1) << (4 * suit)
    for i in range(rules.n_filters):
        if numbers & rules.filter_numbers[i]:
            can |= 1 << (4 * (SUITS + i))
    for j in range(own.n_active):
        k = own.active[j]
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
    entry.numbers, entry.can, entry.touched = numbers, can, touched
    entry.high, entry.low, entry.may_mark, entry.must_mark = high, low, may, must
    entry.best, entry.spread = best, best - worst
    return entry


@lean
def fill_reach(rules, own, work, cards, n_cards, left):
    """Fill ``work.reach``: what the cards of a set could become by the Change cards ``left``."""
    reach_nothing(work.reach)
    for slot in range(n_cards):
        entry = remember(rules, own, work, left, code_at(cards, slot))
        work.reach.numbers[slot] = entry.numbers
        add_reach(work.reach, entry)


@lean
def reach_nothing(reach):
    """Fill the reach of no cards."""
    for i in range(SLOTS):
        reach.c[i] = 0
    reach.can = reach.high = reach.low = reach.touched = reach.may_mark = reach.must_mark = 0
    reach.best = reach.spread = 0.0


@lean
def add_reach(reach, entry):
    """Add what one card more could become."""
    numbers = entry.numbers
    reach.c[4] |= reach.c[3] & numbers
    reach.c[3] |= reach.c[2] & numbers
    reach.c[2] |= reach.c[1] & numbers
    reach.c[1] |= reach.c[0] & numbers
    reach.c[0] |= numbers
    reach.can += entry.can
    reach.high += entry.high
    reach.low += entry.low
    reach.touched += entry.touched
    reach.may_mark += entry.may_mark
    reach.must_mark += entry.must_mark
    reach.best += entry.best
    reach.spread = max(reach.spread, entry.spread)


@lean
def forget_reach(own, work):
    """Empty the memo of `remember`; the more Change cards, the larger it is."""
    work.memo_size = min(CODES << own.n_changes >> 1, MEMO)
    for i in range(work.memo_size):
        work.memo_key[i] = 0
