"""Charts of Sushi Go!: where points come from, and what puddings decide."""

from __future__ import annotations

from typing import Unpack

import pandas as pd
from matplotlib.axes import Axes

from sushibalance.plots.chart import chart
from sushibalance.plots.heat import heat
from sushibalance.plots.marks import Scale, dots, estimates_order, lines, shaded, values_of
from sushibalance.plots.texts import Options
from sushibalance.stats.groups import need


@chart(title="Where do points come from?", xlabel="points of a player in a game")
def points_by_kind(frame: pd.DataFrame, *, hue: str | None = "policy", **options: Unpack[Options]) -> Axes:
    """Draw the mean points from each kind of card; from `analysis.points_by_kind.per_game`."""
    return dots(frame, "kind", Scale(low=None, reference=0.0), hue=hue, unit="players", **options)


@chart(title="Without pudding points, who would win?", xlabel="share of the games")
def pudding_decides(frame: pd.DataFrame, *, hue: str | None = None, **options: Unpack[Options]) -> Axes:
    """Draw how often pudding points make another winner; from `analysis.puddings.decide`."""
    return dots(frame, "outcome", Scale(high=1.0, percent=True), hue=hue, **options)


@chart(title="Do more puddings win more games?", xlabel="puddings collected in the game", ylabel="games won")
def wins_by_puddings(
    frame: pd.DataFrame,
    *,
    hue: str | None = None,
    fair: float | None = None,
    least: int = 50,
    **options: Unpack[Options],
) -> Axes:
    """Draw the win rate by the number of puddings collected; from `analysis.puddings.wins_by_count`.

    Parameters
    ----------
    frame : DataFrame
        A row for each number of puddings, and each value of ``hue``.
    hue : str, optional
        Key of the lines.
    fair : float, optional
        The rate if all won equally often, drawn as a line.
    least : int
        Numbers of puddings that fewer players have are left out.
    **options
        Axes and texts; see `sushibalance.plots`.
    """
    left_out = f"without numbers of puddings that fewer than {least} players have"
    if fair is not None:
        left_out += "; line: all win equally often"
    scale = Scale(percent=True, reference=fair)
    return lines(frame[frame["n"] >= least], "puddings", scale, hue=hue, unit="players", remark=left_out, **options)


@chart(title="Which cards are taken, against chance?", xlabel="times as often as by chance")
def draft_rates(
    frame: pd.DataFrame,
    *,
    y: str = "card",
    hue: str | None = None,
    margin: tuple[float, float] | None = None,
    **options: Unpack[Options],
) -> Axes:
    """Draw how many times as often as by chance each card is taken, the most wanted on top.

    From `analysis.draft_rates.against_chance` by ``y`` and ``hue``, or its verdicts; ``margin`` is shaded.
    """
    remark = "line: as often as by chance" + (f"; {shaded(margin)}" if margin else "")
    scale, order = Scale(reference=1.0, margin=margin), estimates_order(frame, y)
    return dots(frame, y, scale, hue=hue, order=order, unit="turns", remark=remark, **options)


@chart(title="When is each card wanted?", xlabel="turn of the round")
def draft_by_turn(frame: pd.DataFrame, *, y: str = "card", **options: Unpack[Options]) -> Axes:
    """Draw how many times as often as by chance each card is taken in each turn; from `draft_rates.against_chance`."""
    remark = "times as often as by chance; white: as by chance, orange: more, blue: less"
    order = estimates_order(frame, y)
    return heat(frame, "turn", y, reference=1.0, rows=order, unit="turns", remark=remark, **options)


@chart(title="How often does a misread rule change who wins?", xlabel="share of the games")
def misreadings(frame: pd.DataFrame, *, measure: str = "winners change", **options: Unpack[Options]) -> Axes:
    """Draw one ``measure`` for each misreading of the pudding rule; from `analysis.misreadings.puddings`."""
    need(frame, "frame", "rule", "choices", "measure")
    some = frame[frame["measure"] == measure]
    some = some.assign(choices=pd.Categorical(some["choices"], values_of(frame["choices"])))
    return dots(some, "rule", Scale(percent=True), hue="choices", **options)
