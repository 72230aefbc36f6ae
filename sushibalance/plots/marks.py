"""The two charts that all questions are drawn with: rows of dots, and lines over steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Unpack

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator

from sushibalance.plots.chart import HEIGHT, canvas, fit, noted, scale_at_both_ends
from sushibalance.plots.style import COLOURS, DASHES, MARKERS, PALE, QUIET, VERDICTS
from sushibalance.plots.texts import POINTS, Options, rests_on, said, width_of, wrapped, write
from sushibalance.stats.groups import need

NAMES = 0.4  # the part of a picture's width that the names of the rows may take
STEP = 0.115  # inches between the groups of a row


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
    margin : (float, float), optional
        The lowest and highest value that do not matter, shaded.
    """

    low: float | None = 0.0
    high: float | None = None
    percent: bool = False
    log: bool = False
    reference: float | None = None
    ceiling: float | None = None
    margin: tuple[float, float] | None = None


def values_of(column: pd.Series) -> list[Any]:
    """Return the different values of a column: categories in their order, others sorted."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        seen = set(column.dropna().unique())
        return [value for value in column.cat.categories if value in seen]
    return sorted(column.dropna().unique())


def estimates_order(frame: pd.DataFrame, key: str) -> list[Any]:
    """Return the values of a column by their mean estimate, the highest first."""
    need(frame, "frame", key, "estimate")
    means = frame.groupby(key, observed=True)["estimate"].mean()
    return list(means.sort_values(ascending=False, kind="stable").index)


def shaded(margin: tuple[float, float]) -> str:
    """Return what is said of the margin below the title."""
    return "shaded: the margin, {:.3g} to {:.3g}".format(*margin).replace("-", "\N{MINUS SIGN}")


def dots(
    frame: pd.DataFrame,
    y: str,
    scale: Scale,
    *,
    hue: str | None = None,
    order: Sequence[Any] | None = None,
    joined: bool = False,
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
        The columns of the rows, and of the groups told apart by colour and shape. Without ``hue`` a frame of verdicts
        (`stats.verdicts`) shows each by its shape.
    scale : Scale
        The axis of the estimates.
    order : sequence, optional
        Values of ``y`` from the top; by default in their own order.
    joined : bool
        Draw the groups of a row at one height, with a line from the first to the last.
    unit : str
        What ``n`` counts.
    remark : str
        A line below the one that states n.
    **options
        Axes and texts; see `sushibalance.plots`.
    """
    with canvas(options) as ax:
        groups = _Groups.of(frame, y, hue, dashes=("none",))
        if joined:
            groups = replace(groups, abreast=1)
        rows = list(order) if order is not None else values_of(frame[y])
        size = float(ax.yaxis.get_major_ticks(1)[0].label1.get_fontsize())
        room = NAMES * width_of(ax)
        names = [wrapped(said(value, options.get("labels"), y), room, size) for value in rows]
        tall = np.array([1.2 * size / POINTS * (name.count("\n") + 1) for name in names])
        edges = np.cumsum([0.0, *(0.06 + np.maximum(tall, STEP * groups.abreast))])
        centres = (edges[1:] + edges[:-1]) / 2
        ax.set_yticks(centres, names)
        ax.grid(axis="y", visible=groups.abreast == 1)
        if groups.abreast > 1:
            ax.hlines(edges[1:-1], 0, 1, transform=ax.get_yaxis_transform(), color=PALE, linewidth=0.7, zorder=0)
        at = frame[y].map(dict(zip(rows, centres, strict=True)))
        if joined:
            ends = frame.groupby(at, observed=True)["estimate"].agg(["min", "max"])
            ax.hlines(ends.index, ends["min"], ends["max"], color="#8A8A8A", linewidth=1.0, zorder=1)
        _points(ax, frame, "y", at, groups, STEP, hollow=frame["estimate"].eq(0) & scale.log)
        height = max(edges[-1], 0.5)
        scale_at_both_ends(ax, height)
        ax.set_ylim(height, 0)
        _finish(ax, frame, "y", scale, groups, height, f"{rests_on(frame, unit, 'row')}\n{remark}", options)
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
    with canvas(options) as ax:
        groups = _Groups.of(frame, x, hue, DASHES)
        steps = values_of(frame[x])
        numeric = all(isinstance(value, int | float | np.number) for value in steps)
        places = [float(value) if numeric else index for index, value in enumerate(steps)]
        at = frame[x].map(dict(zip(steps, places, strict=True)))
        if band:
            ax.fill_between(at, frame["band_low"], frame["band_high"], color=COLOURS[0], alpha=0.13, linewidth=0)
        ax.set_xticks(places, [said(value, options.get("labels"), x) for value in steps])
        ax.grid(axis="x", visible=False)
        _points(ax, frame, "x", at, groups, 0.06, hollow=pd.Series(False, frame.index))
        _finish(ax, frame, "x", scale, groups, HEIGHT, f"{rests_on(frame, unit)}\n{remark}", options)
    return ax


@dataclass(frozen=True)
class _Groups:
    """The groups told apart by colour, shape and dash: the values of the column ``hue``, or one if it is None.

    ``abreast`` is how many of them stand beside each other in a row.
    """

    hue: str | None
    members: list[Any]
    colours: Sequence[Any]
    markers: Sequence[Any]
    dashes: Sequence[Any]
    abreast: int

    @classmethod
    def of(cls, frame: pd.DataFrame, key: str, hue: str | None, dashes: Sequence[Any]) -> _Groups:
        """Return the groups of a frame, which must have all columns that are drawn."""
        need(frame, "frame", key, *([hue] if hue else []), "estimate", "low", "high", "n", "games")
        if hue is None and "verdict" in frame.columns:
            seen = [verdict for verdict in VERDICTS if (frame["verdict"] == verdict).any()] or list(VERDICTS)
            looks = [VERDICTS[verdict] for verdict in seen]
            colours, markers = [look.colour for look in looks], [look.marker for look in looks]
            return cls("verdict", seen, colours, markers, ["none"] * len(seen), 1)
        members = values_of(frame[hue]) if hue else [None]
        every = range(len(members))
        colours, markers, dashes = ([looks[i % len(looks)] for i in every] for looks in (COLOURS, MARKERS, dashes))
        return cls(hue, members, colours, markers, dashes, len(members))


def _points(
    ax: Axes,
    frame: pd.DataFrame,
    along: Literal["x", "y"],
    at: pd.Series,
    groups: _Groups,
    step: float,
    hollow: pd.Series,
) -> None:
    """Draw estimates and intervals, those of the groups beside each other; where ``hollow``, the upper end alone.

    seaborn makes its own estimates of the rows it gets. It gets three for each, the bounds and the
    estimate: the middle one is the point, the outer ones are the bar.
    """
    frame = frame.assign(_at=at.astype(np.float64), _value=frame["high"])
    parts = [frame[~hollow].assign(_value=frame[part]) for part in ("low", "estimate", "high")]
    full = pd.concat(parts, ignore_index=True)
    bars = {"estimator": "median", "errorbar": ("pi", 100), "err_kws": {"linewidth": 1.6, "zorder": 2}}
    ends = {"errorbar": None, "markerfacecolor": "none"}
    many, nowhere = len(groups.members), ["<"] * len(groups.members)
    look: dict[str, Any]
    for rows, markers, dashes, look in (
        (full, groups.markers, groups.dashes, bars),
        (frame[hollow], nowhere, ["none"] * many, ends),
    ):
        places = np.unique(rows["_at"])
        if not len(places):
            continue
        if groups.hue:
            unit = np.diff(places).min() if len(places) > 1 else 1.0  # in which seaborn counts the dodge
            dodge = step * (groups.abreast - 1) / unit or False
            look = look | {"hue": groups.hue, "hue_order": groups.members, "dodge": dodge}
        sns.pointplot(
            rows,
            x="_at" if along == "x" else "_value",
            y="_at" if along == "y" else "_value",
            orient=along,
            native_scale=True,
            palette=groups.colours if groups.hue else None,
            color=None if groups.hue else groups.colours[0],
            markers=markers if groups.hue else markers[0],
            linestyles=dashes if groups.hue else dashes[0],
            legend=False,
            markersize=4,
            markeredgewidth=0.8,
            linewidth=1.3,
            zorder=3,
            clip_on=False,
            ax=ax,
            **look,
        )


def _finish(
    ax: Axes,
    frame: pd.DataFrame,
    along: Literal["x", "y"],
    scale: Scale,
    groups: _Groups,
    height: float,
    rests: str,
    options: Options,
) -> None:
    """Set the axis of the estimates, write the texts, and make the plot of new axes so many inches high."""
    sideways = along == "y"
    if scale.margin is not None:
        (ax.axvspan if sideways else ax.axhspan)(*scale.margin, color=PALE, alpha=0.6, linewidth=0, zorder=0)
    for value, dash in ((scale.reference, "-"), (scale.ceiling, DASHES[2])):
        if value is not None:
            draw = ax.axvline if sideways else ax.axhline
            draw(value, color=QUIET, linewidth=1, linestyle=dash, zorder=1)
    low = scale.low
    if scale.log:
        drawn = frame["low"].where((frame["estimate"] > 0) & (frame["low"] > 0), frame["high"])
        low = 0.6 * drawn.min() if len(drawn) else 0.1
        ax.set(**{"xscale" if sideways else "yscale": "log"})
        (ax.xaxis if sideways else ax.yaxis).set_major_locator(LogLocator(numticks=6))  # more would run together
    ax.set(**{"xlim" if sideways else "ylim": (low, scale.high)})
    if scale.percent:
        (ax.xaxis if sideways else ax.yaxis).set_major_formatter(
            lambda value, _: f"{np.format_float_positional(round(100 * value, 12), trim='-')}%".replace(
                "-", "\N{MINUS SIGN}"
            )
        )

    labels = options.get("labels")
    legend = None
    if groups.hue and (len(groups.members) > 1 or groups.hue == "verdict"):
        looks = zip(groups.colours, groups.markers, groups.dashes, strict=True)
        handles = [Line2D([], [], color=c, marker=m, linestyle=d, markersize=4, linewidth=1.3) for c, m, d in looks]
        names = [said(group, labels, groups.hue) for group in groups.members]
        legend = handles, names, said(groups.hue, labels)
    write(
        ax,
        title=options.get("title", ""),
        note=noted(options, rests.strip()),
        xlabel=options.get("xlabel", ""),
        ylabel=options.get("ylabel", ""),
        legend=legend,
    )
    fit(ax, options, height)
