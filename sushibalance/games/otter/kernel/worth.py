"""The worth of revealed cards: which hands they form, and what hand and Score power-ups pay.

The features of a set of cards: masks ``h1 .. h5`` of the numbers standing on at least 1 .. 5 cards,
a ``word`` of nibble counters (cards by suit, then by the hands' number filters) and the sums of
``own.each`` and ``own.counted``. All of them grow card by card, so that the search shares them between
reveals. ``cards`` is the set itself, 9 bits a card.
"""

from sushibalance.core.bits import lowest, popcount
from sushibalance.core.jit import inlined, lean
from sushibalance.games.otter.kernel.learn import flush_need, run_gaps, run_need
from sushibalance.games.otter.kernel.state import (
    CODES,
    COUNT_CARDS,
    COUNT_NUMBERS,
    COUNT_SUITS,
    FIBONACCI,
    FIBONACCI_PART,
    FILTER_BIT,
    FILTER_PART,
    FLUSH_PART,
    NUMBER_MASK,
    NUMBERS_PART,
    STRAIGHT,
    STRAIGHT_PART,
    SUIT_SHIFT,
    SUITS,
)

CODE_BITS = 9
CODE_MASK = CODES - 1
SUIT_NIBBLES = (1 << (4 * SUITS)) - 1
ONES = 0x0111111111111111  # 1 in every nibble (the sixteenth stays empty: the sign)
EIGHTS = 0x0888888888888888
SUIT_ONES = ONES & SUIT_NIBBLES
SUIT_EIGHTS = EIGHTS & SUIT_NIBBLES


@lean
def score_of(value):
    """Return the score of a packed value."""
    return ((value & 0xFFFFFFFF) ^ 0x80000000) - 0x80000000


@lean
def vp_of(value):
    """Return the VP of a packed value."""
    return (value - score_of(value)) >> 32


@lean
def code_at(cards, slot):
    """Return the code of one card of a packed set."""
    return (cards >> (CODE_BITS * slot)) & CODE_MASK


@lean
def has_run(numbers, need, gaps):
    """Tell whether ``need`` numbers of the mask lie within ``need + gaps`` consecutive values."""
    window = (1 << (need + gaps)) - 1
    left = popcount(numbers)
    rest = numbers
    while left >= need:
        at = lowest(rest)
        if popcount((numbers >> at) & window) >= need:
            return True
        rest &= rest - 1
        left -= 1
    return False


@lean
def has_fibonacci(rules, h1, h2, need, gaps):
    """Tell whether ``need`` cards are a stretch of the sequence with at most ``gaps`` inner values missing."""
    for row in range(rules.n_fib[need, gaps]):
        one = rules.fib_one[need, gaps, row]
        two = rules.fib_two[need, gaps, row]
        if one & h1 == one and two & h2 == two:
            return True
    return False


@inlined
def group_pattern(h2, h3, h4, h5):
    """Return the index of a pattern of equal numbers (see ``tables.PATTERNS``)."""
    return popcount(h2) + 2 * (popcount(h3) + popcount(h4) + popcount(h5))


@inlined
def parts_shown(rules, own, h1, h2, word):
    """Return the bits of the parts, other than groups, that a set of cards shows of those the usable hands need."""
    shown = 0
    suits = word & SUIT_NIBBLES
    for j in range(own.n_parts):
        kind, need = own.part_kind[j], own.part_need[j]
        if kind == FLUSH_PART:
            holds = (suits + (8 - need) * SUIT_ONES) & SUIT_EIGHTS != 0
        elif kind == STRAIGHT_PART:
            holds = has_run(h1 & rules.straight_numbers, need, own.part_gaps[j])
        elif kind == FILTER_PART:
            holds = (word >> (4 * (SUITS + own.part_bit[j] - FILTER_BIT))) & 15 >= need
        elif kind == FIBONACCI_PART:
            holds = has_fibonacci(rules, h1, h2, need, own.part_gaps[j])
        elif kind == NUMBERS_PART:
            holds = popcount(h1) >= need
        else:
            holds = popcount((suits + 7 * SUIT_ONES) & SUIT_EIGHTS) >= need
        if holds:
            shown |= 1 << own.part_bit[j]
    return shown


@lean
def forms_on_same_cards(rules, own, h, cards, n_cards):
    """Tell whether the parts of hand ``h`` hold on one subset, as large as the largest need (O4)."""
    size = rules.hand_cards[h]
    flush, run, kind = flush_need(own, size), run_need(own, size), rules.hand_run[h]
    largest = size if rules.hand_filter[h] or rules.hand_different[h] else 0
    if rules.hand_flush[h]:
        largest = max(largest, flush)
    if kind:
        largest = max(largest, run)
    if largest == 0:  # groups of equal numbers only
        return True
    for chosen in range(1, 1 << n_cards):
        if popcount(chosen) != largest:
            continue
        h1 = h2 = h3 = word = 0
        for slot in range(n_cards):
            if (chosen >> slot) & 1:
                c = code_at(cards, slot)
                bit = 1 << (c & NUMBER_MASK)
                h3 |= h2 & bit
                h2 |= h1 & bit
                h1 |= bit
                word += rules.word[c]
        suits = word & SUIT_NIBBLES
        holds = True
        if rules.hand_flush[h]:
            holds = (suits + (8 - flush) * SUIT_ONES) & SUIT_EIGHTS != 0
        if holds and kind == STRAIGHT:
            holds = has_run(h1 & rules.straight_numbers, run, run_gaps(rules, own, size))
        if holds and kind == FIBONACCI:
            holds = has_fibonacci(rules, h1, h2, run, run_gaps(rules, own, size))
        if holds and rules.hand_filter[h]:
            holds = ((word + rules.filter_need) >> (4 * rules.hand_filter[h] + 3)) & 1 == 1
        if holds and rules.hand_different[h] == COUNT_NUMBERS:
            holds = popcount(h1) >= size
        if holds and rules.hand_different[h] == COUNT_SUITS:
            holds = popcount((suits + 7 * SUIT_ONES) & SUIT_EIGHTS) >= size
        if holds:
            return True
    return False


@lean
def count_of(rules, p, cards, n_cards):
    """Return the count that power-up ``p``'s condition looks at."""
    counting = rules.counting[p]
    h1 = h2 = h3 = h4 = h5 = suits = count = 0
    for slot in range(n_cards):
        c = code_at(cards, slot)
        suit, bit = c >> SUIT_SHIFT, 1 << (c & NUMBER_MASK)
        if (rules.suits[p] >> suit) & 1 and rules.numbers[p] & bit:
            count += 1
            suits |= 1 << suit
            h5 |= h4 & bit
            h4 |= h3 & bit
            h3 |= h2 & bit
            h2 |= h1 & bit
            h1 |= bit
    if counting == COUNT_CARDS:
        return count
    if counting == COUNT_NUMBERS:
        return popcount(h1)
    if counting == COUNT_SUITS:
        return popcount(suits)
    if h3:
        return 5 if h5 else 4 if h4 else 3
    return 2 if h2 else 1 if h1 else 0


@inlined
def op_gain(rules, own, k, counted, cards, n_cards):
    """Return the packed gain of Score op ``k`` (whatever hand is declared)."""
    p = own.op[k]
    if rules.revealed[p] != 0 and rules.revealed[p] != n_cards:
        return 0
    if rules.counting[p] == COUNT_CARDS:
        return rules.gain[p, (counted >> (4 * k)) & 7]
    return rules.gain[p, count_of(rules, p, cards, n_cards)]


@lean
def hands_formed(rules, own, h1, h2, h3, h4, h5, word, cards, n_cards):
    """Return the mask of hands that this seat may declare with a set of cards."""
    shown = parts_shown(rules, own, h1, h2, word) | rules.group_bits[group_pattern(h2, h3, h4, h5)]
    formed = 0
    for h in range(rules.n_hands):
        if own.usable[h] and h != rules.otherwise and own.needs[h] & shown == own.needs[h]:
            if rules.same_cards == 0 or forms_on_same_cards(rules, own, h, cards, n_cards):
                formed |= 1 << h
    if formed == 0 or rules.no_hand_always:
        formed |= 1 << rules.otherwise
    if rules.highest_score:
        best = -(1 << 60)
        for h in range(rules.n_hands):
            if (formed >> h) & 1:
                best = max(best, (score_of(own.worth[h]) << 20) + vp_of(own.worth[h]))
        for h in range(rules.n_hands):
            if (formed >> h) & 1 and (score_of(own.worth[h]) << 20) + vp_of(own.worth[h]) != best:
                formed &= ~(1 << h)
    return formed


@lean
def worth_of(rules, own, h, counted, each, cards, n_cards):
    """Return the packed worth of a set declared as hand ``h``, without the printed icons."""
    value = own.worth[h] + own.constant + each
    for j in range(own.n_active):
        k = own.active[j]
        if (rules.gain_hands[own.op[k]] >> h) & 1:
            value += op_gain(rules, own, k, counted, cards, n_cards)
    return value
