"""Estimates for the groups of a frame. Games are the sampling unit.

What happens inside one game hangs together: four players share a deck, a pick leaves fewer cards
for the next. Every function here adds up the rows of each game first and takes the spread between
games (the linearised ratio estimator, equal to a cluster-robust covariance; Cochran, Sampling
Techniques, 1977, ch. 6). With one row a game this is the textbook interval.

All return one row a group, sorted by the keys, with the columns

``estimate, low, high``
    The estimate and its interval at ``level``; NaN where a single game leaves it unknown.
``n``
    The number of rows behind it (picks, reveals, players).
``games``
    The number of games behind it.

``frame.attrs["level"]`` keeps the level for whoever draws the intervals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sushibalance.errors import UserError, nearest
from sushibalance.stats.intervals import checked, effective_wilson, student, wilson

Keys = str | Sequence[str]
COLUMNS = ["estimate", "low", "high", "n", "games"]
_ALL = "_all"


class ColumnError(UserError):
    """A frame without a column that a question needs."""


def need(frame: pd.DataFrame, name: str, *columns: str) -> None:
    """Check that a frame has the columns of a question.

    Raises
    ------
    ColumnError
        Naming the frame, the column and what it has instead, the nearest first.
    """
    for column in columns:
        if column not in frame.columns:
            near, known = nearest(column, frame.columns), ", ".join(map(str, frame.columns))
            hint = f"did you mean {near}? Known" if near else "allowed one of"
            raise ColumnError(f'{name}: no column "{column}", {hint}: {known}')


def means(frame: pd.DataFrame, by: Keys, value: str, *, cluster: str = "game", level: float = 0.95) -> pd.DataFrame:
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
    level : float
        Confidence level.

    Raises
    ------
    ColumnError
        When a column is missing.

    Examples
    --------
    >>> frame = pd.DataFrame({"game": [0, 1, 2], "seat": [0, 0, 0], "vp": [3, 5, 7]})
    >>> means(frame, "seat", "vp").round(2)
       seat  estimate   low  high  n  games
    0     0       5.0  0.03  9.97  3      3
    """
    groups = _Groups(frame, by, cluster, [value])
    counted = groups.sums(frame[value].to_numpy(np.float64), np.ones(len(frame)))
    low, high = student(counted.estimate, counted.variance, counted.games - 1, level)
    return groups.result(counted.estimate, low, high, counted.n, counted.games, level)


def rates(frame: pd.DataFrame, by: Keys, value: str, *, cluster: str = "game", level: float = 0.95) -> pd.DataFrame:
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
    groups = _Groups(frame, by, cluster, [value])
    counted = groups.sums(frame[value].to_numpy(np.float64), np.ones(len(frame)))
    low, high = counted.score_interval(level)
    return groups.result(counted.estimate, low, high, counted.n, counted.games, level)


def lifts(
    frame: pd.DataFrame, by: Keys, value: str, chance: str, *, cluster: str = "game", level: float = 0.95
) -> pd.DataFrame:
    """Return how many times as often ``value`` came true as ``chance`` had it, in each group.

    The estimate is ``sum(value) / sum(chance)``: 1 is exactly as often as by chance. The bounds
    are those of the rate, with the covariance of both sums in its variance, over the mean chance.

    Parameters
    ----------
    frame : DataFrame
        As in `means`; ``value`` true or false, ``chance`` its probability, positive.
    """
    groups = _Groups(frame, by, cluster, [value, chance])
    counted = groups.sums(frame[value].to_numpy(np.float64), frame[chance].to_numpy(np.float64))
    mean_chance = counted.bottom / counted.n
    rate = counted.estimate * mean_chance
    low, high = effective_wilson(rate, counted.variance * mean_chance**2, counted.games, level)
    return groups.result(counted.estimate, low / mean_chance, high / mean_chance, counted.n, counted.games, level)


def shares(frame: pd.DataFrame, by: Keys, category: str, *, cluster: str = "game", level: float = 0.95) -> pd.DataFrame:
    """Return the share of each ``category`` among the rows of each group.

    Every category of the column gets a row in every group, at 0 with its interval where it never
    came up: the categories of a categorical column, else all values seen. ``n`` is the number
    of rows in the group. The other parameters are those of `means`.

    Examples
    --------
    >>> frame = pd.DataFrame({"game": range(4), "end": pd.Categorical(list("aaba"), list("abc"))})
    >>> shares(frame, [], "end").round(3)
      end  estimate    low   high  n  games
    0   a      0.75  0.301  0.954  4      4
    1   b      0.25  0.046  0.699  4      4
    2   c      0.00  0.000  0.490  4      4
    """
    groups = _Groups(frame, by, cluster, [category])
    column = frame[category].astype("category")
    codes, kinds = column.cat.codes.to_numpy(np.int64), len(column.cat.categories)
    sizes = np.bincount(groups.cluster_of, minlength=groups.clusters).astype(np.float64)
    n = np.bincount(groups.of_cluster, sizes, groups.count)
    squares = np.bincount(groups.of_cluster, sizes**2, groups.count)
    games = np.bincount(groups.of_cluster, minlength=groups.count)

    present, inverse = np.unique(groups.cluster_of * kinds + codes, return_inverse=True)
    times = np.bincount(inverse).astype(np.float64)
    of_game, kind = present // kinds, present % kinds
    cell = groups.of_cluster[of_game] * kinds + kind
    cells = groups.count * kinds
    top = np.bincount(cell, times, cells)
    top_top = np.bincount(cell, times**2, cells)
    top_bottom = np.bincount(cell, times * sizes[of_game], cells)

    n, squares, games = (np.repeat(part, kinds) for part in (n, squares, games))
    share = top / n
    spread = np.maximum(top_top - 2 * share * top_bottom + share**2 * squares, 0.0)
    counted = _Sums(top, n, spread, n, games, single=(n == games) & (top_top == top))
    low, high = counted.score_interval(level)
    keys = groups.keys.loc[groups.keys.index.repeat(kinds)].reset_index(drop=True)
    keys[category] = labelled(np.tile(np.arange(kinds), groups.count), column.cat.categories)
    return _framed(keys, share, low, high, n, games, level)


def quantiles(
    frame: pd.DataFrame,
    by: Keys,
    value: str,
    at: Sequence[float] = (0.1, 0.5, 0.9),
    *,
    cluster: str = "game",
    level: float = 0.95,
) -> pd.DataFrame:
    """Return quantiles of ``value`` in each group: the bands of a curve.

    A quantile is the smallest value that at least that part of the rows does not exceed. The
    interval is Woodruff's (JASA 47, 1952): the interval of the rate of rows at or below the
    estimate, read off as quantiles; for whole numbers it covers more than ``level``.

    Parameters
    ----------
    at : sequence of float
        The quantiles, each in (0, 1); a key column ``quantile`` in the result.
    """
    groups = _Groups(frame, by, cluster, [value])
    values = frame[value].to_numpy(np.float64)
    order = np.lexsort((values, groups.of_row))
    ranked = values[order]
    starts = np.searchsorted(groups.of_row[order], np.arange(groups.count))
    n = np.bincount(groups.of_row, minlength=groups.count)

    def read_off(part: np.ndarray) -> np.ndarray:
        position = np.clip(np.ceil(np.nan_to_num(part) * n - 1e-9).astype(np.int64) - 1, 0, n - 1)
        return np.where(np.isnan(part), np.nan, ranked[starts + position])

    results = []
    for quantile in at:
        if not 0 < quantile < 1:
            raise ValueError(f"at: found {quantile!r}, allowed numbers between 0 and 1")
        estimate = read_off(np.full(groups.count, float(quantile)))
        counted = groups.sums((values <= estimate[groups.of_row]).astype(np.float64), np.ones(len(frame)))
        low, high = counted.score_interval(level)
        offset = quantile - counted.estimate
        low, high = read_off(np.clip(low + offset, 0, 1)), read_off(np.clip(high + offset, 0, 1))
        result = groups.result(estimate, low, high, n, counted.games, level)
        result.insert(len(groups.by), "quantile", float(quantile))
        results.append(result)
    return _sorted(pd.concat(results, ignore_index=True), [*groups.by, "quantile"], level)


def labelled(codes: np.ndarray, names: Iterable[Any]) -> pd.Series:
    """Return a categorical column: ``names[code]`` for each code, all names kept in their order."""
    return pd.Series(pd.Categorical.from_codes(codes.astype(np.int64), categories=pd.Index(list(names))))


class _Sums:
    """Ratio estimates of groups: sums over rows and the spread between games."""

    def __init__(
        self,
        top: np.ndarray,
        bottom: np.ndarray,
        spread: np.ndarray,
        n: np.ndarray,
        games: np.ndarray,
        single: np.ndarray,
    ):
        self.bottom, self.n, self.games = bottom, n.astype(np.int64), games
        self.single = single  # each game gave one yes or no
        self.estimate = top / bottom
        with np.errstate(divide="ignore", invalid="ignore"):
            self.variance = spread / bottom**2 * games / (games - 1)

    def score_interval(self, level: float) -> tuple[np.ndarray, np.ndarray]:
        plain = wilson(self.estimate * self.n, self.n, level)
        clustered = effective_wilson(self.estimate, self.variance, self.games, level)
        low, high = (np.where(self.single, a, b) for a, b in zip(plain, clustered, strict=True))
        return low, high


class _Groups:
    """Row numbers of the groups and of the games inside each group."""

    def __init__(self, frame: pd.DataFrame, by: Keys, cluster: str, needed: Sequence[str]):
        self.by = [by] if isinstance(by, str) else list(by)
        need(frame, "frame", *self.by, cluster, *needed)
        if self.by:
            grouped = frame.groupby(self.by, observed=True, sort=True, dropna=False)
            self.of_row = grouped.ngroup().to_numpy(np.int64)
            self.count = grouped.ngroups
            first = np.full(self.count, len(frame), np.int64)
            np.minimum.at(first, self.of_row, np.arange(len(frame)))
            self.keys = frame[self.by].iloc[first].reset_index(drop=True)
        else:
            self.of_row = np.zeros(len(frame), np.int64)
            self.count = int(len(frame) > 0)
            self.keys = pd.DataFrame(index=range(self.count))
        codes, games = pd.factorize(frame[cluster])
        used, self.cluster_of = np.unique(self.of_row * max(len(games), 1) + codes, return_inverse=True)
        self.of_cluster = used // max(len(games), 1)
        self.clusters = len(used)

    def sums(self, top: np.ndarray, bottom: np.ndarray) -> _Sums:
        tops = np.bincount(self.cluster_of, top, self.clusters)
        bottoms = np.bincount(self.cluster_of, bottom, self.clusters)
        rows = np.bincount(self.cluster_of, minlength=self.clusters)

        def total(per_game):
            return np.bincount(self.of_cluster, per_game, self.count)

        n, games = total(rows), np.bincount(self.of_cluster, minlength=self.count)
        sum_top, sum_bottom = total(tops), total(bottoms)
        residual = tops - (sum_top / sum_bottom)[self.of_cluster] * bottoms
        residual[np.abs(residual) < 1e-9 * np.maximum(np.abs(tops), 1)] = 0.0  # rounding is no spread
        yes_or_no = total((tops != 0) & (tops != 1)) == 0
        return _Sums(sum_top, sum_bottom, total(residual**2), n, games, single=(n == games) & yes_or_no)

    def result(self, *columns: Any) -> pd.DataFrame:
        return _framed(self.keys, *columns)


def _framed(
    keys: pd.DataFrame,
    estimate: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    n: np.ndarray,
    games: np.ndarray,
    level: float,
) -> pd.DataFrame:
    columns = dict(zip(COLUMNS, (estimate, low, high, n.astype(np.int64), games.astype(np.int64)), strict=True))
    result = keys.assign(**columns)
    result.attrs["level"] = checked(level)
    return result


def _sorted(frame: pd.DataFrame, keys: list[str], level: float) -> pd.DataFrame:
    result = frame.sort_values(keys, kind="stable", ignore_index=True)
    result.attrs["level"] = checked(level)
    return result
