"""How victory points grow through the game (Sushi Otter)."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from sushibalance.analysis.tables import with_distance, with_policy
from sushibalance.stats import means, quantiles
from sushibalance.stats.grouped import Keys, need


def after_round(
    rounds: pd.DataFrame,
    players: pd.DataFrame | None = None,
    by: Keys = (),
    *,
    band: tuple[float, float] = (0.1, 0.9),
    level: float = 0.95,
) -> pd.DataFrame:
    """Return the mean VP of a player after each round, and the band in which most players are.

    Parameters
    ----------
    rounds : DataFrame
        ``run.rounds``: game, round, seat, vp (running), and button for the key ``distance``.
    players : DataFrame, optional
        ``run.players``; needed for the key ``policy``.
    by : str or sequence of str
        Keys besides the round: ``"policy"``, ``"distance"`` (seats clockwise from the first button).
    band : pair of float
        The quantiles of players at the lower and upper edge of the band.
    level : float
        Confidence level of the mean's interval.

    Returns
    -------
    DataFrame
        The keys, ``round``, ``estimate, low, high`` (the mean), ``n``, ``games``, ``band_low``,
        ``band_high``. The band holds players; it does not shrink with more games.
    """
    keys = _keys(by)
    rounds = _with_keys(rounds, players, keys)
    result = means(rounds, [*keys, "round"], "vp", level=level)
    for name, part in zip(("band_low", "band_high"), band, strict=True):
        edge = quantiles(rounds, [*keys, "round"], "vp", at=[part], level=level)
        result[name] = edge["estimate"].to_numpy()
    result.attrs.update(level=level, band=tuple(band))
    return result


def bands(
    rounds: pd.DataFrame,
    players: pd.DataFrame | None = None,
    by: Keys = (),
    *,
    at: Sequence[float] = (0.1, 0.5, 0.9),
    level: float = 0.95,
) -> pd.DataFrame:
    """Return quantiles of the players' VP after each round, with their intervals.

    Parameters
    ----------
    at : sequence of float
        The quantiles; the other parameters are those of `after_round`.

    Returns
    -------
    DataFrame
        The keys, ``round``, ``quantile``, ``estimate, low, high``, ``n``, ``games``.
    """
    keys = _keys(by)
    return quantiles(_with_keys(rounds, players, keys), [*keys, "round"], "vp", at=at, level=level)


def ahead(
    rounds: pd.DataFrame, players: pd.DataFrame | None = None, by: Keys = "policy", *, level: float = 0.95
) -> pd.DataFrame:
    """Return by how many VP a player is ahead of the table's mean after each round.

    The table's mean takes out what all at the table share, so small differences between policies
    or seats show. Parameters are those of `after_round`.

    Returns
    -------
    DataFrame
        The keys, ``round``, ``estimate, low, high``, ``n``, ``games``.
    """
    keys = _keys(by)
    rounds = _with_keys(rounds, players, keys)
    table = rounds.groupby(["game", "round"], sort=False)["vp"].transform("mean")
    return means(rounds.assign(_ahead=rounds["vp"] - table), [*keys, "round"], "_ahead", level=level)


def _keys(by: Keys) -> list[str]:
    return [by] if isinstance(by, str) else list(by)


def _with_keys(rounds: pd.DataFrame, players: pd.DataFrame | None, keys: Sequence[str]) -> pd.DataFrame:
    need(rounds, "rounds", "game", "round", "seat", "vp")
    if players is not None:
        rounds = with_policy(rounds, players)
    return with_distance(rounds, rounds) if "distance" in keys else rounds
