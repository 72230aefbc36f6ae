"""How games of Nightmares of Sushi end, and which way their winners won."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sushibalance.analysis.tables import need
from sushibalance.stats import rates, shares
from sushibalance.stats.grouped import Keys, labelled


def penalty_victories(
    games: pd.DataFrame, by: Keys = "players", *, ending: str = "penalty", level: float = 0.95
) -> pd.DataFrame:
    """Return how often the game ends by the penalty victory.

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
        The keys, ``estimate, low, high``, ``n``, ``games``, ``shared``: the part of these endings that
        two or more players share (NaN where there were none).
    """
    need(games, "games", "game", "ended_by", "winners")
    so = games["ended_by"] == ending
    result = rates(games.assign(_so=so), by, "_so", level=level)
    shared = rates(games.assign(_so=so & (games["winners"] > 1)), by, "_so", level=level)["estimate"]
    result["shared"] = (shared / result["estimate"]).where(result["estimate"] > 0)
    return result


def endings(games: pd.DataFrame, by: Keys = "players", *, level: float = 0.95) -> pd.DataFrame:
    """Return the share of each ending: by which victory, after which round, won alone or shared.

    Parameters
    ----------
    games : DataFrame
        ``run.games``: game, rounds, ended_by, winners.
    by : str or sequence of str
        Keys, as in `penalty_victories`.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``ending`` (for example ``"penalty, round 3"``, ``"penalty, round 3, shared"``),
        ``estimate, low, high``, ``n``, ``games``.
    """
    need(games, "games", "game", "rounds", "ended_by", "winners")
    shared = games["winners"] > 1
    parts = pd.DataFrame({"ended_by": games["ended_by"], "rounds": games["rounds"], "shared": shared})
    seen = parts.drop_duplicates().sort_values(["ended_by", "rounds", "shared"])
    names = {tuple(row): _ending(*row) for row in seen.itertuples(index=False)}
    labels = [names[key] for key in zip(parts["ended_by"], parts["rounds"], parts["shared"], strict=True)]
    return shares(games.assign(ending=pd.Categorical(labels, list(names.values()))), by, "ending", level=level)


def _ending(ended_by: str, rounds: int, shared: bool) -> str:
    return f"{ended_by}, round {rounds}" + (", shared" if shared else "")


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
