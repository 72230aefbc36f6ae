"""Heat maps: a number with its interval, and its verdict, in each cell of a table."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize, TwoSlopeNorm
from matplotlib.lines import Line2D

from sushibalance.plots.chart import canvas, chart, fit, noted, scale_at_both_ends
from sushibalance.plots.marks import Scale, dots, estimates_order, values_of
from sushibalance.plots.style import VERDICTS
from sushibalance.plots.texts import LETTER, POINTS, Options, rests_on, said, width_of, wrapped, write
from sushibalance.stats.groups import need

NAMES = 0.36  # the part of a picture's width that the names of the rows may take
FEW = 8  # so many rows stay in their own order
FAINT = 0.4  # how much of its colour an undecided cell keeps
GAP = 0.06  # inches between the names of columns
SMALLEST = 5.5  # points of these names, where a word needs it
LARGEST = 8.5  # points of the number in a cell
# From blue over white to orange, for those who see no red or green; the cell says the number besides.
BOTH_WAYS = LinearSegmentedColormap.from_list("both ways", ["#3B8BC2", "#FFFFFF", "#E8833A"])
ONE_WAY = LinearSegmentedColormap.from_list("one way", ["#FFFFFF", "#3B8BC2"])


def heat(
    frame: pd.DataFrame,
    x: str,
    y: str,
    *,
    reference: float | None = None,
    least: float = 0.0,
    percent: bool = False,
    columns: Sequence[Any] | None = None,
    rows: Sequence[Any] | None = None,
    unit: str = "games",
    remark: str = "",
    **options: Unpack[Options],
) -> Axes:
    """Draw a table of ``x`` by ``y``: the estimate, below it how far its interval reaches, beside it its verdict.

    Parameters
    ----------
    frame : DataFrame
        A row a cell: the keys, ``estimate, low, high, n, games``, and ``verdict`` where there is one. Cells without a
        row stay empty.
    x, y : str
        The columns of the table's columns and rows.
    reference : float, optional
        The value that is white: above it cells are orange, below blue. Without it the highest is blue.
    least : float
        The colours reach at least so far from the reference: small differences stay pale.
    percent : bool
        Shares, written as per cent.
    columns, rows : sequence, optional
        Values of ``x`` and ``y`` in the order shown; by default their own.
    unit : str
        What ``n`` counts.
    remark : str
        A line below the one that states n.
    **options
        Axes and texts; see `sushibalance.plots`.
    """
    need(frame, "frame", x, y, "estimate", "low", "high", "n", "games")
    with canvas(options) as ax:
        across = list(columns) if columns is not None else values_of(frame[x])
        down = list(rows) if rows is not None else values_of(frame[y])
        labels, size = options.get("labels"), float(ax.yaxis.get_major_ticks(1)[0].label1.get_fontsize())
        names = [wrapped(said(value, labels, y), NAMES * width_of(ax), size) for value in down]
        cell = (1 - NAMES) * width_of(ax) / max(len(across), 1)  # inches, about
        heads = [said(value, labels, x) for value in across]
        word = max((len(word) for head in heads for word in head.split()), default=1)
        head = min(size, max(SMALLEST, (cell - GAP) * POINTS / (LETTER * word)))
        heads = [_head(text, cell, head) for text in heads]
        ax.tick_params(length=0)
        ax.tick_params(axis="x", labelsize=head)
        ax.grid(visible=False)
        for side in ax.spines.values():
            side.set_visible(False)
        norm, colours = _scale(frame["estimate"], reference, least)
        spots = [pd.Index(listed).get_indexer(frame[key]) for key, listed in ((y, down), (x, across))]
        shown = (spots[0] >= 0) & (spots[1] >= 0)
        spots = [spot[shown] for spot in spots]
        grid = np.full((max(len(down), 1), max(len(across), 1)), np.nan)
        grid[spots[0], spots[1]] = frame.loc[shown, "estimate"]
        cells = ax.pcolormesh(grid, cmap=colours, norm=norm, edgecolors="white", linewidth=1.5)
        if "verdict" in frame.columns:
            sure = np.ones_like(grid)
            sure[spots[0], spots[1]] = np.where(frame.loc[shown, "verdict"] == "undecided", FAINT, 1.0)
            remark = "\n".join(filter(None, (remark, "pale: undecided" if sure.min() < 1 else "")))
            cells.set_alpha(sure)  # type: ignore[arg-type]  # the stubs know flat lists alone
        ax.set_xticks(np.arange(len(across)) + 0.5, heads)
        ax.set_yticks(np.arange(len(down)) + 0.5, names)
        ax.set_ylim(len(grid), 0)
        written = [_written(row, percent) for row in frame[shown].itertuples()]
        longest = max((len(number) for number, _ in written), default=1)
        letter = min(LARGEST, 0.85 * cell * POINTS / (0.62 * max(longest, 3)))
        tall = max(2.9 * letter, 1.25 * size * max((name.count("\n") + 1 for name in names), default=1)) / POINTS
        scale_at_both_ends(ax, tall * len(down))
        for row, column, (number, reach) in zip(*spots, written, strict=True):
            ax.text(column + 0.5, row + 0.46, number, ha="center", va="center", fontsize=letter, color="black")
            ax.text(column + 0.5, row + 0.8, reach, ha="center", va="center", fontsize=0.72 * letter, color="#333333")
        level = frame.attrs.get("level")
        half = f"\N{PLUS-MINUS SIGN}: how far the {f'{100 * level:.4g}% ' if level else ''}interval reaches"
        rests = rests_on(frame, unit, "cell", bars="") if len(frame) else "no games"
        write(
            ax,
            title=options.get("title", ""),
            note=noted(options, rests, half if len(frame) else "", remark),
            xlabel=options.get("xlabel", ""),
            ylabel=options.get("ylabel", ""),
            legend=_legend(frame),
        )
        fit(ax, options, max(tall * len(down), 0.4))
    return ax


def _head(text: str, inches: float, size: float) -> str:
    """Return the name of a column in lines that leave a gap to the next one; words stay whole."""
    letters = max([1, int((inches - GAP) * POINTS / (LETTER * size)), *map(len, text.split())])
    return "\n".join(textwrap.fill(line, letters, break_on_hyphens=False) for line in text.split("\n"))


def _scale(values: pd.Series, reference: float | None, least: float) -> tuple[Normalize, LinearSegmentedColormap]:
    """Return which colour a value has."""
    low, high = (values.min(), values.max()) if values.notna().any() else (0.0, 1.0)
    if reference is None:
        return Normalize(min(low, 0.0), max(high, min(low, 0.0) + 1e-12)), ONE_WAY
    most = max(high - reference, reference - low, least, 1e-12)
    return TwoSlopeNorm(reference, reference - most, reference + most), BOTH_WAYS


def _written(row: Any, percent: bool) -> tuple[str, str]:
    """Return the number and how far its interval reaches, as they stand in a cell."""
    scale = 100.0 if percent else 1.0
    half = scale * max(row.high - row.estimate, row.estimate - row.low)
    if not np.isfinite(row.estimate):
        return "?", ""
    digits = int(min(3, max(0, -np.floor(np.log10(half / 2.9999))))) if np.isfinite(half) and half > 0 else 1
    value = round(scale * row.estimate, digits) + 0.0  # no minus before a nought
    number = f"{value:,.{digits}f}{'%' if percent else ''}".replace("-", "\N{MINUS SIGN}")
    verdict = VERDICTS[row.verdict].letter + "\N{NO-BREAK SPACE}" if hasattr(row, "verdict") else ""
    reach = f"\N{PLUS-MINUS SIGN}{half:,.{digits}f}" if np.isfinite(half) else "\N{PLUS-MINUS SIGN}?"
    return verdict + number, reach


def _legend(frame: pd.DataFrame) -> tuple[list[Line2D], list[str], str] | None:
    """Return the legend of the verdicts that a frame has."""
    if "verdict" not in frame.columns or frame.empty:
        return None
    seen = [verdict for verdict in VERDICTS if (frame["verdict"] == verdict).any()]
    looks = [VERDICTS[verdict] for verdict in seen]
    handles = [Line2D([], [], color="black", marker=look.marker, linestyle="none", markersize=4) for look in looks]
    return handles, seen, "verdict"


@chart(title="Where does it hold?")
def heat_map(
    frame: pd.DataFrame,
    *,
    x: str,
    y: str,
    reference: float | None = None,
    percent: bool = False,
    unit: str = "games",
    **options: Unpack[Options],
) -> Axes:
    """Draw a number, its interval and its verdict for each pair of ``x`` and ``y``: match-ups, groups of players.

    Parameters
    ----------
    frame : DataFrame
        A row a cell: ``estimate, low, high, n, games``, and ``verdict`` where it comes from `stats.verdicts`.
    x, y : str
        Keys of the columns and the rows.
    reference : float, optional
        The value that is white (1 for win points, 0 for differences).
    percent : bool
        Shares, written as per cent.
    unit : str
        What ``n`` counts.
    **options
        Axes and texts; see `sushibalance.plots`.
    """
    return heat(frame, x, y, reference=reference, percent=percent, rows=estimates_order(frame, y), unit=unit, **options)


@chart(title="What do the variants change?", xlabel="difference")
def changes(
    frame: pd.DataFrame, *, percent: bool = False, x: str = "change", y: str = "of", **options: Unpack[Options]
) -> Axes:
    """Draw how far numbers differ from those of the base: a row a number and a column a variant, or the other way.

    Parameters
    ----------
    frame : DataFrame
        As `analysis.compare` gives it, one row a variant ``x`` and number ``y``: ``estimate, low, high, n, games``,
        ``verdict, margin_low, margin_high``. A single number is drawn with its margin instead.
    percent : bool
        Differences of shares, written as per cent.
    x, y : str
        Keys of the variants and of the numbers.
    **options
        Axes and texts; see `sushibalance.plots`.
    """
    need(frame, "frame", x, y)
    if len(values_of(frame[y])) <= 1:
        edges = frame[["margin_low", "margin_high"]].drop_duplicates().itertuples(index=False, name=None)
        margin = next(iter(edges), None)
        remark = "" if margin is None else "shaded: the margin"
        scale = Scale(low=None, percent=percent, reference=0.0, margin=margin)
        return dots(frame, x, scale, unit="rows", remark=remark, **options)
    across, down = (x, y) if len(values_of(frame[y])) > len(values_of(frame[x])) else (y, x)
    options["ylabel"], options["xlabel"] = options.get("ylabel", ""), ""
    remark = "white: no difference; orange: more than in the base, blue: less"
    least = 2 * max(frame["margin_high"].abs().max(), frame["margin_low"].abs().max())
    return heat(frame, across, down, reference=0.0, least=least, percent=percent, unit="rows", remark=remark, **options)


@chart(title="Does it hold whoever plays?")
def robustness(
    frame: pd.DataFrame, *, y: str, reference: float = 0.0, percent: bool = False, **options: Unpack[Options]
) -> Axes:
    """Draw a number in every group of policies and players, with its verdict: a column a group.

    Parameters
    ----------
    frame : DataFrame
        ``Robustness.cells`` of `analysis.robustness`, a row for each ``y`` and group: ``table, players``, ``estimate,
        low, high, n, games, verdict, margin_low, margin_high``.
    y : str
        Key of the rows: the change, the card.
    reference : float
        The value that is white: 0 for differences, 1 for win points and rates against chance.
    percent : bool
        Shares, written as per cent.
    **options
        Axes and texts; see `sushibalance.plots`.
    """
    need(frame, "frame", y, "table", "players", "margin_low", "margin_high")
    labels = options.get("labels")
    groups = frame[["table", "players"]].drop_duplicates().sort_values(["table", "players"])
    names = [f"{said(table, labels, 'table')} {players}" for table, players in groups.itertuples(index=False)]
    told = dict(zip(groups.itertuples(index=False, name=None), names, strict=True))
    of = [told[pair] for pair in zip(frame["table"], frame["players"], strict=True)]
    drawn = frame.assign(_group=pd.Categorical(of, names))
    drawn.attrs.update(frame.attrs)
    least = 2 * (frame[["margin_low", "margin_high"]] - reference).abs().to_numpy().max(initial=0.0)
    remark = "columns: policy and number of players"
    order = estimates_order(frame, y) if len(values_of(frame[y])) > FEW else None
    return heat(
        drawn, "_group", y, reference=reference, least=least, percent=percent, rows=order, unit="rows", remark=remark,
        **options,
    )  # fmt: skip
