"""Estimates for the groups of a frame. Games are the sampling unit.

What happens inside one game hangs together: four players share a deck, a pick leaves fewer cards
for the next. Every function here adds up the rows of each game first and takes the spread between
games; see `stats.ratios`.

All return one row a group, sorted by the keys, with the columns

``estimate, low, high``
    The estimate and its interval at ``level``; NaN where it is unknown: after a single game, and of a mean
    without limits that is the same in every game.
``n``
    The number of rows behind it (picks, reveals, players).
``games``
    The number of games behind it.

``frame.attrs["level"]`` keeps the level for whoever draws the intervals. Each function counts a part of the
games with its ``tally(...)``, same arguments but the level; tallies of all parts add up, and ``tally.frame(level)``
is what the function returns for all games at once.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from sushibalance.stats.groups import By, listed
from sushibalance.stats.ranks import Ranks
from sushibalance.stats.ratios import Limits, Ratio
from sushibalance.stats.tallies import counted


@counted
def means(frame: pd.DataFrame, by: By, value: str, *, cluster: str = "game", within: Limits | None = None) -> Ratio:
    """Return the mean of ``value`` in each group, with Student's t interval over games.

    Parameters
    ----------
    frame : DataFrame
        One row an observation, with the columns ``by``, ``value`` and ``cluster``.
    by : str or sequence of str
        Keys of the groups; empty for one group of all rows.
    value : str
        A numeric column.
    cluster : str
        The sampling unit.
    within : (float, float), optional
        The least and the most that a value can be. Where all games are alike no spread is known, and only limits
        give an interval (`intervals.alike`).
    level : float
        Confidence level.

    Raises
    ------
    ColumnError
        When a column is missing, or holds values that are no numbers.

    Examples
    --------
    >>> frame = pd.DataFrame({"game": [0, 1, 2], "seat": [0, 0, 0], "vp": [3, 5, 7]})
    >>> means(frame, "seat", "vp").round(2)
       seat  estimate   low  high  n  games
    0     0       5.0  0.03  9.97  3      3
    >>> parts = [means.tally(part, "seat", "vp") for part in (frame[:1], frame[1:])]
    >>> sum(parts).frame().equals(means(frame, "seat", "vp"))
    True
    """
    return Ratio(frame, listed(by), value, cluster=cluster, within=within)


@counted
def rates(frame: pd.DataFrame, by: By, value: str, *, cluster: str = "game") -> Ratio:
    """Return the rate of ``value`` (true or false, or a share in [0, 1]) in each group.

    The interval is Wilson's where each game gives one yes or no, and Wilson's at the effective
    sample size (`effective_wilson`) elsewhere. Parameters and errors are those of `means`.

    Examples
    --------
    >>> frame = pd.DataFrame({"game": range(50), "win": [1.0, 1.0] + [0.0] * 48})
    >>> rates(frame, [], "win").round(4)
       estimate    low    high   n  games
    0      0.04  0.011  0.1346  50     50
    """
    return Ratio(frame, listed(by), value, kind="rate", cluster=cluster)


@counted
def lifts(frame: pd.DataFrame, by: By, value: str, chance: str, *, cluster: str = "game") -> Ratio:
    """Return how many times as often ``value`` came true as ``chance`` had it, in each group.

    The estimate is ``sum(value) / sum(chance)``: 1 is exactly as often as by chance. The bounds
    are those of the rate, with the covariance of both sums in its variance, over the mean chance.

    Parameters
    ----------
    frame : DataFrame
        As in `means`; ``value`` true or false, ``chance`` its probability, positive.
    """
    return Ratio(frame, listed(by), value, chance, kind="lift", cluster=cluster)


@counted
def shares(frame: pd.DataFrame, by: By, category: str, *, cluster: str = "game") -> Ratio:
    """Return the share of each ``category`` among the rows of each group.

    Every category of the column gets a row in every group, at 0 with its interval where it never
    came up: the categories of a categorical column, else all values seen. ``n`` is the number
    of rows in the group, those of a missing category among them. The other parameters are those of `means`.

    Examples
    --------
    >>> frame = pd.DataFrame({"game": range(4), "end": pd.Categorical(list("aaba"), list("abc"))})
    >>> shares(frame, [], "end").round(3)
      end  estimate    low   high  n  games
    0   a      0.75  0.301  0.954  4      4
    1   b      0.25  0.046  0.699  4      4
    2   c      0.00  0.000  0.490  4      4
    """
    return Ratio(frame, listed(by), kind="rate", inner=[category], cluster=cluster)


@counted
def quantiles(
    frame: pd.DataFrame, by: By, value: str, at: Sequence[float] = (0.1, 0.5, 0.9), *, cluster: str = "game"
) -> Ranks:
    """Return quantiles of ``value`` in each group: the bands of a curve.

    A quantile is the smallest value that at least that part of the rows does not exceed. The
    interval is Woodruff's (JASA 47, 1952): the interval of the rate of rows at or below the
    estimate, read off as quantiles; for whole numbers it covers more than ``level``. A bound that may lie
    beyond all rows is missing, as the lower one of a tenth of 30 games.

    Parameters
    ----------
    at : sequence of float
        The quantiles, each in (0, 1); a key column ``quantile`` in the result.
    """
    return Ranks(frame, listed(by), value, at, cluster)
