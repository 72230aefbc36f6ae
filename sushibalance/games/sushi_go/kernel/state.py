"""The words of the kernel: kinds of cards, limits, random streams, events, and the records of the game's state.

A card is its kind, an index into `CARDS`. Cards of one kind are alike, so a hand is a count of each.
"""

import numpy as np

CARDS = (
    "tempura",
    "sashimi",
    "dumpling",
    "maki_1",
    "maki_2",
    "maki_3",
    "salmon_nigiri",
    "squid_nigiri",
    "egg_nigiri",
    "pudding",
    "wasabi",
    "chopsticks",
)
(
    TEMPURA,
    SASHIMI,
    DUMPLING,
    MAKI_1,
    MAKI_2,
    MAKI_3,
    SALMON_NIGIRI,
    SQUID_NIGIRI,
    EGG_NIGIRI,
    PUDDING,
    WASABI,
    CHOPSTICKS,
) = range(12)
KINDS = 12

MIN_PLAYERS = 2
MAX_PLAYERS = 5
MAX_HAND = 20
MAX_ROUNDS = 9
MAX_DECK = 250
MAX_COUNT = 60

# Random streams: what the draws are for, and the index that goes with it.
DECK = 0  # index: the round
CHOOSE = 1  # index: (round * 64 + turn) * 8 + seat

# Endings: what decided the game.
BY_POINTS, BY_PUDDINGS, SHARED = range(3)

# Status of a game: 0, or what is wrong with a choice.
NO_SUCH_CARD, NO_CHOPSTICKS, NO_SECOND_CARD = 1, 2, 3

# Events of the log; what their args are.
(
    ROUND,  # round, cards in each hand, direction
    CARD,  # kind: dealt to the seat
    TURN,  # turn
    TAKE,  # first kind, second kind + 1 (0: none), the first is on wasabi, the second is on wasabi
    SCORE,  # tempura, sashimi, dumpling, maki, nigiri, pudding, maki icons, puddings
    END,  # total, puddings, rank, won, what decided the game
) = range(1, 7)

INT = np.int64

RULES = np.dtype(
    [
        ("rounds", INT),
        ("deal", INT, (MAX_PLAYERS + 1,)),  # by number of players; 0: not for so many
        ("direction", INT, (2,)),  # +1 left, -1 right; odd rounds, even rounds
        ("deck_total", INT),
        ("deck", INT, (KINDS,)),  # cards of each kind
        ("unshuffled", np.uint8, (MAX_DECK,)),
        ("tempura_cards", INT),
        ("tempura_points", INT),
        ("sashimi_cards", INT),
        ("sashimi_points", INT),
        ("dumpling_points", INT, (MAX_HAND + 1,)),  # by number of dumplings
        ("dumpling_top", INT),  # from here on the points stay the same
        ("icons", INT, (KINDS,)),  # maki icons
        ("nigiri", INT, (KINDS,)),  # points of a nigiri without wasabi
        ("is_nigiri", INT, (KINDS,)),
        ("nigiri_mean", np.float64),  # points of an average nigiri of the deck
        ("wasabi_factor", INT),
        ("wasabi_next_turn", INT),
        ("maki_most", INT),
        ("maki_second", INT),
        ("maki_split", INT),
        ("maki_second_after_tie", INT),
        ("pudding_most", INT),
        ("pudding_fewest", INT),
        ("pudding_split_most", INT),
        ("pudding_split_fewest", INT),
        ("pudding_every_round", INT),
        ("pudding_penalty_for_two", INT),
        ("pudding_all_tied_score", INT),
    ],
    align=True,
)

TABLE = np.dtype(
    [
        ("players", INT),
        ("round_number", INT),  # from 1
        ("turn", INT),  # from 1
        ("turns", INT),  # cards dealt to each player: turns in this round
        ("direction", INT),  # hands pass from seat s to seat s + direction
        ("points", INT, (MAX_PLAYERS,)),  # of the rounds before this one
        ("front", INT, (MAX_PLAYERS, KINDS)),  # cards in front of each seat this round, by kind
        ("order", INT, (MAX_PLAYERS, MAX_HAND)),  # the same as kinds in play order: the first turn - 1 count
        ("free_wasabi", INT, (MAX_PLAYERS,)),  # wasabi in front without a nigiri on it
        ("nigiri_points", INT, (MAX_PLAYERS,)),  # of the nigiri in front
        ("maki", INT, (MAX_PLAYERS,)),  # icons in front
        ("puddings", INT, (MAX_PLAYERS,)),  # of all rounds so far
    ],
    align=True,
)

OWN = np.dtype(
    [
        ("hand", INT, (KINDS,)),
        # By the seat that a hand was dealt to: what was in it when this seat last passed it on, and in
        # which turn that was (0: this seat has not passed it on yet).
        ("seen", INT, (MAX_PLAYERS, KINDS)),
        ("seen_turn", INT, (MAX_PLAYERS,)),
        ("holding", INT),  # which of these hands `hand` is
    ],
    align=True,
)

HIDDEN = np.dtype([("cards", np.uint8, (MAX_DECK,)), ("drawn", INT)], align=True)

GAMES = np.dtype([("rounds", np.int8), ("ended_by", np.int8), ("winners", np.int8)], align=True)
PLAYERS = np.dtype([("total", np.int32), ("rank", np.int8), ("won", np.int8)], align=True)
PICKS = np.dtype([("card", np.int8), ("second", np.int8)], align=True)  # second: kind + 1, 0 for none
ROUNDS = np.dtype(
    [
        ("tempura", np.int16),
        ("sashimi", np.int16),
        ("dumpling", np.int16),
        ("maki", np.int16),
        ("nigiri", np.int16),
        ("pudding", np.int16),
        ("maki_icons", np.int16),
        ("puddings", np.int16),
    ],
    align=True,
)
