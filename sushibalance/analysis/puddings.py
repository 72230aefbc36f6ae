"""What puddings decide (Sushi Go!)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sushibalance.stats import rates, shares
from sushibalance.stats.grouped import Keys, labelled, need

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
    sums = rounds.groupby(["game", "seat"], sort=False).agg(points=("pudding", "sum"), held=("puddings", "max"))
    sums = sums.reindex(pd.MultiIndex.from_frame(players[["game", "seat"]]))
    return players.assign(puddings=sums["held"].to_numpy(), pudding_points=sums["points"].to_numpy())


def decide(players: pd.DataFrame, by: Keys = (), *, level: float = 0.95) -> pd.DataFrame:
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
    keys = [by] if isinstance(by, str) else list(by)
    without = players["total"].astype(np.int64) - players["pudding_points"].astype(np.int64)
    best = without.groupby(players["game"]).transform("max")
    now, then = players["win"] > 0, without == best
    flags = pd.DataFrame({"game": players["game"], "same": now == then, "both": now & then})
    game = flags.groupby("game").agg(same=("same", "all"), both=("both", "any"))
    outcome = np.select([game["same"], game["both"]], [0, 1], 2)
    first = players.drop_duplicates("game").set_index("game").loc[game.index, keys].reset_index()
    first["outcome"] = labelled(outcome, OUTCOMES)
    return shares(first, keys, "outcome", level=level)


def wins_by_count(players: pd.DataFrame, by: Keys = (), *, level: float = 0.95) -> pd.DataFrame:
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
    return rates(players, [*([by] if isinstance(by, str) else by), "puddings"], "win", level=level)
