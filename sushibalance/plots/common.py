"""Charts of questions that every game has."""

from __future__ import annotations

from typing import Unpack

import pandas as pd
from matplotlib.axes import Axes

from sushibalance.plots.chart import canvas, chart, fit, noted
from sushibalance.plots.marks import Scale, dots, estimates_order, shaded
from sushibalance.plots.texts import Options, rests_on, said, write
from sushibalance.stats.groups import need

# The parts of a bar: from dark to light, and with patterns, for grey printers.
SHADES = ("#0072B2", "#E69F00", "#404040", "#56B4E9", "#CFCFCF")
HATCHES = ("", "//", "", "..", "")
READABLE = 0.06  # a part must be so wide for its share to stand in it


@chart(title="How often does each player win?", xlabel="games won (a shared win counts in parts)")
def win_rates(frame: pd.DataFrame, *, y: str = "policy", hue: str | None = None, **options: Unpack[Options]) -> Axes:
    """Draw win rates by ``y`` and ``hue``, with the rate that would be fair as a line; from `analysis.win_rates.of`."""
    fair = frame["fair"].iloc[0] if len(frame) and frame["fair"].std(ddof=0) < 1e-12 else None
    remark = "line: all win equally often" if fair is not None else ""
    return dots(frame, y, Scale(percent=True, reference=fair), hue=hue, unit="players", remark=remark, **options)


@chart(title="How far from fair is each player?", xlabel="win points: wins, in times the fair share")
def win_points(
    frame: pd.DataFrame,
    *,
    y: str = "policy",
    hue: str | None = None,
    margin: tuple[float, float] | None = None,
    **options: Unpack[Options],
) -> Axes:
    """Draw win points by ``y`` and ``hue``, with the margin around 1; from `analysis.win_rates.win_points`.

    Verdicts on them show by their shapes.
    """
    remark = "line: fair" + ("" if margin is None else f"; {shaded(margin)}")
    scale = Scale(low=None, reference=1.0, margin=margin)
    return dots(frame, y, scale, hue=hue, unit="players", remark=remark, **options)


@chart(title="Which lie outside the margin?", xlabel="estimate")
def forest(
    frame: pd.DataFrame,
    *,
    y: str,
    margin: tuple[float, float] | None = None,
    reference: float | None = None,
    unit: str = "rows",
    **options: Unpack[Options],
) -> Axes:
    """Draw many estimates below each other, the highest on top, with the margin shaded and verdicts by their shapes.

    Parameters
    ----------
    frame : DataFrame
        A row for each value of ``y``: ``estimate, low, high, n, games``, and ``verdict`` where it comes from
        `stats.verdicts`.
    y : str
        Key of the rows.
    margin : (float, float), optional
        The lowest and highest value that do not matter.
    reference : float, optional
        A line to compare with.
    unit : str
        What ``n`` counts.
    **options
        Axes and texts; see `sushibalance.plots`.
    """
    remark = "" if margin is None else shaded(margin)
    scale = Scale(low=None, reference=reference, margin=margin)
    return dots(frame, y, scale, order=estimates_order(frame, y), unit=unit, remark=remark, **options)


@chart(title="How much of a game is luck?", xlabel="share of what makes players' results differ")
def luck(frame: pd.DataFrame, **options: Unpack[Options]) -> Axes:
    """Draw one bar, cut into the sources of the variance, each with its interval; from `analysis.luck.luck`.

    Parameters
    ----------
    frame : DataFrame
        ``source, estimate, low, high, n, games``; the estimates add up to 1.
    **options
        Axes and texts; see `sushibalance.plots`.
    """
    need(frame, "frame", "source", "estimate", "low", "high", "n", "games")
    labels = options.get("labels")
    with canvas(options) as ax:
        start, handles, names = 0.0, [], []
        looks = zip(frame.itertuples(), SHADES, HATCHES, strict=False)
        for row, shade, hatch in looks:
            (part,) = ax.barh(0, row.estimate, left=start, height=0.8, color=shade, hatch=hatch, edgecolor="white")
            if row.estimate >= READABLE:
                ax.text(
                    start + row.estimate / 2, 0, f"{100 * row.estimate:.0f}%", ha="center", va="center", fontsize=8.5,
                    bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"},
                )  # fmt: skip
            start += row.estimate
            handles.append(part)
            bounds = f"{100 * row.estimate:.1f}% [{100 * row.low:.1f}% to {100 * row.high:.1f}%]"
            names.append(f"{said(row.source, labels, 'source')} {bounds}")
        ax.set(xlim=(0, 1), ylim=(-0.5, 0.5), yticks=[])
        ax.xaxis.set_major_formatter(lambda value, _: f"{100 * value:g}%")
        ax.grid(visible=False)
        level = frame.attrs.get("level")
        rests = rests_on(frame, "results of players", "part", bars="in brackets: " if level else "")
        write(
            ax,
            title=options.get("title", ""),
            note=noted(options, rests),
            xlabel=options.get("xlabel", ""),
            ylabel=options.get("ylabel", ""),
            legend=(handles, names, said("source", labels)) if names else None,
        )
        fit(ax, options, 0.5)
    return ax
