"""Charts of Sushi Go!: where points come from, and what puddings decide."""

from __future__ import annotations

from typing import Unpack

import pandas as pd
from matplotlib.axes import Axes

from sushibalance.plots.marks import Scale, dots, lines
from sushibalance.plots.texts import Options, texts


def points_by_kind(frame: pd.DataFrame, *, hue: str | None = "policy", **options: Unpack[Options]) -> Axes:
    """Draw the mean points from each kind of card.

    Parameters
    ----------
    frame : DataFrame
        From `analysis.points_by_kind.per_game`.
    hue : str, optional
        Key of the colours.
    **options
        Axes and texts; see `sushibalance.plots`.
    """
    own = texts(options, title="Where do points come from?", xlabel="points of a player in a game")
    return dots(frame, "kind", Scale(low=None, reference=0.0), hue=hue, unit="players", **own)


def pudding_decides(frame: pd.DataFrame, *, hue: str | None = None, **options: Unpack[Options]) -> Axes:
    """Draw how often pudding points make another winner.

    Parameters
    ----------
    frame : DataFrame
        From `analysis.puddings.decide`.
    hue : str, optional
        Key of the colours.
    **options
        Axes and texts; see `sushibalance.plots`.
    """
    own = texts(options, title="Without pudding points, who would win?", xlabel="share of the games")
    return dots(frame, "outcome", Scale(high=1.0, percent=True), hue=hue, **own)


def wins_by_puddings(
    frame: pd.DataFrame,
    *,
    hue: str | None = None,
    fair: float | None = None,
    least: int = 50,
    **options: Unpack[Options],
) -> Axes:
    """Draw the win rate by the number of puddings collected.

    Parameters
    ----------
    frame : DataFrame
        From `analysis.puddings.wins_by_count`.
    hue : str, optional
        Key of the lines.
    fair : float, optional
        The rate if all won equally often, drawn as a line.
    least : int
        Numbers of puddings that fewer players have are left out.
    **options
        Axes and texts; see `sushibalance.plots`.
    """
    own = texts(
        options,
        title="Do more puddings win more games?",
        xlabel="puddings collected in the game",
        ylabel="games won",
    )
    left_out = f"without numbers of puddings that fewer than {least} players have"
    if fair is not None:
        left_out += "; line: all win equally often"
    scale = Scale(percent=True, reference=fair)
    return lines(frame[frame["n"] >= least], "puddings", scale, hue=hue, unit="players", remark=left_out, **own)
