/* Sushi Otter: the twin of sushibalance/games/otter/kernel and of the policy `random`.
 *
 * The structs, the constants and the tables of reveals come from the kernel (see twins.py). */

#include <stdbool.h>
#include <string.h>

#include "otter.h"
#include "random.h"

#define NEVER (-(INT64_C(1) << 60))

typedef void decide(const struct rules *, const struct table *, const struct own *, int64_t seat, const double *params,
                    uint64_t *rng, int64_t *choice);

static inline int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t popcount(int64_t mask) { return __builtin_popcountll(mask); }
static inline int64_t lowest(int64_t mask) { return __builtin_ctzll(mask); }
static inline int64_t next_seat(int64_t seat, int64_t players) { return seat + 1 < players ? seat + 1 : 0; }

/* ---- Policies (policies.py) ---- */

void random_reveal(const struct rules *rules, const struct table *table, const struct own *own, int64_t seat,
                   const double *params, uint64_t *rng, int64_t *choice)
{
    int64_t row;
    do
        row = 1 + below(rng, ROWS[own->n_hand] - 1);
    while (N_CARDS[row] < rules->reveal_low || N_CARDS[row] > rules->reveal_high);
    choice[CHOICE_CARDS] = N_CARDS[row];
    for (; row; row = PARENT[row])
        choice[CHOICE_SLOTS + N_CARDS[row] - 1] = ADDED[row];
}

void random_draft(const struct rules *rules, const struct table *table, const struct own *own, int64_t seat,
                  const double *params, uint64_t *rng, int64_t *choice)
{
    int64_t nth = below(rng, table->n_offers - table->n_picked), slot = 0;
    while (table->offer[slot] < 0 || nth-- > 0)
        slot++;
    choice[CHOICE_PICK] = slot;
}

void random_client(const struct rules *rules, const struct table *table, const struct own *own, int64_t seat,
                   const double *params, uint64_t *rng, int64_t *choice)
{
    int64_t left = 0, client = 0;
    for (int64_t i = 0; i < rules->n_clients; i++)
        left += table->client_taken[i] == 0;
    int64_t nth = below(rng, left);
    while (table->client_taken[client] || nth-- > 0)
        client++;
    choice[CHOICE_PICK] = client;
}

void random_start(const struct rules *rules, const struct table *table, const struct own *own, int64_t seat,
                  const double *params, uint64_t *rng, int64_t *choice)
{
    choice[CHOICE_PICK] = below(rng, own->n_dealt);
}

/* ---- What a seat's power-ups and Key Client cards let it do (kernel/learn.py) ---- */

static inline int64_t run_need(const struct own *own, int64_t cards) { return min(cards, own->run_cards); }
static inline int64_t flush_need(const struct own *own, int64_t cards) { return min(cards, own->flush_cards); }

static inline int64_t run_gaps(const struct rules *rules, const struct own *own, int64_t cards)
{
    return own->run_cards < cards && !rules->gap_in_lowered_run ? 0 : own->run_gaps;
}

static int64_t needs_of(const struct rules *rules, int64_t h)
{
    int64_t cards = rules->hand_cards[h], needs = rules->hand_group[h];
    if (rules->hand_flush[h])
        needs |= INT64_C(1) << (FLUSH_BIT + cards);
    if (rules->hand_run[h] == STRAIGHT)
        needs |= INT64_C(1) << (STRAIGHT_BIT + cards);
    if (rules->hand_run[h] == FIBONACCI)
        needs |= INT64_C(1) << (FIBONACCI_BIT + cards);
    if (rules->hand_different[h] == COUNT_NUMBERS)
        needs |= INT64_C(1) << (NUMBERS_BIT + cards);
    if (rules->hand_different[h] == COUNT_SUITS)
        needs |= INT64_C(1) << (SUITS_BIT + cards);
    if (rules->hand_filter[h])
        needs |= INT64_C(1) << (FILTER_BIT + rules->hand_filter[h] - SUITS);
    return needs;
}

static void teach(struct own *own, int64_t h)
{
    own->usable[h] = 1;
    own->parts |= own->needs[h];
}

static void add_part(struct own *own, int64_t bit, int64_t kind, int64_t need, int64_t gaps)
{
    int64_t at = own->n_parts++;
    own->part_bit[at] = bit;
    own->part_kind[at] = kind;
    own->part_need[at] = need;
    own->part_gaps[at] = gaps;
}

static void list_parts(const struct rules *restrict rules, struct own *restrict own)
{
    own->n_parts = 0;
    for (int64_t cards = 1; cards <= SLOTS; cards++) {
        int64_t gaps = run_gaps(rules, own, cards);
        if (own->parts >> (FLUSH_BIT + cards) & 1)
            add_part(own, FLUSH_BIT + cards, FLUSH_PART, flush_need(own, cards), 0);
        if (own->parts >> (STRAIGHT_BIT + cards) & 1)
            add_part(own, STRAIGHT_BIT + cards, STRAIGHT_PART, run_need(own, cards), gaps);
        if (own->parts >> (FIBONACCI_BIT + cards) & 1)
            add_part(own, FIBONACCI_BIT + cards, FIBONACCI_PART, run_need(own, cards), gaps);
        if (own->parts >> (NUMBERS_BIT + cards) & 1)
            add_part(own, NUMBERS_BIT + cards, NUMBERS_PART, cards, 0);
        if (own->parts >> (SUITS_BIT + cards) & 1)
            add_part(own, SUITS_BIT + cards, SUITS_PART, cards, 0);
    }
    for (int64_t k = 0; k < rules->n_filters; k++)
        if (own->parts >> (FILTER_BIT + k) & 1)
            add_part(own, FILTER_BIT + k, FILTER_PART, 8 - (rules->filter_need >> (4 * (SUITS + k)) & 15), 0);
}

/* List the Score power-ups that can apply in this round; add up those that always do. */
static void start_round(const struct rules *restrict rules, struct own *restrict own, int64_t round_number)
{
    own->n_active = own->constant = own->by_hand = 0;
    for (int64_t k = 0; k < own->n_ops; k++) {
        int64_t p = own->op[k];
        if ((rules->rounds[p] >> round_number & 1) == 0)
            continue;
        bool same = rules->counting[p] == COUNT_CARDS && !rules->revealed[p] && rules->gain_hands[p] == EVERY_HAND;
        for (int64_t count = 0; count <= SLOTS; count++)
            same = same && rules->gain[p][count] == rules->gain[p][0];
        if (same) {
            own->constant += rules->gain[p][0];
            continue;
        }
        own->active[own->n_active++] = k;
        if (rules->gain_hands[p] != EVERY_HAND)
            own->by_hand = 1;
    }
}

/* Set a seat to the start of a game: no cards, no power-ups, the basic hands only. */
static void forget(const struct rules *restrict rules, struct own *restrict own)
{
    own->n_hand = own->n_dealt = own->n_changes = own->n_ops = own->n_each = 0;
    own->flush_cards = own->run_cards = SLOTS;
    own->run_gaps = own->parts = 0;
    for (int64_t h = 0; h < rules->n_hands; h++) {
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

/* Whether a Score power-up pays each marked card alike, whatever else is revealed. */
static bool pays_each(const struct rules *rules, int64_t p)
{
    if (rules->counting[p] != COUNT_CARDS || rules->revealed[p])
        return false;
    if (rules->gain_hands[p] != EVERY_HAND || rules->rounds[p] != EVERY_ROUND)
        return false;
    for (int64_t count = 0; count <= SLOTS; count++)
        if (rules->gain[p][count] != count * rules->gain[p][1])
            return false;
    return true;
}

static void learn_power_up(const struct rules *restrict rules, struct own *restrict own, int64_t p)
{
    int64_t kind = rules->kind[p];
    if (kind == CHANGE)
        own->change[own->n_changes++] = p;
    else if (kind == PASSIVE) {
        own->flush_cards = min(own->flush_cards, rules->flush_cards[p]);
        own->run_cards = min(own->run_cards, rules->run_cards[p]);
        own->run_gaps = min(own->run_gaps + rules->run_gaps[p], GAPS - 1);
        list_parts(rules, own);
    } else if (kind == SCORE) {
        bool each = pays_each(rules, p);
        int64_t *of_card = each ? own->each : own->counted;
        int64_t more = each ? rules->gain[p][1] : INT64_C(1) << (4 * own->n_ops);
        for (int64_t suit = 0; suit < rules->n_suits; suit++)
            if (rules->suits[p] >> suit & 1)
                for (int64_t bit = 0; bit < NUMBER_BITS; bit++)
                    of_card[suit << SUIT_SHIFT | bit] += rules->numbers[p] >> bit & 1 ? more : 0;
        if (each)
            own->n_each++;
        else
            own->op[own->n_ops++] = p;
    }
}

static void learn_client(const struct rules *restrict rules, struct own *restrict own, int64_t client)
{
    for (int64_t h = 0; h < rules->n_hands; h++)
        if (rules->client_hands[client] >> h & 1) {
            if (rules->client_new[client])
                teach(own, h);
            else
                own->worth[h] = rules->hand_upgraded[h];
        }
    list_parts(rules, own);
}

/* ---- The worth of revealed cards (kernel/worth.py) ---- */

static inline int64_t score_of(int64_t value) { return (int32_t)value; }
static inline int64_t vp_of(int64_t value) { return (value - score_of(value)) >> 32; }
static inline int64_t code_at(int64_t cards, int64_t slot) { return cards >> (CODE_BITS * slot) & CODE_MASK; }

/* What a set of cards shows: numbers standing on at least 1 .. 5 cards (masks), and sums over the cards. */
struct features {
    int64_t h[SLOTS], word, counted, each;
};

static inline void add_card(const struct rules *rules, struct features *shown, int64_t c)
{
    int64_t bit = INT64_C(1) << (c & NUMBER_MASK);
    for (int64_t k = SLOTS - 1; k > 0; k--)
        shown->h[k] |= shown->h[k - 1] & bit;
    shown->h[0] |= bit;
    shown->word += rules->word[c];
}

static struct features features_of(const struct rules *rules, const struct own *own, int64_t cards, int64_t n_cards)
{
    struct features shown = {0};
    for (int64_t slot = 0; slot < n_cards; slot++) {
        int64_t c = code_at(cards, slot);
        add_card(rules, &shown, c);
        shown.counted += own->counted[c];
        shown.each += own->each[c];
    }
    return shown;
}

static bool has_run(int64_t numbers, int64_t need, int64_t gaps)
{
    int64_t window = (INT64_C(1) << (need + gaps)) - 1, rest = numbers;
    for (int64_t left = popcount(numbers); left >= need; left--) {
        if (popcount(numbers >> lowest(rest) & window) >= need)
            return true;
        rest &= rest - 1;
    }
    return false;
}

static bool has_fibonacci(const struct rules *rules, int64_t h1, int64_t h2, int64_t need, int64_t gaps)
{
    for (int64_t row = 0; row < rules->n_fib[need][gaps]; row++) {
        int64_t one = rules->fib_one[need][gaps][row], two = rules->fib_two[need][gaps][row];
        if ((one & h1) == one && (two & h2) == two)
            return true;
    }
    return false;
}

static inline bool has_flush(int64_t suits, int64_t need)
{
    return ((suits + (8 - need) * SUIT_ONES) & SUIT_EIGHTS) != 0;
}

static inline int64_t different_suits(int64_t suits)
{
    return popcount((suits + 7 * SUIT_ONES) & SUIT_EIGHTS);
}

static int64_t parts_shown(const struct rules *rules, const struct own *own, const struct features *f)
{
    int64_t shown = 0, suits = f->word & SUIT_NIBBLES;
    for (int64_t j = 0; j < own->n_parts; j++) {
        int64_t need = own->part_need[j], bit = own->part_bit[j];
        bool holds;
        switch (own->part_kind[j]) {
        case FLUSH_PART:
            holds = has_flush(suits, need);
            break;
        case STRAIGHT_PART:
            holds = has_run(f->h[0] & rules->straight_numbers, need, own->part_gaps[j]);
            break;
        case FILTER_PART:
            holds = (f->word >> (4 * (SUITS + bit - FILTER_BIT)) & 15) >= need;
            break;
        case FIBONACCI_PART:
            holds = has_fibonacci(rules, f->h[0], f->h[1], need, own->part_gaps[j]);
            break;
        case NUMBERS_PART:
            holds = popcount(f->h[0]) >= need;
            break;
        default:
            holds = different_suits(suits) >= need;
        }
        shown |= (int64_t)holds << bit;
    }
    return shown;
}

/* Whether the parts of a hand hold on one subset of the cards, as large as the largest need (reading O4). */
static bool forms_on_same_cards(const struct rules *rules, const struct own *own, int64_t h, int64_t cards,
                                int64_t n_cards)
{
    int64_t size = rules->hand_cards[h], flush = flush_need(own, size), run = run_need(own, size);
    int64_t kind = rules->hand_run[h], gaps = run_gaps(rules, own, size);
    int64_t largest = rules->hand_filter[h] || rules->hand_different[h] ? size : 0;
    if (rules->hand_flush[h])
        largest = max(largest, flush);
    if (kind)
        largest = max(largest, run);
    if (largest == 0)
        return true;
    for (int64_t chosen = 1; chosen < 1 << n_cards; chosen++) {
        if (popcount(chosen) != largest)
            continue;
        struct features f = {0};
        for (int64_t slot = 0; slot < n_cards; slot++)
            if (chosen >> slot & 1)
                add_card(rules, &f, code_at(cards, slot));
        int64_t suits = f.word & SUIT_NIBBLES;
        if ((!rules->hand_flush[h] || has_flush(suits, flush)) &&
            (kind != STRAIGHT || has_run(f.h[0] & rules->straight_numbers, run, gaps)) &&
            (kind != FIBONACCI || has_fibonacci(rules, f.h[0], f.h[1], run, gaps)) &&
            (!rules->hand_filter[h] || ((f.word + rules->filter_need) >> (4 * rules->hand_filter[h] + 3) & 1)) &&
            (rules->hand_different[h] != COUNT_NUMBERS || popcount(f.h[0]) >= size) &&
            (rules->hand_different[h] != COUNT_SUITS || different_suits(suits) >= size))
            return true;
    }
    return false;
}

/* The count that a power-up's condition looks at. */
static int64_t count_of(const struct rules *rules, int64_t p, int64_t cards, int64_t n_cards)
{
    int64_t h1 = 0, h2 = 0, h3 = 0, h4 = 0, h5 = 0, suits = 0, count = 0;
    for (int64_t slot = 0; slot < n_cards; slot++) {
        int64_t c = code_at(cards, slot), suit = c >> SUIT_SHIFT, bit = INT64_C(1) << (c & NUMBER_MASK);
        if (rules->suits[p] >> suit & 1 && rules->numbers[p] & bit) {
            count++;
            suits |= INT64_C(1) << suit;
            h5 |= h4 & bit;
            h4 |= h3 & bit;
            h3 |= h2 & bit;
            h2 |= h1 & bit;
            h1 |= bit;
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
        return h5 ? 5 : h4 ? 4 : h3 ? 3 : h2 ? 2 : h1 ? 1 : 0;
    }
}

static int64_t op_gain(const struct rules *rules, const struct own *own, int64_t k, int64_t counted, int64_t cards,
                       int64_t n_cards)
{
    int64_t p = own->op[k];
    if (rules->revealed[p] && rules->revealed[p] != n_cards)
        return 0;
    if (rules->counting[p] == COUNT_CARDS)
        return rules->gain[p][counted >> (4 * k) & 7];
    return rules->gain[p][count_of(rules, p, cards, n_cards)];
}

/* A key that is higher for the hand worth more score, then more VP. */
static inline int64_t rank_of(int64_t worth) { return (score_of(worth) << 20) + vp_of(worth); }

/* The mask of hands that a seat may declare with a set of cards. */
static int64_t hands_formed(const struct rules *rules, const struct own *own, const struct features *f, int64_t cards,
                            int64_t n_cards)
{
    int64_t pattern = popcount(f->h[1]) + 2 * (popcount(f->h[2]) + popcount(f->h[3]) + popcount(f->h[4]));
    int64_t shown = parts_shown(rules, own, f) | rules->group_bits[pattern], formed = 0;
    for (int64_t h = 0; h < rules->n_hands; h++)
        if (own->usable[h] && h != rules->otherwise && (own->needs[h] & shown) == own->needs[h] &&
            (!rules->same_cards || forms_on_same_cards(rules, own, h, cards, n_cards)))
            formed |= INT64_C(1) << h;
    if (formed == 0 || rules->no_hand_always)
        formed |= INT64_C(1) << rules->otherwise;
    if (rules->highest_score) {
        int64_t best = NEVER;
        for (int64_t h = 0; h < rules->n_hands; h++)
            if (formed >> h & 1)
                best = max(best, rank_of(own->worth[h]));
        for (int64_t h = 0; h < rules->n_hands; h++)
            if (formed >> h & 1 && rank_of(own->worth[h]) != best)
                formed &= ~(INT64_C(1) << h);
    }
    return formed;
}

static int64_t best_formed(const struct rules *rules, const struct own *own, int64_t formed)
{
    int64_t best = NEVER, hand = -1;
    for (int64_t h = 0; h < rules->n_hands; h++)
        if (formed >> h & 1 && rank_of(own->worth[h]) > best) {
            best = rank_of(own->worth[h]);
            hand = h;
        }
    return hand;
}

static int64_t worth_of(const struct rules *rules, const struct own *own, int64_t h, const struct features *f,
                        int64_t cards, int64_t n_cards)
{
    int64_t value = own->worth[h] + own->constant + f->each;
    for (int64_t j = 0; j < own->n_active; j++) {
        int64_t k = own->active[j];
        if (rules->gain_hands[own->op[k]] >> h & 1)
            value += op_gain(rules, own, k, f->counted, cards, n_cards);
    }
    return value;
}

/* ---- One use of a Change card (kernel/changes.py) ---- */

static bool may_use(const struct rules *rules, int64_t p, int64_t round_number, int64_t cards, int64_t n_cards)
{
    if ((rules->rounds[p] >> round_number & 1) == 0 || (rules->revealed[p] && rules->revealed[p] != n_cards))
        return false;
    if (rules->low[p] == 0 && rules->high[p] >= n_cards)
        return true;
    int64_t count = count_of(rules, p, cards, n_cards);
    return rules->low[p] <= count && count <= rules->high[p];
}

/* The numbers that can be X: those whose marked cards are as many as the condition says. */
static int64_t x_numbers(const struct rules *rules, int64_t p, int64_t cards, int64_t n_cards)
{
    int64_t result = 0;
    for (int64_t slot = 0; slot < n_cards; slot++) {
        int64_t number = code_at(cards, slot) & NUMBER_MASK, count = 0;
        for (int64_t other = 0; other < n_cards; other++) {
            int64_t c = code_at(cards, other);
            if ((c & NUMBER_MASK) == number && rules->suits[p] >> (c >> SUIT_SHIFT) & 1)
                count += rules->numbers[p] >> number & 1;
        }
        if (max(rules->low[p], 1) <= count && count <= rules->high[p])
            result |= INT64_C(1) << number;
    }
    return result;
}

static int64_t new_numbers(const struct rules *rules, int64_t p, int64_t k, int64_t number, int64_t x)
{
    if (rules->to_numbers[p][k])
        return rules->to_numbers[p][k] & (rules->not_x[p][k] ? ~x : -1);
    if (rules->to_add[p][k]) {
        int64_t moved = number + rules->to_add[p][k];
        return 0 <= moved && moved < NUMBER_BITS ? INT64_C(1) << moved & rules->numbers_by_add : 0;
    }
    return INT64_C(1) << number;
}

static bool follows(const struct rules *rules, int64_t p, int64_t x, int64_t before, int64_t after, int64_t n_cards)
{
    int64_t changed = 0;
    for (int64_t slot = 0; slot < n_cards; slot++) {
        int64_t c = code_at(before, slot), result = code_at(after, slot);
        if (c == result)
            continue;
        changed++;
        bool found = false;
        for (int64_t k = 0; k < rules->n_conversions[p]; k++)
            if (rules->from_suits[p][k] >> (c >> SUIT_SHIFT) & rules->from_numbers[p][k] >> (c & NUMBER_MASK) & 1) {
                int64_t suits = rules->to_suits[p][k] ? rules->to_suits[p][k] : INT64_C(1) << (c >> SUIT_SHIFT);
                int64_t numbers = new_numbers(rules, p, k, c & NUMBER_MASK, x);
                found |= suits >> (result >> SUIT_SHIFT) & numbers >> (result & NUMBER_MASK) & 1;
            }
        if (!found)
            return false;
    }
    return 1 <= changed && changed <= rules->times[p];
}

static bool legal_use(const struct rules *rules, int64_t p, int64_t round_number, int64_t revealed, int64_t before,
                      int64_t after, int64_t n_cards)
{
    int64_t looked = rules->as_revealed ? revealed : before;
    if (!may_use(rules, p, round_number, looked, n_cards))
        return false;
    int64_t xs = rules->counting[p] == COUNT_SAME ? x_numbers(rules, p, looked, n_cards) : 0;
    do {
        if (follows(rules, p, xs & -xs, before, after, n_cards))
            return true;
        xs &= xs - 1;
    } while (xs);
    return false;
}

/* ---- The game (kernel/game.py) ---- */

/* What a game works on; most of its steps need most of it. */
struct play {
    const struct rules *rules;
    decide *const *functions;
    const double *params;
    int64_t widest, *status;
    uint64_t seed, game;
    struct table table;
    struct own own[SEATS];
    struct hidden hidden;
    int64_t choice[CHOICE];
};

static bool refuse(struct play *play, int64_t code, int64_t seat)
{
    play->status[0] = code;
    play->status[1] = play->game;
    play->status[2] = seat;
    play->status[3] = play->table.round_number;
    return false;
}

/* Let a seat's policy make one decision, from a stream of its own. */
static void ask(struct play *play, int64_t decision, int64_t seat)
{
    struct table *table = &play->table;
    uint64_t rng;
    start(&rng, play->seed, play->game, DECIDE,
          ((table->round_number * 4 + decision) * SEATS + seat) * (ROUNDS + 1) + table->n_picked);
    memset(play->choice, 0, sizeof play->choice);
    play->functions[decision * SEATS + seat](play->rules, table, &play->own[seat], seat,
                                             play->params + seat * play->widest, &rng, play->choice);
}

/* Shuffle the power-up deck: order it by a random key of each card's number. */
static void mix_deck(const struct rules *restrict rules, struct hidden *restrict hidden, uint64_t seed, uint64_t game,
                     int64_t time)
{
    uint64_t keys[POWER_UPS];
    for (int64_t i = 0; i < hidden->n_deck; i++) {
        int64_t p = hidden->deck[i], at = i;
        uint64_t rng;
        start(&rng, seed, game, POWER_UP_DECK, time * 1000 + rules->number[p]);
        uint64_t key = next_word(&rng);
        for (; at > 0 && keys[at - 1] > key; at--) {
            keys[at] = keys[at - 1];
            hidden->deck[at] = hidden->deck[at - 1];
        }
        keys[at] = key;
        hidden->deck[at] = p;
    }
}

static void set_up(struct play *play, int64_t players)
{
    const struct rules *rules = play->rules;
    struct table *table = &play->table;
    struct hidden *hidden = &play->hidden;
    uint64_t rng;
    table->n_players = players;
    table->round_number = table->n_offers = table->n_picked = 0;
    start(&rng, play->seed, play->game, FIRST_BUTTON, 0);
    table->button = table->first_button = below(&rng, players);
    for (int64_t seat = 0; seat < players; seat++) {
        forget(rules, &play->own[seat]);
        table->vp[seat] = 0;
        table->n_hand[seat] = 0;
        table->hand_limit[seat] = rules->hand_limit;
        table->n_held[seat] = 0;
        table->n_revealed[seat] = 0;
        table->score[seat] = 0;
        table->rank[seat] = 0;
    }
    memset(table->client_taken, 0, sizeof table->client_taken);
    memset(hidden->holder, 0, sizeof hidden->holder);
    for (int64_t p = 0; p < rules->n_power_ups; p++)
        hidden->deck[p] = p;
    hidden->n_deck = rules->n_power_ups;
    mix_deck(rules, hidden, play->seed, play->game, 0);
}

/* Give a power-up to a seat, with a Key Client card if it brings one; return false after an illegal choice. */
static bool acquire(struct play *play, int64_t seat, int64_t p, struct picks_row *row)
{
    const struct rules *rules = play->rules;
    struct table *table = &play->table;
    int64_t client = -1;
    if (rules->kind[p] == KEY_CLIENT) {
        int64_t left = 0;
        for (int64_t i = 0; i < rules->n_clients; i++)
            left += table->client_taken[i] == 0;
        if (left) {
            ask(play, CLIENT, seat);
            client = play->choice[CHOICE_PICK];
            if (client < 0 || client >= rules->n_clients || table->client_taken[client])
                return refuse(play, BAD_CLIENT, seat);
            table->client_taken[client] = 1;
            learn_client(rules, &play->own[seat], client);
        }
    } else if (rules->kind[p] == PASSIVE)
        table->hand_limit[seat] += rules->more_hand[p];
    learn_power_up(rules, &play->own[seat], p);
    int64_t at = table->n_held[seat]++;
    table->held[seat][at] = p;
    table->held_client[seat][at] = client;
    *row = (struct picks_row){seat, p, client};
    return true;
}

/* Deal starting power-ups, let each seat keep one (Optional Rules); return false after an illegal choice. */
static bool starting_power_ups(struct play *play, struct picks_row *rows)
{
    const struct rules *rules = play->rules;
    struct table *table = &play->table;
    struct hidden *hidden = &play->hidden;
    int64_t n = table->n_players, kept[SEATS];
    for (int64_t seat = 0; seat < n; seat++) {
        play->own[seat].n_dealt = rules->start_dealt;
        for (int64_t i = 0; i < rules->start_dealt; i++)
            play->own[seat].dealt[i] = hidden->deck[--hidden->n_deck];
    }
    for (int64_t seat = 0; seat < n; seat++) {
        ask(play, START, seat);
        kept[seat] = play->choice[CHOICE_PICK];
        if (kept[seat] < 0 || kept[seat] >= rules->start_dealt)
            return refuse(play, BAD_START, seat);
    }
    for (int64_t step = 0; step < n; step++) {
        int64_t seat = (table->button - 1 - step + 2 * n) % n;
        struct own *mine = &play->own[seat];
        if (!acquire(play, seat, mine->dealt[kept[seat]], &rows[step]))
            return false;
        for (int64_t i = 0; i < rules->start_dealt; i++)
            if (i != kept[seat])
                hidden->deck[hidden->n_deck++] = mine->dealt[i];
        mine->n_dealt = 0;
    }
    mix_deck(rules, hidden, play->seed, play->game, 1);
    return true;
}

/* Fill a hand up to its limit from the cards that nobody holds. */
static void deal(struct play *play, int64_t seat)
{
    const struct rules *rules = play->rules;
    struct table *table = &play->table;
    struct own *mine = &play->own[seat];
    int64_t *holder = play->hidden.holder;
    int64_t limit = table->round_number == 1 ? rules->hand_limit : table->hand_limit[seat], n_hand = mine->n_hand;
    uint64_t rng;
    start(&rng, play->seed, play->game, SUSHI_DECK, table->round_number * SEATS + seat);
    while (n_hand < limit) {
        int64_t code = rules->card_code[below(&rng, rules->n_cards)];
        if (holder[code])
            continue;
        holder[code] = seat + 1;
        int64_t at = n_hand++;
        for (; at > 0 && mine->hand[at - 1] > code; at--)
            mine->hand[at] = mine->hand[at - 1];
        mine->hand[at] = code;
    }
    table->n_hand[seat] = mine->n_hand = n_hand;
}

static void lay_out(struct play *play, struct offers_row *rows, int64_t count)
{
    struct table *table = &play->table;
    struct hidden *hidden = &play->hidden;
    table->n_offers = count;
    for (int64_t i = 0; i < count; i++) {
        int64_t p = hidden->deck[--hidden->n_deck];
        table->offer[i] = p;
        rows[i] = (struct offers_row){p, -1};
    }
}

/* Check a reveal, work out its worth, and put the cards aside until all have chosen. */
static bool take_reveal(struct play *play, int64_t seat)
{
    const struct rules *rules = play->rules;
    struct own *own = &play->own[seat];
    struct hidden *hidden = &play->hidden;
    const int64_t *choice = play->choice;
    int64_t n_cards = choice[CHOICE_CARDS];
    if (n_cards < rules->reveal_low || n_cards > min(rules->reveal_high, own->n_hand))
        return refuse(play, BAD_COUNT, seat);
    int64_t chosen = 0, revealed = 0, icons = 0;
    for (int64_t i = 0; i < n_cards; i++) {
        int64_t slot = choice[CHOICE_SLOTS + i];
        if (slot < 0 || slot >= own->n_hand || chosen >> slot & 1)
            return refuse(play, BAD_CARD, seat);
        chosen |= INT64_C(1) << slot;
        revealed |= own->hand[slot] << (CODE_BITS * i);
        icons += rules->icon[own->hand[slot]];
    }
    int64_t cards = revealed, used = 0;
    if (choice[CHOICE_USES] < 0 || choice[CHOICE_USES] > HELD)
        return refuse(play, BAD_CHANGE, seat);
    for (int64_t step = 0; step < choice[CHOICE_USES]; step++) {
        const int64_t *use = &choice[CHOICE_USE + step * USE_WIDTH];
        int64_t place = -1, after = 0;
        for (int64_t k = 0; k < own->n_changes; k++)
            if (own->change[k] == use[0])
                place = k;
        if (place < 0 || used >> place & 1)
            return refuse(play, BAD_CHANGE, seat);
        used |= INT64_C(1) << place;
        for (int64_t i = 0; i < n_cards; i++) {
            if (use[1 + i] < 0 || use[1 + i] >= CODES)
                return refuse(play, BAD_USE, seat);
            after |= use[1 + i] << (CODE_BITS * i);
        }
        if (!legal_use(rules, use[0], play->table.round_number, revealed, cards, after, n_cards))
            return refuse(play, BAD_USE, seat);
        cards = after;
    }
    struct features shown = features_of(rules, own, cards, n_cards);
    int64_t formed = hands_formed(rules, own, &shown, cards, n_cards), hand = choice[CHOICE_HAND] - 1;
    if (hand == -1)
        hand = best_formed(rules, own, formed);
    else if (hand < 0 || hand >= rules->n_hands || (formed >> hand & 1) == 0)
        return refuse(play, BAD_HAND, seat);
    hidden->revealed[seat] = revealed;
    hidden->shown[seat] = cards;
    hidden->n_cards[seat] = n_cards;
    hidden->declared[seat] = hand;
    hidden->value[seat] = worth_of(rules, own, hand, &shown, cards, n_cards) + icons;
    int64_t kept = 0;
    for (int64_t slot = 0; slot < own->n_hand; slot++)
        if ((chosen >> slot & 1) == 0)
            own->hand[kept++] = own->hand[slot];
    own->n_hand = kept;
    return true;
}

/* Reveal all, rank by score, pay VP; played cards go back to the deck. */
static void score_round(struct play *play, struct rounds_row *rows)
{
    const struct rules *rules = play->rules;
    struct table *table = &play->table;
    struct hidden *hidden = &play->hidden;
    int64_t n = table->n_players, highest = NEVER;
    for (int64_t seat = 0; seat < n; seat++) {
        table->n_hand[seat] = play->own[seat].n_hand;
        table->n_revealed[seat] = hidden->n_cards[seat];
        for (int64_t i = 0; i < hidden->n_cards[seat]; i++) {
            int64_t code = code_at(hidden->revealed[seat], i);
            table->revealed[seat][i] = code;
            hidden->holder[code] = 0;
        }
        table->declared[seat] = hidden->declared[seat];
        table->score[seat] = score_of(hidden->value[seat]);
        highest = max(highest, table->score[seat]);
    }
    for (int64_t place = 0, seat = table->button; place < n; place++, seat = next_seat(seat, n)) {
        int64_t rank = 1;
        for (int64_t step = 0, other = table->button; step < n; step++, other = next_seat(other, n))
            rank += table->score[other] > table->score[seat] ||
                    (table->score[other] == table->score[seat] && step < place);
        table->rank[seat] = rank;
        int64_t space = rank - 1;
        if (n == 2 && rank == 2 && 100 * table->score[seat] < rules->two_player_percent * highest)
            space = 2;
        int64_t gained = rules->round_vp[n][table->round_number][space] + vp_of(hidden->value[seat]);
        table->vp[seat] += gained;
        rows[seat] = (struct rounds_row){
            .button = table->button, .n_cards = table->n_revealed[seat], .hand = table->declared[seat],
            .score = table->score[seat], .rank = rank, .round_vp = gained, .vp = table->vp[seat],
        };
    }
}

static void pick_order(const struct play *play, int64_t *order)
{
    const struct rules *rules = play->rules;
    const struct table *table = &play->table;
    int64_t n = table->n_players;
    if (rules->pick_order == RANDOM_ORDER) {
        uint64_t rng;
        for (int64_t seat = 0; seat < n; seat++)
            order[seat] = seat;
        start(&rng, play->seed, play->game, PICK_ORDER, table->round_number);
        shuffle(&rng, order, n);
        return;
    }
    for (int64_t seat = 0; seat < n; seat++)
        order[rules->pick_order == BEST_FIRST ? table->rank[seat] - 1 : n - table->rank[seat]] = seat;
}

/* Let each seat take a power-up in order; the rest go under the deck. */
static bool draft(struct play *play, struct picks_row *picks, struct offers_row *offers)
{
    struct table *table = &play->table;
    struct hidden *hidden = &play->hidden;
    int64_t order[SEATS];
    pick_order(play, order);
    for (table->n_picked = 0; table->n_picked < table->n_players; table->n_picked++) {
        int64_t seat = order[table->n_picked];
        ask(play, DRAFT, seat);
        int64_t slot = play->choice[CHOICE_PICK];
        if (slot < 0 || slot >= table->n_offers || table->offer[slot] < 0)
            return refuse(play, BAD_OFFER, seat);
        int64_t p = table->offer[slot];
        table->offer[slot] = -1;
        offers[slot].taken_by = seat;
        if (!acquire(play, seat, p, picks++))
            return false;
    }
    for (int64_t slot = 0; slot < table->n_offers; slot++)
        if (table->offer[slot] >= 0) {
            memmove(&hidden->deck[1], &hidden->deck[0], sizeof hidden->deck[0] * hidden->n_deck++);
            hidden->deck[0] = table->offer[slot];
        }
    table->n_offers = table->n_picked = 0;
    return true;
}

/* Rank the players: most VP, ties by the rank of the last round. */
static void finish(const struct play *play, struct games_row *game, struct players_row *players)
{
    const struct table *table = &play->table;
    *game = (struct games_row){play->rules->n_rounds, 0, 1};
    for (int64_t seat = 0; seat < table->n_players; seat++) {
        int64_t rank = 1;
        for (int64_t other = 0; other < table->n_players; other++)
            rank += table->vp[other] > table->vp[seat] ||
                    (table->vp[other] == table->vp[seat] && table->rank[other] < table->rank[seat]);
        players[seat] = (struct players_row){table->vp[seat], rank, rank == 1};
    }
}

/* Play one game; return false after an illegal choice. */
static bool one_game(struct play *play, int64_t n, struct rounds_row *rounds, struct picks_row *picks,
                     struct offers_row *offers, int64_t n_offers)
{
    const struct rules *rules = play->rules;
    struct table *table = &play->table;
    set_up(play, n);
    for (int64_t i = 0; i < n; i++)
        picks[i].key_client = -1;
    if (rules->start_dealt && !starting_power_ups(play, picks))
        return false;
    for (int64_t round_number = 1; round_number <= rules->n_rounds; round_number++) {
        bool last = round_number == rules->n_rounds;
        table->round_number = round_number;
        if (round_number > 1)
            table->button = next_seat(table->button, n);
        for (int64_t step = 0, seat = table->button; step < n; step++)
            deal(play, seat = next_seat(seat, n));
        if (!last)
            lay_out(play, offers, n_offers);
        for (int64_t seat = 0; seat < n; seat++)
            start_round(rules, &play->own[seat], round_number);
        for (int64_t seat = 0; seat < n; seat++) {
            ask(play, REVEAL, seat);
            if (!take_reveal(play, seat))
                return false;
        }
        score_round(play, rounds);
        rounds += n;
        picks += n;
        if (!last && !draft(play, picks, offers))
            return false;
        offers += n_offers;
    }
    return true;
}

void play_games(const struct rules *rules, decide *const *functions, const double *params, int64_t widest,
                uint64_t seed, uint64_t first, int64_t n_games, int64_t n, void *const *rows, int64_t *status)
{
    struct games_row *games = rows[0];
    struct players_row *players = rows[1];
    struct rounds_row *rounds = rows[2];
    struct picks_row *picks = rows[3];
    struct offers_row *offers = rows[4];
    struct play play = {rules, functions, params, widest, status, seed, first, .table = {0}};
    int64_t n_rounds = rules->n_rounds, n_offers = n + rules->offers_beyond;
    for (int64_t i = 0; i < n_games; i++, play.game++) {
        if (!one_game(&play, n, &rounds[i * n_rounds * n], &picks[i * n_rounds * n],
                      &offers[i * (n_rounds - 1) * n_offers], n_offers))
            return;
        finish(&play, &games[i], &players[i * n]);
    }
}
