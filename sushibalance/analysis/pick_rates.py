"""Which power-ups players take (Sushi Otter).

Each round one power-up more than there are players lies open, and each player in turn takes one of
what is left. *Taken* is the part of the offers that somebody took. With five on offer to four
players it is 80% by chance alone, so it says little. *Against chance* looks at every turn at
which a card was still there: with ``m`` cards left, chance takes it once in ``m``. Two means: taken twice as
often as that. A card that the first player always takes is taken as many times as often as there are cards on
offer, and no card can be taken more often: that is the ceiling.

These numbers say what players want, not what a card is worth.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from sushibalance.stats import lifts, rates
from sushibalance.stats.grouped import Keys, labelled, need


def turns(offers: pd.DataFrame, picks: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each card still on offer at each turn to pick.

    Parameters
    ----------
    offers : DataFrame
        ``run.offers``: game, round, power_up.
    picks : DataFrame
        ``run.picks``: game, round, order, seat, power_up. Picks outside the offers (starting
        power-ups) are left out.

    Returns
    -------
    DataFrame
        game, round, order (1-based), seat (who picks), power_up, left (cards on offer), taken,
        chance (``1 / left``).
    """
    need(offers, "offers", "game", "round", "power_up")
    need(picks, "picks", "game", "round", "order", "seat", "power_up")
    offers = offers[["game", "round", "power_up"]].sort_values(["game", "round"], kind="stable", ignore_index=True)
    picks = picks.sort_values(["game", "round", "order"], kind="stable")
    rounds, which, count = np.unique(_round_key(offers), return_inverse=True, return_counts=True)

    pick_key = _round_key(picks)
    offered = np.isin(pick_key, rounds)
    picks, place = picks[offered], np.searchsorted(rounds, pick_key[offered])
    of_round = np.bincount(place, minlength=len(rounds))
    first = np.cumsum(of_round) - of_round
    turn = np.arange(len(picks)) - first[place]

    seen = pd.Series(turn, index=pd.MultiIndex.from_arrays([place, picks["power_up"].to_numpy()]))
    taken_at = seen.reindex(pd.MultiIndex.from_arrays([which, offers["power_up"].to_numpy()])).to_numpy()
    lasted = np.where(np.isnan(taken_at), of_round[which], taken_at + 1).astype(np.int64)

    row = np.repeat(np.arange(len(offers)), lasted)
    at = np.arange(len(row)) - np.repeat(np.cumsum(lasted) - lasted, lasted)
    left = (count[which[row]] - at).astype(np.int16)
    seats = picks["seat"].to_numpy()
    return pd.DataFrame(
        {
            "game": offers["game"].to_numpy()[row],
            "round": offers["round"].to_numpy()[row],
            "order": (at + 1).astype(np.int8),
            "seat": seats[first[which[row]] + at],
            "power_up": offers["power_up"].to_numpy()[row],
            "left": left,
            "taken": at == taken_at[row],
            "chance": 1.0 / left,
        }
    )


def _round_key(frame: pd.DataFrame) -> np.ndarray:
    return frame["game"].to_numpy(np.int64) * 1024 + frame["round"].to_numpy(np.int64)


def taken(offers: pd.DataFrame, by: Keys = "power_up", *, level: float = 0.95) -> pd.DataFrame:
    """Return how often a power-up on offer is taken by somebody in that round.

    Parameters
    ----------
    offers : DataFrame
        ``run.offers``: game, round, power_up, taken_by (seat or -1).
    by : str or sequence of str
        ``"power_up"``, ``["power_up", "round"]``, ...
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``estimate, low, high``, ``n`` (times offered), ``games``, ``taken`` (times taken).
    """
    need(offers, "offers", "game", "power_up", "taken_by")
    result = rates(offers.assign(_taken=offers["taken_by"] >= 0), by, "_taken", level=level)
    return _counted(result, result["estimate"] * result["n"], level)


def against_chance(turns: pd.DataFrame, by: Keys = "power_up", *, level: float = 0.95) -> pd.DataFrame:
    """Return how many times as often a power-up is taken as by chance, given how many are left.

    Parameters
    ----------
    turns : DataFrame
        As `turns` gives it; with the column ``policy`` from `tables.with_policy`, or others of the
        user's own, such as the type of the card.
    by : str or sequence of str
        ``"power_up"``, ``["power_up", "round"]``, ``["power_up", "policy"]``, ...
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``estimate, low, high`` (1 = as by chance), ``n`` (turns at which the card was
        there), ``games``, ``taken`` (times taken), ``ceiling`` (the most that is possible).
    """
    need(turns, "turns", "game", "taken", "chance")
    keys = [by] if isinstance(by, str) else list(by)
    result = lifts(turns, keys, "taken", "chance", level=level)
    times = rates(turns, keys, "taken", level=level)
    least = turns.groupby(keys, observed=True, dropna=False)["chance"].min() if keys else turns["chance"].min()
    result["ceiling"] = (1 / (least.to_numpy() if keys else least)).round(9)
    return _counted(result, times["estimate"] * times["n"], level)


def key_clients(picks: pd.DataFrame, by: Keys = (), *, level: float = 0.95) -> pd.DataFrame:
    """Return in how many games each Key Client card is taken by somebody.

    There is one of each, so a card is taken once in a game or not at all.

    Parameters
    ----------
    picks : DataFrame
        ``run.picks``: game, key_client (missing where a pick brought none). Starting power-ups count.
    by : str or sequence of str
        Keys besides the card; with ``"policy"`` (`tables.with_policy`) the games in which a player of that
        policy took it.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``key_client``, ``estimate, low, high``, ``n`` (games), ``games``. Cards that nobody ever took
        have a row too.
    """
    keys = [by] if isinstance(by, str) else list(by)
    need(picks, "picks", *keys, "game", "key_client")
    names = picks["key_client"].astype("category").cat.categories
    groups = picks.groupby([*keys, "game"], observed=True, sort=False)
    cells = np.zeros((groups.ngroups, len(names)), bool)
    code = picks["key_client"].astype("category").cat.codes.to_numpy()
    cells[groups.ngroup().to_numpy()[code >= 0], code[code >= 0]] = True
    games = groups.size().index.to_frame(index=False)
    frame = games.loc[games.index.repeat(len(names))].reset_index(drop=True)
    frame["key_client"] = labelled(np.tile(np.arange(len(names)), len(games)), names)
    return rates(frame.assign(_taken=cells.ravel()), [*keys, "key_client"], "_taken", level=level)


def _counted(frame: pd.DataFrame, times: pd.Series, level: float) -> pd.DataFrame:
    frame = frame.assign(taken=times.round().astype(np.int64))
    frame.attrs["level"] = level
    return frame
