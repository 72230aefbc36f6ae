"""Charts of Sushi Otter: picks, hands, victory points."""

from __future__ import annotations

from typing import Unpack

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MultipleLocator

from sushibalance.plots.chart import canvas, chart, fit, noted
from sushibalance.plots.heat import heat
from sushibalance.plots.marks import Scale, dots, estimates_order, lines, shaded
from sushibalance.plots.names import name_points
from sushibalance.plots.style import COLOURS, QUIET
from sushibalance.plots.texts import Options, said, write
from sushibalance.stats.groups import need

ENDS = ("", "_low", "_high")  # of the columns of an estimate and its interval
PRICES = 3.6  # inches of the plot of prices


@chart(title="Which power-ups are taken, against chance?", xlabel="times as often as by chance")
def pick_rates(
    frame: pd.DataFrame,
    *,
    y: str = "power_up",
    hue: str | None = None,
    margin: tuple[float, float] | None = None,
    **options: Unpack[Options],
) -> Axes:
    """Draw how many times as often as by chance each power-up is taken, the most wanted on top.

    Parameters
    ----------
    frame : DataFrame
        From `analysis.pick_rates.against_chance`, or its verdicts: ``estimate, low, high, n, games, ceiling``.
    y, hue : str
        Keys of the rows (the card, its type) and, optional, of the colours (the policy).
    margin : (float, float), optional
        What does not matter, shaded.
    **options
        Axes and texts; see `sushibalance.plots`. ``labels`` names the cards.
    """
    most, remark = set(frame.get("ceiling", ())), "line: as often as by chance"
    ceiling = most.pop() if len(most) == 1 else None
    if margin is not None:
        remark += f"; {shaded(margin)}"
    if ceiling is not None:
        remark += f"; dotted: the most possible, {ceiling:g} times (always the first taken of {ceiling:g})"
    scale, order = Scale(reference=1.0, ceiling=ceiling, margin=margin), estimates_order(frame, y)
    return dots(frame, y, scale, hue=hue, order=order, unit="turns to pick", remark=remark, **options)


@chart(title="When is each type of power-up wanted?", xlabel="round", ylabel="times as often as by chance")
def picks_by_round(frame: pd.DataFrame, *, hue: str | None = "type", **options: Unpack[Options]) -> Axes:
    """Draw how many times as often as by chance power-ups are taken; from `analysis.pick_rates.against_chance`."""
    remark = "line: as often as by chance"
    return lines(frame, "round", Scale(reference=1.0), hue=hue, unit="turns to pick", remark=remark, **options)


@chart(title="Which Key Client cards are taken?", xlabel="games in which a player takes it")
def key_clients(frame: pd.DataFrame, *, hue: str | None = None, **options: Unpack[Options]) -> Axes:
    """Draw in how many games each Key Client card is taken, the most wanted on top; from `pick_rates.key_clients`."""
    order = estimates_order(frame, "key_client")
    reference = frame["estimate"].mean() if hue is None and len(frame) else None
    remark = "line: the mean of all cards" if reference is not None else ""
    scale = Scale(percent=True, reference=reference)
    return dots(frame, "key_client", scale, hue=hue, order=order, remark=remark, **options)


@chart(
    title="How often is each hand played?",
    xlabel="share of all reveals (from line to line: the same number of times as often)",
)
def hand_frequencies(frame: pd.DataFrame, *, hue: str | None = "policy", **options: Unpack[Options]) -> Axes:
    """Draw the share of each hand among the reveals, in powers of ten; from `analysis.hand_frequencies.in_play`."""
    never = "open triangle: never seen; at most that often, if a game counts as one try"
    remark = never if frame["estimate"].eq(0).any() else ""
    scale = Scale(high=1.0, percent=True, log=True)
    return dots(frame, "hand", scale, hue=hue, unit="reveals", remark=remark, **options)


@chart(title="Which hands are played in which round?", xlabel="round", ylabel="share of the reveals of the round")
def hands_by_round(frame: pd.DataFrame, *, most: int = 7, **options: Unpack[Options]) -> Axes:
    """Draw the share of the ``most`` frequent hands by round; from `analysis.hand_frequencies.in_play` by round."""
    kept = estimates_order(frame, "hand")[:most]
    drawn = frame[frame["hand"].isin(kept)]
    drawn = drawn.assign(hand=pd.Categorical(drawn["hand"].astype(str), kept))
    total = frame["hand"].nunique()
    remark = f"the {most} most frequent of {total} hands" if total > most else ""
    return lines(drawn, "round", Scale(percent=True), hue="hand", unit="reveals", remark=remark, **options)


@chart(title="How do victory points grow?", xlabel="after round", ylabel="VP of a player, on average")
def vp_curves(frame: pd.DataFrame, *, hue: str | None = None, **options: Unpack[Options]) -> Axes:
    """Draw the mean VP after each round by ``hue``; from `analysis.vp_curves.after_round`.

    A single line has the band in which most players are.
    """
    low, high = frame.attrs.get("band", (None, None))
    share = f"{100 * (high - low):.0f}% of players" if low is not None else "most players"
    remark = "" if hue else f"shaded: {share}"
    return lines(frame, "round", Scale(), hue=hue, band=hue is None, unit="players", remark=remark, **options)


@chart(title="Who is ahead, and by how much?", xlabel="after round", ylabel="VP above the table's mean")
def vp_ahead(frame: pd.DataFrame, *, hue: str = "policy", **options: Unpack[Options]) -> Axes:
    """Draw by how many VP groups of players are ahead of the table's mean; from `analysis.vp_curves.ahead`."""
    return lines(frame, "round", Scale(low=None, reference=0.0), hue=hue, unit="players", **options)


@chart(
    title="Is each hand worth its price?",
    xlabel="price: score, and VP at what they are worth in score",
    ylabel="sets of cards that can form it",
)
def price_against_rarity(frame: pd.DataFrame, **options: Unpack[Options]) -> Axes:
    """Draw how rare each hand is by what it pays, with the line of the basic hands.

    Parameters
    ----------
    frame : DataFrame
        From `analysis.hand_frequencies.price_against_rarity`: ``hand, new, price, rarity, expected``. It is exact, so
        there are no intervals.
    **options
        Axes and texts; see `sushibalance.plots`.
    """
    need(frame, "frame", "hand", "new", "price", "rarity", "expected")
    known = frame[frame["rarity"].notna()]
    with canvas(options) as ax:
        line = known.sort_values("price")
        ax.plot(line["price"], line["expected"], color=QUIET, linewidth=1, zorder=1)
        for new, marker, colour in ((False, "o", COLOURS[0]), (True, "s", COLOURS[1])):
            some = known[known["new"] == new]
            ax.plot(some["price"], some["rarity"], marker, color=colour, markersize=4.5, zorder=3)
        ax.margins(0.08, 0.08)
        ax.yaxis.set_major_formatter(lambda power, _: f"1 in {10**power:,.0f}" if power == round(power) >= 0 else "")
        ax.yaxis.set_major_locator(MultipleLocator(1))
        handles = [Line2D([], [], color=COLOURS[0], marker="o", linestyle="none", markersize=4.5),
                   Line2D([], [], color=COLOURS[1], marker="s", linestyle="none", markersize=4.5)]  # fmt: skip
        which = [("new", False), ("new", True)]
        names = [said(value, {("new", False): "basic", ("new", True): "new, costs a Key Client card as well",
                              **(options.get("labels") or {})}, column) for column, value in which]  # fmt: skip
        write(
            ax,
            title=options.get("title", ""),
            note=noted(
                options,
                f"exact, all sets of cards counted: {len(known)} of {len(frame)} hands have a rarity",
                "line: basic hands of that price; above it: pays little for how rare it is",
            ),
            xlabel=options.get("xlabel", ""),
            ylabel=options.get("ylabel", ""),
            legend=(handles, names, said("hand", options.get("labels"))) if known["new"].any() else None,
        )
        fit(ax, options, PRICES)
        figure = ax.get_figure(root=True)
        assert figure is not None
        figure.draw_without_rendering()  # names are placed in the final axes
        labels = [said(hand, options.get("labels"), "hand") for hand in known["hand"]]
        name_points(ax, list(zip(known["price"], known["rarity"], strict=True)), labels, 7.5)
    return ax


@chart(title="What is a place worth, round by round?", xlabel="after round", ylabel="place by VP")
def wins_by_place(frame: pd.DataFrame, **options: Unpack[Options]) -> Axes:
    """Draw how often a player in each place after each round goes on to win; from `analysis.leads.wins_by_place`."""
    return heat(frame, "round", "place", percent=True, unit="players", **options)


@chart(title="When is a game settled?", xlabel="after round", ylabel="games that are settled")
def settled(frame: pd.DataFrame, *, hue: str | None = None, **options: Unpack[Options]) -> Axes:
    """Draw in how many games the later winner leads from each round on; from `analysis.leads.settled`."""
    return lines(frame, "round", Scale(percent=True, high=1.0), hue=hue, **options)


@chart(
    title="What does a card do, and what only goes with it?",
    xlabel="VP at the end",
    labels={"cause": "given by lot, against a pick of one's own", "association": "who took it, against others"},
)
def association_against_cause(
    frame: pd.DataFrame, *, y: str = "card", most: int | None = None, least: int = 30, **options: Unpack[Options]
) -> Axes:
    """Draw two points a card: what it causes and what goes with it. The line between them is the selection bias.

    Parameters
    ----------
    frame : DataFrame
        From `analysis.card_values.card_values`, a row a card: ``over_pick``, ``association`` and their bounds,
        ``n, games, holders``.
    y : str
        Key of the rows, those that do most on top.
    most : int, optional
        Draw only so many rows, those with the longest lines.
    least : int
        What goes with a card that fewer players took is left out.
    **options
        Axes and texts; see `sushibalance.plots`.
    """
    points = {"cause": "over_pick", "association": "association"}
    need(frame, "frame", y, "n", "games", "holders", *(f"{name}{end}" for name in points.values() for end in ENDS))
    far = (frame["association"] - frame["over_pick"]).abs().where(frame["holders"] >= least)
    distance = far.sort_values(ascending=False, kind="stable")
    few = most is not None and len(frame) > most
    drawn = frame.loc[distance.index[:most].sort_values()] if few else frame
    parts = []
    for measured, name in points.items():
        bounds = {f"{name}{end}": to for end, to in zip(ENDS, ("estimate", "low", "high"), strict=True)}
        parts.append(drawn[[y, "n", "games", *bounds]].rename(columns=bounds).assign(measured=measured))
    both = pd.concat(parts, ignore_index=True)
    took = drawn["holders"]
    rare = both["measured"].eq("association") & ~pd.concat([took, took], ignore_index=True).ge(least)
    both = both.assign(measured=pd.Categorical(both["measured"], list(points)))[both["estimate"].notna() & ~rare]
    both.attrs.update(frame.attrs)
    many = f"{least:,} to {max(took.max(), least):,.0f}" if len(drawn) else "none"
    remark = f"who took it: {many} players of an ordinary run"
    if few:
        remark += f"\nthe {most} cards whose two points lie farthest apart"
    order = estimates_order(drawn[[y, "over_pick"]].rename(columns={"over_pick": "estimate"}), y)
    scale = Scale(low=None, reference=0.0)
    return dots(both, y, scale, hue="measured", order=order, joined=True, unit="picks", remark=remark, **options)


@chart(title="When is a card worth most?", xlabel="round of the pick")
def worth_by_round(frame: pd.DataFrame, *, y: str = "card", **options: Unpack[Options]) -> Axes:
    """Draw the worth of cards by the round in which they are given; rows of `analysis.card_values` by round."""
    return heat(frame, "round", y, reference=0.0, unit="picks", **options)
