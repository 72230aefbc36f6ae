"""Random streams: the published generator, exact bounds, and streams that know nothing of each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sushibalance.core.jit import kernel
from sushibalance.core.random import GOLDEN, below, drawn, next_word, shuffle, start, uniform

MASK = 2**64 - 1


def mix(word: int) -> int:
    """SplitMix64's finaliser in plain integers (Steele, Lea and Flood 2014)."""
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & MASK
    return word ^ (word >> 31)


class Stream:
    """The stream as its documentation tells it, in plain integers."""

    def __init__(self, seed: int, game: int, purpose: int, index: int):
        golden = int(GOLDEN)
        word = mix((seed + golden) & MASK)
        word = mix((word + game + golden) & MASK)
        self.word = mix((word + (purpose << 32) + index + golden) & MASK)

    def next_word(self) -> int:
        self.word = (self.word + int(GOLDEN)) & MASK
        return mix(self.word)

    def below(self, bound: int) -> int:
        while True:
            product = (self.next_word() >> 32) * bound
            if product % 2**32 >= 2**32 % bound:
                return product >> 32


@kernel
def firsts(words, bound, seed, purpose, index):
    """Fill with the first draw below a bound of each game's stream."""
    rng = np.zeros(1, np.uint64)
    for game in range(words.shape[0]):
        start(rng, seed, game, purpose, index)
        words[game] = below(rng, bound)


@kernel
def draws(words, bound, rng):
    for i in range(words.shape[0]):
        words[i] = below(rng, bound)


@kernel
def keys(words, seed, purpose, index):
    rng = np.zeros(1, np.uint64)
    for game in range(words.shape[0]):
        start(rng, seed, game, purpose, index)
        words[game] = rng[0]


@kernel
def orders(counts, games):
    """Count the orders into which three cards are shuffled, one stream a game."""
    rng = np.zeros(1, np.uint64)
    items = np.zeros(4, np.int64)
    for game in range(games):
        for i in range(4):
            items[i] = i
        start(rng, 11, game, 0, 0)
        shuffle(rng, items, 3)
        counts[items[0] * 9 + items[1] * 3 + items[2], items[3]] += 1


def stream(*key: int) -> np.ndarray:
    rng = np.zeros(1, np.uint64)
    start(rng, *key)
    return rng


def even(observed: np.ndarray) -> float:
    """Return the p value of the hypothesis that all counts have one expectation."""
    return float(stats.chisquare(observed).pvalue)


def test_the_words_are_those_of_splitmix64():
    """The first outputs for the seed 1234567 that SplitMix64 implementations are checked by."""
    rng = np.array([1234567], np.uint64)
    assert [int(next_word(rng)) for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@given(
    st.integers(0, 2**63 - 1),
    st.integers(0, 10**9),
    st.integers(0, 100),
    st.integers(0, 10**6),
    st.integers(1, 2**32 - 1),
)
def test_streams_are_what_their_documentation_says(seed, game, purpose, index, bound):
    rng, plain = stream(seed, game, purpose, index), Stream(seed, game, purpose, index)
    assert int(rng[0]) == plain.word
    assert [int(below(rng, bound)) for _ in range(4)] == [plain.below(bound) for _ in range(4)]
    word, draw = drawn(rng[0], bound)
    assert draw == below(rng, bound) == plain.below(bound) and word == rng[0]
    assert float(uniform(rng)) == (plain.next_word() >> 11) / 2**53
    assert int(rng[0]) == plain.word


@pytest.mark.parametrize("bound", [3 * 2**30, 2**31 + 1, 2**32 - 1])
def test_a_bound_that_rejects_often_is_still_even(bound):
    """Without rejection, 3 x 2**30 would give some values twice as often as others."""
    words = np.zeros(300_000, np.int64)
    draws(words, bound, stream(1, 2, 3, 4))
    assert words.min() >= 0 and words.max() < bound
    assert even(np.bincount(words % 3)) > 0.001
    assert even(np.histogram(words, bins=48, range=(0, bound))[0]) > 0.001


@pytest.mark.parametrize("bound", [1, 2, 5, 13, 65, 108, 1000])
def test_the_first_draw_is_even_over_games(bound):
    words = np.zeros(200_000, np.int64)
    for seed, purpose, index in ((0, 0, 0), (1, 0, 0), (2**63 - 1, 5, 77)):
        firsts(words, bound, seed, purpose, index)
        counts = np.bincount(words, minlength=bound)
        assert len(counts) == bound and (bound == 1 or even(counts) > 0.0001)


def test_neighbouring_streams_know_nothing_of_each_other():
    """Games, seeds, purposes and indices that differ by one: their first draws are independent."""
    near = []
    for seed, purpose, index in ((5, 0, 0), (6, 0, 0), (5, 1, 0), (5, 0, 1)):
        words = np.zeros(100_001, np.int64)
        firsts(words, 10, seed, purpose, index)
        near.append(words)
    pairs = [(near[0][:-1], near[0][1:])] + [(near[0], other) for other in near[1:]]
    for one, other in pairs:
        table = np.histogram2d(one, other, bins=10)[0]
        assert stats.chi2_contingency(table).pvalue > 0.001


def test_no_two_streams_start_at_one_word():
    words = np.zeros((12, 100_000), np.uint64)
    keyed = [(seed, purpose, index) for seed in (0, 1) for purpose in (0, 1) for index in (0, 1, 1000)]
    for row, key in zip(words, keyed, strict=True):
        keys(row, *key)
    assert len(np.unique(words)) == words.size


def test_every_bit_is_set_half_the_time():
    words = np.zeros(100_000, np.uint64)
    keys(words, 3, 0, 0)
    bits = np.unpackbits(words.view(np.uint8)).reshape(len(words), 64).sum(axis=0, dtype=np.int64)
    assert np.all(np.abs(bits - 50_000) < 5 * np.sqrt(25_000))


def test_a_shuffle_gives_every_order_alike_and_leaves_the_rest():
    counts = np.zeros((27, 4), np.int64)
    orders(counts, 120_000)
    assert counts[:, :3].sum() == 0
    seen = counts[:, 3][counts[:, 3] > 0]
    assert len(seen) == 6 and even(seen) > 0.001


def test_uniform_stays_below_one():
    rng = stream(9, 9, 9, 9)
    values = np.array([uniform(rng) for _ in range(20_000)])
    assert values.min() >= 0 and values.max() < 1
    assert stats.kstest(values, "uniform").pvalue > 0.001
    assert float(np.float64(2**53 - 1) * 1.1102230246251565e-16) < 1


def test_with_and_without_the_compiler_the_draws_are_the_same(python):
    code = """
import numpy as np
from sushibalance.core.random import below, shuffle, start, uniform
rng, items = np.zeros(1, np.uint64), np.arange(20)
with np.errstate(over="ignore"):
    start(rng, 2**62 + 5, 123456, 7, 89)
    print([int(below(rng, bound)) for bound in (1, 2, 65, 108, 3 * 2**30, 2**32 - 1) * 50])
    print([float(uniform(rng)) for _ in range(50)])
    shuffle(rng, items, 17)
    print(items.tolist(), int(rng[0]))
"""
    assert python(code, NUMBA_DISABLE_JIT="1") == python(code, NUMBA_DISABLE_JIT="0")
