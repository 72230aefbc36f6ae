"""Ratios of sums over games: means, rates, shares, lifts.

The rows of each game are added up first, and the spread is taken between games (the linearised ratio
estimator, equal to a cluster-robust covariance; Cochran, Sampling Techniques, 1977, ch. 6). With one row a
game this is the textbook interval.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import lcm
from typing import NamedTuple

import numpy as np
import pandas as pd

from sushibalance.stats.counting import DIGITS, Clusters, ratio_sums, whole
from sushibalance.stats.exact import Exact, exact
from sushibalance.stats.groups import ANSWERS, Groups, Keys, labelled, need, unlike
from sushibalance.stats.intervals import EVERY, effective_wilson, of_mean, score
from sushibalance.stats.tallies import Counts, Tally, answer, quotient

Words = Callable[[pd.DataFrame], list[str]]
Products = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Limits = tuple[float, float]
ALL = slice(None)
ESTIMATES = ("estimate", "low", "high", "n", "games")
FITS = 2**62


@dataclass(frozen=True, eq=False)
class Ratio:
    """Rows of a frame that make a ratio in each group.

    Attributes
    ----------
    frame : DataFrame
    by : sequence of str
        Keys of the groups; none for one group of all rows.
    top, bottom : str, optional
        The columns that are added up; 1 a row where none is named. Rows whose bottom is 0 do not count in ``n``.
    kind : str
        ``"mean"`` for Student's t interval (`intervals.of_mean`); ``"rate"`` for the score interval of a proportion;
        ``"lift"`` for that of a proportion over its chance.
    inner : sequence of str
        Keys of the cells inside a group: the top is that of a cell, the bottom that of its group. Every cell gets a
        row in every group; a row whose inner key is missing counts in its group only.
    cluster : str
        The sampling unit.
    count : str, optional
        The column, whole numbers, that says how many rows each stands for: 1 where none is named.
    called, words : str, callable
        The name of the one column that stands for several inner keys, and ``words(frame of these keys)``: what the
        cells are called there.
    within : (float, float), optional
        The least and the most that a mean can be, where that is known.
    """

    frame: pd.DataFrame
    by: Sequence[str]
    top: str | None = None
    bottom: str | None = None
    kind: str = "mean"
    inner: Sequence[str] = ()
    cluster: str = "game"
    count: str | None = None

    called: str = ""
    words: Words | None = None
    within: Limits | None = None

    def needed(self) -> list[str]:
        """Return the names of the columns that count, which must be there."""
        numbers = filter(None, (self.top, self.bottom, self.count))
        columns = list(dict.fromkeys([*self.by, *self.inner, self.cluster, *numbers]))
        need(self.frame, "frame", *columns)
        unlike(ANSWERS, *self.by, *self.inner)
        return columns

    def tally(self) -> RatioTally:
        """Return the sums over games."""
        return Observed(self).tally()


class Observed:
    """The rows of a `Ratio` as whole numbers: the cell of each, its top and bottom, sorted by game."""

    def __init__(self, ratio: Ratio):
        ratio.needed()
        self.ratio, frame = ratio, ratio.frame
        self.groups, games = Groups(frame, ratio.by, ratio.inner), Clusters(frame[ratio.cluster])
        (top, top_unit, highest), (bottom, bottom_unit, deepest) = (
            exact(frame, name, games.longest) if name else Exact(np.ones(len(frame), np.int64), 1, 1)
            for name in (ratio.top, ratio.bottom)
        )
        self.small = (games.longest * max(highest, deepest)) ** 2 * len(top) < FITS
        self.units = (top_unit, bottom_unit)
        self.order, self.game = games.order, games.number
        self.cell, self.top, self.bottom = map(games.sorted, (self.groups.cell_of_row, top, bottom))
        self.count = games.sorted(frame[ratio.count].to_numpy()) if ratio.count else None

    def tally(self, rows: slice | np.ndarray = ALL) -> RatioTally:
        """Return the sums over games of all rows, or of some."""
        groups, cells, count = self.groups, self.groups.cells, self.groups.groups
        of_cell, of_group = np.zeros((3 * cells, DIGITS), np.int64), np.zeros((2 * count, DIGITS), np.int64)
        met, odd = np.zeros((2, cells), np.int64)
        n, games = np.zeros((2, count), np.int64)
        room = max(cells, count)
        ratio_sums(
            self.game[rows], self.cell[rows], self.top[rows], self.bottom[rows], groups.group_of_cell, of_cell,
            of_group, met, odd, n, games, np.zeros((2, room), np.int64), np.zeros((2, room, 2), np.int64),
            self.small, self.units[0],
        )  # fmt: skip
        if self.count is not None:
            in_cell = np.bincount(self.cell[rows], self.count[rows], cells)
            n = np.bincount(groups.group_of_cell, in_cell, count).astype(np.int64)
        some = np.flatnonzero(games)
        sums = np.column_stack([whole(of_group.reshape(-1, 2, DIGITS)[some]), n[some], games[some]])
        in_groups = Counts(groups.group_keys(some), sums)
        some = np.flatnonzero(met)
        sums = np.column_stack([whole(of_cell.reshape(-1, 3, DIGITS)[some]), odd[some]])
        in_cells = Counts(groups.cell_keys(some) if self.ratio.inner else in_groups.keys, sums)
        asked = self.ratio
        return RatioTally(in_groups, in_cells, self.units, asked.kind, asked.called, asked.words, asked.within)


@dataclass(frozen=True, eq=False)
class RatioTally(Tally):
    """Sums over games of tops and bottoms, from which a ratio and its spread between games follow.

    Attributes
    ----------
    groups : Counts
        Of each group over games: the bottom, its square, the rows, the games.
    cells : Counts
        Of each cell over games: the top, its square, its product with the bottom, games whose top is neither 0 nor 1.
    units : tuple of int
        So many units of the top, and of the bottom, make 1.
    kind, called, words, within : str, str, callable, (float, float)
        As in `Ratio`.
    """

    groups: Counts
    cells: Counts
    units: tuple[int, int]
    kind: str
    called: str = ""
    words: Words | None = None
    within: Limits | None = None

    def question(self) -> object:
        """Return the kind of ratio and the names of its keys."""
        return self.kind, list(self.cells.keys.columns), len(self.groups.keys.columns), self.called

    def added(self, other: RatioTally) -> RatioTally:
        """Return the sums of both, in a unit that fits both."""
        units = lcm(self.units[0], other.units[0]), lcm(self.units[1], other.units[1])
        mine, others = self.in_units(units), other.in_units(units)
        within = self.within and other.within and (
            min(self.within[0], other.within[0]), max(self.within[1], other.within[1])
        )  # fmt: skip
        return replace(mine, groups=mine.groups + others.groups, cells=mine.cells + others.cells, within=within)

    def in_units(self, units: tuple[int, int]) -> RatioTally:
        """Return the same sums in smaller units."""
        top, bottom = units[0] // self.units[0], units[1] // self.units[1]
        groups = self.groups.times(bottom, bottom**2, 1, 1)
        return replace(self, groups=groups, cells=self.cells.times(top, top**2, top * bottom, 1), units=units)

    def frame(self, level: float = 0.95) -> pd.DataFrame:
        """Return the keys and ``estimate, low, high, n, games``."""
        keys, _ = self.sums
        bounds, estimates = self._estimates.bounds(level), self._estimates
        columns = (estimates.estimate, *bounds, estimates.n, estimates.games)
        return answer(keys, dict(zip(ESTIMATES, columns, strict=True)), level)

    def total(self) -> np.ndarray:
        """Return the sum of the tops of each row of the frame."""
        return quotient(self.sums[1].top, self.units[0])

    @cached_property
    def sums(self) -> tuple[pd.DataFrame, Sums]:
        """The keys and the sums of each row of the frame."""
        keys, group, of_cell = laid_out(self.groups.keys, self.cells, self.called, self.words)
        return keys, Sums(*of_cell, *self.groups.sums[group].T)

    @cached_property
    def _estimates(self) -> Estimates:
        return Estimates(self.sums[1], self.units, self.kind, self.within)

    @cached_property
    def moments(self) -> Moments:
        """What follows from the sums but the interval."""
        (keys, sums), found = self.sums, self._estimates
        games = sums.games
        squares = quotient(sums.top_top * games**2 * self.units[1] ** 2, sums.bottom**2 * self.units[0] ** 2)
        squares = np.where(sums.same(games), squares, np.nan)
        return Moments(keys, found.estimate, found.variance, squares, found.n, found.games)


class Moments(NamedTuple):
    """An estimate and its spread, an element a row of the frame.

    Attributes
    ----------
    keys : DataFrame
    estimate, variance : ndarray of float64
        The variance is that of the estimate, between games.
    squares : ndarray of float64
        Sum over games of the squared ratio of each; NaN where games do not weigh the same.
    n, games : ndarray of int64
    """

    keys: pd.DataFrame
    estimate: np.ndarray
    variance: np.ndarray
    squares: np.ndarray
    n: np.ndarray
    games: np.ndarray


class Sums(NamedTuple):
    """Sums over games as arrays of Python integers, an element a row of the frame; see `RatioTally`."""

    top: np.ndarray
    top_top: np.ndarray
    top_bottom: np.ndarray
    odd: np.ndarray
    bottom: np.ndarray
    bottom_bottom: np.ndarray
    n: np.ndarray
    games: np.ndarray

    def ratio(self, units: tuple[int, int]) -> np.ndarray:
        """Return the estimates."""
        return quotient(self.top * units[1], self.bottom * units[0])

    def same(self, games: np.ndarray) -> np.ndarray:
        """Return whether each of so many games has the same bottom."""
        return (self.bottom_bottom * games == self.bottom**2).astype(bool)

    def squares(self) -> Products:
        """Return the products of the tops and bottoms with themselves."""
        return self.top_top, self.top_bottom, self.top_bottom, self.bottom_bottom


class Estimates:
    """Estimates from sums over games, whose bounds can be asked for at one level after another.

    Attributes
    ----------
    estimate, variance : ndarray of float64
        The variance is that of the estimate, between games.
    n, games : ndarray of int64
    """

    def __init__(self, sums: Sums, units: tuple[int, int], kind: str, within: Limits | None = None):
        self._within = within or EVERY
        self.n, self.games = sums.n.astype(np.int64), sums.games.astype(np.int64)
        self.estimate = sums.ratio(units)
        self.variance = covariance(sums, sums, sums.squares(), sums.games, units)
        self._kind = kind
        if kind == "rate":
            self._single = (self.n == self.games) & (sums.odd == 0).astype(bool)  # each game gave one yes or no
        elif kind == "lift":
            self._rate = quotient(sums.top, sums.n * units[0])
            self._chance = quotient(sums.bottom, sums.n * units[1])

    def bounds(self, level: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the low and high ends of the intervals; see `Ratio` for the kinds, and what a mean lies within."""
        if self._kind == "mean":
            return of_mean(self.estimate, self.variance, self.games, self._within, level)
        if self._kind == "rate":
            return score(self.estimate, self.variance, self.n, self.games, self._single, level)
        low, high = effective_wilson(self._rate, self.variance * self._chance**2, self.games, level)
        return low / self._chance, high / self._chance

    def at(self, level: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the estimates and their bounds."""
        return self.estimate, *self.bounds(level)


def covariance(a: Sums, b: Sums, products: Products, games: np.ndarray, units: tuple[int, int]) -> np.ndarray:
    """Return the covariance of two linearised ratios.

    Parameters
    ----------
    a, b : Sums
        Of each ratio.
    products : tuple of ndarray
        Sums over games of top of a times top of b, top times bottom, bottom times top, bottom times bottom.
    games : ndarray
        Games in which either has rows.
    units : tuple of int
        Of the tops, and of the bottoms.
    """
    top_top, top_bottom, bottom_top, bottom_bottom = products
    spread = top_top * a.bottom * b.bottom - top_bottom * a.bottom * b.top
    spread += bottom_bottom * a.top * b.top - bottom_top * a.top * b.bottom
    return quotient(spread * games * units[1] ** 2, (a.bottom * b.bottom) ** 2 * (games - 1) * units[0] ** 2)


def laid_out(
    groups: Keys, cells: Counts, called: str, words: Words | None
) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Return a row for every cell in every group: the keys, the place of the group, and the sums, one array a sum."""
    outer, count = list(groups.columns), len(groups)
    inner = [name for name in cells.keys.columns if name not in outer]
    if not inner:
        return groups.frame(), np.arange(count), cells.sums.T
    kinds, kind = cells.keys.only(inner).kinds()
    _, _, group = groups.joined(cells.keys.only(outer))
    sums = np.zeros((count * len(kinds), cells.sums.shape[1]), object)
    told = kind >= 0
    sums[group[told] * len(kinds) + kind[told]] = cells.sums[told]
    group, kind = np.repeat(np.arange(count), len(kinds)), np.tile(np.arange(len(kinds)), count)
    keys, names = groups.at(group).frame(), kinds.frame()
    if words is not None:
        keys[called] = labelled(kind, words(names))
    for name in inner if words is None else ():
        categorical = isinstance(names[name].dtype, pd.CategoricalDtype) or len(inner) > 1
        values = names[name] if categorical else labelled(np.arange(len(names)), names[name])
        keys[name] = values.take(kind).reset_index(drop=True)
    return keys, group, sums.T
