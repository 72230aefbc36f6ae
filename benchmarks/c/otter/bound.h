/* What Change cards could still do for revealed cards, judged optimistically (kernel/bound.py). */

#ifndef OTTER_BOUND_H
#define OTTER_BOUND_H

#include "reach.h"

static inline bool is_conditional(const struct rules *rules, i64 p, i64 n_cards)
{
    return rules->low[p] > 0 || rules->high[p] < n_cards || rules->revealed[p] != 0;
}

/* Note in `work` what single cards, counts of Score power-ups and no hand are worth, in key. */
static void price_gains(const struct rules *rules, const struct own *own, struct work *work, double weight)
{
    double best = 0.0, worst = 0.0;
    if (own->n_each)
        for (i64 c = 0; c < rules->n_suits << SUIT_SHIFT; c++) {
            double gain = key_of(own->each[c], weight);
            best = fmax2(best, gain);
            worst = fmin2(worst, gain);
        }
    work->spread = best - worst;
    work->otherwise_key = key_of(own->worth[rules->otherwise], weight);
    for (i64 j = 0; j < own->n_active; j++) {
        i64 p = own->op[own->active[j]];
        for (i64 low = 0; low <= SLOTS; low++) {
            best = rules->gain_hands[p] != EVERY_HAND ? 0.0 : -1e300;
            for (i64 high = 0; high <= SLOTS; high++) {
                if (high >= low)
                    best = fmax2(best, key_of(rules->gain[p][high], weight));
                work->gain[j][low][high] = best;
            }
        }
    }
}

/* How much the Change cards `left` can change, with what each can touch (nibbles). */
static inline struct budget spend(const struct rules *rules, const struct own *own, const struct work *work, i64 left,
                                  i64 touched)
{
    i64 together = 0, numbers = 0, suits = 0, limited_numbers = 0, limited_suits = 0, untold = 0;
    for (; left; left &= left - 1) {
        i64 k = lowest(left), p = own->change[k], most = min(rules->times[p], touched >> (4 * k) & 7);
        together += most;
        if (rules->moves_numbers[p]) {
            numbers += most;
            if (work->limited_numbers >> k & 1)
                limited_numbers += most;
            if (!(work->told_apart >> k & 1))
                untold |= work->brings[k];
        }
        if (rules->moves_suits[p]) {
            suits += most;
            if (work->limited_suits >> k & 1)
                limited_suits += most;
        }
    }
    return (struct budget){min(together, SLOTS), min(numbers, SLOTS), min(suits, SLOTS),
                           min(limited_numbers, SLOTS), min(limited_suits, SLOTS), untold};
}

/* The numbers that `size` cards can have, all but `uses` of them without a limited Change card. */
static inline i64 grouped(const struct reach *reach, i64 size, i64 uses)
{
    return reach->c[size - 1] & (size > uses ? reach->f[size - uses - 1] : EVERY_NUMBER);
}

/* Whether so many limited uses could make groups of `first` and `second` equal numbers. */
static inline bool group_within_reach(const struct reach *reach, i64 first, i64 second, i64 uses)
{
    if (first > SLOTS)
        return false;
    for (i64 spent = 0; spent <= uses; spent++) {
        i64 a = grouped(reach, first, spent);
        if (a == 0)
            continue;
        if (second == 0)
            return true;
        i64 b = grouped(reach, second, uses - spent);
        if (b && (a != b || a & (a - 1)))
            return true;
    }
    return false;
}

/* The sets (a bit each) of the use "any number but X" and another that can bring a number. */
static inline i64 but_x_and(const struct own *own, const struct work *work, i64 number)
{
    i64 result = 0;
    for (i64 k = 0; k < own->n_changes; k++)
        if (work->brings[k] >> number & 1)
            for (i64 j = 0; j < 2; j++) {
                i64 use = work->use[k][j];
                if (use && use != work->but_x)
                    result |= bit(work->but_x | use);
            }
    return result;
}

/* Whether at most five cards could be of `size` equal numbers, no limited use being spent twice. */
static bool one_group_within_reach(const struct own *own, const struct work *work, i64 n_cards, i64 size,
                                   const struct budget *budget)
{
    const struct reach *reach = &work->reach;
    i64 uses = budget->limited_numbers;
    for (i64 numbers = grouped(reach, size, uses); numbers; numbers &= numbers - 1) {
        i64 number = lowest(numbers), but_x = -1;
        /* The use "any number but X" brings this number only while others share another X. */
        if (work->but_x && !(budget->untold >> number & 1)
            && !(grouped(reach, work->share_x, max(uses - 1, 0)) & ~bit(number)))
            but_x = but_x_and(own, work, number);
        if (fills_group(work, n_cards, number, size, but_x))
            return true;
    }
    return false;
}

/* How many limited uses `size` cards of a number take at least. */
static inline i64 short_of(const struct reach *reach, i64 size, i64 number)
{
    i64 result = 0;
    for (i64 other = 0; other < size; other++)
        result += !(reach->f[other] >> number & 1);
    return result;
}

/* Whether at most five cards could be of two groups of equal numbers, no card in both. */
static bool two_groups_within_reach(const struct reach *reach, i64 n_cards, i64 first, i64 second, i64 uses)
{
    for (i64 ones = reach->c[first - 1]; ones; ones &= ones - 1) {
        i64 one = lowest(ones), rest = uses - short_of(reach, first, one);
        for (i64 twos = rest >= 0 ? reach->c[second - 1] & ~bit(one) : 0; twos; twos &= twos - 1) {
            i64 two = lowest(twos);
            if (short_of(reach, second, two) <= rest && fills_groups(reach, n_cards, one, first, two, second, uses))
                return true;
        }
    }
    return false;
}

/* Whether so many limited uses could make a straight. */
static bool run_within_reach(const struct rules *rules, const struct features *row, const struct reach *reach,
                             i64 n_cards, i64 need, i64 gaps, i64 uses)
{
    i64 width = need + gaps, window = bit(width) - 1, free = reach->f[0] & rules->straight_numbers;
    i64 present = row->h[0] & rules->straight_numbers, reached = reach->c[0] & rules->straight_numbers;
    for (i64 rest = reached; popcount(rest) >= need; rest &= rest - 1) {
        i64 first = lowest(rest);
        if (popcount(present >> first & window) >= need)
            return true;
        i64 missing = need - popcount(free >> first & window);
        if (missing <= uses && popcount(reached >> first & window) >= need) {
            if (width > PLACES || n_cards > SLOTS)
                return true;
            i64 allowed = rules->straight_numbers >> first & window;
            if (fills_run(reach, n_cards, first, allowed, need, uses))
                return true;
        }
    }
    return false;
}

/* The feature bits that so many changed numbers and suits might show, whatever the cards can become. */
static i64 parts_near(const struct rules *rules, const struct own *own, const struct features *row, i64 n_cards,
                      i64 numbers, i64 suits, i64 wanted)
{
    i64 h1 = row->h[0], word = row->word;
    i64 shown = rules->group_near[n_cards][group_pattern(row->h[1], row->h[2], row->h[3], row->h[4])][numbers];
    for (i64 j = 0; j < own->n_parts; j++) {
        i64 need = own->part_need[j], place = own->part_bit[j], gaps = own->part_gaps[j];
        if (n_cards < need || !(wanted >> place & 1))
            continue;
        bool near = false;
        switch (own->part_kind[j]) {
        case FLUSH_PART:
            near = ((word & SUIT_NIBBLES) + (8 - need + min(suits, need)) * SUIT_ONES) & SUIT_EIGHTS;
            break;
        case STRAIGHT_PART:
            near = need <= numbers || has_run(h1 & rules->straight_numbers, need - numbers, gaps + numbers);
            break;
        case FILTER_PART:
            near = nibble(word, SUITS + place - FILTER_BIT) + numbers >= need;
            break;
        case FIBONACCI_PART:
            for (i64 i = 0; i < rules->n_fib[need][gaps] && !near; i++)
                near = popcount(rules->fib_one[need][gaps][i] & h1)
                           + popcount(rules->fib_two[need][gaps][i] & row->h[1])
                       >= need - numbers;
            break;
        case NUMBERS_PART:
            near = popcount(h1) + numbers >= need;
            break;
        default:
            near = suits_shown(word) + suits >= need;
        }
        shown |= (i64)near << place;
    }
    return shown;
}

/* A gain, in key, that no play exceeds, whatever the hand, by how many cards can change alone. */
static inline double loose_gain(const struct rules *rules, const struct own *own, const struct work *work,
                                const struct features *row, i64 n_cards, i64 together)
{
    double weight = work->ranking.weight;
    double gain = key_of(own->constant + row->icons + row->each, weight);
    gain = gain + together * work->spread + TIE_CARDS * n_cards;
    for (i64 j = 0; j < own->n_active; j++) {
        i64 k = own->active[j], p = own->op[k], low = 0, high = SLOTS;
        if (rules->revealed[p] != 0 && rules->revealed[p] != n_cards)
            continue;
        if (rules->counting[p] == COUNT_CARDS) {
            i64 count = row->counted >> (4 * k) & 7;
            low = max(count - together, 0);
            high = min(count + together, n_cards);
        }
        gain += work->gain[j][low][high];
    }
    return gain;
}

/* A key that no play exceeds, by the features of the cards and the budgets alone (or at most `floor`). */
static double loose_bound(const struct rules *rules, const struct own *own, const struct work *work,
                          const struct features *row, i64 n_cards, const struct budget *budget, double gain,
                          double floor)
{
    double best = work->otherwise_key;
    if (work->n_hopeful == 0 || fmax2(best, work->hopeful_key[0]) + gain <= floor + MARGIN)
        return best + gain;
    i64 shown = parts_near(rules, own, row, n_cards, budget->numbers, budget->suits, work->hopeful_parts);
    for (i64 j = 0; j < work->n_hopeful; j++)
        if ((own->needs[work->hopeful[j]] & ~shown) == 0) {
            best = fmax2(best, work->hopeful_key[j]);
            break;
        }
    return best + gain;
}

/* Whether hand `h` might be formed by what `work->reach` and the budget allow (never wrongly no). */
static bool within_reach(const struct rules *rules, const struct own *own, const struct work *work, i64 h,
                         const struct features *row, i64 n_cards, const struct budget *budget)
{
    const struct reach *reach = &work->reach;
    i64 cards = rules->hand_cards[h], numbers = budget->numbers, suits = budget->suits, uses = budget->limited_numbers;
    if (rules->hand_group[h]) {
        i64 group = lowest(rules->hand_group[h]);
        i64 first = rules->group_first[group], second = rules->group_second[group];
        if (!group_within_reach(reach, first, second, uses))
            return false;
        if (numbers > 0 && n_cards <= SLOTS)
            if (!(second ? two_groups_within_reach(reach, n_cards, first, second, uses)
                         : one_group_within_reach(own, work, n_cards, first, budget)))
                return false;
    }
    if (rules->hand_flush[h]) {
        i64 need = flush_need(own, cards);
        i64 present = (reach->free_suits & SUIT_NIBBLES) + (8 - need + min(budget->limited_suits, need)) * SUIT_ONES;
        i64 possible = (reach->can & SUIT_NIBBLES) + (8 - need) * SUIT_ONES;
        if (!(present & possible & SUIT_EIGHTS))
            return false;
    }
    if (rules->hand_run[h] == STRAIGHT) {
        i64 need = run_need(own, cards), gaps = run_gaps(rules, own, cards);
        if (n_cards < need || !has_run(reach->c[0] & rules->straight_numbers, need, gaps))
            return false;
        if (!run_within_reach(rules, row, reach, n_cards, need, gaps, uses))
            return false;
    }
    if (rules->hand_run[h] == FIBONACCI) {
        i64 need = run_need(own, cards), gaps = run_gaps(rules, own, cards);
        bool found = false;
        for (i64 i = 0; i < rules->n_fib[need][gaps] && !found; i++) {
            i64 one = rules->fib_one[need][gaps][i], two = rules->fib_two[need][gaps][i];
            found = (one & ~reach->c[0]) == 0 && (two & ~reach->c[1]) == 0
                    && popcount(one & row->h[0]) + popcount(two & row->h[1]) >= need - numbers;
        }
        if (n_cards < need || !found)
            return false;
    }
    if (rules->hand_filter[h]) {
        i64 filter = rules->hand_filter[h];
        if (nibble(reach->can, filter) < cards || nibble(row->word, filter) + numbers < cards)
            return false;
    }
    if (rules->hand_different[h] == COUNT_NUMBERS && (n_cards < cards || popcount(row->h[0]) + numbers < cards))
        return false;
    if (rules->hand_different[h] == COUNT_SUITS)
        if (suits_shown(row->word) + suits < cards || suits_shown(reach->can) < cards)
            return false;
    return true;
}

/* A key that no play from here exceeds, or at most `floor` when none can beat that. */
static double bound(const struct rules *restrict rules, const struct own *restrict own,
                    const struct work *restrict work, const struct features *row, i64 n_cards,
                    const struct budget *budget, double floor)
{
    const struct reach *reach = &work->reach;
    double weight = work->ranking.weight;
    double gain = key_of(own->constant + row->icons, weight) + TIE_CARDS * n_cards;
    gain += fmin2(reach->best, key_of(row->each, weight) + budget->together * reach->spread);
    for (i64 j = 0; j < own->n_active; j++) {
        i64 k = own->active[j], p = own->op[k], low = 0, high = SLOTS;
        if (rules->revealed[p] != 0 && rules->revealed[p] != n_cards)
            continue;
        if (rules->counting[p] == COUNT_CARDS) {
            i64 count = row->counted >> (4 * k) & 7;
            high = min(reach->high >> (4 * k) & 7, count + budget->together);
            low = max(reach->low >> (4 * k) & 7, count - budget->together);
        }
        gain += work->gain[j][low][high];
    }
    double best = work->otherwise_key;
    for (i64 j = 0; j < work->n_hopeful; j++) {
        if (fmax2(best, work->hopeful_key[j]) + gain <= floor + MARGIN)
            return floor;
        if (within_reach(rules, own, work, work->hopeful[j], row, n_cards, budget)) {
            best = fmax2(best, work->hopeful_key[j]);
            break;
        }
    }
    return best + gain;
}

/* How many changed cards can alter what the condition of Change card `p` counts. */
static inline i64 changes_of_count(const struct rules *rules, i64 p, const struct budget *budget)
{
    if (rules->numbers[p] == EVERY_NUMBER)
        return budget->suits;
    if (rules->suits[p] == bit(rules->n_suits) - 1)
        return budget->numbers;
    return budget->together;
}

/* Whether the condition of Change card `k` could ever hold, by these budgets and this reach. */
static bool could_hold(const struct rules *rules, const struct own *own, const struct work *work, i64 k, i64 revealed,
                       const struct features *row, i64 n_cards, const struct budget *budget)
{
    const struct reach *reach = &work->reach;
    i64 p = own->change[k];
    if (rules->revealed[p] != 0 && rules->revealed[p] != n_cards)
        return false;
    if (rules->as_revealed)
        return may_use(rules, p, work->round_number, revealed, n_cards);
    if (rules->counting[p] == COUNT_SAME)
        return group_within_reach(reach, max(rules->low[p], 1), 0, budget->limited_numbers);
    if (rules->counting[p] != COUNT_CARDS)
        return true;
    if ((reach->may_mark >> (4 * k) & 7) < rules->low[p] || (reach->must_mark >> (4 * k) & 7) > rules->high[p])
        return false;
    i64 most = changes_of_count(rules, p, budget), count = count_of(rules, p, row->packed, n_cards);
    return count + most >= rules->low[p] && count - most <= rules->high[p];
}

/* What Change cards are left whose condition could hold, how many cards each can touch (nibbles), and how much they can
 * change. */
struct outlook {
    i64 live, touched;
    struct budget budget;
};

/* Find them among the Change cards `left`. */
static struct outlook outlook(const struct rules *rules, const struct own *own, struct work *work, i64 revealed,
                              const struct features *row, i64 n_cards, i64 left)
{
    i64 live = left & work->unconditional, waiting = left & ~work->unconditional;
    for (;;) {
        fill_reach(rules, own, work, row->packed, n_cards, live);
        struct budget budget = spend(rules, own, work, live, work->reach.touched);
        i64 more = 0;
        for (i64 rest = waiting; rest; rest &= rest - 1)
            if (could_hold(rules, own, work, lowest(rest), revealed, row, n_cards, &budget))
                more |= rest & -rest;
        if (more == 0)
            return (struct outlook){live, work->reach.touched, budget};
        live |= more;
        waiting &= ~more;
    }
}

/* A key that no play of a set of cards with the Change cards `left` exceeds (or at most `floor`), by what these can
 * change at most and what all could gain beside the hand. Where it exceeds `floor`, `seen` gets the outlook. */
static double hope_beside(const struct rules *rules, const struct own *own, struct work *work, i64 revealed,
                          const struct features *row, i64 n_cards, i64 left, const struct budget *budget, double gain,
                          double floor, struct outlook *seen)
{
    if (budget->together == 0
        || loose_bound(rules, own, work, row, n_cards, budget, gain, floor) <= floor + MARGIN)
        return floor;
    *seen = outlook(rules, own, work, revealed, row, n_cards, left);
    if (seen->budget.together == 0)
        return floor;
    return bound(rules, own, work, row, n_cards, &seen->budget, floor);
}

/* Do it by how many cards each Change card can touch at most (nibbles). */
static inline double hope(const struct rules *rules, const struct own *own, struct work *work, i64 revealed,
                          const struct features *row, i64 n_cards, i64 left, i64 touched, double floor,
                          struct outlook *seen)
{
    struct budget budget = spend(rules, own, work, left, touched);
    double gain = loose_gain(rules, own, work, row, n_cards, budget.together);
    return hope_beside(rules, own, work, revealed, row, n_cards, left, &budget, gain, floor, seen);
}

/* The slots (mask) where a use of Change card `k` on one card can lead to more than `floor`. */
static i64 slots_worth_changing(const struct rules *rules, const struct own *own, struct work *work, i64 k, i64 left,
                                const struct features *row, i64 n_cards, double floor)
{
    i64 result = 0;
    const struct entry *entries[SLOTS];
    for (i64 slot = 0; slot < n_cards; slot++)
        entries[slot] = remember(rules, own, work, left, code_at(row->packed, slot));
    for (i64 chosen = 0; chosen < n_cards; chosen++) {
        const struct entry *without = entries[chosen];
        i64 c = code_at(row->packed, chosen);
        if (!may_change(rules, own->change[k], c))
            continue;
        entries[chosen] = remember(rules, own, work, left | bit(k), c);
        sum_reach(work, entries, n_cards);
        struct budget budget = spend(rules, own, work, left | bit(k), work->reach.touched);
        if (bound(rules, own, work, row, n_cards, &budget, floor) > floor + MARGIN)
            result |= bit(chosen);
        entries[chosen] = without;
    }
    return result;
}

/* A word of nibbles with none above the most cards of a reveal. */
static i64 at_most_five(i64 word)
{
    i64 result = 0;
    for (i64 shift = 0; shift < 60; shift += 4)
        result |= min(word >> shift & 15, SLOTS) << shift;
    return result;
}

/* Whether the condition of Change card `k` could hold for any reveal, by what `survey` knows so far. */
static bool could_hold_somewhere(const struct rules *rules, const struct own *own, const struct work *work, i64 k,
                                 const struct budget *budget)
{
    i64 p = own->change[k], count = 0;
    if (rules->revealed[p] > min(rules->reveal_high, own->n_hand))
        return false;
    if (rules->counting[p] == COUNT_SAME)
        return group_within_reach(&work->reach, max(rules->low[p], 1), 0, budget->limited_numbers);
    if (rules->counting[p] != COUNT_CARDS)
        return true;
    for (i64 i = 0; i < own->n_hand; i++)
        count += marked(rules, p, own->hand[i]);
    return nibble(work->reach.may_mark, k) >= rules->low[p]
           && count + changes_of_count(rules, p, budget) >= rules->low[p];
}

/* Look at the whole hand: which Change cards and which hands can matter for any reveal that beats `floor`. */
noinline static void survey(const struct rules *restrict rules, const struct own *restrict own,
                            struct work *restrict work, double floor)
{
    struct features *whole = &work->whole;
    struct reach *reach = &work->reach;
    *whole = (struct features){0};
    for (i64 i = 0; i < own->n_hand; i++)
        add_card(rules, own, whole, whole, own->hand[i], own->n_hand <= SLOTS ? i : 0);
    whole->word = at_most_five(whole->word);
    work->unconditional &= work->every;
    i64 live = work->unconditional, waiting = work->every & ~work->unconditional;
    struct budget budget;
    for (;;) {
        reach_nothing(reach);
        for (i64 i = 0; i < own->n_hand; i++) {
            const struct entry *card = remember(rules, own, work, live, own->hand[i]);
            if (own->n_hand <= SLOTS)
                add_slot(reach, i, card);
            else
                add_reach(reach, card);
        }
        reach->can = at_most_five(reach->can);
        reach->touched = at_most_five(reach->touched);
        reach->free_suits = at_most_five(reach->free_suits);
        budget = spend(rules, own, work, live, reach->touched);
        i64 more = 0;
        for (i64 rest = waiting; rest; rest &= rest - 1)
            if (could_hold_somewhere(rules, own, work, lowest(rest), &budget))
                more |= rest & -rest;
        if (more == 0)
            break;
        live |= more;
        waiting &= ~more;
    }
    work->every = live;
    work->n_hopeful = 0;
    if (budget.together == 0) {
        work->every = 0;
        return;
    }
    i64 touches[HAND];
    for (i64 i = 0; i < own->n_hand; i++)
        touches[i] = remember(rules, own, work, live, own->hand[i])->touched;
    work->touched[0] = 0;
    for (i64 row = 1; row < ROWS[own->n_hand]; row++)
        work->touched[row] = work->touched[PARENT[row]] + touches[ADDED[row]];
    double gain = -1e300, weight = work->ranking.weight;
    for (i64 i = 0; i < work->n_kept; i++) {
        i64 row = work->kept[i], most = spend(rules, own, work, live, work->touched[row]).together;
        work->bound[i] = loose_gain(rules, own, work, &work->rows[row], N_CARDS[row], most);
        gain = fmax2(gain, work->bound[i]);
    }
    work->hopeful_parts = 0;
    for (i64 j = 0; j < work->ranking.n_order; j++) {
        i64 h = work->ranking.order[j];
        double key = key_of(own->worth[h], weight);
        if (key + gain > floor + MARGIN && within_reach(rules, own, work, h, whole, own->n_hand, &budget)) {
            i64 at = work->n_hopeful++;
            for (; at > 0 && work->hopeful_key[at - 1] < key; at--) { /* the ranking may be by score alone (O2) */
                work->hopeful[at] = work->hopeful[at - 1];
                work->hopeful_key[at] = work->hopeful_key[at - 1];
            }
            work->hopeful[at] = h;
            work->hopeful_key[at] = key;
            work->hopeful_parts |= own->needs[h];
        }
    }
}

#endif
