"""The tree of reveals: the features of every subset of a hand, each one card more than its parent.

A row of features describes one set of revealed cards; `best_worth` tells which hand to declare with it.
"""

from collections import namedtuple

import numpy as np

from sushibalance.core.jit import lean, records
from sushibalance.games.otter.kernel.state import (
    CHOICE_CARDS,
    CHOICE_SLOTS,
    HAND,
    NUMBER_MASK,
    PATTERNS,
    SLOTS,
    SUIT_SHIFT,
)
from sushibalance.games.otter.kernel.worth import (
    CODE_BITS,
    code_at,
    forms_on_same_cards,
    group_pattern,
    op_gain,
    parts_shown,
    score_of,
    vp_of,
    worth_of,
)


def _subsets(size: int) -> tuple[np.ndarray, ...]:
    """List the subsets of up to 5 of ``size`` cards so that those of the first n cards come first.

    Returns the parent row (the subset without its highest card), the added card, the number of cards, the subset
    as a mask, and for each n the number of rows. Row 0 is the empty set.
    """
    rows = [(0, -1, 0, 0)]
    upto = [1]
    for card in range(size):
        rows += [
            (row, card, cards + 1, subset | 1 << card)
            for row, (_, _, cards, subset) in enumerate(rows)
            if cards < SLOTS
        ]
        upto.append(len(rows))
    return *(np.array(column, np.int64) for column in zip(*rows, strict=True)), np.array(upto, np.int64)


PARENT, ADDED, N_CARDS, SUBSET, ROWS = _subsets(HAND)

_i = np.int64

FEATURES = np.dtype(
    [
        ("h", _i, (SLOTS,)),  # numbers standing on at least 1 .. 5 cards (masks)
        ("word", _i),  # nibbles: cards by suit, then by the hands' number filters
        ("counted", _i),  # nibbles: cards marked by each Score op
        ("each", _i),  # what cards pay by themselves
        ("icons", _i),  # the score printed on them
        ("packed", _i),  # the cards, 9 bits each
    ],
    align=True,
)
"""What a set of revealed cards shows."""

new_features = records(FEATURES)

# Ties go to more VP, then to more cards; a play must be better by more than rounding.
TIE_VP = 1e-6
TIE_CARDS = 1e-8
MARGIN = 1e-10


@lean
def key_of(value, weight):
    """Return the key of a packed value, without the tie-break by cards."""
    return score_of(value) + (weight + TIE_VP) * vp_of(value)


@lean
def add_card(rules, own, parent, row, c, slot):
    """Fill a row: the features of its parent's cards and one card more (``row`` may be ``parent``)."""
    bit = 1 << (c & NUMBER_MASK)
    row.h[4] = parent.h[4] | (parent.h[3] & bit)
    row.h[3] = parent.h[3] | (parent.h[2] & bit)
    row.h[2] = parent.h[2] | (parent.h[1] & bit)
    row.h[1] = parent.h[1] | (parent.h[0] & bit)
    row.h[0] = parent.h[0] | bit
    row.word = parent.word + rules.word[c]
    row.counted = parent.counted + own.counted[c]
    row.each = parent.each + own.each[c]
    row.icons = parent.icons + rules.icon[c]
    row.packed = parent.packed | c << (CODE_BITS * slot)


@lean
def fill(rules, own, cards, n_cards, icons, row):
    """Fill a row with the features of a packed set (the icons are those of the printed cards)."""
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
    row.h[0], row.h[1], row.h[2], row.h[3], row.h[4] = h1, h2, h3, h4, h5
    row.word, row.counted, row.each, row.icons, row.packed = word, counted, each, icons, cards


Ranking = namedtuple(
    "Ranking",
    [
        "weight",  # score points that a VP is worth
        "order",  # int64[HANDS]: usable hands, the best first
        "n_order",
        "first",  # int64[PATTERNS]: by pattern of equal numbers, the best hand when no other part shows
    ],
)
"""A seat's usable hands in order of worth.

The ``otherwise`` hand is among them only where it may always be declared (reading O1). When the highest score must be
declared (reading O2), the order is by score, then VP.
"""


@lean
def rank_hands(rules, own, weight, order, keys, first):
    """Fill the arrays of a `Ranking` (``keys``: work space, float64[HANDS]); return ``n_order``."""
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
    for pattern in range(PATTERNS):
        first[pattern] = first_formed(rules, own, order, n, rules.group_bits[pattern])
    return n


@lean
def first_formed(rules, own, order, n_order, shown):
    """Return the best hand whose needs are all shown."""
    for j in range(n_order):
        h = order[j]
        if own.needs[h] & shown == own.needs[h]:
            return h
    return rules.otherwise


@lean
def best_worth(rules, own, ranking, row, n_cards):
    """Return (key, hand, packed worth) of a row of features, declared as the hand that is worth most.

    The key is score + weight * VP with the tie-breaks: more VP, then more cards.
    """
    shown = parts_shown(rules, own, row.h[0], row.h[1], row.word)
    pattern = group_pattern(row.h[1], row.h[2], row.h[3], row.h[4])
    if own.by_hand or rules.same_cards:
        return best_special(rules, own, ranking, row, n_cards, shown | rules.group_bits[pattern])
    if shown:
        h = first_formed(rules, own, ranking.order, ranking.n_order, shown | rules.group_bits[pattern])
    else:
        h = ranking.first[pattern]
    value = own.worth[h] + own.constant + row.each + row.icons
    for j in range(own.n_active):
        value += op_gain(rules, own, own.active[j], row.counted, row.packed, n_cards)
    return key_of(value, ranking.weight) + TIE_CARDS * n_cards, h, value


@lean
def best_special(rules, own, ranking, row, n_cards, shown):
    """Do the same where Score power-ups look at the declared hand, or parts must hold on the same cards (O4)."""
    best_key, best_hand, best_value = -1e300, -1, 0
    for j in range(ranking.n_order + 1):
        if j < ranking.n_order:
            h = ranking.order[j]
            if own.needs[h] & shown != own.needs[h]:
                continue
            if rules.same_cards and not forms_on_same_cards(rules, own, h, row.packed, n_cards):
                continue
        elif best_hand >= 0:
            break
        else:
            h = rules.otherwise
        if rules.highest_score and best_hand >= 0 and own.worth[h] != own.worth[best_hand]:
            break
        value = worth_of(rules, own, h, row.counted, row.each, row.packed, n_cards)
        value += row.icons
        key = key_of(value, ranking.weight) + TIE_CARDS * n_cards
        if key > best_key:
            best_key, best_hand, best_value = key, h, value
    return best_key, best_hand, best_value


@lean
def harmless(rules, own, every, weight):
    """Return the cards of the hand that no reveal without them is better for: a mask of places.

    Added to any reveal, and left alone by the Change cards ``every`` (a mask of places in ``own.change``), such a card
    takes nothing away: each hand can still be formed, each use still be made, each power-up pays as much.
    """
    lowest_worth = 0.0
    for h in range(rules.n_hands):
        if own.usable[h]:
            lowest_worth = min(lowest_worth, key_of(own.worth[h] - own.worth[rules.otherwise], weight))
    if rules.highest_score or (rules.no_hand_always == 0 and (lowest_worth < 0 or own.by_hand)):
        return 0  # a card more may force a hand that is worth less
    result = 0
    for i in range(own.n_hand):
        if key_of(own.each[own.hand[i]] + rules.icon[own.hand[i]], weight) >= 0:
            result |= 1 << i
    for j in range(own.n_active):
        p = own.op[own.active[j]]
        grows = True
        for count in range(SLOTS):
            grows &= key_of(rules.gain[p, count + 1] - rules.gain[p, count], weight) >= 0
        if rules.revealed[p] or not grows:
            result &= unmarked(rules, own, p)
    for k in range(own.n_changes):
        p = own.change[k]
        if (every >> k) & 1 and (rules.revealed[p] or rules.high[p] < SLOTS):
            result &= unmarked(rules, own, p)
    return result


@lean
def unmarked(rules, own, p):
    """Return the cards of the hand that power-up ``p`` does not count (a mask of places)."""
    result = 0
    if rules.revealed[p] == 0:
        for i in range(own.n_hand):
            c = own.hand[i]
            if (rules.suits[p] >> (c >> SUIT_SHIFT)) & (rules.numbers[p] >> (c & NUMBER_MASK)) & 1 == 0:
                result |= 1 << i
    return result


@lean
def value_reveals(rules, own, ranking, rows, good, kept):
    """Fill the rows of the reveals that can be best; return the best as (key, row, hand, worth), and how many.

    A reveal without a card of ``good`` (as `harmless` gives it) that has room for one is never best: with the card it
    is worth as much, and has a card more. ``kept`` gets the rows of the others.
    """
    best_key, best_row, best_hand, best_value = -1e300, 0, -1, 0
    n_hand, n_kept = own.n_hand, 0
    most = min(rules.reveal_high, n_hand)
    all_good = good == (1 << n_hand) - 1
    fill(rules, own, 0, 0, 0, rows[0])
    for row in range(1, ROWS[n_hand]):
        n_cards = N_CARDS[row]
        if n_cards > most or (all_good and n_cards + n_hand - 1 - ADDED[row] < most):
            continue  # it never grows to as many cards as it could hold
        add_card(rules, own, rows[PARENT[row]], rows[row], own.hand[ADDED[row]], n_cards - 1)
        if n_cards < most and (n_cards < rules.reveal_low or good & ~SUBSET[row]):
            continue
        kept[n_kept] = row
        n_kept += 1
        key, hand, value = best_worth(rules, own, ranking, rows[row], n_cards)
        if key > best_key:
            best_key, best_row, best_hand, best_value = key, row, hand, value
    return best_key, best_row, best_hand, best_value, n_kept


@lean
def write_reveal(row, choice):
    """Write the cards of a row of the tree of subsets as the cards to reveal."""
    choice[CHOICE_CARDS] = N_CARDS[row]
    while row:
        choice[CHOICE_SLOTS + N_CARDS[row] - 1] = ADDED[row]
        row = PARENT[row]
