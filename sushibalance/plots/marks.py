"""The two charts that all questions are drawn with: rows of dots, and lines over steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from sushibalance.plots.style import COLOURS, DASHES, MARKERS, QUIET, Labels, axes, said


def values_of(column: pd.Series) -> list[Any]:
    """Return the different values of a column: categories in their order, others sorted."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        seen = set(column.dropna().unique())
        return [value for value in column.cat.categories if value in seen]
    return sorted(column.dropna().unique())


def dots(
    frame: pd.DataFrame,
    y: str,
    *,
    hue: str | None = None,
    ax: Axes | None = None,
    order: Sequence[Any] | None = None,
    labels: Labels | None = None,
    reference: float | None = None,
    row_height: float | None = None,
) -> Axes:
    """Draw one row for each value of ``y``, top to bottom: dots for the estimates, bars for the intervals.

    Parameters
    ----------
    frame : DataFrame
        The keys, ``estimate, low, high``.
    y, hue : str
        The columns of the rows, and of the groups told apart by colour and shape.
    ax : Axes, optional
        Where to draw; a new figure by default.
    order : sequence, optional
        Values of ``y`` from the top; by default in their own order.
    labels : mapping, optional
        What to write for a value, or for a pair (column, value).
    reference : float, optional
        A value to compare with, drawn as a line.
    row_height : float, optional
        Inches a row of a new figure.
    """
    rows = list(order) if order is not None else values_of(frame[y])
    groups = values_of(frame[hue]) if hue else [None]
    step = min(0.24, 0.72 / len(groups))
    height = row_height or 0.13 + 0.115 * len(groups)
    ax = axes(ax, 1.25 + max(3, len(rows)) * height)
    place = {value: index for index, value in enumerate(rows)}
    if reference is not None:
        ax.axvline(reference, color=QUIET, linewidth=1, zorder=1)
    for index, group in enumerate(groups):
        part = frame if group is None else frame[frame[hue] == group]
        at = part[y].map(place).to_numpy(np.float64) + (index - (len(groups) - 1) / 2) * step
        estimate, low, high = (part[name].to_numpy(np.float64) for name in ("estimate", "low", "high"))
        colour = COLOURS[index % len(COLOURS)]
        ax.hlines(at, low, high, color=colour, linewidth=1.6, zorder=2)
        label = None if group is None else said(group, labels, hue)
        marker = MARKERS[index % len(MARKERS)]
        ax.plot(estimate, at, marker, color=colour, markersize=4.2, zorder=3, label=label, clip_on=False)
    ax.set_yticks(range(len(rows)), [said(value, labels, y) for value in rows])
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.grid(axis="y", visible=len(groups) == 1)
    if len(groups) > 1:
        for edge in range(1, len(rows)):
            ax.axhline(edge - 0.5, color="#E3E3E3", linewidth=0.7, zorder=0)
        legend(ax, said(hue, labels))
    return ax


def lines(
    frame: pd.DataFrame,
    x: str,
    *,
    hue: str | None = None,
    ax: Axes | None = None,
    labels: Labels | None = None,
    reference: float | None = None,
    band: bool = False,
    height: float = 3.6,
) -> Axes:
    """Draw a line over the steps of ``x`` for each value of ``hue``, with the interval of each point.

    Parameters
    ----------
    frame : DataFrame
        The keys, ``estimate, low, high``; with ``band`` also ``band_low, band_high``: shaded, or as thin lines.
    x, hue : str
        The columns of the steps, and of the lines.
    ax, labels, reference
        As in `dots`.
    height : float
        Height of a new figure in inches.
    """
    groups = values_of(frame[hue]) if hue else [None]
    steps = values_of(frame[x])
    ax = axes(ax, height)
    if reference is not None:
        ax.axhline(reference, color=QUIET, linewidth=1, zorder=1)
    numeric = all(isinstance(value, int | float | np.number) for value in steps)
    place = {value: value if numeric else index for index, value in enumerate(steps)}
    dodge = 0.06 if len(groups) > 1 else 0.0
    for index, group in enumerate(groups):
        part = (frame if group is None else frame[frame[hue] == group]).sort_values(x)
        at = part[x].map(place).to_numpy(np.float64)
        colour, shift = COLOURS[index % len(COLOURS)], (index - (len(groups) - 1) / 2) * dodge
        estimate, low, high = (part[name].to_numpy(np.float64) for name in ("estimate", "low", "high"))
        if band and len(groups) == 1:
            ax.fill_between(at, part["band_low"], part["band_high"], color=colour, alpha=0.13, linewidth=0, zorder=1)
        elif band:
            for edge in ("band_low", "band_high"):
                ax.plot(at, part[edge], color=colour, linestyle=DASHES[index % len(DASHES)], linewidth=0.7, zorder=1)
        ax.vlines(at + shift, low, high, color=colour, linewidth=1.6, zorder=2)
        ax.plot(
            at + shift,
            estimate,
            color=colour,
            marker=MARKERS[index % len(MARKERS)],
            linestyle=DASHES[index % len(DASHES)],
            markersize=4.2,
            linewidth=1.3,
            zorder=3,
            clip_on=False,
            label=None if group is None else said(group, labels, hue),
        )
    ax.set_xticks([place[value] for value in steps], [said(value, labels, x) for value in steps])
    ax.grid(axis="x", visible=False)
    if len(groups) > 1:
        legend(ax, said(hue, labels))
    return ax


def legend(ax: Axes, title: str = "") -> None:
    """Put the legend to the right of the axes, where it covers nothing."""
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0, title=title, alignment="left")
