"""Drives the compiled Otter engine, and turns its log into a deal and choices for the reference engine."""

from __future__ import annotations

import numpy as np
from reference.otter_game import Forced, Pick, Start, Turn, play

from sushibalance.core.log import new_log
from sushibalance.games.otter.engine import ENGINE
from sushibalance.games.otter.kernel import state as s
from sushibalance.games.otter.kernel.worth import CODE_BITS, CODE_MASK
from sushibalance.games.otter.tables import card_of


def logged(rules, policies, seed, game, intervention=None):
    """Play one game; return its rows and its events as (kind, seat, args)."""
    chosen = [ENGINE.policy(policy) for policy in policies]
    table = ENGINE.table(rules)
    if intervention is not None:
        ENGINE.interventions.write(table, rules, len(chosen), intervention)
    log = new_log(4000)
    rows = ENGINE.rows(rules, len(chosen), 1)
    with np.errstate(over="ignore"):
        status = ENGINE.play(table, ENGINE.functions(chosen), ENGINE.params(chosen, rules), seed, game, rows, log)
    assert status.tolist() == [0, 0, 0, 0]
    assert log[0].kind < len(log)
    events = np.asarray(log[1 : log[0].kind + 1])
    return rows, [(int(event["kind"]), int(event["seat"]), event["args"].tolist()) for event in events]


def replayed(rules, players, events, forced=None):
    """Return the reference engine's game for the deal and the choices of a log."""
    return play(rules, players, **record(rules, players, events), forced=forced)


def forced_in(rules, players, seed, game, intervention):
    """Return an intervention as the reference engine takes it."""
    if intervention is None:
        return None
    seats, rounds = ENGINE.interventions.places(rules, players, seed, game, 1)
    bringer = min(int(number) for number, card in rules.power_ups.items() if card.type == "key_client")
    card, given = intervention.card, intervention.given
    if intervention.kind == "pick":
        power_up, client, out_of_play = None, None, []
    elif intervention.kind == "power_up":
        power_up, client, out_of_play = int(card), None, [int(card)]
    else:
        power_up, client, out_of_play = bringer, card, [bringer, card]
    if not given:
        power_up = client = None
    return Forced(int(seats[0]), int(rounds[0]), power_up, client, out_of_play)


def record(rules, players, events):
    """Return the deal and the choices of a log, as the reference engine's `play` takes them."""
    suits, numbers = rules.deck.suits, [int(number) for number in rules.power_ups]
    hands, clients = list(rules.hands), list(rules.key_clients)

    def cards(packed, count):
        codes = [(packed >> (CODE_BITS * slot)) & CODE_MASK for slot in range(count)]
        return [(suits[suit], number) for suit, number in map(card_of, codes)]

    decks, deals, turns, picks = [], [], [], []
    dealt, kept, start_clients = ([[] for _ in range(players)] for _ in range(3))
    button, client_of = None, {}
    for kind, seat, args in events:
        if kind == s.E_BUTTON:
            button = seat
        elif kind == s.E_DECK:
            if args[1] == 0:
                decks.append([])
            decks[-1].append(numbers[args[0]])
        elif kind == s.E_DEALT:
            dealt[seat].append(numbers[args[0]])
        elif kind == s.E_KEPT:
            kept[seat] = numbers[args[0]]
            start_clients[seat] = clients[args[1]] if args[1] >= 0 else None
        elif kind == s.E_ROUND:
            deals.append([[] for _ in range(players)])
            turns.append([None] * players)
            picks.append([])
        elif kind == s.E_DRAW:
            suit, number = card_of(args[0])
            deals[-1][seat].append((suits[suit], number))
        elif kind == s.E_REVEAL:
            turns[-1][seat] = Turn(cards(args[1], args[0]), hands[args[3]])
        elif kind == s.E_USE:
            turn = turns[-1][seat]
            turns[-1][seat] = Turn(turn.revealed, turn.hand, (*turn.uses, (numbers[args[0]], cards(args[1], args[2]))))
        elif kind == s.E_PICK:
            picks[-1].append(Pick(seat, numbers[args[0]]))
        elif kind == s.E_CLIENT:
            client_of[seat] = clients[args[0]]
            if picks and picks[-1] and picks[-1][-1].seat == seat:
                picks[-1][-1].client = clients[args[0]]
    start = Start(dealt, kept, start_clients) if rules.play.starting_power_ups else None
    return {
        "button": button, "deck": decks[-1], "deals": deals, "turns": turns, "picks": picks[:-1], "start": start
    }  # fmt: skip


def assert_same(rules, policies, seed, game, intervention=None):
    """Check that the reference engine, given the kernel's deal and choices, comes to the kernel's rows."""
    rows, events = logged(rules, policies, seed, game, intervention)
    reference = replayed(rules, len(policies), events, forced_in(rules, len(policies), seed, game, intervention))
    where = (rules.name, policies, seed, game)
    for number, expected in enumerate(reference.rounds):
        got = rows["rounds"][0, number]
        assert got["button"].tolist() == [expected.button] * len(policies), where
        assert got["score"].tolist() == expected.scores, where
        assert got["rank"].tolist() == expected.ranks, where
        earned = [sum(parts) for parts in zip(expected.hand_vp, expected.round_vp, strict=True)]
        assert got["round_vp"].tolist() == earned, where
        assert got["vp"].tolist() == expected.vp, where
        if expected.offers:
            laid_out = [int(list(rules.power_ups)[p]) for p in rows["offers"][0, number]["power_up"]]
            assert laid_out == expected.offers, where
    assert rows["players"][0]["total"].tolist() == reference.vp, where
    assert rows["players"][0]["rank"].tolist() == reference.final_ranks(), where
    return reference
