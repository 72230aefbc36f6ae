"""What a seat's power-ups and Key Client cards let it do, kept up to date in its ``OWN`` record."""

from sushibalance.core.jit import lean
from sushibalance.games.otter.kernel.state import (
    CHANGE,
    CODES,
    COUNT_CARDS,
    COUNT_NUMBERS,
    COUNT_SUITS,
    FIBONACCI,
    FIBONACCI_BIT,
    FIBONACCI_PART,
    FILTER_BIT,
    FILTER_PART,
    FLUSH_BIT,
    FLUSH_PART,
    GAPS,
    HANDS,
    NUMBER_BITS,
    NUMBERS_BIT,
    NUMBERS_PART,
    PASSIVE,
    ROUNDS,
    SCORE,
    SLOTS,
    STRAIGHT,
    STRAIGHT_BIT,
    STRAIGHT_PART,
    SUIT_SHIFT,
    SUITS,
    SUITS_BIT,
    SUITS_PART,
)

EVERY_HAND = (1 << HANDS) - 1
EVERY_ROUND = (1 << (ROUNDS + 1)) - 1


@lean
def forget(rules, own):
    """Set a seat to the start of a game: no cards, no power-ups, the basic hands only."""
    own.n_hand = 0
    own.n_dealt = 0
    own.n_changes = 0
    own.n_ops = 0
    own.n_marks = 0
    own.n_each = 0
    own.flush_cards = SLOTS
    own.run_cards = SLOTS
    own.run_gaps = 0
    own.parts = 0
    for h in range(rules.n_hands):
        own.usable[h] = 0
        own.worth[h] = rules.hand_worth[h]
        own.needs[h] = needs_of(rules, h)
        if rules.hand_new[h] == 0:
            teach(own, h)
    for c in range(CODES):
        own.each[c] = 0
        own.counted[c] = 0
    list_parts(rules, own)
    start_round(rules, own, 1)


@lean
def needs_of(rules, h):
    """Return the feature bits that hand ``h`` needs (none for the ``otherwise`` hand)."""
    cards = rules.hand_cards[h]
    needs = rules.hand_group[h]
    if rules.hand_flush[h]:
        needs |= 1 << (FLUSH_BIT + cards)
    if rules.hand_run[h] == STRAIGHT:
        needs |= 1 << (STRAIGHT_BIT + cards)
    if rules.hand_run[h] == FIBONACCI:
        needs |= 1 << (FIBONACCI_BIT + cards)
    if rules.hand_different[h] == COUNT_NUMBERS:
        needs |= 1 << (NUMBERS_BIT + cards)
    if rules.hand_different[h] == COUNT_SUITS:
        needs |= 1 << (SUITS_BIT + cards)
    if rules.hand_filter[h]:
        needs |= 1 << (FILTER_BIT + rules.hand_filter[h] - SUITS)
    return needs


@lean
def teach(own, h):
    """Let a seat declare hand ``h``."""
    own.usable[h] = 1
    own.parts |= own.needs[h]


@lean
def add_part(own, bit, kind, need, gaps):
    """Note what stands behind a feature bit that the usable hands need."""
    at = own.n_parts
    own.part_bit[at], own.part_kind[at], own.part_need[at], own.part_gaps[at] = bit, kind, need, gaps
    own.n_parts = at + 1


@lean
def list_parts(rules, own):
    """List the parts that the usable hands need, with the numbers of cards that they need here (reading O4)."""
    own.n_parts = 0
    for cards in range(1, SLOTS + 1):
        gaps = run_gaps(rules, own, cards)
        if (own.parts >> (FLUSH_BIT + cards)) & 1:
            add_part(own, FLUSH_BIT + cards, FLUSH_PART, flush_need(own, cards), 0)
        if (own.parts >> (STRAIGHT_BIT + cards)) & 1:
            add_part(own, STRAIGHT_BIT + cards, STRAIGHT_PART, run_need(own, cards), gaps)
        if (own.parts >> (FIBONACCI_BIT + cards)) & 1:
            add_part(own, FIBONACCI_BIT + cards, FIBONACCI_PART, run_need(own, cards), gaps)
        if (own.parts >> (NUMBERS_BIT + cards)) & 1:
            add_part(own, NUMBERS_BIT + cards, NUMBERS_PART, cards, 0)
        if (own.parts >> (SUITS_BIT + cards)) & 1:
            add_part(own, SUITS_BIT + cards, SUITS_PART, cards, 0)
    for k in range(rules.n_filters):
        if (own.parts >> (FILTER_BIT + k)) & 1:
            add_part(own, FILTER_BIT + k, FILTER_PART, 8 - ((rules.filter_need >> (4 * (SUITS + k))) & 15), 0)


@lean
def pays_each(rules, p):
    """Tell whether a Score power-up pays each marked card alike, whatever else is revealed."""
    if rules.counting[p] != COUNT_CARDS or rules.revealed[p] != 0:
        return False
    if rules.gain_hands[p] != EVERY_HAND or rules.rounds[p] != EVERY_ROUND:
        return False
    for count in range(SLOTS + 1):
        if rules.gain[p, count] != count * rules.gain[p, 1]:
            return False
    return True


@lean
def learn_power_up(rules, own, p):
    """Take power-up ``p`` (index) into account."""
    kind = rules.kind[p]
    if kind == CHANGE:
        own.change[own.n_changes] = p
        own.n_changes += 1
    elif kind == PASSIVE:
        own.flush_cards = min(own.flush_cards, rules.flush_cards[p])
        own.run_cards = min(own.run_cards, rules.run_cards[p])
        own.run_gaps = min(own.run_gaps + rules.run_gaps[p], GAPS - 1)
        list_parts(rules, own)
    elif kind == SCORE:
        own.marks[own.n_marks] = rules.numbers[p]
        own.n_marks += 1
        each = pays_each(rules, p)
        shift = 4 * own.n_ops
        for suit in range(rules.n_suits):
            if (rules.suits[p] >> suit) & 1:
                for bit in range(NUMBER_BITS):
                    if (rules.numbers[p] >> bit) & 1:
                        c = suit << SUIT_SHIFT | bit
                        if each:
                            own.each[c] += rules.gain[p, 1]
                        else:
                            own.counted[c] += 1 << shift
        if each:
            own.n_each += 1
        else:
            own.op[own.n_ops] = p
            own.n_ops += 1


@lean
def learn_client(rules, own, client):
    """Take Key Client card ``client`` (index) into account."""
    for h in range(rules.n_hands):
        if (rules.client_hands[client] >> h) & 1:
            if rules.client_new[client]:
                teach(own, h)
            else:
                own.worth[h] = rules.hand_upgraded[h]
    list_parts(rules, own)


@lean
def start_round(rules, own, round_number):
    """List the Score power-ups that can apply in this round; add up those that always do."""
    own.n_active = 0
    own.constant = 0
    own.by_hand = 0
    for k in range(own.n_ops):
        p = own.op[k]
        if (rules.rounds[p] >> round_number) & 1 == 0:
            continue
        same = rules.counting[p] == COUNT_CARDS and rules.revealed[p] == 0 and rules.gain_hands[p] == EVERY_HAND
        for count in range(SLOTS + 1):
            if rules.gain[p, count] != rules.gain[p, 0]:
                same = False
        if same:
            own.constant += rules.gain[p, 0]
            continue
        own.active[own.n_active] = k
        own.n_active += 1
        if rules.gain_hands[p] != EVERY_HAND:
            own.by_hand = 1


@lean
def run_need(own, cards):
    """Return how many cards a straight or Fibonacci part needs in a hand of ``cards`` cards."""
    return min(cards, own.run_cards)


@lean
def run_gaps(rules, own, cards):
    """Return how many values may be missing inside it (reading O5)."""
    if own.run_cards < cards and rules.gap_in_lowered_run == 0:
        return 0
    return own.run_gaps


@lean
def flush_need(own, cards):
    """Return how many cards of one suit a flush part needs in a hand of ``cards`` cards."""
    return min(cards, own.flush_cards)
