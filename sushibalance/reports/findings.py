"""What a designer can act on, in plain words: each finding with its interval, its n and its verdict.

Nothing here is written by hand about any game: the words follow from a frame of verdicts (`stats.verdicts`).
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sushibalance.analysis.saying import Said
from sushibalance.games.registry import engine
from sushibalance.plots.style import VERDICTS
from sushibalance.plots.texts import Labels, said
from sushibalance.reports.figures import count, fixed, number, share, signed
from sushibalance.reports.levers import IDLE, Levers, seated, sets, source
from sushibalance.reports.sentences import listed, name

FEW = 6  # so many are all named
KEYS = 6  # so many keys of a variant are named
CHANGED = 3  # so many numbers are told first that tell of what a variant changes
FAR = 10_000_000  # more games than most will play to settle one verdict
# What is beyond its margin, in the words of `stats.verdicts` and `analysis.robustness`; what nobody knows yet.
BEYOND, OPEN = {"above", "below", "too strong", "too weak", "moves"}, {"undecided"}
# What a verdict of all groups together says of them.
GROUPS = {"too strong": "above", "too weak": "below", "fine": "inside", "holds": "inside", "undecided": "undecided"}
# A policy that wins too often or too rarely, in a finding about policies.
POLICIES = (
    "A policy is a way to play, not a rule: who plays so wins more or less than the others at this table. That good "
    "play beats bad is as it should be; change the rules only if this way to play should not pay, or should pay more."
)


class Finding(str):
    """A finding as HTML.

    Attributes
    ----------
    state : str
        ``"act"`` when something is beyond its margin, else ``"open"`` when something is undecided, else ``"fine"``.
    """

    state: str

    def __new__(cls, text: str, verdicts: Iterable[Any] = ()) -> Finding:
        """Return the text with the state that follows from its verdicts."""
        finding, seen = super().__new__(cls, text), set(map(str, verdicts))
        finding.state = "act" if seen & BEYOND else "open" if seen & OPEN else "fine"
        return finding


def judged(
    frame: pd.DataFrame,
    by: str | Sequence[str],
    about: str,
    margin: tuple[float, float] | None = None,
    *,
    above: str = "too strong",
    below: str = "too weak",
    inside: str = "as it should be",
    unit: str = "",
    percent: bool = False,
    sign: bool = False,
    rows: str = "players",
    labels: Labels | None = None,
    most: int = 3,
    lever: Levers | None = None,
    means: str = "",
) -> Finding:
    """Return which of a set lie above, below and inside their margin, and which are undecided.

    Up to `FEW` are all named, of more the ``most`` that lie farthest out.

    Parameters
    ----------
    frame : DataFrame
        Verdicts: the keys, ``estimate, low, high, n, games, verdict, needed``.
    by : str or sequence of str
        Which column names the members of the set.
    about : str
        What is judged, the beginning of the sentence.
    margin : (float, float), optional
        Where it is the same for all.
    above, below, inside : str
        What the verdict means here.
    unit, percent, sign : str, bool, bool
        How an estimate is written.
    rows : str
        What ``n`` counts.
    labels : mapping, optional
        What to write for a member.
    most : int
        How many of a large set are named.
    lever : Levers, optional
        Where in the rule file to act on those that lie above or below.
    means : str
        What it means for the game that some do.
    """
    keys = [by] if isinstance(by, str) else list(by)
    if frame.empty:
        return Finding(f"<b>{_text(about)}</b>: there are none.")
    written, lines = _writer(unit, percent, sign), []
    shown_of = {
        verdict: every if len(frame) <= FEW else every.head(most)
        for verdict in ("above", "below", "inside", "undecided")
        for every in [_outermost(frame[frame["verdict"] == verdict], verdict)]
    }
    tip = lever is not None and not lever.opposed(*(shown_of[verdict][keys[-1]] for verdict in ("above", "below")))
    for verdict, meaning in (("above", above), ("below", below), ("inside", inside), ("undecided", "")):
        some = frame[frame["verdict"] == verdict]
        if some.empty:
            continue
        shown = shown_of[verdict]
        each = [f"{_name(row, keys, labels)} {written(row)}" + _needed(row, verdict) for _, row in shown.iterrows()]
        rest = len(some) - len(shown)
        what = ", ".join(filter(None, (_edge(verdict, margin, percent), _text(meaning))))
        number_of = f", {len(some)} of {len(frame)}" if len(frame) > FEW else ""
        named = f"{', '.join(each)} and {rest} more" if rest else listed(each)
        lines.append(f"{mark(verdict)}{f' {what}' if what else ''}{number_of}: {named}.")
        if lever and verdict in BEYOND:
            nearest = _outermost(some, verdict).iloc[-1]  # the table that a small step changes first
            row = [nearest[key] for key in keys]
            idle = list(shown.loc[shown["estimate"] < IDLE * margin[0], keys[-1]]) if margin and margin[0] > 0 else []
            if where := lever.said(list(shown[keys[-1]]), verdict, row=row, idle=idle, tip=tip):
                lines.append(where)
    if means and BEYOND & set(frame["verdict"]):
        lines.append(_text(means))
    return Finding(verdict_lines(about, lines, _rests_on(frame, rows)), frame["verdict"])


def verdict_lines(about: str, lines: Sequence[str], rests: str, kind: str = "verdicts") -> str:
    """Return a finding: what is judged, then its lines."""
    each = "".join(f"<li>{line}</li>" for line in lines)
    return f"<b>{_text(about)}</b> <span class='about'>({rests})</span><ul class='{kind}'>{each}</ul>"


def mark(verdict: str) -> str:
    """Return the sign and the name of a verdict."""
    return f"<b class='verdict'>{VERDICTS[verdict].letter}&nbsp;{verdict}</b>"


def how_to_read(level: float = 0.95) -> str:
    """Return what the brackets and the verdicts mean."""
    return (
        "In brackets: the interval, in which the number would most likely settle with endless games. "
        f"{mark('inside')}: all of it lies within the margin that does not matter. {mark('above')}, {mark('below')}: "
        f"all of it lies beyond. {mark('undecided')}: it crosses the edge, and more games would tell. Of the verdicts "
        f"of one finding at most {100 * (1 - level):.3g}% are wrong on average: where many numbers are judged "
        "together, their intervals are wider for that, and charts and tables name the level. Over several groups "
        "of players: too strong is what is above in any group, too weak what is below in all; a change moves a number "
        "when it does so in any group, and holds when it is inside in all."
    )


def around_mean(margin: tuple[float, float], off: float, unit: str = "VP") -> str:
    """Return what the margin of a card's worth is, from `reports.values.worths`."""
    low, high = margin
    return (
        f"Cards are held against each other: the margin of a worth, {low:.3g} to {high:.3g} {unit}, is the mean worth "
        f"of all cards, {(low + high) / 2:.3g}, and <code>off</code>, {off:g} {unit}, down and up from it."
    )


def changes(found: Any, *, most: int = 4) -> list[Finding]:
    """Return what each variant changes, from `analysis.compare`: a finding for each.

    First what tells of the values that were changed, then the ``most`` differences that lie farthest beyond their
    margins, with intervals and verdicts.
    """
    table, every, told, named = found.table(), found.sentences(most=most)[1:], [], found.named()
    for variant, rules in found.variants.items():
        of_it = (table["change"].astype(str) == variant).to_numpy()
        rows, telling = table[of_it], of_it & (named > 0) & table["estimate"].notna().to_numpy()
        words = Said(rows, found.unit)
        marked = {words.row(row): _marked(row, words) for row in rows[rows["estimate"].notna()].itertuples()}
        nearest = table[telling].iloc[np.argsort(named[telling], kind="stable")[:CHANGED]]
        first = [words.row(row) for row in nearest.itertuples()]
        of = [line for line in every if line.startswith(f"{variant}: ")]
        every = [line for line in every if line not in of]
        lines = [line.removeprefix(f"{variant}: ") for line in of]
        lines = list(dict.fromkeys([*first, *lines]))
        lines = [marked.get(line, _text(line[:1].upper() + line[1:])) for line in lines]
        about = variant if "=" in variant else said(variant)
        about += f" ({rules.description.rstrip('.')})" if rules.description else ""
        lines.append(_rules_of(rules, found))
        told.append(Finding(verdict_lines(about, lines, _games_of(found)), rows["verdict"]))
    return told + [Finding(_text(line)) for line in every]


def _marked(row: Any, words: Said) -> str:
    """Return a difference in `Comparison.table` after the sign of its verdict."""
    what = f"{row.name}, {row.of}" if row.of else row.name
    more = words.verdict(row).partition(": ")[2] if row.verdict == "undecided" else ""
    text = f"{mark(row.verdict)} {Said.edge(row)}, {_text(what)}: {_text(Said.change(row))}"
    return text + (f"; {_text(more)}." if more else ".")


def _games_of(found: Any) -> str:
    """Return what a comparison rests on: ``"5,000 deals, each played 4 times: 20,000 games"``."""
    if found.rotations == 1:
        return f"{count(found.games)} {found.unit}"
    every = count(found.games * found.rotations)
    return f"{count(found.games)} {found.unit}, each played {found.rotations} times as seats rotate: {every} games"


def _rules_of(rules: Any, found: Any) -> str:
    """Return which keys a variant changes, and the command that compares it alone in the same games."""
    keys = [key for key, *_ in rules.differences(found.base)]
    codes = ", ".join(f"<code>{_text(key)}</code>" for key in keys[:KEYS])
    more = f" and {len(keys) - KEYS} more" if len(keys) > KEYS else ""
    text = f"In the rule file: {codes or 'nothing'}{more}."
    own, under = source(rules), source(found.base)
    table = seated(engine(found.base.game), found.policies)
    short = own if own.endswith((".toml", ".toml'")) else own.partition("/")[2] or own
    which = f"--variant {short}" if own else sets(rules, found.base)
    if not keys or not which or not under or table is None:
        return text
    margins = [f"--margin {name}={low:g}..{high:g}" for name, (low, high) in found.margins().items()]
    seed = [f"--seed {found.seed}"] * (found.seed != 0)
    command = " ".join(["sushibalance compare", under, which, *table, f"-n {found.games}", *seed, *margins, "--all"])
    return f"{text} To see every number of these games: <code>{_text(command)}</code>"


def robust(found: Any, about: str, *, most: int = 4, lever: Levers | None = None) -> Finding:
    """Return whose verdicts hold in every group of policies and players, from `analysis.robustness`."""
    _, *lines = found.sentences(most=most)
    groups = found.cells[["table", "players"]].drop_duplicates()
    low, high = count(found.cells["games"].min()), count(found.cells["games"].max())
    number_of = f"{len(groups)} group{'s' * (len(groups) > 1)}"
    rests = f"{number_of} of policies and players, {low if low == high else f'{low} to {high}'} games each"
    signs = {f"{verdict}:": f"{VERDICTS[sign].letter}&nbsp;" for verdict, sign in GROUPS.items()}
    told = [next((sign for start, sign in signs.items() if line.startswith(start)), "") + _text(line) for line in lines]
    for verdict, end in (("too strong", "highest"), ("too weak", "lowest")):
        members = found.summary[found.summary["verdict"].astype(str) == verdict]
        members = members.sort_values(end, ascending=end == "lowest", kind="stable").head(most)
        if not lever or members.empty:
            continue
        first = (found.cells[list(found.keys)] == members[list(found.keys)].iloc[0]).all(axis=1)
        cell = _outermost(found.cells[first], GROUPS[verdict]).iloc[0]  # the group that tells it most clearly
        where = lever.said(list(members[found.keys[-1]]), GROUPS[verdict], row=[cell["table"], cell["players"]])
        if where:
            told.append(f"Of those {verdict}: {where[0].lower()}{where[1:]}")
    return Finding(verdict_lines(about, told, rests, "changes"), found.summary["verdict"])


def forced(worth: pd.DataFrame, ordinary: int, seed: int) -> str:
    """Return how worths were found, from the verdicts on them."""
    low, high = count(worth["games"].min()), count(worth["games"].max())
    pairs = low if low == high else f"{low} to {high}"
    text = (
        f"{len(worth)} cards, each in {pairs} pairs of games of the same shuffles: with the card given at a pick that "
        "is drawn by lot, and with nothing in its place. Power-ups that are alike are one card."
    )
    return text + (f" Beside it an ordinary run of {count(ordinary)} games." if ordinary else "") + f" Seed {seed}."


def prices(frame: pd.DataFrame, times: float, labels: Labels | None = None, *, lever: Levers | None = None) -> Finding:
    """Return which hands pay little or much for how rare they are, from `hand_frequencies.price_against_rarity`.

    ``times`` as rare as the line through the basic hands is the margin, up and down.
    """
    known = frame[frame["residual"].notna()].assign(times=lambda hands: 10.0 ** hands["residual"].abs())
    if known.empty:
        return Finding("The rules have too few hands to hold their prices against each other.")
    parts, seen = [], []
    for verdict, meaning, some in (
        ("above", "pays little for how rare it is", known[(known["residual"] > 0) & (known["times"] > times)]),
        ("below", "pays much for how common it is", known[(known["residual"] < 0) & (known["times"] > times)]),
        ("inside", "priced like the others", known[known["times"] <= times]),
    ):
        if some.empty:
            continue
        sure, how = some.sort_values("times", ascending=False), "rare" if verdict == "above" else "common"
        each = [
            name(row.hand, labels, "hand")
            + (
                ""
                if verdict == "inside"
                else f" for {row.price:.3g} ({fixed(row.times, 1)} times as {how}{_fits(row)})"
            )
            for row in sure.itertuples()
        ]
        parts.append(f"{mark(verdict)}, {meaning}: {listed(each)}.")
        seen.append(verdict)
        if lever and verdict in BEYOND and (where := lever.said(list(sure["hand"]), verdict)):
            parts.append(where)
    worth = ((known["price"] - known["score"]) / known["vp"].where(known["vp"] != 0)).max()
    price = "score" if pd.isna(worth) else f"score and {worth:g} for each VP"
    parts.append(f"Held against the line through the basic hands; a price is the {price}.")
    if (known["new"] & (known["times"] > times)).any():
        parts[-1] += " New hands cost a Key Client card as well, which the line leaves out: they may pay more."
    about = f"Prices of the hands, up to {times:g} times as rare or as common as others of that price"
    return Finding(verdict_lines(about, parts, "exact, all sets of cards counted"), seen)


def _fits(row: Any) -> str:
    return "" if pd.isna(row.fitting) else f"; {fixed(row.fitting, 1)} would fit{' a basic hand' * row.new}"


def _outermost(some: pd.DataFrame, verdict: str) -> pd.DataFrame:
    """Return rows, those farthest out first; of the undecided those that fewest games more would settle."""
    if verdict == "undecided":
        return some.sort_values("needed", kind="stable")
    return some.sort_values("estimate", ascending=verdict == "below", kind="stable")


def _edge(verdict: str, margin: tuple[float, float] | None, percent: bool) -> str:
    if margin is None or verdict == "undecided":
        return ""
    low, high = ((f"{100 * edge:.3g}%" if percent else f"{edge:.3g}").replace("-", "\N{MINUS SIGN}") for edge in margin)
    return {"above": high, "below": low, "inside": f"{low} to {high}"}[verdict]


def _needed(row: pd.Series, verdict: str) -> str:
    """Return how many games more would settle what is undecided."""
    if verdict != "undecided":
        return ""
    if pd.isna(row["low"]) or pd.isna(row["high"]):
        return " (too few games to tell)" if row["games"] < 2 else " (the same in every game)"
    if pd.isna(row["needed"]):
        return " (it lies on the edge: no number of games would settle it)"
    needed = int(row["needed"])
    if needed > FAR:
        return f" (it lies on the edge: {count(FAR)} games more would not settle it)"
    return f" ({_rounded(needed)} games more would settle it)"


def _rounded(games: int) -> str:
    """Return a number of games, as exactly as an estimate of it is."""
    return count(round(games, 2 - len(str(games))))


def _writer(unit: str, percent: bool, sign: bool) -> Callable[[Any], str]:
    if percent and sign:
        return lambda row: signed(row, "%", 100.0)
    if percent:
        return share
    return (lambda row: signed(row, unit)) if sign else (lambda row: number(row, unit))


def _name(row: pd.Series, keys: Sequence[str], labels: Labels | None) -> str:
    return ", ".join(name(plain(row[key], key, labels), labels, key) for key in keys)


def plain(value: Any, key: str, labels: Labels | None = None) -> Any:
    """Return a key as it is named: numbers that have no label with the name of their column (3 puddings, round 3)."""
    if labels and ((key, value) in labels or value in labels):
        return value
    if not isinstance(value, int | float | np.number):
        return value
    if value == 1 and key.endswith("s"):
        return f"1 {said(key).removesuffix('s')}"
    return f"{value:g} {said(key)}" if key.endswith("s") else f"{said(key)} {value:g}"


def _rests_on(frame: pd.DataFrame, rows: str) -> str:
    low, high = int(frame["n"].min()), int(frame["n"].max())
    n = count(low) if low == high else f"{count(low)} to {count(high)}"
    return f"n&nbsp;=&nbsp;{n} {rows} each"


def _text(text: str) -> str:
    return html.escape(text, quote=False)
