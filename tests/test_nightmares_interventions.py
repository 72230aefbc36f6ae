"""Interventions in Nightmares of Sushi: what a seat serves or plays in one round is changed, and nothing else."""

from dataclasses import replace

import numpy as np
import pytest
from nightmares_replay import assert_same, decisions_of
from reference import nightmares as reference
from test_core_random import Stream

from sushibalance import load_rules
from sushibalance.core.log import new_log
from sushibalance.errors import UserError
from sushibalance.games.intervention import Intervention
from sushibalance.games.nightmares.engine import ENGINE
from sushibalance.games.nightmares.kernel import state
from sushibalance.games.nightmares.kernel.setup import FORCED
from sushibalance.games.nightmares.rules import ABILITIES
from sushibalance.simulation.request import Request

RULES = load_rules("nightmares")
FORCES = [
    *(Intervention("grade", grade) for grade in RULES.grades),
    *(Intervention("ability", ability, given) for ability in ABILITIES for given in (True, False)),
]


def logged(request, game, intervention=None):
    """Return the rows and the events of one game."""
    log, request = new_log(1000), replace(request, intervention=intervention)
    rows = request.new_rows(1)
    assert not request.play(game, rows, log).any()
    written = log[1 : log[0].kind + 1]
    return rows, list(zip(written["kind"].tolist(), written["seat"].tolist(), written["args"].tolist(), strict=True))


def place_of(seed, game, players):
    stream = Stream(seed, game, FORCED, 0)
    return stream.below(players), 1 + stream.below(RULES.rounds)


def served(events):
    """Return (grade, ability) by (round, seat), and the grade set aside by seat."""
    number, found, aside = 0, {}, {}
    for kind, seat, args in events:
        if kind == state.ROUND:
            number = args[0]
        elif kind == state.SERVES:
            found[number, seat] = tuple(args[:2])
        elif kind == state.ASIDE:
            aside[seat] = args[0]
    return found, aside


@pytest.mark.parametrize("what", FORCES, ids=str)
@pytest.mark.parametrize("players", [2, 4])
def test_one_choice_is_changed(what, players):
    """Against the ordinary game: all is the same before, at the place the card is served where it is held."""
    request = Request.of(RULES, players, ["greedy", "random", "trickster", "honest"][:players], 5)
    changed = 0
    for game in range(60):
        (plain, before), (rows, after) = logged(request, game), logged(request, game, what)
        seat, number = place_of(5, game, players)
        decisions, _ = decisions_of(RULES, after)
        assert_same(RULES, rows, reference.play(RULES, players, decisions))
        (usual, aside), (forced, same_aside) = served(before), served(after)
        assert aside == same_aside
        for key in usual:
            if key[0] < number or (key[0] == number and key[1] != seat):
                assert usual[key] == forced[key]
        if (number, seat) not in usual:  # the game ended before
            assert after == before
            continue
        if what.kind == "grade":
            card = list(RULES.grades).index(what.card)
            gone = [grade for (n, other), (grade, _) in usual.items() if other == seat and n < number]
            held = card != aside[seat] and card not in gone
            expected = (card, usual[number, seat][1])
        else:
            card = ABILITIES.index(what.card)
            held = card not in [ability for (n, other), (_, ability) in usual.items() if other == seat and n < number]
            expected = (usual[number, seat][0], card if what.given else -1)
        if held:
            assert forced[number, seat] == expected
        if not held or usual[number, seat] == expected:
            assert after == before and all(np.array_equal(rows[name], plain[name]) for name in rows)
        changed += after != before
    assert changed


def test_the_place_is_drawn_by_its_own_stream():
    seats, rounds = ENGINE.interventions.places(RULES, 6, 3, 50, 100)
    expected = [place_of(3, 50 + game, 6) for game in range(100)]
    assert list(zip(seats.tolist(), rounds.tolist(), strict=True)) == expected


@pytest.mark.parametrize(
    ("what", "words"),
    [
        (Intervention("grade", "G"), 'grade: found "G"; one of: A, B, C, D, F'),
        (Intervention("grade", "A", given=False), "a seat must serve some grade"),
        (Intervention("ability", "fortune_cats"), "did you mean fortune_cat"),
        (Intervention("power_up", "1"), "one of: grade, ability"),
    ],
)
def test_what_cannot_be_forced_is_refused(what, words):
    with pytest.raises(UserError, match=words):
        replace(Request.of(RULES, 4, "random", 1), intervention=what)


def test_an_ability_that_is_not_in_the_rules_is_refused():
    without = RULES.vary({"abilities.fortune_cat.cards": 0})
    with pytest.raises(UserError, match="ability fortune_cat: found no such card in these rules"):
        replace(Request.of(without, 4, "random", 1), intervention=Intervention("ability", "fortune_cat"))


def test_a_game_without_interventions_says_so():
    with pytest.raises(UserError, match="Sushi Go!: found an intervention, allowed none in this game"):
        replace(Request.of("sushi_go", 4, "random", 1), intervention=Intervention("card", "pudding"))


def test_jit_off_gives_the_same_rows(python):
    code = """
import sys
from dataclasses import replace
from sushibalance.games.intervention import Intervention
from sushibalance.simulation.request import Request
request = Request.of("nightmares", 4, ["greedy", "random", "trickster", "honest"], 12)
for kind, card, given in (("grade", "A", True), ("ability", "fortune_cat", True), ("ability", "fortune_cat", False)):
    one = replace(request, intervention=Intervention(kind, card, given))
    rows = one.new_rows(10)
    assert not one.play(3, rows).any()
    sys.stdout.write("".join(str(rows[name].tolist()) for name in rows))
"""
    assert python(code) == python(code, NUMBA_DISABLE_JIT="1")
