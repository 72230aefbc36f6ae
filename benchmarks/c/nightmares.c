/* Nightmares of Sushi: the twin of sushibalance/games/nightmares/kernel and of the policy `random`.
 *
 * The structs and the constants come from kernel/state.py (see twins.py). */

#include <stdbool.h>
#include <string.h>

#include "nightmares.h"
#include "random.h"

typedef void decide(const struct rules *, const struct table *, const struct own *, int64_t seat, const double *params,
                    uint64_t *rng, int64_t *choice);

/* ---- Policies (policies.py) ---- */

/* The kind of a card drawn from counts[:kinds] and `more` cards beyond (kind `kinds`). Compared without a sign: the
 * carry is added as it is. */
static inline int64_t any_card(uint64_t *rng, const int64_t *counts, int64_t kinds, int64_t more)
{
    int64_t cards = more;
    for (int64_t kind = 0; kind < kinds; kind++)
        cards += counts[kind];
    int64_t at = below(rng, cards), kind = 0, upto = 0;
    for (int64_t i = 0; i < kinds; i++) {
        upto += counts[i];
        kind += (uint64_t)at >= (uint64_t)upto;
    }
    return kind;
}

void random_set_aside(const struct rules *rules, const struct table *table, const struct own *own, int64_t seat,
                      const double *params, uint64_t *rng, int64_t *choice)
{
    choice[0] = any_card(rng, own->hand, MAX_GRADES, 0);
}

void random_serve(const struct rules *rules, const struct table *table, const struct own *own, int64_t seat,
                  const double *params, uint64_t *rng, int64_t *choice)
{
    choice[0] = any_card(rng, own->hand, MAX_GRADES, 0);
    int64_t ability = any_card(rng, own->abilities, ABILITIES, 1);
    choice[1] = ability < ABILITIES ? ability + 1 : 0;
}

void random_eat(const struct rules *rules, const struct table *table, const struct own *own, int64_t seat,
                const double *params, uint64_t *rng, int64_t *choice)
{
    int64_t others = table->plates - 1, offers = others;
    for (int64_t place = 0; place < rules->chefs_on_table; place++)
        offers += table->chef[place] != GONE;
    int64_t at = below(rng, offers), place = 0, upto = others;
    for (int64_t i = 0; i < rules->chefs_on_table; i++) {
        upto += table->chef[i] != GONE;
        place += (uint64_t)at >= (uint64_t)upto;
    }
    choice[0] = at >= others ? CHEF + place : at + (at >= seat);
}

void random_target(const struct rules *rules, const struct table *table, const struct own *own, int64_t seat,
                   const double *params, uint64_t *rng, int64_t *choice)
{
    choice[0] = below(rng, table->players);
}

/* ---- Set-up and what is remembered (kernel/setup.py) ---- */

enum { STARTER, CHEFS, THIRD_SEAT, CHOICES };

static void forget(struct table *table)
{
    memset(table->seen, 0, sizeof table->seen);
    memset(table->used, 0, sizeof table->used);
    memset(table->chef_seen, 0, sizeof table->chef_seen);
}

static void set_up(const struct rules *restrict rules, struct table *restrict table, struct own *restrict own,
                   struct hidden *restrict hidden, int64_t players, uint64_t seed, uint64_t game)
{
    table->round_number = 0;
    table->players = players;
    table->plates = players + (players == 2 && rules->third_seat);
    for (int64_t seat = 0; seat < MAX_SEATS; seat++) {
        table->gold[seat] = 0;
        table->penalty[seat] = 0;
        table->aside[seat] = NOTHING;
        table->ability[seat] = NOTHING;
        table->ate[seat] = NOTHING;
        table->target[seat] = NOTHING;
        own[seat].aside = NOTHING;
        own[seat].served = NOTHING;
        own[seat].ability = NOTHING;
        memcpy(own[seat].hand, rules->cards, sizeof rules->cards);
        memcpy(own[seat].abilities, rules->ability_cards, sizeof rules->ability_cards);
    }
    forget(table);
    for (int64_t card = 0; card < MAX_CHEFS; card++) {
        hidden->chef[card] = card;
        table->chef[card] = card < rules->chefs_on_table ? FACE_DOWN : GONE;
    }
    uint64_t rng;
    start(&rng, seed, game, STARTER, 0);
    table->starter = below(&rng, players);
    start(&rng, seed, game, CHEFS, 0);
    shuffle(&rng, hidden->chef, rules->chefs);
}

/* A random card of the third seat, taken from its deck. */
static int64_t draw_third(const struct rules *rules, struct own *mine, uint64_t seed, uint64_t game, uint64_t index)
{
    int64_t cards = 0, grade = 0;
    for (int64_t i = 0; i < rules->grades; i++)
        cards += mine->hand[i];
    uint64_t rng;
    start(&rng, seed, game, THIRD_SEAT, index);
    int64_t at = below(&rng, cards);
    while (at >= mine->hand[grade])
        at -= mine->hand[grade++];
    mine->hand[grade]--;
    return grade;
}

static void clear_round(struct table *restrict table, struct own *restrict own)
{
    for (int64_t seat = 0; seat < table->plates; seat++) {
        table->ability[seat] = NOTHING;
        table->ate[seat] = NOTHING;
        table->target[seat] = NOTHING;
        own[seat].served = NOTHING;
        own[seat].ability = NOTHING;
    }
}

/* Let all players see what was revealed, and take the chosen chefs away (readings N2, N10). */
static void discard(const struct rules *restrict rules, struct table *restrict table, const struct own *restrict own,
                    const struct hidden *restrict hidden)
{
    if (!rules->remember_all) {
        forget(table);
        for (int64_t place = 0; place < rules->chefs_on_table; place++)
            if (table->chef[place] >= 0)
                table->chef_seen[table->chef[place]] = 1;
    }
    for (int64_t seat = 0; seat < table->plates; seat++)
        table->seen[seat][own[seat].served]++;
    for (int64_t seat = 0; seat < table->players; seat++) {
        if (table->ability[seat] >= 0)
            table->used[seat][table->ability[seat]]++;
        if (table->ate[seat] >= CHEF) {
            int64_t place = table->ate[seat] - CHEF, card = hidden->chef[place];
            table->chef_seen[card] = 1;
            table->chef[place] = rules->chef_leaves ? GONE : card;
        }
    }
}

/* ---- Points (kernel/scoring.py) ---- */

static int64_t times_played(const struct table *table, int64_t ability)
{
    int64_t count = 0;
    for (int64_t seat = 0; seat < table->players; seat++)
        count += table->ability[seat] == ability;
    return count;
}

static void score_cats(const struct rules *restrict rules, struct table *restrict table)
{
    int64_t cats = times_played(table, FORTUNE_CAT);
    if (cats == 0)
        return;
    int64_t turns = rules->cat_converts * (rules->cat_counts_cats ? cats : 1);
    for (int64_t seat = 0; seat < table->players; seat++)
        if (table->ability[seat] == FORTUNE_CAT) {
            int64_t points = turns < table->penalty[seat] ? turns : table->penalty[seat];
            table->penalty[seat] -= points;
            table->gold[seat] += points;
        }
}

static void score_chin(const struct rules *restrict rules, struct table *restrict table, int64_t target)
{
    if (rules->chin_swapped && table->ability[target] == SWELLING_TONGUE)
        table->gold[target] += rules->chin_penalty;
    else
        table->penalty[target] += rules->chin_penalty;
}

static void score_sauces(const struct rules *restrict rules, struct table *restrict table)
{
    int64_t sauces = times_played(table, WHERES_THE_SAUCE);
    if (sauces == 0)
        return;
    int64_t gold = sauces <= rules->sauce_at_most ? rules->sauce_gold : 0;
    for (int64_t seat = 0; seat < table->players; seat++)
        if (table->ability[seat] == WHERES_THE_SAUCE)
            table->gold[seat] += gold;
}

/* Let every player eat: the chosen plate, and the own one when nobody chose it; return the latter as bits. */
static int64_t score_plates(const struct rules *restrict rules, struct table *restrict table,
                            const struct own *restrict own, struct hidden *restrict hidden)
{
    for (int64_t plate = 0; plate < table->plates; plate++) {
        hidden->dish_gold[plate] = rules->eater_gold[own[plate].served];
        hidden->dish_penalty[plate] = rules->eater_penalty[own[plate].served];
    }
    for (int64_t place = 0; place < rules->chefs_on_table; place++) {
        int64_t points = rules->chef_points[hidden->chef[place]];
        hidden->dish_gold[CHEF + place] = points > 0 ? points : 0;
        hidden->dish_penalty[CHEF + place] = points < 0 ? -points : 0;
    }
    int64_t chosen = 0;
    for (int64_t seat = 0; seat < table->players; seat++)
        chosen |= INT64_C(1) << table->ate[seat];
    for (int64_t seat = 0; seat < table->players; seat++) {
        int64_t wasabi = (table->ability[seat] == WHATS_UP_WASABI) * (rules->wasabi_factor - 1);
        int64_t tongue = table->ability[seat] == SWELLING_TONGUE;
        int64_t factor = 1 + wasabi;
        int64_t gold = hidden->dish_gold[table->ate[seat]] * factor;
        int64_t penalty = hidden->dish_penalty[table->ate[seat]] * factor;
        int64_t swap = tongue * (penalty - gold);

        int64_t alone = 1 - (chosen >> seat & 1);
        int64_t served = own[seat].served;
        factor = alone * (1 + wasabi * rules->wasabi_own_plate);
        int64_t own_gold = rules->owner_gold[served] * factor, own_penalty = rules->owner_penalty[served] * factor;
        int64_t own_swap = tongue * rules->tongue_own_plate * (own_penalty - own_gold);

        table->gold[seat] += gold + swap + own_gold + own_swap;
        table->penalty[seat] += penalty - swap + own_penalty - own_swap;
    }
    return ~chosen;
}

/* ---- Endings (kernel/ending.py) ---- */

/* How many seats clockwise from the present starter a seat sits. */
static inline int64_t away(const struct table *table, int64_t seat)
{
    return seat - table->starter + (seat < table->starter ? table->players : 0);
}

static int64_t distance(const struct rules *rules, const struct table *table, int64_t seat)
{
    int64_t steps = away(table, seat);
    return steps == 0 && !rules->starter_first ? table->players : steps;
}

static int64_t next_starter(const struct rules *rules, const struct table *table)
{
    int64_t best = 0;
    for (int64_t seat = 1; seat < table->players; seat++) {
        int64_t more = table->gold[seat] - table->gold[best];
        if (more > 0 || (more == 0 && distance(rules, table, seat) < distance(rules, table, best)))
            best = seat;
    }
    return best;
}

static int64_t penalty_winners(const struct rules *rules, const struct table *table)
{
    int64_t winners = 0;
    if (rules->penalty_victory && (rules->victory_each_round || table->round_number == rules->rounds))
        for (int64_t seat = 0; seat < table->players; seat++)
            winners |= (int64_t)(table->penalty[seat] >= rules->penalty_victory) << seat;
    return winners;
}

/* A number that is higher for the better placed player. */
static int64_t standing(const struct rules *rules, const struct table *table, int64_t seat, int64_t winners)
{
    if (winners >> seat & 1)
        return INT64_C(1) << 50;
    int64_t total = table->gold[seat] - table->penalty[seat];
    return ((total + (1 << 20)) << 24) + (((1 << 20) - table->penalty[seat]) << 3) + 7 - distance(rules, table, seat);
}

/* ---- The game (kernel/game.py) ---- */

static void write_round(const struct table *restrict table, const struct own *restrict own,
                        struct round_row *restrict row, int64_t alone)
{
    for (int64_t seat = 0; seat < table->players; seat++) {
        row[seat].gold = table->gold[seat];
        row[seat].penalty = table->penalty[seat];
        row[seat].order = away(table, seat) + 1;
        row[seat].served = own[seat].served;
        row[seat].ability = own[seat].ability;
        row[seat].target = table->target[seat];
        row[seat].ate = table->ate[seat];
        row[seat].ate_own = alone >> seat & 1;
    }
}

static void write_end(const struct rules *restrict rules, const struct table *restrict table,
                      const struct own *restrict own, int64_t winners, struct game_row *restrict game,
                      struct player_row *restrict players)
{
    int64_t count = 0, standings[MAX_SEATS];
    for (int64_t seat = 0; seat < table->players; seat++)
        standings[seat] = standing(rules, table, seat, winners);
    for (int64_t seat = 0; seat < table->players; seat++) {
        int64_t rank = 1;
        for (int64_t other = 0; other < table->players; other++)
            rank += standings[other] > standings[seat];
        players[seat].total = table->gold[seat] - table->penalty[seat];
        players[seat].rank = rank;
        players[seat].won = rank == 1;
        players[seat].aside = own[seat].aside;
        count += rank == 1;
    }
    game->rounds = table->round_number;
    game->ended_by = winners ? PENALTY_VICTORY : GOLD_VICTORY;
    game->winners = count;
}

static inline int64_t take_aside(const struct rules *rules, struct own *mine, const int64_t *choice)
{
    int64_t grade = choice[0];
    if (grade < 0 || grade >= rules->grades || mine->hand[grade] == 0)
        return NOT_IN_HAND;
    mine->hand[grade]--;
    mine->aside = grade;
    return LEGAL;
}

static inline int64_t take_served(const struct rules *rules, struct own *mine, const int64_t *choice)
{
    int64_t grade = choice[0], ability = choice[1] - 1;
    if (grade < 0 || grade >= rules->grades || mine->hand[grade] == 0)
        return NOT_IN_HAND;
    if (ability < NOTHING || ability >= ABILITIES || (ability != NOTHING && mine->abilities[ability] == 0))
        return ABILITY_NOT_HELD;
    mine->hand[grade]--;
    mine->served = grade;
    mine->ability = ability;
    if (ability != NOTHING)
        mine->abilities[ability]--;
    return LEGAL;
}

static inline bool may_eat(const struct rules *rules, const struct table *table, int64_t seat, int64_t what)
{
    if (what >= CHEF)
        return what < CHEF + rules->chefs_on_table && table->chef[what - CHEF] != GONE;
    return 0 <= what && what < table->plates && what != seat;
}

/* What a game works on; one decision needs most of it. */
struct play {
    const struct rules *rules;
    decide *const *functions;
    const double *params;
    int64_t widest, *status;
    uint64_t seed, game;
    struct table table;
    struct own own[MAX_SEATS];
    struct hidden hidden;
};

/* Let a seat make one decision, from a stream of its own. */
static inline void ask(struct play *play, int64_t decision, int64_t round_number, int64_t seat, int64_t *choice)
{
    uint64_t rng;
    start(&rng, play->seed, play->game, CHOICES, (decision << 16) + (round_number << 8) + seat);
    choice[0] = choice[1] = 0;
    play->functions[decision * MAX_SEATS + seat](play->rules, &play->table, &play->own[seat], seat,
                                                 play->params + seat * play->widest, &rng, choice);
}

static bool refuse(struct play *play, int64_t code, int64_t seat)
{
    play->status[0] = code;
    play->status[1] = play->game;
    play->status[2] = seat;
    play->status[3] = play->table.round_number;
    return false;
}

/* Let all set a card aside (N1); return false after an illegal choice. */
static bool set_aside(struct play *play)
{
    const struct rules *rules = play->rules;
    struct table *table = &play->table;
    struct own *own = play->own;
    int64_t choice[CHOICE_WIDTH];
    for (int64_t seat = 0; seat < table->players; seat++) {
        ask(play, SET_ASIDE, 0, seat, choice);
        int64_t code = take_aside(rules, &own[seat], choice);
        if (code != LEGAL)
            return refuse(play, code, seat);
    }
    if (table->plates > table->players)
        own[table->players].aside = draw_third(rules, &own[table->players], play->seed, play->game, 0);
    for (int64_t seat = 0; seat < table->plates; seat++)
        table->aside[seat] = rules->set_aside == ASIDE_SHOWN ? own[seat].aside : FACE_DOWN;
    return true;
}

/* Play a round up to its points; return false after an illegal choice. */
static bool play_round(struct play *play, struct round_row *row)
{
    const struct rules *rules = play->rules;
    struct table *table = &play->table;
    struct own *own = play->own;
    struct hidden *hidden = &play->hidden;
    int64_t round_number = table->round_number, players = table->players, choice[CHOICE_WIDTH];
    clear_round(table, own);

    for (int64_t seat = 0; seat < players; seat++) {
        ask(play, SERVE, round_number, seat, choice);
        int64_t code = take_served(rules, &own[seat], choice);
        if (code != LEGAL)
            return refuse(play, code, seat);
    }
    if (table->plates > players)
        own[players].served = draw_third(rules, &own[players], play->seed, play->game, round_number);
    for (int64_t seat = 0; seat < players; seat++)
        table->ability[seat] = own[seat].ability != NOTHING ? FACE_DOWN : NOTHING;

    for (int64_t step = 0, seat = table->starter; step < players; step++) {
        ask(play, EAT, round_number, seat, choice);
        if (!may_eat(rules, table, seat, choice[0]))
            return refuse(play, NOT_ON_OFFER, seat);
        hidden->ate[seat] = choice[0];
        if (rules->eat_in_turn)
            table->ate[seat] = choice[0];
        seat = seat + 1 < players ? seat + 1 : 0;
    }
    for (int64_t seat = 0; seat < players; seat++) {
        table->ate[seat] = hidden->ate[seat];
        table->ability[seat] = own[seat].ability;
    }

    if (rules->cat_first)
        score_cats(rules, table);
    int64_t chins = times_played(table, NINJUTSU_CHIN);
    if (0 < chins && chins <= rules->chin_at_most)
        for (int64_t step = 0, seat = table->starter; step < players; step++) {
            if (table->ability[seat] == NINJUTSU_CHIN) {
                ask(play, TARGET, round_number, seat, choice);
                if (choice[0] < 0 || choice[0] >= players)
                    return refuse(play, NO_SUCH_TARGET, seat);
                table->target[seat] = choice[0];
                score_chin(rules, table, choice[0]);
            }
            seat = seat + 1 < players ? seat + 1 : 0;
        }
    if (!rules->cat_first)
        score_cats(rules, table);
    score_sauces(rules, table);
    write_round(table, own, row, score_plates(rules, table, own, hidden));
    discard(rules, table, own, hidden);
    return true;
}

void play_games(const struct rules *rules, decide *const *functions, const double *params, int64_t widest,
                uint64_t seed, uint64_t first, int64_t n_games, int64_t n_players, void *const *rows, int64_t *status)
{
    struct game_row *games = rows[0];
    struct player_row *players = rows[1];
    struct round_row *rounds = rows[2];
    struct play play = {rules, functions, params, widest, status, seed, first, .table = {0}};
    struct table *table = &play.table;
    for (int64_t i = 0; i < n_games; i++, play.game++) {
        set_up(rules, table, play.own, &play.hidden, n_players, seed, play.game);
        if (rules->set_aside != ASIDE_NONE && !set_aside(&play))
            return;
        int64_t winners = 0;
        for (table->round_number = 1;; table->round_number++) {
            if (!play_round(&play, &rounds[(i * rules->rounds + table->round_number - 1) * n_players]))
                return;
            winners = penalty_winners(rules, table);
            if (winners || table->round_number == rules->rounds)
                break;
            table->starter = next_starter(rules, table);
        }
        write_end(rules, table, play.own, winners, &games[i], &players[i * n_players]);
    }
}
