"""Who wins. A win that ``k`` players share counts 1/k for each."""

from __future__ import annotations

import pandas as pd

from sushibalance.stats import means, rates
from sushibalance.stats.grouped import Keys, need


def of(players: pd.DataFrame, by: Keys = "policy", *, level: float = 0.95) -> pd.DataFrame:
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
    need(players, "players", "game", "seat", "win")
    at_table = players.groupby("game")["seat"].transform("size")
    result = rates(players, by, "win", level=level)
    fair = means(players.assign(_fair=1 / at_table), by, "_fair", level=level)
    return _kept(result.assign(fair=fair["estimate"].to_numpy()), level)


def points(players: pd.DataFrame, by: Keys = "policy", *, level: float = 0.95) -> pd.DataFrame:
    """Return the mean of ``total`` (VP, points, gold minus penalty) of each group of players.

    Parameters are those of `of`.
    """
    need(players, "players", "game", "seat", "total")
    return means(players, by, "total", level=level)


def _kept(frame: pd.DataFrame, level: float) -> pd.DataFrame:
    frame.attrs["level"] = level
    return frame
