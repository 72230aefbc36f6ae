"""How games of Nightmares of Sushi end, and which way their winners won.

Endings are competing risks: a game that the penalty victory ends cannot end by gold. All games are watched to their
end, none is cut off; so the cumulative incidence (what Aalen and Johansen's estimator comes to then) is a plain share
of the games, and the hazard a plain rate of those that are still played.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from sushibalance.stats import rates
from sushibalance.stats.extremes import Least
from sushibalance.stats.groups import By, labelled, listed, need, same_row
from sushibalance.stats.ratios import Ratio, RatioTally
from sushibalance.stats.tallies import Together, counted

MOST = 20  # rounds that rules may have; a part of the games does not know how long the longest of all was


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
def incidence(games: pd.DataFrame, by: By = "players", *, shared: bool = False) -> Together:
    """Return in what share of the games each ending has come by each round: the cumulative incidence.

    Parameters
    ----------
    games : DataFrame
        ``run.games``: game, rounds, ended_by, winners.
    by : str or sequence of str
        Keys, as in `penalty_victories`: ``"players"``, ``"mix"`` (`tables.with_mix`), ``"table"``, ...
    shared : bool
        Tell apart whether the win was shared.
    level : float
        Confidence level, of each round for itself.

    Returns
    -------
    DataFrame
        The keys, ``round``, ``ending``, ``estimate, low, high``, ``n``, ``games``; to the last round in which any game
        ended. The endings of the last round add up to 1.
    """
    need(games, "games", "game", "rounds", "ended_by", "winners")
    told = _told(games, shared)
    every = told.loc[told.index.repeat(MOST)].reset_index(drop=True)
    number = np.tile(np.arange(1, MOST + 1, dtype=np.int8), len(games))
    ending = every["ending"].where(every["rounds"].to_numpy() <= number)
    come = Ratio(every.assign(round=number, ending=ending), [*listed(by), "round"], kind="rate", inner=["ending"])
    return Together((come, Least.of(games.assign(_to_come=-games["rounds"].astype(int)), [], "_to_come")), _to_the_last)


def _to_the_last(come: RatioTally, longest: Least, level: float) -> pd.DataFrame:
    result = come.frame(level)
    return result[result["round"] <= -longest.least.min(initial=0)].reset_index(drop=True)


@counted
def hazards(games: pd.DataFrame, by: By = "players", *, shared: bool = False) -> Ratio:
    """Return how often each ending comes in a round, of the games that are still played: the hazard.

    Parameters
    ----------
    games, by, shared, level
        As for `incidence`.

    Returns
    -------
    DataFrame
        The keys, ``round``, ``ending``, ``estimate, low, high``, ``n`` (games still played), ``games``. Games that go
        on have no row.
    """
    need(games, "games", "game", "rounds", "ended_by", "winners")
    told, rounds = _told(games, shared), games["rounds"].to_numpy(np.int64)
    played = told.loc[told.index.repeat(rounds)].reset_index(drop=True)
    number = (np.arange(len(played)) - np.repeat(np.cumsum(rounds) - rounds, rounds) + 1).astype(np.int8)
    ending = played["ending"].where(played["rounds"].to_numpy() == number)
    return Ratio(played.assign(round=number, ending=ending), [*listed(by), "round"], kind="rate", inner=["ending"])


def _told(games: pd.DataFrame, shared: bool) -> pd.DataFrame:
    """Return the games with the column ``ending``, rows numbered."""
    ended = games["ended_by"].astype("category")
    names, code = list(ended.cat.categories), ended.cat.codes.to_numpy(np.int64)
    if shared:
        names = [word for name in names for word in (f"{name}", f"{name}, shared")]
        code = np.where(code < 0, code, 2 * code + (games["winners"].to_numpy() > 1))
    return games.reset_index(drop=True).assign(ending=labelled(code, names))


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
