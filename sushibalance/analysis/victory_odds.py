"""How games of Nightmares of Sushi end, and which way their winners won."""

from __future__ import annotations

import pandas as pd

from sushibalance.stats import rates
from sushibalance.stats.groups import By, listed, need, same_row
from sushibalance.stats.ratios import Ratio
from sushibalance.stats.tallies import counted


@counted
def penalty_victories(games: pd.DataFrame, by: By = "players", *, ending: str = "penalty_victory") -> Ratio:
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
    return rates.observe(games.assign(_so=games["ended_by"] == ending), by, "_so")


@counted
def endings(games: pd.DataFrame, by: By = "players", *, rounds: bool = False) -> Ratio:
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
    told = games.assign(_shared=games["winners"] > 1, _round=games["rounds"])
    inner = ["ended_by", "_shared", *["_round"] * rounds]
    return Ratio(told, listed(by), kind="rate", inner=inner, called="ending", words=_words)


def _words(endings: pd.DataFrame) -> list[str]:
    """Return what endings are called, from what ended the game, whether the win was shared, and after which round."""
    return [
        ", ".join([str(ended)] + ["shared"] * shared + [f"round {number}" for number in after])
        for ended, shared, *after in endings.itertuples(index=False)
    ]


@counted
def ways_to_win(players: pd.DataFrame, games: pd.DataFrame, by: By = "policy") -> Ratio:
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
    ended = games["ended_by"].take(same_row("games", games, players, ["game"])).set_axis(players.index)
    return Ratio(players.assign(ended_by=ended), listed(by), "win", kind="rate", inner=["ended_by"])
