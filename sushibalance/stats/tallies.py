"""Tallies: counters from which an estimate follows, and that add up over parts of the games.

A tally holds whole numbers only: how many, their sums over games, and the sums of squares and products that intervals
need. Whole numbers add up without rounding, so a run that is counted in parts, on any machines, in any order, gives
bit for bit the estimates of the run counted at once. A part holds whole games: none is split.

The numbers are Python's, without bounds; a billion games are as exact as ten. Shares such as 1/3 are whole numbers of a
sixtieth; of other fractions see `exact`: they are rounded once, so that parts may differ in the last digit.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Protocol, Self, TypeVar

import numpy as np
import pandas as pd

from sushibalance.stats.groups import Keys
from sushibalance.stats.intervals import checked


class Tally(ABC):
    """Counters of the answer to one question, which add up: ``tally + tally``, ``sum(tallies)``.

    Attributes
    ----------
    played : int, optional
        Games that were played, those in which a group does not occur as well; None where nobody said (`of_games`).
    """

    played: int | None = None

    def of_games(self, games: int) -> Self:
        """Return the counters as those of so many games, whatever occurs in them."""
        told = copy(self)
        object.__setattr__(told, "played", games)
        return told

    def __add__(self, other: Tally) -> Self:
        """Return the counters of both.

        Raises
        ------
        TypeError
            When they count something else.
        """
        if type(other) is not type(self) or other.question() != self.question():
            raise TypeError(f"tallies of different questions do not add up: {self.question()}, {_asked(other)}")
        both = self.added(other)
        return both if self.played is None or other.played is None else both.of_games(self.played + other.played)

    def __radd__(self, other: object) -> Self:
        """Return the tally itself for 0, with which `sum` begins."""
        return self if other == 0 else NotImplemented

    @abstractmethod
    def question(self) -> object:
        """Return what two tallies must have in common."""

    @abstractmethod
    def added(self, other: Any) -> Self:
        """Return the counters of both; they count the same."""

    @abstractmethod
    def frame(self, level: float = 0.95) -> pd.DataFrame:
        """Return the estimates with their intervals at a confidence level."""

    def tally(self) -> Self:
        """Return the tally itself, where rows are counted already."""
        return self


def _asked(other: object) -> object:
    if isinstance(other, Tallies):
        return list(other)
    return other.question() if isinstance(other, Tally) else type(other).__name__


@dataclass(frozen=True, eq=False)
class Counts:
    """Sums by keys.

    Attributes
    ----------
    keys : Keys
    sums : ndarray of object
        Python integers, shape (keys, sums).
    """

    keys: Keys
    sums: np.ndarray

    def __add__(self, other: Counts) -> Counts:
        keys, here, there = self.keys.joined(other.keys)
        sums = np.zeros((len(keys), self.sums.shape[1]), object)
        sums[here] += self.sums
        sums[there] += other.sums
        return Counts(keys, sums)

    def times(self, *factors: int) -> Counts:
        """Return the sums in smaller units, a factor for each."""
        return self if set(factors) == {1} else Counts(self.keys, self.sums * np.array(factors, object))


class Countable(Protocol):
    """Rows that can be counted, or a tally."""

    def tally(self) -> Tally:
        """Return the counters."""


Rows = TypeVar("Rows", bound=Countable)


@dataclass(frozen=True, eq=False)
class Together(Tally):
    """Several tallies that make one frame.

    Attributes
    ----------
    parts : tuple of Countable
        The first is the one with the estimate.
    finish : callable
        ``finish(*parts, level=level, **options) -> DataFrame``: a function of a module, so that it can be sent to
        other processes.
    options : mapping
        What else ``finish`` gets.
    """

    parts: tuple[Any, ...]
    finish: Callable[..., pd.DataFrame]
    options: Mapping[str, Any] = field(default_factory=dict)

    def question(self) -> object:
        """Return the function that finishes, its options, and the questions of the parts."""
        return self.finish, dict(self.options), [part.question() for part in self.parts]

    def added(self, other: Together) -> Together:
        """Return the sums of the parts."""
        parts = tuple(mine + others for mine, others in zip(self.parts, other.parts, strict=True))
        return Together(parts, self.finish, self.options)

    def tally(self) -> Together:
        """Return the same with all parts counted."""
        return Together(tuple(part.tally() for part in self.parts), self.finish, self.options)

    def frame(self, level: float = 0.95) -> pd.DataFrame:
        """Return the frame that the parts make together."""
        return with_level(self.finish(*self.parts, level=level, **self.options), level)


class Tallies(dict[str, Tally]):
    """Tallies by name, which add up like one."""

    def __add__(self, other: Mapping[str, Tally]) -> Tallies:
        """Return the sums by name."""
        if not isinstance(other, Tallies) or list(other) != list(self):
            raise TypeError(f"tallies of different questions do not add up: {list(self)}, {_asked(other)}")
        return Tallies({name: tally + other[name] for name, tally in self.items()})

    def __radd__(self, other: object) -> Tallies:
        """Return the tallies themselves for 0, with which `sum` begins."""
        return self if other == 0 else NotImplemented

    def frame(self, level: float = 0.95) -> dict[str, pd.DataFrame]:
        """Return the frame of each."""
        return {name: tally.frame(level) for name, tally in self.items()}


class Counted(Protocol[Rows]):
    """A question on frames, as `counted` makes it."""

    observe: Callable[..., Rows]
    tally: Callable[..., Tally]

    def __call__(self, *arguments: Any, level: float = 0.95, **options: Any) -> pd.DataFrame:
        """Return the answer."""


def counted(observe: Callable[..., Rows]) -> Counted[Rows]:
    """Make a question of a function that says which rows count.

    The result takes the same arguments and ``level``, and returns a frame. Its ``tally(...)`` takes the same
    arguments and returns the counters alone: those of parts of the games add up to those of all.
    """

    @wraps(observe)
    def asked(*arguments: Any, level: float = 0.95, **options: Any) -> pd.DataFrame:
        checked(level)
        return tally(*arguments, **options).frame(level)

    def tally(*arguments: Any, **options: Any) -> Tally:
        return observe(*arguments, **options).tally()

    given = inspect.signature(observe)
    keyword = inspect.Parameter("level", inspect.Parameter.KEYWORD_ONLY, default=0.95, annotation="float")
    asked.__signature__ = given.replace(  # type: ignore[attr-defined]
        parameters=[*given.parameters.values(), keyword], return_annotation="pd.DataFrame"
    )
    asked.observe, asked.tally = observe, tally  # type: ignore[attr-defined]
    return asked  # type: ignore[return-value]


def with_level(frame: pd.DataFrame, level: float) -> pd.DataFrame:
    """Return a frame that knows the level of its intervals, for whoever draws them."""
    frame.attrs["level"] = checked(level)
    return frame


def answer(keys: pd.DataFrame, columns: Mapping[str, Any], level: float) -> pd.DataFrame:
    """Return a frame of keys with the columns of an answer beside them, that knows the level of its intervals.

    As ``keys.assign(**columns)``, but put together at once: that is several times as quick for a few rows.
    """
    return with_level(pd.DataFrame({**keys, **columns}, index=keys.index), level)


def quotient(top: Any, bottom: Any) -> np.ndarray:
    """Return ``top / bottom`` of Python integers as the nearest floats; NaN where the bottom is 0."""
    top, bottom = np.broadcast_arrays(np.asarray(top, object), np.asarray(bottom, object))
    nothing = bottom == 0
    result = (top / np.where(nothing, 1, bottom)).astype(np.float64)
    result[nothing.astype(bool)] = np.nan
    return result
