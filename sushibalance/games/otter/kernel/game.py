"""One whole game of Sushi Otter: deal, reveal, score, draft, eight times over.

A card's random draws never depend on what others did: each seat draws uniformly from all cards and
skips those that are held, and power-ups are ordered by a random key of their own number. Both give
the distribution of shuffled decks, and games of two variants stay alike as long as play does.
"""

from sushibalance.core.jit import inlined, lean
from sushibalance.core.log import note
from sushibalance.core.random import below, place, start
from sushibalance.games.otter.kernel.changes import legal_use
from sushibalance.games.otter.kernel.decide import decide
from sushibalance.games.otter.kernel.draft import draft, lay_out, mix_deck, pick_order, starting_power_ups
from sushibalance.games.otter.kernel.learn import forget, start_round
from sushibalance.games.otter.kernel.reveals import fill
from sushibalance.games.otter.kernel.state import (
    BAD_CARD,
    BAD_CHANGE,
    BAD_COUNT,
    BAD_HAND,
    BAD_USE,
    CHOICE_CARDS,
    CHOICE_HAND,
    CHOICE_SLOTS,
    CHOICE_USE,
    CHOICE_USES,
    CODES,
    E_BUTTON,
    E_DRAW,
    E_END,
    E_PLACE,
    E_REVEAL,
    E_ROUND,
    E_USE,
    FIRST_BUTTON,
    FORCED,
    HELD,
    OK,
    REVEAL,
    SEATS,
    SUSHI_DECK,
    USE_WIDTH,
)
from sushibalance.games.otter.kernel.worth import (
    CODE_BITS,
    code_at,
    hands_formed,
    score_of,
    vp_of,
    worth_of,
)


@lean
def play_games(
    rules_table, functions, params, seed, first, games, players, rounds, picks, offers,
    table_row, own, hidden_row, features, rng, choice, status, log,
):  # fmt: skip
    """Play one game for each row of ``games``; leave (status, game, seat, round) of an illegal choice in ``status``.

    ``table_row``, ``own`` (one a seat), ``hidden_row``, ``features``, ``rng`` and ``choice`` are work space.
    """
    rules, table, hidden = rules_table[0], table_row[0], hidden_row[0]
    for g in range(games.shape[0]):
        game = first + g
        code, seat = one_game(
            rules, functions, params, seed, game, games[g], players[g], rounds[g], picks[g], offers[g],
            table, own, hidden, rng, choice, features, log,
        )  # fmt: skip
        if code != OK:
            status[0], status[1], status[2], status[3] = code, game, seat, table.round_number
            break


@lean
def one_game(
    rules, functions, params, seed, game, game_row, player_rows, round_rows, pick_rows, offer_rows,
    table, own, hidden, rng, choice, features, log,
):  # fmt: skip
    """Play one game; return (status, seat)."""
    n = player_rows.shape[0]
    set_up(rules, table, own, hidden, n, seed, game, rng, log)
    for i in range(n):
        pick_rows[0, i].key_client = -1
    if rules.start_dealt:
        code, seat = starting_power_ups(
            rules, functions, params, seed, game, table, own, hidden, rng, choice, pick_rows[0], log
        )
        if code != OK:
            return code, seat
    for round_number in range(1, rules.n_rounds + 1):
        table.round_number = round_number
        if round_number > 1:
            table.button = (table.button + 1) % n
        note(log, E_ROUND, table.button, round_number)
        for step in range(n):
            deal(rules, table, own, hidden, seed, game, (table.button + 1 + step) % n, rng, log)
        if round_number < rules.n_rounds:
            lay_out(rules, table, hidden, offer_rows[round_number - 1], log)
        for seat in range(n):
            start_round(rules, own[seat], round_number)
        for seat in range(n):
            decide(rules, functions, REVEAL, params, seed, game, table, own, seat, rng, choice)
            code = take_reveal(rules, own[seat], hidden, seat, round_number, choice, features[0], log)
            if code != OK:
                return code, seat
        score_round(rules, table, own, hidden, round_rows[round_number - 1], log)
        if round_number < rules.n_rounds:
            pick_order(rules, table, hidden, seed, game, rng)
            code, seat = draft(
                rules, functions, params, seed, game, table, own, hidden, rng, choice,
                pick_rows[round_number], offer_rows[round_number - 1], log,
            )  # fmt: skip
            if code != OK:
                return code, seat
    finish(rules, table, game_row, player_rows, log)
    return OK, 0


@inlined
def set_up(rules, table, own, hidden, n, seed, game, rng, log):
    """Set up (Setup 1-8): button, power-up deck, empty hands."""
    table.n_players = n
    table.round_number = 0
    table.n_offers = 0
    table.n_picked = 0
    start(rng, seed, game, FIRST_BUTTON, 0)
    table.first_button = below(rng, n)
    table.button = table.first_button
    note(log, E_BUTTON, table.button)
    for seat in range(n):
        forget(rules, own[seat])
        table.vp[seat] = 0
        table.n_hand[seat] = 0
        table.hand_limit[seat] = rules.hand_limit
        table.n_held[seat] = 0
        table.n_revealed[seat] = 0
        table.score[seat] = 0
        table.rank[seat] = 0
    for client in range(rules.n_clients):
        table.client_taken[client] = client + 1 == rules.tested_client
    hidden.holder[:] = 0
    hidden.n_deck = 0
    for p in range(rules.n_power_ups):
        if p + 1 != rules.tested_power_up:
            hidden.deck[hidden.n_deck] = p
            hidden.n_deck += 1
    hidden.forced_seat = hidden.forced_round = -1
    if rules.tested_power_up:
        hidden.forced_seat, hidden.forced_round = place(rng, seed, game, FORCED, n, rules.n_rounds - 1)
    mix_deck(rules, hidden, seed, game, 0, rng, log)


@inlined
def deal(rules, table, own, hidden, seed, game, seat, rng, log):
    """Fill a hand up to its limit from the cards that nobody holds (I. Preparation Phase 3-5)."""
    mine = own[seat]
    limit = table.hand_limit[seat]
    if table.round_number == 1:  # a starting power-up raises it from the next round on
        limit = rules.hand_limit
    start(rng, seed, game, SUSHI_DECK, table.round_number * SEATS + seat)
    while mine.n_hand < limit:
        code = rules.card_code[below(rng, rules.n_cards)]
        if hidden.holder[code]:
            continue
        hidden.holder[code] = seat + 1
        at = mine.n_hand
        while at > 0 and mine.hand[at - 1] > code:
            mine.hand[at] = mine.hand[at - 1]
            at -= 1
        mine.hand[at] = code
        mine.n_hand += 1
        note(log, E_DRAW, seat, code)
    table.n_hand[seat] = mine.n_hand


@inlined
def take_reveal(rules, own, hidden, seat, round_number, choice, features, log):
    """Check a reveal, work out its worth, and put the cards aside until all have chosen; return a status."""
    n_cards = choice[CHOICE_CARDS]
    if not rules.reveal_low <= n_cards <= min(rules.reveal_high, own.n_hand):
        return BAD_COUNT
    chosen = revealed = icons = 0
    for i in range(n_cards):
        slot = choice[CHOICE_SLOTS + i]
        if not 0 <= slot < own.n_hand or (chosen >> slot) & 1:
            return BAD_CARD
        chosen |= 1 << slot
        revealed |= own.hand[slot] << (CODE_BITS * i)
        icons += rules.icon[own.hand[slot]]
    cards = revealed
    used = 0
    if not 0 <= choice[CHOICE_USES] <= HELD:
        return BAD_CHANGE
    for step in range(choice[CHOICE_USES]):
        at = CHOICE_USE + step * USE_WIDTH
        p = choice[at]
        place = -1
        for k in range(own.n_changes):
            if own.change[k] == p:
                place = k
        if place < 0 or (used >> place) & 1:
            return BAD_CHANGE
        used |= 1 << place
        after = 0
        for i in range(n_cards):
            if not 0 <= choice[at + 1 + i] < CODES:
                return BAD_USE
            after |= choice[at + 1 + i] << (CODE_BITS * i)
        if not legal_use(rules, p, round_number, revealed, cards, after, n_cards):
            return BAD_USE
        cards = after
    fill(rules, own, cards, n_cards, icons, features)
    formed = hands_formed(
        rules, own, features.h[0], features.h[1], features.h[2], features.h[3], features.h[4],
        features.word, cards, n_cards,
    )  # fmt: skip
    hand = choice[CHOICE_HAND] - 1
    if hand == -1:
        hand = best_formed(rules, own, formed)
    elif not 0 <= hand < rules.n_hands or (formed >> hand) & 1 == 0:
        return BAD_HAND
    hidden.revealed[seat], hidden.shown[seat], hidden.n_cards[seat] = revealed, cards, n_cards
    hidden.declared[seat] = hand
    value = worth_of(rules, own, hand, features.counted, features.each, cards, n_cards) + icons
    hidden.value[seat] = value
    if log is not None:
        note(log, E_REVEAL, seat, n_cards, revealed, cards, hand, score_of(value), vp_of(value), icons)
        for step in range(choice[CHOICE_USES]):
            at = CHOICE_USE + step * USE_WIDTH
            after = 0
            for i in range(n_cards):
                after |= choice[at + 1 + i] << (CODE_BITS * i)
            note(log, E_USE, seat, choice[at], after, n_cards)
    kept = 0
    for slot in range(own.n_hand):
        if (chosen >> slot) & 1 == 0:
            own.hand[kept] = own.hand[slot]
            kept += 1
    own.n_hand = kept
    return OK


@inlined
def best_formed(rules, own, formed):
    """Return the hand of a mask that is worth most score, then most VP."""
    best, hand = -(1 << 60), -1
    for h in range(rules.n_hands):
        if (formed >> h) & 1:
            key = (score_of(own.worth[h]) << 20) + vp_of(own.worth[h])
            if key > best:
                best, hand = key, h
    return hand


@inlined
def score_round(rules, table, own, hidden, rows, log):
    """Reveal all, rank by score, pay VP (II.3 and III); played cards go back to the deck."""
    n = table.n_players
    for seat in range(n):
        table.n_hand[seat] = own[seat].n_hand
        n_cards = hidden.n_cards[seat]
        table.n_revealed[seat] = n_cards
        for i in range(n_cards):
            code = code_at(hidden.revealed[seat], i)
            table.revealed[seat, i] = code
            hidden.holder[code] = 0
        table.declared[seat] = hidden.declared[seat]
        table.score[seat] = score_of(hidden.value[seat])
    highest = -(1 << 60)
    for seat in range(n):
        highest = max(highest, table.score[seat])
    for seat in range(n):
        rank = 1
        near = (seat - table.button) % n
        for other in range(n):
            nearer = (other - table.button) % n < near
            if table.score[other] > table.score[seat] or (table.score[other] == table.score[seat] and nearer):
                rank += 1
        table.rank[seat] = rank
        place = rank - 1
        if n == 2 and rank == 2 and 100 * table.score[seat] < rules.two_player_percent * highest:
            place = 2
        gained = rules.round_vp[n, table.round_number, place]
        hand_vp = vp_of(hidden.value[seat])
        table.vp[seat] += gained + hand_vp
        row = rows[seat]
        row.button = table.button
        row.n_cards = table.n_revealed[seat]
        row.hand = table.declared[seat]
        row.score = table.score[seat]
        row.rank = rank
        row.round_vp = gained + hand_vp
        row.vp = table.vp[seat]
        note(log, E_PLACE, seat, rank, table.score[seat], gained, hand_vp, table.vp[seat])


@inlined
def finish(rules, table, game_row, player_rows, log):
    """Rank the players: most VP, ties by the rank of the last round (Ending the Game)."""
    n = table.n_players
    game_row.rounds, game_row.ended_by, game_row.winners = rules.n_rounds, 0, 1
    for seat in range(n):
        rank = 1
        for other in range(n):
            more = table.vp[other] > table.vp[seat]
            if more or (table.vp[other] == table.vp[seat] and table.rank[other] < table.rank[seat]):
                rank += 1
        row = player_rows[seat]
        row.total, row.rank, row.won = table.vp[seat], rank, rank == 1
        note(log, E_END, seat, table.vp[seat], rank)
