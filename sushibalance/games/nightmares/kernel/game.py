"""Whole games, from the set-up to the ranks."""

from sushibalance.core.calls import caller
from sushibalance.core.hints import natural
from sushibalance.core.jit import decision_signature, inlined, lean
from sushibalance.core.log import note
from sushibalance.core.random import place, start
from sushibalance.games.nightmares.kernel.ending import away, next_starter, penalty_winners, standing
from sushibalance.games.nightmares.kernel.scoring import (
    chin_swaps,
    chin_works,
    score_cats,
    score_chin,
    score_plates,
    score_sauces,
)
from sushibalance.games.nightmares.kernel.setup import (
    CHOICES,
    FORCED,
    clear_round,
    discard,
    draw_third,
    set_up,
)
from sushibalance.games.nightmares.kernel.state import (
    ABILITIES,
    ABILITY_NOT_HELD,
    ASIDE,
    ASIDE_NONE,
    ASIDE_SHOWN,
    CHEF,
    CHIN,
    EAT,
    EATS,
    END,
    FACE_DOWN,
    FORCED_ABILITY,
    FORCED_GRADE,
    FORCED_NO_ABILITY,
    GOLD_VICTORY,
    GONE,
    LEGAL,
    MAX_SEATS,
    NINJUTSU_CHIN,
    NO_SUCH_TARGET,
    NOT_IN_HAND,
    NOT_ON_OFFER,
    NOTHING,
    OWN,
    PENALTY_VICTORY,
    PLACE,
    ROUND,
    RULES,
    SCORE,
    SERVE,
    SERVES,
    SET_ASIDE,
    TABLE,
    TARGET,
    TOKEN,
)

DECISION = decision_signature(RULES, TABLE, OWN)
decide = caller(DECISION)


@inlined
def ask(rules, table, own, functions, params, seed, game, decision, seat, rng, choice):
    """Let ``seat`` make one decision, from a stream of its own; its answer lies in ``choice``."""
    start(rng, seed, game, CHOICES, (decision << 16) + (table.round_number << 8) + seat)
    choice[0] = 0
    choice[1] = 0
    seat = natural(seat)
    function = functions[decision * MAX_SEATS + seat]
    decide(function, rules, table, own[seat], seat, params[seat], rng, choice)


@inlined
def refuse(status, code, game, seat, round_number):
    """Leave in ``status`` who chose something illegal, and where."""
    status[0], status[1], status[2], status[3] = code, game, seat, round_number


@inlined
def take_aside(rules, mine, choice):
    """Put the chosen card aside; return the status."""
    grade = choice[0]
    if grade < 0 or grade >= rules.grades or mine.hand[grade] == 0:
        return NOT_IN_HAND
    mine.hand[grade] -= 1
    mine.aside = grade
    return LEGAL


@inlined
def take_served(rules, mine, choice):
    """Put the chosen sushi card on the plate and the ability card beside it; return the status."""
    grade, ability = choice[0], choice[1] - 1
    if grade < 0 or grade >= rules.grades or mine.hand[grade] == 0:
        return NOT_IN_HAND
    if ability < NOTHING or ability >= ABILITIES or (ability != NOTHING and mine.abilities[ability] == 0):
        return ABILITY_NOT_HELD
    mine.hand[grade] -= 1
    mine.served = grade
    mine.ability = ability
    if ability != NOTHING:
        mine.abilities[ability] -= 1
    return LEGAL


@inlined
def intervene(rules, mine, choice):
    """Change what a seat serves, or the ability beside it, to what is forced, if it has that."""
    card = rules.forced_card
    if rules.forced == FORCED_GRADE:
        if mine.hand[card] > 0:
            choice[0] = card
    elif mine.abilities[card] > 0:
        if rules.forced == FORCED_ABILITY:
            choice[1] = card + 1
        elif rules.forced == FORCED_NO_ABILITY:
            choice[1] = 0


@inlined
def may_eat(rules, table, seat, what):
    """Return whether ``seat`` may choose ``what``: another's plate, or a chef that is there."""
    if what >= CHEF:
        return what < CHEF + rules.chefs_on_table and table.chef[what - CHEF] != GONE
    return 0 <= what < table.plates and what != seat


@inlined
def write_round(table, own, rows, at, alone, log):
    """Write the round of all seats into ``rows[at, round]``."""
    row = rows[natural(at), natural(table.round_number - 1)]
    for seat in range(table.players):
        line = row[seat]
        line.gold = table.gold[seat]
        line.penalty = table.penalty[seat]
        line.order = away(table, seat) + 1
        line.served = own[seat].served
        line.ability = own[seat].ability
        line.target = table.target[seat]
        line.ate = table.ate[seat]
        line.ate_own = alone >> seat & 1
        note(log, SCORE, seat, table.gold[seat], table.penalty[seat])


@inlined
def write_end(rules, table, own, hidden, winners, games, players, at, log):
    """Rank the players and write the rows of the game."""
    ended_by = PENALTY_VICTORY if winners else GOLD_VICTORY
    note(log, END, -1, ended_by)
    count = 0
    for seat in range(table.players):
        hidden.standing[seat] = standing(rules, table, seat, winners)
    for seat in range(table.players):
        rank = 1
        for other in range(table.players):
            rank += hidden.standing[other] > hidden.standing[seat]
        row = players[at, seat]
        row.total = table.gold[seat] - table.penalty[seat]
        row.rank = rank
        row.won = 1 if rank == 1 else 0
        row.aside = own[seat].aside
        count += row.won
        note(log, PLACE, seat, row.total, rank, row.won)
    row = games[at]
    row.rounds = table.round_number
    row.ended_by = ended_by
    row.winners = count


@lean
def play_games(
    tables, functions, params, seed, first, games, players, rounds, log, tables_work, owns, hiddens, rng, choice, status
):
    """Play a game for each row of ``games``; see `Engine.play`.

    ``tables_work``, ``owns`` (one a seat), ``hiddens``, ``rng`` and ``choice`` are workspace. A game
    that meets an illegal choice ends the run and leaves (status, game, seat, round) in ``status``.
    """
    rules, table, hidden = tables[0], tables_work[0], hiddens[0]
    seats = players.shape[1]
    for at in range(games.shape[0]):
        game = first + at
        set_up(rules, table, owns, hidden, seats, seed, game, rng, log)

        # One card aside (N1): all choose, then the cards are shown, or stay face down.
        if rules.set_aside != ASIDE_NONE:
            for seat in range(seats):
                ask(rules, table, owns, functions, params, seed, game, SET_ASIDE, seat, rng, choice)
                code = take_aside(rules, owns[seat], choice)
                if code != LEGAL:
                    refuse(status, code, game, seat, 0)
                    return
            if table.plates > seats:
                owns[seats].aside = draw_third(rules, table, owns, seed, game, 0, rng)
            shown = rules.set_aside == ASIDE_SHOWN
            for seat in range(table.plates):
                table.aside[seat] = owns[seat].aside if shown else FACE_DOWN
                note(log, ASIDE, seat, owns[seat].aside)

        forced_seat = forced_round = -1
        if rules.forced:
            forced_seat, forced_round = place(rng, seed, game, FORCED, seats, rules.rounds)

        winners = 0
        for round_number in range(1, rules.rounds + 1):
            table.round_number = round_number
            clear_round(table, owns)
            note(log, ROUND, table.starter, round_number)

            # Choose cards.
            for seat in range(seats):
                ask(rules, table, owns, functions, params, seed, game, SERVE, seat, rng, choice)
                if seat == forced_seat and round_number == forced_round:
                    intervene(rules, owns[seat], choice)
                code = take_served(rules, owns[seat], choice)
                if code != LEGAL:
                    refuse(status, code, game, seat, round_number)
                    return
            if table.plates > seats:
                owns[seats].served = draw_third(rules, table, owns, seed, game, round_number, rng)
            for seat in range(seats):
                table.ability[seat] = FACE_DOWN if owns[seat].ability != NOTHING else NOTHING
            for seat in range(table.plates):
                note(log, SERVES, seat, owns[seat].served, owns[seat].ability)

            # Eat sushi (N3), clockwise from the starter.
            seat = natural(table.starter)
            for _ in range(seats):
                ask(rules, table, owns, functions, params, seed, game, EAT, seat, rng, choice)
                if not may_eat(rules, table, seat, choice[0]):
                    refuse(status, NOT_ON_OFFER, game, seat, round_number)
                    return
                hidden.ate[seat] = choice[0]
                if rules.eat_in_turn:
                    table.ate[seat] = choice[0]
                note(log, EATS, seat, choice[0])
                seat = seat + 1 if seat + 1 < seats else 0
            for seat in range(seats):
                table.ate[seat] = hidden.ate[seat]
                table.ability[seat] = owns[seat].ability

            # Abilities (N4, N5), then sushi (N6).
            if rules.cat_first:
                score_cats(rules, table, log)
            works = chin_works(rules, table)
            seat = natural(table.starter)
            for _ in range(seats):
                if table.ability[seat] == NINJUTSU_CHIN:
                    if works:
                        ask(rules, table, owns, functions, params, seed, game, TARGET, seat, rng, choice)
                        target = choice[0]
                        if target < 0 or target >= seats:
                            refuse(status, NO_SUCH_TARGET, game, seat, round_number)
                            return
                        table.target[seat] = target
                        score_chin(rules, table, target)
                        swapped = chin_swaps(rules, table, target)
                        gold, penalty = (rules.chin_penalty, 0) if swapped else (0, rules.chin_penalty)
                        note(log, CHIN, seat, target, gold, penalty)
                    else:
                        note(log, CHIN, seat, NOTHING)
                seat = seat + 1 if seat + 1 < seats else 0
            if not rules.cat_first:
                score_cats(rules, table, log)
            score_sauces(rules, table, log)
            alone = score_plates(rules, table, owns, hidden, log)
            write_round(table, owns, rounds, at, alone, log)
            discard(rules, table, owns, hidden)

            # The end of the game (N7), or the next starter (N8).
            winners = penalty_winners(rules, table)
            if winners:
                break
            if round_number < rules.rounds:
                table.starter = next_starter(rules, table)
                note(log, TOKEN, table.starter)
        write_end(rules, table, owns, hidden, winners, games, players, at, log)
