"""The compiled engine against the reference engine: the same decisions, the same game."""

import numpy as np
import pytest
from nightmares_replay import READINGS, assert_same, decisions_of, logged
from reference import nightmares as reference

from sushibalance import load_rules, rule_sets
from sushibalance.games.nightmares import resolve_round
from sushibalance.games.nightmares.policies import POLICIES
from sushibalance.games.nightmares.rules import ABILITIES
from sushibalance.rules import RulesError

BASE = load_rules("nightmares")
SHIPPED = [name for name in rule_sets() if name.startswith("nightmares")]
ALTERNATIVES = [(key, value) for key, values in READINGS.items() for value in values[1:]]


def test_the_readings_listed_here_are_all_there_are():
    fields = type(BASE.readings).model_fields
    assert {name: field.annotation.__args__ for name, field in fields.items()} == READINGS
    assert BASE.readings.model_dump() == {name: values[0] for name, values in READINGS.items()}


def compare(rules, policies, seed, first, games):
    """Play some games twice and return the reference's."""
    rows, logs = logged(rules, policies, seed, first, games)
    results = []
    for at, events in enumerate(logs):
        decisions, _ = decisions_of(rules, events)
        result = reference.play(rules, len(policies), decisions)
        assert_same(rules, rows, result, at)
        asked = {(n, s): t for n, round_ in enumerate(result.rounds, 1) for s, t in enumerate(round_.targets)}
        assert decisions.target == {key: target for key, target in asked.items() if target is not None}
        results.append(result)
    return results


def some_policies(rng, players):
    """Return random policies for a table: all alike, or mixed."""
    names = list(POLICIES)
    return [str(name) for name in (rng.choice(names, players) if rng.random() < 0.7 else [rng.choice(names)] * players)]


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_rules(name, players):
    rules = load_rules(name)
    rng = np.random.default_rng(players)
    for first in range(0, 60, 15):
        compare(rules, some_policies(rng, players), 11, first, 15)


@pytest.mark.parametrize(("key", "value"), ALTERNATIVES)
def test_each_alternative_reading(key, value):
    rules = BASE.vary({f"readings.{key}": value, "penalty_victory": 7})
    rng = np.random.default_rng(5)
    for players in range(2, 7):
        compare(rules, some_policies(rng, players), 12, 0, 20)


def invented(rng):
    """Return changes that make another game of it: other values, counts, grades, chefs and readings."""

    def award(most=4):
        return {"gold": int(rng.integers(0, most)), "penalty": int(rng.integers(0, most))}

    changes = {f"readings.{key}": str(rng.choice(values)) for key, values in READINGS.items()}
    if rng.random() < 0.5:
        changes["grades.E"] = {"cards": int(rng.integers(1, 3)), "eater": award(), "owner": award()}
    for grade in "ABCDF":
        changes[f"grades.{grade}"] = {"cards": int(rng.integers(1, 4)), "eater": award(), "owner": award()}
    count = int(rng.integers(0, 8))
    changes["chefs.points"] = [int(value) for value in rng.integers(-4, 5, count)]
    changes["chefs.on_table"] = int(rng.integers(0, count + 1))
    for name in ABILITIES:
        changes[f"abilities.{name}.cards"] = int(rng.integers(0, 4))
    changes["abilities.fortune_cat.converts"] = int(rng.integers(1, 4))
    changes["abilities.ninjutsu_chin.penalty"] = int(rng.integers(1, 4))
    changes["abilities.ninjutsu_chin.at_most"] = int(rng.integers(1, 5))
    changes["abilities.whats_up_wasabi.factor"] = int(rng.integers(2, 5))
    changes["abilities.wheres_the_sauce.gold"] = int(rng.integers(1, 4))
    changes["abilities.wheres_the_sauce.at_most"] = int(rng.integers(1, 5))
    changes["rounds"] = int(rng.integers(1, 8))
    changes["penalty_victory"] = "none" if rng.random() < 0.2 else int(rng.integers(1, 25))
    return changes


def test_invented_rules():
    """Three thousand games of 300 rule sets that nobody has thought of."""
    rng = np.random.default_rng(2026)
    made, endings = 0, set()
    while made < 300:
        try:
            rules = BASE.vary(invented(rng))
        except RulesError:
            continue
        made += 1
        for result in compare(rules, some_policies(rng, int(rng.integers(2, 7))), made, 0, 10):
            endings.add((result.ended_by, len(result.winners) > 1, len(result.rounds) < rules.rounds))
    assert endings >= {
        ("gold_victory", False, False),
        ("penalty_victory", False, True),
        ("penalty_victory", True, True),
        ("penalty_victory", True, False),
    }


def test_resolve_round_on_random_positions():
    """The query against the reference, also on positions that no game reaches."""
    rng = np.random.default_rng(7)
    for position in range(5_000):
        rules = BASE
        if position % 2:
            changes = {f"readings.{key}": str(rng.choice(values)) for key, values in READINGS.items()}
            changes["abilities.ninjutsu_chin.at_most"] = int(rng.integers(1, 4))
            rules = BASE if position % 10 else BASE.vary(changes)
        players = int(rng.integers(2, 7))
        third = players == 2 and rules.readings.two_players == "third_seat" and rng.random() < 0.5
        plates = players + third
        chefs = [int(value) for value in rng.integers(-3, 4, rng.integers(0, 5))]
        served = [str(grade) for grade in rng.choice(list("ABCDF"), plates)]
        abilities = [None if pick == 5 else ABILITIES[pick] for pick in rng.integers(0, 6, players)]
        targets = [int(target) for target in rng.integers(0, players, players)]
        offers = [("player", seat) for seat in range(plates)] + [("chef", place) for place in range(len(chefs))]
        eaten = []
        for seat in range(players):
            offered = [offer for offer in offers if offer != ("player", seat)]
            eaten.append(offered[rng.integers(len(offered))])
        penalties = [int(value) for value in rng.integers(0, 5, players)]
        found = resolve_round(served, abilities, targets, eaten, penalties, chefs, rules=rules)
        expected = reference.resolve(
            rules, served, abilities, eaten, penalties, chefs, targets.__getitem__, list(range(players))
        )
        assert found == expected[:2], (served, abilities, targets, eaten, penalties, chefs)
