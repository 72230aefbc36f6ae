"""Interventions in Sushi Otter: what is forced, what stays as it was, what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from otter_replay import assert_same, logged
from test_core_random import Stream

from sushibalance import load_rules
from sushibalance.errors import UserError
from sushibalance.games.intervention import Intervention
from sushibalance.games.otter.engine import ENGINE
from sushibalance.games.otter.kernel import state as s
from sushibalance.simulation.request import Request

RULES = load_rules("otter")
TABLE = ("greedy", "random", "saver", "greedy")
CARDS = [
    ("power_up", "1"),
    ("power_up", "28"),  # Change
    ("power_up", "37"),  # passive: the hand limit
    ("power_up", "39"),  # passive: gaps
    ("power_up", "57"),  # brings a Key Client card
    ("key_client", "learn_even"),
    ("key_client", "upgrade_one_pair"),
]
INDEX = {number: place for place, number in enumerate(RULES.power_ups)}


def place_of(seed, game, players, rounds=7):
    """Return the (seat, round) of the forced pick, from the generator in plain integers."""
    stream = Stream(seed, game, s.FORCED, 0)
    return stream.below(players), 1 + stream.below(rounds)


@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize(("kind", "card"), CARDS)
def test_games_equal_the_reference(kind, card, given):
    for game in range(4):
        assert_same(RULES, TABLE, 11, game, Intervention(kind, card, given))


@pytest.mark.parametrize("players", [2, 3, 5])
@pytest.mark.parametrize("name", ["otter", "otter/starting_power_ups", "otter/no_catch_up", "otter/inventions"])
def test_other_tables_equal_the_reference(name, players):
    for game, (kind, card) in enumerate(CARDS):
        assert_same(load_rules(name), ("random", "greedy") * 2 + ("random",) * (players - 4) if players > 3 else
                    ("greedy",) * players, 12, game, Intervention(kind, card))  # fmt: skip


def test_a_pick_that_brings_nothing_equals_the_reference():
    """All cards stay in play; up to the pick the game is the ordinary one."""
    nothing = Intervention("pick", "own", given=False)
    for game in range(8):
        assert_same(RULES, TABLE, 15, game, nothing)
        (_, plain), (_, events) = logged(RULES, TABLE, 15, game), logged(RULES, TABLE, 15, game, nothing)
        at = next(place for place, event in enumerate(events) if event[0] == s.E_FORCED)
        assert events[:at] == plain[:at] and events[at][2][0] == -1


def test_the_place_is_drawn_by_its_own_stream():
    for players in (2, 4, 5):
        seats, rounds = ENGINE.interventions.places(RULES, players, 3, 100, 200)
        expected = [place_of(3, 100 + game, players) for game in range(200)]
        assert list(zip(seats.tolist(), rounds.tolist(), strict=True)) == expected
    assert set(rounds.tolist()) == set(range(1, 8)) and set(seats.tolist()) == set(range(5))


@pytest.mark.parametrize(("kind", "card"), CARDS)
def test_up_to_the_forced_pick_both_arms_are_the_same(kind, card):
    for game in range(8):
        arms = [logged(RULES, TABLE, 13, game, Intervention(kind, card, given))[1] for given in (True, False)]
        given, blank = ([place for place, event in enumerate(arm) if event[0] == s.E_FORCED] for arm in arms)
        assert len(given) == len(blank) == 1 and given == blank
        seat, number = place_of(13, game, 4)
        rounds = [args[0] for what, _, args in arms[0][: given[0]] if what == s.E_ROUND]
        assert (arms[0][given[0]][1], rounds[-1]) == (seat, number)
        assert arms[0][: given[0]] == arms[1][: given[0]]
        assert arms[1][blank[0]][2][0] == -1


@pytest.mark.parametrize(("kind", "card"), CARDS)
@pytest.mark.parametrize("given", [True, False])
def test_a_card_comes_by_force_alone(kind, card, given):
    """It is never laid out; every power-up and Key Client card is held once at most."""
    for game in range(12):
        _, events = logged(RULES, TABLE, 14, game, Intervention(kind, card, given))
        laid_out = {args[0] for what, _, args in events if what == s.E_OFFER}
        clients = [args[0] for what, _, args in events if what == s.E_CLIENT]
        picks = [(seat, args[0]) for what, seat, args in events if what == s.E_PICK]
        forced = [(seat, args[0]) for what, seat, args in events if what == s.E_FORCED]
        at = next(place for place, event in enumerate(events) if event[0] == s.E_FORCED)
        assert events[at - 1][0] == s.E_PICK and events[at - 1][1] == forced[0][0]
        chosen = (events[at - 1][1], events[at - 1][2][0])
        held = [power_up for _, power_up in picks]
        held.remove(chosen[1])
        held += [power_up for _, power_up in forced if power_up >= 0]
        assert len(held) == len(set(held)) == 27 + given
        assert len(clients) == len(set(clients))
        tested = INDEX[card] if kind == "power_up" else INDEX["52"]
        assert tested not in laid_out and (tested in held) == given
        if kind == "key_client":
            assert (list(RULES.key_clients).index(card) in clients) == given


@pytest.mark.parametrize("policies", [("greedy",) * 4, TABLE])
def test_a_card_that_does_nothing_changes_nothing(policies):
    """It scores in round 1 only, and comes after it at the earliest."""
    late = {"type": "score", "text": "1 score in round 1", "score": 1, "rounds": [1]}
    request = Request.of(RULES.vary({"power_ups.70": late}), 4, list(policies), 3)
    arms = [played(request, Intervention("power_up", "70", given), 60) for given in (True, False)]
    for name, rows in arms[0].items():
        assert np.array_equal(rows, arms[1][name]), name


def played(request, intervention, games, first=0):
    """Return the rows of some games."""
    request = replace(request, intervention=intervention)
    rows = request.new_rows(games)
    assert not request.play(first, rows).any()
    return rows


def test_games_before_and_after_the_place():
    """Rows up to the round of the place agree, and later ones differ in some games."""
    request, games = Request.of(RULES, 4, "greedy", 8), 80
    given, blank = (played(request, Intervention("power_up", "21", arm), games) for arm in (True, False))
    _, rounds = ENGINE.interventions.places(RULES, 4, 8, 0, games)
    for game in range(games):
        upto = rounds[game]
        for name, places in (("rounds", upto), ("offers", upto), ("picks", upto)):
            assert np.array_equal(given[name][game, :places], blank[name][game, :places])
    assert (given["players"]["total"] != blank["players"]["total"]).any(axis=1).mean() > 0.3


def test_without_an_intervention_nothing_is_forced():
    request = Request.of(RULES, 4, "greedy", 8)
    assert "intervention" not in request.described()
    assert not any(request.engine.table(RULES)[name][0] for name in ("tested_power_up", "tested_client", "given"))
    _, events = logged(RULES, TABLE, 14, 0)
    assert s.E_FORCED not in {kind for kind, *_ in events}


def test_jit_off_gives_the_same_rows(python):
    """Compiled and in plain Python (draft values given: sampling them takes plain Python minutes)."""
    code = """
import sys
from dataclasses import replace
import numpy as np
from sushibalance.games.intervention import Intervention
from sushibalance.games.otter.policies import POLICIES
from sushibalance.simulation.request import Request
values = np.random.default_rng(0).random(78)
mine = replace(POLICIES["greedy"], vector=lambda parameters, rules: np.array([2.0, 0, 0, *values]))
request = Request.of("otter", 2, [mine, "random"], 12)
for kind, card, given in (("power_up", "60", True), ("key_client", "learn_odd", True), ("power_up", "3", False)):
    one = replace(request, intervention=Intervention(kind, card, given))
    rows = one.new_rows(1)
    assert not one.play(3, rows).any()
    sys.stdout.write("".join(str(rows[name].tolist()) for name in rows))
    sys.stdout.write(str([part.tolist() for part in one.engine.interventions.places(one.rules, 2, 12, 3, 5)]))
"""
    assert python(code) == python(code, NUMBA_DISABLE_JIT="1")


@pytest.mark.parametrize(
    ("what", "words"),
    [
        (Intervention("power_up", "99"), 'power-up: found "99"; did you mean 9'),
        (Intervention("key_client", "learn_evn"), "did you mean learn_even"),
        (Intervention("grade", "A"), "one of: power_up, key_client, pick"),
        (Intervention("pick", "own"), "pick: found own, given=True, allowed own, given=False"),
    ],
)
def test_what_cannot_be_forced_is_refused(what, words):
    with pytest.raises(UserError, match=words):
        replace(Request.of(RULES, 4, "random", 1), intervention=what)


def test_a_deck_that_would_run_out_is_refused():
    """36 power-ups are just enough for five players, 35 are not."""
    few = RULES.vary({f"power_ups.{number}": None for number in list(RULES.power_ups)[:28]})
    request = Request.of(few, 5, "random", 1)
    with pytest.raises(UserError, match=r"found 35 power-ups without the one .*allowed 36 or more for 5 players"):
        replace(request, intervention=Intervention("power_up", "64"))
    assert_same(few, ["random"] * 4, 1, 0, Intervention("power_up", "64"))
    cards = {f"round_cards.{n}": {"1": [3, 2, 1, 1, 1][: max(n, 3)]} for n in range(2, 6)}
    timed = {f"power_ups.{n}": None for n, card in RULES.power_ups.items() if getattr(card, "rounds", None)}
    short = RULES.vary({"play.rounds": 1, **cards, **timed})
    with pytest.raises(UserError, match="a game of one round, in which nobody picks"):
        replace(Request.of(short, 4, "random", 1), intervention=Intervention("power_up", "64"))
    unbrought = RULES.vary({f"power_ups.{number}": None for number in range(52, 65)} | {"power_ups.64": None})
    with pytest.raises(UserError, match="found no power-up that brings one"):
        replace(Request.of(unbrought, 2, "random", 1), intervention=Intervention("key_client", "learn_even"))


def test_a_trace_tells_what_was_forced():
    for card, words in (("28", "and is given No. 28"), (None, "and is made to do without")):
        _, events = logged(RULES, TABLE, 14, 0, Intervention("power_up", card or "28", card is not None))
        log = np.zeros(len(events), [("kind", int), ("seat", int), ("args", int, (8,))])
        for line, (kind, seat, args) in zip(log, events, strict=True):
            line["kind"], line["seat"], line["args"] = kind, seat, args
        lines = ENGINE.narrate(log, RULES, [ENGINE.policy(name) for name in TABLE])
        assert sum(words in line for line in lines) == 1


def test_players_see_what_is_there(python):
    """What lies before each seat, which Key Client cards are gone, what is on offer: the force included."""
    code = 'import runpy; runpy.run_path("tests/otter_spy.py", run_name="__main__")'
    assert int(python(code, NUMBA_DISABLE_JIT="1", PYTHONPATH="tests")) == 9 * 3 * 21
