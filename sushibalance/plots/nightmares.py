"""Charts of Nightmares of Sushi: how games end, and which way players win."""

from __future__ import annotations

from typing import Unpack

import pandas as pd
from matplotlib.axes import Axes

from sushibalance.plots.chart import chart
from sushibalance.plots.marks import Scale, dots, lines, shaded
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


@chart(title="By when has a game ended, and how?", xlabel="round", ylabel="games that have ended so by then")
def competing_risks(frame: pd.DataFrame, *, hue: str = "ending", **options: Unpack[Options]) -> Axes:
    """Draw how many games have ended by each round, a line an ending; from `analysis.victory_odds.incidence`."""
    return lines(frame, "round", Scale(high=1.0, percent=True), hue=hue, **options)


@chart(title="What does a card gain or cost?", xlabel="points more for its player (gold less penalty)")
def served_values(
    frame: pd.DataFrame, *, y: str = "card", margin: tuple[float, float] | None = None, **options: Unpack[Options]
) -> Axes:
    """Draw what each grade and ability does to its player, forced; rows of `analysis.served_values`, one a card.

    Verdicts show by their shapes, and ``margin`` is shaded.
    """
    scale = Scale(low=None, reference=0.0, margin=margin)
    remark = "line: as without the force" + (f"; {shaded(margin)}" if margin else "")
    return dots(frame, y, scale, unit="choices", remark=remark, **options)
