/* What the Change cards could make of each card (kernel/reach.py), and of which places they fill (matching.py). */

#ifndef OTTER_REACH_H
#define OTTER_REACH_H

#include "changes.h"

/* By set of uses: WITHIN, all sets within it; APART, the sets that have none of them. */
static uint16_t WITHIN[SETS], APART[SETS];

__attribute__((constructor)) static void list_sets(void)
{
    for (i64 uses = 0; uses < SETS; uses++)
        for (i64 other = 0; other < SETS; other++) {
            WITHIN[uses] |= !(other & ~uses) << other;
            APART[uses] |= !(other & uses) << other;
        }
}

struct becomes {
    i64 numbers, suits, touched, free_suits;
};

/* Note the numbers that a set of Change cards brings, under the uses of limited ones that this takes. */
static inline void note_uses(struct work *work, i64 used, i64 numbers)
{
    i64 one = 0, other = 0;
    for (i64 rest = used & work->limited_numbers; rest; rest &= rest - 1) {
        const i64 *use = work->use[lowest(rest)];
        one |= use[0];
        other |= use[1] ? use[1] : use[0];
    }
    work->by_set[one] |= numbers;
    work->by_set[other] |= numbers;
}

/* What the Change cards `left` could make of a card, sharing ignored; `work->by_set` gets the numbers by uses. */
static struct becomes could_become(const struct rules *restrict rules, const struct own *restrict own,
                                   struct work *restrict work, i64 left, i64 c)
{
    i64 *after_numbers = work->after_numbers, *after_suits = work->after_suits;
    struct becomes all = {bit(c & NUMBER_MASK), bit(c >> SUIT_SHIFT), 0, bit(c >> SUIT_SHIFT)};
    after_numbers[0] = all.numbers;
    after_suits[0] = all.suits;
    memset(work->by_set, 0, sizeof work->by_set[0] << work->n_uses);
    work->by_set[0] = all.numbers;
    for (i64 used = 0; used != left;) {
        used = (used - left) & left; /* the next set within `left` */
        i64 numbers = 0, suits = 0;
        for (i64 rest = used; rest; rest &= rest - 1) {
            i64 k = lowest(rest), before = used ^ bit(k), p = own->change[k];
            for (i64 i = 0; i < rules->n_conversions[p]; i++) {
                i64 from_numbers = after_numbers[before] & rules->from_numbers[p][i];
                i64 from_suits = after_suits[before] & rules->from_suits[p][i];
                if (from_numbers == 0 || from_suits == 0)
                    continue;
                all.touched |= bit(4 * k);
                i64 add = rules->to_add[p][i];
                if (rules->to_numbers[p][i])
                    from_numbers = rules->to_numbers[p][i];
                else if (add > 0)
                    from_numbers = from_numbers << add & EVERY_NUMBER;
                else if (add < 0)
                    from_numbers >>= -add;
                numbers |= from_numbers;
                suits |= rules->to_suits[p][i] ? rules->to_suits[p][i] : from_suits;
            }
        }
        after_numbers[used] = numbers;
        after_suits[used] = suits;
        all.numbers |= numbers;
        all.suits |= suits;
        if (!(used & work->limited_suits))
            all.free_suits |= suits;
        note_uses(work, used, numbers);
    }
    return all;
}

/* Note in an entry the smallest sets of limited uses that bring each number, and what needs none. */
static inline void number_sets(const struct work *restrict work, struct entry *restrict entry)
{
    i64 free = work->by_set[0];
    entry->free = free;
    for (i64 number = 0; number < NUMBER_BITS; number++)
        entry->sets[number] = free >> number & 1;
    for (i64 uses = 1; uses < 1 << work->n_uses; uses++)
        for (i64 rest = work->by_set[uses] & ~free; rest; rest &= rest - 1) {
            uint16_t *sets = &entry->sets[lowest(rest)];
            if (!(*sets & WITHIN[uses]))
                *sets |= 1 << uses;
        }
}

/* Work out what the Change cards `left` could make of a card. */
noinline static void work_out(const struct rules *restrict rules, const struct own *restrict own,
                              struct work *restrict work, struct entry *restrict entry, i64 left, i64 c)
{
    struct becomes all = could_become(rules, own, work, left, c);
    number_sets(work, entry);
    i64 can = 0, free_suits = 0, high = 0, low = 0, may = 0, must = 0;
    for (i64 suit = 0; suit < rules->n_suits; suit++) {
        can |= (all.suits >> suit & 1) << (4 * suit);
        free_suits |= (all.free_suits >> suit & 1) << (4 * suit);
    }
    for (i64 i = 0; i < rules->n_filters; i++)
        if (all.numbers & rules->filter_numbers[i])
            can |= bit(4 * (SUITS + i));
    for (i64 j = 0; j < own->n_active; j++) {
        i64 k = own->active[j], p = own->op[k];
        if (all.numbers & rules->numbers[p] && all.suits & rules->suits[p]) {
            high |= bit(4 * k);
            if (!(all.numbers & ~rules->numbers[p]) && !(all.suits & ~rules->suits[p]))
                low |= bit(4 * k);
        }
    }
    for (i64 k = 0; k < own->n_changes; k++) {
        i64 p = own->change[k];
        if (all.numbers & rules->numbers[p] && all.suits & rules->suits[p]) {
            may |= bit(4 * k);
            if (!(all.numbers & ~rules->numbers[p]) && !(all.suits & ~rules->suits[p]))
                must |= bit(4 * k);
        }
    }
    double best = key_of(own->each[c], work->ranking.weight), worst = best;
    if (own->n_each)
        for (i64 suits = all.suits; suits; suits &= suits - 1)
            for (i64 rest = all.numbers; rest; rest &= rest - 1) {
                double gain = key_of(own->each[lowest(suits) << SUIT_SHIFT | lowest(rest)], work->ranking.weight);
                best = fmax2(best, gain);
                worst = fmin2(worst, gain);
            }
    entry->numbers = all.numbers;
    entry->can = can;
    entry->free_suits = free_suits;
    entry->high = high;
    entry->low = low;
    entry->touched = all.touched;
    entry->may_mark = may;
    entry->must_mark = must;
    entry->best = best;
    entry->spread = best - worst;
}

/* The same, looked up where it is known already. */
static inline const struct entry *remember(const struct rules *restrict rules, const struct own *restrict own,
                                           struct work *restrict work, i64 left, i64 c)
{
    i64 key = left * CODES + c + 1, folded = left ^ left >> 3 ^ left >> 6 ^ left >> 9;
    i64 at = (folded * CODES + ((c + left * 37) & CODE_MASK)) & (work->memo_size - 1);
    struct entry *entry = &work->memo[at];
    if (work->memo_key[at] != key) {
        work->memo_key[at] = key;
        work_out(rules, own, work, entry, left, c);
    }
    return entry;
}

/* Add what one card more could become. */
static inline void add_reach(struct reach *restrict reach, const struct entry *restrict entry)
{
    i64 numbers = entry->numbers, free = entry->free;
    reach->f[4] |= reach->f[3] & free;
    reach->f[3] |= reach->f[2] & free;
    reach->f[2] |= reach->f[1] & free;
    reach->f[1] |= reach->f[0] & free;
    reach->f[0] |= free;
    reach->c[4] |= reach->c[3] & numbers;
    reach->c[3] |= reach->c[2] & numbers;
    reach->c[2] |= reach->c[1] & numbers;
    reach->c[1] |= reach->c[0] & numbers;
    reach->c[0] |= numbers;
    reach->can += entry->can;
    reach->free_suits += entry->free_suits;
    reach->high += entry->high;
    reach->low += entry->low;
    reach->touched += entry->touched;
    reach->may_mark += entry->may_mark;
    reach->must_mark += entry->must_mark;
    reach->best += entry->best;
    reach->spread = fmax2(reach->spread, entry->spread);
}

/* Add what the card at a slot could become. */
static inline void add_slot(struct reach *restrict reach, i64 slot, const struct entry *restrict entry)
{
    reach->numbers[slot] = entry->numbers;
    reach->free[slot] = entry->free;
    reach->entry[slot] = entry;
    add_reach(reach, entry);
}

static inline void reach_nothing(struct reach *reach)
{
    memset(reach->c, 0, sizeof reach->c);
    memset(reach->f, 0, sizeof reach->f);
    reach->can = reach->free_suits = reach->high = reach->low = reach->touched = reach->may_mark = reach->must_mark = 0;
    reach->best = reach->spread = 0.0;
}

/* Sum up in `work->reach` what each of the cards could become. */
static inline void sum_reach(struct work *restrict work, const struct entry *const *entries, i64 n_cards)
{
    struct reach reach;
    reach_nothing(&reach);
    for (i64 slot = 0; slot < n_cards; slot++)
        add_slot(&reach, slot, entries[slot]);
    work->reach = reach;
}

/* Fill `work->reach`: what the cards of a set could become by the Change cards `left`. */
static void fill_reach(const struct rules *restrict rules, const struct own *restrict own, struct work *restrict work,
                       i64 cards, i64 n_cards, i64 left)
{
    const struct entry *entries[SLOTS];
    for (i64 slot = 0; slot < n_cards; slot++)
        entries[slot] = remember(rules, own, work, left, code_at(cards, slot));
    sum_reach(work, entries, n_cards);
}

/* The numbers (mask) that Change card `p` can bring. */
static inline i64 brought(const struct rules *rules, i64 p)
{
    i64 result = 0;
    for (i64 i = 0; i < rules->n_conversions[p]; i++)
        result |= rules->to_add[p][i] ? EVERY_NUMBER : rules->to_numbers[p][i];
    return result;
}

/* Note the limited Change cards of a seat, and number the uses of those that move numbers, as far as they can be told
 * apart. */
static void limited_uses(const struct rules *rules, const struct own *own, struct work *work)
{
    work->limited_numbers = work->limited_suits = work->n_uses = work->told_apart = work->but_x = 0;
    for (i64 k = 0; k < own->n_changes; k++) {
        i64 p = own->change[k], times = rules->times[p];
        work->brings[k] = brought(rules, p);
        work->use[k][0] = work->use[k][1] = 0;
        if (times >= SLOTS)
            continue;
        if (rules->moves_suits[p])
            work->limited_suits |= bit(k);
        if (!rules->moves_numbers[p])
            continue;
        work->limited_numbers |= bit(k);
        if (times > 2 || work->n_uses + times > USES)
            continue;
        for (i64 use = 0; use < times; use++)
            work->use[k][use] = bit(work->n_uses++);
        work->told_apart |= bit(k);
        if (rules->n_conversions[p] == 1 && rules->not_x[p][0] && !rules->as_revealed && times == 1) {
            work->but_x = work->use[k][0];
            work->share_x = max(rules->low[p], 1);
        }
    }
}

/* Empty the memo of `remember`; the more Change cards, the larger it is. */
static inline void forget_reach(const struct rules *rules, const struct own *own, struct work *work)
{
    limited_uses(rules, own, work);
    work->memo_size = min(CODES << own->n_changes, MEMO);
    memset(work->memo_key, 0, sizeof work->memo_key[0] * work->memo_size);
}

/* ---- Whether so many moves fill the places that a hand needs (matching.py) ---- */

#define PLACES 6 /* of a run, with its gaps: a bit for each set of places */

/* WITHOUT: sets of places without one. FILLED: sets of at least so many places. ROOM_ONE, ROOM_TWO: of two groups,
 * ways 6 * cards in one + cards in the other that have room. */
static uint64_t WITHOUT[PLACES + 1], FILLED[PLACES + 1], ROOM_ONE[PLACES + 1], ROOM_TWO[PLACES + 1];

__attribute__((constructor)) static void list_ways(void)
{
    for (i64 i = 0; i <= PLACES; i++)
        for (i64 way = 0; way < 64; way++) {
            WITHOUT[i] |= (uint64_t)!(way >> i & 1) << way;
            FILLED[i] |= (uint64_t)(popcount(way) >= i) << way;
            ROOM_ONE[i] |= (uint64_t)(way / 6 < i) << way;
            ROOM_TWO[i] |= (uint64_t)(way % 6 < i) << way;
        }
}

/* Whether `budget` moves bring `need` different numbers to the `allowed` places from `first` on. */
static bool fills_run(const struct reach *reach, i64 n_cards, i64 first, i64 allowed, i64 need, i64 budget)
{
    uint64_t ways[SLOTS + 1] = {1}; /* by cost */
    for (i64 slot = 0; slot < n_cards; slot++) {
        i64 free = reach->free[slot] >> first & allowed, moves = reach->numbers[slot] >> first & allowed & ~free;
        for (i64 cost = budget; cost >= 0; cost--) {
            uint64_t made = 0;
            for (i64 rest = free; rest; rest &= rest - 1)
                made |= (ways[cost] & WITHOUT[lowest(rest)]) << (rest & -rest);
            for (i64 rest = cost ? moves : 0; rest; rest &= rest - 1)
                made |= (ways[cost - 1] & WITHOUT[lowest(rest)]) << (rest & -rest);
            ways[cost] |= made;
        }
    }
    for (i64 cost = 0; cost <= budget; cost++)
        if (ways[cost] & FILLED[need])
            return true;
    return false;
}

/* Whether `budget` moves give `first` cards number `one` and `second` others number `two`. */
static bool fills_groups(const struct reach *reach, i64 n_cards, i64 one, i64 first, i64 two, i64 second, i64 budget)
{
    uint64_t ways[SLOTS + 1] = {1}; /* by cost */
    for (i64 slot = 0; slot < n_cards; slot++)
        for (i64 cost = budget; cost >= 0; cost--) {
            uint64_t made = 0;
            if (reach->free[slot] >> one & 1)
                made |= (ways[cost] & ROOM_ONE[first]) << 6;
            else if (cost && reach->numbers[slot] >> one & 1)
                made |= (ways[cost - 1] & ROOM_ONE[first]) << 6;
            if (reach->free[slot] >> two & 1)
                made |= (ways[cost] & ROOM_TWO[second]) << 1;
            else if (cost && reach->numbers[slot] >> two & 1)
                made |= (ways[cost - 1] & ROOM_TWO[second]) << 1;
            ways[cost] |= made;
        }
    for (i64 cost = 0; cost <= budget; cost++)
        if (ways[cost] >> (6 * first + second) & 1)
            return true;
    return false;
}

/* Whether `size` cards can have a number together, no limited use being spent twice. Where the use "any number but X"
 * cannot bring it, `but_x` holds the sets of that use and another that can (else it is negative). */
static bool fills_group(const struct work *work, i64 n_cards, i64 number, i64 size, i64 but_x)
{
    uint64_t ways[SLOTS + 1] = {1}; /* by cards that have it, the sets of uses spent on them */
    i64 spare = n_cards - size;
    for (i64 slot = 0; slot < n_cards; slot++) {
        i64 sets = work->reach.entry[slot]->sets[number];
        if (but_x >= 0 && sets >> work->but_x & 1)
            sets = (sets & ~bit(work->but_x)) | but_x;
        if (sets == 0 && spare-- == 0)
            return false;
        for (i64 cards = min(slot, size - 1); cards >= 0; cards--)
            if (ways[cards])
                for (i64 rest = sets; rest; rest &= rest - 1)
                    ways[cards + 1] |= (ways[cards] & APART[lowest(rest)]) << lowest(rest);
    }
    return ways[size];
}

#endif
