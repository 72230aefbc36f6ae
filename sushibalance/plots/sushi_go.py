"""Charts of Sushi Go!: where points come from, and what puddings decide."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from sushibalance.plots.marks import dots, lines
from sushibalance.plots.style import Labels, heading, percent, rests_on, styled


@styled
def points_by_kind(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    hue: str | None = "policy",
    title: str = "Where do points come from?",
    xlabel: str = "points of a player in a game",
    ylabel: str = "",
    note: str | None = None,
    labels: Labels | None = None,
) -> Axes:
    """Draw the mean points from each kind of card.

    Parameters
    ----------
    frame : DataFrame
        From `analysis.points_by_kind.per_game`.
    ax : Axes, optional
        Where to draw.
    hue : str, optional
        Key of the colours.
    title, xlabel, ylabel, note, labels
        Texts; see `sushibalance.plots`.
    """
    ax = dots(frame, "kind", hue=hue, ax=ax, labels=labels, reference=0.0, row_height=0.3 if hue is None else None)
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    heading(ax, title, rests_on(frame, "players") if note is None else note)
    return ax


@styled
def pudding_decides(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    hue: str | None = None,
    title: str = "Without pudding points, who would win?",
    xlabel: str = "share of the games",
    ylabel: str = "",
    note: str | None = None,
    labels: Labels | None = None,
) -> Axes:
    """Draw how often pudding points make another winner.

    Parameters
    ----------
    frame : DataFrame
        From `analysis.puddings.decide`.
    ax : Axes, optional
        Where to draw.
    hue : str, optional
        Key of the colours.
    title, xlabel, ylabel, note, labels
        Texts; see `sushibalance.plots`.
    """
    ax = dots(frame, "outcome", hue=hue, ax=ax, labels=labels, row_height=0.3 if hue is None else None)
    ax.set_xlim(0, 1)
    ax.xaxis.set_major_formatter(percent())
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    heading(ax, title, rests_on(frame, "games") if note is None else note)
    return ax


@styled
def wins_by_puddings(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    hue: str | None = None,
    fair: float | None = None,
    least: int = 50,
    title: str = "Do more puddings win more games?",
    xlabel: str = "puddings collected in the game",
    ylabel: str = "games won",
    note: str | None = None,
    labels: Labels | None = None,
) -> Axes:
    """Draw the win rate by the number of puddings collected.

    Parameters
    ----------
    frame : DataFrame
        From `analysis.puddings.wins_by_count`.
    ax : Axes, optional
        Where to draw.
    hue : str, optional
        Key of the lines.
    fair : float, optional
        The rate if all won equally often, drawn as a line.
    least : int
        Numbers of puddings that fewer players have are left out.
    title, xlabel, ylabel, note, labels
        Texts; see `sushibalance.plots`.
    """
    frame = frame[frame["n"] >= least]
    ax = lines(frame, "puddings", hue=hue, ax=ax, labels=labels, reference=fair)
    ax.set_ylim(bottom=0)
    ax.yaxis.set_major_formatter(percent())
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    if note is None:
        note = f"{rests_on(frame, 'players')}\nwithout numbers of puddings that fewer than {least} players have"
    heading(ax, title, note)
    return ax
