"""What is written on a chart: title, axes, legend, and the line that says what it rests on."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.transforms import ScaledTranslation, Transform

from sushibalance.plots.style import QUIET

Labels = Mapping[Any, str]
LETTER = 0.54  # width of a letter of DejaVu Sans in font sizes, a little more than its mean
POINTS = 72


class Options(TypedDict, total=False):
    """What the caller of any chart may choose; see `sushibalance.plots`."""

    ax: Axes | None
    title: str
    xlabel: str
    ylabel: str
    note: str | None
    about: str
    labels: Labels | None


def said(value: Any, labels: Labels | None = None, column: str | None = None) -> str:
    """Return what is written for a value: the label of (column, value) or of the value, or its name with blanks."""
    for key in ((column, value), value):
        if labels and key in labels:
            return labels[key]
    return str(value).replace("_", " ")


def wrapped(text: str, inches: float, size: float) -> str:
    """Return a text in lines that fit into a width at a font size in points; line breaks in it stay."""
    letters = max(8, int(inches * POINTS / (LETTER * size)))
    return "\n".join(textwrap.fill(line, letters, break_on_hyphens=False) for line in text.split("\n"))


def width_of(ax: Axes) -> float:
    """Return the inches that a chart may fill: the picture's width, or the axes' where there are others beside."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    return float(figure.get_figwidth() if len(figure.axes) == 1 else ax.bbox.width / figure.dpi)


def rests_on(frame: pd.DataFrame, unit: str, each: str = "point", *, bars: str = "bars: ") -> str:
    """Return the line that states n, the games and, after ``bars``, the level of the intervals.

    ``attrs["counted"]`` says it where games are no games: ``"{games} deals, each played 4 times"``.
    """
    if frame.empty:
        return "no games"
    level = frame.attrs.get("level")
    interval = f"; {bars}{100 * level:.4g}% intervals" if level else f"; {bars}intervals"
    n, games = _span(frame["n"]), _span(frame["games"])
    usual = "{games} games" if n == games else f"{{n}} {unit} in {{games}} games"
    counted = frame.attrs.get("counted", usual).format(n=n, games=games)
    return f"each {each}: n = {counted}{interval if bars else ''}"


def _span(values: pd.Series) -> str:
    low, high = int(values.min()), int(values.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def write(
    ax: Axes,
    *,
    title: str = "",
    note: str = "",
    xlabel: str = "",
    ylabel: str = "",
    legend: tuple[Sequence[Any], Sequence[str], str] | None = None,
) -> None:
    """Write all texts around axes that are drawn, in lines that fit the picture.

    Title, note and legend start where the texts of the y axis start. ``legend`` is its handles, their
    texts and its title; it stands below the axes, where it covers nothing and leaves the plot its width.
    """
    figure = ax.get_figure(root=True)
    assert figure is not None
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    texts = ax.yaxis.get_tightbbox()
    indent = 0.97 * (texts.x0 - ax.bbox.x0) / figure.dpi if texts else 0.0  # other renderers set text narrower
    room, scale = width_of(ax), ax.xaxis.get_tightbbox()

    def shifted(x: float, y: float) -> Transform:
        return ax.transAxes + ScaledTranslation(x, y, figure.dpi_scale_trans)

    size = float(ax.xaxis.label.get_fontsize())
    ax.set_xlabel(wrapped(xlabel, room + indent - 0.2, size))  # the last number of the axis stands out a little
    note = wrapped(note, room, 8) if note else ""
    over = max(scale.y1 - ax.bbox.y1, 0.0) / figure.dpi * POINTS if scale else 0.0  # numbers above the rows
    heading = ax.set_title(title, loc="left", y=1, pad=over + 6 + 11.5 * (note.count("\n") + 1 if note else 0))
    heading.set_text(wrapped(title, 0.9 * room, float(heading.get_fontsize())))  # bold letters are wider
    heading.set_transform(heading.get_transform() + ScaledTranslation(indent, 0, figure.dpi_scale_trans))
    if note:
        below = ax.text(
            0, 1, note, transform=shifted(indent, (over + 5) / POINTS), ha="left", va="bottom", color=QUIET, fontsize=8,
            linespacing=1.25,
        )  # fmt: skip
        below.set_in_layout(False)  # the title keeps its place free; its width must not narrow the axes
    if legend:
        under = ax.xaxis.get_tightbbox()
        down = (under.y0 - ax.bbox.y0) / figure.dpi if under else 0.0
        _legend(ax, *legend, room, size, shifted(indent, down - 4 / POINTS))


def _legend(
    ax: Axes, handles: Sequence[Any], names: Sequence[str], title: str, room: float, size: float, corner: Transform
) -> None:
    """Put a legend below axes, its upper left corner at the origin of ``corner``, in the fewest rows that fit."""
    names = [wrapped(name, room - 0.5, size) for name in names]
    for rows in range(1, len(names) + 1):
        legend = ax.legend(
            handles,
            names,
            loc="upper left",
            bbox_to_anchor=(0, 0),
            bbox_transform=corner,
            borderaxespad=0,
            borderpad=0,
            ncols=-(-len(names) // rows),
            title=title,
            alignment="left",
            handlelength=2.4,
            columnspacing=1.2,
        )
        if legend.get_window_extent().width <= (room - 0.1) * ax.figure.dpi:
            break
