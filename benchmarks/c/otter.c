/* Sushi Otter: the twin of sushibalance/games/otter/kernel and of the policies `random` and `greedy`.
 *
 * The structs and the constants come from kernel/state.py (see twins.py). */

#include "otter/search.h"
#include "random.h"

typedef void decide_function(const struct rules *, const struct table *, const struct own *, int64_t seat,
                             const double *params, uint64_t *rng, int64_t *choice);

/* ---- Policies (policies.py) ---- */

enum { VP_WEIGHT, FIRST, SECOND, VALUES };

void random_reveal(const struct rules *rules, const struct table *table, const struct own *own, int64_t seat,
                   const double *params, uint64_t *rng, int64_t *choice)
{
    i64 row;
    do {
        row = 1 + below(rng, ROWS[own->n_hand] - 1);
    } while (N_CARDS[row] < rules->reveal_low || N_CARDS[row] > rules->reveal_high);
    write_reveal(row, choice);
}

void random_draft(const struct rules *rules, const struct table *table, const struct own *own, int64_t seat,
                  const double *params, uint64_t *rng, int64_t *choice)
{
    i64 nth = below(rng, table->n_offers - table->n_picked), slot = 0;
    while (table->offer[slot] < 0 || nth-- > 0)
        slot++;
    choice[CHOICE_PICK] = slot;
}

void random_client(const struct rules *rules, const struct table *table, const struct own *own, int64_t seat,
                   const double *params, uint64_t *rng, int64_t *choice)
{
    i64 left = 0;
    for (i64 client = 0; client < rules->n_clients; client++)
        left += !table->client_taken[client];
    i64 nth = below(rng, left), client = 0;
    while (table->client_taken[client] || nth-- > 0)
        client++;
    choice[CHOICE_PICK] = client;
}

void random_start(const struct rules *rules, const struct table *table, const struct own *own, int64_t seat,
                  const double *params, uint64_t *rng, int64_t *choice)
{
    choice[CHOICE_PICK] = below(rng, own->n_dealt);
}

void greedy_reveal(const struct rules *rules, const struct table *table, const struct own *own, int64_t seat,
                   const double *params, uint64_t *rng, int64_t *choice)
{
    best_play(rules, own, table->round_number, params[VP_WEIGHT], choice);
}

static i64 best_client(const struct rules *rules, const struct table *table, const double *values)
{
    i64 best = -1;
    for (i64 client = 0; client < rules->n_clients; client++)
        if (!table->client_taken[client] && (best < 0 || values[client] > values[best]))
            best = client;
    return best;
}

/* The place of the most valuable power-up among `cards` (-1: gone); the first on ties. */
static i64 best_of(const struct rules *rules, const struct table *table, const double *values, const i64 *cards, i64 n)
{
    const double *clients = values + rules->n_power_ups;
    i64 best = -1, client = best_client(rules, table, clients);
    double best_value = 0.0;
    for (i64 i = 0; i < n; i++)
        if (cards[i] >= 0) {
            double value = values[cards[i]];
            if (rules->kind[cards[i]] == KEY_CLIENT)
                value = client >= 0 ? clients[client] : 0.0;
            if (best < 0 || value > best_value) {
                best = i;
                best_value = value;
            }
        }
    return best;
}

void greedy_draft(const struct rules *rules, const struct table *table, const struct own *own, int64_t seat,
                  const double *params, uint64_t *rng, int64_t *choice)
{
    choice[CHOICE_PICK] = best_of(rules, table, params + VALUES, table->offer, table->n_offers);
}

void greedy_client(const struct rules *rules, const struct table *table, const struct own *own, int64_t seat,
                   const double *params, uint64_t *rng, int64_t *choice)
{
    choice[CHOICE_PICK] = best_client(rules, table, params + VALUES + rules->n_power_ups);
}

void greedy_start(const struct rules *rules, const struct table *table, const struct own *own, int64_t seat,
                  const double *params, uint64_t *rng, int64_t *choice)
{
    choice[CHOICE_PICK] = best_of(rules, table, params + VALUES, own->dealt, own->n_dealt);
}

/* Take the first Change card on offer, or any power-up. */
void changer_draft(const struct rules *rules, const struct table *table, const struct own *own, int64_t seat,
                   const double *params, uint64_t *rng, int64_t *choice)
{
    for (i64 slot = 0; slot < table->n_offers; slot++)
        if (table->offer[slot] >= 0 && rules->kind[table->offer[slot]] == CHANGE) {
            choice[CHOICE_PICK] = slot;
            return;
        }
    random_draft(rules, table, own, seat, params, rng, choice);
}

/* ---- The game (kernel/game.py) ---- */

/* What a game is played with, and where it stands. */
struct game {
    const struct rules *rules;
    decide_function *const *functions;
    const double *params;
    i64 widest, n_players;
    uint64_t seed, number, rng;
    struct table table;
    struct own own[SEATS];
    struct hidden hidden;
    i64 choice[CHOICE];
};

/* Let a seat's policy make one decision, from a stream of its own. */
static void decide(struct game *game, i64 decision, i64 seat)
{
    const struct table *table = &game->table;
    i64 index = ((table->round_number * 4 + decision) * SEATS + seat) * (ROUNDS + 1) + table->n_picked;
    start(&game->rng, game->seed, game->number, DECIDE, index);
    memset(game->choice, 0, sizeof game->choice);
    game->functions[decision * SEATS + seat](game->rules, table, &game->own[seat], seat,
                                             game->params + seat * game->widest, &game->rng, game->choice);
}

/* Shuffle the power-up deck: order it by a random key of each card's number. */
static void mix_deck(struct game *game, i64 time)
{
    uint64_t keys[POWER_UPS], rng;
    i64 *deck = game->hidden.deck;
    for (i64 i = 0; i < game->hidden.n_deck; i++) {
        i64 p = deck[i], at = i;
        start(&rng, game->seed, game->number, POWER_UP_DECK, time * 1000 + game->rules->number[p]);
        uint64_t key = next_word(&rng);
        for (; at > 0 && keys[at - 1] > key; at--) {
            keys[at] = keys[at - 1];
            deck[at] = deck[at - 1];
        }
        keys[at] = key;
        deck[at] = p;
    }
}

static inline i64 draw_power_up(struct hidden *hidden) { return hidden->deck[--hidden->n_deck]; }

/* Set up (Setup 1-8): button, power-up deck, empty hands. */
static void set_up(struct game *game)
{
    const struct rules *rules = game->rules;
    struct table *table = &game->table;
    i64 n = game->n_players;
    table->n_players = n;
    table->round_number = table->n_offers = table->n_picked = 0;
    start(&game->rng, game->seed, game->number, FIRST_BUTTON, 0);
    table->first_button = table->button = below(&game->rng, n);
    for (i64 seat = 0; seat < n; seat++) {
        forget(rules, &game->own[seat]);
        table->vp[seat] = table->n_hand[seat] = table->n_held[seat] = table->n_revealed[seat] = 0;
        table->score[seat] = table->rank[seat] = 0;
        table->hand_limit[seat] = rules->hand_limit;
    }
    memset(table->client_taken, 0, sizeof table->client_taken);
    memset(game->hidden.holder, 0, sizeof game->hidden.holder);
    for (i64 p = 0; p < rules->n_power_ups; p++)
        game->hidden.deck[p] = p;
    game->hidden.n_deck = rules->n_power_ups;
    mix_deck(game, 0);
}

/* Give power-up `p` to a seat, with a Key Client card if it brings one; return a status. */
static i64 acquire(struct game *game, i64 seat, i64 p, struct picks_row *pick)
{
    const struct rules *rules = game->rules;
    struct table *table = &game->table;
    i64 client = -1;
    if (rules->kind[p] == KEY_CLIENT) {
        i64 left = 0;
        for (i64 i = 0; i < rules->n_clients; i++)
            left += !table->client_taken[i];
        if (left) {
            decide(game, CLIENT, seat);
            client = game->choice[CHOICE_PICK];
            if (client < 0 || client >= rules->n_clients || table->client_taken[client])
                return BAD_CLIENT;
            table->client_taken[client] = 1;
            learn_client(rules, &game->own[seat], client);
        }
    } else if (rules->kind[p] == PASSIVE) {
        table->hand_limit[seat] += rules->more_hand[p];
    }
    learn_power_up(rules, &game->own[seat], p);
    i64 at = table->n_held[seat]++;
    table->held[seat][at] = p;
    table->held_client[seat][at] = client;
    *pick = (struct picks_row){seat, p, client};
    return OK;
}

/* Deal starting power-ups, let each seat keep one (Optional Rules); return a status. */
static i64 starting_power_ups(struct game *game, struct picks_row *picks, i64 *seat)
{
    struct hidden *hidden = &game->hidden;
    i64 n = game->n_players, dealt = game->rules->start_dealt, kept[SEATS];
    for (i64 i = 0; i < n; i++) {
        game->own[i].n_dealt = dealt;
        for (i64 j = 0; j < dealt; j++)
            game->own[i].dealt[j] = draw_power_up(hidden);
    }
    for (*seat = 0; *seat < n; ++*seat) {
        decide(game, START, *seat);
        kept[*seat] = game->choice[CHOICE_PICK];
        if (kept[*seat] < 0 || kept[*seat] >= dealt)
            return BAD_START;
    }
    for (i64 step = 0; step < n; step++) {
        *seat = (game->table.button - 1 - step + 2 * n) % n; /* from the dealer's right, counterclockwise */
        struct own *mine = &game->own[*seat];
        i64 code = acquire(game, *seat, mine->dealt[kept[*seat]], &picks[step]);
        if (code != OK)
            return code;
        for (i64 i = 0; i < dealt; i++)
            if (i != kept[*seat])
                hidden->deck[hidden->n_deck++] = mine->dealt[i];
        mine->n_dealt = 0;
    }
    mix_deck(game, 1);
    return OK;
}

/* Fill a hand up to its limit from the cards that nobody holds (I. Preparation Phase 3-5). */
static void deal(struct game *game, i64 seat)
{
    const struct rules *rules = game->rules;
    struct own *mine = &game->own[seat];
    /* a starting power-up raises the limit from the next round on */
    i64 limit = game->table.round_number == 1 ? rules->hand_limit : game->table.hand_limit[seat];
    uint64_t rng;
    start(&rng, game->seed, game->number, SUSHI_DECK, game->table.round_number * SEATS + seat);
    while (mine->n_hand < limit) {
        i64 code = rules->card_code[below(&rng, rules->n_cards)];
        if (game->hidden.holder[code])
            continue;
        game->hidden.holder[code] = seat + 1;
        i64 at = mine->n_hand++;
        for (; at > 0 && mine->hand[at - 1] > code; at--)
            mine->hand[at] = mine->hand[at - 1];
        mine->hand[at] = code;
    }
    game->table.n_hand[seat] = mine->n_hand;
}

/* Lay out the power-ups on offer (Setup 6, Preparation 6). */
static void lay_out(struct game *game, struct offers_row *offers, i64 n_offers)
{
    game->table.n_offers = n_offers;
    for (i64 i = 0; i < n_offers; i++) {
        i64 p = draw_power_up(&game->hidden);
        game->table.offer[i] = p;
        offers[i] = (struct offers_row){p, -1};
    }
}

/* The hand of a mask that is worth most score, then most VP. */
static i64 best_formed(const struct own *own, i64 formed)
{
    i64 best = -bit(60), hand = -1;
    for (; formed; formed &= formed - 1) {
        i64 h = lowest(formed), rank = rank_of(own->worth[h]);
        if (rank > best) {
            best = rank;
            hand = h;
        }
    }
    return hand;
}

/* Check a reveal, work out its worth, and put the cards aside until all have chosen; return a status. */
static i64 take_reveal(struct game *game, i64 seat)
{
    const struct rules *rules = game->rules;
    const i64 *choice = game->choice;
    struct own *own = &game->own[seat];
    struct hidden *hidden = &game->hidden;
    i64 n_cards = choice[CHOICE_CARDS], chosen = 0, revealed = 0, icons = 0, used = 0;
    if (n_cards < rules->reveal_low || n_cards > min(rules->reveal_high, own->n_hand))
        return BAD_COUNT;
    for (i64 i = 0; i < n_cards; i++) {
        i64 slot = choice[CHOICE_SLOTS + i];
        if (slot < 0 || slot >= own->n_hand || chosen >> slot & 1)
            return BAD_CARD;
        chosen |= bit(slot);
        revealed |= own->hand[slot] << (CODE_BITS * i);
        icons += rules->icon[own->hand[slot]];
    }
    i64 cards = revealed;
    if (choice[CHOICE_USES] < 0 || choice[CHOICE_USES] > HELD)
        return BAD_CHANGE;
    for (i64 step = 0; step < choice[CHOICE_USES]; step++) {
        const i64 *use = &choice[CHOICE_USE + step * USE_WIDTH];
        i64 place = -1, after = 0;
        for (i64 k = 0; k < own->n_changes; k++)
            if (own->change[k] == use[0])
                place = k;
        if (place < 0 || used >> place & 1)
            return BAD_CHANGE;
        used |= bit(place);
        for (i64 i = 0; i < n_cards; i++) {
            if (use[1 + i] < 0 || use[1 + i] >= CODES)
                return BAD_USE;
            after |= use[1 + i] << (CODE_BITS * i);
        }
        if (!legal_use(rules, use[0], game->table.round_number, revealed, cards, after, n_cards))
            return BAD_USE;
        cards = after;
    }
    struct features row;
    fill(rules, own, cards, n_cards, icons, &row);
    i64 shown = parts_shown(rules, own, row.h[0], row.h[1], row.word)
                | rules->group_bits[group_pattern(row.h[1], row.h[2], row.h[3], row.h[4])];
    i64 formed = hands_formed(rules, own, shown, cards, n_cards), hand = choice[CHOICE_HAND] - 1;
    if (hand == -1)
        hand = best_formed(own, formed);
    else if (hand < 0 || hand >= rules->n_hands || !(formed >> hand & 1))
        return BAD_HAND;
    hidden->revealed[seat] = revealed;
    hidden->shown[seat] = cards;
    hidden->n_cards[seat] = n_cards;
    hidden->declared[seat] = hand;
    hidden->value[seat] = worth_of(rules, own, hand, row.counted, row.each, cards, n_cards) + icons;
    i64 kept = 0;
    for (i64 slot = 0; slot < own->n_hand; slot++)
        if (!(chosen >> slot & 1))
            own->hand[kept++] = own->hand[slot];
    own->n_hand = kept;
    return OK;
}

/* Reveal all, rank by score, pay VP (II.3 and III); played cards go back to the deck. */
static void score_round(struct game *game, struct rounds_row *rows)
{
    const struct rules *rules = game->rules;
    struct table *table = &game->table;
    struct hidden *hidden = &game->hidden;
    i64 n = game->n_players, highest = -bit(60);
    for (i64 seat = 0; seat < n; seat++) {
        table->n_hand[seat] = game->own[seat].n_hand;
        table->n_revealed[seat] = hidden->n_cards[seat];
        for (i64 i = 0; i < hidden->n_cards[seat]; i++) {
            i64 code = code_at(hidden->revealed[seat], i);
            table->revealed[seat][i] = code;
            hidden->holder[code] = 0;
        }
        table->declared[seat] = hidden->declared[seat];
        table->score[seat] = score_of(hidden->value[seat]);
        highest = max(highest, table->score[seat]);
    }
    for (i64 seat = 0; seat < n; seat++) {
        i64 rank = 1, near = (seat - table->button + n) % n, score = table->score[seat];
        for (i64 other = 0; other < n; other++) {
            bool nearer = (other - table->button + n) % n < near;
            rank += table->score[other] > score || (table->score[other] == score && nearer);
        }
        table->rank[seat] = rank;
        i64 place = rank - 1;
        if (n == 2 && rank == 2 && 100 * score < rules->two_player_percent * highest)
            place = 2;
        i64 gained = rules->round_vp[n][table->round_number][place] + vp_of(hidden->value[seat]);
        table->vp[seat] += gained;
        rows[seat] = (struct rounds_row){table->button, table->n_revealed[seat], table->declared[seat], score, rank,
                                         gained, table->vp[seat]};
    }
}

/* Order the seats for the draft: worst rank first (IV.1), or as the rules say. */
static void pick_order(struct game *game, i64 *order)
{
    i64 n = game->n_players, rule = game->rules->pick_order;
    if (rule == RANDOM_ORDER) {
        for (i64 seat = 0; seat < n; seat++)
            order[seat] = seat;
        start(&game->rng, game->seed, game->number, PICK_ORDER, game->table.round_number);
        shuffle(&game->rng, order, n);
        return;
    }
    for (i64 seat = 0; seat < n; seat++) {
        i64 at = game->table.rank[seat] - 1;
        order[rule == BEST_FIRST ? at : n - 1 - at] = seat;
    }
}

/* Let each seat take a power-up in order (IV); the rest go under the deck; return a status. */
static i64 draft(struct game *game, struct picks_row *picks, struct offers_row *offers, i64 *seat)
{
    struct table *table = &game->table;
    struct hidden *hidden = &game->hidden;
    i64 order[SEATS];
    pick_order(game, order);
    table->n_picked = 0;
    for (i64 i = 0; i < game->n_players; i++) {
        *seat = order[i];
        decide(game, DRAFT, *seat);
        i64 slot = game->choice[CHOICE_PICK];
        if (slot < 0 || slot >= table->n_offers || table->offer[slot] < 0)
            return BAD_OFFER;
        i64 p = table->offer[slot];
        table->offer[slot] = -1;
        offers[slot].taken_by = *seat;
        i64 code = acquire(game, *seat, p, &picks[i]);
        if (code != OK)
            return code;
        table->n_picked++;
    }
    for (i64 slot = 0; slot < table->n_offers; slot++)
        if (table->offer[slot] >= 0) {
            memmove(&hidden->deck[1], &hidden->deck[0], sizeof hidden->deck[0] * hidden->n_deck++);
            hidden->deck[0] = table->offer[slot];
        }
    table->n_offers = table->n_picked = 0;
    return OK;
}

/* Rank the players: most VP, ties by the rank of the last round (Ending the Game). */
static void finish(const struct game *game, struct games_row *outcome, struct players_row *players)
{
    const struct table *table = &game->table;
    *outcome = (struct games_row){game->rules->n_rounds, 0, 1};
    for (i64 seat = 0; seat < game->n_players; seat++) {
        i64 rank = 1;
        for (i64 other = 0; other < game->n_players; other++)
            rank += table->vp[other] > table->vp[seat]
                    || (table->vp[other] == table->vp[seat] && table->rank[other] < table->rank[seat]);
        players[seat] = (struct players_row){table->vp[seat], rank, rank == 1};
    }
}

/* Play one game; return a status. */
static i64 one_game(struct game *game, struct games_row *outcome, struct players_row *players,
                    struct rounds_row *rounds, struct picks_row *picks, struct offers_row *offers, i64 *seat)
{
    const struct rules *rules = game->rules;
    struct table *table = &game->table;
    i64 n = game->n_players, n_offers = n + rules->offers_beyond;
    set_up(game);
    for (i64 i = 0; i < n; i++)
        picks[i].key_client = -1;
    i64 code = rules->start_dealt ? starting_power_ups(game, picks, seat) : OK;
    for (i64 round_number = 1; code == OK && round_number <= rules->n_rounds; round_number++) {
        table->round_number = round_number;
        if (round_number > 1)
            table->button = (table->button + 1) % n;
        for (i64 step = 0; step < n; step++)
            deal(game, (table->button + 1 + step) % n);
        if (round_number < rules->n_rounds)
            lay_out(game, offers, n_offers);
        for (i64 i = 0; i < n; i++)
            start_round(rules, &game->own[i], round_number);
        for (*seat = 0; *seat < n; ++*seat) {
            decide(game, REVEAL, *seat);
            code = take_reveal(game, *seat);
            if (code != OK)
                return code;
        }
        score_round(game, rounds);
        if (round_number < rules->n_rounds)
            code = draft(game, picks + round_number * n, offers, seat);
        rounds += n;
        offers += n_offers;
    }
    if (code == OK)
        finish(game, outcome, players);
    return code;
}

void play_games(const struct rules *rules, decide_function *const *functions, const double *params, int64_t widest,
                uint64_t seed, uint64_t first, int64_t n_games, int64_t n_players, void *const *rows, int64_t *status)
{
    static _Thread_local struct game game;
    struct games_row *games = rows[0];
    struct players_row *players = rows[1];
    struct rounds_row *rounds = rows[2];
    struct picks_row *picks = rows[3];
    struct offers_row *offers = rows[4];
    i64 n_rounds = rules->n_rounds, seat = 0;
    game = (struct game){
        .rules = rules, .functions = functions, .params = params,
        .widest = widest, .n_players = n_players, .seed = seed};
    for (i64 i = 0; i < n_games; i++) {
        game.number = first + i;
        i64 code = one_game(&game, games, players, rounds, picks, offers, &seat);
        if (code != OK) {
            status[0] = code, status[1] = game.number, status[2] = seat, status[3] = game.table.round_number;
            return;
        }
        games++;
        players += n_players;
        rounds += n_rounds * n_players;
        picks += n_rounds * n_players;
        offers += (n_rounds - 1) * (n_players + rules->offers_beyond);
    }
}
