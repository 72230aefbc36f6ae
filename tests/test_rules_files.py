"""Every kind of bad rule file gets a RulesError that names file, key, value found and what is allowed."""

from __future__ import annotations

import contextlib
import os
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_rules import BASE, ToyRules, load, only, refused

from sushibalance.rules import RulesError
from sushibalance.rules.problems import one_of, shown
from sushibalance.rules.reading import MAX_BYTES


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
    assert (problem.found, problem.allowed) == ("a number of thousands of digits", "whole numbers of at most 18 digits")


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


# ------------------------------------------------------------------ words


def test_values_are_shown_short_and_on_one_line():
    assert shown("a\n\x1b[31m") == '"a\\n\\u001b[31m"'
    assert shown({"a": [1, True, 2.5], "b c": {}}) == '{ a = [1, true, 2.5], "b c" = { } }'
    assert len(shown("x" * 10_000)) == 80 and len(shown(list(range(10_000)))) == 80
    assert one_of("x", []) == "one of: nothing"


# ------------------------------------------------------------------ nothing but RulesError, whatever comes


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
