"""Charts of questions that every game has."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from sushibalance.plots.marks import dots
from sushibalance.plots.style import Labels, heading, percent, rests_on, styled


@styled
def win_rates(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    y: str = "policy",
    hue: str | None = None,
    title: str = "How often does each player win?",
    xlabel: str = "games won (a shared win counts in parts); line: all equal",
    ylabel: str = "",
    note: str | None = None,
    labels: Labels | None = None,
) -> Axes:
    """Draw win rates, with the rate that would be fair as a line.

    Parameters
    ----------
    frame : DataFrame
        From `analysis.win_rates.of`: the keys, ``estimate, low, high, n, games, fair``.
    ax : Axes, optional
        Where to draw.
    y, hue : str
        Key of the rows, and of the colours.
    title, xlabel, ylabel, note, labels
        Texts; see `sushibalance.plots`.
    """
    fair = frame["fair"].iloc[0] if len(frame) and frame["fair"].std(ddof=0) < 1e-12 else None
    ax = dots(frame, y, hue=hue, ax=ax, labels=labels, reference=fair, row_height=0.3 if hue is None else None)
    ax.set_xlim(left=0)
    ax.xaxis.set_major_formatter(percent())
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    heading(ax, title, rests_on(frame, "players") if note is None else note)
    return ax
