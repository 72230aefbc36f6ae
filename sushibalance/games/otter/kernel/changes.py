"""Change cards: when one may be used, what one use can make of the revealed cards.

A *state* is a packed set of cards, slot by slot, with the mask of the Change cards used so far above it
(place in ``own.change``). A use changes at least one card; using a card without effect is never
different from keeping it.
"""

from sushibalance.core.bits import lowest
from sushibalance.core.jit import lean
from sushibalance.games.otter.kernel.alike import one_of_each
from sushibalance.games.otter.kernel.state import (
    COUNT_SAME,
    NUMBER_BITS,
    NUMBER_MASK,
    SLOTS,
    SUIT_SHIFT,
)
from sushibalance.games.otter.kernel.worth import CODE_BITS, code_at, count_of

USED_SHIFT = CODE_BITS * SLOTS
CARDS_MASK = (1 << USED_SHIFT) - 1


@lean
def may_use(rules, p, round_number, cards, n_cards):
    """Tell whether Change card ``p``'s condition holds for a set of cards."""
    if (rules.rounds[p] >> round_number) & 1 == 0:
        return False
    if rules.revealed[p] != 0 and rules.revealed[p] != n_cards:
        return False
    if rules.low[p] == 0 and rules.high[p] >= n_cards:
        return True
    count = count_of(rules, p, cards, n_cards)
    return rules.low[p] <= count <= rules.high[p]


@lean
def x_numbers(rules, p, cards, n_cards):
    """Return the numbers that can be X: those whose marked cards are as many as the condition says."""
    result = 0
    for slot in range(n_cards):
        number = code_at(cards, slot) & NUMBER_MASK
        count = 0
        for other in range(n_cards):
            c = code_at(cards, other)
            if c & NUMBER_MASK == number and (rules.suits[p] >> (c >> SUIT_SHIFT)) & 1:
                count += (rules.numbers[p] >> number) & 1
        if max(rules.low[p], 1) <= count <= rules.high[p]:
            result |= 1 << number
    return result


@lean
def new_numbers(rules, p, k, number, x):
    """Return the numbers (mask) that conversion ``k`` of card ``p`` makes of ``number``; ``x`` is X as a mask."""
    numbers = 1 << number
    if rules.to_numbers[p, k]:
        numbers = rules.to_numbers[p, k]
        if rules.not_x[p, k]:
            numbers &= ~x
    elif rules.to_add[p, k]:
        moved = number + rules.to_add[p, k]
        if not 0 <= moved < NUMBER_BITS:
            return 0
        numbers = (1 << moved) & rules.numbers_by_add
    return numbers


@lean
def converts(rules, p, k, c):
    """Tell whether conversion ``k`` of Change card ``p`` marks a card."""
    return (rules.from_suits[p, k] >> (c >> SUIT_SHIFT)) & (rules.from_numbers[p, k] >> (c & NUMBER_MASK)) & 1


@lean
def may_change(rules, p, c):
    """Tell whether Change card ``p`` has an arrow for a card."""
    for k in range(rules.n_conversions[p]):
        if converts(rules, p, k, c):
            return True
    return False


@lean
def results(rules, near, p, slot, c, x, kinds):
    """Write the codes that a card can become by Change card ``p`` to ``near.codes``; return how many.

    Of many numbers only those worth trying, see alike.py.
    """
    n = 0
    for k in range(rules.n_conversions[p]):
        if not converts(rules, p, k, c):
            continue
        suits = rules.to_suits[p, k]
        if suits == 0:
            suits = 1 << (c >> SUIT_SHIFT)
        numbers = new_numbers(rules, p, k, c & NUMBER_MASK, x)
        if numbers & (numbers - 1):
            numbers = one_of_each(near, slot, numbers, kinds)
        while suits:
            suit = lowest(suits)
            suits &= suits - 1
            rest = numbers
            while rest:
                result = suit << SUIT_SHIFT | lowest(rest)
                rest &= rest - 1
                if result != c:
                    near.codes[n] = result
                    n += 1
    return n


@lean
def x_for(rules, p, cards, n_cards):
    """Return the X numbers that Change card ``p`` looks at (0 when it looks at none)."""
    if rules.counting[p] == COUNT_SAME:
        return x_numbers(rules, p, cards, n_cards)
    return 0


@lean
def legal_use(rules, p, round_number, revealed, before, after, n_cards):
    """Tell whether one use of Change card ``p`` turns ``before`` into ``after``, slot by slot.

    ``revealed`` are the cards as they were revealed (reading O6).
    """
    looked = revealed if rules.as_revealed else before
    if not may_use(rules, p, round_number, looked, n_cards):
        return False
    xs = x_for(rules, p, looked, n_cards)
    while True:
        if follows(rules, p, xs & -xs, before, after, n_cards):
            return True
        xs &= xs - 1
        if xs == 0:
            return False


@lean
def follows(rules, p, x, before, after, n_cards):
    """Tell whether the arrows of Change card ``p`` turn ``before`` into ``after``, for one X."""
    changed = 0
    for slot in range(n_cards):
        c, result = code_at(before, slot), code_at(after, slot)
        if c == result:
            continue
        changed += 1
        found = False
        for k in range(rules.n_conversions[p]):
            if converts(rules, p, k, c):
                suits = rules.to_suits[p, k]
                if suits == 0:
                    suits = 1 << (c >> SUIT_SHIFT)
                numbers = new_numbers(rules, p, k, c & NUMBER_MASK, x)
                if (suits >> (result >> SUIT_SHIFT)) & (numbers >> (result & NUMBER_MASK)) & 1:
                    found = True
        if not found:
            return False
    return 1 <= changed <= rules.times[p]


@lean
def expand(rules, near, p, round_number, revealed, cards, n_cards, out):
    """Write the sets of cards that one use of Change card ``p`` can make; return how many, -1 when they do not fit.

    Sets that differ only in which of two equal cards was changed can come more than once.

    Parameters
    ----------
    near : NEAR record
        As `alike.look_near` fills it; `alike.all_near` for all sets.
    out : int64[m]
        Buffer for the sets.
    """
    looked = revealed if rules.as_revealed else cards
    if not may_use(rules, p, round_number, looked, n_cards):
        return 0
    xs = x_for(rules, p, looked, n_cards)
    n = 0
    while True:  # X is the same for all cards of one use
        n = expand_for(rules, near, p, xs & -xs, cards, n_cards, out, n)
        xs &= xs - 1
        if n < 0 or xs == 0:
            return n


@lean
def expand_for(rules, near, p, x, cards, n_cards, out, first):
    """Write the sets for one X behind the ``first`` ones; return how many there are then, or -1."""
    if first >= out.shape[0]:
        return -1
    times = rules.times[p]
    n = first + 1
    out[first] = cards  # bits above the cards count the cards changed so far
    kinds = 1
    for slot in range(n_cards):
        if (near.slots >> slot) & 1 == 0:
            continue
        c = code_at(cards, slot)
        options = results(rules, near, p, slot, c, x, kinds)
        if options == 0:
            continue
        kinds = min(kinds + 1, times)  # cards changed together may get different numbers of a class
        shift = CODE_BITS * slot
        if first + (n - first) * (options + 1) > out.shape[0]:
            return -1
        for i in range(first, n):
            if out[i] >> USED_SHIFT < times:
                for j in range(options):
                    out[n] = (out[i] ^ ((c ^ near.codes[j]) << shift)) + (1 << USED_SHIFT)
                    n += 1
    for i in range(first + 1, n):
        out[i - 1] = out[i] & CARDS_MASK
    return n - 1
