"""Where a player's points come from (Sushi Go!)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from sushibalance.analysis.tables import with_policy
from sushibalance.stats import means
from sushibalance.stats.grouped import Keys, labelled, need


def per_game(
    points: pd.DataFrame,
    kinds: Sequence[str],
    players: pd.DataFrame | None = None,
    by: Keys = (),
    *,
    level: float = 0.95,
) -> pd.DataFrame:
    """Return the mean points of a player in a whole game from each kind of card.

    Parameters
    ----------
    points : DataFrame
        Rows of players or of their rounds: game, seat, and one column of points a kind. The rows of
        a player in a game are added up.
    kinds : sequence of str
        The columns of points.
    players : DataFrame, optional
        ``run.players``; needed for the key ``policy``.
    by : str or sequence of str
        Keys, constant for a player in a game.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``kind``, ``estimate, low, high`` (points), ``n`` (players), ``games``. The estimates of one
        group add up to its mean total.
    """
    need(points, "points", "game", "seat", *kinds)
    keys = [by] if isinstance(by, str) else list(by)
    if players is not None:
        points = with_policy(points, players)
    sums = points.groupby([*keys, "game", "seat"], observed=True, sort=False)[list(kinds)].sum().reset_index()
    parts = []
    for code, kind in enumerate(kinds):
        part = means(sums, keys, kind, level=level)
        part.insert(len(keys), "kind", labelled(np.full(len(part), code), kinds))
        parts.append(part)
    result = pd.concat(parts, ignore_index=True).sort_values([*keys, "kind"], ignore_index=True)
    result.attrs["level"] = level
    return result
