"""Variants, in files that extend others and by `vary`: what they change, and faults told where they were made."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_rules import BASE, ToyRules, load, only, refused, toy

from sushibalance.rules import RulesError
from sushibalance.rules.document import MAX_CHAIN

# ------------------------------------------------------------------ variants


def test_a_variant_changes_adds_and_removes(write):
    write(BASE, "base.toml")
    path = write(
        'extends = "base.toml"\nname = "cheap"\ndescription = "x"\nremove = ["cards.1", "hands.pair"]\n'
        "[hands.flush]\nscore = 3\n[hands.new]\nscore = 2\nsource = 'assumed'\n"
    )
    rules, base = load(path), load(path.parent / "base.toml")
    assert (rules.name, rules.description) == ("cheap", "x")
    assert rules.differences(base) == [
        ("hands.flush.score", 7, 3),
        ("hands.pair.score", 1, None),
        ("hands.pair.kind", "straight", None),
        ("cards.1.type", "coin", None),
        ("cards.1.score", 2, None),
        ("hands.new.score", None, 2),
    ]
    sources = {value.key: value.source for value in rules.values()}
    assert sources == {"rounds": "rulebook", "hands.flush.score": "variant", "hands.new.score": "assumed"}
    assert rules.fingerprint != base.fingerprint


def test_a_bad_value_names_the_file_that_set_it(write):
    base = write(BASE.replace("rounds = 4", "rounds = 44"), "base.toml")
    (problem,) = refused(write('extends = "base.toml"\n[hands.flush]\nscore = 3\n'))
    assert problem.file == str(base)


def test_a_fault_is_told_at_the_edit_that_brought_it(write):
    """Not at the value of the base that the edit no longer fits."""
    base = write(BASE, "base.toml")
    path = write('extends = "base.toml"\nremove = ["hands.flush"]\n[hands.pair]\nscore = 2\n')
    child = write('extends = "rules.toml"\nname = "six"\nrounds = 6\n', "child.toml")
    grandchild = write('extends = "child.toml"\n[hands.pair]\nscore = 3\n', "grandchild.toml")
    load(path)
    for file in (child, grandchild):
        (problem,) = refused(file)
        assert (problem.file, problem.key, problem.found, problem.but) == (str(child), "rounds", "6", "")
    write('extends = "base.toml"\nrounds = 6\n')
    child = write('extends = "rules.toml"\nremove = ["hands.flush"]\n[hands.pair]\nscore = 2\n', "child.toml")
    with pytest.raises(RulesError) as caught:
        load(child)
    assert str(caught.value) == (
        f"{child}: hands.flush\n"
        "  found:   taken out\n"
        "  but:     rounds in rules.toml: 6\n"
        "  allowed: in rounds, at most 5 without a flush\n"
        "  or:      hands.flush as before"
    )
    assert load(base).vary({}).rounds == 4


def test_old_keys_beside_a_new_type_are_told_at_the_type(write):
    write(BASE, "base.toml")
    path = write('extends = "base.toml"\n[cards.1]\ntype = "draw"\ncards = 2\n')
    with pytest.raises(RulesError) as caught:
        load(path)
    assert str(caught.value) == (
        f"{path}: cards.1.type\n"
        '  found:   "draw"\n'
        "  but:     cards.1.score in base.toml: unknown key score\n"
        '  allowed: remove = ["cards.1"] at the top, then all of cards.1 anew (the old keys stay otherwise)\n'
        "  or:      cards.1.type as before"
    )
    load(write('extends = "base.toml"\nremove = ["cards.1"]\n[cards.1]\ntype = "draw"\ncards = 2\n'))
    problems = {problem.key: problem for problem in refused(write('extends = "base.toml"\n[cards.1]\ntype = "draw"\n'))}
    assert set(problems) == {"cards.1.cards", "cards.1.type"}
    assert {problem.file for problem in problems.values()} == {str(path)}
    with pytest.raises(RulesError, match=r"allowed: all of cards.1 anew, as one table") as caught:
        load(path.parent / "base.toml").vary({"cards.1.type": "draw", "cards.1.cards": 2}, label="--set")
    assert str(caught.value).startswith("--set: cards.1.type\n")


def test_what_a_fault_needs_several_edits_for_names_them_all(write):
    rules = load(write(BASE.replace("rounds = 4", "rounds = 6"), "base.toml"))
    with pytest.raises(RulesError) as caught:
        Both.from_document(rules.document).vary({"hands.flush.score": 8, "hands.pair.score": 8, "open": False})
    (problem,) = caught.value.problems
    assert (problem.key, problem.found) == ("hands.flush.score", "8, with hands.pair.score = 8")
    assert problem.undo == "hands.flush.score and hands.pair.score as before"
    assert problem.but == "rounds in base.toml: 6"


class Both(ToyRules):
    def impossible(self):
        if self.rounds > 5 and all(hand.score == 8 for hand in self.hands.values()):
            yield "rounds", self.rounds, "at most 5"


def test_notes_and_sources_are_those_of_the_values_they_were_said_of(write):
    """What the base says of its values, or of a table, does not hold for what a variant changes or invents."""
    noted = BASE.replace("[hands.flush]", '[hands]\nnote = "as printed"\n[hands.flush]')
    write(noted, "base.toml")
    text = (
        'extends = "base.toml"\n[hands.flush]\nscore = 3\n[hands.new]\nscore = 2\n'
        '[hands.told]\nnote = "a guess"\nscore = 2\n[hands.pair]\nscore = 2\n'
    )
    rules = load(write(text))
    expected = {
        "hands.flush.score": ("variant", ""),
        "hands.new.score": ("variant", ""),
        "hands.told.score": ("variant", "a guess"),
        "hands.pair.score": ("variant", ""),
        "hands.pair.kind": ("public", "nobody printed it"),
    }
    told = {value.key: (value.source, value.note) for value in rules.values() if value.key.startswith("hands")}
    assert told == expected
    varied = rules.vary({"hands.told.score": 5, "hands.new": {"score": 1}, "hands.pair.kind": "flush"})
    told = {value.key: (value.source, value.note) for value in varied.values() if value.key.startswith("hands")}
    changed = ("hands.told.score", "hands.new.score", "hands.pair.kind")
    assert told == expected | dict.fromkeys(changed, ("variant", ""))
    again = load(write('extends = "rules.toml"\nnote = "all mine"\n[hands.told]\nscore = 4\n', "again.toml"))
    told = {value.key: (value.source, value.note) for value in again.values()}
    assert told["hands.told.score"] == ("variant", "all mine")
    assert told["rounds"] == ("rulebook", "") and told["hands.pair.kind"] == ("public", "nobody printed it")


def test_a_variant_of_another_game(write):
    write(BASE, "base.toml")
    assert only(write('extends = "base.toml"\ngame = "chess"\n')) == ("game", '"chess"', '"toy", as extended')


def test_circles_and_long_chains(write):
    path = write('extends = "b.toml"', "a.toml")
    other = write('extends = "a.toml"', "b.toml")
    (problem,) = refused(path)
    assert (problem.file, problem.key, problem.found) == (str(other), "extends", "a.toml -> b.toml -> a.toml")
    (problem,) = refused(write('extends = "self.toml"', "self.toml"))
    assert problem.found == "self.toml -> self.toml"
    for number in range(MAX_CHAIN + 1):
        write(f'extends = "{number + 1}.toml"', f"{number}.toml")
    (problem,) = refused(path.parent / "0.toml")
    assert problem.found == f"more than {MAX_CHAIN} files"


def test_a_file_that_extends_what_cannot_be_read(write):
    path = write('extends = "gone.toml"')
    problems = refused(path)
    assert [(problem.file, problem.key) for problem in problems] == [
        (str(path), "extends"),
        (str(path.parent / "gone.toml"), ""),
    ]
    assert problems[0].found == '"gone.toml"' and problems[1].found == "no such file"


def test_removing_what_is_not_there(write):
    write(BASE, "base.toml")
    path = write('extends = "base.toml"\nremove = ["hands.flusch", "rounds.x", "cards"]\n')
    assert [(problem.key, problem.found, problem.allowed) for problem in refused(path)] == [
        ("remove", '"hands.flusch"', "a path that is there; did you mean hands.flush?"),
        ("remove", '"rounds.x"', "a path that is there; did you mean rounds?"),
    ]


# ------------------------------------------------------------------ vary


def test_vary_changes_adds_removes_and_takes_numpy(write):
    rules = toy().vary(
        {
            "rounds": np.int64(3),
            "hands.flush.cards": (1, 2),
            "hands.pair": None,
            "hands.new": {"score": 2, "cards": np.array([3, 4])},
            "cards": {5: {"type": "draw", "cards": 1}},
        },
        name="x",
    )
    assert rules.rounds == 3 and rules.hands["flush"].cards == [1, 2] and "pair" not in rules.hands
    assert rules.hands["new"].cards == [3, 4] and rules.cards["5"].cards == 1
    assert {value.source for value in rules.values() if value.key != "hands.flush.score"} == {"variant"}
    assert toy().vary({}).name == "toy, varied" and toy().vary({}).fingerprint == toy().fingerprint


@pytest.mark.parametrize(
    ("changes", "key", "found", "allowed"),
    [
        ({"hands.flusch.score": 3}, "hands.flusch.score", "no hands.flusch in these rules", "did you mean flush?"),
        ({"rounds.x": 3}, "rounds.x", "rounds is a single value", "a path to a value"),
        ({"rounds.x.y": 3}, "rounds.x.y", "rounds is a single value", "a path to a value"),
        ({"hands.straight": None}, "hands.straight", "nothing to remove", "one of: flush, pair"),
        ({"hands.flush.scor": 3}, "hands.flush.scor", "unknown key scor", "did you mean score?"),
        ({"hands.flush.score": "x"}, "hands.flush.score", '"x"', "a whole number from 0 to 9"),
        ({"hands.flush.score": {1, 2}}, "hands.flush.score", "{1, 2}", "a whole number from 0 to 9"),
        ({"hands.flush.score": 10**5000}, "hands.flush.score", "a number of over 19 digits", "whole numbers of at"),
        ({"source": "public"}, "source", "the word source", "the key of a value: source is for rule files"),
        ({"hands.flush.note": None}, "hands.flush.note", "the word note", "the key of a value"),
        ({"hands.flush": {"score": 1, "source": "x"}}, "hands.flush.source", "the word source", "the key of a value"),
        ({"hands.flush.score": "\ud800"}, "hands.flush.score", '"\ud800"', "text of UTF-8"),
        ({"": 1}, '""', 'unknown key ""', "one of: rounds, share"),
        ({5: 1}, "5", "unknown key 5", "one of: rounds, share"),
        ({"hands": 5}, "hands", "5", "a table of at most 4"),
        ({"rounds": None}, "rounds", "no rounds", "a whole number from 0 to 9"),
    ],
)
def test_a_bad_variation(changes, key, found, allowed):
    with pytest.raises(RulesError) as caught:
        toy().vary(changes, name="mine")
    (problem,) = caught.value.problems
    assert (problem.key, problem.found) == (key, found) and problem.allowed.startswith(allowed)
    assert problem.file in ("vary(mine)", "mine")
    assert str(caught.value).encode()


def test_a_variation_that_contains_itself():
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(RulesError, match="nested too deep"):
        toy().vary({"hands": endless})


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 101, 7])
def test_a_bad_name(name):
    with pytest.raises(RulesError, match="a short text"):
        toy().vary({}, name=name)


def test_rules_never_change():
    with pytest.raises(ValueError, match="frozen"):
        toy().rounds = 5  # type: ignore[misc]


# ------------------------------------------------------------------ nothing but RulesError, whatever comes


anything = st.recursive(
    st.one_of(st.integers(), st.floats(), st.booleans(), st.text(max_size=8), st.none(), st.dates()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["score", "kind", "cards", "type", "source", "flush", "*", ""]), inner),
    ),
    max_leaves=8,
)
paths = st.sampled_from(["rounds", "hands", "hands.flush", "hands.flush.score", "cards", "cards.1", "open", "x", ""])


@given(st.dictionaries(paths, anything, max_size=4))
def test_any_variation_gives_rules_or_a_rules_error(changes):
    with contextlib.suppress(RulesError):
        assert isinstance(toy().vary(changes), ToyRules)
