"""Charts of questions that every game has."""

from __future__ import annotations

from typing import Unpack

import pandas as pd
from matplotlib.axes import Axes

from sushibalance.plots.chart import chart
from sushibalance.plots.marks import Scale, dots, estimates_order
from sushibalance.plots.texts import Options


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
    remark = "line: fair" + ("" if margin is None else f"; shaded: the margin, {margin[0]:g} to {margin[1]:g}")
    scale = Scale(reference=1.0, margin=margin)
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
    remark = "" if margin is None else f"shaded: the margin, {margin[0]:g} to {margin[1]:g}"
    scale = Scale(low=None, reference=reference, margin=margin)
    return dots(frame, y, scale, order=estimates_order(frame, y), unit=unit, remark=remark, **options)
