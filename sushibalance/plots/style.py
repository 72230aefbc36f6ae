"""How charts look: colours that the colour-blind can tell apart, shapes that survive a grey printer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import Formatter, FuncFormatter
from matplotlib.transforms import ScaledTranslation

# Okabe and Ito's colours, so ordered that neighbours differ in lightness too.
COLOURS = ("#0072B2", "#E69F00", "#000000", "#56B4E9", "#D55E00", "#CC79A7", "#404040", "#009E73")
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "d")
DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.5)),
    (0, (1.2, 1.2)),
    (0, (6, 1.5, 1.2, 1.5)),
    (0, (3, 1)),
    (0, (8, 2)),
    (0, (4, 1, 1, 1, 1, 1)),
    (0, (2, 2)),
)
QUIET = "#666666"
WIDTH = 6.6

STYLE: dict[Any, Any] = {
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 9.5,
    "axes.edgecolor": QUIET,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#E3E3E3",
    "grid.linewidth": 0.7,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": "black",
    "ytick.labelcolor": "black",
    "ytick.major.size": 0,
    "legend.frameon": False,
    "svg.hashsalt": "sushibalance",
}

Labels = Mapping[Any, str]
P = ParamSpec("P")


def use_style() -> None:
    """Set matplotlib's defaults to those of the reports, for this session."""
    plt.rcParams.update(STYLE)


def axes(ax: Axes | None, height: float, width: float = WIDTH) -> Axes:
    """Return ``ax``, or the axes of a new figure of that size in inches."""
    if ax is not None:
        return ax
    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def styled(draw: Callable[P, Axes]) -> Callable[P, Axes]:
    """Decorate a chart: new figures get the style of the reports, axes of the caller keep theirs."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Axes:
        with plt.rc_context(STYLE if kwargs.get("ax") is None else {}):
            return draw(*args, **kwargs)

    return drawn


def percent(decimals: int = 0) -> Formatter:
    """Return a tick formatter for shares: 0.25 as 25%."""
    return FuncFormatter(lambda value, _: f"{100 * value:.{decimals}f}%")


def said(value: Any, labels: Labels | None = None, column: str | None = None) -> str:
    """Return what is written for a value: the label of (column, value) or of the value, or its name with blanks."""
    for key in ((column, value), value):
        if labels and key in labels:
            return labels[key]
    return str(value).replace("_", " ")


def heading(ax: Axes, title: str, note: str) -> None:
    """Write a title and below it, in grey, the line that says what the chart rests on.

    Both start where the texts of the y axis start, so that they fit beside long names.
    """
    lines = note.count("\n") + 1 if note else 0
    figure = ax.get_figure(root=True)
    assert figure is not None
    texts = ax.yaxis.get_tightbbox()
    indent = 0.97 * (texts.x0 - ax.bbox.x0) / figure.dpi if texts else 0.0  # other renderers set text narrower
    text = ax.set_title(title, loc="left", pad=8 + 12.5 * lines)
    text.set_transform(text.get_transform() + ScaledTranslation(indent, 0, figure.dpi_scale_trans))
    if note:
        below = ax.annotate(
            note,
            (0, 1),
            xytext=(72 * indent, 6),
            xycoords="axes fraction",
            textcoords="offset points",
            ha="left",
            va="bottom",
            color=QUIET,
            fontsize=8.5,
            linespacing=1.3,
            annotation_clip=False,
        )
        below.set_in_layout(False)  # the title keeps its place free; its width must not narrow the axes


def rests_on(frame: pd.DataFrame, unit: str, *, each: str = "point", drawn: str = "bars") -> str:
    """Return the line that states n, the games and the level of the intervals."""
    if frame.empty:
        return "no games"
    level = frame.attrs.get("level")
    interval = f"{drawn}: {100 * level:g}% intervals" if level else f"{drawn}: intervals"
    n, games = _span(frame["n"]), _span(frame["games"])
    if n == games:
        return f"each {each}: n = {games} games; {interval}"
    return f"each {each}: n = {n} {unit} in {games} games; {interval}"


def _span(values: pd.Series) -> str:
    low, high = int(values.min()), int(values.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
