"""Charts of Nightmares of Sushi: how games end, and which way players win."""

from __future__ import annotations

from typing import Unpack

import pandas as pd
from matplotlib.axes import Axes

from sushibalance.plots.marks import Scale, dots, lines
from sushibalance.plots.texts import Options, texts


def penalty_victories(frame: pd.DataFrame, *, hue: str | None = "table", **options: Unpack[Options]) -> Axes:
    """Draw how often the penalty victory ends the game, by number of players and table.

    Parameters
    ----------
    frame : DataFrame
        From `analysis.victory_odds.penalty_victories` by ``hue`` and ``players``.
    hue : str, optional
        Key of the lines.
    **options
        Axes and texts; see `sushibalance.plots`.
    """
    own = texts(
        options,
        title="How often does the penalty victory end the game?",
        xlabel="players",
        ylabel="games that end by it",
    )
    return lines(frame, "players", Scale(percent=True), hue=hue, **own)


def endings(frame: pd.DataFrame, *, y: str = "table", **options: Unpack[Options]) -> Axes:
    """Draw the share of each ending at each table.

    Parameters
    ----------
    frame : DataFrame
        From `analysis.victory_odds.endings`.
    y : str
        Key of the rows.
    **options
        Axes and texts; see `sushibalance.plots`.
    """
    own = texts(options, title="How do games end?", xlabel="share of the games")
    return dots(frame, y, Scale(percent=True), hue="ending", **own)


def ways_to_win(frame: pd.DataFrame, *, y: str = "policy", **options: Unpack[Options]) -> Axes:
    """Draw how often players win by each victory.

    Parameters
    ----------
    frame : DataFrame
        From `analysis.victory_odds.ways_to_win`.
    y : str
        Key of the rows.
    **options
        Axes and texts; see `sushibalance.plots`.
    """
    own = texts(
        options,
        title="Which way does each player win?",
        xlabel="games won that way (a shared win counts in parts)",
    )
    own["labels"] = {"ended_by": "victory", **(own.get("labels") or {})}
    return dots(frame, y, Scale(percent=True), hue="ended_by", unit="players", **own)
