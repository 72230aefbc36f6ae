"""What Change cards could still do for revealed cards, judged optimistically: the bound that cuts the search.

It rests on three facts that hold whatever the order of uses: the cards that each card can ever become by the
Change cards left, how many cards these can touch at all (`budgets`), and what the cards show now. Cases that
a simpler bound gets wrong: No. 17 to X - 1, then No. 49, reaches X; Nos. 45 and 14 together bring an egg to
shrimp; an upgraded lower hand can be worth more than a higher one; Nos. 13, 30 and 64 gain by removing.

Sets of Change cards are masks of places in ``own.change``. What one card could become by one such set is worked
out once a decision and kept.
"""

from collections import namedtuple

from sushibalance.core.bits import lowest, popcount
from sushibalance.core.jit import lean
from sushibalance.games.otter.kernel.changes import may_use
from sushibalance.games.otter.kernel.learn import EVERY_HAND, flush_need, run_gaps, run_need
from sushibalance.games.otter.kernel.reveals import (
    COUNTED,
    EACH,
    H1,
    H2,
    ICONS,
    MARGIN,
    TIE_CARDS,
    WORD,
    key_of,
)
from sushibalance.games.otter.kernel.state import (
    CODES,
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
from sushibalance.games.otter.kernel.worth import (
    SUIT_EIGHTS,
    SUIT_NIBBLES,
    SUIT_ONES,
    code_at,
    count_of,
    has_run,
)

# What revealed cards could become: numbers within reach of 1..5 cards; nibbles of cards that could be of a suit or
# filter, that could and that must be marked by each Score op, that each Change card could touch, and that its
# condition could and must mark
C1, C2, C3, C4, C5, CAN, HIGH, LOW, TOUCHED, MAY_MARK, MUST_MARK, REACH = range(12)

# The same for one card
NUMBERS, ENTRY_CAN, ENTRY_HIGH, ENTRY_LOW, ENTRY_TOUCHED, ENTRY_MAY, ENTRY_MUST, ENTRY = range(8)

Search = namedtuple(
    "Search",
    [
        "round_number",
        "weight",  # score points that a VP is worth
        "rows",  # int64[reveals + 1, WIDTH]: features of every reveal; the last row is for changed cards
        "order",  # int64[HANDS]: usable hands, the best first
        "n_order",
        "every",  # the Change cards that may be used in this round (mask)
        "unconditional",  # those of them without a condition
        "after",  # int64[2, sets]: work space of `could_become`
        "filled",  # int8[sets * CODES]: whether the next two hold an entry
        "memo",  # int64[sets * CODES, ENTRY]: what a card could become by a set of Change cards
        "gains",  # float64[sets * CODES, 2]: its highest gain by itself, in key, and how far it can differ
        "reach",  # int64[REACH]: work space of `potential`
        "anything",  # int64[REACH]: all that is imaginable
        "largest_gain",  # how far the gain of any card by itself can differ
    ],
)
"""What stays the same while one hand is searched."""

EVERY_NUMBER = (1 << NUMBER_BITS) - 1
ANYTHING = 0x0555555555555555  # 5 in every nibble


@lean
def is_conditional(rules, p, n_cards):
    """Tell whether Change card ``p`` has a condition that some cards do not meet."""
    return rules.low[p] > 0 or rules.high[p] < n_cards or rules.revealed[p] != 0


@lean
def could_become(rules, own, left, c, after):
    """Return (numbers, suits, touched): what the Change cards ``left`` could make of a card, sharing ignored.

    ``numbers`` and ``suits`` are masks of every number and suit within reach, ``touched`` has the nibble of each
    Change card set that could change the card. ``after`` (int64[2, sets]) is work space: the numbers and
    suits that the card can have after just the Change cards of a set.
    """
    after[0, 0], after[1, 0] = 1 << (c & NUMBER_MASK), 1 << (c >> SUIT_SHIFT)
    all_numbers, all_suits, touched = after[0, 0], after[1, 0], 0
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
                from_numbers = after[0, before] & rules.from_numbers[p, i]
                from_suits = after[1, before] & rules.from_suits[p, i]
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
        after[0, used], after[1, used] = numbers, suits
        all_numbers |= numbers
        all_suits |= suits
    return all_numbers, all_suits, touched


@lean
def remember(rules, own, search, left, c):
    """Return the entry of a card and a set of Change cards, worked out if it is not there yet."""
    memo, weight = search.memo, search.weight
    entry = left * CODES + c
    if search.filled[entry]:
        return entry
    search.filled[entry] = 1
    numbers, suits, touched = could_become(rules, own, left, c, search.after)
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
    memo[entry, NUMBERS], memo[entry, ENTRY_CAN], memo[entry, ENTRY_TOUCHED] = numbers, can, touched
    memo[entry, ENTRY_HIGH], memo[entry, ENTRY_LOW] = high, low
    memo[entry, ENTRY_MAY], memo[entry, ENTRY_MUST] = may, must
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
    search.gains[entry, 0], search.gains[entry, 1] = best, best - worst
    return entry


@lean
def add_up(rules, own, search, cards, n_cards, left):
    """Add up what the cards of a set could become; return (best gain of all, largest difference one card can make)."""
    memo, reach = search.memo, search.reach
    c1 = c2 = c3 = c4 = c5 = can = high = low = touched = may = must = 0
    total = largest = 0.0
    for slot in range(n_cards):
        entry = remember(rules, own, search, left, code_at(cards, slot))
        numbers = memo[entry, NUMBERS]
        c5 |= c4 & numbers
        c4 |= c3 & numbers
        c3 |= c2 & numbers
        c2 |= c1 & numbers
        c1 |= numbers
        can += memo[entry, ENTRY_CAN]
        high += memo[entry, ENTRY_HIGH]
        low += memo[entry, ENTRY_LOW]
        touched += memo[entry, ENTRY_TOUCHED]
        may += memo[entry, ENTRY_MAY]
        must += memo[entry, ENTRY_MUST]
        total += search.gains[entry, 0]
        largest = max(largest, search.gains[entry, 1])
    reach[C1], reach[C2], reach[C3], reach[C4], reach[C5] = c1, c2, c3, c4, c5
    reach[CAN], reach[HIGH], reach[LOW], reach[TOUCHED] = can, high, low, touched
    reach[MAY_MARK], reach[MUST_MARK] = may, must
    return total, largest


@lean
def any_reach(rules, own, weight, reach):
    """Fill a reach with all that is imaginable; return the largest difference in gain that one card can make."""
    for column in range(REACH):
        reach[column] = EVERY_NUMBER if column <= C5 else ANYTHING
    reach[LOW] = reach[MUST_MARK] = 0
    best = worst = 0.0
    if own.n_each:
        for c in range(rules.n_suits << SUIT_SHIFT):
            gain = key_of(own.each[c], weight)
            best, worst = max(best, gain), min(worst, gain)
    return best - worst


@lean
def budgets(rules, own, left, touched):
    """Return how many cards' numbers, how many cards' suits and how many cards the Change cards can change."""
    numbers = suits = together = 0
    while left:
        k = lowest(left)
        left &= left - 1
        p = own.change[k]
        most = min(rules.times[p], (touched >> (4 * k)) & 7)
        together += most
        if changes_numbers(rules, p):
            numbers += most
        if changes_suits(rules, p):
            suits += most
    return min(numbers, SLOTS), min(suits, SLOTS), min(together, SLOTS)


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
def group_within_reach(rows, row, reach, first, second, budget):
    """Tell whether ``budget`` changed numbers could make groups of ``first`` and ``second`` equal numbers."""
    if first > SLOTS:
        return False
    for spent in range(budget + 1):
        a = reach[C1 + first - 1] & (rows[row, H1 + first - spent - 1] if first > spent else EVERY_NUMBER)
        if a == 0:
            continue
        if second == 0:
            return True
        left = budget - spent
        b = reach[C1 + second - 1] & (rows[row, H1 + second - left - 1] if second > left else EVERY_NUMBER)
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
def bound(rules, own, search, row, reach, total, largest, n_cards, numbers, suits, together, floor):
    """Return a key that no play from here exceeds, or something at most ``floor`` when none can beat it.

    ``row`` holds the features of the cards now, ``reach`` what they could become, the three counts how many cards'
    numbers, cards' suits and cards can still be changed; ``total`` and ``largest`` come from `row_reach`.
    """
    rows, weight = search.rows, search.weight
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
    for j in range(search.n_order):
        h = search.order[j]
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
def could_hold(rules, own, search, k, revealed, cards, row, n_cards, numbers, suits, together):
    """Tell whether the condition of Change card ``k`` could ever hold, by these budgets and ``search.reach``."""
    p = own.change[k]
    if rules.revealed[p] != 0 and rules.revealed[p] != n_cards:
        return False
    if rules.as_revealed:
        return may_use(rules, p, search.round_number, revealed, n_cards)
    if rules.counting[p] == COUNT_SAME:
        return group_within_reach(search.rows, row, search.reach, max(rules.low[p], 1), 0, numbers)
    if rules.counting[p] != COUNT_CARDS:
        return True
    budget = together
    if rules.numbers[p] == EVERY_NUMBER:
        budget = suits
    elif rules.suits[p] == (1 << rules.n_suits) - 1:
        budget = numbers
    count = count_of(rules, p, cards, n_cards)
    high = min((search.reach[MAY_MARK] >> (4 * k)) & 7, count + budget)
    low = max((search.reach[MUST_MARK] >> (4 * k)) & 7, count - budget)
    return high >= rules.low[p] and low <= rules.high[p]


@lean
def potential(rules, own, search, revealed, cards, row, n_cards, left, floor):
    """Return a key that no play of these cards with the Change cards ``left`` exceeds (or at most ``floor``).

    ``revealed`` are the cards as revealed, ``cards`` as they are now, with their features in ``row``. Change
    cards whose condition is out of reach of the others do not count.
    """
    # First without looking at what the cards could become: every number, suit and count within the budgets.
    numbers, suits, together = budgets(rules, own, left, ANYTHING)
    loose = bound(
        rules, own, search, row, search.anything, 1e300, search.largest_gain, n_cards, numbers, suits, together, floor
    )
    if loose <= floor + MARGIN:
        return floor
    live, waiting = left & search.unconditional, left & ~search.unconditional
    total, largest = add_up(rules, own, search, cards, n_cards, live)
    numbers, suits, together = budgets(rules, own, live, search.reach[TOUCHED])
    while waiting:
        woken = 0
        rest = waiting
        while rest:
            k = lowest(rest)
            rest &= rest - 1
            if could_hold(rules, own, search, k, revealed, cards, row, n_cards, numbers, suits, together):
                woken |= 1 << k
        if woken == 0:
            break
        live |= woken
        waiting &= ~woken
        total, largest = add_up(rules, own, search, cards, n_cards, live)
        numbers, suits, together = budgets(rules, own, live, search.reach[TOUCHED])
    if together == 0:
        return floor
    return bound(rules, own, search, row, search.reach, total, largest, n_cards, numbers, suits, together, floor)
