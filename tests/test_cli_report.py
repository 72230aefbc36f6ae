"""`sushibalance report` as a designer meets it: what pages it asks for."""

from __future__ import annotations

import pytest
from test_cli import bad, good, shell  # noqa: F401

from sushibalance.reports.parameters import rules_of


def test_report_asks_for_a_page_for_each_rule_set(shell, monkeypatch, tmp_path):  # noqa: F811
    asked, progress = [], []

    def build_all(rules, **options):
        asked.append(([found.name for found in rules], options["out"], options["games"], options["policies"]))
        progress.append(options["progress"])
        return [options["out"] / f"{found.game}.html" for found in rules]

    monkeypatch.setattr("sushibalance.reports.build_all", build_all)
    code, out, _ = shell("report", "--out", tmp_path, "--games", 100)
    assert code == 0 and asked == [(["otter", "nightmares", "sushi_go"], tmp_path, 100, None)]
    pages = [f"  {tmp_path / name}" for name in ("otter.html", "nightmares.html", "sushi_go.html")]
    assert out.splitlines() == ["Open in a browser:", *pages]
    asked.clear()
    shell("report", "sushi_go", "--set", "pudding.most=9", "--policy", "greedy", "--out", tmp_path)
    shell("report", "otter/flush_8", "sushi_go", "--out", tmp_path, "-q")
    assert progress == [True, True, False]
    assert asked == [
        (["sushi_go, pudding.most=9"], tmp_path, None, ["greedy"]),
        (["flush_8", "sushi_go"], tmp_path, None, None),
    ]


def test_report_asks_for_a_question_and_for_all(shell, good, monkeypatch, tmp_path):  # noqa: F811
    asked, given = [], []

    def build_all(reports, **options):
        asked.append([(name, found if isinstance(found, str) else found.name) for name, found in reports])
        given.append(options["parameters"])
        return []

    monkeypatch.setattr("sushibalance.reports.build_all", build_all)
    good("report", "compare_variants")
    good("report", "compare_variants", "otter", "sushi_go/alternating")
    good("report", "card_values", "--set", "hands.flush.score=8", "-P", "margin=[-0.2, 0.2]", "-P", "per=vp")
    good("report", "--all", "--games", 100)
    games = ["otter", "nightmares", "sushi_go"]
    assert asked == [
        [("compare_variants", game) for game in games],
        [("compare_variants", "otter"), ("compare_variants", "alternating")],
        [("card_values", "otter, hands.flush.score=8")],
        [("balance", game) for game in games]
        + [("compare_variants", game) for game in games]
        + [("card_values", "otter")],
    ]
    assert given == [{}, {}, {"margin": [-0.2, 0.2], "per": "vp"}, {}]
    for words, message in (
        (["report", "--all", "otter"], "--all: found rules beside it"),
        (["report", "card_value"], 'found "card_value", allowed a question or a rule set; did you mean card_values?'),
        (["report", "card_values.toml"], "card_values.toml"),
        (["report", "otter", "-P", "margin"], '--parameter: found "margin", allowed NAME=VALUE'),
        (["report", "otter", "-P", "margin=1", "-P", "margin=2"], "--parameter margin: found it twice"),
    ):
        code, out, err = shell(*words)
        assert code == 2 and out == "" and message in err


def test_what_is_compared_is_named_as_for_compare(good, monkeypatch, write):  # noqa: F811
    asked = []

    def build_all(reports, **options):
        asked.append(([(name, found.name) for name, found in reports], options["parameters"]))
        return []

    monkeypatch.setattr("sushibalance.reports.build_all", build_all)
    mine = write('extends = "sushi_go"\npudding.most = 8\n', "mine.toml")
    options = ["--variant", mine, "--variant", "alternating", "--set", "pudding.most=4", "-P", "sizes=[2]"]
    good("report", "compare_variants", "sushi_go", *options)
    ((reports, parameters),) = asked
    assert reports == [("compare_variants", "sushi_go")] and parameters["sizes"] == [2]
    *named, changed = parameters["variants"]
    assert named == [str(mine), "alternating"]
    assert rules_of(changed).pudding.most == 4 and rules_of(changed).name == "sushi_go, pudding.most=4"


@pytest.mark.parametrize("words", [["compare", "otter", "flush_8"], ["compare", "otter", "--set", "deck.numbers", 8]])
def test_words_without_a_place_are_told_where_they_belong(bad, words):  # noqa: F811
    assert "a variant goes after --variant, a value after --set as KEY=VALUE" in " ".join(bad(*words).split())


def test_a_file_that_was_perhaps_meant_is_named(bad, tmp_path, monkeypatch, write):  # noqa: F811
    monkeypatch.chdir(write('extends = "sushi_go"\n', "my_puddings.toml").parent)
    assert "did you mean my_puddings.toml?" in bad("rules", "my_puddings")
    assert "an existing rule file (.toml); did you mean my_puddings.toml?" in bad("rules", "my_pudings.toml")
    assert "did you mean" not in bad("rules", "nothing_like_it.toml")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["compare_variants", "MINE", "sushi_go"], "several of sushi_go, allowed one, the base; name what to compare"),
        (["compare_variants", "otter", "sushi_go", "--variant", "flush_8"], "--variant: found 2 rule sets before it"),
        (["compare_variants", "--set", "a=1"], "--set: found no rule set before it, allowed one, the base, as: report"),
        (["compare_variants", "sushi_go", "--variant", "flush_8"], '"flush_8"'),
        (["compare_variants", "sushi_go", "--variant", "MINE", "--variant", "MINE"], "twice"),
        (["compare_variants", "sushi_go", "--variant", "MINE", "-P", "variants=[]"], "-P variants: found --variant"),
        (["sushi_go", "--variant", "alternating", "--variant", "pudding_all_tied"], "--variant: found 2, allowed one;"),
        (
            ["sushi_go", "-P", "players=2"],
            "parameters: found players, allowed as an argument of its own, in the shell --p",
        ),
        (["sushi_go", "-P", 'policies="greedy"'], "in the shell --policy"),
        (
            ["otter", "card_values"],
            "found card_values after a rule set, allowed before it, as: report card_values otter",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(bad, write, words, message):  # noqa: F811
    mine = write('extends = "sushi_go"\npudding.most = 8\n', "mine.toml")
    assert message in bad("report", *(mine if word == "MINE" else word for word in words))
