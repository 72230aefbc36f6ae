"""Endings as competing risks, who sits at the table, and a policy against each of them."""

from itertools import combinations_with_replacement

import numpy as np
import pandas as pd
import pytest
import synthetic

from sushibalance import simulate
from sushibalance.analysis import opponents, tables, victory_odds, win_rates
from sushibalance.analysis import over as over_module
from sushibalance.analysis.over import differences, over
from sushibalance.errors import UserError
from sushibalance.stats import wilson

GAMES = pd.DataFrame(
    {
        "game": range(8),
        "players": 4,
        "rounds": [2, 3, 3, 4, 4, 4, 4, 4],
        "ended_by": pd.Categorical(["penalty"] * 4 + ["gold"] * 4, ["gold", "penalty"]),
        "winners": [1, 2, 1, 1, 1, 1, 1, 2],
    }
)


def estimates(frame, *keys):
    return frame.set_index(list(keys))["estimate"].to_dict()


def test_by_hand():
    come = estimates(victory_odds.incidence(GAMES, ()), "ending", "round")
    assert [come["penalty", r] for r in range(1, 5)] == [0, 1 / 8, 3 / 8, 4 / 8]
    assert [come["gold", r] for r in range(1, 5)] == [0, 0, 0, 4 / 8]
    rate = estimates(victory_odds.hazards(GAMES, ()), "ending", "round")
    assert [rate["penalty", r] for r in range(1, 5)] == [0, 1 / 8, 2 / 7, 1 / 5]
    assert [rate["gold", r] for r in range(1, 5)] == [0, 0, 0, 4 / 5]
    shared = estimates(victory_odds.incidence(GAMES, (), shared=True), "ending", "round")
    assert (shared["penalty", 4], shared["penalty, shared", 4], shared["gold, shared", 4]) == (3 / 8, 1 / 8, 1 / 8)


def test_each_round_has_wilsons_interval_of_the_games():
    come = victory_odds.incidence(GAMES, (), level=0.9)
    low, high = wilson(come["estimate"] * 8, 8, 0.9)
    assert come["low"].to_numpy() == pytest.approx(low) and come["high"].to_numpy() == pytest.approx(high)
    assert (come["n"] == 8).all() and come.attrs["level"] == 0.9
    rate = victory_odds.hazards(GAMES, ())
    low, high = wilson(rate["estimate"] * rate["n"], rate["n"])
    assert rate["low"].to_numpy() == pytest.approx(low) and rate["n"].unique().tolist() == [8, 7, 5]


@pytest.mark.parametrize("shared", [False, True])
def test_incidence_is_what_the_hazards_add_up_to(shared):
    """Aalen and Johansen: the chance to be still played, times the hazard of each round, added up."""
    run = synthetic.nightmares(500, penalty=0.4)
    run.games["rounds"] = np.random.default_rng(3).integers(1, 5, 500).astype(np.int8)
    rate = victory_odds.hazards(run.games, shared=shared).pivot_table(
        index="round", columns="ending", values="estimate"
    )
    still = (1 - rate.sum(axis=1)).cumprod().shift(fill_value=1.0)
    expected = rate.mul(still, axis=0).cumsum()
    come = victory_odds.incidence(run.games, shared=shared)
    found = come.pivot_table(index="round", columns="ending", values="estimate")
    assert found.to_numpy() == pytest.approx(expected.to_numpy()) and found.loc[4].sum() == pytest.approx(1.0)
    told = victory_odds.incidence(run.games, shared=True).query("round == 4 and estimate > 0")
    assert sorted(told["estimate"]) == pytest.approx(sorted(victory_odds.endings(run.games)["estimate"]))


def test_parts_whose_games_are_short():
    """A part in which no game came to the last round counts the others' rounds as well."""
    short, long = GAMES[GAMES["rounds"] < 4], GAMES[GAMES["rounds"] == 4]
    added = victory_odds.incidence.tally(short) + victory_odds.incidence.tally(long)
    pd.testing.assert_frame_equal(added.frame(), victory_odds.incidence(GAMES), check_exact=True)
    added = victory_odds.hazards.tally(long) + victory_odds.hazards.tally(short)
    pd.testing.assert_frame_equal(added.frame(), victory_odds.hazards(GAMES), check_exact=True)


def test_thresholds_and_mixes_of_several_runs(monkeypatch):
    monkeypatch.setattr(over_module, "PIECE", 37)
    mixes = (["penalty_hunter"] * 4, ["penalty_hunter", "honest", "honest", "greedy"])
    runs = {
        (points, number): simulate(f"nightmares/penalty_victory_{points}", policies=seats, games=150, progress=False)
        for points in (8, 12)
        for number, seats in enumerate(mixes)
    }
    found = over(runs, victory_odds.incidence, "games", by=["points", "mix"], keys=["points", "number"])
    assert set(found["mix"]) == {"4 penalty_hunter", "penalty_hunter, 2 honest, greedy"}
    last = found[(found["round"] == 4) & (found["ending"] == "penalty_victory")]
    odds = last.set_index(["points", "mix"])["estimate"]
    for mix in found["mix"].unique():
        assert odds[8, mix] > odds[12, mix]
    one = over(runs[8, 0], victory_odds.hazards, "games", by="mix")
    pd.testing.assert_frame_equal(
        one, victory_odds.hazards(tables.with_mix(runs[8, 0].games, runs[8, 0].players), "mix")
    )
    change = differences(runs[8, 0], runs[12, 0], victory_odds.hazards, "games", by=())
    row = change[(change["round"] == 3) & (change["ending"] == "penalty_victory")].iloc[0]
    assert row["variant"] < row["base"] and row["estimate"] == pytest.approx(row["variant"] - row["base"])


def test_who_sits_at_the_table():
    players = pd.DataFrame(
        {
            "game": [5, 5, 5, 6, 6, 6],
            "seat": [0, 1, 2] * 2,
            "policy": pd.Categorical(["b", "a", "b", "a", "a", "a"], ["a", "b"]),
        }
    )
    assert tables.with_mix(players[["game"]], players)["mix"].tolist() == ["a, 2 b"] * 3 + ["3 a"] * 3
    mixed = tables.with_rivals(players[::-1], players)  # in any order
    assert mixed["rivals"].tolist() == ["2 a"] * 3 + ["a, b", "2 b", "a, b"]
    assert mixed.index.tolist() == [5, 4, 3, 2, 1, 0]
    assert mixed["rivals"].cat.categories.tolist() == ["2 a", "a, b", "2 b"]


def test_a_policy_against_each_table():
    found = opponents.against(
        "nightmares", "penalty_hunter", ["honest", "trickster"], players=3, games=400, progress=False
    )
    assert found["rivals"].tolist() == ["2 honest", "honest, trickster", "2 trickster"]
    assert (found["n"] == 400).all() and (found["games"] == 400).all() and found.attrs["level"] == 0.95
    assert found["estimate"].iloc[2] > found["high"].iloc[0]  # tricksters feed it
    alike = opponents.against("nightmares", "honest", "honest", players=2, games=1_001, seed=4, progress=False)
    assert alike["rivals"].tolist() == ["honest"] and alike["n"].tolist() == [1_001]
    assert alike["low"].iloc[0] < 1 < alike["high"].iloc[0]


def test_every_seat_is_taken_and_the_rest_is_plain_simulation():
    found = opponents.against("sushi_go", "greedy", ["random", "denier"], players=3, games=90, seed=7, progress=False)
    for row, table in zip(found.itertuples(), combinations_with_replacement(["random", "denier"], 2), strict=True):
        won = []
        for turn in range(3):
            seats = ["greedy", *table]
            run = simulate("sushi_go", players=3, policies=seats[-turn:] + seats[:-turn], games=30,
                           seed=7 ^ (turn << 60), progress=False)  # fmt: skip
            assert run.policies[turn].name == "greedy"
            points = win_rates.win_points(run.players, "seat").set_index("seat")["estimate"]
            won.append(points[turn])
        assert row.estimate == pytest.approx(np.mean(won))


def test_who_beats_whom():
    """Each pair is one policy against a table of the other: the same games as `against` plays."""
    asked = {"players": 3, "games": 300, "seed": 5, "progress": False}
    names = ["random", "greedy", "denier"]
    found = opponents.match_ups("sushi_go", names, margin=(0.9, 1.1), **asked)
    assert list(zip(found["policy"], found["rivals"], strict=True)) == [
        (one, other) for one in names for other in names if one != other
    ]
    for row in found.itertuples():
        alone = opponents.against("sushi_go", row.policy, row.rivals, **asked).iloc[0]
        assert (row.estimate, row.n, row.games) == (alone["estimate"], 300, 300)
    assert found["verdict"].tolist()[:3] == ["below", "below", "above"]


def test_policies_of_one_name_meet_by_their_parameters():
    asked = {"players": 2, "games": 20, "seed": 5, "progress": False}
    found = opponents.match_ups("sushi_go", ["greedy", "greedy(pudding=9)"], **asked)
    assert found["policy"].tolist() == ["greedy", "greedy(pudding=9)"] == found["rivals"].tolist()[::-1]


def test_verdicts_on_a_policy_against_each_table():
    asked = {"players": 2, "games": 400, "seed": 2, "progress": False}
    plain = opponents.against("sushi_go", "greedy", ["random", "denier"], **asked)
    judged = opponents.against("sushi_go", "greedy", ["random", "denier"], margin=(0.9, 1.1), **asked)
    assert judged["estimate"].equals(plain["estimate"]) and judged["verdict"].tolist()[0] == "above"
    wide = opponents.against("sushi_go", "greedy", ["random"], margin=(0.5, 2.5), **asked)
    assert wide["verdict"].tolist() == ["inside"]


def test_what_cannot_be_asked_is_told():
    with pytest.raises(UserError, match="policies: found greedy, allowed policies of different names, two at least"):
        opponents.match_ups("nightmares", ["greedy"], progress=False)
    with pytest.raises(UserError, match=r"margin: found 1\.1 to 0\.9"):
        opponents.against("nightmares", "honest", ["greedy"], margin=(1.1, 0.9), games=8, progress=False)
    with pytest.raises(UserError, match="others: found none, allowed policies"):
        opponents.against("nightmares", "honest", [], progress=False)
    with pytest.raises(UserError, match="others: found honest, honest, allowed policies of different names"):
        opponents.against("nightmares", "honest", ["honest", "honest"], progress=False)
    with pytest.raises(UserError, match="games: found 3, allowed"):
        opponents.against("nightmares", "honest", ["greedy"], games=3, progress=False)
    with pytest.raises(UserError, match='no policy "gredy"'):
        opponents.against("nightmares", "honest", ["gredy"], progress=False)
    with pytest.raises(UserError, match="others: found 5, allowed policies"):
        opponents.against("nightmares", "greedy", 5, progress=False)
    for players in (0, 7, "two", None):
        for ask in (opponents.match_ups, lambda rules, names, **how: opponents.against(rules, *names, **how)):
            with pytest.raises(UserError, match="players of Nightmares"):
                ask("nightmares", ["greedy", "honest"], players=players, progress=False)
    for margin in (0.1, "wide", (1,)):
        with pytest.raises(UserError, match=r"margin: found .*, allowed a lower and a higher number"):
            opponents.against("nightmares", "greedy", "honest", games=10**9, margin=margin, progress=False)
    with pytest.raises(UserError, match='games: no column "rounds"'):
        victory_odds.hazards(GAMES.drop(columns="rounds"))
