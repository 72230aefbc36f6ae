"""The tables that a report is about: what is counted while they play is what their games say."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from sushibalance import load_rules, simulate
from sushibalance.analysis import pick_rates, puddings, tables, victory_odds, win_rates
from sushibalance.analysis.over import over, question, questions
from sushibalance.reports import tables as playing
from sushibalance.stats import verdicts

ASKED = questions(
    wins=question(win_rates.of, "players"),
    seats=question(win_rates.win_points, "players", by="seat"),
)
MIXES = {"all greedy": "greedy", "mixed": ["greedy", "denier"]}


@pytest.fixture(scope="module")
def played():
    return playing.play(load_rules("sushi_go"), MIXES, ASKED, players=3, games=120, seed=4)


def test_answers_are_those_of_the_games_at_the_same_table(played):
    assert list(played) == ["all greedy", "mixed"]
    run = simulate("sushi_go", players=3, policies=["greedy", "denier", "greedy"], games=120, seed=4, progress=False)
    table = played["mixed"]
    assert (table.n, table.seats, table.seed) == (120, 3, 4)
    assert [policy.name for policy in table.policies] == ["greedy", "denier", "greedy"]
    pd.testing.assert_frame_equal(table.frame("wins"), win_rates.of(run.players))
    judged = table.verdicts("seats", (0.9, 1.1))
    assert judged["estimate"].tolist() == win_rates.win_points(run.players, "seat")["estimate"].tolist()
    assert set(judged["verdict"]) <= {"inside", "above", "below", "undecided"}


def test_what_a_rare_group_needs_is_counted_in_games_of_the_table():
    asked = questions(held=question(puddings.win_points_by_count, "collected"), **ASKED)
    table = playing.play(load_rules("sushi_go"), {"all": "greedy"}, asked, players=4, games=300, seed=4)["all"]
    margin = (0.9, 1.1)
    now, outright = table.verdicts("held", margin), verdicts(table.answers["held"].of_games(0), margin)
    some = (now["needed"] > 0).fillna(False) & (now["games"] < 100)
    assert table.answers["held"].played == 300 and some.any()
    for row, before in zip(now[some].itertuples(), outright["needed"][some], strict=True):
        assert before - 1 < row.needed * row.games / 300 <= before
    pd.testing.assert_frame_equal(table.verdicts("seats", margin), verdicts(table.answers["seats"].of_games(0), margin))


def test_answers_of_several_tables_are_told_apart_and_judged_together(played):
    frame = playing.stacked(played, "wins")
    assert frame["table"].tolist() == ["all greedy", "mixed", "mixed"] and frame.attrs["level"] == 0.95
    assert list(frame["table"].cat.categories) == ["all greedy", "mixed"]
    assert list(frame["policy"]) == ["greedy", "greedy", "denier"]
    for label, table in played.items():
        rows = frame[frame["table"] == label].drop(columns="table").reset_index(drop=True)
        assert rows["estimate"].tolist() == table.frame("wins")["estimate"].tolist()
    judged = playing.stacked(played, "seats", (0.99, 1.01))
    assert len(judged) == 6 and {"verdict", "needed"} <= set(judged.columns)
    assert judged["needed"].notna().sum() > 0 and 0.95 <= judged.attrs["level"] < 1


def test_tables_of_several_sizes_have_their_number_of_players_in_the_label():
    asked = questions(odds=question(victory_odds.penalty_victories, "games", by="players"))
    several = playing.play(
        load_rules("nightmares"), {"hunters": "penalty_hunter"}, asked, players=[3, 5], games=60, seed=1
    )
    assert list(several) == [("hunters", 3), ("hunters", 5)]
    assert playing.stacked(several, "odds")["players"].tolist() == [3, 5]


def test_it_is_said_how_long_all_tables_will_take(capfd, monkeypatch):
    monkeypatch.setattr(playing, "_seconds", lambda rules, wanted, *rest: dict.fromkeys(wanted, 75.0))
    playing.play(load_rules("sushi_go"), MIXES, ASKED, players=3, games=60, seed=4)
    lines = [line for line in capfd.readouterr().err.splitlines() if "table" in line]
    assert lines == [
        "all greedy, 3 players: 60 games (table 1 of 2; 2 min left for all tables)",
        "mixed, 3 players: 60 games (table 2 of 2; 75 s left for all tables)",
    ]


def test_the_time_is_that_of_some_games(monkeypatch):
    """The first game, which may compile for a minute, does not count."""
    now, speed = [0.0], {"greedy": 0.5, "denier": 2.0}

    def fold(rules, asked, *, policies, games, **options):
        now[0] += 60 if games == 1 else games * speed[policies[0]]

    monkeypatch.setattr(playing, "fold", fold)
    monkeypatch.setattr(playing.time, "perf_counter", lambda: now[0])
    wanted = {"a": ["greedy"] * 3, "b": ["denier"] * 3}
    seconds = playing._seconds(load_rules("sushi_go"), wanted, ASKED, 1_000, 0)
    assert seconds == {"a": pytest.approx(500), "b": pytest.approx(2_000)}


def test_power_ups_are_asked_by_card_and_type_of_any_run():
    run = simulate("otter", games=40, seed=1, progress=False)
    found = over(run, pick_rates.against_chance, "turns", by=["type", "round"])
    turns = tables.with_cards(pick_rates.turns(run.offers, run.picks), run.rules)
    pd.testing.assert_frame_equal(found, pick_rates.against_chance(turns, ["type", "round"]))
    cards = over(run, pick_rates.taken, "offers", by="card")
    assert re.match(r"1, 2: ", cards["card"].iloc[0]) and cards["n"].sum() == len(run.offers)
