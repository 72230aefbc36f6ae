"""Every state that the legal uses of Change cards can reach, exactly and without shortcuts."""

import numpy as np

from sushibalance.core.jit import kernel, lean
from sushibalance.games.otter.kernel.alike import all_near
from sushibalance.games.otter.kernel.changes import CARDS_MASK, USED_SHIFT, expand
from sushibalance.games.otter.kernel.work import new_near
from sushibalance.games.otter.kernel.worth import CODE_BITS, code_at

EMPTY = -1


@lean
def arranged(cards, n_cards):
    """Return a packed set with its cards in ascending order: one name for each multiset."""
    filled = cards | (CARDS_MASK & ~((1 << (CODE_BITS * n_cards)) - 1))  # empty slots sort last
    a, b, c = code_at(filled, 0), code_at(filled, 1), code_at(filled, 2)
    d, e = code_at(filled, 3), code_at(filled, 4)
    a, b = min(a, b), max(a, b)
    d, e = min(d, e), max(d, e)
    c, e = min(c, e), max(c, e)
    c, d = min(c, d), max(c, d)
    b, e = min(b, e), max(b, e)
    a, d = min(a, d), max(a, d)
    a, c = min(a, c), max(a, c)
    b, d = min(b, d), max(b, d)
    b, c = min(b, c), max(b, c)
    packed = a | b << CODE_BITS | c << (2 * CODE_BITS) | d << (3 * CODE_BITS) | e << (4 * CODE_BITS)
    return packed & ((1 << (CODE_BITS * n_cards)) - 1)


@lean
def bucket(key, slots):
    """Return the first place to look for a key in a hash table of ``slots`` (a power of two) places."""
    mixed = key * 0x1E3779B97F4A7C15
    return (mixed ^ (mixed >> 29)) & (slots - 1)


@lean
def add_key(places, key):
    """Add a key to an open-addressing table; tell whether it is new."""
    at = bucket(key, places.shape[0])
    while places[at] != EMPTY:
        if places[at] == key:
            return False
        at = (at + 1) & (places.shape[0] - 1)
    places[at] = key
    return True


@kernel
def grown(places):
    """Return a hash table twice as large with the same keys."""
    larger = np.full(2 * places.shape[0], EMPTY, np.int64)
    for key in places:
        if key != EMPTY:
            add_key(larger, key)
    return larger


@kernel
def reachable(rules, own, round_number, revealed, n_cards, most):
    """Return every state that a revealed set can become.

    Parameters
    ----------
    own : OWN record
        With the Change cards held, at most 16.
    revealed : int
        The revealed cards, packed.
    most : int
        Give up beyond so many states.

    Returns
    -------
    int64[m]
        Packed states, cards ascending, with the mask of Change cards used; empty when given up.
    """
    return all_states(rules, own, round_number, revealed, n_cards, most, new_near(1))


@kernel
def all_states(rules, own, round_number, revealed, n_cards, most, nears):
    """Do it with a NEAR record to work on."""
    places = np.full(1 << 10, EMPTY, np.int64)
    states = np.empty(1 << 9, np.int64)
    buffer, near = np.empty(1 << 8, np.int64), nears[0]
    all_near(near)
    states[0] = arranged(revealed, n_cards)
    n = 1
    add_key(places, states[0])
    done = 0
    while done < n:
        state = states[done]
        done += 1
        for k in range(own.n_changes):
            if (state >> (USED_SHIFT + k)) & 1:
                continue
            cards = state & CARDS_MASK
            made = expand(rules, near, own.change[k], round_number, revealed, cards, n_cards, buffer)
            while made < 0:
                buffer = np.empty(2 * buffer.shape[0], np.int64)
                made = expand(rules, near, own.change[k], round_number, revealed, cards, n_cards, buffer)
            used = (state & ~CARDS_MASK) | (1 << (USED_SHIFT + k))
            for i in range(made):
                key = arranged(buffer[i], n_cards) | used
                if add_key(places, key):
                    if n == most:
                        return states[:0]
                    if n == states.shape[0]:
                        larger = np.empty(2 * n, np.int64)
                        larger[:n] = states
                        states = larger
                    states[n] = key
                    n += 1
                    if 2 * n > places.shape[0]:
                        places = grown(places)
    return states[:n]
