/* Random streams: the draws of sushibalance/core/random.py, word for word. */

#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)

/* SplitMix64's finaliser. */
static inline uint64_t mix(uint64_t word)
{
    word = (word ^ (word >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94D049BB133111EB);
    return word ^ (word >> 31);
}

/* Key a stream by four integers. */
static inline void start(uint64_t *rng, uint64_t seed, uint64_t game, uint64_t purpose, uint64_t index)
{
    uint64_t word = mix(seed + GOLDEN);
    word = mix(word + game + GOLDEN);
    *rng = mix(word + (purpose << 32) + index + GOLDEN);
}

static inline uint64_t next_word(uint64_t *rng)
{
    return mix(*rng += GOLDEN);
}

/* An integer uniform on 0 .. bound - 1 (Lemire, with rejection). */
static inline int64_t below(uint64_t *rng, uint64_t bound)
{
    uint64_t product = (next_word(rng) >> 32) * bound;
    if (__builtin_expect((uint32_t)product < bound, 0)) {
        uint32_t threshold = (UINT64_C(1) << 32) % bound;
        while ((uint32_t)product < threshold)
            product = (next_word(rng) >> 32) * bound;
    }
    return product >> 32;
}

static inline void shuffle(uint64_t *rng, int64_t *items, int64_t count)
{
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t j = below(rng, i + 1), item = items[i];
        items[i] = items[j];
        items[j] = item;
    }
}

#endif
