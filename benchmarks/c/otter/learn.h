/* What a seat's power-ups and Key Client cards let it do (kernel/learn.py). */

#ifndef OTTER_LEARN_H
#define OTTER_LEARN_H

#include <string.h>

#include "base.h"

static inline i64 run_need(const struct own *own, i64 cards) { return min(cards, own->run_cards); }

static inline i64 run_gaps(const struct rules *rules, const struct own *own, i64 cards)
{
    return own->run_cards < cards && !rules->gap_in_lowered_run ? 0 : own->run_gaps;
}

static inline i64 flush_need(const struct own *own, i64 cards) { return min(cards, own->flush_cards); }

/* The feature bits that hand `h` needs. */
static inline i64 needs_of(const struct rules *rules, i64 h)
{
    i64 cards = rules->hand_cards[h], needs = rules->hand_group[h];
    if (rules->hand_flush[h])
        needs |= bit(FLUSH_BIT + cards);
    if (rules->hand_run[h] == STRAIGHT)
        needs |= bit(STRAIGHT_BIT + cards);
    if (rules->hand_run[h] == FIBONACCI)
        needs |= bit(FIBONACCI_BIT + cards);
    if (rules->hand_different[h] == COUNT_NUMBERS)
        needs |= bit(NUMBERS_BIT + cards);
    if (rules->hand_different[h] == COUNT_SUITS)
        needs |= bit(SUITS_BIT + cards);
    if (rules->hand_filter[h])
        needs |= bit(FILTER_BIT + rules->hand_filter[h] - SUITS);
    return needs;
}

static inline void teach(struct own *own, i64 h)
{
    own->usable[h] = 1;
    own->parts |= own->needs[h];
}

static inline void add_part(struct own *own, i64 place, i64 kind, i64 need, i64 gaps)
{
    i64 at = own->n_parts++;
    own->part_bit[at] = place;
    own->part_kind[at] = kind;
    own->part_need[at] = need;
    own->part_gaps[at] = gaps;
}

/* List the parts that the usable hands need, with the numbers of cards that they need here. */
static void list_parts(const struct rules *rules, struct own *own)
{
    i64 parts = own->parts;
    own->n_parts = 0;
    for (i64 cards = 1; cards <= SLOTS; cards++) {
        i64 gaps = run_gaps(rules, own, cards);
        if (parts & bit(FLUSH_BIT + cards))
            add_part(own, FLUSH_BIT + cards, FLUSH_PART, flush_need(own, cards), 0);
        if (parts & bit(STRAIGHT_BIT + cards))
            add_part(own, STRAIGHT_BIT + cards, STRAIGHT_PART, run_need(own, cards), gaps);
        if (parts & bit(FIBONACCI_BIT + cards))
            add_part(own, FIBONACCI_BIT + cards, FIBONACCI_PART, run_need(own, cards), gaps);
        if (parts & bit(NUMBERS_BIT + cards))
            add_part(own, NUMBERS_BIT + cards, NUMBERS_PART, cards, 0);
        if (parts & bit(SUITS_BIT + cards))
            add_part(own, SUITS_BIT + cards, SUITS_PART, cards, 0);
    }
    for (i64 k = 0; k < rules->n_filters; k++)
        if (parts & bit(FILTER_BIT + k))
            add_part(own, FILTER_BIT + k, FILTER_PART, 8 - nibble(rules->filter_need, SUITS + k), 0);
}

/* Whether a Score power-up pays each marked card alike, whatever else is revealed. */
static inline bool pays_each(const struct rules *rules, i64 p)
{
    if (rules->counting[p] != COUNT_CARDS || rules->revealed[p] != 0)
        return false;
    if (rules->gain_hands[p] != EVERY_HAND || rules->rounds[p] != EVERY_ROUND)
        return false;
    for (i64 count = 0; count <= SLOTS; count++)
        if (rules->gain[p][count] != count * rules->gain[p][1])
            return false;
    return true;
}

static void learn_power_up(const struct rules *rules, struct own *own, i64 p)
{
    i64 kind = rules->kind[p];
    if (kind == CHANGE) {
        own->change[own->n_changes++] = p;
    } else if (kind == PASSIVE) {
        own->flush_cards = min(own->flush_cards, rules->flush_cards[p]);
        own->run_cards = min(own->run_cards, rules->run_cards[p]);
        own->run_gaps = min(own->run_gaps + rules->run_gaps[p], GAPS - 1);
        list_parts(rules, own);
    } else if (kind == SCORE) {
        own->marks[own->n_marks++] = rules->numbers[p];
        bool each = pays_each(rules, p);
        i64 *sums = each ? own->each : own->counted;
        i64 adds = each ? rules->gain[p][1] : bit(4 * own->n_ops);
        for (i64 suits = rules->suits[p]; suits; suits &= suits - 1)
            for (i64 numbers = rules->numbers[p]; numbers; numbers &= numbers - 1)
                sums[lowest(suits) << SUIT_SHIFT | lowest(numbers)] += adds;
        if (each)
            own->n_each++;
        else
            own->op[own->n_ops++] = p;
    }
}

static void learn_client(const struct rules *rules, struct own *own, i64 client)
{
    for (i64 hands = rules->client_hands[client]; hands; hands &= hands - 1) {
        i64 h = lowest(hands);
        if (rules->client_new[client])
            teach(own, h);
        else
            own->worth[h] = rules->hand_upgraded[h];
    }
    list_parts(rules, own);
}

/* List the Score power-ups that can apply in this round; add up those that always do. */
static void start_round(const struct rules *rules, struct own *own, i64 round_number)
{
    i64 n_active = 0, constant = 0, by_hand = 0;
    for (i64 k = 0; k < own->n_ops; k++) {
        i64 p = own->op[k];
        if (!(rules->rounds[p] >> round_number & 1))
            continue;
        bool same = rules->counting[p] == COUNT_CARDS && rules->revealed[p] == 0 && rules->gain_hands[p] == EVERY_HAND;
        for (i64 count = 0; count <= SLOTS; count++)
            same &= rules->gain[p][count] == rules->gain[p][0];
        if (same) {
            constant += rules->gain[p][0];
            continue;
        }
        own->active[n_active++] = k;
        by_hand |= rules->gain_hands[p] != EVERY_HAND;
    }
    own->n_active = n_active;
    own->constant = constant;
    own->by_hand = by_hand;
}

/* The start of a game: no cards, no power-ups, the basic hands only. */
static void forget(const struct rules *rules, struct own *own)
{
    own->n_hand = own->n_dealt = own->n_changes = own->n_ops = own->n_marks = own->n_each = 0;
    own->flush_cards = own->run_cards = SLOTS;
    own->run_gaps = 0;
    own->parts = 0;
    for (i64 h = 0; h < rules->n_hands; h++) {
        own->usable[h] = 0;
        own->worth[h] = rules->hand_worth[h];
        own->needs[h] = needs_of(rules, h);
        if (!rules->hand_new[h])
            teach(own, h);
    }
    memset(own->each, 0, sizeof own->each);
    memset(own->counted, 0, sizeof own->counted);
    list_parts(rules, own);
    start_round(rules, own, 1);
}

#endif
