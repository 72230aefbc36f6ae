"""Differences and their verdicts in plain words, made of the rows of a comparison."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from textwrap import shorten
from typing import Any

import numpy as np
import pandas as pd

from sushibalance.analysis.margins import METRICS

MINUS = "\N{MINUS SIGN}"
UNITS = {"share": "%", "times": "", "points": " points", "VP": " VP"}
STEPS = {"share": " percentage points", "times": "", "points": " points", "VP": " VP"}  # of a difference
SMALL = 2  # so many differences inside their margins are told
WORDS = {"power_up": "power-up"}  # keys that are not their words with spaces between
TEXT = 60  # letters of a card's text
GOOD, SOME = 2.0, 1.1  # reductions from which pairing is well worth it, and from which it is worth anything


class Said:
    """The rows of one variant in a comparison (`Comparison.table`), told in words.

    Attributes
    ----------
    rows : DataFrame
    unit : str
        What is counted as one: ``"games"``, or ``"deals"`` where seats rotate.
    fixed : collection of str
        Metrics that cannot move at this table (`Comparison.fixed`).
    """

    def __init__(self, rows: pd.DataFrame, unit: str = "games", fixed: Collection[str] = ()):
        self.rows, self.unit, self.fixed = rows, unit, fixed

    @staticmethod
    def keys(names: Sequence[str], values: Sequence[Any], texts: Mapping[str, str] | None = None) -> str:
        """Return the keys of a row: ``"round 3, hand flush"``; a power-up comes last, with its text if it is given."""
        told = []
        for name, value in sorted(zip(names, values, strict=True), key=lambda pair: pair[0] == "power_up"):
            text = f"{WORDS.get(name, name)} {value}".replace("_", " ")
            card = (texts or {}).get(str(value)) if name == "power_up" else None
            told.append(f"{text}: {card}" if card else text)
        return ", ".join(told)

    @staticmethod
    def texts(*rules: Any) -> dict[str, str]:
        """Return what is printed on the power-ups of rules, by number, and of which others have another card."""
        found: dict[str, Any] = {}
        other: set[str] = set()
        for number, card in (pair for some in rules for pair in getattr(some, "power_ups", {}).items()):
            if found.setdefault(str(number), card) != card:
                other.add(str(number))
        texts = {number: (card.text or card.type.replace("_", " ")).rstrip(".") for number, card in found.items()}
        return {
            number: shorten(text, TEXT, placeholder=" ...") + " (changed)" * (number in other)
            for number, text in texts.items()
        }

    def sentences(self, most: int) -> list[str]:
        """Return what moved, what did not, and what is open."""
        if self.fixed and self.rows["metric"].isin(self.fixed).all():
            return [self.counted()]
        moved = self.moved()
        found = [self.row(row) for row in moved.head(most).itertuples()]
        if (left := len(moved) - most) > 0:
            more = "1 more difference lies" if left == 1 else f"{left} more differences lie"
            found.append(f"{more} beyond their margins.")
        if not len(moved):
            found.append("no difference was found that is beyond its margin.")
        found += [self.row(row) for rows in (self.open(), self.small()) for row in rows.head(SMALL).itertuples()]
        return [*found, self.counted()]

    def short(self, row: Any) -> str:
        """Return the verdict in few words: ``"inside ±2"``, ``"above +2"``."""
        text = f"{row.verdict} {self.edge(row)}"
        if pd.isna(row.estimate):
            return "not compared"
        if getattr(row, "metric", None) in self.fixed:
            return "cannot move"
        if row.verdict != "undecided":
            return text
        if pd.isna(row.low):
            return f"{text}, too few"
        return f"{text}, on the edge" if pd.isna(row.needed) else f"{text}, {_round_up(float(row.needed)):,} more"

    def counted(self) -> str:
        """Return how many numbers are inside their margins, undecided, or came up under one of the rule sets only."""
        known = self.rows["estimate"].notna()
        rows = self.rows[known & ~self.rows["metric"].isin(self.fixed)] if self.fixed else self.rows[known]
        inside, undecided = (rows[rows["verdict"] == name] for name in ("inside", "undecided"))
        if self.fixed and not len(rows):
            return "there is no difference to judge."
        text = f"{len(inside)} of {len(rows)} differences are inside their margins"
        if len(undecided):
            text += f", {len(undecided)} undecided"
            needed = np.sort(undecided["needed"].to_numpy(np.float64, na_value=np.inf))[(len(undecided) - 1) // 2]
            if math.isfinite(needed):
                half = "half of them would likely be" if len(undecided) > 1 else "likely"
                text += f" ({half} settled by {_round_up(needed):,} more {self.unit})"
        if alone := int((~known).sum()):
            text += f"; {alone} more came up under one rule set only"
        return text + "."

    def main(self) -> np.ndarray:
        """Return for each row whether it belongs to a main metric of `margins.METRICS`."""
        return _main(self.rows)

    def moved(self) -> pd.DataFrame:
        """Return the rows beyond their margins: those of the main metrics first, and the farthest first."""
        rows = self.rows[self.rows["verdict"].isin(["above", "below"])]
        return rows.iloc[np.lexsort((_far(rows), ~_main(rows)))]

    def small(self) -> pd.DataFrame:
        """Return the rows of main metrics that did move, but inside their margins, the farthest first."""
        return self._moved_but("inside")

    def open(self) -> pd.DataFrame:
        """Return the rows of main metrics that did move, and perhaps beyond their margins, the farthest first."""
        return self._moved_but("undecided")

    def _moved_but(self, verdict: str) -> pd.DataFrame:
        real = (self.rows["low"] > 0) | (self.rows["high"] < 0)
        rows = self.rows[real & (self.rows["verdict"] == verdict) & _main(self.rows)]
        return rows.iloc[np.argsort(_far(rows), kind="stable")]

    def row(self, row: Any) -> str:
        """Return one difference as a sentence."""
        return f"{self._what(row)}{self.change(row)}; {self.verdict(row)}."

    @staticmethod
    def alone(row: Any) -> str:
        """Return a number that one rule set alone has (`Comparison.alone`) as a sentence."""
        return f"{Said._what(row)}{Said.interval(row)}, n = {row.n:,}."

    @staticmethod
    def interval(row: Any, unit: bool = True) -> str:
        """Return ``"2.1 times (1.9 to 2.3)"``, or the same without the unit."""
        places = _places(row)
        value, low, high = (_number(part, row.unit, places) for part in (row.estimate, row.low, row.high))
        words = " times" if row.unit == "times" else UNITS[row.unit]
        bounds = "no interval" if pd.isna(row.low) or pd.isna(row.high) else f"{low} to {high}"
        return f"{value}{words if unit or row.unit == 'share' else ''} ({bounds})"

    @staticmethod
    def _what(row: Any) -> str:
        """Return what a row is of, up to its number; the text of a card has a colon of its own."""
        what = f"{row.name}, {row.of}" if row.of else str(row.name)
        return f"{what}; " if ": " in str(row.of) else f"{what}: "

    @staticmethod
    def change(row: Any) -> str:
        """Return ``"6.9% to 5.2%, −1.7 percentage points (−1.9 to −1.5)"``."""
        return f"{Said.before(row)} to {Said.after(row)}" + (f", {step}" if (step := Said.step(row)) else "")

    @staticmethod
    def before(row: Any, unit: bool = True) -> str:
        """Return the number under the base, with its unit, or with a percent sign at most."""
        return Said._of(row.base, row, unit)

    @staticmethod
    def after(row: Any, unit: bool = True) -> str:
        """Return the number under the variant likewise."""
        return Said._of(row.variant, row, unit)

    @staticmethod
    def _of(value: float, row: Any, unit: bool) -> str:
        if pd.isna(value):
            return "none"
        return _number(value, row.unit, _places(row)) + (UNITS[row.unit] if unit or row.unit == "share" else "")

    @staticmethod
    def step(row: Any, unit: bool = True) -> str:
        """Return ``"−1.7 percentage points (−1.9 to −1.5)"``, or the same without the unit."""
        if pd.isna(row.estimate):
            return ""
        places = _places(row)
        value, low, high = (_signed(part, row.unit, places) for part in (row.estimate, row.low, row.high))
        interval = "no interval" if pd.isna(row.low) or pd.isna(row.high) else f"{low} to {high}"
        return f"{value}{STEPS[row.unit] if unit else ''} ({interval})"

    @staticmethod
    def margin(row: Any) -> str:
        """Return ``"±2"``, or ``"−1 to +2"`` where it is lopsided, in the unit of a difference."""
        low, high = row.margin_low, row.margin_high
        scale = 100 if row.unit == "share" else 1
        if low == -high:
            return f"±{scale * high:.3g}"
        return f"{scale * low:+.3g} to {scale * high:+.3g}".replace("-", MINUS)

    @staticmethod
    def edge(row: Any) -> str:
        """Return the end of the margin that a row lies beyond, or the margin, in the unit of a difference."""
        edge = {"above": row.margin_high, "below": row.margin_low}.get(str(row.verdict))
        if edge is None:
            return Said.margin(row)
        return f"{(100 if row.unit == 'share' else 1) * edge:+.3g}".replace("-", MINUS)

    def verdict(self, row: Any) -> str:
        """Return the verdict in words, with the games that would settle it."""
        margin = f"the margin of {Said.margin(row)}"
        if pd.isna(row.estimate):
            return f"not compared: it came up under {'the variant' if pd.isna(row.base) else 'the base'} only"
        if row.verdict != "undecided":
            return f"{row.verdict} {margin}"
        if pd.isna(row.low):
            return f"undecided against {margin}: it came up in too few {self.unit} for an interval"
        if pd.isna(row.needed):
            return f"undecided: it lies on the edge of {margin}"
        return f"undecided against {margin}: {_round_up(float(row.needed)):,} more {self.unit} would likely settle it"

    def pairing(self, unchanged: Any) -> str:
        """Return how far the same shuffles made the same games, and what that was worth.

        Parameters
        ----------
        unchanged : row
            The share of the deals in which every total is the same.
        """
        known = self.rows["reduction"][(self.rows["reduction"] > 0)]
        same = f"{_percent(unchanged.estimate)} of the deals end with the same totals"
        if not len(known):
            return same + "."
        if not math.isfinite(known.median()):
            return same + ", and most numbers are the same in every game."
        worth = float(known.median())
        if worth >= GOOD:
            text = f"playing the same shuffles is worth {worth:.1f} times as many games (the median of all numbers)"
        elif worth >= SOME:
            text = f"the games drift apart; playing the same shuffles is worth {worth:.1f} times as many (the median)"
        else:
            text = (
                "the pairing does not hold: games of the same shuffles are hardly more alike than others, as when "
                "another deck is dealt or choices go other ways early. Intervals are those of independent games"
            )
        return f"{same}; {text}."


def _main(rows: pd.DataFrame) -> np.ndarray:
    return np.array([name in METRICS and METRICS[name].main for name in rows["metric"]], bool)


def _far(rows: pd.DataFrame) -> np.ndarray:
    """Return how far rows moved in parts of their margins, with the sign turned: for sorting."""
    return -(rows["estimate"].abs() / (rows["margin_high"] - rows["margin_low"])).to_numpy()


def _percent(share: float) -> str:
    """Return a share in percent with two digits that count; what is not quite all is not said to be."""
    percent = 100 * share
    if 99 < percent < 100:
        return f"{math.floor(10 * percent) / 10:.1f}%"
    return f"{percent:.2g}%" if percent < 99 else f"{percent:.0f}%"


def _places(row: Any) -> int:
    """Return how many decimals the numbers of a row are written with: one that counts of how far its interval reaches.

    One more where before, after and difference would contradict each other (24% to 25%, 0), or a verdict that is open
    the bounds of its interval (undecided against ±0.1: −0.1 to +0.1).
    """
    scale = 100 if row.unit == "share" else 1
    half = scale * (row.high - row.low) / 2
    places = max(0, min(4, -math.floor(math.log10(half)))) if half > 0 and math.isfinite(half) else 2
    if not hasattr(row, "base") or pd.isna(row.base + row.variant + row.estimate):
        return places
    before, after, told, low, high = (
        round(scale * value, places) for value in (row.base, row.variant, row.estimate, row.low, row.high)
    )
    opposed = (after != before) != (told != 0)
    shut = row.verdict == "undecided" and low >= scale * row.margin_low and high <= scale * row.margin_high
    return places + (opposed or shut)


def _number(value: float, unit: str, places: int) -> str:
    if not math.isfinite(value):
        return "?"
    text = f"{(100 if unit == 'share' else 1) * value:,.{places}f}"
    return (text.removeprefix("-") if float(text.replace(",", "")) == 0 else text).replace("-", MINUS)


def _signed(value: float, unit: str, places: int) -> str:
    text = _number(value, unit, places)
    return text if text[0] in f"{MINUS}?" or not text.strip("0.") else f"+{text}"


def _round_up(games: float) -> int:
    """Return a number with two digits that count: more would say more than is known."""
    step = 10 ** max(0, math.floor(math.log10(max(games, 1))) - 1)
    return int(math.ceil(games / step) * step)
