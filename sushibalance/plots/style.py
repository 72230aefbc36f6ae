"""How charts look: colours that the colour-blind can tell apart, shapes that survive a grey printer."""

from __future__ import annotations

from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import seaborn as sns

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
PALE = "#E3E3E3"
WIDTH = 4.8  # inches; on the page of a telephone the letters are still as large as a footnote's


class Look(NamedTuple):
    """How a verdict looks: on a chart, and as a letter in a text."""

    colour: str
    marker: str
    letter: str


# A shape each: readable in grey, and in a text.
VERDICTS = {
    "above": Look("#D55E00", "^", "\N{BLACK UP-POINTING TRIANGLE}"),
    "below": Look("#0072B2", "v", "\N{BLACK DOWN-POINTING TRIANGLE}"),
    "inside": Look("#303030", "o", "\N{BLACK CIRCLE}"),
    "undecided": Look("#8A8A8A", "D", "\N{BLACK DIAMOND}"),
}

STYLE: dict[Any, Any] = {
    **sns.axes_style("whitegrid"),
    **sns.plotting_context("paper"),
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same picture on every machine
    "font.size": 9,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 9,
    "axes.edgecolor": QUIET,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": PALE,
    "grid.linewidth": 0.7,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.fontsize": 8.5,
    "legend.title_fontsize": 8.5,
    "legend.frameon": False,
    "svg.hashsalt": "sushibalance",
}


def use_style() -> None:
    """Set matplotlib's defaults to those of the reports, for this session."""
    plt.rcParams.update(STYLE)
