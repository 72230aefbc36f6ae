/* Sushi Go!: the twin of sushibalance/games/sushi_go/kernel and of the policies `random` and `greedy`.
 *
 * The structs and the constants come from kernel/state.py (see twins.py). */

#include <stdbool.h>
#include <string.h>

#include "sushi_go.h"
#include "random.h"

typedef void decide(const struct rules *, const struct table *, const struct own *, int64_t seat, const double *params,
                    uint64_t *rng, int64_t *choice);

static inline int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max(int64_t a, int64_t b) { return a > b ? a : b; }

/* ---- Points (kernel/scoring.py) ---- */

static inline int64_t share(int64_t points, int64_t tied, int64_t split)
{
    return tied == 1 || split == 0 ? points : points / tied;
}

/* The maki points of `seat` when it has `more` icons than icons[seat]. The loops find the seat itself as well. */
static int64_t maki_award(const struct rules *rules, const int64_t *icons, int64_t players, int64_t seat, int64_t more)
{
    int64_t mine = icons[seat] + more;
    if (mine <= 0)
        return 0;
    int64_t best = mine;
    for (int64_t other = 0; other < players; other++)
        best = max(best, icons[other]);
    int64_t leaders = 0, between = 0, tied = more > 0;
    for (int64_t other = 0; other < players; other++) {
        leaders += icons[other] == best;
        between += mine < icons[other] && icons[other] < best;
        tied += icons[other] == mine;
    }
    if (mine == best)
        return share(rules->maki_most, tied, rules->maki_split);
    if (between == 0 && (leaders == 1 || rules->maki_second_after_tie))
        return share(rules->maki_second, tied, rules->maki_split);
    return 0;
}

/* The pudding points of `seat` when it has `more` puddings than puddings[seat]. */
static int64_t pudding_award(const struct rules *rules, const int64_t *puddings, int64_t players, int64_t seat,
                             int64_t more)
{
    int64_t mine = puddings[seat] + more, above = 0, tied = more > 0, below = -tied;
    for (int64_t other = 0; other < players; other++) {
        above += puddings[other] > mine;
        below += puddings[other] < mine;
        tied += puddings[other] == mine;
    }
    if (tied == players && !rules->pudding_all_tied_score)
        return 0;
    int64_t points = 0;
    if (above == 0)
        points += share(rules->pudding_most, tied, rules->pudding_split_most);
    if (below == 0 && (players > 2 || rules->pudding_penalty_for_two))
        points += share(rules->pudding_fewest, tied, rules->pudding_split_fewest);
    return points;
}

static inline int64_t dumpling_points(const struct rules *rules, int64_t count)
{
    return rules->dumpling_points[min(count, rules->dumpling_top)];
}

static inline int64_t nigiri_card_points(const struct rules *rules, int64_t kind, int64_t on_wasabi)
{
    return rules->nigiri[kind] * (1 + (rules->wasabi_factor - 1) * on_wasabi);
}

/* ---- Worth of a card to a seat (kernel/worth.py) ---- */

enum { HOPE, MAKI_ICON, PUDDING_RATE, CHOPSTICKS_RATE, OWN, DENY, PUDDING_TASTE };

static double begun_set(int64_t begun, int64_t cards, int64_t points, double hope, int64_t left)
{
    int64_t missing = cards - begun;
    if (begun == 0 || missing > left)
        return missing == 0 ? points : 0.0;
    double total = points;
    for (int64_t i = 0; i < missing; i++)
        total *= hope;
    return total;
}

static double set_gain(int64_t held, int64_t cards, int64_t points, double hope, int64_t left)
{
    int64_t begun = held % cards;
    return begun_set(begun + 1, cards, points, hope, left) - begun_set(begun, cards, points, hope, left);
}

static double wasabi_worth(const struct rules *rules, const double *params, int64_t free, int64_t left)
{
    double each = (rules->wasabi_factor - 1) * rules->nigiri_mean, total = 0.0;
    for (int64_t i = min(free, left); i > 0; i--) {
        each *= params[HOPE];
        total += each;
    }
    return total;
}

static double chopsticks_worth(const struct table *table, const double *params, int64_t left)
{
    return left < 2 ? 0.0 : params[CHOPSTICKS_RATE] * left / table->turns;
}

/* By how much `kind`, taken after `after` (-1: nothing), raises the worth of the front of `seat`. */
static double gain(const struct rules *rules, const struct table *table, const double *params, int64_t seat,
                   int64_t kind, int64_t after, int64_t left)
{
    int64_t held = table->front[seat][kind] + (after == kind);
    if (kind == TEMPURA)
        return set_gain(held, rules->tempura_cards, rules->tempura_points, params[HOPE], left);
    if (kind == SASHIMI)
        return set_gain(held, rules->sashimi_cards, rules->sashimi_points, params[HOPE], left);
    if (kind == DUMPLING) {
        int64_t now = dumpling_points(rules, held + 1) - dumpling_points(rules, held);
        int64_t following = dumpling_points(rules, held + 2) - dumpling_points(rules, held + 1);
        return now + params[HOPE] * max(following - now, 0) * (left > 0 ? 1.0 : 0.0);
    }
    if (rules->icons[kind] > 0) {
        int64_t before = after >= 0 ? rules->icons[after] : 0;
        int64_t with_it = maki_award(rules, table->maki, table->players, seat, before + rules->icons[kind]);
        int64_t without = maki_award(rules, table->maki, table->players, seat, before);
        double over = 1.0 - (double)left / table->turns;
        return (1.0 - over) * rules->icons[kind] * params[MAKI_ICON] + over * (with_it - without);
    }
    if (kind == PUDDING) {
        int64_t before = after == PUDDING;
        int64_t with_it = pudding_award(rules, table->puddings, table->players, seat, before + 1);
        int64_t without = pudding_award(rules, table->puddings, table->players, seat, before);
        double over = 1.0 - (double)left / table->turns;
        if (!rules->pudding_every_round)
            over = (table->round_number - 1 + over) / rules->rounds;
        return (1.0 - over) * params[PUDDING_RATE] + over * (with_it - without);
    }
    int64_t free = table->free_wasabi[seat];
    if (after >= 0 && rules->is_nigiri[after])
        free = max(free - 1, 0);
    if (kind == WASABI) {
        free += after == WASABI;
        return wasabi_worth(rules, params, free + 1, left) - wasabi_worth(rules, params, free, left);
    }
    if (rules->is_nigiri[kind]) {
        free += after == WASABI && !rules->wasabi_next_turn;
        if (free == 0)
            return nigiri_card_points(rules, kind, 0);
        double used = wasabi_worth(rules, params, free, left) - wasabi_worth(rules, params, free - 1, left);
        return nigiri_card_points(rules, kind, 1) - used;
    }
    if (kind == CHOPSTICKS && held == 0)
        return chopsticks_worth(table, params, left);
    return 0.0;
}

static double worth(const struct rules *rules, const struct table *table, const double *params, int64_t seat,
                    int64_t kind, int64_t after)
{
    int64_t left = table->turns - table->turn;
    double total = params[OWN] * gain(rules, table, params, seat, kind, after, left);
    if (params[DENY] != 0.0 && left > 0) {
        int64_t following = (seat + table->direction + table->players) % table->players;
        total += params[DENY] * gain(rules, table, params, following, kind, -1, left - 1);
    }
    if (kind == PUDDING)
        total += params[PUDDING_TASTE];
    return total;
}

/* ---- Policies (policies.py) ---- */

/* The kind of the `at`-th card of a hand. Compared without a sign: the carry is added as it is. */
static inline int64_t kind_at(const int64_t *hand, int64_t at)
{
    int64_t kind = 0, before = 0;
    for (int64_t k = 0; k < KINDS - 1; k++) {
        before += hand[k];
        kind += (uint64_t)before <= (uint64_t)at;
    }
    return kind;
}

void random_choose(const struct rules *rules, const struct table *table, const struct own *own, int64_t seat,
                   const double *params, uint64_t *rng, int64_t *choice)
{
    const int64_t *hand = own->hand;
    int64_t cards = table->turns - table->turn + 1;
    if (table->front[seat][CHOPSTICKS] == 0) {
        choice[0] = kind_at(hand, below(rng, cards));
        return;
    }
    int64_t draw = below(rng, cards * cards), first = draw / cards, second = draw % cards;
    choice[0] = kind_at(hand, first);
    if (second != first)
        choice[1] = kind_at(hand, second) + 1;
}

void greedy_choose(const struct rules *rules, const struct table *table, const struct own *own, int64_t seat,
                   const double *params, uint64_t *rng, int64_t *choice)
{
    const int64_t *hand = own->hand;
    bool chopsticks = table->front[seat][CHOPSTICKS] > 0;
    double kept = chopsticks_worth(table, params, table->turns - table->turn), best = -1e300, best_pair = -1e300;
    int64_t pair = 0, second_of_pair = 0;
    for (int64_t first = 0; first < KINDS; first++)
        if (hand[first] > 0) {
            double alone = worth(rules, table, params, seat, first, -1);
            if (alone > best) {
                best = alone;
                choice[0] = first;
            }
            if (chopsticks)
                for (int64_t second = 0; second < KINDS; second++)
                    if (hand[second] > (second == first)) {
                        double total = alone - kept + worth(rules, table, params, seat, second, first);
                        if (total > best_pair) {
                            best_pair = total;
                            pair = first, second_of_pair = second + 1;
                        }
                    }
        }
    if (best_pair > best) {
        choice[0] = pair;
        choice[1] = second_of_pair;
    }
}

/* ---- The game (kernel/game.py) ---- */

/* Deal a hand to each seat from the top of the draw pile (Fisher-Yates, as far as needed). */
static void deal(const struct rules *restrict rules, const struct table *restrict table, struct own *restrict own,
                 struct hidden *restrict hidden, uint64_t rng)
{
    int64_t drawn = hidden->drawn;
    for (int64_t seat = 0; seat < table->players; seat++) {
        struct own *mine = &own[seat];
        memset(mine->hand, 0, sizeof mine->hand);
        mine->holding = seat;
        for (int64_t i = 0; i < table->turns; i++) {
            int64_t at = drawn + below(&rng, rules->deck_total - drawn);
            uint8_t kind = hidden->cards[at];
            hidden->cards[at] = hidden->cards[drawn];
            hidden->cards[drawn++] = kind;
            mine->hand[kind]++;
        }
    }
    hidden->drawn = drawn;
}

static void begin_round(const struct rules *restrict rules, struct table *restrict table, struct own *restrict own,
                        int64_t round_number)
{
    table->round_number = round_number;
    table->direction = rules->direction[(round_number - 1) % 2];
    for (int64_t seat = 0; seat < table->players; seat++) {
        memset(table->front[seat], 0, sizeof table->front[seat]);
        table->free_wasabi[seat] = 0;
        table->nigiri_points[seat] = 0;
        table->maki[seat] = 0;
        memset(own[seat].seen, 0, sizeof own[seat].seen[0] * table->players);
        memset(own[seat].seen_turn, 0, sizeof own[seat].seen_turn);
    }
}

/* Put a card in front of `seat` as the `at`-th in play order. */
static inline void place(const struct rules *restrict rules, struct table *restrict table, int64_t seat, int64_t kind,
                         int64_t at)
{
    int64_t on_wasabi = min(table->free_wasabi[seat], rules->is_nigiri[kind]);
    table->nigiri_points[seat] += nigiri_card_points(rules, kind, on_wasabi);
    table->free_wasabi[seat] += (kind == WASABI) - on_wasabi;
    table->maki[seat] += rules->icons[kind];
    table->puddings[seat] += kind == PUDDING;
    table->front[seat][kind]++;
    table->order[seat][at] = kind;
}

/* Move one chopsticks card from the front, which has `in_front` cards, to the hand that is passed on. */
static void use_chopsticks(struct table *restrict table, int64_t *restrict hand, int64_t seat, int64_t in_front)
{
    table->front[seat][CHOPSTICKS]--;
    hand[CHOPSTICKS]++;
    int64_t *order = table->order[seat], at = 0;
    while (order[at] != CHOPSTICKS)
        at++;
    memmove(&order[at], &order[at + 1], sizeof *order * (in_front - 1 - at));
}

static void take(const struct rules *restrict rules, struct table *restrict table, int64_t *restrict hand, int64_t seat,
                 int64_t first, int64_t second)
{
    int64_t at = table->turn - 1;
    hand[first]--;
    if (second == 0) {
        place(rules, table, seat, first, at);
        return;
    }
    hand[second - 1]--;
    use_chopsticks(table, hand, seat, at);
    place(rules, table, seat, first, at - 1);
    int64_t fresh = first == WASABI && rules->wasabi_next_turn;
    table->free_wasabi[seat] -= fresh;
    place(rules, table, seat, second - 1, at);
    table->free_wasabi[seat] += fresh;
}

static inline int64_t fault(const struct table *table, const int64_t *hand, int64_t seat, int64_t first, int64_t second)
{
    if (first < 0 || first >= KINDS || hand[first] < 1)
        return NO_SUCH_CARD;
    if (second == 0)
        return 0;
    if (second < 0 || second > KINDS)
        return NO_SECOND_CARD;
    if (table->front[seat][CHOPSTICKS] < 1)
        return NO_CHOPSTICKS;
    if (hand[second - 1] < 1 + (first == second - 1))
        return NO_SECOND_CARD;
    return 0;
}

/* Hand each hand to the neighbour; the giver remembers what was in it. */
static void pass_hands(const struct table *restrict table, struct own *restrict own)
{
    int64_t players = table->players;
    for (int64_t seat = 0; seat < players; seat++) {
        struct own *giver = &own[seat];
        memcpy(giver->seen[giver->holding], giver->hand, sizeof giver->hand);
        giver->seen_turn[giver->holding] = table->turn;
    }
    int64_t index = own[0].holding, receiver = table->direction > 0 ? 1 : players - 1;
    for (int64_t seat = 0; seat < players; seat++) {
        struct own *taker = &own[receiver];
        memcpy(taker->hand, own[seat].seen[index], sizeof taker->hand);
        taker->holding = index;
        index = index + 1 < players ? index + 1 : 0;
        receiver = receiver + 1 < players ? receiver + 1 : 0;
    }
}

/* Let all seats choose unseen, then turn the cards over; return false after an illegal choice. */
static bool play_turn(const struct rules *restrict rules, struct table *restrict table, struct own *restrict own,
                      decide *const *functions, const double *params, int64_t widest, uint64_t seed, uint64_t game,
                      struct picks *restrict picks, int64_t *status)
{
    int64_t index = (table->round_number * 64 + table->turn) * 8;
    for (int64_t seat = 0; seat < table->players; seat++) {
        uint64_t rng;
        int64_t choice[2] = {0, 0};
        start(&rng, seed, game, CHOOSE, index + seat);
        functions[seat](rules, table, &own[seat], seat, params + seat * widest, &rng, choice);
        int64_t wrong = fault(table, own[seat].hand, seat, choice[0], choice[1]);
        if (wrong) {
            status[0] = wrong, status[1] = game, status[2] = seat, status[3] = table->round_number;
            return false;
        }
        picks[seat].card = choice[0];
        picks[seat].second = choice[1];
    }
    for (int64_t seat = 0; seat < table->players; seat++)
        take(rules, table, own[seat].hand, seat, picks[seat].card, picks[seat].second);
    if (table->turn < table->turns)
        pass_hands(table, own);
    return true;
}

static void score_round(const struct rules *restrict rules, struct table *restrict table,
                        struct rounds *restrict rounds)
{
    bool puddings_count = rules->pudding_every_round || table->round_number == rules->rounds;
    for (int64_t seat = 0; seat < table->players; seat++) {
        const int64_t *front = table->front[seat];
        int64_t tempura = front[TEMPURA] / rules->tempura_cards * rules->tempura_points;
        int64_t sashimi = front[SASHIMI] / rules->sashimi_cards * rules->sashimi_points;
        int64_t dumpling = dumpling_points(rules, front[DUMPLING]);
        int64_t maki = maki_award(rules, table->maki, table->players, seat, 0);
        int64_t nigiri = table->nigiri_points[seat];
        int64_t pudding = puddings_count ? pudding_award(rules, table->puddings, table->players, seat, 0) : 0;
        table->points[seat] += tempura + sashimi + dumpling + maki + nigiri + pudding;
        rounds[seat] = (struct rounds){tempura, sashimi, dumpling, maki, nigiri, pudding, table->maki[seat],
                                       table->puddings[seat]};
    }
}

static void finish(const struct table *restrict table, struct games *restrict outcome, struct players *restrict players)
{
    int64_t winners = 0, level = 0;
    for (int64_t seat = 0; seat < table->players; seat++) {
        int64_t rank = 1;
        bool best = true;
        for (int64_t other = 0; other < table->players; other++) {
            bool more = table->points[other] > table->points[seat];
            bool even = table->points[other] == table->points[seat];
            rank += more || (even && table->puddings[other] > table->puddings[seat]);
            best = best && !more;
        }
        players[seat].total = table->points[seat];
        players[seat].rank = rank;
        players[seat].won = rank == 1;
        winners += rank == 1;
        level += best;
    }
    outcome->rounds = table->round_number;
    outcome->winners = winners;
    outcome->ended_by = winners > 1 ? SHARED : level > 1 ? BY_PUDDINGS : BY_POINTS;
}

void play_games(const struct rules *rules, decide *const *functions, const double *params, int64_t widest,
                uint64_t seed, uint64_t first, int64_t n_games, int64_t n_players, void *const *rows, int64_t *status)
{
    struct games *games = rows[0];
    struct players *players = rows[1];
    struct picks *picks = rows[2];
    struct rounds *rounds = rows[3];
    struct table table = {.players = n_players, .turns = rules->deal[n_players]};
    struct own own[MAX_PLAYERS] = {0};
    struct hidden hidden;
    for (int64_t i = 0; i < n_games; i++) {
        uint64_t game = first + i, rng;
        memcpy(hidden.cards, rules->unshuffled, rules->deck_total);
        hidden.drawn = 0;
        memset(table.points, 0, sizeof table.points);
        memset(table.puddings, 0, sizeof table.puddings);
        for (int64_t round_number = 1; round_number <= rules->rounds; round_number++) {
            begin_round(rules, &table, own, round_number);
            start(&rng, seed, game, DECK, round_number);
            deal(rules, &table, own, &hidden, rng);
            for (table.turn = 1; table.turn <= table.turns; table.turn++) {
                if (!play_turn(rules, &table, own, functions, params, widest, seed, game, picks, status))
                    return;
                picks += n_players;
            }
            score_round(rules, &table, rounds);
            rounds += n_players;
        }
        finish(&table, games++, players);
        players += n_players;
    }
}
