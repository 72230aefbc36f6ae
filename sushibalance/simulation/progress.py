"""How far a simulation is: a live bar on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

COMPILING = "compiling the engine (once; half a minute or so)"
SECONDS = 5.0


class Progress:
    """Counts games and says nothing."""

    def compiling(self) -> None:
        """Tell that the first game takes long because its engine is being compiled."""

    def advance(self, games: int) -> None:
        """Count finished games."""


class Lines(Progress):
    """A line of text every five seconds, and one at the end.

    ``brief`` leaves the last one out where it would be the only one.
    """

    def __init__(self, label: str, total: int, brief: bool):
        self.label, self.total, self.brief = label, total, brief
        self.done = self.before = 0
        self.told = False
        self.began = self.said = time.monotonic()

    def compiling(self) -> None:
        """Tell it."""
        if not self.told:
            self._say(COMPILING)

    def advance(self, games: int) -> None:
        """Tell it when it is time."""
        now = time.monotonic()
        if not self.done:  # the first game may have compiled: the clock starts after it
            self.began = self.said = now
            self.before = games
        self.done += games
        if now - self.said >= SECONDS or (self.done == self.total and (self.told or not self.brief)):
            rate = (self.done - self.before) / max(now - self.began, 1e-3)
            self._say(f"{self.done:,} of {self.total:,} games" + (f", {rate:,.0f} a second" if rate else ""))

    def _say(self, text: str) -> None:
        self.told, self.said = True, time.monotonic()
        print(f"{self.label}: {text}", file=sys.stderr, flush=True)


class Bar(Progress):
    """A bar of rich that moves."""

    def __init__(self, bar: Any, label: str, total: int):
        self.bar, self.label = bar, label
        self.task = bar.add_task(label, total=total)

    def compiling(self) -> None:
        """Tell it beside the bar."""
        self.bar.update(self.task, description=f"{self.label}: {COMPILING}")

    def advance(self, games: int) -> None:
        """Move the bar."""
        self.bar.update(self.task, advance=games, description=self.label)


@contextmanager
def shown(label: str, total: int, wanted: bool) -> Iterator[Progress]:
    """Yield the `Progress` that fits the place: nothing, a bar, or lines (brief ones in a notebook)."""
    if not wanted:
        yield Progress()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    console = Console(stderr=True)
    if not console.is_terminal:  # a bar in a notebook would need ipywidgets
        yield Lines(label, total, brief=console.is_jupyter)
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with RichProgress(*columns, console=console) as bar:
        yield Bar(bar, label, total)
