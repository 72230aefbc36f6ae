/* The worth of every reveal of a hand (kernel/reveals.py). */

#ifndef OTTER_REVEALS_H
#define OTTER_REVEALS_H

#include "work.h"

#define TIE_VP 1e-6
#define TIE_CARDS 1e-8
#define MARGIN 1e-10

/* Patterns of equal numbers (tables.PATTERNS) and what a card more can make of them. */
static const int8_t PATTERN[7] = {0, 1, 1, 2, 3, 3, 5}, GROWN[7] = {1, 2, 3, 4, 4, 5, 7};

/* The key of a packed value, without the tie-break by cards. */
static inline double key_of(i64 value, double weight) { return score_of(value) + (weight + TIE_VP) * vp_of(value); }

/* Fill a row: the features of its parent's cards and one card more (`row` may be `parent`). */
static inline void add_card(const struct rules *rules, const struct own *own, const struct features *parent,
                            struct features *row, i64 c, i64 slot)
{
    i64 number = bit(c & NUMBER_MASK);
    row->h[4] = parent->h[4] | (parent->h[3] & number);
    row->h[3] = parent->h[3] | (parent->h[2] & number);
    row->h[2] = parent->h[2] | (parent->h[1] & number);
    row->h[1] = parent->h[1] | (parent->h[0] & number);
    row->h[0] = parent->h[0] | number;
    row->word = parent->word + rules->word[c];
    row->counted = parent->counted + own->counted[c];
    row->each = parent->each + own->each[c];
    row->icons = parent->icons + rules->icon[c];
    row->packed = parent->packed | c << (CODE_BITS * slot);
}

/* The features of a packed set (the icons are those of the printed cards). */
static inline void fill(const struct rules *rules, const struct own *own, i64 cards, i64 n_cards, i64 icons,
                        struct features *row)
{
    i64 h1 = 0, h2 = 0, h3 = 0, h4 = 0, h5 = 0, word = 0, counted = 0, each = 0;
    for (i64 slot = 0; slot < n_cards; slot++) {
        i64 c = code_at(cards, slot), number = bit(c & NUMBER_MASK);
        h5 |= h4 & number;
        h4 |= h3 & number;
        h3 |= h2 & number;
        h2 |= h1 & number;
        h1 |= number;
        word += rules->word[c];
        counted += own->counted[c];
        each += own->each[c];
    }
    *row = (struct features){{h1, h2, h3, h4, h5}, word, counted, each, icons, cards};
}

/* The best hand whose needs are all shown. */
static inline i64 first_formed(const struct rules *rules, const struct own *own, const struct ranking *ranking,
                               i64 shown)
{
    for (i64 j = 0; j < ranking->n_order; j++) {
        i64 h = ranking->order[j];
        if ((own->needs[h] & ~shown) == 0)
            return h;
    }
    return rules->otherwise;
}

/* Order the usable hands by worth, the best first. */
static void rank_hands(const struct rules *rules, const struct own *own, struct ranking *ranking, double weight)
{
    i64 n = 0;
    for (i64 h = 0; h < rules->n_hands; h++) {
        if (!own->usable[h] || (h == rules->otherwise && !rules->no_hand_always))
            continue;
        double rank = key_of(own->worth[h], weight);
        if (rules->highest_score)
            rank = 1000.0 * score_of(own->worth[h]) + vp_of(own->worth[h]);
        i64 at = n++;
        for (; at > 0 && ranking->key[at - 1] < rank; at--) {
            ranking->order[at] = ranking->order[at - 1];
            ranking->key[at] = ranking->key[at - 1];
        }
        ranking->order[at] = h;
        ranking->key[at] = rank;
    }
    ranking->weight = weight;
    ranking->n_order = n;
    for (i64 pattern = 0; pattern < PATTERNS; pattern++)
        ranking->first[pattern] = first_formed(rules, own, ranking, rules->group_bits[pattern]);
}

struct best {
    double key;
    i64 hand, value;
};

/* `best_worth` where Score power-ups look at the declared hand, or parts must hold on the same cards (O4). */
noinline static struct best best_special(const struct rules *rules, const struct own *own,
                                         const struct ranking *ranking, const struct features *row, i64 n_cards,
                                         i64 shown)
{
    struct best best = {-1e300, -1, 0};
    for (i64 j = 0; j <= ranking->n_order; j++) {
        i64 h;
        if (j < ranking->n_order) {
            h = ranking->order[j];
            if (own->needs[h] & ~shown)
                continue;
            if (rules->same_cards && !forms_on_same_cards(rules, own, h, row->packed, n_cards))
                continue;
        } else if (best.hand >= 0) {
            break;
        } else {
            h = rules->otherwise;
        }
        if (rules->highest_score && best.hand >= 0 && own->worth[h] != own->worth[best.hand])
            break;
        i64 value = worth_of(rules, own, h, row->counted, row->each, row->packed, n_cards) + row->icons;
        double key = key_of(value, ranking->weight) + TIE_CARDS * n_cards;
        if (key > best.key)
            best = (struct best){key, h, value};
    }
    return best;
}

/* The key, hand and packed worth of a row of features, declared as the hand that is worth most. */
static inline struct best best_worth(const struct rules *rules, const struct own *own, const struct ranking *ranking,
                                     const struct features *row, i64 n_cards)
{
    i64 shown = parts_shown(rules, own, row->h[0], row->h[1], row->word);
    i64 pattern = group_pattern(row->h[1], row->h[2], row->h[3], row->h[4]);
    if (own->by_hand || rules->same_cards)
        return best_special(rules, own, ranking, row, n_cards, shown | rules->group_bits[pattern]);
    i64 h = shown ? first_formed(rules, own, ranking, shown | rules->group_bits[pattern]) : ranking->first[pattern];
    i64 value = own->worth[h] + own->constant + row->each + row->icons;
    for (i64 j = 0; j < own->n_active; j++)
        value += op_gain(rules, own, own->active[j], row->counted, row->packed, n_cards);
    return (struct best){key_of(value, ranking->weight) + TIE_CARDS * n_cards, h, value};
}

static inline bool is_worth_more(const struct own *own, i64 h, i64 other, double weight)
{
    return key_of(own->worth[h], weight) > key_of(own->worth[other], weight);
}

/* Whether the hand to declare is never worth less with a card more. */
static bool more_cards_more_worth(const struct rules *rules, const struct own *own, const struct ranking *ranking)
{
    if (rules->highest_score)
        return false;
    if (!rules->no_hand_always)
        for (i64 h = 0; h < rules->n_hands; h++)
            if (own->usable[h] && (own->by_hand || is_worth_more(own, rules->otherwise, h, ranking->weight)))
                return false;
    i64 lost = 0; /* groups that a card more can take away: three of a kind hold no pair */
    for (i64 i = 0; i < 7; i++) {
        i64 gone = rules->group_bits[PATTERN[i]] & ~rules->group_bits[GROWN[i]];
        lost |= gone;
        if (gone && is_worth_more(own, ranking->first[PATTERN[i]], ranking->first[GROWN[i]], ranking->weight))
            return false;
    }
    if (lost)
        for (i64 h = 0; h < rules->n_hands; h++)
            if (own->usable[h] && own->needs[h] & lost && (own->by_hand || own->needs[h] & ~lost))
                return false;
    return true;
}

static inline bool marked(const struct rules *rules, i64 p, i64 c)
{
    return rules->suits[p] >> (c >> SUIT_SHIFT) & rules->numbers[p] >> (c & NUMBER_MASK) & 1;
}

/* The cards of the hand that power-up `p` does not count (a mask of places). */
static inline i64 unmarked(const struct rules *rules, const struct own *own, i64 p)
{
    i64 result = 0;
    if (rules->revealed[p] == 0)
        for (i64 i = 0; i < own->n_hand; i++)
            result |= (i64)!marked(rules, p, own->hand[i]) << i;
    return result;
}

/* The cards of the hand that no reveal without them is better for (a mask of places). */
static i64 harmless(const struct rules *rules, const struct own *own, const struct ranking *ranking, i64 every)
{
    if (!more_cards_more_worth(rules, own, ranking))
        return 0;
    double weight = ranking->weight;
    i64 result = 0;
    for (i64 i = 0; i < own->n_hand; i++)
        result |= (i64)(key_of(own->each[own->hand[i]] + rules->icon[own->hand[i]], weight) >= 0) << i;
    for (i64 j = 0; j < own->n_active; j++) {
        i64 p = own->op[own->active[j]];
        bool grows = true;
        for (i64 count = 0; count < SLOTS; count++)
            grows &= key_of(rules->gain[p][count + 1] - rules->gain[p][count], weight) >= 0;
        if (rules->revealed[p] || !grows)
            result &= unmarked(rules, own, p);
    }
    for (; every; every &= every - 1) {
        i64 p = own->change[lowest(every)];
        if (rules->revealed[p] || rules->high[p] < SLOTS)
            result &= unmarked(rules, own, p);
    }
    return result;
}

/* Fill the rows of the reveals that can be best, and of those that lead to them; list the former. */
noinline static void grow_reveals(const struct rules *restrict rules, const struct own *restrict own,
                                  struct work *restrict work, i64 good)
{
    i64 n_hand = own->n_hand, n_kept = 0, most = min(rules->reveal_high, n_hand);
    bool all_good = good == bit(n_hand) - 1;
    work->rows[0] = (struct features){0};
    for (i64 row = 1; row < ROWS[n_hand]; row++) {
        i64 n_cards = N_CARDS[row];
        if (n_cards > most || (all_good && n_cards + n_hand - 1 - ADDED[row] < most))
            continue; /* it never grows to as many cards as it could hold */
        add_card(rules, own, &work->rows[PARENT[row]], &work->rows[row], own->hand[ADDED[row]], n_cards - 1);
        if (n_cards == most || (n_cards >= rules->reveal_low && (good & ~SUBSET[row]) == 0))
            work->kept[n_kept++] = row;
    }
    work->n_kept = n_kept;
}

/* The best of the reveals kept, unchanged. */
noinline static struct play value_reveals(const struct rules *restrict rules, const struct own *restrict own,
                                          const struct work *restrict work)
{
    struct play play = {-1e300, 0, -1, 0, 0};
    for (i64 i = 0; i < work->n_kept; i++) {
        i64 row = work->kept[i];
        struct best best = best_worth(rules, own, &work->ranking, &work->rows[row], N_CARDS[row]);
        if (best.key > play.key)
            play = (struct play){best.key, row, best.hand, best.value, 0};
    }
    return play;
}

/* Write the cards of a row of the tree of subsets as the cards to reveal. */
static inline void write_reveal(i64 row, i64 *choice)
{
    choice[CHOICE_CARDS] = N_CARDS[row];
    for (; row; row = PARENT[row])
        choice[CHOICE_SLOTS + N_CARDS[row] - 1] = ADDED[row];
}

#endif
