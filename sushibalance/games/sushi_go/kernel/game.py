"""One whole game: deal, turns, scoring; and many of them."""

import numpy as np

from sushibalance.core.calls import caller
from sushibalance.core.hints import copy, natural
from sushibalance.core.jit import decision_signature, inlined, lean
from sushibalance.core.log import note
from sushibalance.core.random import drawn, start
from sushibalance.games.sushi_go.kernel.scoring import (
    dumpling_points,
    maki_award,
    nigiri_card_points,
    pudding_award,
    sashimi_points,
    tempura_points,
)
from sushibalance.games.sushi_go.kernel.state import (
    BY_POINTS,
    BY_PUDDINGS,
    CARD,
    CHOOSE,
    CHOPSTICKS,
    DECK,
    DUMPLING,
    END,
    KINDS,
    NO_CHOPSTICKS,
    NO_SECOND_CARD,
    NO_SUCH_CARD,
    OWN,
    PUDDING,
    ROUND,
    RULES,
    SCORE,
    SHARED,
    TABLE,
    TAKE,
    TURN,
    WASABI,
)

DECISION = decision_signature(RULES, TABLE, OWN)
decide = caller(DECISION)


@inlined
def deal(rules, table, own, hidden, rng, log):
    """Deal a hand to each seat from the top of the draw pile (Fisher-Yates, as far as needed)."""
    dealt = hidden.drawn
    word = rng[0]
    for seat in range(table.players):
        mine = own[seat]
        for kind in range(KINDS):
            mine.hand[kind] = 0
        mine.holding = seat
        for _ in range(table.turns):
            word, beyond = drawn(word, rules.deck_total - dealt)
            top, at = natural(dealt), natural(dealt + beyond)
            kind = hidden.cards[at]
            hidden.cards[at] = hidden.cards[top]
            hidden.cards[top] = kind
            dealt += 1
            mine.hand[kind] += 1
            note(log, CARD, seat, kind)
    hidden.drawn = dealt


@inlined
def begin_round(rules, table, own, round_number):
    """Clear the fronts and what the seats remember of the hands."""
    table.round_number = round_number
    table.direction = rules.direction[(round_number - 1) % 2]
    for seat in range(table.players):
        for kind in range(KINDS):
            table.front[seat][kind] = 0
        table.free_wasabi[seat] = 0
        table.nigiri_points[seat] = 0
        table.maki[seat] = 0
        mine = own[seat]
        for hand in range(table.players):
            mine.seen_turn[hand] = 0
            for kind in range(KINDS):
                mine.seen[hand][kind] = 0


@inlined
def place(rules, table, seat, kind, at):
    """Put a card in front of ``seat`` as the ``at``-th in play order; return 1 if it went on a wasabi."""
    on_wasabi = min(table.free_wasabi[seat], rules.is_nigiri[kind])
    table.nigiri_points[seat] += nigiri_card_points(rules, kind, on_wasabi)
    table.free_wasabi[seat] += (kind == WASABI) - on_wasabi
    table.maki[seat] += rules.icons[kind]
    table.puddings[seat] += kind == PUDDING
    table.front[seat][kind] += 1
    table.order[seat][at] = kind
    return on_wasabi


@inlined
def use_chopsticks(table, hand, seat, in_front):
    """Move one chopsticks card from the front, which has ``in_front`` cards, to the hand that is passed on."""
    table.front[seat][CHOPSTICKS] -= 1
    hand[CHOPSTICKS] += 1
    order = table.order[seat]
    at = 0
    while order[at] != CHOPSTICKS:
        at += 1
    for i in range(at, in_front - 1):
        order[i] = order[i + 1]


@inlined
def take(rules, table, hand, seat, pick, log):
    """Move the cards of a pick from the hand to the front."""
    first = natural(pick.card)
    second = natural(pick.second)
    at = natural(table.turn - 1)
    hand[first] -= 1
    if second == 0:
        on_wasabi = place(rules, table, seat, first, at)
        note(log, TAKE, seat, first, 0, on_wasabi, 0)
        return
    hand[second - 1] -= 1
    use_chopsticks(table, hand, seat, at)
    on_wasabi = place(rules, table, seat, first, at - 1)
    fresh = first == WASABI and rules.wasabi_next_turn != 0
    table.free_wasabi[seat] -= fresh
    second_on_wasabi = place(rules, table, seat, second - 1, at)
    table.free_wasabi[seat] += fresh
    note(log, TAKE, seat, first, second, on_wasabi, second_on_wasabi)


@inlined
def fault(table, hand, seat, first, second):
    """Return what is wrong with a choice, 0 for nothing."""
    if first < 0 or first >= KINDS or hand[first] < 1:
        return NO_SUCH_CARD
    if second == 0:
        return 0
    if second < 0 or second > KINDS:
        return NO_SECOND_CARD
    if table.front[seat][CHOPSTICKS] < 1:
        return NO_CHOPSTICKS
    if hand[second - 1] < 1 + (first == second - 1):
        return NO_SECOND_CARD
    return 0


@inlined
def pass_hands(table, own):
    """Hand each hand to the neighbour; the giver remembers what was in it."""
    players = table.players
    for seat in range(players):
        giver = own[seat]
        held = natural(giver.holding)
        copy(giver.seen[held], giver.hand)
        giver.seen_turn[held] = table.turn
    passed = own[0].holding
    receiver = 1 if table.direction > 0 else players - 1
    for seat in range(players):
        taker = own[receiver]
        copy(taker.hand, own[seat].seen[natural(passed)])
        taker.holding = passed
        passed = passed + 1 if passed + 1 < players else 0
        receiver = receiver + 1 if receiver + 1 < players else 0


@inlined
def play_turn(rules, table, own, functions, params, seed, game, rng, choice, picks, log, status):
    """Let all seats choose unseen, then turn the cards over; return False after an illegal choice."""
    note(log, TURN, -1, table.turn)
    index = (table.round_number * 64 + table.turn) * 8
    for seat in range(table.players):
        start(rng, seed, game, CHOOSE, index + seat)
        choice[0] = 0
        choice[1] = 0
        mine = own[seat]
        decide(functions[seat], rules, table, mine, seat, params[seat], rng, choice)
        wrong = fault(table, mine.hand, seat, choice[0], choice[1])
        if wrong != 0:
            status[0], status[1], status[2], status[3] = wrong, game, seat, table.round_number
            return False
        picks[seat].card = choice[0]
        picks[seat].second = choice[1]
    for seat in range(table.players):
        mine = own[seat]
        take(rules, table, mine.hand, seat, picks[seat], log)
    if table.turn < table.turns:
        pass_hands(table, own)
    return True


@inlined
def score_round(rules, table, rounds, log):
    """Write the points of the round by kind and add them up."""
    puddings_count = rules.pudding_every_round != 0 or table.round_number == rules.rounds
    for seat in range(table.players):
        front = table.front[seat]
        tempura = tempura_points(rules, front)
        sashimi = sashimi_points(rules, front)
        dumpling = dumpling_points(rules, front[DUMPLING])
        maki = maki_award(rules, table.maki, table.players, seat, 0)
        nigiri = table.nigiri_points[seat]
        pudding = 0
        if puddings_count:
            pudding = pudding_award(rules, table.puddings, table.players, seat, 0)
        table.points[seat] += tempura + sashimi + dumpling + maki + nigiri + pudding
        row = rounds[seat]
        row.tempura = tempura
        row.sashimi = sashimi
        row.dumpling = dumpling
        row.maki = maki
        row.nigiri = nigiri
        row.pudding = pudding
        row.maki_icons = table.maki[seat]
        row.puddings = table.puddings[seat]
        icons = table.maki[seat]
        note(log, SCORE, seat, tempura, sashimi, dumpling, maki, nigiri, pudding, icons, table.puddings[seat])


@inlined
def finish(table, outcome, players, log):
    """Rank the seats by points, then puddings, and write who won and what decided it."""
    winners = 0
    level = 0
    for seat in range(table.players):
        rank = 1
        best = True
        for other in range(table.players):
            more = table.points[other] > table.points[seat]
            even = table.points[other] == table.points[seat]
            rank += more or (even and table.puddings[other] > table.puddings[seat])
            best = best and not more
        players[seat].total = table.points[seat]
        players[seat].rank = rank
        players[seat].won = rank == 1
        winners += rank == 1
        level += best
    ended_by = BY_POINTS
    if winners > 1:
        ended_by = SHARED
    elif level > 1:
        ended_by = BY_PUDDINGS
    outcome.rounds = table.round_number
    outcome.winners = winners
    outcome.ended_by = ended_by
    for seat in range(table.players):
        rank = np.int64(players[seat].rank)
        note(log, END, seat, table.points[seat], table.puddings[seat], rank, rank == 1, ended_by)


@inlined
def play_game(
    rules, table, own, hidden, functions, params, seed, game, rng, choice, outcome, players, picks, rounds, log, status
):
    """Play one game; return False after an illegal choice."""
    table.turns = rules.deal[table.players]
    for i in range(rules.deck_total):
        hidden.cards[i] = rules.unshuffled[i]
    hidden.drawn = 0
    for seat in range(table.players):
        table.points[seat] = 0
        table.puddings[seat] = 0
    for round_number in range(1, rules.rounds + 1):
        begin_round(rules, table, own, round_number)
        note(log, ROUND, -1, round_number, table.turns, table.direction)
        start(rng, seed, game, DECK, round_number)
        deal(rules, table, own, hidden, rng, log)
        for turn in range(1, table.turns + 1):
            table.turn = turn
            row = picks[round_number - 1, turn - 1]
            if not play_turn(rules, table, own, functions, params, seed, game, rng, choice, row, log, status):
                return False
        score_round(rules, table, rounds[round_number - 1], log)
    finish(table, outcome, players, log)
    return True


@lean
def play_games(
    rules_rows, functions, params, seed, first, games, players, picks, rounds,
    table_rows, own, hidden_rows, rng, choice, status, log,
):  # fmt: skip
    """Play a game for each element of ``games``; stop at an illegal choice.

    ``table_rows``, ``own``, ``hidden_rows`` (lengths 1, `MAX_PLAYERS`, 1), ``rng`` (``uint64[1]``) and
    ``choice`` (``int64[2]``) are the workspace. ``status`` (``int64[4]``) gets (fault, game, seat, round).
    """
    rules, table, hidden = rules_rows[0], table_rows[0], hidden_rows[0]
    table.players = players.shape[1]
    for i in range(games.shape[0]):
        if not play_game(
            rules, table, own, hidden, functions, params, seed, first + i, rng, choice,
            games[i], players[i], picks[i], rounds[i], log, status,
        ):  # fmt: skip
            return
