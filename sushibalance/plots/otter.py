"""Charts of Sushi Otter: picks, hands, victory points."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from sushibalance.plots.marks import dots, lines
from sushibalance.plots.style import Labels, heading, percent, rests_on, styled


@styled
def pick_rates(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    y: str = "power_up",
    hue: str | None = None,
    title: str = "Which power-ups are taken, against chance?",
    xlabel: str = "times as often as by chance",
    ylabel: str = "",
    note: str | None = None,
    labels: Labels | None = None,
) -> Axes:
    """Draw how many times as often as by chance each power-up is taken, the most wanted on top.

    Parameters
    ----------
    frame : DataFrame
        From `analysis.pick_rates.against_chance`: ``power_up, estimate, low, high, n, games``.
    ax : Axes, optional
        Where to draw.
    y, hue : str
        Keys of the rows (the card, its type) and, optional, of the colours (the policy).
    title, xlabel, ylabel, note, labels
        Texts; see `sushibalance.plots`. ``labels`` names the cards.
    """
    order = list(frame.groupby(y, observed=True)["estimate"].mean().sort_values(ascending=False).index)
    many = len(order) > 20
    height = 0.178 if many and hue is None else None
    ax = dots(frame, y, hue=hue, ax=ax, order=order, labels=labels, reference=1.0, row_height=height)
    if many:
        ax.tick_params(axis="y", labelsize=8)
    ax.set_xlim(left=0)
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    heading(ax, title, rests_on(frame, "turns to pick", each="row") if note is None else note)
    return ax


@styled
def picks_by_round(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    hue: str | None = "type",
    title: str = "When is each type of power-up wanted?",
    xlabel: str = "round",
    ylabel: str = "times as often as by chance",
    note: str | None = None,
    labels: Labels | None = None,
) -> Axes:
    """Draw how many times as often as by chance power-ups are taken, round by round.

    Parameters
    ----------
    frame : DataFrame
        From `analysis.pick_rates.against_chance` by ``hue`` and ``round``.
    ax : Axes, optional
        Where to draw.
    hue : str, optional
        Key of the lines.
    title, xlabel, ylabel, note, labels
        Texts; see `sushibalance.plots`.
    """
    ax = lines(frame, "round", hue=hue, ax=ax, labels=labels, reference=1.0)
    ax.set_ylim(bottom=0)
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    heading(ax, title, rests_on(frame, "turns to pick") if note is None else note)
    return ax


@styled
def hand_frequencies(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    hue: str | None = "policy",
    title: str = "How often is each hand played?",
    xlabel: str = "share of all reveals (each step to the right: ten times as often)",
    ylabel: str = "",
    note: str | None = None,
    labels: Labels | None = None,
    least: float = 1e-4,
) -> Axes:
    """Draw the share of each hand among the reveals, on a scale of powers of ten.

    Parameters
    ----------
    frame : DataFrame
        From `analysis.hand_frequencies.in_play`: ``hand, estimate, low, high, n, games`` and ``hue``.
    ax : Axes, optional
        Where to draw.
    hue : str, optional
        Key of the colours.
    title, xlabel, ylabel, note, labels
        Texts; see `sushibalance.plots`.
    least : float
        The left edge. A hand never seen has a bar without a dot.
    """
    drawn = frame.assign(
        estimate=frame["estimate"].where(frame["estimate"] >= least), low=frame["low"].clip(lower=least * 0.7)
    )
    ax = dots(drawn[drawn["high"] >= least], "hand", hue=hue, ax=ax, labels=labels, order=list(_hands(frame)))
    ax.set_xscale("log")
    ax.set_xlim(least, 1.0)
    ax.xaxis.set_major_formatter(lambda value, _: f"{100 * value:g}%")
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    heading(ax, title, rests_on(frame, "reveals") if note is None else note)
    return ax


def _hands(frame: pd.DataFrame) -> list[str]:
    return list(frame["hand"].cat.categories) if hasattr(frame["hand"], "cat") else sorted(frame["hand"].unique())


@styled
def hands_by_round(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    most: int = 7,
    title: str = "Which hands are played in which round?",
    xlabel: str = "round",
    ylabel: str = "share of the reveals of the round",
    note: str | None = None,
    labels: Labels | None = None,
) -> Axes:
    """Draw the share of the most frequent hands over the rounds.

    Parameters
    ----------
    frame : DataFrame
        From `analysis.hand_frequencies.in_play` by ``round``.
    ax : Axes, optional
        Where to draw.
    most : int
        How many hands to draw.
    title, xlabel, ylabel, note, labels
        Texts; see `sushibalance.plots`.
    """
    mean = frame.groupby("hand", observed=True)["estimate"].mean().sort_values(ascending=False)
    kept = list(mean.index[:most])
    drawn = frame[frame["hand"].isin(kept)]
    drawn = drawn.assign(hand=pd.Categorical(drawn["hand"].astype(str), kept))
    ax = lines(drawn, "round", hue="hand", ax=ax, labels=labels)
    ax.yaxis.set_major_formatter(percent())
    ax.set_ylim(bottom=0)
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    heading(ax, title, rests_on(frame, "reveals") if note is None else note)
    return ax


@styled
def vp_curves(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    hue: str | None = None,
    title: str = "How do victory points grow?",
    xlabel: str = "after round",
    ylabel: str = "VP of a player",
    note: str | None = None,
    labels: Labels | None = None,
) -> Axes:
    """Draw the mean VP after each round, and the band in which most players are.

    Parameters
    ----------
    frame : DataFrame
        From `analysis.vp_curves.after_round`.
    ax : Axes, optional
        Where to draw.
    hue : str, optional
        Key of the lines (``"policy"``, ``"distance"``).
    title, xlabel, ylabel, note, labels
        Texts; see `sushibalance.plots`.
    """
    ax = lines(frame, "round", hue=hue, ax=ax, labels=labels, band=True)
    ax.set_ylim(bottom=0)
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    if note is None:
        low, high = frame.attrs.get("band", (None, None))
        share = f"{100 * (high - low):.0f}% of players" if low is not None else "most players"
        drawn = "between the thin lines" if hue else "shaded"
        note = f"{rests_on(frame, 'players')}\n{drawn}: {share}"
    heading(ax, title, note)
    return ax


@styled
def vp_ahead(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    hue: str = "policy",
    title: str = "Who is ahead, and by how much?",
    xlabel: str = "after round",
    ylabel: str = "VP above the table's mean",
    note: str | None = None,
    labels: Labels | None = None,
) -> Axes:
    """Draw by how many VP groups of players are ahead of the table's mean.

    Parameters
    ----------
    frame : DataFrame
        From `analysis.vp_curves.ahead`.
    ax : Axes, optional
        Where to draw.
    hue : str
        Key of the lines (``"policy"``, ``"distance"``).
    title, xlabel, ylabel, note, labels
        Texts; see `sushibalance.plots`.
    """
    ax = lines(frame, "round", hue=hue, ax=ax, labels=labels, reference=0.0)
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    heading(ax, title, rests_on(frame, "players") if note is None else note)
    return ax
