"""Charts of Nightmares of Sushi: how games end, and which way players win."""

from __future__ import annotations

from typing import Unpack

import pandas as pd
from matplotlib.axes import Axes

from sushibalance.plots.chart import chart
from sushibalance.plots.marks import Scale, dots, lines
from sushibalance.plots.texts import Options


@chart(title="How often does the penalty victory end the game?", xlabel="players", ylabel="games that end by it")
def penalty_victories(frame: pd.DataFrame, *, hue: str | None = "table", **options: Unpack[Options]) -> Axes:
    """Draw how often the penalty victory ends the game, by players; from `analysis.victory_odds.penalty_victories`."""
    return lines(frame, "players", Scale(percent=True), hue=hue, **options)


@chart(title="How do games end?", xlabel="share of the games")
def endings(frame: pd.DataFrame, *, y: str = "table", **options: Unpack[Options]) -> Axes:
    """Draw the share of each ending in each group ``y``; from `analysis.victory_odds.endings`."""
    return dots(frame, y, Scale(percent=True), hue="ending", **options)


@chart(
    title="Which way does each player win?",
    xlabel="games won that way (a shared win counts in parts)",
    labels={"ended_by": "victory"},
)
def ways_to_win(frame: pd.DataFrame, *, y: str = "policy", **options: Unpack[Options]) -> Axes:
    """Draw how often players win by each victory; from `analysis.victory_odds.ways_to_win`."""
    return dots(frame, y, Scale(percent=True), hue="ended_by", unit="players", **options)
