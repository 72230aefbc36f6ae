"""Frames as plain sentences. Nothing here is written by hand: change a number and the sentence changes.

Each function takes a frame of `sushibalance.analysis` and returns HTML text, names escaped, every
number with its interval and n.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import pandas as pd

from sushibalance.analysis.saying import STEPS
from sushibalance.plots.texts import Labels, said
from sushibalance.reports.figures import count, mean, number, seldom, share, signed, whole


def name(value: Any, labels: Labels | None = None, column: str | None = None) -> str:
    """Return a name in bold, escaped."""
    return f"<b>{html.escape(said(value, labels, column), quote=False)}</b>"


def listed(parts: Iterable[str]) -> str:
    """Return ``a, b and c``."""
    parts = list(parts)
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1] if parts else "none"


def of(row: Any) -> str:
    """Return ``n = 2,000`` for a row, in one piece."""
    return f"n = {count(row.n)}".replace(" ", "&nbsp;")


def how_sure(frame: pd.DataFrame) -> str:
    """Return what the brackets mean."""
    level = frame.attrs.get("level", 0.95)
    return (
        f"In brackets: the {100 * level:g}% interval, in which the number would most likely settle with endless games. "
        "n: how many turns, reveals, players or games were counted."
    )


def picks(frame: pd.DataFrame, by: str = "card", labels: Labels | None = None, *, most: int = 3) -> str:
    """Return which power-ups are wanted and which are left, from `pick_rates.against_chance`."""
    if frame.empty:
        return "No power-up was on offer."
    above, below = int((frame["low"] > 1).sum()), int((frame["high"] < 1).sum())
    level = frame.attrs.get("level", 0.95)
    by_chance = (1 - level) * len(frame)
    order = frame.sort_values("estimate", ascending=False, kind="stable")

    def described(rows: pd.DataFrame) -> str:
        return listed(
            f"{name(getattr(row, by), labels, by)} {number(row, ' times')} ({of(row)} turns)"
            for row in rows.itertuples()
        )

    return (
        f"Of {len(frame)} different power-ups, {above} are taken more often than by chance, {below} less often, and "
        f"{len(frame) - above - below} cannot be told from chance (with so many intervals about {by_chance:.0f} miss "
        f"the truth). Most wanted: {described(order.head(most))}. Least wanted: {described(order.tail(most)[::-1])}. "
        f"More than {frame['ceiling'].max():g} times is impossible: that is a card always taken first of the "
        f"{frame['ceiling'].max():g} on offer. All this says what these players want, not what a card is worth."
    )


def worths(frame: pd.DataFrame, by: str = "card", labels: Labels | None = None, *, most: int = 3) -> str:
    """Return what is worth most to those who pick, from `pick_rates.worths` by card."""
    known = frame[frame["low"].notna()].sort_values("estimate", ascending=False, kind="stable").head(most)
    if known.empty:
        return "What each card is worth to those who pick has no bound: they always take one before another."
    parts = [
        f"{name(getattr(row, by), labels, by)} {share(_before(row))} ({of(row)} turns)" for row in known.itertuples()
    ]
    without = int(frame["low"].isna().sum())
    rest = f" {without} of {len(frame)} have no bound: always, or never, taken before others." if without else ""
    return (
        f"Worth most to those who pick, by how often it would be taken before the average card: {listed(parts)}. "
        "Worths are what all choices together fit best, as if each card were taken in proportion to its worth, "
        f"whatever lies beside it (Plackett and Luce's model).{rest}"
    )


def _before(row: Any) -> SimpleNamespace:
    """Return the chance that a card is taken before the average one, from its worth in times that of the average."""
    return SimpleNamespace(
        **{part: getattr(row, part) / (1 + getattr(row, part)) for part in ("estimate", "low", "high")}
    )


def drafts(frame: pd.DataFrame, labels: Labels | None = None, *, most: int = 3) -> str:
    """Return which cards are wanted and which are left, from `draft_rates.against_chance` by card."""
    order = frame.sort_values("estimate", ascending=False, kind="stable")

    def described(rows: pd.DataFrame) -> str:
        return listed(
            f"{name(row.card, labels)} {number(row, ' times')} ({of(row)} turns)" for row in rows.itertuples()
        )

    return (
        f"Most wanted of the {len(frame)} kinds of cards: {described(order.head(most))} as often as by chance. Least "
        f"wanted: {described(order.tail(most)[::-1])}. This says what these players want, not what a card is worth."
    )


def key_clients(frame: pd.DataFrame, labels: Labels | None = None, *, most: int = 3) -> str:
    """Return which Key Client cards are taken, from `pick_rates.key_clients` without keys."""
    if frame.empty:
        return "These rules have no Key Client cards."
    order = frame.sort_values("estimate", ascending=False, kind="stable")

    def described(rows: pd.DataFrame) -> str:
        return listed(f"{name(row.key_client, labels)} in {share(row)}" for row in rows.itertuples())

    return (
        f"Most wanted of the {len(frame)} Key Client cards: {described(order.head(most))} of the games. Least wanted: "
        f"{described(order.tail(most)[::-1])} ({of(frame.iloc[0])} games each)."
    )


def hands(frame: pd.DataFrame, by: str = "policy", labels: Labels | None = None) -> list[str]:
    """Return the hand that each group plays most, and the hands never seen, from `hand_frequencies.in_play`."""
    sentences = []
    for group, part in frame.groupby(by, observed=True, sort=True):
        top = part.loc[part["estimate"].idxmax()]
        sentences.append(
            f"{name(group, labels, by)} plays {name(top['hand'], labels)} most: {share(top)} of its reveals "
            f"({of(top)})."
        )
    sums = frame.groupby("hand", observed=True)[["estimate", "high"]].agg({"estimate": "sum", "high": "min"})
    never = sums[sums["estimate"] == 0]
    if len(never):
        rarest = listed(name(hand, labels) for hand in never.index)
        bound = f"by the intervals at most {100 * never['high'].max():.2g}% of reveals"
        sentences.append(f"Never played by anyone: {rarest} ({bound}, {of(frame.iloc[0])} each).")
    return sentences


def growth(frame: pd.DataFrame, bands: pd.DataFrame) -> str:
    """Return the VP after the first and last round, from `vp_curves.after_round` and `bands`, without keys."""
    first, last = frame.iloc[0], frame.iloc[-1]
    edges = [row for row in bands.itertuples() if row.round == last["round"]]
    low, high = edges[0], edges[-1]
    part = 100 * (high.quantile - low.quantile)
    return (
        f"After round {int(first['round'])} a player has {number(first, ' VP')} on average, after round "
        f"{int(last['round'])} {number(last, ' VP')} ({of(last)} players in {count(last['games'])} games). "
        f"At the end {part:.0f}% of players have {whole(low)} to {whole(high)} VP ({of(high)} players)."
    )


def ahead(frame: pd.DataFrame, by: str, labels: Labels | None = None) -> str:
    """Return who is ahead of the table's mean after the last round, from `vp_curves.ahead`."""
    last = frame[frame["round"] == frame["round"].max()]
    parts = [
        f"{name(getattr(row, by), labels, by)} {signed(row, ' VP')} ({of(row)})"
        for row in last.sort_values("estimate", ascending=False).itertuples()
    ]
    level = [name(getattr(row, by), labels, by) for row in last.itertuples() if not (row.low > 0 or row.high < 0)]
    text = f"At the end, against the table's mean: {listed(parts)}."
    if level and len(level) == len(last):
        return text + " None of these is a clear difference."
    return text + (f" No clear difference from 0: {listed(level)}." if level else "")


def leads(changes: pd.DataFrame, drama: pd.DataFrame, decisiveness: pd.DataFrame, comebacks: pd.DataFrame) -> str:
    """Return how open games are, from `leads.lead_changes`, `drama`, `decisiveness` without keys, and `comebacks`."""
    change, gap, part = (frame.iloc[0] for frame in (changes, drama, decisiveness))
    last = comebacks.iloc[-1]
    return (
        f"The lead changes {number(change, ' times')} in a game ({of(change)} games). Before the last round the later "
        f"winner is {number(gap, ' VP')} behind the leader on average ({of(gap)} rounds), and after round "
        f"{int(last['round'])} behind in {share(last)} of the games ({of(last)}). {share(part)} of the rounds are "
        f"still to come when all is settled ({of(part)} rounds)."
    )


def luck(frame: pd.DataFrame, labels: Labels | None = None) -> str:
    """Return where the differences between players' results come from, from `analysis.luck.luck`."""
    order = frame.sort_values("estimate", ascending=False, kind="stable")
    parts = [f"{name(row.source, labels, 'source')} {share(row)}" for row in order.itertuples()]
    return (
        f"Of all that makes players' results differ: {listed(parts)} ({of(frame.iloc[0])} results in "
        f"{count(frame['games'].iloc[0])} deals). Luck are the deal, that is all shuffles of a game, the seat, and "
        "choices, the lots that policies draw themselves. Policies, how one plays, are none. Interplay is both: cards "
        "or neighbours suit one policy and not another."
    )


def moved(change: Any) -> str:
    """Return how many differences of a number lie beyond their margins, and the farthest under each variant.

    ``change`` is a `reports.comparing.Change`.
    """
    known = change.frame[change.frame["estimate"].notna()]
    if known.empty:
        return f"{name(change.heading)}: nothing came up under both rule sets."
    beyond = int(known["verdict"].isin(["above", "below"]).sum())
    far = known.loc[known["estimate"].abs().groupby(known["change"], observed=True).idxmax()]
    unit = STEPS[change.unit_of]
    parts = [
        f"{name(row.change)}{'' if row.of == 'all' else f', {html.escape(row.of)},'} {signed(row, unit, change.scale)}"
        for row in far.itertuples()
    ]
    lie = "difference lies beyond its margin" if len(known) == 1 else "differences lie beyond their margins"
    low, high = count(far["games"].min()), count(far["games"].max())
    rests = f"n = {low if low == high else f'{low} to {high}'} {change.frame.attrs.get('unit', 'games')} each"
    return f"{name(change.heading)}: {beyond} of {len(known)} {lie}. Farthest under each: {listed(parts)} ({rests})."


def groups(cells: pd.DataFrame, by: str, unit_of: str, *, sign: bool = False) -> str:
    """Return where a number is highest and lowest among groups of players, from `Robustness.cells`.

    ``unit_of`` is its `Robustness.unit`; differences are written with their ``sign``.
    """
    known = cells[cells["estimate"].notna()]
    if known.empty:
        return "Nothing stands out: all are fine in every group."

    def told(at: Any) -> str:
        row = known.loc[at]
        shown = signed(row, STEPS[unit_of], 100.0 if unit_of == "share" else 1.0) if sign else number(row)
        who = f"{html.escape(said(row['table']))}, {row['players']} players"
        return f"{name(row[by])} {shown} with {who} (n = {count(row['games'])} games)"

    return f"Highest: {told(known['estimate'].idxmax())}. Lowest: {told(known['estimate'].idxmin())}."


def by_round(frame: pd.DataFrame) -> str:
    """Return what the card that is worth most is worth early and late, from `reports.values.by_round`."""
    if frame.empty:
        return "There are no rounds to tell apart."
    rows = frame[frame["card"] == frame["card"].iloc[0]]
    first, last = rows.iloc[0], rows.iloc[-1]
    return (
        f"{name(first['card'])}: {number(first, ' VP')} if it comes in round {first['round']}, {number(last, ' VP')} "
        f"in round {last['round']} ({of(first)} and {of(last)} pairs of games)."
    )


def bias(frame: pd.DataFrame, *, most: int = 2, least: int = 30) -> str:
    """Return for which cards what goes with them is farthest from what they do, from `reports.values.a_card`.

    Cards that fewer than ``least`` players took are left out, as from the chart (`plots.association_against_cause`).
    """
    known = frame[frame["gap_low"].notna() & (frame["holders"] >= least)]
    far = known.loc[known["gap"].abs().sort_values(ascending=False, kind="stable").index[:most]]
    if far.empty:
        return "No card was taken often enough to tell what goes with it."

    def told(row: Any, column: str) -> str:
        parts = zip(("estimate", "low", "high"), ("", "_low", "_high"), strict=True)
        return signed(SimpleNamespace(**{part: row[f"{column}{end}"] for part, end in parts}), " VP")

    parts = [
        f"{name(row['card'])}: who took it ends {told(row, 'association')} against the others (n = "
        f"{row['holders']:,} players), given by lot it does {told(row, 'over_pick')} ({of(row)} pairs of games)"
        for _, row in far.iterrows()
    ]
    return f"Farthest apart: {'; '.join(parts)}."


def checks(frame: pd.DataFrame, limit: float = 4.0) -> str:
    """Return whether simulated frequencies are those that can be calculated, from `analysis.checks.checks`."""
    judged = frame[frame["z"].notna()]
    if judged.empty:
        return "Nothing of these rules can be calculated and checked."
    far = judged.loc[judged["z"].abs().idxmax()]
    wrong = int((judged["z"].abs() > limit).sum())
    found = "all are what they must be" if not wrong else f"<b>{wrong} are not what they must be</b>"
    chance = -math.expm1(len(judged) * math.log1p(-math.erfc(abs(far["z"]) / math.sqrt(2)))) if far["z"] else 1.0
    return (
        f"{count(len(judged))} frequencies that can be calculated were held against {count(frame['games'].max())} "
        f"games of random players: {found} (farthest off: {html.escape(str(far['what']))}, "
        f"{html.escape(str(far['case']))}, by {abs(far['z']):.1f} standard errors: of {count(len(judged))} sound ones "
        f"chance alone puts one so far off in {seldom(chance)} of all runs; more than {limit:g} would be an error)."
    )


def misreadings(frame: pd.DataFrame) -> list[str]:
    """Return how often each misreading of the pudding rule changes who wins, from `analysis.misreadings.puddings`."""
    sentences = []
    for rule, part in frame.groupby("rule", observed=True, sort=True):
        change, moved = (part[part["measure"] == measure] for measure in ("winners change", "points moved"))
        told = [f"{share(row)} with choices {html.escape(said(row.choices))}" for row in change.itertuples()]
        by = [f"{mean(row)} points" for row in moved.itertuples()]
        sentences.append(
            f"{name(rule)}: not the same players win in {listed(told)}; a player's score moves by {listed(by)} "
            f"({of(change.iloc[0])} games)."
        )
    return sentences


def wins(frame: pd.DataFrame, by: str = "policy", labels: Labels | None = None) -> str:
    """Return who wins more and who less than is fair, from `win_rates.of`."""
    kinds: dict[str, list[str]] = {"more": [], "less": [], "same": []}
    for row in frame.sort_values("estimate", ascending=False).itertuples():
        kind = "more" if row.low > row.fair + 1e-9 else "less" if row.high < row.fair - 1e-9 else "same"
        kinds[kind].append(f"{name(getattr(row, by), labels, by)} {share(row)} ({of(row)})")
    fair = f"{100 * frame['fair'].mean():.3g}%"
    sentences = [f"If all won equally often, it would be {fair}."]
    if kinds["more"]:
        sentences.append(f"More than that: {listed(kinds['more'])}.")
    if kinds["less"]:
        sentences.append(f"Less: {listed(kinds['less'])}.")
    if kinds["same"]:
        sentences.append(f"No clear difference from it: {listed(kinds['same'])}.")
    return " ".join(sentences)


def match_ups(frame: pd.DataFrame, labels: Labels | None = None) -> list[str]:
    """Return against which table each policy does best and worst, from `opponents.match_ups`."""
    sentences = []
    for policy, part in frame.groupby("policy", observed=True, sort=False):
        best, worst = part.loc[part["estimate"].idxmax()], part.loc[part["estimate"].idxmin()]
        told = f"{number(best)} win points against {name(best['rivals'], labels)}"
        if len(part) > 1:
            told = f"best {told}, worst {number(worst)} against {name(worst['rivals'], labels)}"
        side = "more" if (part["low"] > 1).all() else "less" if (part["high"] < 1).all() else ""
        share = f": {side} than its fair share against every other" if side else ""
        sentences.append(f"{name(policy, labels)}: {told} ({of(best)} games each){share}.")
    return sentences


def penalty_victories(frame: pd.DataFrame, by: str = "table", labels: Labels | None = None) -> list[str]:
    """Return how the penalty victory fares at each table, from `victory_odds.penalty_victories`."""
    sentences = []
    for group, part in frame.groupby(by, observed=True, sort=True):
        most, least = part.loc[part["estimate"].idxmax()], part.loc[part["estimate"].idxmin()]
        if most["estimate"] == 0:
            bound = f"{100 * part['high'].max():.2g}%"
            sentences.append(
                f"{name(group, labels, by)}: never (by the intervals at most {bound}, {of(most)} games each)."
            )
            continue
        text = f"{name(group, labels, by)}: {share(most)} of games with {int(most['players'])} players"
        if len(part) > 1:
            text += f", {share(least)} with {int(least['players'])}"
        sentences.append(f"{text} ({of(most)} games each).")
    return sentences


def endings(frame: pd.DataFrame, group: Any, labels: Labels | None = None) -> str:
    """Return how the games of one group end, from its rows of `victory_odds.endings`."""
    rows = frame[frame["estimate"] > 0].sort_values("estimate", ascending=False)
    parts = [f"{html.escape(said(row.ending, labels))} {share(row)}" for row in rows.itertuples()]
    return f"{name(group, labels)}: {listed(parts)} ({of(frame.iloc[0])} games)."


def kinds(frame: pd.DataFrame, by: str = "policy", labels: Labels | None = None, *, most: int = 2) -> list[str]:
    """Return where points come from, from `points_by_kind.per_game`."""
    sentences = []
    for group, part in frame.groupby(by, observed=True, sort=True):
        top = part.sort_values("estimate", ascending=False)
        parts = [f"{name(row.kind, labels)} {mean(row)}" for row in top.head(most).itertuples()]
        last = top.iloc[-1]
        sentences.append(
            f"{name(group, labels, by)}: most points from {listed(parts)}, least from "
            f"{name(last['kind'], labels)} {mean(last)} ({of(last)} players)."
        )
    return sentences


def pudding_decides(frame: pd.DataFrame, by: str = "table", labels: Labels | None = None) -> list[str]:
    """Return how often pudding points make another winner, from `puddings.decide`."""
    sentences = []
    for group, part in frame.groupby(by, observed=True, sort=True):
        rows = part.set_index("outcome")
        other, tie = rows.loc["other winners"], rows.loc["tie made or broken"]
        sentences.append(
            f"{name(group, labels, by)}: without pudding points other players would have won {share(other)} of the "
            f"games; in {share(tie)} more they make or break a tie ({of(other)} games)."
        )
    return sentences


def wins_by_puddings(frame: pd.DataFrame, group: Any, labels: Labels | None = None, *, least: int = 50) -> str:
    """Return which number of puddings goes with most wins, from a group's rows of `puddings.wins_by_count`."""
    known = frame[frame["n"] >= least]
    if len(known) < 2:
        return f"{name(group, labels)}: too few players with the same number of puddings (fewer than {least})."
    most, fewest = known.loc[known["estimate"].idxmax()], known.loc[known["estimate"].idxmin()]

    def counted(row: pd.Series) -> str:
        puddings = int(row["puddings"])
        return f"{puddings} pudding" + ("" if puddings == 1 else "s")

    return (
        f"{name(group, labels)}: most wins go with {counted(most)}, {share(most)} ({of(most)} "
        f"players), fewest with {counted(fewest)}, {share(fewest)} ({of(fewest)})."
    )
