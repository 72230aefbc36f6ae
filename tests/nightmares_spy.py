"""What each decision is shown, against what its player may know; runs with the jit off.

`check` plays games with policies that record their view, and rebuilds every view from public events and
the player's own cards alone. A field that told more would differ.
"""

from __future__ import annotations

import itertools
import sys

import numpy as np
from nightmares_replay import logged

from sushibalance import Policy, load_rules
from sushibalance.core.random import below
from sushibalance.games.nightmares.engine import ENGINE
from sushibalance.games.nightmares.kernel import state
from sushibalance.games.nightmares.kernel.state import CHEF, FACE_DOWN, GONE, NOTHING

FIELDS = ("seen", "used", "aside", "chef", "chef_seen", "ability", "ate", "target", "gold", "penalty")


def spies(players, views):
    """Return policies that act as random and append (decision, seat, table, own) to ``views``."""
    random = ENGINE.policies["random"].decisions

    def spy(name):
        def decide(rules, table, own, seat, params, rng, choice):
            shown = {field: np.array(table[field]) for field in table.dtype.names}
            views.append((name, seat, shown, {field: np.array(own[field]) for field in own.dtype.names}))
            random[name](rules, table, own, seat, params, rng, choice)

        return decide

    return [Policy("spy", {name: spy(name) for name in ENGINE.decisions})] * players


def expected_views(rules, table, players, events):
    """Yield (decision, seat, table, own) of one game, from its events."""
    third = players == 2 and rules.readings.two_players == "third_seat"
    plates = players + third
    cards = table.cards
    aside = {seat: args[0] for kind, seat, args in events if kind == state.ASIDE}
    chefs = {args[0]: args[1] for kind, _, args in events if kind == state.CHEF_CARD and args[0] != NOTHING}
    (starter,) = (seat for kind, seat, _ in events if kind == state.SETUP)

    view = {field: np.full(state.TABLE[field].shape, NOTHING) for field in FIELDS}
    for field in ("seen", "used", "chef_seen", "gold", "penalty"):
        view[field][...] = 0
    view["chef"][:] = [FACE_DOWN if place in chefs else GONE for place in range(state.MAX_CHEFS)]
    view |= {"round_number": 0, "players": players, "plates": plates, "starter": starter}
    hands = [cards.copy() for _ in range(plates)]
    held = [table.ability_cards.copy() for _ in range(plates)]

    def shot(name, seat, served=NOTHING, ability=NOTHING):
        put = aside.get(seat, NOTHING) if view["round_number"] else NOTHING
        own = {"hand": hands[seat], "abilities": held[seat], "aside": put, "served": served, "ability": ability}
        table_now, own_now = ({key: np.array(value) for key, value in part.items()} for part in (view, own))
        return name, seat, table_now, own_now

    if rules.readings.set_aside != "none":
        for seat in range(players):
            yield shot("set_aside", seat)
        for seat in range(plates):
            hands[seat][aside[seat]] -= 1
            view["aside"][seat] = aside[seat] if rules.readings.set_aside == "shown" else FACE_DOWN

    rounds = [list(group) for group in split(events)]
    for number, played in enumerate(rounds, start=1):
        starter = next(seat for kind, seat, _ in played if kind == state.ROUND)
        serves = {seat: args[:2] for kind, seat, args in played if kind == state.SERVES}
        eats = {seat: args[0] for kind, seat, args in played if kind == state.EATS}
        order = [(starter + step) % players for step in range(players)]
        view |= {"round_number": number, "starter": starter}
        for field in ("ability", "ate", "target"):
            view[field][:] = NOTHING
        for seat in range(players):
            yield shot("serve", seat)
        for seat, (grade, ability) in serves.items():
            hands[seat][grade] -= 1
            if ability != NOTHING:
                held[seat][ability] -= 1
                view["ability"][seat] = FACE_DOWN
        for seat in order:
            yield shot("eat", seat, served=serves[seat][0], ability=serves[seat][1])
            if rules.readings.eating == "in_turn":
                view["ate"][seat] = eats[seat]
        for seat in range(players):
            view["ate"][seat] = eats[seat]
            view["ability"][seat] = serves[seat][1]
        for kind, seat, (a, b, c, *_) in played:
            if kind == state.CAT:
                view["gold"][seat] += a
                view["penalty"][seat] -= a
            if kind == state.CHIN and a != NOTHING:
                yield shot("target", seat, served=serves[seat][0], ability=serves[seat][1])
                view["target"][seat] = a
                view["gold"][a] += b
                view["penalty"][a] += c
            if kind == state.SCORE:
                view["gold"][seat], view["penalty"][seat] = a, b
        if rules.readings.memory == "last_round":
            for field in ("seen", "used", "chef_seen"):
                view[field][...] = 0
        for seat, (grade, ability) in serves.items():
            view["seen"][seat, grade] += 1
            if ability != NOTHING:
                view["used"][seat, ability] += 1
        for code in eats.values():
            if code >= CHEF:
                stays = rules.readings.chosen_chef == "stays_open"
                view["chef"][code - CHEF] = chefs[code - CHEF] if stays else GONE
                view["chef_seen"][chefs[code - CHEF]] = 1
        for card in view["chef"]:
            if card >= 0:
                view["chef_seen"][card] = 1


def split(events):
    """Yield the events of each round."""
    numbered = itertools.accumulate((kind == state.ROUND for kind, _, _ in events), lambda a, b: a + b)
    for number, group in itertools.groupby(zip(numbered, events, strict=True), key=lambda pair: pair[0]):
        if number:
            yield [event for _, event in group]


def check(changes, players, games):
    """Play games and compare all views; return how many there were."""
    rules = load_rules("nightmares").vary(changes)
    table = ENGINE.table(rules)[0]
    compared = 0
    for game in range(games):
        views: list = []
        _, (events,) = logged(rules, spies(players, views), seed=9, first=game)
        expected = list(expected_views(rules, table, players, events))
        assert [view[:2] for view in views] == [view[:2] for view in expected]
        for view, wanted in zip(views, expected, strict=True):
            for part, right in zip(view[2:], wanted[2:], strict=True):
                assert part.keys() == right.keys()
                for key, value in part.items():
                    assert np.array_equal(value, right[key]), (*view[:2], game, key, value, right[key])
            compared += 1
    return compared


if __name__ == "__main__":
    assert below.__class__.__name__ == "function", "to be run with NUMBA_DISABLE_JIT=1"
    VARIATIONS = [
        {},
        {"readings.set_aside": "shown", "readings.chosen_chef": "stays_open"},
        {"readings.set_aside": "none", "readings.eating": "at_once"},
        {"readings.memory": "last_round"},
        {"readings.memory": "last_round", "readings.chosen_chef": "stays_open"},
        {"readings.fortune_cat_order": "after_ninjutsu_chin", "abilities.ninjutsu_chin.at_most": 3},
    ]
    total = sum(check(changes, players, 6) for changes in VARIATIONS for players in (2, 3, 6))
    sys.stdout.write(f"{total}\n")
