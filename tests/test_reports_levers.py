"""A lever is a key of the rules at hand, and a command that is named can be run."""

from __future__ import annotations

import html
import re
import shlex
import tomllib

import numpy as np
import pandas as pd
import pytest

from sushibalance import compare, load_rules
from sushibalance.analysis.hand_frequencies import price_against_rarity
from sushibalance.reports import findings, levers, notebook
from sushibalance.simulation.request import Request


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
    assert levers.source(rules.vary({"pudding.most": 7})) == ""
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


def test_rules_of_a_file_are_called_by_it(tmp_path):
    file = tmp_path / "my otter.toml"
    file.write_text('extends = "otter"\npower_ups.26.score = 8\n')
    own = load_rules(file)
    cards = levers.cards(own)
    (nines,) = (card for card in cards.keys if card.startswith("26:"))
    assert cards.command(nines, "above") == f"sushibalance compare '{file}' --set power_ups.26.score=6"
    assert shlex.split(levers.source(own)) == [str(file)]
    (tmp_path / "second.toml").write_text(f'extends = "{file}"\npower_ups.27.score = 9\n')
    assert levers.source(load_rules(tmp_path / "second.toml")) == str(tmp_path / "second.toml")
    varied = own.vary({"power_ups.26.score": 10})
    (nines,) = (card for card in levers.cards(varied).keys if card.startswith("26:"))
    assert levers.source(varied) == "" == levers.cards(varied).command(nines, "above")  # nothing to paste
    assert levers.cards(varied).said([nines], "above") == "In the rule file: <code>power_ups.26</code>."


def test_a_file_of_ones_own_is_named_before_a_shipped_one_with_the_same_rules(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("eight.toml", "-eight.toml"):
        (tmp_path / name).write_text('extends = "nightmares"\npenalty_victory = 8\n')
    assert levers.source(load_rules("eight.toml")) == "eight.toml"
    assert levers.source(load_rules("-eight.toml")) == "./-eight.toml"  # no option
    assert levers.source(load_rules("nightmares/penalty_victory_8")) == "nightmares/penalty_victory_8"


def test_the_command_of_a_variant_plays_its_games_with_its_margins():
    base = load_rules("nightmares")
    nine = base.vary({"penalty_victory": 9, "readings.ties": base.readings.ties}, name="nine")
    found = compare(base, [nine], players=2, policies=["greedy", "penalty_hunter"], games=20, seed=5,
                    metrics=["points", "win_points"], margin={"points": (-2, 1)}, progress=False)  # fmt: skip
    (told,) = re.findall(r"<code>(sushibalance .*?)</code>", findings.changes(found)[0])
    assert told == (
        "sushibalance compare nightmares --set penalty_victory=9 -p 2 --policy greedy --policy penalty_hunter -n 20 "
        "--seed 5 --margin points=-2..1 --all"
    )
    assert levers.sets(base, base) == "" == levers.sets(load_rules("inventions"), load_rules("otter"))
    order = load_rules("otter").vary({"play.pick_order": "random"}, name="lots")
    assert shlex.split(levers.sets(order, load_rules("otter"))) == ["--set", 'play.pick_order="random"']


def test_what_is_never_taken_gets_an_easier_condition():
    """Neither six nor seven score is worth five cards numbered 11 to 13: nobody ever has them."""
    cards = levers.cards(load_rules("otter"))
    high, nines, one = (next(card for card in cards.keys if card.startswith(f"{number}:")) for number in (35, 26, 21))
    assert "To try: <code>sushibalance compare otter --set power_ups.35.score=7" in cards.said([high], "below")
    text = cards.said([high, nines], "below", idle=[high, nines])
    sets = "--set power_ups.35.exactly= --set power_ups.35.at_least=4"  # five cards do as well
    assert f"To try, an easier condition: <code>sushibalance compare otter {sets}</code>" in text
    assert cards.command(nines, "below", idle=True).endswith("--set power_ups.26.at_least=2")
    sevens = next(card for card in cards.keys if card.startswith("24:"))
    assert cards.command(sevens, "below", idle=True).endswith("--set power_ups.24.when.at_least=2")
    frame = pd.DataFrame({"card": [high, one], "estimate": [0.01, 0.3], "low": 0.0, "high": [0.02, 0.4]})
    frame = frame.assign(n=900, games=900, verdict="below", needed=0)
    told = findings.judged(frame, "card", "Taken", (0.5, 2.0), lever=cards)
    assert "To try, an easier condition" in told and "power_ups.35.at_least=4" in told
    told = findings.judged(frame.assign(estimate=[0.2, 0.3]), "card", "Taken", (0.5, 2.0), lever=cards)
    assert "To try: " in told and "power_ups.35.score=7" in told


def test_a_hand_gets_the_score_that_would_fit():
    rules = load_rules("otter")
    prices = price_against_rarity(rules=rules)
    row = prices.set_index("hand").loc["full_house"]
    score = round(row["score"] + row["fitting"] - row["price"])
    line = prices.dropna(subset="expected").sort_values("price")
    assert row["rarity"] == pytest.approx(np.interp(row["fitting"], line["price"], line["expected"]))
    command = levers.hands(rules, prices).command("full_house", "below")
    assert command == f"sushibalance compare otter --set hands.full_house.score={score}" and score < row["score"]


def test_a_command_plays_the_table_of_its_finding():
    rules = load_rules("nightmares")
    threshold = levers.Levers(rules, every=("penalty_victory",), more=False)
    seats = {("hunters", 3): ["penalty_hunter"] * 3, ("mixed", 2): ["penalty_hunter", "honest"]}
    at = threshold.at({("all greedy", 4): ["greedy"] * 4, **seats}, "penalty_victories")
    command = "sushibalance compare nightmares --set penalty_victory=8"
    assert at.command("3", "below", ["hunters", 3]) == (
        f"{command} -p 3 --policy penalty_hunter --metric penalty_victories"
    )
    assert at.command("2", "below", ["mixed", 2]) == (
        f"{command} -p 2 --policy penalty_hunter --policy honest --metric penalty_victories"
    )
    assert at.command("5", "below", ["hunters", 5]) == ""
    rows = [("all greedy", 4, 0.0, "below"), ("hunters", 3, 0.02, "below"), ("mixed", 2, 0.3, "inside")]
    frame = pd.DataFrame(rows, columns=["table", "players", "estimate", "verdict"]).assign(n=9, games=9, needed=0)
    frame = frame.assign(low=frame["estimate"], high=frame["estimate"])
    told = findings.judged(frame, ["table", "players"], "Ended", lever=at)
    assert re.findall("To try: <code>(.*?)</code>", told) == [at.command("3", "below", ["hunters", 3])]
    run = Request.of(rules, 2, "honest", 0)
    assert threshold.at(run).command("any", "above") == f"{command[:-1]}12 -p 2 --policy honest"
    other = run.policies[0].with_parameters(**{key: value + 1 for key, value in run.policies[0].parameters.items()})
    assert bool(other.parameters) == (threshold.at({(): [other] * 2}).command("any", "above") == "")


def test_tips_that_contradict_each_other_are_not_given():
    threshold = levers.Levers(load_rules("nightmares"), every=("penalty_victory",), more=False)
    rows = [("two", 0.9, "above"), ("four", 0.01, "below")]
    frame = pd.DataFrame(rows, columns=["table", "estimate", "verdict"]).assign(n=9, games=9, needed=0)
    frame = frame.assign(low=frame["estimate"], high=frame["estimate"])
    told = findings.judged(frame, "table", "Ended", lever=threshold)
    assert "To try" not in told and "<code>penalty_victory</code>" in told
    alone = findings.judged(frame.head(1), "table", "Ended", lever=threshold)
    assert "--set penalty_victory=12</code>" in alone
    cards = levers.cards(load_rules("otter"))
    (nines,), (fives,) = ([card for card in cards.keys if card.startswith(start)] for start in ("26:", "35:"))
    some = findings.judged(frame.assign(card=[nines, fives]), "card", "Taken", lever=cards)
    assert re.findall(r"--set (\S+)</code>", some) == ["power_ups.26.score=7", "power_ups.35.score=7"]
