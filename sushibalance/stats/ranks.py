"""Quantiles over games: the bands of a curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm

import numpy as np
import pandas as pd

from sushibalance.stats.counting import Clusters, rank_sums
from sushibalance.stats.exact import exact
from sushibalance.stats.groups import ANSWERS, Groups, Keys, need, unlike
from sushibalance.stats.intervals import student
from sushibalance.stats.ratios import ESTIMATES
from sushibalance.stats.tallies import Counts, Tally, quotient, with_level

VALUE = "_value"
SORTED = 64  # rows of a game from which on they are sorted beforehand


@dataclass(frozen=True, eq=False)
class Ranks:
    """Rows of a frame whose quantiles are asked for in each group.

    Attributes
    ----------
    frame : DataFrame
    by : sequence of str
        Keys of the groups.
    value : str
        A numeric column.
    at : sequence of float
        The quantiles, each in (0, 1).
    cluster : str
        The sampling unit.
    """

    frame: pd.DataFrame
    by: Sequence[str]
    value: str
    at: Sequence[float]
    cluster: str = "game"

    def tally(self) -> RankTally:
        """Return the counts of each value, and what the spread of their sums over games needs."""
        need(self.frame, "frame", *self.by, self.cluster, self.value)
        unlike((*ANSWERS, "quantile"), *self.by)
        values, unit, _ = exact(self.frame, self.value)
        frame, games = self.frame[list(self.by)].assign(**{VALUE: values}), Clusters(self.frame[self.cluster])
        groups = Groups(frame, self.by, [VALUE])
        game, cell = games.number, games.sorted(groups.cell_of_row)
        if games.longest > SORTED:
            cell = cell[np.lexsort((cell, game))]
        of_cell, of_group = np.zeros((groups.cells, 3), np.int64), np.zeros((groups.groups, 3), np.int64)
        rank_sums(game, cell, groups.group_of_cell, of_cell, of_group, np.empty(games.longest, np.int64))
        met, cells = np.flatnonzero(of_group[:, 0]), np.flatnonzero(of_cell[:, 0])
        return RankTally(
            Counts(groups.group_keys(met), of_group[met].astype(object)),
            Counts(groups.cell_keys(cells), of_cell[cells].astype(object)),
            unit,
            tuple(map(float, self.at)),
        )


@dataclass(frozen=True, eq=False)
class RankTally(Tally):
    """Counts of values, with the steps from which the spread of a cumulative share follows (see `rank_sums`).

    Attributes
    ----------
    groups : Counts
        Of each group: rows, games, sum over games of the squared number of rows.
    cells : Counts
        Of each value in each group: the sums of the three steps.
    unit : int
        So many units of a value make 1.
    at : tuple of float
        The quantiles.
    """

    groups: Counts
    cells: Counts
    unit: int
    at: tuple[float, ...]

    def question(self) -> object:
        """Return the quantiles and the names of the keys."""
        return self.at, list(self.groups.keys.columns)

    def added(self, other: RankTally) -> RankTally:
        """Return the counts of both, in a unit that fits both."""
        unit = lcm(self.unit, other.unit)
        return RankTally(self.groups + other.groups, self._in(unit) + other._in(unit), unit, self.at)

    def _in(self, unit: int) -> Counts:
        codes = self.cells.keys.codes.copy()
        codes[:, -1] *= unit // self.unit
        return Counts(Keys(self.cells.keys.columns, codes), self.cells.sums)

    def frame(self, level: float = 0.95) -> pd.DataFrame:
        """Return the keys, ``quantile`` and ``estimate, low, high, n, games``.

        A bound is a value that was seen: the one up to which the lowest, or highest, share that is likely lies. It is
        missing where that share is beyond the first or the last row: 10% of the players of 20 games may well be below
        all that were seen. Where all are the same the interval has no width, unlike that of a mean (`alike`): games too
        rare to be among so many may be as far off as they like, they are too few to move a quantile.
        """
        rows, games, rows_rows = self.groups.sums.T
        n, games = rows.astype(np.int64), games.astype(np.int64)
        values = self.cells.keys.codes[:, -1] / self.unit
        outer = list(self.groups.keys.columns)
        _, _, group = self.groups.keys.joined(self.cells.keys.only(outer))
        first = np.searchsorted(group, np.arange(len(n)))
        reached = np.cumsum(self.cells.sums, axis=0)
        before = np.vstack([np.zeros((1, 3), object), reached])[first]  # in the groups above

        def place(part: np.ndarray) -> np.ndarray:
            """Return the first cell up to which so large a part of the group's rows lies."""
            wanted = np.clip(np.ceil(np.clip(np.nan_to_num(part), 0, 1) * n - 1e-9).astype(np.int64), 1, n)
            return np.searchsorted(reached[:, 0].astype(np.int64), before[:, 0].astype(np.int64) + wanted)

        results = []
        for quantile in self.at:
            found = place(np.full(len(n), quantile))
            up_to, squares, products = (reached[found] - before).T
            share = quotient(up_to, rows)
            spread = squares * rows**2 - 2 * up_to * rows * products + up_to**2 * rows_rows
            variance = quotient(spread * games.astype(object), rows**4 * (games - 1).astype(object))
            # So many games are as good as single rows would be; where all rows lie up to here, each counts once.
            # (The score interval of a rate leans towards the middle: at the edges of a band it would cover too little.)
            with np.errstate(divide="ignore", invalid="ignore"):
                of_one = np.where(variance > 0, variance / (share * (1 - share)), 1 / games)
            edges = student(quantile, of_one * quantile * (1 - quantile), games - 1, level)
            # Beyond the outermost rows nothing is seen: of few games the bound may lie anywhere out there.
            low, high = (np.where((edge > 0) & (edge < 1), values[place(edge)], np.nan) for edge in edges)
            columns = dict(zip(ESTIMATES, (values[found], low, high, n, games), strict=True))
            results.append(self.groups.keys.frame().assign(quantile=quantile, **columns))
        result = pd.concat(results, ignore_index=True)
        order = np.arange(len(result)).reshape(len(self.at), -1)[np.argsort(self.at, kind="stable")].T.reshape(-1)
        return with_level(result.iloc[order].reset_index(drop=True), level)
