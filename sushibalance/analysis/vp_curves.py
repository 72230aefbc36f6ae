"""How victory points grow through the game (Sushi Otter)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from sushibalance.analysis.tables import with_distance, with_policy
from sushibalance.stats import means, quantiles
from sushibalance.stats.groups import By, listed, need, numbers
from sushibalance.stats.ranks import Ranks
from sushibalance.stats.ratios import Ratio
from sushibalance.stats.tallies import Tally, Together, counted


@counted
def after_round(
    rounds: pd.DataFrame,
    players: pd.DataFrame | None = None,
    by: By = (),
    *,
    band: tuple[float, float] = (0.1, 0.9),
) -> Together:
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
    rounds, keys = _with_keys(rounds, players, by)
    spread = quantiles.observe(rounds, keys, "vp", sorted(set(band)))
    return Together((means.observe(rounds, keys, "vp"), spread), _with_band, {"band": tuple(band)})


def _with_band(mean: Tally, spread: Tally, level: float, band: tuple[float, float]) -> pd.DataFrame:
    result, edges = mean.frame(level), spread.frame(level)
    for name, part in zip(("band_low", "band_high"), band, strict=True):
        result[name] = edges.loc[edges["quantile"] == part, "estimate"].to_numpy()
    result.attrs["band"] = band
    return result


@counted
def bands(
    rounds: pd.DataFrame,
    players: pd.DataFrame | None = None,
    by: By = (),
    *,
    at: Sequence[float] = (0.1, 0.5, 0.9),
) -> Ranks:
    """Return quantiles of the players' VP after each round, with their intervals.

    Where most players have the same VP an interval may have no width, and rightly: what is too rare to be seen cannot
    move a quantile (`RankTally.frame`). In few games the bounds of the outer quantiles are missing.

    Parameters
    ----------
    at : sequence of float
        The quantiles; the other parameters are those of `after_round`.

    Returns
    -------
    DataFrame
        The keys, ``round``, ``quantile``, ``estimate, low, high``, ``n``, ``games``.
    """
    rounds, keys = _with_keys(rounds, players, by)
    return quantiles.observe(rounds, keys, "vp", at)


@counted
def ahead(rounds: pd.DataFrame, players: pd.DataFrame | None = None, by: By = "policy") -> Ratio:
    """Return by how many VP a player is ahead of the table's mean after each round.

    The table's mean takes out what all at the table share, so small differences between policies
    or seats show. Parameters are those of `after_round`.

    Returns
    -------
    DataFrame
        The keys, ``round``, ``estimate, low, high``, ``n``, ``games``.
    """
    rounds, keys = _with_keys(rounds, players, by)
    number, _ = numbers(rounds, ["game", "round"])
    vp, seats = rounds["vp"].to_numpy(np.int64), np.bincount(number)[number]
    above = (vp * seats - np.bincount(number, vp).astype(np.int64)[number]) / seats  # rounded once: an exact share
    return means.observe(rounds.assign(_ahead=above), keys, "_ahead")


def _with_keys(rounds: pd.DataFrame, players: pd.DataFrame | None, by: By) -> tuple[pd.DataFrame, list[str]]:
    """Return the rounds with the columns that the keys ask for, and the keys with the round."""
    need(rounds, "rounds", "game", "round", "seat", "vp")
    if players is not None:
        rounds = with_policy(rounds, players)
    keys = listed(by)
    return with_distance(rounds, rounds) if "distance" in keys else rounds, [*keys, "round"]
