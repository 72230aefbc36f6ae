"""How far a simulation is: a live bar on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

COMPILING = "compiling the engine (once; some 20 seconds)"
WAITING = "waiting for the workers (each machine compiles the engine once)"
SECONDS = 5.0


class Progress:
    """Counts games and says nothing."""

    def compiling(self) -> None:
        """Tell that the first game takes long because its engine is being compiled."""

    def waiting(self) -> None:
        """Tell that nothing has been heard of the workers yet."""

    def advance(self, games: int) -> None:
        """Count finished games."""


class Lines(Progress):
    """A line of text every five seconds, and one at the end of more than one game.

    ``brief`` leaves the last one out where it would be the only one. ``done`` games of ``total`` were there before.
    ``unit`` is what is counted.
    """

    def __init__(self, label: str, total: int, brief: bool, done: int = 0, unit: str = "games"):
        self.label, self.total, self.brief, self.unit = label, total, brief, unit
        self.done = done
        self.before: int | None = None
        self.told = False
        self.began = self.said = time.monotonic()
        if done:
            self._say(f"{done:,} of {total:,} {unit} are there already")

    def compiling(self) -> None:
        """Tell it."""
        self._once(COMPILING)

    def waiting(self) -> None:
        """Tell it."""
        self._once(WAITING)

    def advance(self, games: int) -> None:
        """Tell it when it is time, and how long the rest will take."""
        now = time.monotonic()
        self.done += games
        if self.before is None:  # the first game may have compiled: the clock starts after it
            self.began = self.said = now
            self.before = self.done
        last = self.done == self.total
        if now - self.said >= SECONDS or (last and self.total > 1 and (self.told or not self.brief)):
            rate = (self.done - self.before) / max(now - self.began, 1e-3)
            text = f"{self.done:,} of {self.total:,} {self.unit}"
            if rate:
                text += f", {rate:,.0f} a second"
                text += "" if last else f", {duration((self.total - self.done) / rate)} left"
            self._say(text)

    def _once(self, text: str) -> None:
        if not self.told:
            self._say(text)

    def _say(self, text: str) -> None:
        self.told, self.said = True, time.monotonic()
        print(f"{self.label}: {text}", file=sys.stderr, flush=True)


class Bar(Progress):
    """A bar of rich that moves."""

    def __init__(self, bar: Any, label: str, total: int, done: int = 0):
        self.bar, self.label = bar, label
        self.task = bar.add_task(label, total=total, completed=done)

    def compiling(self) -> None:
        """Tell it beside the bar."""
        self.bar.update(self.task, description=f"{self.label}: {COMPILING}")

    def waiting(self) -> None:
        """Tell it beside the bar."""
        self.bar.update(self.task, description=f"{self.label}: {WAITING}")

    def advance(self, games: int) -> None:
        """Move the bar."""
        self.bar.update(self.task, advance=games, description=self.label)


def duration(seconds: float) -> str:
    """Return a time in words, as exactly as an estimate of it is: ``"40 s"``, ``"12 min"``, ``"3.5 h"``."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 100 * 60 else f"{seconds / 3600:.1f} h"


@contextmanager
def shown(label: str, total: int, wanted: bool, done: int = 0, unit: str = "games") -> Iterator[Progress]:
    """Yield the `Progress` that fits the place: nothing, a bar, or lines (brief ones in a notebook)."""
    if not wanted:
        yield Progress()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    console = Console(stderr=True)
    if not console.is_terminal:  # a bar in a notebook would need ipywidgets
        yield Lines(label, total, brief=console.is_jupyter, done=done, unit=unit)
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with RichProgress(*columns, console=console) as bar:
        yield Bar(bar, label, total, done)
