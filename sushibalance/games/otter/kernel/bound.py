"""What Change cards could still do for a reveal, judged optimistically: the bound that cuts the search.

It rests on three facts that hold whatever the order of uses: the cards that each card of the hand can
ever become (`could_become`), how many cards the uses can touch at all (`budgets`), and what the cards show
now. Cases that a simpler bound gets wrong: No. 17 to X - 1, then No. 49, reaches X; Nos. 45 and 14 together bring
an egg to shrimp; an upgraded lower hand can be worth more than a higher one; Nos. 13, 30 and 64 gain by removing.
"""

from sushibalance.core.bits import lowest, popcount
from sushibalance.core.jit import lean
from sushibalance.games.otter.kernel.changes import may_use
from sushibalance.games.otter.kernel.learn import EVERY_HAND, flush_need, run_gaps, run_need
from sushibalance.games.otter.kernel.reveals import (
    ADDED,
    COUNTED,
    EACH,
    H1,
    H2,
    ICONS,
    MARGIN,
    PACKED,
    PARENT,
    TIE_CARDS,
    WORD,
    key_of,
)
from sushibalance.games.otter.kernel.state import (
    COUNT_CARDS,
    COUNT_NUMBERS,
    COUNT_SAME,
    COUNT_SUITS,
    FIBONACCI,
    NUMBER_BITS,
    NUMBER_MASK,
    SLOTS,
    STRAIGHT,
    SUIT_SHIFT,
    SUITS,
)
from sushibalance.games.otter.kernel.worth import SUIT_EIGHTS, SUIT_NIBBLES, SUIT_ONES, has_run

# Columns of what the cards of a reveal could become: numbers within reach of 1..5 cards, cards that could be of a
# suit or filter, that could and that must be marked by each Score op, and that each Change card could touch
C1, C2, C3, C4, C5, CAN, HIGH, LOW, TOUCHED, REACH = range(10)


@lean
def is_conditional(rules, p, n_cards):
    """Tell whether Change card ``p`` has a condition that some cards do not meet."""
    return rules.low[p] > 0 or rules.high[p] < n_cards or rules.revealed[p] != 0


@lean
def could_become(rules, own, ops, n_ops, level, c, buffers):
    """Return (numbers, suits, touched): what the Change cards ``ops`` could make of a card, sharing ignored.

    ``numbers`` and ``suits`` are masks that hold every number and suit within reach, ``touched`` has the
    nibble of each Change card set that could change the card. ``buffers`` (``int64[2, 2 ** n_ops]``) holds the
    numbers and suits that the card can have after just these Change cards.
    """
    buffers[0, 0], buffers[1, 0] = 1 << (c & NUMBER_MASK), 1 << (c >> SUIT_SHIFT)
    all_numbers, all_suits, touched = buffers[0, 0], buffers[1, 0], 0
    for used in range(1, 1 << n_ops[level]):
        numbers = suits = 0
        for j in range(n_ops[level]):
            if (used >> j) & 1 == 0:
                continue
            before = used ^ (1 << j)
            p = own.change[ops[level, j]]
            for k in range(rules.n_conversions[p]):
                from_numbers = buffers[0, before] & rules.from_numbers[p, k]
                from_suits = buffers[1, before] & rules.from_suits[p, k]
                if from_numbers == 0 or from_suits == 0:
                    continue
                touched |= 1 << (4 * ops[level, j])
                if rules.to_numbers[p, k]:
                    from_numbers = rules.to_numbers[p, k]
                elif rules.to_add[p, k] > 0:
                    from_numbers = (from_numbers << rules.to_add[p, k]) & ((1 << NUMBER_BITS) - 1)
                elif rules.to_add[p, k] < 0:
                    from_numbers = from_numbers >> -rules.to_add[p, k]
                numbers |= from_numbers
                suits |= rules.to_suits[p, k] if rules.to_suits[p, k] else from_suits
        buffers[0, used], buffers[1, used] = numbers, suits
        all_numbers |= numbers
        all_suits |= suits
    return all_numbers, all_suits, touched


@lean
def card_reach(rules, own, ops, n_ops, c, weight, buffers, cards, level, i):
    """Write one card's part of the reach columns; return its highest and lowest gain by itself, in key.

    ``cards[level, i, C1]`` holds the mask of numbers. Nibbles of ``CAN`` and ``HIGH``: could be; of ``LOW``: must be.
    """
    numbers, suits, touched = could_become(rules, own, ops, n_ops, level, c, buffers)
    can = high = low = 0
    for suit in range(rules.n_suits):
        can |= ((suits >> suit) & 1) << (4 * suit)
    for k in range(rules.n_filters):
        can |= (numbers & rules.filter_numbers[k] != 0) << (4 * (SUITS + k))
    for j in range(own.n_active):
        k = own.active[j]
        p = own.op[k]
        if numbers & rules.numbers[p] and suits & rules.suits[p]:
            high |= 1 << (4 * k)
            if numbers & ~rules.numbers[p] == 0 and suits & ~rules.suits[p] == 0:
                low |= 1 << (4 * k)
    cards[level, i, C1], cards[level, i, CAN], cards[level, i, HIGH] = numbers, can, high
    cards[level, i, LOW], cards[level, i, TOUCHED] = low, touched
    best = worst = key_of(own.each[c], weight)
    if own.n_each:
        while suits:
            suit = lowest(suits)
            suits &= suits - 1
            rest = numbers
            while rest:
                gain = key_of(own.each[suit << SUIT_SHIFT | lowest(rest)], weight)
                rest &= rest - 1
                best, worst = max(best, gain), min(worst, gain)
    return best, worst


@lean
def row_reach(row, cards, level, best, worst, reach):
    """Add up the reach of a reveal's cards; return (best gain of all, largest difference one card can make)."""
    c1 = c2 = c3 = c4 = c5 = can = high = low = touched = 0
    total = largest = 0.0
    while row:
        i = ADDED[row]
        row = PARENT[row]
        numbers = cards[level, i, C1]
        c5 |= c4 & numbers
        c4 |= c3 & numbers
        c3 |= c2 & numbers
        c2 |= c1 & numbers
        c1 |= numbers
        can += cards[level, i, CAN]
        high += cards[level, i, HIGH]
        low += cards[level, i, LOW]
        touched += cards[level, i, TOUCHED]
        total += best[level, i]
        largest = max(largest, best[level, i] - worst[level, i])
    reach[C1], reach[C2], reach[C3], reach[C4], reach[C5] = c1, c2, c3, c4, c5
    reach[CAN], reach[HIGH], reach[LOW], reach[TOUCHED] = can, high, low, touched
    return total, largest


@lean
def changes_numbers(rules, p):
    """Tell whether Change card ``p`` can change a number."""
    for k in range(rules.n_conversions[p]):
        if rules.to_numbers[p, k] or rules.to_add[p, k]:
            return True
    return False


@lean
def changes_suits(rules, p):
    """Tell whether Change card ``p`` can change a suit."""
    for k in range(rules.n_conversions[p]):
        if rules.to_suits[p, k]:
            return True
    return False


@lean
def budgets(rules, own, ops, n_ops, level, used, touched):
    """Return how many cards' numbers, how many cards' suits and how many cards the unused ops can change."""
    numbers = suits = together = 0
    for j in range(n_ops[level]):
        k = ops[level, j]
        if (used >> k) & 1:
            continue
        p = own.change[k]
        most = min(rules.times[p], (touched >> (4 * k)) & 7)
        together += most
        if changes_numbers(rules, p):
            numbers += most
        if changes_suits(rules, p):
            suits += most
    return min(numbers, SLOTS), min(suits, SLOTS), min(together, SLOTS)


@lean
def group_within_reach(rows, row, reach, first, second, budget):
    """Tell whether ``budget`` changed numbers could make groups of ``first`` and ``second`` equal numbers."""
    if first > SLOTS:
        return False
    every = (1 << NUMBER_BITS) - 1
    for spent in range(budget + 1):
        a = reach[C1 + first - 1] & (rows[row, H1 + first - spent - 1] if first > spent else every)
        if a == 0:
            continue
        if second == 0:
            return True
        left = budget - spent
        b = reach[C1 + second - 1] & (rows[row, H1 + second - left - 1] if second > left else every)
        if b and (a != b or a & (a - 1)):
            return True
    return False


@lean
def within_reach(rules, own, h, rows, row, reach, n_cards, numbers, suits):
    """Tell whether hand ``h`` might be formed with at most so many changed numbers and suits.

    Never says no to a hand that can be formed; may say yes to one that cannot.
    """
    cards = rules.hand_cards[h]
    group = rules.hand_group[h]
    if group:
        bit = lowest(group)
        if not group_within_reach(rows, row, reach, rules.group_first[bit], rules.group_second[bit], numbers):
            return False
    if rules.hand_flush[h]:
        need = flush_need(own, cards)
        present = (rows[row, WORD] & SUIT_NIBBLES) + (8 - need + min(suits, need)) * SUIT_ONES
        possible = (reach[CAN] & SUIT_NIBBLES) + (8 - need) * SUIT_ONES
        if present & possible & SUIT_EIGHTS == 0:
            return False
    if rules.hand_run[h] == STRAIGHT:
        need, gaps = run_need(own, cards), run_gaps(rules, own, cards)
        if n_cards < need or not has_run(reach[C1] & rules.straight_numbers, need, gaps):
            return False
        if need > numbers:
            width = (1 << (need + gaps)) - 1
            rest = rows[row, H1] & rules.straight_numbers
            found = False
            present = rest
            while rest and not found:
                found = popcount((present >> lowest(rest)) & width) >= need - numbers
                rest &= rest - 1
            if not found:
                return False
    if rules.hand_run[h] == FIBONACCI:
        need, gaps = run_need(own, cards), run_gaps(rules, own, cards)
        found = False
        for i in range(rules.n_fib[need, gaps]):
            one, two = rules.fib_one[need, gaps, i], rules.fib_two[need, gaps, i]
            if one & ~reach[C1] == 0 and two & ~reach[C2] == 0:
                if popcount(one & rows[row, H1]) + popcount(two & rows[row, H2]) >= need - numbers:
                    found = True
                    break
        if n_cards < need or not found:
            return False
    if rules.hand_filter[h]:
        shift = 4 * rules.hand_filter[h]
        if (reach[CAN] >> shift) & 15 < cards or ((rows[row, WORD] >> shift) & 15) + numbers < cards:
            return False
    if rules.hand_different[h] == COUNT_NUMBERS and (n_cards < cards or popcount(rows[row, H1]) + numbers < cards):
        return False
    if rules.hand_different[h] == COUNT_SUITS:
        sevens = 7 * SUIT_ONES
        if popcount(((rows[row, WORD] & SUIT_NIBBLES) + sevens) & SUIT_EIGHTS) + suits < cards:
            return False
        if popcount(((reach[CAN] & SUIT_NIBBLES) + sevens) & SUIT_EIGHTS) < cards:
            return False
    return True


@lean
def bound(
    rules, own, order, n_order, weight, rows, row, reach, total, largest, n_cards, numbers, suits, together, floor
):
    """Return a key that no play from here exceeds, or something at most ``floor`` when none can beat it.

    ``rows[row]`` are the features of the cards now, ``reach`` what they could become, the three counts how many cards'
    numbers, cards' suits and cards can still be changed; ``total`` and ``largest`` come from `row_reach`.
    """
    gain = key_of(own.constant + rows[row, ICONS], weight) + TIE_CARDS * n_cards
    gain += min(total, key_of(rows[row, EACH], weight) + together * largest)
    for j in range(own.n_active):
        k = own.active[j]
        p = own.op[k]
        low, high = 0, SLOTS
        if rules.revealed[p] != 0 and rules.revealed[p] != n_cards:
            continue
        if rules.counting[p] == COUNT_CARDS:
            count = (rows[row, COUNTED] >> (4 * k)) & 7
            high = min((reach[HIGH] >> (4 * k)) & 7, count + together)
            low = max((reach[LOW] >> (4 * k)) & 7, count - together)
        best = -1e300
        for count in range(low, high + 1):
            best = max(best, key_of(rules.gain[p, count], weight))
        if rules.gain_hands[p] != EVERY_HAND:
            best = max(best, 0.0)
        gain += best
    fallback = key_of(own.worth[rules.otherwise], weight)
    for j in range(n_order):
        h = order[j]
        key = key_of(own.worth[h], weight)
        if rules.highest_score == 0 and key + gain <= floor + MARGIN and fallback + gain <= floor + MARGIN:
            return floor
        if rules.highest_score == 0 and key <= fallback:
            break
        if within_reach(rules, own, h, rows, row, reach, n_cards, numbers, suits):
            if rules.highest_score:
                fallback = max(fallback, key)
                continue
            return key + gain
    return fallback + gain


@lean
def conditions_reach(rules, own, ops, n_ops, numbers, suits):
    """Return nibbles, by Change card: its condition could mark, must mark a card of this reach."""
    can = must = 0
    for j in range(n_ops[1]):
        k = ops[1, j]
        p = own.change[k]
        if numbers & rules.numbers[p] and suits & rules.suits[p]:
            can |= 1 << (4 * k)
            if numbers & ~rules.numbers[p] == 0 and suits & ~rules.suits[p] == 0:
                must |= 1 << (4 * k)
    return can, must


@lean
def could_hold(rules, own, k, round_number, rows, row, reach, can, must, n_cards, numbers):
    """Tell whether the condition of Change card ``k`` could ever hold in this reveal."""
    p = own.change[k]
    if rules.revealed[p] != 0 and rules.revealed[p] != n_cards:
        return False
    if rules.as_revealed:
        return may_use(rules, p, round_number, rows[row, PACKED], n_cards)
    if rules.counting[p] == COUNT_SAME:
        return group_within_reach(rows, row, reach, max(rules.low[p], 1), 0, numbers)
    if rules.counting[p] == COUNT_CARDS:
        return (can >> (4 * k)) & 7 >= rules.low[p] and (must >> (4 * k)) & 7 <= rules.high[p]
    return True
