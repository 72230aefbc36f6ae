"""The groups of a frame: a number for each row, and the keys that the numbers stand for.

Keys are columns of few values: categories, seats, rounds, policies. Their codes are combined into one
integer, so that grouping is arithmetic and neither hashes nor sorts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from sushibalance.errors import UserError, nearest

By = str | Sequence[str]
Step = tuple[str | None, np.ndarray]  # a key and its codes, or the numbers that are in use
MISSING = 2**62  # the code of a missing label: behind all others
MOST = 2**62
SPARE = 2**16  # so many unused numbers cost nothing


class ColumnError(UserError):
    """A frame without a column that a question needs, or with values that it cannot use."""


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


# Columns of answers, beside the keys.
ANSWERS = frozenset(
    ("estimate", "low", "high", "n", "games", "base", "variant", "reduction", "verdict", "needed", "margin_low",
     "margin_high")
)  # fmt: skip


def unlike(taken: Iterable[str], *keys: str) -> None:
    """Check that no key has the name of a column of the answer.

    Raises
    ------
    ColumnError
        Naming the key.
    """
    for key in keys:
        if key in taken:
            raise ColumnError(f'by: found "{key}", which is the name of a column of the answer, allowed other names')


def listed(by: By) -> list[str]:
    """Return the names of keys as a list: one, several or none.

    Raises
    ------
    ColumnError
        When they are no names.
    """
    if isinstance(by, str):
        return [by]
    if not isinstance(by, Iterable) or not all(isinstance(name, str) for name in by):
        raise ColumnError(f"by: found {by!r}, allowed the name of a column, or several")
    return list(by)


def labelled(codes: np.ndarray, names: Iterable[Any]) -> pd.Series:
    """Return a categorical column: ``names[code]`` for each code, all names kept in their order."""
    return pd.Series(pd.Categorical.from_codes(codes.astype(np.int64), categories=pd.Index(list(names))))


def stacked(frames: Sequence[pd.DataFrame], columns: Sequence[str] | None = None) -> pd.DataFrame:
    """Return some columns, or all of the first, of frames one below the other; see `joined` for their types."""
    names = list(frames[0].columns if columns is None else columns)
    index = range(sum(map(len, frames)))
    return pd.DataFrame({name: joined([frame[name] for frame in frames]) for name in names}, index=index)


def joined(parts: Sequence[pd.Series]) -> pd.Series:
    """Return columns one below the other; a categorical one has the categories of all, in order of appearance.

    It is ordered where all parts have the same order.
    """
    dtype = parts[0].dtype
    if not isinstance(dtype, pd.CategoricalDtype):
        return pd.concat(parts, ignore_index=True)
    ordered = dtype.ordered and all(part.dtype == dtype for part in parts)
    return pd.Series(pd.api.types.union_categoricals(parts, ignore_order=not ordered))


@dataclass(frozen=True, eq=False)
class Column:
    """What the codes of a key stand for.

    Attributes
    ----------
    dtype : dtype
        Of the column that the key comes from and goes back to.
    labels : Index, optional
        The value of each code; without labels (whole numbers, true and false) a code is the value.
    """

    dtype: Any
    labels: pd.Index | None = None

    @classmethod
    def of(cls, series: pd.Series) -> tuple[Column, np.ndarray]:
        """Return the key and the codes of a column; -1 where a label is missing."""
        dtype = series.dtype
        if isinstance(dtype, pd.CategoricalDtype):
            return cls(dtype, dtype.categories), series.cat.codes.to_numpy()
        if isinstance(dtype, np.dtype) and dtype.kind in "biu" and dtype != np.uint64:
            return cls(dtype), series.to_numpy()
        codes, labels = pd.factorize(series, sort=True)
        return cls(dtype, pd.Index(labels)), codes

    def codes(self, series: pd.Series) -> np.ndarray:
        """Return the codes of another column's values in this key; negative where it has no such label."""
        if self.labels is None:
            return series.to_numpy()
        if isinstance(series.dtype, pd.CategoricalDtype):
            there = np.append(self.labels.get_indexer(series.cat.categories), -1)
            return there[series.cat.codes.to_numpy()]
        return self.labels.get_indexer(pd.Index(series))

    def series(self, codes: np.ndarray) -> pd.Series:
        """Return the column of values for codes."""
        if self.labels is None:
            return pd.Series(codes.astype(self.dtype))
        places = np.where(codes == MISSING, -1, codes)
        if isinstance(self.dtype, pd.CategoricalDtype):
            return pd.Series(pd.Categorical.from_codes(places, dtype=self.dtype))
        return pd.Series(pd.api.extensions.take(self.labels.array, places, allow_fill=True), dtype=self.dtype)

    def same(self, other: Column) -> bool:
        """Return whether equal codes stand for equal values."""
        if self.labels is None or other.labels is None:
            return self.labels is other.labels and self.dtype == other.dtype
        return self.labels is other.labels or (self.dtype == other.dtype and self.labels.equals(other.labels))

    def united(self, other: Column) -> Column | None:
        """Return a key that has the categories of both, or the whole numbers of both; None for other kinds.

        Categories that the other has alone come last.
        """
        if self.labels is None and other.labels is None:
            return Column(np.result_type(self.dtype, other.dtype))
        if not all(isinstance(column.dtype, pd.CategoricalDtype) for column in (self, other)):
            return None
        assert self.labels is not None and other.labels is not None
        labels = self.labels.append(other.labels[~other.labels.isin(self.labels)])
        return Column(pd.CategoricalDtype(labels, ordered=self.dtype.ordered and other.dtype.ordered), labels)


@dataclass(frozen=True, eq=False)
class Keys:
    """The keys of groups: one row a group, sorted, missing labels last.

    Attributes
    ----------
    columns : mapping of str to Column
        By name.
    codes : ndarray of int64
        Shape (groups, columns).
    """

    columns: dict[str, Column]
    codes: np.ndarray

    def __len__(self) -> int:
        return len(self.codes)

    def frame(self) -> pd.DataFrame:
        """Return the keys as columns."""
        columns = {name: column.series(self.codes[:, i]) for i, (name, column) in enumerate(self.columns.items())}
        return pd.DataFrame(columns, index=range(len(self)))

    def at(self, rows: np.ndarray) -> Keys:
        """Return some of the rows."""
        return Keys(self.columns, self.codes[rows])

    def only(self, names: Sequence[str]) -> Keys:
        """Return some of the columns; rows may be equal then."""
        places = [list(self.columns).index(name) for name in names]
        return Keys({name: self.columns[name] for name in names}, self.codes[:, places])

    def distinct(self) -> tuple[Keys, np.ndarray]:
        """Return the different rows, sorted, and the number of each row among them."""
        if not self.columns:
            return Keys({}, self.codes[:1]), np.zeros(len(self), np.int64)
        codes, places = np.unique(self.codes, axis=0, return_inverse=True)
        return Keys(self.columns, codes), places.reshape(-1)

    def kinds(self) -> tuple[Keys, np.ndarray]:
        """Return the different rows without missing labels, and the number of each row among them, or -1.

        Of a single categorical column these are all its categories, in their order, whether they occur or not.
        """
        if len(self.columns) == 1:
            (column,) = self.columns.values()
            if column.labels is not None and isinstance(column.dtype, pd.CategoricalDtype):
                codes = self.codes[:, 0]
                return Keys(self.columns, np.arange(len(column.labels))[:, None]), np.where(codes == MISSING, -1, codes)
        keys, places = self.distinct()
        whole = (keys.codes != MISSING).all(axis=1)
        return keys.at(np.flatnonzero(whole)), np.where(whole, np.cumsum(whole) - 1, -1)[places]

    def joined(self, other: Keys) -> tuple[Keys, np.ndarray, np.ndarray]:
        """Return the keys of both, and the places in them of the rows of each."""
        if not len(self) or not len(other):
            some = self if len(self) else other
            return some, np.arange(len(self)), np.arange(len(other))
        same = all(map(Column.same, self.columns.values(), other.columns.values()))
        if same and np.array_equal(self.codes, other.codes):
            return self, np.arange(len(self)), np.arange(len(self))
        mine, others = self, other
        if not same:
            columns = {name: self._united(other, name) for name in self.columns}
            mine, others = self._recoded(columns), other._recoded(columns)
        keys, places = Keys(mine.columns, np.concatenate([mine.codes, others.codes])).distinct()
        return keys, places[: len(self)], places[len(self) :]

    def _series(self, name: str) -> pd.Series:
        return self.columns[name].series(self.codes[:, list(self.columns).index(name)])

    def _united(self, other: Keys, name: str) -> Column:
        """Return a column that has the values of both."""
        column = self.columns[name].united(other.columns[name])
        return column or Column.of(pd.concat([self._series(name), other._series(name)], ignore_index=True))[0]

    def _recoded(self, columns: dict[str, Column]) -> Keys:
        """Return the same keys in other columns, which must know all their values."""
        codes = np.empty_like(self.codes)
        for i, (name, column) in enumerate(columns.items()):
            found = column.codes(self._series(name))
            codes[:, i] = found if column.labels is None else np.where(found < 0, MISSING, found)
        return Keys(columns, codes)


class Groups:
    """The group of each row of a frame, and cells inside the groups.

    Parameters
    ----------
    frame : DataFrame
        Any frame with the columns ``by`` and ``inner``.
    by : sequence of str
        Keys of the groups; none for one group of all rows.
    inner : sequence of str
        Keys that tell apart the cells inside a group; none where each group is one cell.
    spare : int
        So many numbers for a row may stay unused: those are quicker to give, and take room.

    Attributes
    ----------
    cell_of_row : ndarray of int64
        Cells are numbered in the order of their keys; not every number below ``cells`` must occur.
    cells, groups : int
        How many numbers there are.
    group_of_cell : ndarray of int64
        Groups are numbered in the order of their keys, too.
    """

    def __init__(self, frame: pd.DataFrame, by: Sequence[str], inner: Sequence[str] = (), *, spare: float = 0.25):
        need(frame, "frame", *by, *inner)
        twice = [name for i, name in enumerate([*by, *inner]) if name in [*by, *inner][:i]]
        if twice:
            raise ColumnError(f'keys: found "{twice[0]}" twice, allowed once')
        self.columns: dict[str, Column] = {}
        self._steps: list[Step] = []
        self._room = max(SPARE, int(spare * len(frame)))
        self.cell_of_row, self.cells = np.zeros(len(frame), np.int64), 1
        for name in by:
            self._tell_apart(name, frame[name])
        if self.cells > self._room:
            self._close_up()
        self.groups, self._outer = self.cells, len(self._steps)
        for name in inner:
            self._tell_apart(name, frame[name])
        if self.cells > self._room:
            self._close_up()
        self.group_of_cell = self._undone(np.arange(self.cells), self._steps[self._outer :])[0]

    def _tell_apart(self, name: str, series: pd.Series) -> None:
        """Split all numbers so far by the codes of one more column."""
        column, codes = Column.of(series)
        self.columns[name] = column
        if column.labels is not None:
            values = np.append(np.arange(len(column.labels)), MISSING)
            digit = codes.astype(np.int64)
            digit[digit < 0] = len(column.labels)
        else:
            low, high = (int(codes.min()), int(codes.max())) if len(codes) else (0, 0)
            if high - low < self._room:
                values, digit = np.arange(low, high + 1), codes.astype(np.int64)
                digit -= low
            else:
                values, digit = np.unique(codes, return_inverse=True)
        if self.cells * len(values) > MOST:
            self._close_up()
        if self.cells > 1:
            digit += self.cell_of_row * len(values)
        self.cell_of_row, self.cells = digit, self.cells * len(values)
        self._steps.append((name, values))

    def _close_up(self) -> None:
        """Number anew what occurs."""
        used, self.cell_of_row = np.unique(self.cell_of_row, return_inverse=True)
        self.cells = len(used)
        self._steps.append((None, used))

    def _undone(self, numbers: np.ndarray, steps: Sequence[Step]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return what the numbers were before some steps, and the codes that these steps added."""
        codes: dict[str, np.ndarray] = {}
        for name, values in reversed(steps):
            if name is not None:
                numbers, digit = np.divmod(numbers, len(values))
                codes[name] = values[digit]
            else:
                numbers = values[numbers]
        return numbers, codes

    def cell_keys(self, cells: np.ndarray) -> Keys:
        """Return the keys of some cells, outer and inner."""
        return self._keys(cells, self._steps)

    def group_keys(self, groups: np.ndarray) -> Keys:
        """Return the keys of some groups."""
        return self._keys(groups, self._steps[: self._outer])

    def _keys(self, numbers: np.ndarray, steps: Sequence[Step]) -> Keys:
        codes = self._undone(numbers, steps)[1]
        columns = {name: column for name, column in self.columns.items() if name in codes}
        table = [codes[name] for name in columns]
        return Keys(columns, np.column_stack(table) if table else np.empty((len(numbers), 0), np.int64))


def numbers(frame: pd.DataFrame, columns: Sequence[str]) -> tuple[np.ndarray, int]:
    """Return a number for each row, equal where the columns are, and how many numbers there are; some may be unused."""
    groups = Groups(frame, columns, spare=8)
    return groups.cell_of_row, groups.cells


def closed_up(number: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return which of the numbers below ``count`` occur, and for each row which of these it has."""
    seen = np.bincount(number, minlength=count) > 0
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[number]


def first_rows(frame: pd.DataFrame, columns: Sequence[str]) -> np.ndarray:
    """Return for each row whether it is the first with these values in the columns."""
    number, count = numbers(frame, columns)
    return _first(number, count)[number] == np.arange(len(frame))


def last_rows(frame: pd.DataFrame, columns: Sequence[str], when: str) -> np.ndarray:
    """Return for each row whether none with these values in the columns has more in the column ``when``."""
    number, count = numbers(frame, columns)
    time = frame[when].to_numpy(np.int64)
    latest = np.full(count, np.iinfo(np.int64).min)
    np.maximum.at(latest, number, time)
    return time == latest[number]


def same_row(name: str, known: pd.DataFrame, wanted: pd.DataFrame, columns: Sequence[str]) -> np.ndarray:
    """Return for each row of ``wanted`` the place of the first row in ``known`` with the same values in the columns.

    Raises
    ------
    ColumnError
        Naming the frame ``known`` and the values, when it has no such row.
    """
    both = pd.concat([known[list(columns)], wanted[list(columns)]], ignore_index=True)
    number, count = numbers(both, columns)
    place = _first(number[: len(known)], count)[number[len(known) :]]
    if len(place) and place.min() < 0:
        row = wanted.iloc[int(place.argmin())]
        raise ColumnError(f"{name}: no row with " + ", ".join(f"{column} {row[column]}" for column in columns))
    return place


def _first(number: np.ndarray, count: int) -> np.ndarray:
    """Return for each number the first row that has it, or -1."""
    first = np.full(count, -1)
    first[number[::-1]] = np.arange(len(number))[::-1]
    return first
