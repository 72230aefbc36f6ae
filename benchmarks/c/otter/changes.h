/* Change cards: when one may be used, what one use can make of the revealed cards (kernel/changes.py, alike.py). */

#ifndef OTTER_CHANGES_H
#define OTTER_CHANGES_H

#include "reveals.h"

/* ---- Numbers that nothing tells apart (alike.py) ---- */

#define EVERY_SLOT (bit(SLOTS) - 1)

/* Whether a use of Change card `p` can bring one of several numbers. */
static inline bool brings_many(const struct rules *rules, i64 p)
{
    for (i64 i = 0; i < rules->n_conversions[p]; i++)
        if (popcount(rules->to_numbers[p][i]) > 1)
            return true;
    return false;
}

static void all_near(struct near *near)
{
    near->adds = 0;
    near->slots = EVERY_SLOT;
    for (i64 slot = 0; slot < SLOTS; slot++)
        near->numbers[slot] = EVERY_NUMBER;
}

/* The numbers of a mask and those at most `by` from one. */
static inline i64 widened(i64 numbers, i64 by)
{
    i64 result = numbers;
    for (i64 distance = 1; distance <= by; distance++)
        result |= numbers << distance | numbers >> distance;
    return result & EVERY_NUMBER;
}

/* Part each class of numbers into those inside and outside a mask. */
static inline void tell_apart(struct near *near, i64 numbers)
{
    for (i64 i = 0; i < near->n_classes; i++) {
        i64 inside = near->classes[i] & numbers, outside = near->classes[i] & ~numbers;
        if (inside && outside) {
            near->classes[i] = inside;
            near->classes[near->n_classes++] = outside;
        }
    }
}

/* The numbers that can stand in a run with numbers of `others`, of which `moves` may change. */
static i64 run_numbers(const struct rules *rules, const struct own *own, const struct work *work, i64 others, i64 moves)
{
    i64 result = 0;
    for (i64 j = 0; j < own->n_parts; j++) {
        if (own->part_kind[j] != STRAIGHT_PART || !(work->hopeful_parts >> own->part_bit[j] & 1))
            continue;
        i64 needed = own->part_need[j] - 1 - moves, width = own->part_need[j] + own->part_gaps[j];
        i64 window = bit(width) - 1;
        for (i64 rest = others & rules->straight_numbers; popcount(rest) >= needed; rest &= rest - 1) {
            i64 at = lowest(rest);
            for (i64 first = max(at - width + 1, 0); first <= at; first++)
                if (popcount(rest & window << first) >= needed)
                    result |= window << first;
        }
    }
    return result & EVERY_NUMBER;
}

/* Which numbers a use of Change card `p` need try: fill `work->near`. */
static void look_near(const struct rules *rules, const struct own *own, struct work *work, i64 p, i64 left,
                      i64 touched, i64 revealed, i64 cards, i64 n_cards)
{
    struct near *near = &work->near;
    near->adds = 0;
    near->n_classes = 1;
    near->slots = EVERY_SLOT;
    if (!brings_many(rules, p))
        return;
    near->classes[0] = EVERY_NUMBER;
    for (i64 j = 0; j < own->n_marks; j++)
        tell_apart(near, own->marks[j]);
    for (i64 j = 0; j < rules->n_filters; j++)
        if (work->hopeful_parts >> (FILTER_BIT + j) & 1)
            tell_apart(near, rules->filter_numbers[j]);
    i64 named = 0, moves = 0, many = 0, up = 0, down = 0;
    for (i64 k = 0; k < own->n_changes; k++) {
        i64 q = own->change[k], times = min(rules->times[q], touched >> (4 * k) & 7);
        if (q == p)
            times--; /* the other cards of the same use */
        else if (!(left >> k & 1))
            continue;
        tell_apart(near, rules->numbers[q]);
        i64 highest = 0, lowest_add = 0;
        bool brings = false;
        for (i64 i = 0; i < rules->n_conversions[q]; i++) {
            tell_apart(near, rules->from_numbers[q][i]);
            if (rules->to_add[q][i]) {
                tell_apart(near, rules->numbers_by_add);
                highest = max(highest, rules->to_add[q][i]);
                lowest_add = min(lowest_add, rules->to_add[q][i]);
            } else if (popcount(rules->to_numbers[q][i]) > 1) {
                tell_apart(near, rules->to_numbers[q][i]);
                brings = true;
            } else {
                named |= rules->to_numbers[q][i];
            }
        }
        if (times > 0 && rules->moves_numbers[q]) {
            moves += times;
            up += highest;
            down -= lowest_add;
            if (brings)
                many += times;
        }
    }
    moves = min(moves, n_cards - 1);
    i64 needed = SLOTS, fibonacci = 0; /* cards that a run must have of those that stay */
    for (i64 j = 0; j < own->n_parts; j++)
        if (work->hopeful_parts >> own->part_bit[j] & 1) {
            if (own->part_kind[j] == STRAIGHT_PART)
                needed = min(needed, own->part_need[j] - 1 - moves);
            else if (own->part_kind[j] == FIBONACCI_PART)
                fibonacci = rules->fib_numbers;
        }
    if (needed <= 0 || (many > 1 && up + down)) {
        all_near(near);
        return;
    }
    /* Two cards meet when they are at most up + down apart; one brought to where it can meet this card may meet
     * others. */
    i64 beside = many ? up + down : 0;
    near->adds = max(up, down) + beside;
    i64 numbers = widened(named | fibonacci, up + down + beside);
    if (rules->as_revealed)
        for (i64 slot = 0; slot < n_cards; slot++)
            numbers |= bit(code_at(revealed, slot) & NUMBER_MASK);
    for (i64 slot = 0; slot < n_cards; slot++) {
        i64 others = 0;
        for (i64 other = 0; other < n_cards; other++)
            if (other != slot || rules->times[p] > 1)
                others |= bit(code_at(cards, other) & NUMBER_MASK);
        i64 runs = run_numbers(rules, own, work, others, moves);
        near->numbers[slot] = numbers | widened(others, up + down + beside) | widened(runs, near->adds);
    }
}

/* Those of `numbers` that are near, and `kinds` of each class of the others. */
static i64 one_of_each(const struct near *near, i64 slot, i64 numbers, i64 kinds)
{
    i64 adds = near->adds, result = numbers & near->numbers[slot], rest = numbers & ~near->numbers[slot];
    if (rest == 0)
        return result;
    for (i64 i = 0; i < near->n_classes; i++) {
        i64 group = near->classes[i] & rest;
        if (adds) {
            i64 inner = near->classes[i];
            for (i64 distance = 1; distance <= adds; distance++)
                inner &= near->classes[i] << distance & near->classes[i] >> distance;
            result |= group & ~inner;
            group &= inner;
        }
        for (i64 kind = 0; kind < kinds; kind++) {
            i64 taken = group & widened(group & -group, 2 * adds);
            result |= taken;
            group &= ~taken;
        }
    }
    return result;
}

/* ---- Uses (changes.py) ---- */

/* Whether the condition of Change card `p` holds for a set of cards. */
static inline bool may_use(const struct rules *rules, i64 p, i64 round_number, i64 cards, i64 n_cards)
{
    if (!(rules->rounds[p] >> round_number & 1))
        return false;
    if (rules->revealed[p] != 0 && rules->revealed[p] != n_cards)
        return false;
    if (rules->low[p] == 0 && rules->high[p] >= n_cards)
        return true;
    i64 count = count_of(rules, p, cards, n_cards);
    return rules->low[p] <= count && count <= rules->high[p];
}

/* The numbers that can be X: those whose marked cards are as many as the condition says. */
static i64 x_numbers(const struct rules *rules, i64 p, i64 cards, i64 n_cards)
{
    i64 result = 0;
    for (i64 slot = 0; slot < n_cards; slot++) {
        i64 number = code_at(cards, slot) & NUMBER_MASK, count = 0;
        for (i64 other = 0; other < n_cards; other++) {
            i64 c = code_at(cards, other);
            count += (c & NUMBER_MASK) == number && marked(rules, p, c);
        }
        if (max(rules->low[p], 1) <= count && count <= rules->high[p])
            result |= bit(number);
    }
    return result;
}

/* The numbers (mask) that conversion `k` of card `p` makes of `number`; `x` is X as a mask. */
static inline i64 new_numbers(const struct rules *rules, i64 p, i64 k, i64 number, i64 x)
{
    if (rules->to_numbers[p][k])
        return rules->not_x[p][k] ? rules->to_numbers[p][k] & ~x : rules->to_numbers[p][k];
    if (rules->to_add[p][k]) {
        i64 moved = number + rules->to_add[p][k];
        return 0 <= moved && moved < NUMBER_BITS ? bit(moved) & rules->numbers_by_add : 0;
    }
    return bit(number);
}

static inline i64 new_suits(const struct rules *rules, i64 p, i64 k, i64 suit)
{
    return rules->to_suits[p][k] ? rules->to_suits[p][k] : bit(suit);
}

/* Whether conversion `k` of Change card `p` marks a card. */
static inline bool converts(const struct rules *rules, i64 p, i64 k, i64 c)
{
    return rules->from_suits[p][k] >> (c >> SUIT_SHIFT) & rules->from_numbers[p][k] >> (c & NUMBER_MASK) & 1;
}

/* Whether Change card `p` has an arrow for a card. */
static inline bool may_change(const struct rules *rules, i64 p, i64 c)
{
    for (i64 k = 0; k < rules->n_conversions[p]; k++)
        if (converts(rules, p, k, c))
            return true;
    return false;
}

/* Write the codes that a card can become by Change card `p` to `near->codes`; return how many. */
static i64 results(const struct rules *restrict rules, struct near *restrict near, i64 p, i64 slot, i64 c, i64 x,
                   i64 kinds)
{
    i64 n = 0;
    for (i64 k = 0; k < rules->n_conversions[p]; k++) {
        if (!converts(rules, p, k, c))
            continue;
        i64 numbers = new_numbers(rules, p, k, c & NUMBER_MASK, x);
        if (numbers & (numbers - 1))
            numbers = one_of_each(near, slot, numbers, kinds);
        for (i64 suits = new_suits(rules, p, k, c >> SUIT_SHIFT); suits; suits &= suits - 1)
            for (i64 rest = numbers; rest; rest &= rest - 1) {
                i64 result = lowest(suits) << SUIT_SHIFT | lowest(rest);
                if (result != c)
                    near->codes[n++] = result;
            }
    }
    return n;
}

/* The X numbers that Change card `p` looks at (0 when it looks at none). */
static inline i64 x_for(const struct rules *rules, i64 p, i64 cards, i64 n_cards)
{
    return rules->counting[p] == COUNT_SAME ? x_numbers(rules, p, cards, n_cards) : 0;
}

/* Whether the arrows of Change card `p` turn `before` into `after`, for one X. */
static bool follows(const struct rules *rules, i64 p, i64 x, i64 before, i64 after, i64 n_cards)
{
    i64 changed = 0;
    for (i64 slot = 0; slot < n_cards; slot++) {
        i64 c = code_at(before, slot), result = code_at(after, slot);
        if (c == result)
            continue;
        changed++;
        bool found = false;
        for (i64 k = 0; k < rules->n_conversions[p]; k++)
            if (converts(rules, p, k, c))
                found |= new_suits(rules, p, k, c >> SUIT_SHIFT) >> (result >> SUIT_SHIFT)
                         & new_numbers(rules, p, k, c & NUMBER_MASK, x) >> (result & NUMBER_MASK) & 1;
        if (!found)
            return false;
    }
    return 1 <= changed && changed <= rules->times[p];
}

/* Whether one use of Change card `p` turns `before` into `after`, slot by slot. */
static bool legal_use(const struct rules *rules, i64 p, i64 round_number, i64 revealed, i64 before, i64 after,
                      i64 n_cards)
{
    i64 looked = rules->as_revealed ? revealed : before;
    if (!may_use(rules, p, round_number, looked, n_cards))
        return false;
    i64 xs = x_for(rules, p, looked, n_cards);
    do {
        if (follows(rules, p, xs & -xs, before, after, n_cards))
            return true;
        xs &= xs - 1;
    } while (xs);
    return false;
}

/* Write the sets for one X behind the `first` ones; return how many there are then, or -1. */
static i64 expand_for(const struct rules *restrict rules, struct near *restrict near, i64 p, i64 x, i64 cards,
                      i64 n_cards, i64 *restrict out, i64 size, i64 first)
{
    if (first >= size)
        return -1;
    i64 times = rules->times[p], n = first + 1, kinds = 1;
    out[first] = cards; /* bits above the cards count the cards changed so far */
    for (i64 slot = 0; slot < n_cards; slot++) {
        if (!(near->slots >> slot & 1))
            continue;
        i64 c = code_at(cards, slot), shift = CODE_BITS * slot;
        i64 options = results(rules, near, p, slot, c, x, kinds);
        if (options == 0)
            continue;
        kinds = min(kinds + 1, times); /* cards changed together may get different numbers of a class */
        if (first + (n - first) * (options + 1) > size)
            return -1;
        for (i64 i = first, before = n; i < before; i++)
            if (out[i] >> USED_SHIFT < times)
                for (i64 j = 0; j < options; j++)
                    out[n++] = (out[i] ^ (c ^ near->codes[j]) << shift) + bit(USED_SHIFT);
    }
    for (i64 i = first + 1; i < n; i++)
        out[i - 1] = out[i] & CARDS_MASK;
    return n - 1;
}

/* Write the sets of cards that one use of Change card `p` can make; return how many, -1 when they do not fit. */
static i64 expand(const struct rules *restrict rules, struct near *restrict near, i64 p, i64 round_number,
                  i64 revealed, i64 cards, i64 n_cards, i64 *restrict out, i64 size)
{
    i64 looked = rules->as_revealed ? revealed : cards;
    if (!may_use(rules, p, round_number, looked, n_cards))
        return 0;
    i64 n = 0, xs = x_for(rules, p, looked, n_cards);
    do { /* X is the same for all cards of one use */
        n = expand_for(rules, near, p, xs & -xs, cards, n_cards, out, size, n);
        xs &= xs - 1;
    } while (n >= 0 && xs);
    return n;
}

#endif
