"""Where a player's points come from (Sushi Go!)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from sushibalance.analysis.tables import with_policy
from sushibalance.stats.groups import By, first_rows, labelled, listed, need
from sushibalance.stats.ratios import Ratio
from sushibalance.stats.tallies import counted


@counted
def per_game(points: pd.DataFrame, kinds: Sequence[str], players: pd.DataFrame | None = None, by: By = ()) -> Ratio:
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
    if players is not None:
        points = with_policy(points, players)
    keys = listed(by)
    cells = points[[*keys, "game"]].iloc[np.repeat(np.arange(len(points)), len(kinds))].reset_index(drop=True)
    cells["kind"] = labelled(np.tile(np.arange(len(kinds)), len(points)), kinds)
    cells["_points"] = points[list(kinds)].to_numpy().reshape(-1)
    cells["_player"] = np.repeat(first_rows(points, ["game", "seat"]), len(kinds))
    return Ratio(cells, [*keys, "kind"], "_points", "_player")
