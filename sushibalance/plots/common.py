"""Charts of questions that every game has."""

from __future__ import annotations

from typing import Unpack

import pandas as pd
from matplotlib.axes import Axes

from sushibalance.plots.marks import Scale, dots
from sushibalance.plots.texts import Options, texts


def win_rates(frame: pd.DataFrame, *, y: str = "policy", hue: str | None = None, **options: Unpack[Options]) -> Axes:
    """Draw win rates, with the rate that would be fair as a line.

    Parameters
    ----------
    frame : DataFrame
        From `analysis.win_rates.of`: the keys, ``estimate, low, high, n, games, fair``.
    y, hue : str
        Key of the rows, and of the colours.
    **options
        Axes and texts; see `sushibalance.plots`.
    """
    fair = frame["fair"].iloc[0] if len(frame) and frame["fair"].std(ddof=0) < 1e-12 else None
    own = texts(
        options,
        title="How often does each player win?",
        xlabel="games won (a shared win counts in parts)",
    )
    remark = "line: all win equally often" if fair is not None else ""
    return dots(frame, y, Scale(percent=True, reference=fair), hue=hue, unit="players", remark=remark, **own)
