"""How games of Nightmares of Sushi end, and which way their winners won."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sushibalance.stats import rates, shares
from sushibalance.stats.grouped import Keys, labelled, need


def penalty_victories(
    games: pd.DataFrame, by: Keys = "players", *, ending: str = "penalty_victory", level: float = 0.95
) -> pd.DataFrame:
    """Return how often the game ends by the penalty victory (shared or not).

    Parameters
    ----------
    games : DataFrame
        ``run.games``: game, players, ended_by, winners; with the column ``table`` when stacked.
    by : str or sequence of str
        ``"players"``, ``["table", "players"]``, ...
    ending : str
        The ending that counts, a name in ``ended_by``.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``estimate, low, high``, ``n``, ``games``.
    """
    need(games, "games", "game", "ended_by")
    return rates(games.assign(_so=games["ended_by"] == ending), by, "_so", level=level)


def endings(games: pd.DataFrame, by: Keys = "players", *, rounds: bool = False, level: float = 0.95) -> pd.DataFrame:
    """Return the share of each ending: by which victory, won alone or shared, and after which round.

    Parameters
    ----------
    games : DataFrame
        ``run.games``: game, rounds, ended_by, winners.
    by : str or sequence of str
        Keys, as in `penalty_victories`.
    rounds : bool
        Tell apart in which round the game ended.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``ending`` (``"penalty_victory, shared"``; with ``rounds`` ``"penalty_victory, shared, round 3"``),
        ``estimate, low, high``, ``n``, ``games``.
    """
    need(games, "games", "game", "rounds", "ended_by", "winners")
    parts = games[["ended_by"]].assign(shared=games["winners"] > 1, round=games["rounds"] if rounds else 0)
    grouped = parts.groupby(["ended_by", "shared", "round"], observed=True, sort=True)
    names = [
        ", ".join([str(row.ended_by)] + ["shared"] * bool(row.shared) + [f"round {row.round}"] * rounds)
        for row in grouped.size().reset_index().itertuples()
    ]
    ending = labelled(grouped.ngroup().to_numpy(), names).set_axis(games.index)
    return shares(games.assign(ending=ending), by, "ending", level=level)


def ways_to_win(
    players: pd.DataFrame, games: pd.DataFrame, by: Keys = "policy", *, level: float = 0.95
) -> pd.DataFrame:
    """Return how often a player wins by each ending.

    Parameters
    ----------
    players, games : DataFrame
        ``run.players`` and ``run.games``.
    by : str or sequence of str
        Keys in ``players``.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``ended_by``, ``estimate, low, high`` (a shared win counts 1/k), ``n`` (players),
        ``games``. The rates of one group add up to its win rate.
    """
    need(players, "players", "game", "seat", "win")
    need(games, "games", "game", "ended_by")
    keys = [by] if isinstance(by, str) else list(by)
    ended = players[["game"]].merge(games[["game", "ended_by"]], on="game", how="left")["ended_by"]
    parts = []
    names = games["ended_by"].astype("category").cat.categories
    for code, name in enumerate(names):
        so = players.assign(_so=players["win"].to_numpy() * (ended == name).to_numpy())
        parts.append(rates(so, keys, "_so", level=level))
        parts[-1].insert(len(keys), "ended_by", labelled(np.full(len(parts[-1]), code), names))
    result = pd.concat(parts, ignore_index=True).sort_values([*keys, "ended_by"], ignore_index=True)
    result.attrs["level"] = level
    return result
