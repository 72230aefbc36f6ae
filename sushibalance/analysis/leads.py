"""Who leads, for how long, and whether that decides the game (Sushi Otter).

All is read off the VP after each round, as players at the table see them.

*Place*: 1 for who has most VP, 1 + the number of players with more for the others. Those with as many share a place.
*Lead*: a player has it who is alone in place 1. After a tie it stays with who had it before, if with anybody.
*Lead change*: another player than before has the lead. Who takes it first changes nothing.
*Drama*: by how many VP the later winner is behind the leader, on the average of the rounds before the last.
*Comeback*: a win of a player who was behind after some round.
*Settled*: after this round, and after each later one, the later winner is alone in place 1. After the last round every
game is settled.
*Decisiveness*: the part of the rounds that are still to come when the game is settled: at 0 it is open to the end, and
much of it was played for nothing at 1.

Lead change, drama and decisiveness are criteria of Browne (Automatic Generation and Evaluation of Recombination Games,
PhD thesis, Queensland University of Technology, 2008), who has them from Thompson (Defining the Abstract, 2000). He
takes them from a program's estimate of a position between 0 and 1, for two players. Here VP are that estimate, for any
number of players: in VP and not as square roots of differences, and a game is settled by what came after instead of by
a threshold. What the cards in hand promise is not in the VP, so late comebacks look more surprising than they are.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from sushibalance.core.jit import lean
from sushibalance.stats import rates
from sushibalance.stats.groups import By, first_rows, listed, need, numbers, same_row
from sushibalance.stats.ratios import Ratio
from sushibalance.stats.tallies import counted


def standings(rounds: pd.DataFrame, players: pd.DataFrame) -> pd.DataFrame:
    """Return where each player stands after each round, and what becomes of it.

    Parameters
    ----------
    rounds : DataFrame
        ``run.rounds``: game, round, seat, vp (running).
    players : DataFrame
        ``run.players``: game, seat, win.

    Returns
    -------
    DataFrame
        One row a round and seat: game, round, seat, vp, win (of the game), place, behind (VP less than the leader),
        takes_lead (a lead change, to this player), settled (the game is, for this player), last (it is the last
        round). The words are defined at the top of this module.
    """
    need(rounds, "rounds", "game", "round", "seat", "vp")
    need(players, "players", "game", "seat", "win")
    moment, _ = numbers(rounds, ["game", "round"])
    if (moment[1:] < moment[:-1]).any():
        order = np.argsort(moment, kind="stable")
        rounds, moment = rounds.iloc[order], moment[order]
    game, _ = numbers(rounds, ["game"])
    seat, seats = numbers(rounds, ["seat"])
    win = players["win"].to_numpy(np.float64)[same_row("players", players, rounds, ["game", "seat"])]
    vp = rounds["vp"].to_numpy(np.int64)
    place, behind = np.empty(len(vp), np.int8), np.empty(len(vp), np.int64)
    takes, settled, last = (np.zeros(len(vp), bool) for _ in range(3))
    _stand(game, moment, seat, vp, win > 0, place, behind, takes, settled, last, np.empty(seats, bool))
    columns = {
        "win": win, "place": place, "behind": behind, "takes_lead": takes, "settled": settled, "last": last,
    }  # fmt: skip
    return rounds[["game", "round", "seat", "vp"]].assign(**columns)


@lean
def _stand(game, moment, seat, vp, won, place, behind, takes, settled, last, alone):
    """Fill what is known of each row; rows of a round, and rounds of a game, follow each other.

    ``alone`` is room for a flag of each seat.
    """
    start = 0
    while start < len(game):
        end = start
        while end < len(game) and game[end] == game[start]:
            end += 1
        leader, row = -1, start
        while row < end:
            stop = row
            while stop < end and moment[stop] == moment[row]:
                stop += 1
            most, level = vp[row], 0
            for one in range(row, stop):
                if vp[one] > most:
                    most = vp[one]
            for one in range(row, stop):
                level += vp[one] == most
                place[one] = 1
                for other in range(row, stop):
                    place[one] += vp[other] > vp[one]
                behind[one] = most - vp[one]
                last[one] = stop == end
            if level == 1:
                for one in range(row, stop):
                    if vp[one] == most:
                        takes[one] = leader >= 0 and leader != seat[one]
                        leader = seat[one]
            row = stop
        for one in range(start, end):
            alone[seat[one]] = True
        row = end
        while row > start:
            first = row - 1
            while first > start and moment[first - 1] == moment[row - 1]:
                first -= 1
            level = 0
            for one in range(first, row):
                level += behind[one] == 0
            for one in range(first, row):
                if not last[one]:
                    alone[seat[one]] &= behind[one] == 0 and level == 1
                settled[one] = won[one] and alone[seat[one]]
            row = first
        start = end


@counted
def wins_by_place(standings: pd.DataFrame, by: By = ()) -> Ratio:
    """Return how often a player in each place after each round goes on to win: what a lead is worth.

    Parameters
    ----------
    standings : DataFrame
        As `standings` gives it.
    by : str or sequence of str
        Keys besides round and place: ``"policy"``, ``"table"``, ``"players"``.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``round``, ``place``, ``estimate, low, high``, ``n`` (players), ``games``.
    """
    need(standings, "standings", "game", "round", "place", "win")
    return rates.observe(standings, [*listed(by), "round", "place"], "win")


@counted
def lead_changes(standings: pd.DataFrame, by: By = ()) -> Ratio:
    """Return how often the lead changes in a game.

    Parameters
    ----------
    standings : DataFrame
        As `standings` gives it.
    by : str or sequence of str
        Keys: ``"round"`` for the changes in each round; with ``"policy"`` those to players of each policy.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``estimate, low, high`` (changes a game), ``n``, ``games``.
    """
    need(standings, "standings", "game", "takes_lead")
    first = first_rows(standings, [*listed(by), "game"])
    return Ratio(standings.assign(_games=first), listed(by), "takes_lead", "_games")


@counted
def drama(standings: pd.DataFrame, by: By = ()) -> Ratio:
    """Return by how many VP the later winner is behind the leader before the last round.

    Parameters
    ----------
    standings : DataFrame
        As `standings` gives it.
    by : str or sequence of str
        Keys: ``"round"``; with ``"policy"`` that of the winner.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``estimate, low, high`` (VP), ``n`` (winners, in each round), ``games``.
    """
    winners = _winners(standings)
    winners = winners.assign(_behind=winners["behind"] * winners["win"])
    return Ratio(winners, listed(by), "_behind", "win")


@counted
def comebacks(standings: pd.DataFrame, by: By = (), *, at_least: int = 1) -> Ratio:
    """Return how often the later winner is behind after each round but the last.

    Parameters
    ----------
    standings : DataFrame
        As `standings` gives it.
    by : str or sequence of str
        Keys besides the round; with ``"policy"`` that of the winner.
    at_least : int
        VP behind the leader that make a comeback.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``round``, ``estimate, low, high`` (of the wins), ``n`` (winners), ``games``.
    """
    winners = _winners(standings)
    winners = winners.assign(_so=winners["win"].where(winners["behind"] >= at_least, 0.0))
    return Ratio(winners, [*listed(by), "round"], "_so", "win", kind="rate")


@counted
def settled(standings: pd.DataFrame, by: By = ()) -> Ratio:
    """Return in how many games all is settled after each round.

    Parameters
    ----------
    standings : DataFrame
        As `standings` gives it.
    by : str or sequence of str
        Keys besides the round; with ``"policy"`` that of the winner.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``round``, ``estimate, low, high`` (of the games), ``n``, ``games``.
    """
    need(standings, "standings", "game", "round", "win", "settled")
    winners = standings[standings["win"].to_numpy() > 0]
    winners = winners.assign(_so=winners["win"].where(winners["settled"], 0.0))
    return Ratio(winners, [*listed(by), "round"], "_so", "win", kind="rate")


@counted
def decisiveness(standings: pd.DataFrame, by: By = ()) -> Ratio:
    """Return the part of the rounds that are still to come when the game is settled.

    Parameters
    ----------
    standings : DataFrame
        As `standings` gives it.
    by : str or sequence of str
        Keys that are equal for all rounds of a player; with ``"policy"`` that of the winner.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``estimate, low, high`` (0: open to the last round), ``n`` (winners, in each round), ``games``.
    """
    need(standings, "standings", "game", "round", "win", "settled", "last")
    winners = standings[standings["win"].to_numpy() > 0]
    to_come = (winners["settled"] & ~winners["last"]) * winners["win"]
    return Ratio(winners.assign(_to_come=to_come), listed(by), "_to_come", "win")


def _winners(standings: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of those who win in the end, before the last round."""
    need(standings, "standings", "game", "round", "win", "behind", "last")
    return standings[(standings["win"].to_numpy() > 0) & ~standings["last"].to_numpy(bool)]
