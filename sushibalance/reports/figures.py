"""Numbers as they are written: with their interval, and no more digits than it supports."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

MINUS = "\N{MINUS SIGN}"
LINK = "<!-- csv -->"  # where a table's link to its file goes


def digits(half: float) -> int:
    """Return how many decimals a number with an interval of that half width deserves (0 to 3): the first two digits
    of the half width if they are below 30, else the first.
    """
    if not math.isfinite(half) or half <= 0:
        return 1
    return max(0, min(3, -math.floor(math.log10(half / 2.9999))))


def fixed(value: float, decimals: int) -> str:
    """Return a number with thousands separated and a true minus sign; ``"?"`` for NaN.

    Examples
    --------
    >>> fixed(1234.567, 1)
    '1,234.6'
    """
    if not math.isfinite(value):
        return "?"
    text = f"{value:,.{decimals}f}"
    if float(text.replace(",", "")) == 0:
        text = text.removeprefix("-")
    return text.replace("-", MINUS)


def count(value: Any) -> str:
    """Return a whole number with thousands separated."""
    return f"{int(value):,}"


def seldom(chance: float) -> str:
    """Return a probability as per cent, two digits of it."""
    return "less than 0.01%" if chance < 1e-4 else f"{100 * chance:.2g}%"


def number(row: Any, unit: str = "") -> str:
    """Return ``"3.2 VP [3.1 to 3.3]"`` for a row with ``estimate, low, high``."""
    value, low, high, _ = pieces(row, 1.0)
    return f"{value}{unit} [{between(low, high)}]"


def mean(row: Any, unit: str = "") -> str:
    """Return a mean over games likewise; ``"0.0 [the same in every game]"`` where that is why it has no interval."""
    text = number(row, unit)
    return text.replace("no interval", "the same in every game") if row.games > 1 else text


def between(low: str, high: str, unit: str = "") -> str:
    """Return ``"3.1 to 3.3"``, or that there is no interval."""
    return "no interval" if "?" in (low, high) else f"{low}{unit} to {high}{unit}"


def whole(row: Any) -> str:
    """Return ``"22 [21 to 22]"`` for a row whose values are whole numbers."""
    value, low, high = (fixed(part, 0) for part in (row.estimate, row.low, row.high))
    return f"{value} [{between(low, high)}]"


def share(row: Any) -> str:
    """Return ``"12.3% [11.9% to 12.7%]"`` for a row with ``estimate, low, high``."""
    value, low, high, _ = pieces(row, 100.0)
    return f"{value}% [{between(low, high, '%')}]"


def signed(row: Any, unit: str = "", scale: float = 1.0) -> str:
    """Return ``"+0.4 VP [+0.2 to +0.6]"``: a difference times ``scale``, with its sign."""
    plus: Callable[[str, float], str] = lambda text, value: text if value <= 0 or text == "?" else "+" + text  # noqa: E731
    value, low, high, _ = pieces(row, scale)
    return f"{plus(value, row.estimate)}{unit} [{between(plus(low, row.low), plus(high, row.high))}]"


def pieces(row: Any, scale: float) -> tuple[str, str, str, int]:
    """Return the estimate and its bounds, times ``scale``, written alike, and their decimals."""
    exact = all(math.isfinite(part) and (scale * part).is_integer() for part in (row.estimate, row.low, row.high))
    decimals = 0 if exact and scale * (row.high - row.low) < 2 else digits(scale * (row.high - row.low) / 2)
    value, low, high = (fixed(scale * part, decimals) for part in (row.estimate, row.low, row.high))
    return value, low, high, decimals
