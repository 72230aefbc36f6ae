"""Who wins. A win that ``k`` players share counts 1/k for each."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sushibalance.stats import lifts, means, rates
from sushibalance.stats.groups import By, need, numbers
from sushibalance.stats.ratios import Ratio
from sushibalance.stats.tallies import Tally, Together, counted

# A margin for win points: a tenth of the fair share either way, which is 45% to 55% of the games in a match of two.
WIN_POINTS = (0.9, 1.1)


@counted
def of(players: pd.DataFrame, by: By = "policy") -> Together:
    """Return the win rate of each group of players.

    Parameters
    ----------
    players : DataFrame
        ``run.players``: game, seat, win, and the keys.
    by : str or sequence of str
        ``"policy"``, ``"seat"``, ``["table", "policy"]``, ...
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``estimate, low, high, n, games``, and ``fair``: the rate if all at the table
        won equally often.
    """
    fair = _fair(players)
    return Together((rates.observe(players, by, "win"), means.observe(fair, by, "_fair")), _with_fair)


def _fair(players: pd.DataFrame) -> pd.DataFrame:
    """Return the players with the column ``_fair``: the chance to win if all at the table won equally often."""
    need(players, "players", "game", "seat", "win")
    game, _ = numbers(players, ["game"])
    return players.assign(_fair=1 / np.bincount(game)[game])


def _with_fair(won: Tally, fair: Tally, level: float) -> pd.DataFrame:
    return won.frame(level).assign(fair=fair.frame(level)["estimate"])


@counted
def win_points(players: pd.DataFrame, by: By = "policy") -> Ratio:
    """Return how many times as often as its fair share each group of players wins.

    1 is fair at a table of any size: a win is worth as many points as there are players, a loss none.
    Parameters are those of `of`; `WIN_POINTS` is a margin for them.
    """
    return lifts.observe(_fair(players), by, "win", "_fair")


@counted
def points(players: pd.DataFrame, by: By = "policy") -> Ratio:
    """Return the mean of ``total`` (VP, points, gold minus penalty) of each group of players.

    Parameters are those of `of`.
    """
    need(players, "players", "game", "seat", "total")
    return means.observe(players, by, "total")
