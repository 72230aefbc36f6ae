"""The tree of reveals: the features of every subset of a hand, each one card more than its parent.

A row of features describes one set of revealed cards; `best_worth` tells which hand to declare with it.
"""

import numpy as np

from sushibalance.core.jit import inlined, lean
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
    rows = [(0, 0, 0, 0)]
    upto = [1]
    for card in range(size):
        rows += [
            (row, card, cards + 1, subset | 1 << card)
            for row, (_, _, cards, subset) in enumerate(rows)
            if cards < SLOTS
        ]
        upto.append(len(rows))
    parents, added, cards, subsets = (np.array(column) for column in zip(*rows, strict=True))
    return *(column.astype(np.uint16) for column in (parents, added)), cards, subsets, np.array(upto)


PARENT, ADDED, N_CARDS, SUBSET, ROWS = _subsets(HAND)

# Patterns of equal numbers (tables.PATTERNS) and what a card more can make of them
PATTERN = np.array([0, 1, 1, 2, 3, 3, 5])
GROWN = np.array([1, 2, 3, 4, 4, 5, 7])

# Ties go to more VP, then to more cards; a play must be better by more than rounding.
TIE_VP = 1e-6
TIE_CARDS = 1e-8
MARGIN = 1e-10


@lean
def key_of(value, weight):
    """Return the key of a packed value, without the tie-break by cards."""
    return score_of(value) + (weight + TIE_VP) * vp_of(value)


@inlined
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


@lean
def rank_hands(rules, own, ranking, weight):
    """Fill a seat's ranking of hands."""
    order, keys, n = ranking.order, ranking.key, 0
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
    ranking.weight, ranking.n_order = weight, n
    for pattern in range(PATTERNS):
        ranking.first[pattern] = first_formed(rules, own, ranking, rules.group_bits[pattern])


@inlined
def first_formed(rules, own, ranking, shown):
    """Return the best hand whose needs are all shown."""
    for j in range(ranking.n_order):
        h = ranking.order[j]
        if own.needs[h] & shown == own.needs[h]:
            return h
    return rules.otherwise


@inlined
def best_worth(rules, own, ranking, row, n_cards):
    """Return (key, hand, packed worth) of a row of features, declared as the hand that is worth most.

    The key is score + weight * VP with the tie-breaks: more VP, then more cards.
    """
    shown = parts_shown(rules, own, row.h[0], row.h[1], row.word)
    pattern = group_pattern(row.h[1], row.h[2], row.h[3], row.h[4])
    if own.by_hand or rules.same_cards:
        return best_special(rules, own, ranking, row, n_cards, shown | rules.group_bits[pattern])
    if shown:
        h = first_formed(rules, own, ranking, shown | rules.group_bits[pattern])
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
def harmless(rules, own, ranking, every):
    """Return the cards of the hand that no reveal without them is better for: a mask of places.

    Added to any reveal, and left alone by the Change cards ``every`` (a mask of places in ``own.change``), such a card
    takes nothing away: a hand worth as much can still be declared, each use be made, each power-up pays as much.
    """
    if not more_cards_more_worth(rules, own, ranking):
        return 0
    weight, result = ranking.weight, 0
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
def more_cards_more_worth(rules, own, ranking):
    """Tell whether the hand to declare is never worth less with a card more."""
    if rules.highest_score:
        return False
    if rules.no_hand_always == 0:
        for h in range(rules.n_hands):
            if own.usable[h] and (own.by_hand or is_worth_more(own, rules.otherwise, h, ranking.weight)):
                return False
    lost = 0  # groups that a card more can take away: three of a kind hold no pair (reading ``kinds``)
    for i in range(len(PATTERN)):
        gone = rules.group_bits[PATTERN[i]] & ~rules.group_bits[GROWN[i]]
        lost |= gone
        if gone and is_worth_more(own, ranking.first[PATTERN[i]], ranking.first[GROWN[i]], ranking.weight):
            return False
    if lost:
        for h in range(rules.n_hands):
            if own.usable[h] and own.needs[h] & lost and (own.by_hand or own.needs[h] & ~lost):
                return False
    return True


@lean
def is_worth_more(own, h, other, weight):
    """Tell whether hand ``h`` is worth more than another."""
    return key_of(own.worth[h], weight) > key_of(own.worth[other], weight)


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
def grow_reveals(rules, own, work, good):
    """Fill the rows of the reveals that can be best, and of those that lead to them; list the former in ``kept``.

    A reveal without a card of ``good`` (as `harmless` gives it) that has room for one is never best: with the card it
    is worth as much, and has a card more.
    """
    n_hand, n_kept = own.n_hand, 0
    most = min(rules.reveal_high, n_hand)
    all_good = good == (1 << n_hand) - 1
    fill(rules, own, 0, 0, 0, work.rows[0])
    for row in range(1, ROWS[n_hand]):
        n_cards = N_CARDS[row]
        if n_cards > most or (all_good and n_cards + n_hand - 1 - ADDED[row] < most):
            continue  # it never grows to as many cards as it could hold
        add_card(rules, own, work.rows[PARENT[row]], work.rows[row], own.hand[ADDED[row]], n_cards - 1)
        if n_cards == most or (n_cards >= rules.reveal_low and good & ~SUBSET[row] == 0):
            work.kept[n_kept] = row
            n_kept += 1
    work.n_kept = n_kept


@lean
def value_reveals(rules, own, work):
    """Return the best of the reveals kept, unchanged, as (key, row, hand, worth)."""
    best_key, best_row, best_hand, best_value = -1e300, 0, -1, 0
    for i in range(work.n_kept):
        row = work.kept[i]
        key, hand, value = best_worth(rules, own, work.ranking, work.rows[row], N_CARDS[row])
        if key > best_key:
            best_key, best_row, best_hand, best_value = key, row, hand, value
    return best_key, best_row, best_hand, best_value


@lean
def write_reveal(row, choice):
    """Write the cards of a row of the tree of subsets as the cards to reveal."""
    choice[CHOICE_CARDS] = N_CARDS[row]
    while row:
        choice[CHOICE_SLOTS + N_CARDS[row] - 1] = ADDED[row]
        row = PARENT[row]
