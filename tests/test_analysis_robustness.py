"""Verdicts in every group of policies and players, and what follows from them for a card or a change."""

import re

import pandas as pd
import pytest

from sushibalance import compare, simulate
from sushibalance.analysis import pick_rates, victory_odds, win_rates
from sushibalance.analysis.over import question
from sushibalance.analysis.robustness import _summary, robustness
from sushibalance.errors import UserError
from sushibalance.stats import rates, shares

QUIET = {"games": 400, "seed": 2, "progress": False}


def test_cells_are_the_answers_of_each_group():
    found = robustness("sushi_go", policies=["greedy", "random"], players=[2, 3], ask="wins_by_seat",
                       margin=(0.2, 0.6), **QUIET)  # fmt: skip
    assert found.keys == ["seat"] and len(found.cells) == 2 * (2 + 3)
    level = found.cells.attrs["level"]
    for (table, players), cells in found.cells.groupby(["table", "players"], observed=True):
        run = simulate("sushi_go", policies=table, players=players, games=400, seed=2, progress=False)
        expected = win_rates.of(run.players, "seat", level=level)
        for column in ("seat", "estimate", "low", "high", "n", "games", "fair"):
            assert list(cells[column]) == list(expected[column]), column


def test_differences_are_those_of_compare():
    found = robustness("nightmares", ["penalty_victory_8", "penalty_victory_12"], policies=["penalty_hunter"],
                       players=[2, 4], ask="penalty_victories", **QUIET)  # fmt: skip
    assert found.keys == ["change"] and list(found.summary["change"]) == ["penalty_victory_8", "penalty_victory_12"]
    assert list(found.summary["verdict"]) == ["moves", "moves"] and not found.summary["flips_with_policy"].any()
    for players in (2, 4):
        alone = compare("nightmares", ["penalty_victory_8", "penalty_victory_12"], policies="penalty_hunter",
                        players=players, metrics="penalty_victories", **QUIET)  # fmt: skip
        cells = found.cells[found.cells["players"] == players]
        assert list(cells["estimate"]) == list(alone.frames["penalty_victories"]["estimate"])
        assert set(cells["margin_high"]) == {0.02}


def test_a_question_of_ones_own_with_several_keys():
    ask = question(shares, "rounds", by=["round"], category="served")
    found = robustness("nightmares", policies="honest", players=3, ask=ask, margin=(0.1, 0.3), **QUIET)
    assert found.keys == ["round", "served"] and len(found.summary) == 4 * 5 == len(found.cells)
    ask = question(victory_odds.endings, "games", by="players", rounds=True)
    found = robustness(
        "nightmares", policies=["honest", "penalty_hunter"], players=3, ask=ask, margin=(0, 0.5), **QUIET
    )
    assert found.keys == ["ending"]


def test_a_table_of_several_policies_fits_its_number_of_players():
    tables = {"all": "greedy", "duel": ["greedy", "random"]}
    ask = question(win_rates.points, "players")
    found = robustness("nightmares", policies=tables, players=[2, 3], ask=ask, margin=(0, 10), **QUIET)
    groups = found.cells[["table", "players"]].drop_duplicates()
    assert groups.to_numpy().tolist() == [["all", 2], ["all", 3], ["duel", 2]]
    assert found.keys == [] and len(found.summary) == 1


def cells(*verdicts, changes=False):
    """Return cells of one card: the verdicts of greedy and random with 2, 3, ... players."""
    rows = [
        {
            "power_up": 7,
            "table": table,
            "players": players,
            "estimate": 1.0 + players / 10,
            "low": 0.9 + players / 10,
            "high": 1.2 + players / 10,
            "verdict": verdict,
        }
        for (table, players), verdict in zip(
            ((table, players) for table in ("greedy", "random") for players in range(2, 2 + len(verdicts) // 2)),
            verdicts,
            strict=True,
        )
    ]
    return _summary(pd.DataFrame(rows), ["power_up"], changes=changes).iloc[0]


@pytest.mark.parametrize(
    ("verdicts", "verdict", "with_policy", "with_players"),
    [
        (["inside"] * 4, "fine", False, False),
        (["inside", "inside", "above", "inside"], "too strong", True, True),
        (["below"] * 4, "too weak", False, False),
        (["below", "below", "below", "inside"], "fine", True, True),
        (["below", "below", "below", "undecided"], "undecided", False, False),
        (["below", "below", "below", "above"], "too strong", True, True),
        (["above", "undecided", "undecided", "undecided"], "too strong", False, False),
        (["above", "above", "inside", "inside"], "too strong", True, False),
        (["above", "inside", "above", "inside"], "too strong", False, True),
        (["inside", "undecided", "inside", "inside"], "undecided", False, False),
    ],
)
def test_over_in_any_group_is_too_strong_and_under_in_all_is_too_weak(verdicts, verdict, with_policy, with_players):
    row = cells(*verdicts)
    assert row["verdict"] == verdict
    assert (row["flips_with_policy"], row["flips_with_players"]) == (with_policy, with_players)
    assert row["groups"] == 4 == sum(row[name] for name in ("above", "inside", "below", "undecided"))
    assert (row["highest_at"], row["lowest_at"]) == ("greedy, 3 players", "greedy, 2 players")
    assert [row[f"highest{part}"] for part in ("", "_low", "_high")] == pytest.approx([1.3, 1.2, 1.5])
    assert [row[f"lowest{part}"] for part in ("", "_low", "_high")] == pytest.approx([1.2, 1.1, 1.4])


@pytest.mark.parametrize(
    ("verdicts", "verdict"),
    [
        (["inside", "inside"], "holds"),
        (["inside", "undecided"], "undecided"),
        (["below", "undecided"], "moves"),
        (["above", "below"], "moves"),
    ],
)
def test_a_change_moves_a_number_when_it_does_in_any_group(verdicts, verdict):
    assert cells(*verdicts, changes=True)["verdict"] == verdict


def test_more_groups_make_verdicts_more_careful():
    one, many = (
        robustness("nightmares", policies="greedy", players=players, ask="wins_by_seat", margin=(0.2, 0.3), **QUIET)
        for players in ([4], [2, 3, 4, 5, 6])
    )
    same = many.cells[many.cells["players"] == 4]
    assert (same["low"].to_numpy() <= one.cells["low"].to_numpy()).all()
    assert many.cells.attrs["level"] >= 0.95 and len(many.cells) == 2 + 3 + 4 + 5 + 6


def test_sentences_name_the_extremes():
    variants, policies = ["penalty_victory_8", "fortune_cat_one_each"], ["greedy", "penalty_hunter"]
    found = robustness("nightmares", variants, policies=policies, players=[3], ask="penalty_victories", **QUIET)
    text = " ".join(found.sentences())
    assert "judged in 2 groups" in text and "moves: 1 of 2, first of all change penalty victory 8" in text
    assert "holds: 1 of 2." in text and "The verdict depends on who plays: 1, first of all change penalty" in text
    ends = [found.summary[f"{end}_at"].iloc[0].replace("_", " ") for end in ("lowest", "highest")]
    assert re.search(rf"who plays: .* with {ends[0]} and .* with {ends[1]}\.", text) and ends[0] != ends[1]


def test_policies_at_one_table_are_groups_of_their_own():
    """What differs between the policies of one table does not flip with the number of players."""
    tables = [["greedy", "random"]]
    asked = {"ask": "points", "margin": (42, 50)}
    found = robustness("sushi_go", policies=tables, players=2, games=300, seed=2, progress=False, **asked)
    row = found.summary.iloc[0]
    assert (row["above"], row["below"], row["groups"]) == (1, 1, 2)
    assert row["flips_with_policy"] and not row["flips_with_players"]
    assert row["highest_at"] == "greedy at greedy + random, 2 players"
    assert row["lowest_at"] == "random at greedy + random, 2 players"
    assert "judged in 2 groups" in found.sentences()[0]


def test_seats_are_judged_without_more_words():
    found = robustness("sushi_go", policies=["random", ["greedy", "random"]], players=2, **QUIET)
    assert found.metric == "win_points_by_seat" and found.keys == ["seat"] and len(found.cells) == 4
    assert set(found.cells["margin_low"]) == {0.9}


def test_what_a_table_shares_out_says_nothing_of_the_rules():
    """A good player among bad ones is above and the bad ones below, whatever the cards."""
    mixed = ["greedy", "random"]
    for ask in (
        "win_points",
        "wins",
        question(win_rates.win_points, "players"),
        question(win_rates.of, "players", by=()),
    ):
        for table in (mixed, "greedy"):
            with pytest.raises(UserError, match=r"which the players of a table share out: .* allowed: a quest"):
                robustness("sushi_go", policies=[table], players=2, ask=ask, margin=(0.9, 1.1), **QUIET)
        with pytest.raises(UserError, match=r"at a table where all play greedy: .* allowed: tables of different pol"):
            robustness("sushi_go", "pudding_every_round", policies=[mixed, "greedy"], players=2, ask=ask, **QUIET)
    found = robustness("sushi_go", "pudding_every_round", policies=[mixed], players=2, ask="win_points", **QUIET)
    assert found.cells["policy"].tolist() == mixed and found.summary["groups"].tolist() == [2]
    scores = robustness("sushi_go", "pudding_every_round", policies="greedy", players=2, **QUIET)
    assert scores.metric == "points" and scores.cells["margin_high"].tolist() == [1]


def test_what_a_variant_alone_has_is_undecided():
    found = robustness("otter", "inventions", policies="random", players=2, ask="picks", games=30, progress=False)
    new = found.summary[found.summary["power_up"].astype(str) == "65"].iloc[0]
    assert (new["verdict"], new["undecided"], new["highest_at"]) == ("undecided", 1, "")
    assert pd.isna(new["highest"]) and "nan" not in " ".join(found.sentences())


def test_a_change_is_told_where_it_moves_farthest_whatever_the_direction():
    found = robustness("nightmares", "no_penalty_victory", policies="penalty_hunter", players=[2, 4],
                       ask="penalty_victories", **QUIET)  # fmt: skip
    row = found.summary.iloc[0]
    assert row["lowest"] < row["highest"] < 0
    minus, (low, value, high) = (
        "\N{MINUS SIGN}",
        [f"{-100 * row[f'lowest{part}']:.0f}" for part in ("_low", "", "_high")],
    )
    number = f"{minus}{value} percentage points ({minus}{low} to {minus}{high})"
    assert found.sentences()[1].endswith(f"{number} with penalty hunter, 2 players.")
    cell = found.cells[found.cells["players"] == 2].iloc[0]
    assert (row["lowest_low"], row["lowest_high"]) == (cell["low"], cell["high"])


def test_numbers_are_told_in_their_unit_with_their_interval():
    asked = {"policies": "penalty_hunter", "players": 2, "ask": "wins_by_seat", "margin": (0.2, 0.3)}
    found = robustness("nightmares", **asked, **QUIET)
    row = found.summary.sort_values("highest").iloc[-1]
    low, value, high = (f"{100 * row[f'highest{part}']:.0f}" for part in ("_low", "", "_high"))
    assert found.unit == "share" and found.sentences()[0].endswith("judged in 1 group of policies and players:")
    number = f"first of all seat {row['seat']}, {value}% ({low} to {high}) with penalty hunter, 2 players"
    assert number in found.sentences()[1]
    ask, tables = question(pick_rates.against_chance, "turns", by=["power_up", "policy"]), [["greedy", "random"]]
    cards = robustness("otter", policies=tables, players=2, ask=ask, games=60, progress=False)
    assert cards.unit == "times"
    row = cards.summary[cards.summary["verdict"] == "too strong"].sort_values("highest", kind="stable").iloc[-1]
    text = cards.texts[str(row["power_up"])]
    told = next(line for line in cards.sentences(most=1) if line.startswith("too strong"))
    assert f"first of all power-up {row['power_up']}: {text}, " in told
    number = re.search(r", ([\d.]+) \(([\d.]+) to ([\d.]+)\) with \w+ at greedy \+ random", told)
    ends = [row[f"highest{part}"] for part in ("", "_low", "_high")]
    assert list(map(float, number.groups())) == pytest.approx(ends, abs=0.051)


@pytest.mark.parametrize(("variants", "key"), [(None, "table"), ("pudding_every_round", "change")])
def test_a_key_of_ones_own_is_not_called_as_a_group_is(variants, key):
    def ask(players):
        return rates.observe(players.assign(**{key: players["seat"] % 2}), key, "win")

    asked = question(ask, "players") if variants else question(lambda players: ask(players).tally(), "players")
    with pytest.raises(UserError, match=f'by: found "{key}"'):
        robustness("sushi_go", variants, policies="random", players=2, ask=asked, margin=(-1, 1), **QUIET)


def test_otters_cards_are_judged_without_more_words():
    found = robustness("otter", policies="random", players=2, games=60, progress=False)
    assert found.keys == ["power_up"] and len(found.summary) == 64
    assert set(found.cells["margin_low"]) == {-0.1} and "effect with a card" in found.sentences()[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ask": "hands"}, "did you mean|one of"),
        ({"ask": "points"}, "margin: found none for points"),
        ({"ask": "points", "margin": 1}, r"allowed \(low, high\)"),
        ({"ask": "points", "margin": (2, 1)}, "margin of points"),
        ({"policies": []}, "found no group"),
        ({"players": []}, "found no group"),
        ({"players": 7}, "players"),
        ({"policies": [["greedy", "random"]], "players": 3}, "for 2 seats, allowed numbers of players"),
        ({"policies": ["greed"]}, "did you mean greedy"),
        ({"games": 1}, "games: found 1"),
        ({"level": 2}, "level: found 2"),
        ({"level": "sure"}, "level: found 'sure'"),
        ({"players": 2.5}, "players: found 2.5"),
        ({"players": "four"}, 'players of .*: found "four"'),
        ({"policies": 5}, "policies: found 5"),
        ({"policies": [5]}, "policies: found 5"),
        ({"variants": 5}, "variants: found 5"),
        ({"variants": "flush_8"}, "a rule set of otter"),
    ],
)
def test_mistakes_are_told(arguments, message):
    asked = {"policies": "greedy", "players": 2, "games": 20, "progress": False, **arguments}
    with pytest.raises(UserError, match=message):
        robustness("nightmares", asked.pop("variants", None), **asked)
