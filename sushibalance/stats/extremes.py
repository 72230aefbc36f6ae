"""The least value of a column in each group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sushibalance.stats.groups import Groups, Keys, need
from sushibalance.stats.tallies import Tally


@dataclass(frozen=True, eq=False)
class Least(Tally):
    """The least value seen in each group, without an interval.

    Attributes
    ----------
    keys : Keys
    least : ndarray of float64
    """

    keys: Keys
    least: np.ndarray

    @classmethod
    def of(cls, frame: pd.DataFrame, by: Sequence[str], value: str) -> Least:
        """Return the least ``value`` of the rows of each group."""
        need(frame, "frame", value)
        groups = Groups(frame, by)
        values = np.full(groups.groups, np.inf)
        np.minimum.at(values, groups.cell_of_row, frame[value].to_numpy(np.float64))
        met = np.flatnonzero(np.isfinite(values))
        return cls(groups.group_keys(met), values[met])

    def question(self) -> object:
        """Return the names of the keys."""
        return list(self.keys.columns)

    def added(self, other: Least) -> Least:
        """Return the lesser of both."""
        keys, here, there = self.keys.joined(other.keys)
        values = np.full(len(keys), np.inf)
        for places, part in ((here, self.least), (there, other.least)):
            values[places] = np.minimum(values[places], part)
        return Least(keys, values)

    def frame(self, level: float = 0.95) -> pd.DataFrame:
        """Return the keys and the column ``least``."""
        return self.keys.frame().assign(least=self.least)
