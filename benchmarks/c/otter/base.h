/* What all of Otter's twin needs: the records of kernel/state.py, bits, small numbers. */

#ifndef OTTER_BASE_H
#define OTTER_BASE_H

#include <stdbool.h>
#include <stdint.h>

#include "otter.h"

typedef int64_t i64;

#define noinline __attribute__((noinline)) /* where inlined code would take the registers of a hot loop */

static inline i64 min(i64 a, i64 b) { return a < b ? a : b; }
static inline i64 max(i64 a, i64 b) { return a > b ? a : b; }
static inline double fmin2(double a, double b) { return a < b ? a : b; }
static inline double fmax2(double a, double b) { return a > b ? a : b; }
static inline i64 popcount(i64 mask) { return __builtin_popcountll(mask); }
static inline i64 lowest(i64 mask) { return __builtin_ctzll(mask); }
static inline i64 bit(i64 place) { return (i64)(UINT64_C(1) << place); }
static inline i64 nibble(i64 word, i64 place) { return (word >> (4 * place)) & 15; }

#define EVERY_NUMBER (bit(NUMBER_BITS) - 1)
#define EVERY_HAND (bit(HANDS) - 1)
#define EVERY_ROUND (bit(ROUNDS + 1) - 1)

#endif
