"""What the search for one hand's best play works on: one record, so that a call passes one pointer for all of it."""

from math import comb

import numpy as np

from sushibalance.core.jit import records
from sushibalance.games.otter.kernel.state import HAND, HANDS, HELD, NUMBER_BITS, PATTERNS, RESULTS, SLOTS

REVEALS = sum(comb(HAND, cards) for cards in range(SLOTS + 1))  # of the largest hand, with that of no card
MEMO = 1 << 12
USES = 4  # uses of limited Change cards that are told apart
SETS = 1 << USES

_i = np.int64
_at = np.uint16  # a place in an array, see state.py; there are more reveals than a byte holds

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

RANKING = np.dtype(
    [
        ("weight", np.float64),  # score points that a VP is worth
        ("n_order", _i),
        ("order", _at, (HANDS,)),  # usable hands, the best first
        ("key", np.float64, (HANDS,)),  # what they are ordered by
        ("first", _i, (PATTERNS,)),  # by pattern of equal numbers, the best hand when no other part shows
    ],
    align=True,
)
"""A seat's usable hands in order of worth.

The ``otherwise`` hand is among them only where it may always be declared (reading O1). When the highest score must be
declared (reading O2), the order is by score, then VP.
"""

ENTRY = np.dtype(
    [
        ("numbers", _i),  # numbers within reach (mask)
        ("free", _i),  # those of them that no limited Change card is needed for
        ("sets", np.uint16, (NUMBER_BITS,)),  # by number: the smallest sets of limited uses that bring it (a bit a set)
        # Nibbles of 1: whether the card could be of a suit or filter, could and must be marked by each Score op,
        # could be touched by each Change card, could and must be marked by its condition
        ("can", _i),
        ("free_suits", _i),  # nibbles of 1: suits that no limited Change card is needed for
        ("high", _i),
        ("low", _i),
        ("touched", _i),
        ("may_mark", _i),
        ("must_mark", _i),
        ("best", np.float64),  # its highest gain by itself, in key
        ("spread", np.float64),  # how far that can differ
    ],
    align=True,
)
"""What one card could become by a set of Change cards, sharing ignored."""

REACH = np.dtype(
    [
        ("same", _i, (SLOTS, 2)),  # numbers within reach of 1 .. 5 cards, and without a limited Change card (masks)
        ("entry", _at, (HAND,)),  # by slot, or by card of the hand: place in the memo
        ("ways", _i, (SLOTS + 1,)),  # work space of matching.py
        ("can", _i),  # nibbles: how many cards could
        ("free_suits", _i),
        ("high", _i),
        ("low", _i),
        ("touched", _i),
        ("may_mark", _i),
        ("must_mark", _i),
        ("best", np.float64),  # highest gain of all cards
        ("spread", np.float64),  # how far the gain of one card can differ
    ],
    align=True,
)
"""What a set of cards could become."""

BUDGET = np.dtype(
    [
        ("together", _i),
        ("numbers", _i),
        ("suits", _i),
        ("limited_numbers", _i),  # of these, by limited Change cards
        ("limited_suits", _i),
        ("untold", _i),  # numbers that others than uses told apart can bring (mask)
    ],
    align=True,
)
"""How many cards the Change cards can change, how many cards' numbers, how many cards' suits; at most five each."""

NEAR = np.dtype(
    [
        ("slots", _i),  # slots worth changing (mask)
        ("numbers", _i, (SLOTS,)),  # by slot: numbers that matter by themselves (mask)
        ("adds", _i),  # how far Change cards left can add to a number
        ("n_classes", _i),
        ("classes", _i, (NUMBER_BITS,)),  # numbers that nothing left tells apart (masks)
        ("codes", _i, (RESULTS,)),  # what one card can become by one use
    ],
    align=True,
)
"""What one use of a Change card need try, see alike.py."""

STATE = np.dtype(
    [
        ("state", _i),  # cards, and the Change cards used, see changes.py
        ("use", _i),  # the last use: 16 * uses so far + place in ``own.change``
        ("live", _i),  # the Change cards left whose condition could hold (mask of places in ``own.change``)
        ("touched", _i),  # how many cards each of these can touch (nibbles)
        ("hope", np.float64),  # a key that nothing from here exceeds
    ],
    align=True,
)
"""A state that the search has still to go on from."""

WORK = np.dtype(
    [
        ("round_number", _i),
        ("ranking", RANKING),
        ("rows", FEATURES, (REVEALS,)),  # of each reveal
        ("whole", FEATURES),  # of the whole hand
        ("changed", FEATURES),  # of the changed cards at hand
        ("n_kept", _i),
        ("kept", _at, (REVEALS,)),  # rows of the reveals that can be best
        ("bound", np.float64, (REVEALS,)),  # an optimistic bound for each of them
        ("touches", _i, (HAND,)),  # by card of the hand, nibbles: the Change cards that can touch it
        ("touched", _i, (REVEALS,)),  # by row, nibbles: how many of its cards each Change card can touch
        # Change cards: places in ``own.change`` (masks)
        ("every", _i),  # those that may be used in this round
        ("unconditional", _i),  # those of them without a condition
        # Limited Change cards, those that one use of cannot change all cards: which move numbers, which move suits
        ("limited_numbers", _i),
        ("limited_suits", _i),
        ("n_uses", _i),  # uses of those that move numbers
        ("use", _i, (HELD, 2)),  # by place in ``own.change``: its uses (masks of one bit, or 0)
        ("by_set", _i, (SETS,)),  # numbers that a card can have after just a set of uses
        ("told_apart", _i),  # the Change cards whose uses these are
        ("brings", _i, (HELD,)),  # by place in ``own.change``: numbers that it can bring (mask)
        # The use of a Change card "any number but X" (0: none), and how many cards must share X
        ("but_x", _i),
        ("share_x", _i),
        ("spread", np.float64),  # how far the gain of any card by itself can differ, in key
        # By active Score op: its highest gain, in key, for a count between two bounds
        ("gain", np.float64, (HELD, SLOTS + 1, SLOTS + 1)),
        ("otherwise_key", np.float64),  # of the hand that may always be declared
        # Hands that could be formed and beat the best unchanged play, those worth most first
        ("n_hopeful", _i),
        ("hopeful", _at, (HANDS,)),
        ("hopeful_key", np.float64, (HANDS,)),
        ("hopeful_parts", _i),  # feature bits that they need
        ("after_numbers", _i, (1 << HELD,)),  # numbers and suits that a card can have after just a set of Change cards
        ("after_suits", _i, (1 << HELD,)),
        ("memo_size", _i),
        ("memo", ENTRY, (MEMO,)),
        ("memo_key", _i, (MEMO,)),  # set of Change cards and card + 1, 0 for an empty place
        ("reach", REACH),
        ("budget", BUDGET),
        ("live", _i),  # the Change cards that `outlook` found could be used
        ("near", NEAR),
        ("way", _i, (HELD + 1, 2)),  # uses that lead to the state at hand: place in ``own.change``, cards after it
        ("path", _i, (HELD + 1, 2)),  # uses of the best play so far
    ],
    align=True,
)

new_work, new_near, new_features, new_states = records(WORK), records(NEAR), records(FEATURES), records(STATE)
