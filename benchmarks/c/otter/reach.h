/* What the Change cards could make of each card (kernel/reach.py), and of which places they fill (matching.py). */

#ifndef OTTER_REACH_H
#define OTTER_REACH_H

#include "changes.h"

struct becomes {
    i64 numbers, suits, touched;
};

/* What the Change cards `left` could make of a card, sharing ignored. */
static struct becomes could_become(const struct rules *restrict rules, const struct own *restrict own,
                                   struct work *restrict work, i64 left, i64 c)
{
    i64 *after_numbers = work->after_numbers, *after_suits = work->after_suits;
    struct becomes all = {bit(c & NUMBER_MASK), bit(c >> SUIT_SHIFT), 0};
    after_numbers[0] = all.numbers;
    after_suits[0] = all.suits;
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
    }
    return all;
}

/* What the Change cards `left` could make of a card; looked up where it is known already. */
static const struct entry *remember(const struct rules *restrict rules, const struct own *restrict own,
                                    struct work *restrict work, i64 left, i64 c)
{
    i64 key = left * CODES + c + 1, at = (key + left * 37) & (work->memo_size - 1);
    struct entry *entry = &work->memo[at];
    if (work->memo_key[at] == key)
        return entry;
    work->memo_key[at] = key;
    struct becomes all = could_become(rules, own, work, left, c);
    i64 can = 0, high = 0, low = 0, may = 0, must = 0;
    for (i64 suit = 0; suit < rules->n_suits; suit++)
        can |= (all.suits >> suit & 1) << (4 * suit);
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
    *entry = (struct entry){all.numbers, can, high, low, all.touched, may, must, best, best - worst};
    return entry;
}

/* Add what one card more could become. */
static inline void add_reach(struct reach *restrict reach, const struct entry *restrict entry)
{
    i64 numbers = entry->numbers;
    reach->c[4] |= reach->c[3] & numbers;
    reach->c[3] |= reach->c[2] & numbers;
    reach->c[2] |= reach->c[1] & numbers;
    reach->c[1] |= reach->c[0] & numbers;
    reach->c[0] |= numbers;
    reach->can += entry->can;
    reach->high += entry->high;
    reach->low += entry->low;
    reach->touched += entry->touched;
    reach->may_mark += entry->may_mark;
    reach->must_mark += entry->must_mark;
    reach->best += entry->best;
    reach->spread = fmax2(reach->spread, entry->spread);
}

static inline void reach_nothing(struct reach *reach)
{
    memset(reach->c, 0, sizeof reach->c);
    reach->can = reach->high = reach->low = reach->touched = reach->may_mark = reach->must_mark = 0;
    reach->best = reach->spread = 0.0;
}

/* Fill `work->reach`: what the cards of a set could become by the Change cards `left`. */
static void fill_reach(const struct rules *restrict rules, const struct own *restrict own, struct work *restrict work,
                       i64 cards, i64 n_cards, i64 left)
{
    reach_nothing(&work->reach);
    for (i64 slot = 0; slot < n_cards; slot++) {
        const struct entry *entry = remember(rules, own, work, left, code_at(cards, slot));
        work->reach.numbers[slot] = entry->numbers;
        add_reach(&work->reach, entry);
    }
}

/* Empty the memo of `remember`; the more Change cards, the larger it is. */
static inline void forget_reach(const struct own *own, struct work *work)
{
    work->memo_size = min(CODES << own->n_changes >> 1, MEMO);
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

static inline void start_ways(i64 *ways, i64 budget)
{
    ways[0] = 1;
    for (i64 cost = 1; cost <= budget; cost++)
        ways[cost] = 0;
}

/* Whether `budget` moves bring `need` different numbers to the `allowed` places from `first` on. */
static bool fills_run(struct reach *reach, i64 cards, i64 n_cards, i64 first, i64 allowed, i64 need, i64 budget)
{
    i64 *ways = reach->ways;
    start_ways(ways, budget);
    for (i64 slot = 0; slot < n_cards; slot++) {
        i64 number = (code_at(cards, slot) & NUMBER_MASK) - first;
        bool stays = 0 <= number && number < PLACES && allowed >> number & 1;
        i64 moves = reach->numbers[slot] >> first & allowed;
        for (i64 cost = budget; cost >= 0; cost--) {
            i64 made = stays ? (ways[cost] & WITHOUT[number]) << bit(number) : 0;
            for (i64 rest = cost ? moves : 0; rest; rest &= rest - 1) {
                i64 place = lowest(rest);
                made |= (ways[cost - 1] & WITHOUT[place]) << bit(place);
            }
            ways[cost] |= made;
        }
    }
    for (i64 cost = 0; cost <= budget; cost++)
        if (ways[cost] & FILLED[need])
            return true;
    return false;
}

/* Whether `budget` moves give `first` cards number `one` and `second` others number `two`. */
static bool fills_groups(struct reach *reach, i64 cards, i64 n_cards, i64 one, i64 first, i64 two, i64 second,
                         i64 budget)
{
    i64 *ways = reach->ways;
    start_ways(ways, budget);
    for (i64 slot = 0; slot < n_cards; slot++) {
        i64 number = code_at(cards, slot) & NUMBER_MASK;
        for (i64 cost = budget; cost >= 0; cost--) {
            i64 made = 0;
            if (number == one)
                made |= (ways[cost] & ROOM_ONE[first]) << 6;
            else if (cost && reach->numbers[slot] >> one & 1)
                made |= (ways[cost - 1] & ROOM_ONE[first]) << 6;
            if (number == two)
                made |= (ways[cost] & ROOM_TWO[second]) << 1;
            else if (cost && reach->numbers[slot] >> two & 1)
                made |= (ways[cost - 1] & ROOM_TWO[second]) << 1;
            ways[cost] |= made;
        }
    }
    for (i64 cost = 0; cost <= budget; cost++)
        if (ways[cost] >> (6 * first + second) & 1)
            return true;
    return false;
}

#endif
