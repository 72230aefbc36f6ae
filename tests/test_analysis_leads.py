"""Who leads and what it is worth: a game by hand, and whole runs against plain loops over their games."""

import numpy as np
import pandas as pd
import pytest
import synthetic

from sushibalance.analysis import leads, tables
from sushibalance.analysis.over import over
from sushibalance.stats.groups import ColumnError

#        round 1  2  3  4  5
HAND = [[3, 5, 6, 12, 20], [3, 4, 9, 12, 21], [1, 7, 8, 9, 15]]  # seats 0 to 2; 1 wins


def made(vp, wins):
    """Return rounds and players of games from VP by game, seat and round."""
    vp = np.asarray(vp)
    game, seat, number = (index.ravel() for index in np.indices(vp.shape))
    rounds = pd.DataFrame({"game": game, "round": number + 1, "seat": seat, "vp": vp.ravel()})
    wins = np.asarray(wins, float)
    players = pd.DataFrame({"game": np.indices(wins.shape)[0].ravel(), "seat": np.indices(wins.shape)[1].ravel()})
    return rounds, players.assign(win=wins.ravel(), policy=pd.Categorical(players["seat"].map("abc".__getitem__)))


def by_hand():
    return leads.standings(*made([HAND], [[0, 1, 0]]))


def wide(frame, column):
    return frame.pivot_table(index="seat", columns="round", values=column).to_numpy().tolist()


def test_a_game_by_hand():
    """Level after 1, 2 takes the lead first, 1 takes it from 2, keeps it while level with 0 and is alone at the end."""
    frame = by_hand()
    assert frame[["game", "round", "seat"]].to_numpy().tolist() == [[0, r, s] for r in range(1, 6) for s in range(3)]
    assert wide(frame, "place") == [[1, 2, 3, 1, 2], [1, 3, 1, 1, 1], [3, 1, 2, 3, 3]]
    assert wide(frame, "behind") == [[0, 2, 3, 0, 1], [0, 3, 0, 0, 0], [2, 0, 1, 3, 6]]
    takes = [[s, r] for s, row in enumerate(wide(frame, "takes_lead")) for r, so in enumerate(row, 1) if so]
    assert takes == [[1, 3]]
    assert wide(frame, "settled")[1] == [False, False, False, False, True] and frame["settled"].sum() == 1
    assert leads.lead_changes(frame)["estimate"].tolist() == [1.0]
    assert leads.lead_changes(frame, "round")["estimate"].tolist() == [0, 0, 1, 0, 0]
    assert leads.drama(frame)["estimate"].tolist() == [3 / 4]
    assert leads.comebacks(frame)["estimate"].tolist() == [0, 1, 0, 0]
    assert leads.comebacks(frame, at_least=4)["estimate"].tolist() == [0, 0, 0, 0]
    assert leads.settled(frame)["estimate"].tolist() == [0, 0, 0, 0, 1]
    assert leads.decisiveness(frame)["estimate"].tolist() == [0.0]


def test_a_lead_that_is_kept_is_settled():
    frame = leads.standings(*made([[[1, 5, 6, 7], [2, 3, 4, 7]]], [[1, 0]]))  # wins the tie at the end
    assert leads.settled(frame)["estimate"].tolist() == [0, 1, 1, 1]
    assert leads.decisiveness(frame)["estimate"].tolist() == [0.5]
    assert leads.lead_changes(frame)["estimate"].tolist() == [1.0]


def test_a_shared_win_counts_for_each_by_its_part():
    frame = leads.standings(*made([[[4, 6], [2, 6], [1, 5]]], [[0.5, 0.5, 0]]))
    assert leads.drama(frame)["estimate"].tolist() == [1.0]  # 0 and 2 VP behind
    assert leads.comebacks(frame)["estimate"].tolist() == [0.5]
    assert leads.settled(frame)["estimate"].tolist() == [0.5, 1.0]


def plain(rounds, players):
    """Return what a game gives, from the definitions, in plain Python."""
    vp = rounds.pivot_table(index="round", columns="seat", values="vp")
    winner = int(players.loc[players["win"] > 0, "seat"].iloc[0])
    lead, changes = None, 0
    for _, row in vp.iterrows():
        ahead = row.index[row == row.max()].tolist()
        if len(ahead) == 1:
            changes += lead is not None and lead != ahead[0]
            lead = ahead[0]
    behind = (vp.max(axis=1) - vp[winner]).to_numpy()
    alone = np.array([(row == row.max()).sum() == 1 and row[winner] == row.max() for _, row in vp.iterrows()])
    alone[-1] = True
    settled = np.logical_and.accumulate(alone[::-1])[::-1]
    return changes, behind[:-1].mean(), behind[:-1] > 0, settled


@pytest.mark.parametrize("players", [2, 4])
def test_against_plain_loops(players):
    run = synthetic.otter(80, players=players, seed=9)
    one = run.players.assign(win=run.players["win"].eq(1.0).astype(float))
    whole = one.groupby("game")["win"].transform("sum") == 1  # games that nobody shares
    games = one.loc[whole, "game"].unique()
    rounds, seats = (frame[frame["game"].isin(games)] for frame in (run.rounds, run.players))
    changes, behind, back, settled = zip(
        *(plain(rounds[rounds["game"] == game], seats[seats["game"] == game]) for game in games), strict=True
    )
    frame = leads.standings(rounds.sample(frac=1, random_state=0), seats)  # in any order
    assert leads.lead_changes(frame)["estimate"][0] == pytest.approx(np.mean(changes))
    assert leads.drama(frame)["estimate"][0] == pytest.approx(np.mean(behind))
    assert leads.comebacks(frame)["estimate"].tolist() == pytest.approx(np.mean(back, axis=0))
    assert leads.settled(frame)["estimate"].tolist() == pytest.approx(np.mean(settled, axis=0))
    to_come = (np.sum(settled, axis=1) - 1) / 8
    assert leads.decisiveness(frame)["estimate"][0] == pytest.approx(to_come.mean())
    found = leads.wins_by_place(frame).set_index(["round", "place"])["estimate"]
    place = rounds.groupby(["game", "round"])["vp"].rank(method="min", ascending=False).astype(int)
    wins = rounds.assign(place=place).merge(seats[["game", "seat", "win"]], on=["game", "seat"])
    expected = wins.groupby(["round", "place"])["win"].mean()
    assert found.to_numpy() == pytest.approx(expected.to_numpy()) and len(found) == len(expected)


def test_by_policy_and_in_parts():
    run = synthetic.otter(100, policies=["tank", "saver", "saver", "greedy"], seed=2)
    frame = tables.with_policy(leads.standings(run.rounds, run.players), run.players)
    changes = leads.lead_changes(frame, "policy")
    assert changes["estimate"].sum() == pytest.approx(leads.lead_changes(frame)["estimate"][0])
    assert over(run, leads.lead_changes, "standings", by="policy").equals(changes)
    parts = [frame[frame["game"] % 3 == k] for k in range(3)]
    assert sum(map(leads.drama.tally, parts)).frame().equals(leads.drama(frame))
    assert sum(map(leads.wins_by_place.tally, parts)).frame().equals(leads.wins_by_place(frame))


def test_what_is_missing_is_told():
    rounds, players = made([HAND], [[0, 1, 0]])
    with pytest.raises(ColumnError, match='rounds: no column "vp"'):
        leads.standings(rounds.drop(columns="vp"), players)
    with pytest.raises(ColumnError, match="players: no row with game 0, seat 1"):
        leads.standings(rounds, players[players["seat"] != 1])
    with pytest.raises(ColumnError, match='standings: no column "behind"'):
        leads.drama(by_hand().drop(columns="behind"))
