"""Every kind of bad rule file gets a RulesError that names file, key, value found and what is allowed."""

from __future__ import annotations

import contextlib
import os
import pickle
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, StringConstraints

from sushibalance.rules import Document, Part, Rules, RulesError
from sushibalance.rules.document import MAX_CHAIN, leaves, load_documents
from sushibalance.rules.problems import Problem, one_of, shown
from sushibalance.rules.reading import MAX_BYTES

Count = Annotated[int, Field(ge=0, le=9)]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z]{1,9}$")]


class Hand(Part):
    score: Count
    kind: Literal["flush", "straight"] = "flush"
    cards: Annotated[list[Count], Field(max_length=3)] | Literal["any"] = "any"


class Coin(Part):
    type: Literal["coin"]
    score: Count


class Draw(Part):
    type: Literal["draw"]
    cards: Count


class ToyRules(Rules):
    game = "toy"
    rounds: Count
    share: Annotated[float, Field(ge=0, le=1)] = 0.5
    open: bool = True
    hands: Annotated[dict[Name, Hand], Field(max_length=4)]
    cards: dict[str, Annotated[Coin | Draw, Field(discriminator="type")]] = Field(default_factory=dict)

    def impossible(self):
        if self.rounds > 5 and "flush" not in self.hands:
            yield "rounds", self.rounds, "at most 5 without a flush"


BASE = """
game = "toy"
source = "rulebook"
rounds = 4
[hands.flush]
score = 7
[hands.pair]
source = { "*" = "assumed", kind = "public" }
note = "nobody printed it"
score = 1
kind = "straight"
[cards.1]
type = "coin"
score = 2
"""


def find(name: str, folder: Path) -> Path:
    return folder / name


def load(path: Path) -> ToyRules:
    *below, document = load_documents(path, find)
    return ToyRules.from_document(document, below)


def refused(path: Path) -> tuple[Problem, ...]:
    with pytest.raises(RulesError) as caught:
        load(path)
    for problem in caught.value.problems:
        assert problem.file and problem.allowed
    return caught.value.problems


def only(path: Path) -> tuple[str, str, str]:
    (problem,) = refused(path)
    assert problem.file == str(path)
    return problem.key, problem.found, problem.allowed


def test_a_good_file_gives_values_sources_and_notes(write):
    rules = load(write(BASE))
    assert rules.name == "rules"
    assert {value.key: value.source for value in rules.values()} == {
        "rounds": "rulebook",
        "hands.flush.score": "rulebook",
        "hands.pair.score": "assumed",
        "hands.pair.kind": "public",
        "cards.1.type": "rulebook",
        "cards.1.score": "rulebook",
    }
    assert [value.key for value in rules.assumed()] == ["hands.pair.score"]
    assert rules.assumed()[0].note == "nobody printed it"
    assert list(rules.to_frame().columns) == ["key", "value", "source", "note"]


def test_a_byte_order_mark_and_windows_line_ends_are_read(write):
    assert load(write(b"\xef\xbb\xbf" + BASE.replace("\n", "\r\n").encode())).rounds == 4


# ------------------------------------------------------------------ files that are no rule files


@pytest.mark.parametrize(
    ("content", "found", "allowed"),
    [
        (b"rounds = 4 4", "Expected newline or end of document after a statement (at line 1, column 12)", "a comment"),
        (b"a = 1\na = 2", "Cannot overwrite a value (at end of document)", "each key once"),
        (b"[a]\n[a]\n", "Cannot declare ('a',) twice (at line 2, column 3)", "each table once"),
        (b"[a\nb = 1", "Expected ']' at the end of a table declaration (at line 1, column 3)", "as [hands.flush]"),
        (b"a 1", "Expected '=' after a key in a key/value pair (at line 1, column 3)", "KEY = VALUE"),
        (b'a = "x\n', "Illegal character '\\n' (at line 1, column 7)", 'ends with " in its own line'),
        (b'a = "x', "Unterminated string (at end of document)", 'one " and another'),
        (b"a = [1", "Unclosed array (at end of document)", "ends with ]"),
        (b"\x00\x01\x02", "Invalid statement (at line 1, column 1)", "KEY = VALUE"),
        (b"a = eight", "Invalid value (at line 1, column 5)", "a number, true, false"),
        (b"game = ", "Invalid value (at end of document)", "a number, true, false"),
    ],
)
def test_what_is_not_toml(write, content, found, allowed):
    key, said, told = only(write(content))
    assert key == "" and said.startswith(found)
    assert allowed in told and told.endswith("; see docs/rule-files.md")


def test_what_is_no_text(write):
    assert only(write(b"\xff\xfe\x00")) == ("", "bytes that are not UTF-8", "UTF-8 text")


def test_a_misspelt_head_is_named(write):
    assert only(write('extend = "toy"\n'))[1] == "neither game nor extends, but extend"


def test_the_line_at_fault_is_shown(write):
    _, found, _ = only(write('game = "toy"\nrounds = four\n'))
    assert "(at line 2, column 10)" in found and "rounds = four" in found


@pytest.mark.parametrize(
    "text",
    [
        "[" + ".".join(["a"] * 3_000) + "]",
        "a = " + "[" * 3_000,
        "x = " + "[" * 400 + "]" * 400,
        "x = [{ " + ".".join(["a"] * 3_000) + " = 1 }]",
        "extends." + ".".join(["a"] * 3_000) + " = 1",
        "[hands.source." + ".".join(["a"] * 3_000) + "]",
        "note = " + "{ a = " * 300 + "1" + " }" * 300,
    ],
)
def test_tables_nested_too_deep(write, text):
    (problem,) = refused(write('game = "toy"\nsource = "rulebook"\n' + text))
    assert problem.found == "tables nested too deep"
    assert problem.allowed == "at most 12 levels"


def test_an_empty_file_lacks_its_header(write):
    assert only(write(b"")) == (
        "game",
        "neither game nor extends",
        'game = "otter", "nightmares" or "sushi_go", or extends = "<rule set>"',
    )


def test_a_huge_file(write):
    path = write(b"#" * (MAX_BYTES + 1))
    assert only(path) == ("", "1,000,001 bytes", "at most 1,000,000 bytes")


def test_a_folder_a_missing_file_and_a_device(tmp_path):
    assert only(tmp_path) == ("", "a folder", "a rule file (.toml)")
    assert only(tmp_path / "gone.toml") == ("", "no such file", "an existing rule file (.toml)")
    assert only(Path("/dev/null")) == ("", "not a file", "a rule file (.toml)")


def test_a_name_that_no_file_can_have(tmp_path):
    (problem,) = refused(tmp_path / "nul\0.toml")
    assert problem.found == "not a name that a file can have"
    (problem,) = refused(tmp_path / ("x" * 5000))
    assert problem.found == "File name too long"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read(write):
    path = write(BASE)
    path.chmod(0)
    assert only(path) == ("", "Permission denied", "a readable file")


# ------------------------------------------------------------------ the header and the reserved keys


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("game = 3", "game"),
        ('name = ""', "name"),
        ('name = "two\\nlines"', "name"),
        (f'name = "{"x" * 101}"', "name"),
        ("extends = []", "extends"),
        ("description = 4", "description"),
        (f'description = "{"x" * 2001}"', "description"),
        ('remove = "hands"', "remove"),
        ("remove = [1]", "remove"),
        ('remove = ["hands"]', "remove"),
    ],
)
def test_a_bad_header(write, line, key):
    text = BASE.replace('game = "toy"\n', "") if line.startswith("game") else BASE
    assert only(write(line + "\n" + text))[0] == key


def test_another_game(write):
    (problem,) = refused(write(BASE.replace('"toy"', '"chess"')))
    assert (problem.key, problem.found, problem.allowed) == ("game", '"chess"', '"toy"')


def test_every_value_needs_a_source(write):
    assert only(write(BASE.replace('source = "rulebook"\n', ""))) == (
        "source",
        "none for rounds, hands.flush.score, cards.1.type, cards.1.score",
        "a source for every value: rulebook, example, public, assumed, variant",
    )


@pytest.mark.parametrize(
    ("stated", "key", "found", "allowed"),
    [
        ('"rulebok"', "source", '"rulebok"', "did you mean rulebook? Known: rulebook,"),
        ("3", "source", "3", "one of: rulebook,"),
        ("[]", "source", "[]", "one of: rulebook,"),
        ('{ rounds = "guess" }', "source.rounds", '"guess"', "one of: rulebook,"),
        ('{ "*" = "public", round = "public" }', "source.round", '"round"', "did you mean rounds?"),
        ("{ rounds = { rounds = 1 } }", "source.rounds", "{ rounds = 1 }", "one of: rulebook,"),
    ],
)
def test_an_unknown_source(write, stated, key, found, allowed):
    said = only(write(BASE.replace('source = "rulebook"', f"source = {stated}", 1)))
    assert said[:2] == (key, found) and said[2].startswith(allowed)


def test_a_note_is_a_text(write):
    assert only(write(BASE.replace('"nobody printed it"', "5")))[:2] == ("hands.pair.note", "5")


# ------------------------------------------------------------------ values


@pytest.mark.parametrize(
    ("old", "new", "key", "found", "allowed"),
    [
        ("rounds = 4", "rounds = 10", "rounds", "10", "a whole number from 0 to 9"),
        ("rounds = 4", "rounds = -1", "rounds", "-1", "a whole number from 0 to 9"),
        ("rounds = 4", "rounds = 4.0", "rounds", "4.0", "a whole number from 0 to 9"),
        ("rounds = 4", "rounds = true", "rounds", "true", "a whole number from 0 to 9"),
        ("rounds = 4", 'rounds = "4"', "rounds", '"4"', "a whole number from 0 to 9"),
        ("rounds = 4", "rounds = nan", "rounds", "nan", "a whole number from 0 to 9"),
        ("rounds = 4", "rounds = [4]", "rounds", "[4]", "a whole number from 0 to 9"),
        ("rounds = 4", "rounds = 1979-05-27", "rounds", "1979-05-27", "a whole number from 0 to 9"),
        ("rounds = 4", "rounds = 4\nshare = nan", "share", "nan", "a number from 0 to 1"),
        ("rounds = 4", "rounds = 4\nshare = inf", "share", "inf", "a number from 0 to 1"),
        ("rounds = 4", "rounds = 4\nopen = 1", "open", "1", "true or false"),
        ('kind = "straight"', 'kind = "strait"', "hands.pair.kind", '"strait"', "did you mean straight? Known: "),
        ("score = 7", 'score = 7\ncards = "all"', "hands.flush.cards", '"all"', "a list of at most 3"),
        ("score = 7", "score = 7\ncards = [1, 20]", "hands.flush.cards.1", "20", "a whole number from 0 to 9"),
        ("score = 7", "score = 7\ncards = 5", "hands.flush.cards", "5", "a list of at most 3, each a whole"),
        ("score = 7", "scor = 7", "hands.flush.scor", "unknown key scor", "did you mean score? Known: score, kind, "),
        ("score = 7", "score = 7\nx = { y = 1 }", "hands.flush.x", "unknown key x", "one of: score, kind, cards, "),
        ("[hands.flush]", "[hands.Flush]", "hands.Flush", "the name Flush", "a name that matches ^[a-z]{1,9}$"),
        ("[hands.flush]", '[hands."a b"]', 'hands."a b"', 'the name "a b"', "letters, digits and _ in a name"),
        ("[hands.flush]", '[hands."\\n"]', 'hands."\\n"', 'the name "\\n"', "letters, digits and _ in a name"),
        ('type = "coin"', 'type = "coins"', "cards.1.type", '"coins"', "did you mean coin? Known: coin, draw"),
        ('type = "coin"\n', "", "cards.1.type", "no type in cards.1", "one of: coin, draw"),
        ("[cards.1]", "[cards]\n2 = 5\n[cards.1]", "cards.2", "5", 'a table with type = "coin" or "draw"'),
        ('"coin"\nscore', '"draw"\ncards = 1\nscore', "cards.1.score", "unknown key score", "did you mean source?"),
        ("rounds = 4", "rounds = 99999999999999999999", "rounds", "a number of over 19 digits", "whole numbers of at"),
        ("rounds = 4", "rounds = 0x" + "f" * 9999, "rounds", "a number of over 19 digits", "whole numbers of at most"),
    ],
)  # fmt: skip
def test_a_bad_value(write, old, new, key, found, allowed):
    assert old in BASE
    path = write(BASE.replace(old, new, 1))
    problems = [(problem.key, problem.found, problem.allowed) for problem in refused(path)]
    assert problems[-1][:2] == (key, found) and problems[-1][2].startswith(allowed)
    assert all(problem[1].startswith("no score") for problem in problems[:-1])


def test_a_number_of_thousands_of_digits(write):
    (problem,) = refused(write(BASE.replace("rounds = 4", "rounds = " + "9" * 5000)))
    assert "Exceeds the limit (4300 digits)" in problem.found


def test_a_missing_key_names_the_likely_misspelling(write):
    problems = refused(write(BASE.replace("[hands.pair]\n", "[hands.flusch]\n").replace("score = 1\n", "")))
    assert [(problem.key, problem.found, problem.allowed) for problem in problems] == [
        ("hands.flusch.score", "no score in hands.flusch", "a whole number from 0 to 9 (or did you mean flush?)")
    ]
    problems = refused(write(BASE.replace("rounds = 4\n", "")))
    assert [(problem.key, problem.found) for problem in problems] == [("rounds", "no rounds")]


def test_rules_that_cannot_be_played(write):
    assert only(write(BASE.replace("rounds = 4", "rounds = 6").replace("hands.flush", "hands.full"))) == (
        "rounds",
        "6",
        "at most 5 without a flush",
    )


def test_many_faults_are_told_at_once_but_not_thousands(write):
    lines = "\n".join(f"k{number} = 1" for number in range(30_000))
    with pytest.raises(RulesError) as caught:
        load(write(BASE.replace("rounds = 4", lines)))
    text = str(caught.value)
    assert text.count("unknown key") <= 20 and "more" in text.splitlines()[-1]


def test_the_whole_message(write):
    path = write(BASE.replace("score = 7", "scor = 7"))
    with pytest.raises(RulesError) as caught:
        load(path)
    assert str(caught.value) == (
        f"{path}: hands.flush.score\n"
        "  found:   no score in hands.flush\n"
        "  allowed: a whole number from 0 to 9\n"
        f"{path}: hands.flush.scor\n"
        "  found:   unknown key scor\n"
        "  allowed: did you mean score? Known: score, kind, cards, source, note"
    )
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.problems == caught.value.problems


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


def toy() -> ToyRules:
    values = {"rounds": 4, "hands": {"flush": {"score": 7}, "pair": {"score": 1}}}
    sources = {key: "rulebook" for key, _ in leaves(values)}
    return ToyRules.from_document(Document("toy", "toy", values=values, sources=sources))


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


# ------------------------------------------------------------------ words


def test_values_are_shown_short_and_on_one_line():
    assert shown("a\n\x1b[31m") == '"a\\n\\u001b[31m"'
    assert shown({"a": [1, True, 2.5], "b c": {}}) == '{ a = [1, true, 2.5], "b c" = { } }'
    assert len(shown("x" * 10_000)) == 80 and len(shown(list(range(10_000)))) == 80
    assert one_of("x", []) == "one of: nothing"


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


@given(st.one_of(st.binary(max_size=200), st.text(alphabet='[]{}"=.,#\n abgamesource1', max_size=200).map(str.encode)))
def test_any_bytes_give_rules_or_a_rules_error(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "garbage.toml"
    path.write_bytes(content)
    with pytest.raises(RulesError):
        load(path)


@given(st.lists(st.tuples(st.integers(0, len(BASE) - 1), st.binary(min_size=0, max_size=3)), min_size=1, max_size=4))
def test_any_edit_of_a_good_file_gives_rules_or_a_rules_error(tmp_path_factory, edits):
    content = BASE.encode()
    for place, new in edits:
        content = content[:place] + new + content[place + 1 :]
    path = tmp_path_factory.getbasetemp() / "edited.toml"
    path.write_bytes(content)
    with contextlib.suppress(RulesError):
        assert isinstance(load(path), ToyRules)
