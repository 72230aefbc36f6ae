/* The best play of a hand (kernel/search.py). */

#ifndef OTTER_SEARCH_H
#define OTTER_SEARCH_H

#include <stdlib.h>

#include "bound.h"

#define EMPTY (-1)

#define SORT2(a, b)                   \
    do {                              \
        i64 low = min(a, b);          \
        b = max(a, b);                \
        a = low;                      \
    } while (0)

/* A packed set with its cards in ascending order: one name for each multiset (kernel/explore.py). */
static inline i64 arranged(i64 cards, i64 n_cards)
{
    i64 mask = bit(CODE_BITS * n_cards) - 1, filled = cards | (CARDS_MASK & ~mask); /* empty slots sort last */
    i64 a = code_at(filled, 0), b = code_at(filled, 1), c = code_at(filled, 2);
    i64 d = code_at(filled, 3), e = code_at(filled, 4);
    SORT2(a, b);
    SORT2(d, e);
    SORT2(c, e);
    SORT2(c, d);
    SORT2(b, e);
    SORT2(a, d);
    SORT2(a, c);
    SORT2(b, d);
    SORT2(b, c);
    return (a | b << CODE_BITS | c << (2 * CODE_BITS) | d << (3 * CODE_BITS) | e << (4 * CODE_BITS)) & mask;
}

/* Add a key to an open-addressing table; tell whether it is new. */
static inline bool add_key(i64 *places, i64 size, i64 key)
{
    i64 mixed = (uint64_t)key * UINT64_C(0x1E3779B97F4A7C15);
    i64 at = (mixed ^ mixed >> 29) & (size - 1);
    for (; places[at] != EMPTY; at = (at + 1) & (size - 1))
        if (places[at] == key)
            return false;
    places[at] = key;
    return true;
}

/* A state to go on from: the last use (16 * uses so far + its place in `own->change`), the Change cards left whose
 * condition could hold, how many cards each can touch, and a key that nothing from here exceeds. */
struct state {
    i64 state, use, live, touched;
    double hope;
};

struct buffers {
    i64 size;
    struct state *stack;
    i64 *made, *places;
};

/* Note the Change cards that may be used in this round, and those of them without a condition. */
static void usable_changes(const struct rules *rules, const struct own *own, struct work *work, i64 round_number)
{
    work->round_number = round_number;
    work->every = work->unconditional = 0;
    for (i64 k = 0; k < own->n_changes; k++) {
        i64 p = own->change[k];
        if (rules->rounds[p] >> round_number & 1) {
            work->every |= bit(k);
            if (!is_conditional(rules, p, SLOTS))
                work->unconditional |= bit(k);
        }
    }
}

/* An optimistic bound for each reveal; at most `key` where Change cards cannot make it better. */
static void bound_reveals(const struct rules *rules, const struct own *own, struct work *work, double key)
{
    double best = work->otherwise_key;
    if (work->n_hopeful)
        best = fmax2(best, work->hopeful_key[0]);
    for (i64 i = 0; i < work->n_kept; i++) {
        i64 row = work->kept[i];
        if (best + work->bound[i] <= key + MARGIN) {
            work->bound[i] = key;
            continue;
        }
        const struct features *cards = &work->rows[row];
        struct budget budget = spend(rules, own, work, work->every, work->touched[row]);
        struct outlook seen;
        work->bound[i] = hope_beside(rules, own, work, cards->packed, cards, N_CARDS[row], work->every, &budget,
                                     work->bound[i], key, &seen);
    }
}

/* Search the reveals that could still be better, depth first over states; return whether the buffers held. */
noinline static bool search_reveals(const struct rules *restrict rules, const struct own *restrict own,
                                    struct work *restrict work, struct play *restrict best_play,
                                    struct buffers *buffers)
{
    struct play play = *best_play;
    struct features *changed = &work->changed;
    struct state *stack = buffers->stack;
    i64 *made = buffers->made, *places = buffers->places, size = buffers->size;
    for (;;) {
        i64 best = 0;
        double highest = work->bound[0];
        for (i64 other = 1; other < work->n_kept; other++)
            if (work->bound[other] > highest)
                highest = work->bound[best = other];
        *best_play = play;
        if (highest <= play.key + MARGIN)
            return true;
        i64 r = work->kept[best], n_cards = N_CARDS[r], revealed = work->rows[r].packed, icons = work->rows[r].icons;
        memset(places, 0xff, sizeof places[0] * size);
        i64 known = 0, n = 1;
        struct outlook seen = outlook(rules, own, work, revealed, &work->rows[r], n_cards, work->every);
        stack[0] = (struct state){revealed, 0, seen.live, seen.touched, highest};
        while (n) {
            struct state at = stack[--n];
            if (at.hope <= play.key + MARGIN)
                continue;
            i64 depth = at.use >> 4, cards = at.state & CARDS_MASK, before = at.state >> USED_SHIFT;
            if (depth)
                work->way[depth - 1] = (struct use){at.use & 15, cards};
            for (i64 rest = at.live; rest; rest &= rest - 1) {
                i64 k = lowest(rest), used = before | bit(k), left = at.live & ~bit(k), p = own->change[k];
                look_near(rules, own, work, p, left, at.touched, revealed, cards, n_cards);
                if (rules->times[p] == 1 && (brings_many(rules, p) || rules->moves_suits[p])) {
                    fill(rules, own, cards, n_cards, icons, changed);
                    work->near.slots = slots_worth_changing(rules, own, work, k, left, changed, n_cards, play.key);
                }
                i64 found = expand(rules, &work->near, p, work->round_number, revealed, cards, n_cards, made, size);
                if (found < 0 || n + found > size || 2 * (known + found) > size) {
                    *best_play = play;
                    return false;
                }
                for (i64 i = 0; i < found; i++) {
                    if (left) {
                        if (!add_key(places, size, arranged(made[i], n_cards) | used << USED_SHIFT))
                            continue;
                        known++;
                    }
                    fill(rules, own, made[i], n_cards, icons, changed);
                    struct best new = best_worth(rules, own, &work->ranking, changed, n_cards);
                    if (new.key > play.key + MARGIN) {
                        play = (struct play){new.key, r, new.hand, new.value, depth + 1};
                        memcpy(work->path, work->way, sizeof work->way[0] * depth);
                        work->path[depth] = (struct use){k, made[i]};
                    }
                    if (left) {
                        double most =
                            hope(rules, own, work, revealed, changed, n_cards, left, at.touched, play.key, &seen);
                        if (most > play.key + MARGIN)
                            stack[n++] = (struct state){made[i] | used << USED_SHIFT, (depth + 1) << 4 | k, seen.live,
                                                        seen.touched, most};
                    }
                }
            }
        }
        work->bound[best] = play.key;
    }
}

static struct buffers buffers_of(i64 size)
{
    static _Thread_local struct buffers kept;
    if (size > kept.size)
        kept = (struct buffers){size, realloc(kept.stack, sizeof kept.stack[0] * size),
                                realloc(kept.made, sizeof kept.made[0] * size),
                                realloc(kept.places, sizeof kept.places[0] * size)};
    return (struct buffers){size, kept.stack, kept.made, kept.places};
}

/* This thread's work record. */
static struct work *the_work(void)
{
    static _Thread_local struct work *kept;
    if (!kept)
        kept = calloc(1, sizeof *kept);
    return kept;
}

/* Find the best play of a seat's hand: the highest score + weight * VP, ties by more VP, then more cards. */
static struct play best_play(const struct rules *rules, const struct own *own, i64 round_number, double weight,
                             i64 *choice)
{
    struct work *work = the_work();
    rank_hands(rules, own, &work->ranking, weight);
    usable_changes(rules, own, work, round_number);
    grow_reveals(rules, own, work, harmless(rules, own, &work->ranking, work->every));
    struct play play = value_reveals(rules, own, work);
    if (work->every) {
        forget_reach(rules, own, work);
        price_gains(rules, own, work, weight);
        survey(rules, own, work, play.key);
    }
    if (work->every) {
        bound_reveals(rules, own, work, play.key);
        struct buffers buffers;
        i64 size = 1 << 9;
        do {
            buffers = buffers_of(size);
            size *= 4;
        } while (!search_reveals(rules, own, work, &play, &buffers));
        for (i64 step = 0; step < play.uses; step++) {
            i64 *use = &choice[CHOICE_USE + step * USE_WIDTH];
            use[0] = own->change[work->path[step].change];
            for (i64 slot = 0; slot < N_CARDS[play.row]; slot++)
                use[1 + slot] = code_at(work->path[step].cards, slot);
        }
    }
    write_reveal(play.row, choice);
    choice[CHOICE_HAND] = play.hand + 1;
    choice[CHOICE_USES] = play.uses;
    return play;
}

#endif
