"""Several tables that play the same games, counted against each other while they are played.

A game of a number meets the same shuffles at every table (common random numbers), and what differs is counted game by
game. No rows are kept: a part of some thousand games is played at all tables, counted, and forgotten.

Where the policies of a table differ, the seats are rotated: a *deal*, all shuffles of one game number, is played once
for each way of moving all policies on by one seat. So every policy meets each seat's cards and each place in the order
of play equally often, and what is told of policies holds no luck of seats. All games of a deal count as one.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from threading import Event
from typing import Any

import pandas as pd

from sushibalance.analysis.over import Frames, Questions
from sushibalance.errors import UserError
from sushibalance.games.game import Policy
from sushibalance.simulation.executors import Span, results
from sushibalance.simulation.progress import COMPILING, SECONDS, WAITING, Progress, shown
from sushibalance.simulation.request import Request, received
from sushibalance.simulation.run import Run
from sushibalance.simulation.threads import next_chunk, play_chunk
from sushibalance.stats import rates
from sushibalance.stats.pairs import paired
from sushibalance.stats.ranks import Ranks
from sushibalance.stats.tallies import Tallies, Together

UNCHANGED = "unchanged"
PART = 2_000  # deals of a part
Counted = tuple[int, list[Tallies]]  # so many deals, and for each variant what differs


class Side:
    """A rule set and its seats: one request, or one for each rotation of the seats.

    Attributes
    ----------
    requests : tuple of Request
        The first is the table as it was asked for.
    """

    def __init__(self, request: Request, rotate: bool = True):
        turned = _rotations(request.policies) if rotate else [request.policies]
        self.requests = tuple(replace(request, policies=seats) for seats in turned)

    @property
    def name(self) -> str:
        """The name of the rules."""
        return self.requests[0].rules.name


def _rotations(policies: Sequence[Policy]) -> list[tuple[Policy, ...]]:
    """Return the different tables that come from moving all policies on by some seats."""
    turned: list[tuple[Policy, ...]] = []
    for step in range(len(policies)):
        seats = (*policies[len(policies) - step :], *policies[: len(policies) - step])
        if seats not in turned:
            turned.append(seats)
    return turned


class Replay:
    """What becomes of a part of a table's games that others play too; called where the games are played."""

    def __init__(self) -> None:
        self.stopped = Event()

    def __call__(self, part: Run) -> tuple[int, Any]:
        """Return the number of deals, and what is found."""
        raise NotImplementedError

    def played(self, request: Request, part: Run) -> Run:
        """Play the games of a part at another table, in chunks, so that a stop is heard."""
        rows, played, chunk = request.new_rows(part.n), 0, 1
        while played < part.n and not self.stopped.is_set():
            count, seconds, status = play_chunk(request, part.first, rows, played, min(chunk, part.n - played))
            if status[0]:
                raise request.illegal(status)
            played += count
            chunk = next_chunk(count, seconds, chunk)
        return request.run(part.first, rows)

    @contextmanager
    def over(
        self, first: Request, spans: Iterable[Span], tables: int, told: Progress, workers: int | None, executor: Any
    ) -> Iterator[Iterator[tuple[int, Any]]]:
        """Yield the iterator of what is found for each span, in order.

        Parameters
        ----------
        first : Request
            The table that is played by the workers; this object plays the others.
        spans : iterable of (int, int)
            First deal and number of deals of each part.
        tables : int
            How many there are in all.
        told : Progress
            Told of all games.
        workers, executor
            As for `simulate`. What is still played at the end is given up.
        """
        came = results(first, spans, self, workers=workers, executor=executor, progress=told)
        try:
            with closing(came):  # type: ignore[type-var]
                yield self._told(came, tables - 1, told)
        finally:
            self.stopped.set()

    @staticmethod
    def _told(came: Iterator[tuple[int, Any]], others: int, told: Progress) -> Iterator[tuple[int, Any]]:
        for deals, found in came:
            told.advance(deals * others)
            yield deals, found


class Against(Replay):
    """The same games at all other tables, and tallies of what differs.

    It can be sent to other processes, as requests can.

    Parameters
    ----------
    base : Side
        Its first request is played by the caller.
    variants : sequence of Side
    ask : Questions
        Of ratios; questions of quantiles only where no seats rotate.
    """

    def __init__(self, base: Side, variants: Sequence[Side], ask: Questions):
        super().__init__()
        self.base, self.variants, self.ask = base.requests[1:], [side.requests for side in variants], ask

    def __getstate__(self) -> dict[str, Any]:
        parcels = [[request.parcel() for request in side] for side in (self.base, *self.variants)]
        return {"parcels": parcels, "ask": self.ask}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__init__()
        self.base, *self.variants = (tuple(map(received, side)) for side in state["parcels"])
        self.ask = state["ask"]

    def __call__(self, part: Run) -> Counted:
        """Return the number of deals, and for each variant the tallies of what differs."""
        mine = [Frames(part), *(Frames(self.played(request, part)) for request in self.base)]
        observed = {name: [ask.observe(frames) for frames in mine] for name, ask in self.ask.items()}
        found = []
        for side in self.variants:
            others = [Frames(self.played(request, part)) for request in side]
            tallies = {
                name: _paired(observed[name], [ask.observe(frames) for frames in others]).of_games(part.n)
                for name, ask in self.ask.items()
            }
            tallies[UNCHANGED] = rates.tally(_unchanged(mine, others), [], "unchanged")
            found.append(Tallies(tallies))
        return part.n, found


def _paired(base: list[Any], variant: list[Any]) -> Any:
    first = base[0].parts[0] if isinstance(base[0], Together) else base[0]
    if isinstance(first, Ranks):
        if len(base) > 1:
            raise UserError(
                "metrics: found quantiles at a table whose seats rotate, allowed means, rates, shares, lifts"
            )
        return paired(first, variant[0].parts[0] if isinstance(variant[0], Together) else variant[0])
    return paired(base, variant)


def _unchanged(base: list[Frames], variant: list[Frames]) -> pd.DataFrame:
    """Return for each deal whether all its games end with the same totals on both sides."""
    columns = []
    for one, other in zip(base, variant, strict=True):
        mine, theirs = one.frame("players"), other.frame("players")
        columns.append(mine[["game"]].assign(unchanged=mine["total"].to_numpy() == theirs["total"].to_numpy()))
    return pd.concat(columns).groupby("game", as_index=False)["unchanged"].min()


class Open(Progress):
    """A line of text every five seconds, where nobody knows how many games it will be.

    It tells of the deals that were counted at all tables, as the answer will, and not of those that are played ahead.
    """

    def __init__(self, label: str, unit: str):
        self.label, self.unit, self.done, self.beside = label, unit, 0, ""
        self.said = time.monotonic()

    def compiling(self) -> None:
        """Tell it."""
        self._say(COMPILING)

    def waiting(self) -> None:
        """Tell it."""
        self._say(WAITING)

    def advance(self, games: int) -> None:
        """Tell it when it is time."""
        if time.monotonic() - self.said >= SECONDS:
            self._say(f"{self.done:,} {self.unit}" + (f", {self.beside}" if self.beside else ""))

    def _say(self, text: str) -> None:
        self.said = time.monotonic()
        print(f"{self.label}: {text}", file=sys.stderr, flush=True)


class Deals(Progress):
    """Tells another progress of deals, where games of each are played at several tables."""

    def __init__(self, told: Progress, tables: int):
        self.told, self.tables, self.games = told, tables, 0

    def compiling(self) -> None:
        """Tell it."""
        self.told.compiling()

    def waiting(self) -> None:
        """Tell it."""
        self.told.waiting()

    def advance(self, games: int) -> None:
        """Tell of as many deals as the games make up."""
        deals, self.games = divmod(self.games + games, self.tables)
        if deals:
            self.told.advance(deals)


class Sides:
    """A base and its variants, to be played side by side.

    Parameters
    ----------
    base : Side
    variants : sequence of Side
        With as many rotations as the base.
    ask : Questions
        What is counted; see `Against`.
    """

    def __init__(self, base: Side, variants: Sequence[Side], ask: Questions):
        self.base, self.variants, self.ask = base, list(variants), ask
        self._told = Progress()

    @staticmethod
    def parts(deals: int) -> Iterator[Span]:
        """Yield the spans of so many deals: the first and the number of each part."""
        for start in range(0, deals, PART):
            yield start, min(PART, deals - start)

    def say(self, text: str) -> None:
        """Let the progress tell something beside the number of games, where no number of deals is expected."""
        if isinstance(self._told, Open):
            self._told.beside = text

    @contextmanager
    def play(
        self, spans: Iterable[Span], total: int, *, workers: int | None, executor: Any, progress: bool
    ) -> Iterator[Iterator[Counted]]:
        """Yield the iterator of what `Against` gives for each span of deals, in order.

        ``total`` deals are expected, for the progress; 0: nobody knows how many. What is still played is given up at
        the end.
        """
        unit = "deals" if len(self.base.requests) > 1 else "games"
        first, tables = self.base.requests[0], len(self.base.requests) * (1 + len(self.variants))
        against = Against(self.base, self.variants, self.ask)
        names = ", ".join(side.name for side in self.variants)
        label = f"{first.label} and {names}"[:60]
        with shown(label, total, progress and total > 0, unit=unit) as told:
            self._told = Open(label, unit) if progress and not total else Deals(told, tables)
            with against.over(first, spans, tables, self._told, workers, executor) as came:
                yield self._counted(came)

    def _counted(self, came: Iterator[Counted]) -> Iterator[Counted]:
        for deals, found in came:
            if isinstance(self._told, Open):
                self._told.done += deals
            yield deals, found
