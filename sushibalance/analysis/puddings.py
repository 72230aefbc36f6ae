"""What puddings decide (Sushi Go!)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sushibalance.analysis.win_rates import win_points
from sushibalance.stats import rates, shares
from sushibalance.stats.groups import By, first_rows, labelled, listed, need, numbers, same_row
from sushibalance.stats.ratios import Ratio
from sushibalance.stats.tallies import counted

OUTCOMES = ("same winners", "tie made or broken", "other winners")


def collected(players: pd.DataFrame, rounds: pd.DataFrame) -> pd.DataFrame:
    """Return ``run.players`` with what each player collected in the game.

    Parameters
    ----------
    players, rounds : DataFrame
        ``run.players`` and ``run.rounds`` (game, seat, ``pudding``: points for puddings in the round,
        ``puddings``: puddings held at its end).

    Returns
    -------
    DataFrame
        ``players`` with ``puddings`` (how many at the end) and ``pudding_points`` (for them, in all).
    """
    need(players, "players", "game", "seat")
    need(rounds, "rounds", "game", "seat", "pudding", "puddings")
    player, count = numbers(rounds, ["game", "seat"])
    points, held = np.zeros(count, np.int64), np.zeros(count, rounds["puddings"].dtype)
    np.add.at(points, player, rounds["pudding"].to_numpy())
    np.maximum.at(held, player, rounds["puddings"].to_numpy())
    of_player = player[same_row("rounds", rounds, players, ["game", "seat"])]
    return players.assign(puddings=held[of_player], pudding_points=points[of_player])


@counted
def decide(players: pd.DataFrame, by: By = ()) -> Ratio:
    """Return how often the winner would be another one without the points for puddings.

    Without pudding points, those with the most other points win, all that are level. *Other winners*:
    nobody who wins would have won. *Tie made or broken*: some would, but not the same set. The players'
    choices stay as they were, so this is what pudding points decide at the count, not how a game
    without them would be played.

    Parameters
    ----------
    players : DataFrame
        ``run.players`` as `collected` gives it.
    by : str or sequence of str
        Keys that are equal for all players of a game (``"table"``).
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``outcome`` (the three of `OUTCOMES`), ``estimate, low, high``, ``n``, ``games``.
    """
    need(players, "players", "game", "seat", "total", "win", "pudding_points")
    game, count = numbers(players, ["game"])
    without = players["total"].to_numpy(np.int64) - players["pudding_points"].to_numpy(np.int64)
    best = np.full(count, np.iinfo(np.int64).min)
    np.maximum.at(best, game, without)
    now, then = players["win"].to_numpy() > 0, without == best[game]
    moved, both = np.bincount(game, now != then), np.bincount(game, now & then)
    outcome = np.select([moved == 0, both > 0], [0, 1], 2)
    first = first_rows(players, ["game"])
    games = players.loc[first, [*listed(by), "game"]].reset_index(drop=True)
    return shares.observe(games.assign(outcome=labelled(outcome[game[first]], OUTCOMES)), by, "outcome")


@counted
def win_points_by_count(players: pd.DataFrame, by: By = ()) -> Ratio:
    """Return the win points of players by the number of puddings they collected.

    1 is fair at a table of any size; see `win_rates.win_points`. Parameters are those of `wins_by_count`, and like it
    this is association, not cause.

    Returns
    -------
    DataFrame
        The keys, ``puddings``, ``estimate, low, high`` (times the fair share), ``n`` (players), ``games``.
    """
    need(players, "players", "game", "win", "puddings")
    return win_points.observe(players, [*listed(by), "puddings"])


@counted
def wins_by_count(players: pd.DataFrame, by: By = ()) -> Ratio:
    """Return the win rate of players by the number of puddings they collected.

    Players who take puddings may differ from the others in more than that: association, not cause.

    Parameters
    ----------
    players : DataFrame
        As `collected` gives it.
    by : str or sequence of str
        Keys besides ``puddings``.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``puddings``, ``estimate, low, high``, ``n`` (players), ``games``.
    """
    need(players, "players", "game", "win", "puddings")
    return rates.observe(players, [*listed(by), "puddings"], "win")
