"""The best play of a hand: which cards to reveal, how to change them, which hand to declare. Exact.

All reveals are first valued unchanged, each one card more than its parent in a tree of subsets. With Change cards,
an optimistic bound for each reveal (`bound`) leaves a few that could still beat the best play so far; these are
searched best-first, and the same bound cuts their states. The bound rests on three facts that hold
whatever the order of uses: the cards that each card of the hand can ever become (`could_become`), how
many cards the uses can touch at all, and what the cards show now.
"""

import numpy as np

from sushibalance.core.bits import lowest, popcount
from sushibalance.core.jit import kernel
from sushibalance.games.otter.kernel.changes import (
    CARDS_MASK,
    USED_SHIFT,
    expand,
    may_use,
)
from sushibalance.games.otter.kernel.explore import EMPTY, add_key, arranged, grown
from sushibalance.games.otter.kernel.learn import EVERY_HAND, flush_need, run_gaps, run_need
from sushibalance.games.otter.kernel.state import (
    CHOICE_CARDS,
    CHOICE_HAND,
    CHOICE_SLOTS,
    CHOICE_USE,
    CHOICE_USES,
    COUNT_CARDS,
    COUNT_NUMBERS,
    COUNT_SAME,
    COUNT_SUITS,
    FIBONACCI,
    HAND,
    HANDS,
    HELD,
    NUMBER_BITS,
    NUMBER_MASK,
    SLOTS,
    STRAIGHT,
    SUIT_SHIFT,
    SUITS,
    USE_WIDTH,
)
from sushibalance.games.otter.kernel.worth import (
    CODE_BITS,
    EIGHTS,
    ONES,
    SUIT_NIBBLES,
    code_at,
    features_shown,
    forms_on_same_cards,
    has_run,
    op_gain,
    score_of,
    vp_of,
)


def _subsets(size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """List the subsets of up to 5 of ``size`` cards so that those of the first n cards come first.

    Returns the parent row (the subset without its highest card), the added card, the number of cards,
    and for each n the number of rows. Row 0 is the empty set.
    """
    rows = [(0, -1, 0)]
    upto = [1]
    for card in range(size):
        rows += [(row, card, cards + 1) for row, (_, _, cards) in enumerate(rows) if cards < SLOTS]
        upto.append(len(rows))
    parent, added, cards = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    return parent, added, cards, np.array(upto, np.int64)


PARENT, ADDED, N_CARDS, ROWS = _subsets(HAND)

# Columns of the rows of features that the tree of subsets fills
H1, H2, H3, H4, H5, WORD, COUNTED, EACH, ICONS, PACKED, WIDTH = range(11)

# Columns of what the cards of a reveal could become: numbers within reach of 1..5 cards, cards that could be of a
# suit or filter, that could and that must be marked by each Score op, and that each Change card could touch
C1, C2, C3, C4, C5, CAN, HIGH, LOW, TOUCHED, REACH = range(10)

MARGIN = 1e-10
TIE_VP = 1e-6
TIE_CARDS = 1e-8


@kernel
def add_card(rules, own, rows, row, parent, c, slot):
    """Fill a row: the features of its parent's cards and one card more."""
    bit = 1 << (c & NUMBER_MASK)
    rows[row, H5] = rows[parent, H5] | (rows[parent, H4] & bit)
    rows[row, H4] = rows[parent, H4] | (rows[parent, H3] & bit)
    rows[row, H3] = rows[parent, H3] | (rows[parent, H2] & bit)
    rows[row, H2] = rows[parent, H2] | (rows[parent, H1] & bit)
    rows[row, H1] = rows[parent, H1] | bit
    rows[row, WORD] = rows[parent, WORD] + rules.word[c]
    rows[row, COUNTED] = rows[parent, COUNTED] + own.counted[c]
    rows[row, EACH] = rows[parent, EACH] + own.each[c]
    rows[row, ICONS] = rows[parent, ICONS] + rules.icon[c]
    rows[row, PACKED] = rows[parent, PACKED] | c << (CODE_BITS * slot)


@kernel
def rank_hands(rules, own, weight, order, keys):
    """Order the usable hands by what they are worth, best first; return how many.

    The ``otherwise`` hand is among them only where it may always be declared (reading O1). When the
    highest score must be declared (reading O2), the order is by score, then VP.
    """
    n = 0
    for h in range(rules.n_hands):
        if own.usable[h] == 0 or (h == rules.otherwise and rules.no_hand_always == 0):
            continue
        rank = key_of(own.worth[h], weight)
        if rules.highest_score:
            rank = 1000.0 * score_of(own.worth[h]) + vp_of(own.worth[h])
        at = n
        while at > 0 and keys[at - 1] < rank:
            order[at], keys[at] = order[at - 1], keys[at - 1]
            at -= 1
        order[at], keys[at] = h, rank
        n += 1
    return n


@kernel
def best_worth(rules, own, order, n_order, weight, row, n_cards):
    """Return (key, hand, packed worth) of a row of features, declared as the hand that is worth most.

    The key is score + weight * VP with the tie-breaks: more VP, then more cards.
    """
    shown = features_shown(rules, own, row[H1], row[H2], row[H3], row[H4], row[H5], row[WORD])
    best_key, best_hand, best_value = -1e300, -1, 0
    common = own.constant + row[EACH] + row[ICONS]
    if own.by_hand == 0:
        for j in range(own.n_active):
            common += op_gain(rules, own, own.active[j], row[COUNTED], row[PACKED], n_cards)
    for j in range(n_order + 1):
        if j < n_order:
            h = order[j]
            if own.needs[h] & shown != own.needs[h]:
                continue
            if rules.same_cards and not forms_on_same_cards(rules, own, h, row[PACKED], n_cards):
                continue
        elif best_hand >= 0:
            break
        else:
            h = rules.otherwise
        if rules.highest_score and best_hand >= 0 and own.worth[h] != own.worth[best_hand]:
            break
        value = own.worth[h] + common
        if own.by_hand:
            for i in range(own.n_active):
                k = own.active[i]
                if (rules.gain_hands[own.op[k]] >> h) & 1:
                    value += op_gain(rules, own, k, row[COUNTED], row[PACKED], n_cards)
        vp = vp_of(value)
        key = score_of(value) + (weight + TIE_VP) * vp + TIE_CARDS * n_cards
        if key > best_key:
            best_key, best_hand, best_value = key, h, value
        if own.by_hand == 0:
            break
    return best_key, best_hand, best_value


@kernel
def key_of(value, weight):
    """Return the key of a packed value, without the tie-break by cards."""
    return score_of(value) + (weight + TIE_VP) * vp_of(value)


@kernel
def fill(rules, own, cards, n_cards, icons, row):
    """Fill one row with the features of a packed set (the icons are those of the printed cards)."""
    h1 = h2 = h3 = h4 = h5 = word = counted = each = 0
    for slot in range(n_cards):
        c = code_at(cards, slot)
        bit = 1 << (c & NUMBER_MASK)
        h5 |= h4 & bit
        h4 |= h3 & bit
        h3 |= h2 & bit
        h2 |= h1 & bit
        h1 |= bit
        word += rules.word[c]
        counted += own.counted[c]
        each += own.each[c]
    row[H1], row[H2], row[H3], row[H4], row[H5] = h1, h2, h3, h4, h5
    row[WORD], row[COUNTED], row[EACH], row[ICONS], row[PACKED] = word, counted, each, icons, cards


@kernel
def is_conditional(rules, p, n_cards):
    """Tell whether Change card ``p`` has a condition that some cards do not meet."""
    return rules.low[p] > 0 or rules.high[p] < n_cards or rules.revealed[p] != 0


@kernel
def could_become(rules, own, ops, n_ops, c, numbers_by, suits_by):
    """Return (numbers, suits, touched): what the Change cards ``ops`` could make of a card, sharing ignored.

    ``numbers`` and ``suits`` are masks that hold every number and suit within reach, ``touched`` has the
    nibble of each Change card set that could change the card. ``numbers_by`` and ``suits_by`` are buffers
    of ``2 ** n_ops``: what the card can be after just these Change cards.
    """
    numbers_by[0], suits_by[0] = 1 << (c & NUMBER_MASK), 1 << (c >> SUIT_SHIFT)
    all_numbers, all_suits, touched = numbers_by[0], suits_by[0], 0
    for used in range(1, 1 << n_ops):
        numbers = suits = 0
        for j in range(n_ops):
            if (used >> j) & 1 == 0:
                continue
            before = used ^ (1 << j)
            p = own.change[ops[j]]
            for k in range(rules.n_conversions[p]):
                from_numbers = numbers_by[before] & rules.from_numbers[p, k]
                from_suits = suits_by[before] & rules.from_suits[p, k]
                if from_numbers == 0 or from_suits == 0:
                    continue
                touched |= 1 << (4 * ops[j])
                if rules.to_numbers[p, k]:
                    from_numbers = rules.to_numbers[p, k]
                elif rules.to_add[p, k] > 0:
                    from_numbers = (from_numbers << rules.to_add[p, k]) & ((1 << NUMBER_BITS) - 1)
                elif rules.to_add[p, k] < 0:
                    from_numbers = from_numbers >> -rules.to_add[p, k]
                numbers |= from_numbers
                suits |= rules.to_suits[p, k] if rules.to_suits[p, k] else from_suits
        numbers_by[used], suits_by[used] = numbers, suits
        all_numbers |= numbers
        all_suits |= suits
    return all_numbers, all_suits, touched


@kernel
def card_reach(rules, own, ops, n_ops, c, weight, numbers_by, suits_by, out):
    """Write one card's part of the reach columns; return its highest and lowest gain by itself, in key.

    ``out[C1]`` holds the mask of numbers. Nibbles of ``CAN`` and ``HIGH``: could be; of ``LOW``: must be.
    """
    numbers, suits, touched = could_become(rules, own, ops, n_ops, c, numbers_by, suits_by)
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
    out[C1], out[CAN], out[HIGH], out[LOW], out[TOUCHED] = numbers, can, high, low, touched
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


@kernel
def row_reach(row, cards, best, worst, reach):
    """Add up the reach of a reveal's cards; return (best gain of all, largest difference one card can make)."""
    c1 = c2 = c3 = c4 = c5 = can = high = low = touched = 0
    total = largest = 0.0
    while row:
        i = ADDED[row]
        row = PARENT[row]
        numbers = cards[i, C1]
        c5 |= c4 & numbers
        c4 |= c3 & numbers
        c3 |= c2 & numbers
        c2 |= c1 & numbers
        c1 |= numbers
        can += cards[i, CAN]
        high += cards[i, HIGH]
        low += cards[i, LOW]
        touched += cards[i, TOUCHED]
        total += best[i]
        largest = max(largest, best[i] - worst[i])
    reach[C1], reach[C2], reach[C3], reach[C4], reach[C5] = c1, c2, c3, c4, c5
    reach[CAN], reach[HIGH], reach[LOW], reach[TOUCHED] = can, high, low, touched
    return total, largest


@kernel
def changes_numbers(rules, p):
    """Tell whether Change card ``p`` can change a number."""
    for k in range(rules.n_conversions[p]):
        if rules.to_numbers[p, k] or rules.to_add[p, k]:
            return True
    return False


@kernel
def changes_suits(rules, p):
    """Tell whether Change card ``p`` can change a suit."""
    for k in range(rules.n_conversions[p]):
        if rules.to_suits[p, k]:
            return True
    return False


@kernel
def budgets(rules, own, ops, n_ops, used, touched):
    """Return how many cards' numbers, how many cards' suits and how many cards the unused ops can change."""
    numbers = suits = together = 0
    for j in range(n_ops):
        k = ops[j]
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


@kernel
def group_within_reach(now, reach, first, second, budget):
    """Tell whether ``budget`` changed numbers could make groups of ``first`` and ``second`` equal numbers."""
    if first > SLOTS:
        return False
    every = (1 << NUMBER_BITS) - 1
    for spent in range(budget + 1):
        a = reach[C1 + first - 1] & (now[H1 + first - spent - 1] if first > spent else every)
        if a == 0:
            continue
        if second == 0:
            return True
        left = budget - spent
        b = reach[C1 + second - 1] & (now[H1 + second - left - 1] if second > left else every)
        if b and (a != b or a & (a - 1)):
            return True
    return False


@kernel
def within_reach(rules, own, h, now, reach, n_cards, numbers, suits):
    """Tell whether hand ``h`` might be formed with at most so many changed numbers and suits.

    Never says no to a hand that can be formed; may say yes to one that cannot.
    """
    cards = rules.hand_cards[h]
    group = rules.hand_group[h]
    if group:
        bit = lowest(group)
        if not group_within_reach(now, reach, rules.group_first[bit], rules.group_second[bit], numbers):
            return False
    if rules.hand_flush[h]:
        need = flush_need(own, cards)
        present = (now[WORD] & SUIT_NIBBLES) + (8 - need + min(suits, need)) * (ONES & SUIT_NIBBLES)
        possible = (reach[CAN] & SUIT_NIBBLES) + (8 - need) * (ONES & SUIT_NIBBLES)
        if present & possible & EIGHTS & SUIT_NIBBLES == 0:
            return False
    if rules.hand_run[h] == STRAIGHT:
        need, gaps = run_need(own, cards), run_gaps(rules, own, cards)
        if n_cards < need or not has_run(reach[C1] & rules.straight_numbers, need, gaps):
            return False
        if need > numbers:
            width = (1 << (need + gaps)) - 1
            rest = now[H1] & rules.straight_numbers
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
                if popcount(one & now[H1]) + popcount(two & now[H2]) >= need - numbers:
                    found = True
                    break
        if n_cards < need or not found:
            return False
    if rules.hand_filter[h]:
        shift = 4 * rules.hand_filter[h]
        if (reach[CAN] >> shift) & 15 < cards or ((now[WORD] >> shift) & 15) + numbers < cards:
            return False
    if rules.hand_different[h] == COUNT_NUMBERS and (n_cards < cards or popcount(now[H1]) + numbers < cards):
        return False
    if rules.hand_different[h] == COUNT_SUITS:
        sevens = 7 * (ONES & SUIT_NIBBLES)
        if popcount(((now[WORD] & SUIT_NIBBLES) + sevens) & EIGHTS) + suits < cards:
            return False
        if popcount(((reach[CAN] & SUIT_NIBBLES) + sevens) & EIGHTS) < cards:
            return False
    return True


@kernel
def bound(rules, own, order, n_order, weight, now, reach, total, largest, n_cards, numbers, suits, together, floor):
    """Return a key that no play from here exceeds, or something at most ``floor`` when none can beat it.

    ``now`` are the features of the cards, ``reach`` what they could become, the three counts how many cards'
    numbers, cards' suits and cards can still be changed; ``total`` and ``largest`` come from `row_reach`.
    """
    gain = key_of(own.constant + now[ICONS], weight) + TIE_CARDS * n_cards
    gain += min(total, key_of(now[EACH], weight) + together * largest)
    for j in range(own.n_active):
        k = own.active[j]
        p = own.op[k]
        low, high = 0, SLOTS
        if rules.revealed[p] != 0 and rules.revealed[p] != n_cards:
            continue
        if rules.counting[p] == COUNT_CARDS:
            count = (now[COUNTED] >> (4 * k)) & 7
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
        if within_reach(rules, own, h, now, reach, n_cards, numbers, suits):
            if rules.highest_score:
                fallback = max(fallback, key)
                continue
            return key + gain
    return fallback + gain


@kernel
def conditions_reach(rules, own, ops, n_ops, numbers, suits):
    """Return nibbles, by Change card: its condition could mark, must mark a card of this reach."""
    can = must = 0
    for j in range(n_ops):
        k = ops[j]
        p = own.change[k]
        if numbers & rules.numbers[p] and suits & rules.suits[p]:
            can |= 1 << (4 * k)
            if numbers & ~rules.numbers[p] == 0 and suits & ~rules.suits[p] == 0:
                must |= 1 << (4 * k)
    return can, must


@kernel
def could_hold(rules, own, k, round_number, now, reach, can, must, n_cards, numbers):
    """Tell whether the condition of Change card ``k`` could ever hold in this reveal."""
    p = own.change[k]
    if rules.revealed[p] != 0 and rules.revealed[p] != n_cards:
        return False
    if rules.as_revealed:
        return may_use(rules, p, round_number, now[PACKED], n_cards)
    if rules.counting[p] == COUNT_SAME:
        return group_within_reach(now, reach, max(rules.low[p], 1), 0, numbers)
    if rules.counting[p] == COUNT_CARDS:
        return (can >> (4 * k)) & 7 >= rules.low[p] and (must >> (4 * k)) & 7 <= rules.high[p]
    return True


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
    n_hand = own.n_hand
    rows = np.empty((ROWS[n_hand], WIDTH), np.int64)
    order, keys = np.empty(HANDS, np.int64), np.empty(HANDS, np.float64)
    n_order = rank_hands(rules, own, weight, order, keys)
    rows[0, :] = 0
    best_key, best_row, best_hand, best_value = -1e300, 0, -1, 0
    for row in range(1, ROWS[n_hand]):
        n_cards = N_CARDS[row]
        add_card(rules, own, rows, row, PARENT[row], own.hand[ADDED[row]], n_cards - 1)
        if rules.reveal_low <= n_cards <= rules.reveal_high:
            key, hand, value = best_worth(rules, own, order, n_order, weight, rows[row], n_cards)
            if key > best_key:
                best_key, best_row, best_hand, best_value = key, row, hand, value
    uses = 0
    if own.n_changes:
        path = np.empty((HELD + 1, 2), np.int64)
        best_key, best_row, best_hand, best_value, uses = search_changes(
            rules, own, round_number, weight, rows, order, n_order, best_key, best_row, best_hand, best_value, path
        )
        for step in range(uses):
            at = CHOICE_USE + step * USE_WIDTH
            choice[at] = own.change[path[step, 0]]
            for slot in range(N_CARDS[best_row]):
                choice[at + 1 + slot] = code_at(path[step, 1], slot)
    write_reveal(best_row, choice)
    choice[CHOICE_HAND] = best_hand + 1
    choice[CHOICE_USES] = uses
    return best_value, best_hand


@kernel
def write_reveal(row, choice):
    """Write the cards of a row of the tree of subsets as the cards to reveal."""
    choice[CHOICE_CARDS] = N_CARDS[row]
    while row:
        choice[CHOICE_SLOTS + N_CARDS[row] - 1] = ADDED[row]
        row = PARENT[row]


@kernel
def search_changes(rules, own, round_number, weight, rows, order, n_order, key, row, hand, value, path):
    """Improve the best unchanged play by Change cards; return it as (key, row, hand, worth, uses).

    ``path`` gets the uses in order: (place in ``own.change``, cards after it).
    """
    n_hand = own.n_hand
    free, held = np.empty(HELD, np.int64), np.empty(HELD, np.int64)
    n_free = n_held = 0
    for k in range(own.n_changes):
        p = own.change[k]
        if (rules.rounds[p] >> round_number) & 1:
            held[n_held] = k
            n_held += 1
            if not is_conditional(rules, p, SLOTS):
                free[n_free] = k
                n_free += 1
    # What each card could become: by the unconditional Change cards, and by all of them.
    numbers_by, suits_by = np.empty(1 << n_held, np.int64), np.empty(1 << n_held, np.int64)
    cards = np.empty((2, n_hand, REACH), np.int64)
    best, worst = np.empty((2, n_hand)), np.empty((2, n_hand))
    can, must = np.zeros(n_hand, np.int64), np.zeros(n_hand, np.int64)
    for i in range(n_hand):
        c = own.hand[i]
        best[0, i], worst[0, i] = card_reach(rules, own, free, n_free, c, weight, numbers_by, suits_by, cards[0, i])
        if n_held > n_free:
            suits = 0
            for suit in range(rules.n_suits):
                suits |= ((cards[0, i, CAN] >> (4 * suit)) & 1) << suit
            can[i], must[i] = conditions_reach(rules, own, held, n_held, cards[0, i, C1], suits)
            best[1, i], worst[1, i] = card_reach(rules, own, held, n_held, c, weight, numbers_by, suits_by, cards[1, i])
    # An optimistic bound for each reveal.
    bounds = np.empty(rows.shape[0])
    level = np.zeros(rows.shape[0], np.int64)
    reach = np.empty(REACH, np.int64)
    for r in range(1, rows.shape[0]):
        bounds[r] = -1e300
        n_cards = N_CARDS[r]
        if not rules.reveal_low <= n_cards <= rules.reveal_high:
            continue
        total, largest = row_reach(r, cards[0], best[0], worst[0], reach)
        numbers, suits, together = budgets(rules, own, free, n_free, 0, reach[TOUCHED])
        if n_held > n_free:
            row_can = row_must = 0
            at = r
            while at:
                row_can += can[ADDED[at]]
                row_must += must[ADDED[at]]
                at = PARENT[at]
            for j in range(n_held):
                if is_conditional(rules, own.change[held[j]], SLOTS) and could_hold(
                    rules, own, held[j], round_number, rows[r], reach, row_can, row_must, n_cards, numbers
                ):
                    level[r] = 1
            if level[r]:
                total, largest = row_reach(r, cards[1], best[1], worst[1], reach)
                numbers, suits, together = budgets(rules, own, held, n_held, 0, reach[TOUCHED])
        if together:
            bounds[r] = bound(
                rules, own, order, n_order, weight, rows[r], reach, total, largest, n_cards,
                numbers, suits, together, key,
            )  # fmt: skip
    # Search the reveals that could still be better, the most promising first.
    uses = 0
    n_stack = 1 << 8
    stack = np.empty((n_stack, 2), np.int64)
    buffer = np.empty(1 << 8, np.int64)
    way = np.empty((HELD + 1, 2), np.int64)
    features = np.empty(WIDTH, np.int64)
    places = np.empty(1 << 8, np.int64)
    while True:
        r = np.argmax(bounds)
        if bounds[r] <= key + MARGIN:
            break
        bounds[r] = -1e300
        n_cards = N_CARDS[r]
        ops, n_ops = (held, n_held) if level[r] else (free, n_free)
        total, largest = row_reach(r, cards[level[r]], best[level[r]], worst[level[r]], reach)
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
            for j in range(n_ops):
                k = ops[j]
                if (state >> (USED_SHIFT + k)) & 1:
                    continue
                used = (state >> USED_SHIFT) | (1 << k)
                buffer, made = expand(rules, own.change[k], round_number, revealed, state & CARDS_MASK, n_cards, buffer)
                if n + made > stack.shape[0]:
                    larger = np.empty((2 * (n + made), 2), np.int64)
                    larger[:n] = stack[:n]
                    stack = larger
                numbers, suits, together = budgets(rules, own, ops, n_ops, used, reach[TOUCHED])
                for i in range(made):
                    made_key = arranged(buffer[i], n_cards) | used << USED_SHIFT
                    if 2 * known > places.shape[0]:
                        places = grown(places)
                    if not add_key(places, made_key):
                        continue
                    known += 1
                    fill(rules, own, buffer[i], n_cards, icons, features)
                    found, found_hand, found_value = best_worth(rules, own, order, n_order, weight, features, n_cards)
                    if found > key + MARGIN:
                        key, row, hand, value = found, r, found_hand, found_value
                        uses = depth + 1
                        for step in range(depth):
                            path[step, 0], path[step, 1] = way[step, 0], way[step, 1]
                        path[depth, 0], path[depth, 1] = k, buffer[i]
                    if together and bound(
                        rules, own, order, n_order, weight, features, reach, total, largest, n_cards,
                        numbers, suits, together, key,
                    ) > key + MARGIN:  # fmt: skip
                        stack[n, 0] = buffer[i] | used << USED_SHIFT
                        stack[n, 1] = (depth + 1) << 4 | k
                        n += 1
    return key, row, hand, value, uses
