"""Drives the compiled Sushi Go! engine, and turns its log into deals and choices for the reference engine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sushibalance.core.log import new_log
from sushibalance.games.sushi_go.engine import ENGINE
from sushibalance.games.sushi_go.kernel.state import CARD, CARDS, TAKE

KINDS_OF_POINTS = ("tempura", "sashimi", "dumpling", "maki", "nigiri", "pudding")


@dataclass
class Logged:
    """Some games: their rows; and their log, as arrays over games."""

    rows: dict
    dealt: np.ndarray  # kinds: games, rounds, players, cards
    takes: np.ndarray  # first kind, second kind + 1, on wasabi, second on wasabi: games, rounds, turns, players, 4

    def deal(self, game):
        return [[[CARDS[kind] for kind in hand] for hand in hands] for hands in self.dealt[game]]

    def choices(self, game):
        return [
            [[(CARDS[a], CARDS[b - 1] if b else None) for a, b, *_ in turn] for turn in turns]
            for turns in self.takes[game].tolist()
        ]


def logged(rules, policies, seed, first, games, params=None):
    """Play some games and return them with what their log says."""
    chosen = [ENGINE.policy(policy) for policy in policies]
    players, turns, rounds = len(chosen), rules.hand_size(len(chosen)), rules.rounds
    events = rounds * (1 + players * turns + turns * (1 + players) + players) + players
    log = new_log(games * events)
    rows = ENGINE.rows(rules, players, games)
    if params is None:
        params = ENGINE.params(chosen, rules)
    with np.errstate(over="ignore"):
        status = ENGINE.play(ENGINE.table(rules), ENGINE.functions(chosen), params, seed, first, rows, log)
    assert status.tolist() == [0, 0, 0, 0]
    assert log[0].kind == games * events
    log = np.asarray(log[1:])
    args = log["args"]
    dealt = args[log["kind"] == CARD][:, 0].reshape(games, rounds, players, turns)
    takes = args[log["kind"] == TAKE][:, :4].reshape(games, rounds, turns, players, 4)
    return Logged(rows, dealt, takes)


def assert_same(rows, game, result):
    """Check one game's rows against the reference's result."""
    rounds = rows["rounds"][game]
    for number, seats in enumerate(result["rounds"]):
        for seat, expected in enumerate(seats):
            row = rounds[number, seat]
            assert {name: int(row[name]) for name in expected} == expected, (game, number + 1, seat)
    players = rows["players"][game]
    assert players["total"].tolist() == result["totals"]
    assert players["rank"].tolist() == result["ranks"]
    assert np.flatnonzero(players["won"]).tolist() == result["winners"]
    outcome = rows["games"][game]
    assert int(outcome["winners"]) == len(result["winners"])
    assert int(outcome["rounds"]) == len(result["rounds"])
    assert ENGINE.endings[int(outcome["ended_by"])] == result["ended_by"]
