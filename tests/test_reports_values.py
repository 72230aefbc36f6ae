"""Verdicts on forced choices, and the rows that the notebooks on cards and variants draw."""

from __future__ import annotations

from dataclasses import asdict
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from sushibalance import compare, load_rules
from sushibalance.errors import UserError
from sushibalance.reports import comparing, values
from sushibalance.stats import means, verdicts

CARDS = ["7: 1 score", "28: turn", "learn_even", "35: eleven"]


def worth(estimates, half=0.5, games=400, policies=("all",)):
    """Return rows as of `card_values`: each card, round and outcome with the same interval."""
    rows = [
        (card, "score", policy, number, outcome, value, value - half, value + half, games, games)
        for card, value in zip(CARDS, estimates, strict=True)
        for policy in policies
        for number in ("all", "1", "2")
        for outcome in ("vp", "win_points")
    ]
    columns = ["card", "type", "policy", "round", "outcome", "estimate", "low", "high", "n", "games"]
    frame = pd.DataFrame(rows, columns=columns)
    gap = frame["estimate"] - 2
    frame = frame.assign(gap=gap, gap_low=gap - half, gap_high=gap + half)
    frame.attrs["level"] = 0.95
    return frame


def test_intervals_at_another_level_are_those_of_student():
    rng = np.random.default_rng(3)
    points = pd.DataFrame({"game": range(60), "card": [0, 1] * 30, "vp": rng.normal(3, 2, 60)})
    tally = means.tally(points, "card", "vp")
    read = values.Widened(tally.frame(0.95))
    for level in (0.8, 0.95, 0.999):
        found, exact = read.frame(level), tally.frame(level)
        assert found[["low", "high"]].to_numpy() == pytest.approx(exact[["low", "high"]].to_numpy())
        assert found.attrs["level"] == level
    mine, direct = values.judged(tally.frame(0.9), (2.5, 3.5)), verdicts(tally, (2.5, 3.5))
    assert mine["verdict"].tolist() == direct["verdict"].tolist() and mine["needed"].equals(direct["needed"])


def test_worths_are_judged_around_the_mean_of_all_cards():
    found, margin = values.worths(worth([6.0, 2.0, 2.2, 1.8]), 1.5)
    assert margin == (pytest.approx(1.5), pytest.approx(4.5))
    assert found["verdict"].tolist() == ["above", "undecided", "inside", "undecided"]
    assert len(found) == 4 and not {"round", "outcome", "policy"} & set(found.columns)
    tighter, _ = values.worths(worth([6.0, 2.0, 2.2, 1.8], half=0.05), 1.5)
    assert tighter["verdict"].tolist() == ["above", "inside", "inside", "inside"]
    with pytest.raises(UserError, match="off: found 0, allowed a number above 0"):
        values.worths(worth([1, 2, 3, 4]), 0)


def test_biases_are_judged_around_nothing():
    rows = values.a_card(worth([6.0, 2.0, 0.0, 3.0]))
    rows.loc[3, ["gap", "gap_low", "gap_high"]] = np.nan  # nobody took it
    found = values.biases(rows, 1.0)
    assert found["card"].tolist() == CARDS[:3] and found["estimate"].tolist() == [4.0, 0.0, -2.0]
    assert found["verdict"].tolist() == ["above", "inside", "below"]


def test_rounds_of_the_highest_and_the_lowest_cards_are_drawn():
    every = worth([6.0, 2.0, 2.2, 1.8])
    found = values.by_round(every, values.worths(every, 1.0)[0], most=3)
    assert list(found["card"].cat.categories) == [CARDS[0], CARDS[2], CARDS[3]]
    assert found["round"].tolist() == [1, 2] * 3 and found.attrs["level"] == 0.95


def test_cards_that_stand_out_are_those_that_are_not_fine_everywhere():
    cells = pd.DataFrame({"card": pd.Categorical(CARDS * 2), "table": ["greedy"] * 4 + ["tank"] * 4, "players": 4})
    cells.attrs["level"] = 0.97
    summary = pd.DataFrame(
        {
            "card": CARDS,
            "verdict": ["fine", "too strong", "fine", "undecided"],
            "flips_with_policy": [False, False, True, False],
        }
    )
    found = values.standing_out(SimpleNamespace(cells=cells, summary=summary, keys=["card"]))
    assert found["card"].tolist() == CARDS[1:] * 2 and found.attrs["level"] == 0.97


def test_of_many_numbers_a_chart_shows_those_that_stand_out():
    every = [f"card {place}" for place in range(40)]
    frame = pd.DataFrame({"change": "a", "of": pd.Categorical(every, every), "estimate": np.linspace(-1, 2, 40)})
    frame = frame.assign(verdict=np.where(frame["estimate"] > 1.5, "above", "inside"))
    frame.attrs["unit"] = "deals"
    shown = comparing.Change("picks", "picks", frame, "times", "").standing_out
    assert list(shown["of"]) == every[:-8:-1] and shown.attrs["unit"] == "deals"  # the farthest on top
    few = frame.head(30)
    assert comparing.Change("picks", "picks", few, "times", "").standing_out is few
    none = frame.assign(verdict="inside")
    assert comparing.Change("picks", "picks", none, "times", "").standing_out.empty


def test_variants_and_numbers_of_a_comparison_are_told_by_name():
    rules = load_rules("nightmares")
    assert comparing.variants_of(rules) == [f"nightmares/{name}" for name in (
        "chefs_worth_1_more", "fortune_cat_one_each", "no_penalty_victory", "penalty_victory_12", "penalty_victory_8"
    )]  # fmt: skip
    eight = load_rules("nightmares/penalty_victory_8")
    assert "nightmares/penalty_victory_8" not in comparing.variants_of(eight)
    assert comparing.variants_of(rules, "eight.toml") == ["eight.toml"]
    assert comparing.variants_of(rules, [asdict(eight.document)])[0].fingerprint == eight.fingerprint
    metrics = comparing.main_metrics(rules, [eight])
    assert metrics == ["win_points", "wins_by_seat", "points", "penalty_victories"]
    otter = load_rules("otter")
    cards = [otter.vary({"power_ups.26.score": 8}, name="nines"), otter.vary({"hands.flush.score": 8}, name="flush")]
    assert comparing.main_metrics(otter, cards) == ["win_points", "wins_by_seat", "final_vp", "picks", "hands"]
    assert "picks" not in comparing.main_metrics(otter, cards[1:])
    found = compare(
        rules, ["penalty_victory_8", "no_penalty_victory"], policies="penalty_hunter", games=40, metrics=metrics,
        progress=False,
    )  # fmt: skip
    changes = {change.name: change for change in comparing.changes(found)}
    assert list(changes) == metrics
    seats = changes["wins_by_seat"]
    assert seats.percent and seats.scale == 100 and seats.unit == "%" and seats.step.startswith("percentage points")
    assert list(seats.frame["of"].cat.categories) == ["seat 0", "seat 1", "seat 2", "seat 3"]
    assert list(seats.frame["change"].cat.categories) == ["penalty_victory_8", "no_penalty_victory"]
    assert seats.frame.attrs["level"] == found.frames["wins_by_seat"].attrs["level"]
    assert changes["penalty_victories"].frame["of"].tolist() == ["4 players"] * 2
    assert changes["points"].step == "points more or fewer" and changes["points"].unit == ""
    assert changes["points"].about == "4 players, against nightmares"
    assert [change.name for change in comparing.changes(found, "points")] == ["points"]
    assert {"estimate", "verdict", "margin_low"} <= set(seats.frame.columns)


def test_the_margins_of_a_comparison_are_told_with_their_source():
    found = compare(
        "nightmares", "penalty_victory_8", games=40, metrics=["win_points", "wins_by_seat", "points", "endings"],
        margin={"points": (-2, 1), "endings": 0.05}, progress=False,
    )  # fmt: skip
    told = comparing.margins(found).set_index("number")
    assert told["margin"].tolist() == [
        "\u00b10.1", "\u00b12.5 percentage points", "\u22122 to +1 points", "\u00b15 percentage points",
    ]  # fmt: skip
    assert "45% to 55%" in told["because"]["win points"] and "fair share" in told["because"]["games won by seat"]
    assert told["because"].tolist()[2:] == ["as asked for"] * 2
