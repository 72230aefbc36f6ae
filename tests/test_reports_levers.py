"""A lever is a key of the rules at hand, and a command that is named can be run."""

from __future__ import annotations

import html
import re
import shlex
import tomllib

import pandas as pd
import pytest

from sushibalance import load_rules
from sushibalance.reports import findings, levers, notebook


def played(command, rules):
    """Return the rules that a command would compare these with."""
    program, question, name, *sets = shlex.split(command)
    assert (program, question) == ("sushibalance", "compare") and load_rules(name).fingerprint == rules.fingerprint
    assert sets[::2] == ["--set"] * (len(sets) // 2)
    changes = dict(one.split("=", 1) for one in sets[1::2])
    return rules.vary({key: tomllib.loads(f"value = {value}")["value"] for key, value in changes.items()})


def named(rules, lever, member, verdict):
    """Return the keys that a sentence names, without its command."""
    text = lever.said([member], verdict).partition(" To try:")[0]
    return [html.unescape(key) for key in re.findall(r"<code>([^<]*)</code>", text)]


@pytest.mark.parametrize(
    ("name", "make"),
    [("otter", levers.cards), ("otter", levers.hands), ("nightmares", levers.plates), ("sushi_go", levers.dishes)],
)
def test_every_member_has_keys_of_the_rules_and_commands_that_change_only_them(name, make):
    rules = load_rules(name)
    lever, known, commands = make(rules), [value.key for value in rules.values()], 0
    for member in lever.keys:
        for verdict in ("above", "below"):
            keys = named(rules, lever, member, verdict)
            assert keys and all(any(one == key or one.startswith(f"{key}.") for one in known) for key in keys)
            if command := lever.command(member, verdict):
                commands += 1
                moved = played(command, rules).differences(rules)
                assert moved and all(any(one.startswith(key) for key in lever.keys[member]) for one, *_ in moved)
    assert commands >= len(lever.keys)  # one of two at least, on average


def test_what_lies_above_is_weakened_and_what_lies_below_is_strengthened():
    rules = load_rules("otter")
    cards = levers.cards(rules)
    (nines,) = (card for card in cards.keys if card.startswith("26:"))
    assert cards.command(nines, "above") == "sushibalance compare otter --set power_ups.26.score=7"
    assert cards.command(nines, "below") == "sushibalance compare otter --set power_ups.26.score=11"
    assert levers.hands(rules).command("flush", "above").endswith("hands.flush.score=12")  # pays too little
    threshold = levers.Levers(load_rules("nightmares"), every=("penalty_victory",), more=False)
    assert threshold.command("all greedy", "above").endswith("penalty_victory=12")
    (down,) = (card for card in cards.keys if card.startswith("50:"))
    assert cards.command(down, "above").endswith("--set 'power_ups.50.when={rounds=[2,4,6,8]}'")


def test_rules_that_lack_a_key_name_none_of_it():
    rules = load_rules("sushi_go")
    assert levers.Levers(rules, every=("hands.flush.score",)).said(["any"], "above") == ""
    assert levers.source(rules.vary({"pudding.most": 7})) == "FILE.toml"
    assert levers.source(load_rules("otter/flush_8")) == "otter/flush_8"


def test_findings_name_levers_only_for_what_is_beyond_its_margin():
    lever = levers.dishes(load_rules("sushi_go"))
    rows = [("tempura", 3.0, "above"), ("pudding", 1.0, "inside")]
    frame = pd.DataFrame(rows, columns=["card", "estimate", "verdict"]).assign(n=9, games=9, needed=0)
    frame = frame.assign(low=frame["estimate"], high=frame["estimate"])
    told = findings.judged(frame, "card", "Taken", lever=lever, means="Why <so>.")
    assert "<code>tempura.points</code>" in told and "pudding.most" not in told and "Why &lt;so&gt;." in told
    calm = findings.judged(frame.assign(verdict="inside"), "card", "Taken", lever=lever, means="Why <so>.")
    assert "tempura.points" not in calm and "Why" not in calm
    assert (told.state, calm.state) == ("act", "fine")
    assert findings.judged(frame.assign(verdict=["undecided", "inside"]), "card", "Taken").state == "open"


def test_what_is_beyond_comes_first_and_what_is_inside_last(monkeypatch):
    shown = []
    monkeypatch.setattr(notebook, "display", lambda item: shown.append(item.data))
    parts = [findings.Finding(verdict, [verdict, "inside"]) for verdict in ("inside", "undecided", "moves")]
    notebook.findings(parts, "")
    order = [
        "<li>moves",
        "<h3>What more games would tell",
        "<li>undecided",
        "<h3>What is as it should be",
        "<li>inside",
    ]
    assert sorted(order, key=shown[0].index) == order and "start='3'" in shown[0]
    notebook.findings(parts[0], fine="Little")
    assert shown[1].index("Nothing was found") < shown[1].index("<h3>Little") and "more games" not in shown[1]
