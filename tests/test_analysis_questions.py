"""The balance questions on frames whose answer is known."""

from functools import cache
from math import comb

import numpy as np
import pandas as pd
import pytest
import synthetic

from sushibalance.analysis import (
    hand_frequencies,
    pick_rates,
    points_by_kind,
    puddings,
    tables,
    victory_odds,
    vp_curves,
    win_rates,
)
from sushibalance.stats.groups import ColumnError

COLUMNS = {"estimate", "low", "high", "n", "games"}
POLICIES = ["tank", "saver", "saver", "greedy"]


@cache
def otter():
    return synthetic.otter(600, policies=POLICIES, seed=1, wanted=(7,))


def holds(row, truth):
    return row.low <= truth <= row.high


# -- pick rates --------------------------------------------------------------------------------------


def test_turns_of_one_round_by_hand():
    """Three on offer to two players: the first meets 3 cards, the second 2."""
    offers = pd.DataFrame({"game": 0, "round": 1, "slot": [0, 1, 2], "power_up": [5, 9, 7], "taken_by": [0, -1, 1]})
    picks = pd.DataFrame({"game": 0, "round": 1, "order": [1, 2], "seat": [1, 0], "power_up": [7, 5]})
    frame = pick_rates.turns(offers, picks)
    rows = set(frame[["power_up", "order", "seat", "left", "taken"]].itertuples(index=False, name=None))
    assert rows == {
        (7, 1, 1, 3, True),
        (5, 1, 1, 3, False),
        (9, 1, 1, 3, False),
        (5, 2, 0, 2, True),
        (9, 2, 0, 2, False),
    }
    assert (frame["chance"] == 1 / frame["left"]).all()


def test_turns_of_whole_runs_agree_with_offers_and_picks():
    run = otter()
    frame = pick_rates.turns(run.offers, run.picks)
    assert len(frame) == 600 * 7 * (5 + 4 + 3 + 2)
    assert frame["taken"].sum() == len(run.picks)
    assert frame.groupby(["game", "round", "order"])["chance"].sum().to_numpy() == pytest.approx(1.0)
    taken = frame[frame["taken"]].merge(run.picks, on=["game", "round", "order"], suffixes=("", "_pick"))
    assert (taken["power_up"] == taken["power_up_pick"]).all() and (taken["seat"] == taken["seat_pick"]).all()


def test_starting_power_ups_are_no_turns():
    run = synthetic.otter(5)
    extra = run.picks.iloc[:4].assign(round=0, order=[1, 2, 3, 4])
    with_start = pd.concat([extra, run.picks], ignore_index=True)
    assert pick_rates.turns(run.offers, with_start).equals(pick_rates.turns(run.offers, run.picks))
    assert pick_rates.turns(run.offers.iloc[:0], run.picks).empty


def test_a_card_that_all_want_is_taken_five_times_as_often_as_by_chance():
    run = otter()
    found = pick_rates.against_chance(pick_rates.turns(run.offers, run.picks)).set_index("power_up")
    assert found.loc[7, "estimate"] == pytest.approx(5.0)  # first of five, every time
    assert set(found.columns) >= COLUMNS
    rest = found.drop(7)
    assert rest["estimate"].mean() == pytest.approx(1.0, abs=0.05)
    assert np.mean([holds(row, 1.0) for row in rest.itertuples()]) > 0.85
    assert pick_rates.taken(run.offers).set_index("power_up").loc[7, ["estimate", "n", "taken"]].tolist() == [
        1.0,
        found.loc[7, "taken"],
        found.loc[7, "taken"],
    ]


def test_no_card_is_taken_more_often_than_its_ceiling():
    """The ceiling is the number on offer: what is always taken first reaches it."""
    turns = pick_rates.turns(otter().offers, otter().picks)
    found = pick_rates.against_chance(turns, ["order", "power_up"])
    assert (found["ceiling"] == 6 - found["order"]).all() and (found["estimate"] <= found["ceiling"] + 1e-9).all()
    assert pick_rates.against_chance(turns, [])["ceiling"].tolist() == [5.0]


def test_key_clients_by_hand():
    """Game 0: both cards are taken; 1: one; 2: none. A card nobody took has a row."""
    cards = pd.Categorical(["flush", None, "odd", "odd", None, None], ["flush", "odd", "low"])
    picks = pd.DataFrame({"game": [0, 0, 0, 1, 1, 2], "policy": list("ababab"), "key_client": cards})
    found = pick_rates.key_clients(picks).set_index("key_client")
    assert found["estimate"].to_dict() == pytest.approx({"flush": 1 / 3, "odd": 2 / 3, "low": 0.0})
    assert (found["n"] == 3).all() and (found["games"] == 3).all() and found.loc["low", "high"] > 0
    by = pick_rates.key_clients(picks, "policy").set_index(["policy", "key_client"])["estimate"]
    assert by["a"].to_dict() == pytest.approx({"flush": 0.5, "odd": 0.5, "low": 0.0})
    assert by["b"].to_dict() == pytest.approx({"flush": 0.0, "odd": 1 / 3, "low": 0.0})


def test_key_clients_of_a_run_add_up_to_its_picks():
    picks = otter().picks
    found = pick_rates.key_clients(picks)
    assert (found["estimate"] * found["n"]).sum() == pytest.approx(picks["key_client"].notna().sum())
    mean = found["estimate"].mean()
    assert np.mean([holds(row, mean) for row in found.itertuples()]) > 0.7  # all are as likely


def test_taken_counts_offers():
    run = otter()
    found = pick_rates.taken(run.offers, ["round", "power_up"])
    assert found["n"].sum() == len(run.offers) and found["taken"].sum() == len(run.picks)
    assert (pick_rates.taken(run.offers, [])["estimate"] == 0.8).all()  # four of five


def test_pick_rates_by_policy_and_round():
    run = otter()
    turns = tables.with_policy(pick_rates.turns(run.offers, run.picks), run.players)
    found = pick_rates.against_chance(turns, ["policy", "round"])
    assert found["estimate"].to_numpy() == pytest.approx(1.0)  # each turn takes one card
    saver = pick_rates.against_chance(turns, ["policy", "power_up"])
    row = saver[(saver["policy"] == "saver") & (saver["power_up"] == 7)].iloc[0]
    assert row["taken"] == row["n"]  # whoever meets it takes it


# -- hands, VP, wins ------------------------------------------------------------------------------------


def test_hand_shares_add_up_and_name_the_hands_never_seen():
    run = otter()
    found = hand_frequencies.in_play(run.rounds, run.players, ["policy", "round"])
    sums = found.groupby(["policy", "round"], observed=True)["estimate"].sum()
    assert sums.to_numpy() == pytest.approx(1.0) and len(sums) == 3 * 8
    never = found[found["hand"] == "five_suits"]
    assert (never["estimate"] == 0).all() and (never["high"] > 0).all()
    overall = hand_frequencies.in_play(run.rounds, by=[]).query("hand != 'five_suits'")
    assert all(holds(row, 1 / 6) for row in overall.itertuples())
    assert (overall["n"] == 600 * 4 * 8).all() and (overall["games"] == 600).all()


def test_hands_counted_exactly_stand_beside_those_in_play():
    """The frequencies of a standard deck of five suits of thirteen, and the issue's call."""
    found = hand_frequencies.exact(cards=5, rules=None)
    assert list(found.columns) == ["hand", "count", "share"]
    assert found["count"].sum() == comb(65, 5) and found["share"].sum() == pytest.approx(1.0)
    assert found.set_index("hand").loc["five_of_a_kind", "count"] == 13
    priced = hand_frequencies.price_against_rarity(cards=5).set_index("hand")
    flush = priced.loc["flush"]
    assert flush["residual"] == pytest.approx(flush["rarity"] - flush["expected"])


def test_distance_is_counted_from_the_first_button():
    run = otter()
    rounds = tables.with_distance(run.rounds, run.rounds)
    first = rounds[rounds["round"] == 1]
    assert (first.loc[first["distance"] == 0, "seat"] == first.loc[first["distance"] == 0, "button"]).all()
    assert len(rounds[["game", "seat", "distance"]].drop_duplicates()) == 600 * 4
    third = rounds[(rounds["round"] == 3) & (rounds["distance"] == 2)]
    assert (third["seat"] == third["button"]).all()


def test_distance_at_tables_of_different_sizes():
    runs = {"two": synthetic.otter(5, players=2), "four": synthetic.otter(5, players=4)}
    stacked = tables.stack(runs, "rounds")
    rounds = tables.with_distance(stacked, stacked)
    assert rounds[rounds["table"] == "two"]["distance"].max() == 1
    assert sorted(rounds[rounds["table"] == "four"]["distance"].unique()) == [0, 1, 2, 3]


def test_vp_curves_end_at_the_totals():
    run = otter()
    curve = vp_curves.after_round(run.rounds, run.players, "policy")
    last = curve[curve["round"] == 8].set_index("policy")["estimate"]
    expected = run.players.groupby("policy", observed=True)["total"].mean()
    assert last.to_numpy() == pytest.approx(expected.to_numpy())
    assert (curve["band_low"] <= curve["band_high"]).all()
    inside = run.players["total"].between(*vp_curves.after_round(run.rounds).iloc[-1][["band_low", "band_high"]])
    assert 0.8 <= inside.mean() < 0.9
    assert curve.attrs["band"] == (0.1, 0.9)
    edges = vp_curves.bands(run.rounds, at=[0.1, 0.9]).query("round == 8")
    assert edges["estimate"].tolist() == vp_curves.after_round(run.rounds).iloc[-1][["band_low", "band_high"]].tolist()


def test_ahead_sums_to_nothing_and_finds_a_head_start():
    run = otter()
    rounds = run.rounds.assign(vp=run.rounds["vp"] + 4 * (run.rounds["seat"] == 0))  # tank sits there
    found = vp_curves.ahead(rounds, run.players, "policy")
    last = found[found["round"] == 8].set_index("policy")
    assert holds(last.loc["tank"], 3.0) and not holds(last.loc["tank"], 0.0)
    by_distance = vp_curves.ahead(run.rounds, by="distance")
    assert by_distance.groupby("round")["estimate"].sum().to_numpy() == pytest.approx(0.0, abs=1e-9)


def test_win_rates_are_fair_where_all_are_alike():
    run = otter()
    found = win_rates.of(run.players, "policy").set_index("policy")
    assert (found["fair"] == 0.25).all() and all(holds(row, 0.25) for row in found.itertuples())
    assert (found.loc["saver", ["n", "games"]] == [1200, 600]).all()
    assert win_rates.points(run.players, "policy")["estimate"].mean() > 0


def test_win_points_compare_tables_of_any_size():
    """A seat that wins twice its share has 2 points with two players and with five."""
    for seats in (2, 5):
        win = np.zeros((600, seats))
        win[np.arange(600), np.where(np.arange(600) % seats < 2, 0, 1)] = 1.0
        players = pd.DataFrame(
            {"game": np.repeat(range(600), seats), "seat": np.tile(range(seats), 600), "win": win.ravel()}
        )
        found = win_rates.win_points(players, "seat").set_index("seat")
        assert found.loc[0, "estimate"] == pytest.approx(2.0) and found["estimate"].sum() == pytest.approx(seats)
        rate = win_rates.of(players, "seat").set_index("seat")
        assert found.loc[0, ["low", "high"]].tolist() == pytest.approx(
            (rate.loc[0, ["low", "high"]] * seats).tolist(), rel=0.01
        )


# -- Nightmares -------------------------------------------------------------------------------------


def test_penalty_victories_by_table_and_players():
    runs = {
        "hunters": synthetic.nightmares(2_000, 4, seed=1, penalty=0.4, shared=0.25),
        "honest": synthetic.nightmares(2_000, 3, seed=1, penalty=0.0),
    }
    games = tables.stack(runs, "games")
    assert games["game"].is_unique and games["table"].cat.categories.tolist() == ["hunters", "honest"]
    found = victory_odds.penalty_victories(games, ["table", "players"]).set_index("table")
    assert holds(found.loc["hunters"], 0.4)
    assert found.loc["honest", "estimate"] == 0 and 0 < found.loc["honest", "high"] < 0.003


def test_endings_and_ways_to_win_add_up():
    run = synthetic.nightmares(2_000, 4, ["honest", "penalty_hunter"] * 2, penalty=0.3)
    found = victory_odds.endings(run.games, [], rounds=True)
    assert found["estimate"].sum() == pytest.approx(1.0)
    assert found["ending"].tolist() == [
        "gold_victory, round 4",
        "penalty_victory, round 3",
        "penalty_victory, round 4",
        "penalty_victory, shared, round 3",
        "penalty_victory, shared, round 4",
    ]
    short = victory_odds.endings(run.games, []).set_index("ending")
    assert short.index.tolist() == ["gold_victory", "penalty_victory", "penalty_victory, shared"]
    assert holds(short.loc["gold_victory"], 0.7) and holds(short.loc["penalty_victory, shared"], 0.075)
    ways = victory_odds.ways_to_win(run.players, run.games)
    total = ways.groupby("policy", observed=True)["estimate"].sum()
    assert total.to_numpy() == pytest.approx(win_rates.of(run.players)["estimate"].to_numpy())
    assert ways["ended_by"].cat.categories.tolist() == ["gold_victory", "penalty_victory"]


# -- Sushi Go! ---------------------------------------------------------------------------------------


def test_points_by_kind_add_up_to_the_total():
    run = synthetic.sushi_go(500)
    kinds = ["tempura", "sashimi", "dumpling", "maki", "nigiri", "pudding"]
    found = points_by_kind.per_game(run.rounds, kinds, run.players, "policy")
    assert found["estimate"].sum() == pytest.approx(run.players["total"].mean())
    by_kind = found.set_index("kind")
    assert by_kind["estimate"].to_numpy()[:5] == pytest.approx([15, 30, 9, 12, 18], abs=0.5)
    assert (found["n"] == 2_000).all() and (found["games"] == 500).all()


def test_puddings_and_their_points_are_those_of_the_whole_game():
    """Scored every round (a variant), the points of all rounds count."""
    players = pd.DataFrame({"game": [0, 0], "seat": [1, 0]})
    rounds = pd.DataFrame(
        {"game": 0, "round": [1, 1, 2, 2], "seat": [0, 1, 0, 1], "pudding": [6, -6, 6, 0], "puddings": [1, 0, 3, 2]}
    )
    found = puddings.collected(players, rounds)
    assert found["puddings"].tolist() == [2, 3] and found["pudding_points"].tolist() == [-6, 12]


def test_what_puddings_decide_by_hand():
    """Game 0: they change nothing; 1: they turn the game; 2: they break a tie; 3: they make one."""
    players = pd.DataFrame(
        {
            "game": [0, 0, 1, 1, 2, 2, 3, 3],
            "seat": [0, 1] * 4,
            "total": [40, 30, 36, 31, 36, 30, 36, 36],
            "pudding_points": [6, 0, 6, 0, 6, 0, 6, 0],
            "win": [1, 0, 1, 0, 1, 0, 0.5, 0.5],
        }
    )
    found = puddings.decide(players).set_index("outcome")["estimate"]
    assert found.to_dict() == {"same winners": 0.25, "tie made or broken": 0.5, "other winners": 0.25}


def test_no_pudding_points_decide_nothing():
    run = synthetic.sushi_go(300)
    none = puddings.collected(run.players, run.rounds)
    none = none.assign(total=none["total"] - none["pudding_points"], pudding_points=0)
    best = none.groupby("game")["total"].transform("max") == none["total"]
    none["win"] = best / best.groupby(none["game"]).transform("sum")
    found = puddings.decide(none).set_index("outcome")
    assert found.loc["same winners", "estimate"] == 1.0 and found.loc["other winners", "high"] < 0.02


def test_more_puddings_win_more():
    run = synthetic.sushi_go(2_000)
    found = puddings.wins_by_count(puddings.collected(run.players, run.rounds)).set_index("puddings")
    assert found.loc[0, "high"] < 0.25 < found.loc[5, "low"]


# -- tables --------------------------------------------------------------------------------------------


def test_stacked_policies_keep_their_categories():
    runs = {"a": synthetic.nightmares(10), "b": synthetic.nightmares(10, policies=["trickster"] * 4)}
    players = tables.stack(runs, "players")
    assert players["policy"].cat.categories.tolist() == ["honest", "trickster"]
    assert players["game"].nunique() == 20
    mixed = tables.with_policy(players[["table", "game", "seat"]], players)
    assert (mixed["policy"].astype(str) == players["policy"].astype(str)).all()
    assert tables.stack({}, "players").empty


def test_a_missing_column_names_the_frame():
    with pytest.raises(ColumnError, match='offers: no column "taken_by", allowed one of: game, power_up'):
        pick_rates.taken(pd.DataFrame({"game": [0], "power_up": [1]}))
