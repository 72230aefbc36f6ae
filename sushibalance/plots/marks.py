"""The two charts that all questions are drawn with: rows of dots, and lines over steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, Unpack

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from sushibalance.errors import nearest
from sushibalance.plots.style import COLOURS, DASHES, MARKERS, PALE, QUIET, STYLE, WIDTH
from sushibalance.plots.texts import POINTS, Options, rests_on, said, width_of, wrapped, write
from sushibalance.stats.grouped import need

NAMES = 0.4  # the part of a picture's width that the names of the rows may take
STEP = 0.115  # inches between the groups of a row
HEIGHT = 2.3  # inches of a plot with lines


@dataclass(frozen=True)
class Scale:
    """The axis of the estimates.

    Attributes
    ----------
    low, high : float, optional
        Its ends; None: as the estimates need.
    percent : bool
        Shares, written as per cent.
    log : bool
        Each step ten times the one before. Such a scale has no 0: an estimate of 0 is drawn as an open
        triangle at the upper end of its interval.
    reference, ceiling : float, optional
        Values to compare with, as a line and as a dotted line.
    """

    low: float | None = 0.0
    high: float | None = None
    percent: bool = False
    log: bool = False
    reference: float | None = None
    ceiling: float | None = None


def values_of(column: pd.Series) -> list[Any]:
    """Return the different values of a column: categories in their order, others sorted."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        seen = set(column.dropna().unique())
        return [value for value in column.cat.categories if value in seen]
    return sorted(column.dropna().unique())


def dots(
    frame: pd.DataFrame,
    y: str,
    scale: Scale,
    *,
    hue: str | None = None,
    order: Sequence[Any] | None = None,
    unit: str = "games",
    remark: str = "",
    **options: Unpack[Options],
) -> Axes:
    """Draw one row for each value of ``y``, top to bottom: dots for the estimates, bars for the intervals.

    A row is as tall as its name and its groups need.

    Parameters
    ----------
    frame : DataFrame
        The keys, ``estimate, low, high, n, games``.
    y, hue : str
        The columns of the rows, and of the groups told apart by colour and shape.
    scale : Scale
        The axis of the estimates.
    order : sequence, optional
        Values of ``y`` from the top; by default in their own order.
    unit : str
        What ``n`` counts.
    remark : str
        A line below the one that states n.
    **options
        Axes and texts; see `sushibalance.plots`.
    """
    with _canvas(options) as ax:
        groups = _groups(frame, y, hue)
        rows = list(order) if order is not None else values_of(frame[y])
        size = float(ax.yaxis.get_major_ticks(1)[0].label1.get_fontsize())
        room = NAMES * width_of(ax)
        names = [wrapped(said(value, options.get("labels"), y), room, size) for value in rows]
        tall = np.array([1.2 * size / POINTS * (name.count("\n") + 1) for name in names])
        edges = np.cumsum([0.0, *(0.06 + np.maximum(tall, STEP * len(groups)))])
        centres = (edges[1:] + edges[:-1]) / 2
        ax.set_yticks(centres, names)
        ax.grid(axis="y", visible=len(groups) == 1)
        if len(groups) > 1:
            ax.hlines(edges[1:-1], 0, 1, transform=ax.get_yaxis_transform(), color=PALE, linewidth=0.7, zorder=0)
        at = frame[y].map(dict(zip(rows, centres, strict=True)))
        _points(ax, frame, "y", at, hue, groups, STEP, hollow=frame["estimate"].eq(0) & scale.log)
        height = max(edges[-1], 0.5)
        ax.set_ylim(height, 0)
        _finish(
            ax, frame, "y", scale, hue, groups, ["none"], height, f"{rests_on(frame, unit, 'row')}\n{remark}", options
        )
    return ax


def lines(
    frame: pd.DataFrame,
    x: str,
    scale: Scale,
    *,
    hue: str | None = None,
    band: bool = False,
    unit: str = "games",
    remark: str = "",
    **options: Unpack[Options],
) -> Axes:
    """Draw a line over the steps of ``x`` for each value of ``hue``, with the interval of each point.

    Parameters
    ----------
    frame : DataFrame
        The keys, ``estimate, low, high, n, games``; with ``band`` also ``band_low, band_high``, shaded.
    x, hue : str
        The columns of the steps, and of the lines.
    scale, unit, remark, **options
        As in `dots`.
    """
    with _canvas(options) as ax:
        groups = _groups(frame, x, hue)
        steps = values_of(frame[x])
        numeric = all(isinstance(value, int | float | np.number) for value in steps)
        places = [float(value) if numeric else index for index, value in enumerate(steps)]
        at = frame[x].map(dict(zip(steps, places, strict=True)))
        if band:
            ax.fill_between(at, frame["band_low"], frame["band_high"], color=COLOURS[0], alpha=0.13, linewidth=0)
        ax.set_xticks(places, [said(value, options.get("labels"), x) for value in steps])
        ax.grid(axis="x", visible=False)
        _points(ax, frame, "x", at, hue, groups, 0.06, dashes=DASHES)
        _finish(ax, frame, "x", scale, hue, groups, DASHES, HEIGHT, f"{rests_on(frame, unit)}\n{remark}", options)
    return ax


@contextmanager
def _canvas(options: Options) -> Iterator[Axes]:
    """Yield the caller's axes, or new ones, which are drawn on in the style of the reports."""
    known = Options.__annotations__
    for name in options.keys() - known.keys():
        near = nearest(name, known)
        hint = f"did you mean {near}? " if near else ""
        raise TypeError(f"a chart has no {name}; {hint}Allowed besides its own keywords: {', '.join(known)}")
    ax = options.get("ax")
    if ax is not None:
        yield ax
        return
    with plt.rc_context(STYLE):
        figure, ax = plt.subplots(figsize=(WIDTH, HEIGHT), layout="constrained")
        try:
            yield ax
        except BaseException:
            plt.close(figure)
            raise


def _groups(frame: pd.DataFrame, key: str, hue: str | None) -> list[Any]:
    """Return the groups told apart, one where ``hue`` is None; check that the frame has all columns."""
    need(frame, "frame", key, *([hue] if hue else []), "estimate", "low", "high", "n", "games")
    return values_of(frame[hue]) if hue else [None]


def _points(
    ax: Axes,
    frame: pd.DataFrame,
    along: Literal["x", "y"],
    at: pd.Series,
    hue: str | None,
    groups: Sequence[Any],
    step: float,
    *,
    dashes: Sequence[Any] = ("none",),
    hollow: pd.Series | None = None,
) -> None:
    """Draw estimates and intervals, those of the groups beside each other; where ``hollow``, the upper end alone.

    seaborn makes its own estimates of the rows it gets. It gets three for each, the bounds and the
    estimate: the middle one is the point, the outer ones are the bar.
    """
    frame = frame.assign(_at=at.astype(np.float64), _value=frame["high"])
    hollow = hollow if hollow is not None else pd.Series(False, frame.index)
    full = pd.concat([frame[~hollow].assign(_value=frame[part]) for part in ("low", "estimate", "high")])
    look: dict[str, Any]
    bars = {"estimator": "median", "errorbar": ("pi", 100), "err_kws": {"linewidth": 1.6, "zorder": 2}}
    ends = {"errorbar": None, "markerfacecolor": "none"}
    for rows, markers, strokes, look in ((full, MARKERS, dashes, bars), (frame[hollow], ["<"], ["none"], ends)):
        places = np.unique(rows["_at"])
        if not len(places):
            continue
        if hue:
            unit = np.diff(places).min() if len(places) > 1 else 1.0  # in which seaborn counts the dodge
            look = look | {"hue": hue, "hue_order": groups, "dodge": step * (len(groups) - 1) / unit or False}
        sns.pointplot(
            rows,
            x="_at" if along == "x" else "_value",
            y="_at" if along == "y" else "_value",
            orient=along,
            native_scale=True,
            palette=_cycled(COLOURS, groups) if hue else None,
            color=None if hue else COLOURS[0],
            markers=_cycled(markers, groups) if hue else markers[0],
            linestyles=_cycled(strokes, groups) if hue else strokes[0],
            legend=False,
            markersize=4,
            markeredgewidth=0.8,
            linewidth=1.3,
            zorder=3,
            clip_on=False,
            ax=ax,
            **look,
        )


def _cycled(looks: Sequence[Any], groups: Sequence[Any]) -> list[Any]:
    return [looks[index % len(looks)] for index in range(len(groups))]


def _finish(
    ax: Axes,
    frame: pd.DataFrame,
    along: Literal["x", "y"],
    scale: Scale,
    hue: str | None,
    groups: Sequence[Any],
    dashes: Sequence[Any],
    height: float,
    rests: str,
    options: Options,
) -> None:
    """Set the axis of the estimates, write the texts, and make the plot of new axes so many inches high."""
    sideways = along == "y"
    for value, dash in ((scale.reference, "-"), (scale.ceiling, DASHES[2])):
        if value is not None:
            draw = ax.axvline if sideways else ax.axhline
            draw(value, color=QUIET, linewidth=1, linestyle=dash, zorder=1)
    low = scale.low
    if scale.log:
        drawn = frame["low"].where((frame["estimate"] > 0) & (frame["low"] > 0), frame["high"])
        low = 0.6 * drawn.min() if len(drawn) else 0.1
        ax.set(**{"xscale" if sideways else "yscale": "log"})
    ax.set(**{"xlim" if sideways else "ylim": (low, scale.high)})
    if scale.percent:
        (ax.xaxis if sideways else ax.yaxis).set_major_formatter(lambda value, _: f"{100 * value:g}%")

    labels, note = options.get("labels"), options.get("note")
    legend = None
    if len(groups) > 1:
        looks = zip(*(_cycled(look, groups) for look in (COLOURS, MARKERS, dashes)), strict=True)
        handles = [Line2D([], [], color=c, marker=m, linestyle=d, markersize=4.2, linewidth=1.3) for c, m, d in looks]
        legend = handles, [said(group, labels, hue) for group in groups], said(hue, labels)
    write(
        ax,
        title=options.get("title", ""),
        note="\n".join(filter(None, (options.get("about"), rests.strip()))) if note is None else note,
        xlabel=options.get("xlabel", ""),
        ylabel=options.get("ylabel", ""),
        legend=legend,
    )
    figure, outer = ax.get_figure(root=True), ax.get_tightbbox()
    if options.get("ax") is None and figure and outer:
        figure.set_figheight(height + (outer.height - ax.bbox.height) / figure.dpi + 0.1)
