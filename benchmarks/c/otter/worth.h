/* The worth of revealed cards (kernel/worth.py). */

#ifndef OTTER_WORTH_H
#define OTTER_WORTH_H

#include "learn.h"

#define CODE_BITS 9
#define CODE_MASK (CODES - 1)
#define SUIT_NIBBLES (bit(4 * SUITS) - 1)
#define ONES INT64_C(0x0111111111111111) /* 1 in every nibble (the sixteenth stays empty: the sign) */
#define EIGHTS INT64_C(0x0888888888888888)
#define SUIT_ONES (ONES & SUIT_NIBBLES)
#define SUIT_EIGHTS (EIGHTS & SUIT_NIBBLES)

static inline i64 score_of(i64 value) { return (int32_t)value; }
static inline i64 vp_of(i64 value) { return (value - score_of(value)) >> 32; }
static inline i64 code_at(i64 cards, i64 slot) { return cards >> (CODE_BITS * slot) & CODE_MASK; }

/* How many different suits a word of nibbles shows. */
static inline i64 suits_shown(i64 word) { return popcount(((word & SUIT_NIBBLES) + 7 * SUIT_ONES) & SUIT_EIGHTS); }

/* Whether `need` numbers of the mask lie within `need + gaps` consecutive values. */
static inline bool has_run(i64 numbers, i64 need, i64 gaps)
{
    i64 window = bit(need + gaps) - 1, rest = numbers;
    for (i64 left = popcount(numbers); left >= need; left--) {
        if (popcount(numbers >> lowest(rest) & window) >= need)
            return true;
        rest &= rest - 1;
    }
    return false;
}

/* Whether `need` cards are a stretch of the sequence with at most `gaps` inner values missing. */
static inline bool has_fibonacci(const struct rules *rules, i64 h1, i64 h2, i64 need, i64 gaps)
{
    const i64 *one = rules->fib_one[need][gaps], *two = rules->fib_two[need][gaps];
    for (i64 row = 0, n = rules->n_fib[need][gaps]; row < n; row++)
        if ((one[row] & ~h1) == 0 && (two[row] & ~h2) == 0)
            return true;
    return false;
}

/* The index of a pattern of equal numbers (tables.PATTERNS). */
static inline i64 group_pattern(i64 h2, i64 h3, i64 h4, i64 h5)
{
    return popcount(h2) + 2 * (popcount(h3) + popcount(h4) + popcount(h5));
}

/* The bits of the parts, other than groups, that a set of cards shows. */
static inline i64 parts_shown(const struct rules *rules, const struct own *own, i64 h1, i64 h2, i64 word)
{
    i64 shown = 0;
    for (i64 j = 0; j < own->n_parts; j++) {
        i64 need = own->part_need[j], place = own->part_bit[j];
        bool holds;
        switch (own->part_kind[j]) {
        case FLUSH_PART:
            holds = ((word & SUIT_NIBBLES) + (8 - need) * SUIT_ONES) & SUIT_EIGHTS;
            break;
        case STRAIGHT_PART:
            holds = has_run(h1 & rules->straight_numbers, need, own->part_gaps[j]);
            break;
        case FILTER_PART:
            holds = nibble(word, SUITS + place - FILTER_BIT) >= need;
            break;
        case FIBONACCI_PART:
            holds = has_fibonacci(rules, h1, h2, need, own->part_gaps[j]);
            break;
        case NUMBERS_PART:
            holds = popcount(h1) >= need;
            break;
        default:
            holds = suits_shown(word) >= need;
        }
        shown |= (i64)holds << place;
    }
    return shown;
}

/* Whether the parts of hand `h` hold on one subset, as large as the largest need (O4). */
static bool forms_on_same_cards(const struct rules *rules, const struct own *own, i64 h, i64 cards, i64 n_cards)
{
    i64 size = rules->hand_cards[h], flush = flush_need(own, size), run = run_need(own, size);
    i64 kind = rules->hand_run[h], largest = rules->hand_filter[h] || rules->hand_different[h] ? size : 0;
    if (rules->hand_flush[h])
        largest = max(largest, flush);
    if (kind)
        largest = max(largest, run);
    if (largest == 0) /* groups of equal numbers only */
        return true;
    for (i64 chosen = 1; chosen < bit(n_cards); chosen++) {
        if (popcount(chosen) != largest)
            continue;
        i64 h1 = 0, h2 = 0, word = 0;
        for (i64 slot = 0; slot < n_cards; slot++)
            if (chosen >> slot & 1) {
                i64 c = code_at(cards, slot), number = bit(c & NUMBER_MASK);
                h2 |= h1 & number;
                h1 |= number;
                word += rules->word[c];
            }
        bool holds = true;
        if (rules->hand_flush[h])
            holds = ((word & SUIT_NIBBLES) + (8 - flush) * SUIT_ONES) & SUIT_EIGHTS;
        if (holds && kind == STRAIGHT)
            holds = has_run(h1 & rules->straight_numbers, run, run_gaps(rules, own, size));
        if (holds && kind == FIBONACCI)
            holds = has_fibonacci(rules, h1, h2, run, run_gaps(rules, own, size));
        if (holds && rules->hand_filter[h])
            holds = (word + rules->filter_need) >> (4 * rules->hand_filter[h] + 3) & 1;
        if (holds && rules->hand_different[h] == COUNT_NUMBERS)
            holds = popcount(h1) >= size;
        if (holds && rules->hand_different[h] == COUNT_SUITS)
            holds = suits_shown(word) >= size;
        if (holds)
            return true;
    }
    return false;
}

/* The count that the condition of power-up `p` looks at. */
static i64 count_of(const struct rules *rules, i64 p, i64 cards, i64 n_cards)
{
    i64 marked_suits = rules->suits[p], marked_numbers = rules->numbers[p], suits = 0, count = 0;
    i64 h1 = 0, h2 = 0, h3 = 0, h4 = 0, h5 = 0;
    for (i64 slot = 0; slot < n_cards; slot++) {
        i64 c = code_at(cards, slot), suit = c >> SUIT_SHIFT, number = bit(c & NUMBER_MASK);
        if (marked_suits >> suit & 1 && marked_numbers & number) {
            count++;
            suits |= bit(suit);
            h5 |= h4 & number;
            h4 |= h3 & number;
            h3 |= h2 & number;
            h2 |= h1 & number;
            h1 |= number;
        }
    }
    switch (rules->counting[p]) {
    case COUNT_CARDS:
        return count;
    case COUNT_NUMBERS:
        return popcount(h1);
    case COUNT_SUITS:
        return popcount(suits);
    default:
        return (h1 != 0) + (h2 != 0) + (h3 != 0) + (h4 != 0) + (h5 != 0);
    }
}

/* The packed gain of Score op `k`, whatever hand is declared. */
static inline i64 op_gain(const struct rules *rules, const struct own *own, i64 k, i64 counted, i64 cards, i64 n_cards)
{
    i64 p = own->op[k];
    if (rules->revealed[p] != 0 && rules->revealed[p] != n_cards)
        return 0;
    if (rules->counting[p] == COUNT_CARDS)
        return rules->gain[p][counted >> (4 * k) & 7];
    return rules->gain[p][count_of(rules, p, cards, n_cards)];
}

static inline i64 rank_of(i64 worth) { return (score_of(worth) << 20) + vp_of(worth); }

/* The hands that this seat may declare with a set of cards (a mask). */
static i64 hands_formed(const struct rules *rules, const struct own *own, i64 shown, i64 cards, i64 n_cards)
{
    i64 formed = 0;
    for (i64 h = 0; h < rules->n_hands; h++)
        if (own->usable[h] && h != rules->otherwise && (own->needs[h] & ~shown) == 0)
            if (!rules->same_cards || forms_on_same_cards(rules, own, h, cards, n_cards))
                formed |= bit(h);
    if (formed == 0 || rules->no_hand_always)
        formed |= bit(rules->otherwise);
    if (rules->highest_score) {
        i64 best = -bit(60);
        for (i64 rest = formed; rest; rest &= rest - 1)
            best = max(best, rank_of(own->worth[lowest(rest)]));
        for (i64 rest = formed; rest; rest &= rest - 1)
            if (rank_of(own->worth[lowest(rest)]) != best)
                formed &= ~bit(lowest(rest));
    }
    return formed;
}

/* The packed worth of a set declared as hand `h`, without the printed icons. */
static i64 worth_of(const struct rules *rules, const struct own *own, i64 h, i64 counted, i64 each, i64 cards,
                    i64 n_cards)
{
    i64 value = own->worth[h] + own->constant + each;
    for (i64 j = 0; j < own->n_active; j++) {
        i64 k = own->active[j];
        if (rules->gain_hands[own->op[k]] >> h & 1)
            value += op_gain(rules, own, k, counted, cards, n_cards);
    }
    return value;
}

#endif
