"""What a served grade and a played ability cause: against games set against each other by hand, and exact cases."""

from dataclasses import replace

import numpy as np
import pytest

from sushibalance import load_rules
from sushibalance.analysis import served_values
from sushibalance.errors import UserError
from sushibalance.games.intervention import Intervention
from sushibalance.games.nightmares.rules import ABILITIES
from sushibalance.simulation.request import Request

RULES = load_rules("nightmares")
GRADES = list(RULES.grades)
MIXED = ["greedy", "random", "honest", "penalty_hunter"]


def values(rules=RULES, **options):
    return served_values.served_values(rules, **{"progress": False, "workers": 2, **options})


def played(request, what, games):
    request = replace(request, intervention=what)
    rows = request.new_rows(games)
    assert not request.play(0, rows).any()
    return rows


def by_hand(request, what, card, games):
    """Yield for each game in which the seat has the card there: seat, round, whether chosen anyway, both outcomes."""
    force = Intervention(what, card)
    arms = (
        played(request, None if what == "grade" else replace(force, given=False), games),
        played(request, force, games),
    )
    places = request.engine.interventions.places(request.rules, len(request.policies), request.seed, 0, games)
    for game, (seat, number) in enumerate(zip(*places, strict=True)):
        base = arms[0]
        if base["games"]["rounds"][game] < number:
            continue
        mine = base["rounds"][game, :, seat]
        if what == "grade":
            code, aside = GRADES.index(card), base["players"]["aside"][game, seat]
            had = [code] * request.rules.grades[card].cards
            gone = [aside, *mine["served"][: number - 1]]
        else:
            code = ABILITIES.index(card)
            had = [code] * getattr(request.rules.abilities, card).cards
            gone = list(mine["ability"][: number - 1])
        if len(had) <= gone.count(code):
            continue
        ends = []
        for rows in arms:
            last = rows["rounds"][game, rows["games"]["rounds"][game] - 1, seat]
            won = rows["players"]["won"][game, seat] / rows["games"]["winners"][game]
            ends.append((int(last["gold"]) - int(last["penalty"]), last["gold"], last["penalty"], 4 * won))
        yield seat, number, mine["served"][number - 1] == code, np.subtract(ends[1], ends[0])


@pytest.mark.parametrize(("what", "card"), [("grade", "A"), ("grade", "D"), ("ability", "whats_up_wasabi")])
def test_equals_games_set_against_each_other_by_hand(what, card):
    found = values(cards=[card], games=400, policies=MIXED, seed=3)
    places = list(by_hand(Request.of(RULES, 4, MIXED, 3), what, card, 400))
    outcomes = ["points", "gold", "penalty", "win_points"]
    assert list(found["outcome"].cat.categories) == outcomes
    for row in found.itertuples():
        here = [
            (chosen, change[outcomes.index(row.outcome)])
            for seat, number, chosen, change in places
            if row.policy in ("all", MIXED[seat]) and row.round in ("all", str(number))
        ]
        assert row.n == row.games == len(here)
        assert row.estimate == pytest.approx(np.mean([change for _, change in here]), abs=1e-12)
        assert row.forced - row.otherwise == pytest.approx(row.estimate, abs=1e-12)
        if what == "grade":
            assert row.chosen == pytest.approx(np.mean([chosen for chosen, _ in here]))
        else:
            assert np.isnan(row.chosen)
    assert {(row.what, row.card) for row in found.itertuples()} == {(what, card)}


def test_a_choice_of_ones_own_has_no_effect():
    """All greedy players serve an A at once, so to force it changes nothing."""
    found = values(cards=["A"], games=500, seed=1)
    assert (found["chosen"] == 1).all() and (found["estimate"] == 0).all()
    assert set(found["round"]) == {"all", "1"}


def test_for_players_who_choose_at_random_all_grades_together_have_no_effect():
    """Each card in hand is as likely: the effects of those that are held there add up to nothing."""
    found = values(games=6_000, policies="random", seed=2)
    grades = found[(found["what"] == "grade") & (found["outcome"] == "points") & (found["policy"] == "all")]
    for number in ("1", "2", "3", "4"):
        here = grades[grades["round"] == number]
        sums, spread = (here["estimate"] * here["n"]).sum(), (here["high"] - here["low"]) / 3.92 * here["n"]
        assert abs(sums) <= 4 * np.sqrt(5 * (spread**2).sum())
        assert here["chosen"].to_numpy() == pytest.approx(1 / (5 - int(number)), abs=0.05)
    assert ((grades["low"] > 0) | (grades["high"] < 0)).any()
    last = grades[grades["round"] == "4"]
    assert (last["estimate"] == 0).all() and (last["chosen"] == 1).all()  # the last card has to be served


def test_an_ability_that_is_worth_two_gold():
    """In the last round, whoever else plays it, to players who do not look: just its gold."""
    rules = RULES.vary({"abilities.wheres_the_sauce.at_most": 6, "abilities.wheres_the_sauce.gold": 3})
    found = values(rules, cards=["wheres_the_sauce"], games=1_000, policies="random", seed=4)
    last = found[(found["round"] == "4") & (found["policy"] == "all")].set_index("outcome")
    for outcome, worth in (("points", 3), ("gold", 3), ("penalty", 0)):
        row = last.loc[outcome]
        assert row["estimate"] == worth and row["low"] <= worth <= row["high"] < worth + 0.5


def test_an_ability_that_is_not_there_is_left_out():
    rules = RULES.vary({"abilities.fortune_cat.cards": 0})
    assert "fortune_cat" not in set(values(rules, games=50)["card"])
    with pytest.raises(UserError, match='cards: found "fortune_cat"; one of: A, B'):
        values(rules, games=50, cards=["fortune_cat"])


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"cards": []}, "cards: found none, allowed one or more"),
        ({"games": 1}, "games: found 1, allowed a whole number from 2"),
        ({"rules": "otter"}, "served_values: found Sushi Otter, allowed Nightmares of Sushi"),
    ],
)
def test_what_cannot_be_asked_is_told(asked, words):
    with pytest.raises(UserError, match=words):
        values(**asked)
