"""Ratios of sums over games: means, rates, shares, lifts.

The rows of each game are added up first, and the spread is taken between games (the linearised ratio
estimator, equal to a cluster-robust covariance; Cochran, Sampling Techniques, 1977, ch. 6). With one row a
game this is the textbook interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm

import numpy as np
import pandas as pd

from sushibalance.stats.counting import DIGITS, Clusters, ratio_sums, whole
from sushibalance.stats.exact import exact
from sushibalance.stats.groups import Groups, labelled, need
from sushibalance.stats.intervals import effective_wilson, score, student
from sushibalance.stats.tallies import Counts, Tally, quotient, with_level

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
        ``"mean"`` for Student's t interval; ``"rate"`` for the score interval of a proportion; ``"lift"`` for
        that of a proportion over its chance.
    inner : sequence of str
        Keys of the cells inside a group: the top is that of a cell, the bottom that of its group. Every cell gets a
        row in every group; a row whose inner key is missing counts in its group only.
    cluster : str
        The sampling unit.
    """

    frame: pd.DataFrame
    by: Sequence[str]
    top: str | None = None
    bottom: str | None = None
    kind: str = "mean"
    inner: Sequence[str] = ()
    cluster: str = "game"

    def rows(self, longest: int) -> tuple[np.ndarray, int, np.ndarray, int]:
        """Return tops and bottoms as whole numbers, each with its unit, for games of so many rows at most."""
        ones = np.ones(len(self.frame), np.int64), 1
        top, top_unit = exact(self.frame, self.top, longest) if self.top else ones
        bottom, bottom_unit = exact(self.frame, self.bottom, longest) if self.bottom else ones
        return top, top_unit, bottom, bottom_unit

    def tally(self) -> RatioTally:
        """Return the sums over games."""
        need(self.frame, "frame", self.cluster, *filter(None, (self.top, self.bottom)))
        groups, games = Groups(self.frame, self.by, self.inner), Clusters(self.frame[self.cluster])
        top, top_unit, bottom, bottom_unit = self.rows(games.longest)
        of_cell = np.zeros((3 * groups.cells, DIGITS), np.int64)
        of_group = np.zeros((2 * groups.groups, DIGITS), np.int64)
        met, odd, rows, count = (np.zeros(size, np.int64) for size in (groups.cells,) * 2 + (groups.groups,) * 2)
        room = max(groups.cells, groups.groups)
        largest = games.longest * max(
            abs(int(edge(initial=0))) for part in (top, bottom) for edge in (part.max, part.min)
        )
        ratio_sums(
            games.number, *map(games.sorted, (groups.cell_of_row, top, bottom)), groups.group_of_cell,
            of_cell, of_group, met, odd, rows, count, np.zeros((2, room), np.int64), np.zeros((2, room, 2), np.int64),
            largest**2 * len(top) < FITS, top_unit,
        )  # fmt: skip
        some = np.flatnonzero(count)
        sums = np.column_stack([whole(of_group.reshape(-1, 2, DIGITS)[some]), rows[some], count[some]])
        in_groups = Counts(groups.group_keys(some), sums)
        some = np.flatnonzero(met)
        sums = np.column_stack([whole(of_cell.reshape(-1, 3, DIGITS)[some]), odd[some]])
        in_cells = Counts(groups.cell_keys(some) if self.inner else in_groups.keys, sums)
        return RatioTally(in_groups, in_cells, (top_unit, bottom_unit), self.kind)


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
    kind : str
        As in `Ratio`.
    """

    groups: Counts
    cells: Counts
    units: tuple[int, int]
    kind: str

    def question(self) -> object:
        """Return the kind of ratio and the names of its keys."""
        return self.kind, list(self.cells.keys.columns), len(self.groups.keys.columns)

    def added(self, other: RatioTally) -> RatioTally:
        """Return the sums of both, in a unit that fits both."""
        units = lcm(self.units[0], other.units[0]), lcm(self.units[1], other.units[1])
        mine, others = self._in(units), other._in(units)
        groups, cells = mine.groups + others.groups, mine.cells + others.cells
        return RatioTally(groups, cells, units, self.kind)

    def _in(self, units: tuple[int, int]) -> RatioTally:
        top, bottom = units[0] // self.units[0], units[1] // self.units[1]
        groups = self.groups.times(bottom, bottom**2, 1, 1)
        return RatioTally(groups, self.cells.times(top, top**2, top * bottom, 1), units, self.kind)

    def frame(self, level: float = 0.95) -> pd.DataFrame:
        """Return the keys and ``estimate, low, high, n, games``."""
        keys, group, (top, top_top, top_bottom, odd) = self._cells()
        bottom, bottom_bottom, n, games = self.groups.sums[group].T
        top_unit, bottom_unit = self.units
        estimate = quotient(top * bottom_unit, bottom * top_unit)
        spread = top_top * bottom**2 - 2 * top * bottom * top_bottom + top**2 * bottom_bottom
        variance = quotient(spread * games * bottom_unit**2, bottom**4 * (games - 1) * top_unit**2)
        n, games = n.astype(np.int64), games.astype(np.int64)
        if self.kind == "mean":
            low, high = student(estimate, variance, games - 1, level)
        elif self.kind == "rate":
            low, high = score(estimate, variance, n, games, (n == games) & (odd == 0).astype(bool), level)
        else:
            rows = n.astype(object)
            rate, chance = quotient(top, rows * top_unit), quotient(bottom, rows * bottom_unit)
            low, high = effective_wilson(rate, variance * chance**2, games, level)
            low, high = low / chance, high / chance
        columns = dict(zip(ESTIMATES, (estimate, low, high, n, games), strict=True))
        return with_level(keys.assign(**columns), level)

    def total(self) -> np.ndarray:
        """Return the sum of the tops of each row of the frame."""
        return quotient(self._cells()[2][0], self.units[0])

    def _cells(self) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
        """Return the keys of all cells, the group of each, and their sums, one array a sum."""
        outer, count = list(self.groups.keys.columns), len(self.groups.keys)
        inner = [name for name in self.cells.keys.columns if name not in outer]
        if not inner:
            return self.groups.keys.frame(), np.arange(count), self.cells.sums.T
        kinds, kind = self.cells.keys.only(inner).kinds()
        _, _, group = self.groups.keys.joined(self.cells.keys.only(outer))
        sums = np.zeros((count * len(kinds), self.cells.sums.shape[1]), object)
        told = kind >= 0
        sums[group[told] * len(kinds) + kind[told]] = self.cells.sums[told]
        group, kind = np.repeat(np.arange(count), len(kinds)), np.tile(np.arange(len(kinds)), count)
        keys = self.groups.keys.at(group).frame()
        names = kinds.frame()
        for name in inner:
            single = len(inner) == 1 and not isinstance(names[name].dtype, pd.CategoricalDtype)
            values = labelled(np.arange(len(names)), names[name]) if single else names[name]
            keys[name] = values.take(kind).reset_index(drop=True)
        return keys, group, sums.T
