"""Sushi Otter's state: the structured arrays that the kernel works on.

The limits of what it holds are told to a designer by ``possible.py``.

A card is a code ``suit << 6 | number + OFFSET``; a number is a bit ``number + OFFSET`` of a mask, so
that every whole number a Change card can reach has a place. Printed cards use the same codes.
Score and VP travel together in one integer, ``score + (vp << 32)``, which adds like both.
"""

import numpy as np

OFFSET = 20
NUMBER_BITS = 63
SUIT_SHIFT = 6
NUMBER_MASK = 63
CODES = 512
CONVERSIONS = 4
RESULTS = CONVERSIONS * CODES  # room for all that one card can become by one Change card
VP = 1 << 32

SEATS = 5
SUITS = 6
SLOTS = 5
CARDS = 128
HAND = 12
ROUNDS = 12
HELD = ROUNDS
POWER_UPS = 96
CLIENTS = 32
HANDS = 40
OFFERS = 16
DEALT = 10
ATOMS = 8
PATTERNS = 8  # of equal numbers, see tables.PATTERNS
GAPS = 4
FIB_ROWS = 256
FILTERS = 9  # nibbles that 60 bits have left beside the suits

SCORE, CHANGE, PASSIVE, KEY_CLIENT = range(4)
COUNT_CARDS, COUNT_NUMBERS, COUNT_SUITS, COUNT_SAME = range(4)
NO_RUN, STRAIGHT, FIBONACCI = range(3)
WORST_FIRST, BEST_FIRST, RANDOM_ORDER = range(3)

_i = np.int64
_at = np.uint8  # a place in an array: without a sign, or compiled code looks whether it counts from the end

# How a condition counts and compares: marked suits and numbers (masks), what is counted, the
# bounds, the number of cards that must be revealed (0: any), the rounds (mask).
_CONDITION = [
    ("suits", _i, (POWER_UPS,)),
    ("numbers", _i, (POWER_UPS,)),
    ("counting", _i, (POWER_UPS,)),
    ("low", _i, (POWER_UPS,)),
    ("high", _i, (POWER_UPS,)),
    ("revealed", _i, (POWER_UPS,)),
    ("rounds", _i, (POWER_UPS,)),
]

RULES = np.dtype(
    [
        ("n_suits", _i),
        ("n_numbers", _i),
        ("n_cards", _i),
        ("card_code", _i, (CARDS,)),
        ("icon", _i, (CODES,)),
        # Play
        ("n_rounds", _i),
        ("hand_limit", _i),
        ("reveal_low", _i),
        ("reveal_high", _i),
        ("offers_beyond", _i),
        ("pick_order", _i),
        ("two_player_percent", _i),
        ("start_dealt", _i),
        ("round_vp", _i, (SEATS + 1, ROUNDS + 1, SEATS)),
        # Hands: the parts that each needs
        ("n_hands", _i),
        ("otherwise", _i),
        ("hand_cards", _i, (HANDS,)),
        ("hand_group", _i, (HANDS,)),  # bit of its group pattern, 0 for none
        ("hand_run", _i, (HANDS,)),
        ("hand_flush", _i, (HANDS,)),
        ("hand_filter", _i, (HANDS,)),  # nibble of `word` that counts its numbers, 0 for none
        ("hand_different", _i, (HANDS,)),  # 0, COUNT_NUMBERS or COUNT_SUITS
        ("hand_new", _i, (HANDS,)),
        ("hand_worth", _i, (HANDS,)),
        ("hand_upgraded", _i, (HANDS,)),
        ("hand_categories", _i, (HANDS,)),
        ("group_bits", _i, (PATTERNS,)),  # by pattern of equal numbers: the group bits that it shows
        # The same, by number of cards and pattern, after so many changed numbers at best
        ("group_near", _i, (SLOTS + 1, PATTERNS, SLOTS + 1)),
        ("group_first", _i, (ATOMS,)),  # by group bit: sizes of its groups
        ("group_second", _i, (ATOMS,)),
        ("word", _i, (CODES,)),  # nibbles: cards by suit, then by the hands' number filters
        ("filter_need", _i),  # the nibbles' thresholds, as 8 - cards
        ("n_filters", _i),
        ("filter_numbers", _i, (FILTERS,)),
        ("n_fib", _i, (SLOTS + 1, GAPS)),  # Fibonacci stretches by cards needed and gaps
        ("fib_one", _i, (SLOTS + 1, GAPS, FIB_ROWS)),  # numbers needed at least once
        ("fib_two", _i, (SLOTS + 1, GAPS, FIB_ROWS)),  # numbers needed at least twice
        ("fib_numbers", _i),  # all numbers of the sequence (mask)
        # Key Client cards
        ("n_clients", _i),
        ("client_new", _i, (CLIENTS,)),
        ("client_hands", _i, (CLIENTS,)),
        # Power-ups; condition of Score cards and of Change cards
        ("n_power_ups", _i),
        ("number", _i, (POWER_UPS,)),
        ("kind", _i, (POWER_UPS,)),
        *_CONDITION,
        ("gain", _i, (POWER_UPS, SLOTS + 1)),  # by count, 0 outside the bounds
        ("gain_hands", _i, (POWER_UPS,)),  # declared hands that it applies to (mask)
        ("times", _i, (POWER_UPS,)),
        ("n_conversions", _i, (POWER_UPS,)),
        ("from_suits", _i, (POWER_UPS, CONVERSIONS)),
        ("from_numbers", _i, (POWER_UPS, CONVERSIONS)),
        ("to_numbers", _i, (POWER_UPS, CONVERSIONS)),  # 0: the number stays or is added to
        ("to_add", _i, (POWER_UPS, CONVERSIONS)),
        ("to_suits", _i, (POWER_UPS, CONVERSIONS)),  # 0: the suit stays
        ("not_x", _i, (POWER_UPS, CONVERSIONS)),
        ("moves_numbers", _i, (POWER_UPS,)),
        ("moves_suits", _i, (POWER_UPS,)),
        ("more_hand", _i, (POWER_UPS,)),
        ("flush_cards", _i, (POWER_UPS,)),
        ("run_cards", _i, (POWER_UPS,)),
        ("run_gaps", _i, (POWER_UPS,)),
        # Readings
        ("no_hand_always", _i),  # O1
        ("highest_score", _i),  # O2
        ("straight_numbers", _i),  # O3: numbers that can stand in a straight (mask)
        ("same_cards", _i),  # O4
        ("gap_in_lowered_run", _i),  # O5
        ("as_revealed", _i),  # O6
        ("numbers_by_add", _i),  # O7: numbers that `add` may reach (mask)
        # An intervention: what is out of play but for one pick of one seat (1 + index; 0: no intervention; beyond the
        # last: no card), and whether that pick brings it or nothing. A Key Client card comes with a power-up.
        ("tested_power_up", _i),
        ("tested_client", _i),
        ("given", _i),
    ],
    align=True,
)

TABLE = np.dtype(
    [
        ("n_players", _i),
        ("round_number", _i),
        ("first_button", _i),
        ("button", _i),
        ("vp", _i, (SEATS,)),
        ("n_hand", _i, (SEATS,)),
        ("hand_limit", _i, (SEATS,)),  # from the next round on
        ("n_held", _i, (SEATS,)),
        ("held", _i, (SEATS, HELD)),  # power-ups in order of acquisition
        ("held_client", _i, (SEATS, HELD)),  # Key Client card on each, -1 for none
        ("client_taken", _i, (CLIENTS,)),
        ("n_offers", _i),
        ("offer", _i, (OFFERS,)),  # power-up by slot, -1 once taken
        ("n_picked", _i),  # picks made in this draft
        # The last reveal of each seat, open for all
        ("n_revealed", _i, (SEATS,)),
        ("revealed", _i, (SEATS, SLOTS)),
        ("declared", _i, (SEATS,)),
        ("score", _i, (SEATS,)),
        ("rank", _i, (SEATS,)),
    ],
    align=True,
)

OWN = np.dtype(
    [
        ("n_hand", _i),
        ("hand", _i, (HAND,)),  # codes, ascending
        ("n_dealt", _i),
        ("dealt", _i, (DEALT,)),  # starting power-ups to choose from
        # What its power-ups and Key Client cards let this seat do (see learn.py)
        ("usable", _i, (HANDS,)),
        ("worth", _i, (HANDS,)),
        ("needs", _i, (HANDS,)),  # feature bits that each hand needs
        ("parts", _i),  # feature bits that any usable hand needs, and what is behind each, group patterns left out
        ("n_parts", _i),
        ("part_bit", _i, (HANDS,)),
        ("part_kind", _i, (HANDS,)),
        ("part_need", _i, (HANDS,)),
        ("part_gaps", _i, (HANDS,)),
        ("flush_cards", _i),
        ("run_cards", _i),
        ("run_gaps", _i),
        ("n_changes", _i),
        ("change", _at, (HELD,)),
        ("n_ops", _i),  # Score power-ups that do not simply pay each marked card
        ("op", _at, (HELD,)),
        ("n_marks", _i),
        ("marks", _i, (HELD,)),  # numbers that each Score power-up marks (masks)
        ("n_each", _i),
        ("each", _i, (CODES,)),  # gain of a card from those that do
        ("counted", _i, (CODES,)),  # nibble k: the card is marked by op k
        # What of it applies in this round
        ("n_active", _i),
        ("active", _at, (HELD,)),  # places in `op`
        ("constant", _i),  # gain that does not depend on the cards
        ("by_hand", _i),  # some active op looks at the declared hand
    ],
    align=True,
)

HIDDEN = np.dtype(
    [
        ("n_deck", _i),
        ("deck", _i, (POWER_UPS + SEATS * DEALT,)),  # power-ups, the top one last
        ("deck_key", np.uint64, (POWER_UPS + SEATS * DEALT,)),  # what a shuffled deck is ordered by
        ("holder", _i, (CODES,)),  # by code: the seat that holds the card + 1, 0 for the deck
        ("revealed", _i, (SEATS,)),  # what each seat will show: packed as printed,
        ("shown", _i, (SEATS,)),  # and after the Change cards
        ("n_cards", _i, (SEATS,)),
        ("declared", _i, (SEATS,)),
        ("value", _i, (SEATS,)),  # packed score and VP
        ("forced_seat", _i),  # where the intervention is; -1 for none
        ("forced_round", _i),
        ("order", _i, (SEATS,)),  # seats in the order of the draft
        ("kept", _i, (SEATS,)),  # places of the starting power-ups that they keep
    ],
    align=True,
)

# Kinds of parts that a hand can need beside a group pattern
FLUSH_PART, STRAIGHT_PART, FIBONACCI_PART, NUMBERS_PART, SUITS_PART, FILTER_PART = range(6)

# Bits of a feature set (worth.py): group patterns, then each part by the `cards` of its hand
FLUSH_BIT = ATOMS
STRAIGHT_BIT = FLUSH_BIT + SLOTS + 1
FIBONACCI_BIT = STRAIGHT_BIT + SLOTS + 1
NUMBERS_BIT = FIBONACCI_BIT + SLOTS + 1
SUITS_BIT = NUMBERS_BIT + SLOTS + 1
FILTER_BIT = SUITS_BIT + SLOTS + 1

# What random streams are for (core/random.py)
FIRST_BUTTON, POWER_UP_DECK, SUSHI_DECK, PICK_ORDER, DECIDE, FORCED = range(6)

# Decisions, in the order of the engine's functions
REVEAL, DRAFT, CLIENT, START = range(4)

# Events of the log
(
    E_BUTTON,
    E_DECK,
    E_DEALT,
    E_KEPT,
    E_ROUND,
    E_OFFER,
    E_DRAW,
    E_REVEAL,
    E_USE,
    E_PLACE,
    E_PICK,
    E_CLIENT,
    E_END,
    E_FORCED,
) = range(14)

# Illegal choices
(
    OK,
    BAD_COUNT,
    BAD_CARD,
    BAD_CHANGE,
    BAD_USE,
    BAD_HAND,
    BAD_OFFER,
    BAD_CLIENT,
    BAD_START,
) = range(9)

# Rows as stored
GAMES_ROW = np.dtype([("rounds", np.int8), ("ended_by", np.int8), ("winners", np.int8)])
PLAYERS_ROW = np.dtype([("total", np.int32), ("rank", np.int8), ("won", np.int8)])
ROUNDS_ROW = np.dtype(
    [
        ("button", np.int8),
        ("n_cards", np.int8),
        ("hand", np.int8),
        ("score", np.int16),
        ("rank", np.int8),
        ("round_vp", np.int16),
        ("vp", np.int32),
    ]
)
PICKS_ROW = np.dtype([("seat", np.int8), ("power_up", np.int8), ("key_client", np.int8)])
OFFERS_ROW = np.dtype([("power_up", np.int8), ("taken_by", np.int8)])

# What a decision writes into `choice` (zeroed before the call)
CHOICE_CARDS = 0  # reveal: number of cards, then their places in the hand
CHOICE_SLOTS = 1
CHOICE_HAND = 6  # reveal: the declared hand + 1; 0 leaves it to the engine: the best one formed
CHOICE_USES = 7  # reveal: number of Change uses, then for each the power-up and all cards after it
CHOICE_USE = 8
USE_WIDTH = 1 + SLOTS
CHOICE_PICK = 0  # draft, client, start: the place on offer, the Key Client card, the place dealt
CHOICE = CHOICE_USE + HELD * USE_WIDTH
