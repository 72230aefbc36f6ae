"""Charts of Nightmares of Sushi: how games end, and which way players win."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from sushibalance.plots.marks import dots, lines
from sushibalance.plots.style import Labels, heading, percent, rests_on, styled


@styled
def penalty_victories(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    hue: str | None = "table",
    title: str = "How often does the penalty victory end the game?",
    xlabel: str = "players",
    ylabel: str = "games that end by it",
    note: str | None = None,
    labels: Labels | None = None,
) -> Axes:
    """Draw how often the penalty victory ends the game, by number of players and table.

    Parameters
    ----------
    frame : DataFrame
        From `analysis.victory_odds.penalty_victories` by ``hue`` and ``players``.
    ax : Axes, optional
        Where to draw.
    hue : str, optional
        Key of the lines.
    title, xlabel, ylabel, note, labels
        Texts; see `sushibalance.plots`.
    """
    ax = lines(frame, "players", hue=hue, ax=ax, labels=labels)
    ax.set_ylim(bottom=0)
    ax.yaxis.set_major_formatter(percent(0 if frame["high"].max() > 0.04 else 1))
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    heading(ax, title, rests_on(frame, "games") if note is None else note)
    return ax


@styled
def endings(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    y: str = "table",
    title: str = "How do games end?",
    xlabel: str = "share of the games",
    ylabel: str = "",
    note: str | None = None,
    labels: Labels | None = None,
) -> Axes:
    """Draw the share of each ending at each table.

    Parameters
    ----------
    frame : DataFrame
        From `analysis.victory_odds.endings`.
    ax : Axes, optional
        Where to draw.
    y : str
        Key of the rows.
    title, xlabel, ylabel, note, labels
        Texts; see `sushibalance.plots`.
    """
    ax = dots(frame, y, hue="ending", ax=ax, labels=labels)
    ax.set_xlim(left=0)
    ax.xaxis.set_major_formatter(percent())
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    heading(ax, title, rests_on(frame, "games") if note is None else note)
    return ax


@styled
def ways_to_win(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    y: str = "policy",
    title: str = "Which way does each player win?",
    xlabel: str = "games won that way (a shared win counts in parts)",
    ylabel: str = "",
    note: str | None = None,
    labels: Labels | None = None,
) -> Axes:
    """Draw how often players win by each victory.

    Parameters
    ----------
    frame : DataFrame
        From `analysis.victory_odds.ways_to_win`.
    ax : Axes, optional
        Where to draw.
    y : str
        Key of the rows.
    title, xlabel, ylabel, note, labels
        Texts; see `sushibalance.plots`.
    """
    ax = dots(frame, y, hue="ended_by", ax=ax, labels={"ended_by": "victory", **(labels or {})})
    ax.set_xlim(left=0)
    ax.xaxis.set_major_formatter(percent())
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    heading(ax, title, rests_on(frame, "players") if note is None else note)
    return ax
