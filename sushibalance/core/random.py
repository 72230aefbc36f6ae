"""Random streams: a draw is a function of (seed, game, purpose, index, count) and of nothing else.

A stream is one ``uint64`` word in an array of length 1, advanced by SplitMix64 (Steele, Lea
and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). ``start`` keys it by
hashing the four integers, so any game can be replayed alone, chunks may be cut anywhere, and two
variants of the rules meet the same shuffles. Bounded integers use Lemire's rejection method
("Fast random integer generation in an interval", TOMACS 2019) on the upper 32 bits and are exact.
"""

import numpy as np

from sushibalance.core.hints import unlikely
from sushibalance.core.jit import inlined, lean

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MULTIPLIER_1 = np.uint64(0xBF58476D1CE4E5B9)
MULTIPLIER_2 = np.uint64(0x94D049BB133111EB)
S27 = np.uint64(27)
S30 = np.uint64(30)
S31 = np.uint64(31)
S32 = np.uint64(32)
S11 = np.uint64(11)
LOW32 = np.uint64(0xFFFFFFFF)
TWO32 = np.uint64(1 << 32)


@lean
def mix(word):
    """Return SplitMix64's finaliser of a ``uint64``."""
    word = (word ^ (word >> S30)) * MULTIPLIER_1
    word = (word ^ (word >> S27)) * MULTIPLIER_2
    return word ^ (word >> S31)


@lean
def start(rng, seed, game, purpose, index):
    """Key the stream ``rng`` (``uint64[1]``) by four integers.

    Parameters
    ----------
    seed, game : int
        The run's seed and the game's index in the run.
    purpose : int
        What the draws are for (a deck, a seat's choices); each game numbers its own.
    index : int
        Which one of that purpose, e.g. ``round * players + seat``.
    """
    word = mix(np.uint64(seed) + GOLDEN)
    word = mix(word + np.uint64(game) + GOLDEN)
    word = mix(word + (np.uint64(purpose) << S32) + np.uint64(index) + GOLDEN)
    rng[0] = word


@lean
def next_word(rng):
    """Return the next 64 random bits of the stream and advance it."""
    rng[0] += GOLDEN
    return mix(rng[0])


@inlined
def drawn(word, bound):
    """Return the next state of a stream and an integer uniform on ``0 .. bound - 1`` (``1 <= bound < 2**32``).

    `below` with the stream's word in a variable, for loops of many draws: there it need not go through memory.
    """
    limit = np.uint64(bound)
    word += GOLDEN
    product = (mix(word) >> S32) * limit
    low = product & LOW32
    if unlikely(low < limit):
        threshold = (TWO32 - limit) % limit
        while low < threshold:
            word += GOLDEN
            product = (mix(word) >> S32) * limit
            low = product & LOW32
    return word, np.int64(product >> S32)


@lean
def below(rng, bound):
    """Return an integer uniform on ``0 .. bound - 1`` (``1 <= bound < 2**32``)."""
    rng[0], result = drawn(rng[0], bound)
    return result


@lean
def uniform(rng):
    """Return a float uniform on [0, 1) with 53 random bits."""
    return np.float64(next_word(rng) >> S11) * 1.1102230246251565e-16


@lean
def shuffle(rng, items, count):
    """Shuffle ``items[:count]`` in place (Fisher-Yates)."""
    for i in range(count - 1, 0, -1):
        j = below(rng, i + 1)
        items[i], items[j] = items[j], items[i]


@lean
def place(rng, seed, game, purpose, seats, rounds):
    """Return a (seat, round) uniform on ``0 .. seats - 1`` and ``1 .. rounds``, the only draw of its purpose."""
    start(rng, seed, game, purpose, 0)
    seat = below(rng, seats)
    return seat, 1 + below(rng, rounds)


@lean
def places(rng, seed, first, purpose, seats, rounds, seats_of, rounds_of):
    """Fill ``seats_of`` and ``rounds_of`` with the `place` of each game from game ``first``."""
    for i in range(len(seats_of)):
        seats_of[i], rounds_of[i] = place(rng, seed, first + i, purpose, seats, rounds)
