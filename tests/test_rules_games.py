"""The shipped rule sets, and thousands of rule sets near them: refused when loaded, or playable to the end."""

from __future__ import annotations

import json
import random
import re
from collections import Counter

import pytest

from sushibalance import PolicyError, Rules, RulesError, load_rules, rule_sets
from sushibalance.errors import UserError
from sushibalance.games.registry import GAMES, engine
from sushibalance.rules.document import leaves

VARIANTS = [name for name in rule_sets() if "/" in name]
NUMBERS = (-(2**63), -1000, -1, 0, 1, 2, 3, 5, 6, 7, 8, 12, 13, 16, 20, 64, 100, 1000, 2**31, 2**63 - 1)


# ------------------------------------------------------------------ the shipped ones


@pytest.mark.parametrize("name", rule_sets())
def test_every_shipped_rule_set_loads_with_a_source_for_every_value(name):
    rules = load_rules(name)
    assert rules.name == name.rpartition("/")[2] and rules.description.endswith(".")
    assert {value.source for value in rules.values()} <= {"rulebook", "example", "public", "assumed", "variant"}
    assert [value.key for value in rules.values()] == [key for key, _ in leaves(rules.document.values)]


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_changes_something_and_only_that(name):
    rules, base = load_rules(name), load_rules(name.partition("/")[0])
    changed = rules.differences(base)
    assert changed and rules.fingerprint != base.fingerprint
    new = [key for key, before, after in changed if after is not None]
    assert {value.key for value in rules.values() if value.source == "variant"} == set(new)
    assert load_rules(name.partition("/")[2]) == rules


@pytest.mark.parametrize("name", VARIANTS)
def test_what_a_variant_sets_has_no_note_of_the_printed_game(name):
    """The shipped variants write no notes, so none of their values has one."""
    assert {value.note for value in load_rules(name).values() if value.source == "variant"} == {""}


def test_the_variants_of_the_issue_ship():
    wanted = {
        "sushi_go": {"pudding_every_round", "pudding_penalty_for_two", "pudding_ties_lose_all"},
        "otter": {"starting_power_ups", "no_catch_up", "flush_8", "inventions"},
        "nightmares": {
            "penalty_victory_8",
            "penalty_victory_12",
            "no_penalty_victory",
            "fortune_cat_one_each",
            "chefs_worth_1_more",
        },
    }
    for game, names in wanted.items():
        assert {f"{game}/{name}" for name in names} <= set(VARIANTS)


@pytest.mark.parametrize("game", GAMES)
def test_what_is_said_of_assumed_values_is_said(game):
    """RULES: Nightmares and Otter rest on assumed values, Sushi Go! on none."""
    assumed = load_rules(game).assumed()
    assert bool(assumed) == (game != "sushi_go")
    assert all(value.source == "assumed" for value in assumed)


def test_the_issues_own_variation():
    rules = load_rules("otter").vary({"hands.flush.score": 8, "round_cards.4.8": [12, 8, 4, 0]}, name="x")
    assert rules.name == "x"
    assert dict((key, value) for key, _, value in rules.differences(load_rules("otter"))) == {
        "hands.flush.score": 8,
        "round_cards.4.8": [12, 8, 4, 0],
    }


# ------------------------------------------------------------------ rule sets near the shipped ones


def mutant(rules: Rules, dice: random.Random) -> dict[str, object]:
    """Return one to three changes: other numbers and words, longer and shorter lists, entries gone or doubled."""
    known = list(leaves(rules.document.values))
    tables = sorted({key.rpartition(".")[0] for key, _ in known} - {""})
    texts = [value for _, value in known if isinstance(value, str)]
    changes: dict[str, object] = {}
    for _ in range(dice.randint(1, 3)):
        key, value = dice.choice(known)
        kind = dice.random()
        if kind < 0.1:
            changes[key] = None
        elif kind < 0.2:
            changes[dice.choice(tables)] = None
        elif kind < 0.3:
            table = dice.choice(tables)
            entry: object = rules.document.values
            for part in table.split("."):
                entry = entry[part]  # type: ignore[index]
            name = dice.choice(["70", "6", "9", "extra", "A", "wasabi_2"])
            changes[".".join([*table.split(".")[:-1], name])] = entry
        else:
            changes[key] = other(value, texts, dice)
    return changes


def other(value: object, texts: list[str], dice: random.Random) -> object:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + dice.choice([-2, -1, 1, 2, 5]) if dice.random() < 0.6 else dice.choice(NUMBERS)
    if isinstance(value, str):
        return dice.choice(texts)
    if isinstance(value, list) and value:
        place = dice.randrange(len(value))
        return dice.choice(
            [
                value[:place] + value[place + 1 :],
                [*value, value[place]],
                [*value[:place], other(value[place], texts, dice), *value[place + 1 :]],
                value * 40,
                [],
            ]
        )
    return dice.choice(NUMBERS)


def fuzz(game: str, count: int, seed: int, *policies: str) -> dict[str, int]:
    """Vary a game's rules so often; play a game by each that is accepted; count what became of them.

    Only an error that speaks to the user may come, and none of a policy: those choose legally by any rules.
    """
    from sushibalance import simulate

    dice, printed, seen = random.Random(seed), load_rules(game), Counter[str]()
    for number in range(count):
        changes = mutant(printed, dice)
        try:
            rules = printed.vary(changes)
        except RulesError:
            seen["refused"] += 1
            continue
        players = dice.randint(*engine(game).seats)
        try:
            run = simulate(rules, players=players, policies=dice.choice(policies), games=1, seed=number, progress=False)
        except PolicyError as error:
            raise AssertionError(f"{changes}, {players} players: {error}") from error
        except UserError:
            seen["not for so many players"] += 1
            continue
        except Exception as error:
            raise AssertionError(f"{changes}, {players} players: {error!r}") from error
        assert run.players["win"].sum() == pytest.approx(1), changes
        seen["played"] += 1
    return dict(seen)


@pytest.mark.parametrize("game", GAMES)
def test_a_refusal_names_the_edit_and_never_the_printed_game(game):
    """Whatever an edit breaks: file and key of each problem are those of the edit; taken back, the fault is gone."""
    dice, printed, blamed = random.Random(5), load_rules(game), 0
    for _ in range(400):
        changes = mutant(printed, dice)
        try:
            printed.vary(changes, label="mine")
        except RulesError as error:
            problems = error.problems
        else:
            continue
        for problem in problems:
            assert problem.file == "mine", f"{changes}: {problem}"
            if not problem.but:
                continue
            blamed += 1
            edited = [path for path in changes if f"{problem.key}.".startswith(f"{path}.") or path in problem.undo]
            assert edited, f"{changes}: {problem}"
            fault = problem.but.partition(" in ")[0]
            try:
                printed.vary({path: value for path, value in changes.items() if path not in edited})
            except RulesError as error:
                left = [one for one in error.problems if fault in (one.key, one.but.partition(" in ")[0])]
                assert all(one.allowed != problem.allowed for one in left), f"{changes}: {problem}"
    assert blamed > 5


FUZZ = """
import json, sys
from tests.test_rules_games import fuzz
print(json.dumps(fuzz(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])))
"""


@pytest.mark.parametrize("game", GAMES)
def test_rules_near_the_printed_ones_are_refused_or_playable(game, python):
    """In a process of its own: compiled code that reads beyond an array may end it."""
    count = 100 if game == "otter" else 300
    seen = json.loads(python(FUZZ, game, str(count), "1", "random", "greedy"))
    assert sum(seen.values()) == count and seen["refused"] > 30 and seen["played"] > 15


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_rules_near_the_printed_ones_stay_within_their_arrays(game, python):
    """Without the compiler, where Python checks every index."""
    asked = ("40", "2", "random") if game == "otter" else ("400", "2", "random", "greedy")
    seen = json.loads(python(FUZZ, game, *asked, NUMBA_DISABLE_JIT="1"))
    assert seen["refused"] > 10 and seen["played"] > 5


def test_a_file_that_extends_what_is_not_shipped_is_named(write):
    path = write('extends = "oter"\n')
    with pytest.raises(RulesError, match=f'{re.escape(str(path))}: extends\n  found:   "oter"\n.*did you mean otter'):
        load_rules(path)
