"""The state of a game: what lies in which record, and the codes used in them.

Seats are 0 .. players-1. Plates are numbered like seats; the third seat of a two-player game has
plate 2. Grades, abilities and chef cards are numbered in the order of the rule file.
"""

import numpy as np

MAX_SEATS = 6
MAX_GRADES = 8
MAX_CHEFS = 8

FORTUNE_CAT, NINJUTSU_CHIN, SWELLING_TONGUE, WHATS_UP_WASABI, WHERES_THE_SAUCE = range(5)
ABILITIES = 5

NOTHING = -1  # no card, no ability, no choice yet
FACE_DOWN = -2  # a card that lies there and is not seen
GONE = -3  # a chef that has left the game

CHEF = MAX_SEATS  # what is eaten: a plate's number, or CHEF + place of the chef on the table
DISHES = CHEF + MAX_CHEFS

# Decisions, in the order of the engine's functions.
SET_ASIDE, SERVE, EAT, TARGET = range(4)
DECISIONS = 4
CHOICE_WIDTH = 2

# Endings, and statuses of an illegal choice.
GOLD_VICTORY, PENALTY_VICTORY = range(2)
LEGAL, NOT_IN_HAND, ABILITY_NOT_HELD, NOT_ON_OFFER, NO_SUCH_TARGET = range(5)

# Readings (N1 to N10) that have more than a yes and a no.
ASIDE_NONE, ASIDE_UNSEEN, ASIDE_SHOWN = range(3)

# Interventions.
NOTHING_FORCED, FORCED_GRADE, FORCED_ABILITY, FORCED_NO_ABILITY = range(4)

RULES = np.dtype(
    [
        ("rounds", np.int64),
        ("penalty_victory", np.int64),  # 0: none
        ("grades", np.int64),
        ("cards", np.int64, (MAX_GRADES,)),
        ("eater_gold", np.int64, (MAX_GRADES,)),
        ("eater_penalty", np.int64, (MAX_GRADES,)),
        ("owner_gold", np.int64, (MAX_GRADES,)),
        ("owner_penalty", np.int64, (MAX_GRADES,)),
        ("chefs", np.int64),  # chef cards there are
        ("chefs_on_table", np.int64),
        ("chef_points", np.int64, (MAX_CHEFS,)),
        ("ability_cards", np.int64, (ABILITIES,)),
        ("cat_converts", np.int64),
        ("chin_penalty", np.int64),
        ("chin_at_most", np.int64),
        ("wasabi_factor", np.int64),
        ("sauce_gold", np.int64),
        ("sauce_at_most", np.int64),
        # readings
        ("set_aside", np.int64),  # N1: ASIDE_...
        ("chef_leaves", np.int64),  # N2, from here on 1: yes, 0: no
        ("eat_in_turn", np.int64),  # N3
        ("cat_counts_cats", np.int64),  # N4
        ("cat_first", np.int64),  # N5
        ("chin_swapped", np.int64),  # N5
        ("tongue_own_plate", np.int64),  # N6
        ("wasabi_own_plate", np.int64),  # N6
        ("victory_each_round", np.int64),  # N7
        ("starter_first", np.int64),  # N8
        ("third_seat", np.int64),  # N9
        ("remember_all", np.int64),  # N10
        # An intervention: what one seat serves, or plays beside it, in one round if it has it
        ("forced", np.int64),  # FORCED_...
        ("forced_card", np.int64),  # the grade or the ability
    ],
    align=True,
)

# What all players see.
TABLE = np.dtype(
    [
        ("round_number", np.int64),  # 1-based; 0 while cards are set aside
        ("players", np.int64),
        ("plates", np.int64),  # players, and the third seat
        ("starter", np.int64),
        ("gold", np.int64, (MAX_SEATS,)),
        ("penalty", np.int64, (MAX_SEATS,)),
        ("seen", np.int64, (MAX_SEATS, MAX_GRADES)),  # cards served and remembered, by plate and grade
        ("used", np.int64, (MAX_SEATS, ABILITIES)),  # abilities played and remembered
        ("aside", np.int64, (MAX_SEATS,)),  # grade set aside, FACE_DOWN, or NOTHING
        ("chef", np.int64, (MAX_CHEFS,)),  # by place: FACE_DOWN, GONE, or the card that lies open
        ("chef_seen", np.int64, (MAX_CHEFS,)),  # by card: 1 when it has been seen and is remembered
        ("ability", np.int64, (MAX_SEATS,)),  # this round's: NOTHING, FACE_DOWN, or the ability once revealed
        ("ate", np.int64, (MAX_SEATS,)),  # this round's choices so far: plate, CHEF + place, or NOTHING
        ("target", np.int64, (MAX_SEATS,)),  # this round's Ninjutsu Chin targets so far, or NOTHING
    ],
    align=True,
)

# What one seat alone knows.
OWN = np.dtype(
    [
        ("hand", np.int64, (MAX_GRADES,)),  # cards of each grade still to serve
        ("abilities", np.int64, (ABILITIES,)),  # cards of each ability still held
        ("aside", np.int64),  # the grade it set aside, or NOTHING
        ("served", np.int64),  # the grade on its plate this round, or NOTHING
        ("ability", np.int64),  # its ability card of this round, or NOTHING
    ],
    align=True,
)

# What nobody knows.
HIDDEN = np.dtype(
    [
        ("chef", np.int64, (MAX_CHEFS,)),  # the card at each place of the table; beyond: left out
        ("ate", np.int64, (MAX_SEATS,)),  # choices not yet shown
        ("dish_gold", np.int64, (DISHES,)),  # what this round's plates and chefs give, by what is eaten
        ("dish_penalty", np.int64, (DISHES,)),
        ("standing", np.int64, (MAX_SEATS,)),  # the higher, the better placed at the end
    ],
    align=True,
)

GAME_ROW = np.dtype([("rounds", np.int8), ("ended_by", np.int8), ("winners", np.int8)], align=True)
PLAYER_ROW = np.dtype([("total", np.int16), ("rank", np.int8), ("won", np.int8), ("aside", np.int8)], align=True)
# Points fit int16 by the bounds in ``rules.py``: in 20 rounds, 5 with a Wasabi of factor 10, a player can get
# 18,250 points, gold and penalty together.
ROUND_ROW = np.dtype(
    [
        ("gold", np.int16),  # running, after the round
        ("penalty", np.int16),
        ("order", np.int8),  # 1: the starter
        ("served", np.int8),
        ("ability", np.int8),
        ("target", np.int8),
        ("ate", np.int8),
        ("ate_own", np.int8),
    ],
    align=True,
)

# Events of the log, with their arguments.
(
    SETUP,  # seat: starter; players, plates
    CHEF_CARD,  # place (NOTHING: left out), chef card
    ASIDE,  # grade or NOTHING
    ROUND,  # round; seat: starter
    SERVES,  # grade, ability or NOTHING
    EATS,  # plate or CHEF + place
    CAT,  # points converted, cats played
    CHIN,  # target (NOTHING: no effect), gold, penalty
    SAUCE,  # gold
    MEAL,  # plate or CHEF + place, grade or chef card, gold, penalty
    SCORE,  # running gold, running penalty
    TOKEN,  # seat: gets the starting player token
    END,  # ending
    PLACE,  # total, rank, won
) = range(1, 15)
