"""Drives the compiled Nightmares engine, and turns its log into decisions for the reference engine."""

from __future__ import annotations

from functools import cache

import numpy as np
from reference import nightmares as reference

from sushibalance import Policy
from sushibalance.core.log import new_log
from sushibalance.games.nightmares.engine import ENGINE
from sushibalance.games.nightmares.kernel import state
from sushibalance.games.nightmares.policies import decision
from sushibalance.games.nightmares.rules import ABILITIES

READINGS = {
    "set_aside": ("unseen", "shown", "none"),
    "chosen_chef": ("leaves", "stays_open"),
    "eating": ("in_turn", "at_once"),
    "fortune_cat": ("per_cat_played", "one_each"),
    "fortune_cat_order": ("first", "after_ninjutsu_chin"),
    "ninjutsu_chin_point": ("penalty", "swapped"),
    "swelling_tongue": ("every_plate", "not_own_plate"),
    "whats_up_wasabi": ("not_own_plate", "every_plate"),
    "penalty_victory": ("each_round", "game_end"),
    "ties": ("starter_first", "starter_last"),
    "two_players": ("third_seat", "no_third_seat"),
    "memory": ("everything", "last_round"),
}


def play(rules, policies, seed=0, first=0, games=1, log=None):
    """Return the rows of some games, played by the compiled engine (policies by name, one a seat)."""
    chosen = [ENGINE.policy(policy) for policy in policies]
    rows = ENGINE.rows(rules, len(chosen), games)
    log = new_log(0) if log is None else log
    with np.errstate(over="ignore"):
        status = ENGINE.play(
            ENGINE.table(rules), ENGINE.functions(chosen), ENGINE.params(chosen, rules), seed, first, rows, log
        )
    assert not status[0], (ENGINE.complaints[int(status[0])], status)
    return rows


def logged(rules, policies, seed=0, first=0, games=1):
    """Return the rows of some games, and for each its events as (kind, seat, arguments)."""
    log = new_log(400 * games)
    rows = play(rules, policies, seed, first, games, log)
    count = int(log[0].kind)
    assert count <= 400 * games
    written = log[1 : count + 1]
    events = list(zip(written["kind"].tolist(), written["seat"].tolist(), written["args"].tolist(), strict=True))
    starts = [at for at, event in enumerate(events) if event[0] == state.SETUP]
    assert len(starts) == games
    return rows, [events[at:until] for at, until in zip(starts, [*starts[1:], count], strict=True)]


def dish(code):
    """Return what an engine's code for a meal means to the reference."""
    return ("chef", code - state.CHEF) if code >= state.CHEF else ("player", code)


def decisions_of(rules, events):
    """Return the decisions of a logged game, and the chef values left out."""
    grades = list(rules.grades)
    (starter,) = (seat for kind, seat, _ in events if kind == state.SETUP)
    cards = [args[:2] for kind, _, args in events if kind == state.CHEF_CARD]
    assert sorted(card for _, card in cards) == list(range(len(rules.chefs.points)))  # each chef exactly once
    on_table = {place: rules.chefs.points[card] for place, card in cards if place != state.NOTHING}
    assert list(on_table) == list(range(len(on_table)))
    decisions = reference.Decisions(starter, list(on_table.values()))
    number = 0
    for kind, seat, (a, b, *_) in events:
        if kind == state.ROUND:
            number = a
        elif kind == state.ASIDE:
            decisions.aside[seat] = grades[a]
        elif kind == state.SERVES:
            decisions.serve[number, seat] = grades[a], None if b == state.NOTHING else ABILITIES[b]
        elif kind == state.EATS:
            decisions.eat[number, seat] = dish(a)
        elif kind == state.CHIN and a != state.NOTHING:
            decisions.target[number, seat] = a
    return decisions, [rules.chefs.points[card] for place, card in cards if place == state.NOTHING]


def assert_same(rules, rows, game, at=0):
    """Check the rows of game ``at`` against the reference's game, value by value."""
    grades = list(rules.grades)
    head, players = rows["games"][at], rows["players"][at]
    assert head.rounds == len(game.rounds)
    assert ENGINE.endings[head.ended_by] == game.ended_by
    assert head.winners == len(game.winners)
    assert players["total"].tolist() == game.totals
    assert players["rank"].tolist() == game.ranks
    assert players["won"].tolist() == [seat in game.winners for seat in range(len(players))]
    for number, expected in enumerate(game.rounds):
        row = rows["rounds"][at, number]
        seats = len(row)
        assert row["gold"].tolist() == expected.gold
        assert row["penalty"].tolist() == expected.penalty
        assert row["order"].tolist() == [(seat - expected.starter) % seats + 1 for seat in range(seats)]
        assert [grades[card] for card in row["served"]] == expected.served[:seats]
        assert [ABILITIES[a] if a >= 0 else None for a in row["ability"]] == expected.abilities
        assert [None if t < 0 else t for t in row["target"]] == expected.targets
        assert [dish(code) for code in row["ate"]] == expected.eaten
        assert row["ate_own"].astype(bool).tolist() == expected.ate_own


@cache
def _scripted():
    @decision
    def set_aside(rules, table, own, seat, params, rng, choice):
        choice[0] = int(params[0])

    @decision
    def serve(rules, table, own, seat, params, rng, choice):
        at = 1 + 4 * (table.round_number - 1)
        choice[0] = int(params[at])
        choice[1] = int(params[at + 1])

    @decision
    def eat(rules, table, own, seat, params, rng, choice):
        choice[0] = int(params[1 + 4 * (table.round_number - 1) + 2])

    @decision
    def target(rules, table, own, seat, params, rng, choice):
        choice[0] = int(params[1 + 4 * (table.round_number - 1) + 3])

    return {"set_aside": set_aside, "serve": serve, "eat": eat, "target": target}


def script(aside, *rounds, grades="ABCDF"):
    """Return a policy that does as it is told.

    Each round is (grade, ability or None, meal, target or None); a meal is a seat or ``"chef 1"``.
    """
    numbers = [grades.index(aside)]
    for grade, ability, meal, target in rounds:
        code = state.CHEF + int(meal.split()[1]) if isinstance(meal, str) else meal
        numbers += [grades.index(grade), 0 if ability is None else 1 + ABILITIES.index(ability), code, target or 0]
    return Policy("script", _scripted(), {f"p{at}": float(value) for at, value in enumerate(numbers)})
