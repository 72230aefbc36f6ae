"""Verdicts by margin: inside, above, below, or undecided and how many games would settle it.

At a million games every difference is significant. What a designer needs to know is whether it is large enough to
matter, so a verdict compares the whole interval with a margin that was set beforehand: *inside* when the interval lies
within the margin (the two one-sided tests of equivalence: Schuirmann, J. Pharmacokinet. Biopharm. 15, 1987), *above* or
*below* when it lies beyond it, *undecided* when it crosses an edge.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from sushibalance.errors import UserError
from sushibalance.stats.intervals import checked, positive
from sushibalance.stats.tallies import with_level

VERDICTS = ("inside", "above", "below", "undecided")
UNDECIDED = VERDICTS.index("undecided")
NEVER = 10**12  # games
ALIKE = 20  # so many pairs of games that are alike decide that a change does nothing; fewer are so by chance


def verdicts(
    tally: Any,
    margin: tuple[float, float],
    *,
    level: float = 0.95,
    correct: bool = True,
    power: float = 0.8,
    played: int | None = None,
) -> pd.DataFrame:
    """Return the estimates of a tally with the verdict on each row.

    Parameters
    ----------
    tally : Tally
        Or a `Running` one, whose verdicts stay true however often they are looked at.
    margin : (float, float)
        The lowest and highest value that do not matter: (0.9, 1.1) for win points, (-0.02, 0.02) for a difference.
    level : float
        Confidence level: the error rate of a verdict is at most ``1 - level``.
    correct : bool
        Keep that rate for all verdicts of the frame that are not "undecided" together, however many rows it has
        (Benjamini and Hochberg, JRSS B 57, 1995). Intervals are widened until they do: with ``k`` of ``m`` rows
        decided, to the level ``1 - (1 - level) k / m`` (Benjamini and Yekutieli, JASA 100, 2005).
    power : float
        How likely as many games as ``needed`` are to settle it, if the estimate is right.
    played : int, optional
        Games of the run. A group that occurs in few of them will occur in as few of those to come, so that many more
        are needed. By default those that the tally knows of (what `fold`, `over` and `compare` count, does); where
        none are known, ``needed`` counts games in which the group occurs.

    Returns
    -------
    DataFrame
        That of the tally, with ``verdict`` (`VERDICTS`) and ``needed``: games more that would settle it, 0 where it is
        settled, missing where no number would. ``attrs["level"]`` is that of the intervals shown.

    Raises
    ------
    UserError
        For a margin whose ends are not in order.

    Examples
    --------
    >>> from sushibalance.stats import means
    >>> points = pd.DataFrame({"game": range(8), "seat": [0] * 4 + [1] * 4, "points": [0, 4, 0, 4, 1.1, 1, 0.9, 1]})
    >>> verdicts(means.tally(points, "seat", "points"), (0.7, 1.3)).round(2)
       seat  estimate   low  high  n  games    verdict  needed
    0     0       2.0 -2.82  6.82  4      4  undecided     356
    1     1       1.0  0.83  1.17  4      4     inside       0
    """
    low, high = edges(margin)
    used = checked(level)
    frame = tally.frame(used)
    rows = decided = int(frame["estimate"].notna().sum()) if correct else 0  # without data there is no verdict
    while decided:
        used = 1 - (1 - level) * decided / rows
        frame = tally.frame(used)
        found = max(int((_verdict(frame, low, high) != UNDECIDED).sum()), 1)
        if found >= decided:
            break
        decided = found
    code = _verdict(frame, low, high)
    needed = np.where(code == UNDECIDED, _needed(frame, low, high, used, checked(power)), 0.0)
    needed = needed * _rarity(tally, frame, played)
    never = ~(needed < NEVER)
    games = pd.arrays.IntegerArray(np.where(never, 0, np.ceil(needed)).astype(np.int64), never)
    names = pd.Categorical.from_codes(code, categories=list(VERDICTS))
    return with_level(frame.assign(verdict=names, needed=games), used)


def edges(margin: tuple[float, float]) -> tuple[float, float]:
    """Return the ends of a margin.

    Raises
    ------
    UserError
        When it is no lower and higher number.
    """
    try:
        low, high = map(float, margin)
    except (TypeError, ValueError):
        raise UserError(f"margin: found {margin!r}, allowed a lower and a higher number") from None
    if not low < high:
        raise UserError(f"margin: found {low:g} to {high:g}, allowed a lower and a higher number")
    return low, high


def games_for(tally: Any, half_width: float, *, level: float = 0.95) -> pd.DataFrame:
    """Return how many games in all make the intervals so narrow.

    Parameters
    ----------
    tally : Tally
        Of some games that were played: they tell the spread, and how rare a group is (`Tally.played`).
    half_width : float
        Half the width of an interval, in the unit of the estimate.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        That of the tally, with ``half_width`` as it is, and ``needed``: the games in all (missing where it is unknown).
    """
    half_width, frame = positive("half_width", half_width), tally.frame(level)
    now = (frame["high"] - frame["low"]) / 2
    needed = np.ceil(frame["games"] * (now / half_width) ** 2 * _rarity(tally, frame))
    return with_level(frame.assign(half_width=now, needed=needed.astype("Int64")), level)


def _verdict(frame: pd.DataFrame, low: float, high: float) -> np.ndarray:
    """Return the codes of the verdicts.

    An interval that is not known decides nothing, nor does one without width from a few games, which are alike by
    chance.
    """
    inside = (frame["low"] >= low) & (frame["high"] <= high)
    some = (frame["low"] < frame["high"]) | (frame["games"] >= ALIKE)
    cases = inside & some, (frame["low"] > high) & some, (frame["high"] < low) & some
    return np.select(cases, range(UNDECIDED), UNDECIDED)


def _rarity(tally: Any, frame: pd.DataFrame, played: int | None = None) -> np.ndarray:
    """Return how many games were played for each in which a group occurs: 1 where nobody knows."""
    held = np.maximum(frame["games"].to_numpy(np.float64), 1.0)
    if played is None:
        played = tally.played_of(frame) if hasattr(tally, "played_of") else getattr(tally, "played", None)
    return np.maximum(0 if played is None else played, held) / held


def _needed(frame: pd.DataFrame, low: float, high: float, level: float, power: float) -> np.ndarray:
    """Return how many games more with the group would settle a verdict, if estimates are right and intervals shrink."""
    estimate = frame["estimate"].to_numpy()
    down, up = estimate - frame["low"].to_numpy(), frame["high"].to_numpy() - estimate
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = np.maximum(down / (estimate - low), up / (high - estimate))
        cases = (estimate > low) & (estimate < high), estimate > high, estimate < low
        ratio = np.select(cases, [inside, down / (estimate - high), up / (low - estimate)], np.inf)
    z = ndtri((1 + level) / 2)
    games = frame["games"].to_numpy()
    return np.maximum(games * (ratio * (z + ndtri(power)) / z) ** 2, ALIKE * (ratio == 0)) - games
