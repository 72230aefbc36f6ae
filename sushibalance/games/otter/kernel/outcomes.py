"""Every outcome of a revealed set, from the exhaustive states of `explore.reachable`."""

import numpy as np

from sushibalance.core.jit import kernel
from sushibalance.games.otter.kernel.changes import CARDS_MASK
from sushibalance.games.otter.kernel.explore import EMPTY, add_key, grown, reachable
from sushibalance.games.otter.kernel.reveals import fill
from sushibalance.games.otter.kernel.work import new_features
from sushibalance.games.otter.kernel.worth import hands_formed, score_of, vp_of, worth_of

HAND_SHIFT = 40
SCORE_SHIFT = 20
BIAS = 1 << 18


@kernel
def outcomes(rules, own, round_number, revealed, n_cards, icons, most):
    """Return every (hand, score, vp) that a revealed set can reach, and whether all were found.

    Parameters
    ----------
    revealed, n_cards, icons : int
        The revealed cards, packed, their number, and the score printed on them.
    most : int
        Give up beyond so many states.

    Returns
    -------
    int64[m, 3], bool
    """
    states = reachable(rules, own, round_number, revealed, n_cards, most)
    return outcomes_of(rules, own, states, n_cards, icons, new_features(1)), states.shape[0] > 0


@kernel
def outcomes_of(rules, own, states, n_cards, icons, rows):
    """Return every (hand, score, vp) of the states given (``rows``: work space, one FEATURES record)."""
    seen = np.full(1 << 10, EMPTY, np.int64)
    found = np.full(1 << 6, EMPTY, np.int64)
    row = rows[0]
    n_seen = n_found = 0
    for state in states:
        cards = state & CARDS_MASK
        if not add_key(seen, cards):
            continue
        n_seen += 1
        if 2 * n_seen > seen.shape[0]:
            seen = grown(seen)
        fill(rules, own, cards, n_cards, icons, row)
        formed = hands_formed(rules, own, row.h[0], row.h[1], row.h[2], row.h[3], row.h[4], row.word, cards, n_cards)
        for h in range(rules.n_hands):
            if (formed >> h) & 1:
                value = worth_of(rules, own, h, row.counted, row.each, cards, n_cards) + icons
                key = h << HAND_SHIFT | (score_of(value) + BIAS) << SCORE_SHIFT | (vp_of(value) + BIAS)
                if add_key(found, key):
                    n_found += 1
                    if 2 * n_found > found.shape[0]:
                        found = grown(found)
    result = np.empty((n_found, 3), np.int64)
    n = 0
    for key in np.sort(found):
        if key != EMPTY:
            result[n, 0] = key >> HAND_SHIFT
            result[n, 1] = ((key >> SCORE_SHIFT) & ((1 << SCORE_SHIFT) - 1)) - BIAS
            result[n, 2] = (key & ((1 << SCORE_SHIFT) - 1)) - BIAS
            n += 1
    return result
