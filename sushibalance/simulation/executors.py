"""Parts of a run played by any `concurrent.futures.Executor`: processes, or machines.

A task is some parts in a row, sent as text: rules, policies by name, seed, which games. Each is played and finished
where it is sent, and what comes back is put in order. So the bits do not depend on who played what, and few results
are there at the same time.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from itertools import islice
from pickle import PicklingError
from typing import Any, TypeVar

from sushibalance.errors import UserError
from sushibalance.rules.problems import shown
from sushibalance.rules.reading import plain_text
from sushibalance.simulation.arms import Played, unpacked
from sushibalance.simulation.machine import cores
from sushibalance.simulation.progress import Progress
from sushibalance.simulation.request import SimulationError, package_version, whole
from sushibalance.simulation.threads import PATIENCE, in_threads, next_chunk, play_chunk

TASK_SECONDS = 2.0
MOST_PARTS = 16
MAX_WORKERS = 1024
TICK = 0.3
OF_DASK = ("CommClosedError", "FutureCancelledError", "KilledWorker")  # it need not be installed
T = TypeVar("T")
Span = tuple[int, int]


def allowed(workers: int | None) -> int | None:
    """Return a number of workers, or None where none is given.

    Raises
    ------
    SimulationError
        When it is no such number.
    """
    return None if workers is None else whole("workers", workers, 1, MAX_WORKERS)


def results(
    request: Played,
    spans: Iterable[Span],
    finish: Callable[[Any], T],
    *,
    workers: int | None,
    executor: Any,
    progress: Progress,
) -> Iterator[T]:
    """Yield ``finish(part)`` for each span of games, in order, from threads or from an executor.

    Raises
    ------
    SimulationError
        For an executor that is none, or workers that stop or have other versions.
    PolicyError
        For a policy that chose something illegal, or that workers cannot find.
    """
    if executor is None:
        return in_threads(request, spans, finish, workers or cores(), progress)
    return in_executor(request, spans, finish, crew(executor, workers), progress)


class Crew:
    """The workers of an executor, as many as there are just now."""

    def __init__(self, executor: Executor, workers: int | None):
        self.executor = executor
        self.workers = workers or getattr(executor, "_max_workers", None) or cores()

    def sent(self, request: Played) -> Played | str:
        """Return the request as its workers take it: threads share it, others get its text."""
        return request if isinstance(self.executor, ThreadPoolExecutor) else request.parcel()

    def width(self) -> int:
        """Return how many tasks run at the same time."""
        return self.workers

    def submit(self, *task: Any) -> Future[Any]:
        """Send a task: the arguments of `work`."""
        return self.executor.submit(work, *task)

    def underway(self, tasks: Iterable[Future[Any]]) -> int:
        """Return how many games of unfinished tasks have been played, as far as they tell."""
        return 0

    def close(self) -> None:
        """Give up what has been sent and not come back; the executor is its owner's."""


def crew(executor: Any, workers: int | None) -> Crew:
    """Return the crew of an executor or a Dask client.

    Raises
    ------
    SimulationError
        When it is neither.
    """
    if type(executor).__module__.partition(".")[0] == "distributed":
        from sushibalance.simulation.cluster import DaskCrew

        return DaskCrew(executor, workers)
    if not isinstance(executor, Executor):
        raise SimulationError(
            f"executor: found {plain_text(shown(executor))}, allowed a concurrent.futures.Executor or a Dask client"
        )
    return Crew(executor, workers)


def in_executor(
    request: Played, spans: Iterable[Span], finish: Callable[[Any], T], crew: Crew, progress: Progress
) -> Iterator[T]:
    """Yield ``finish(part)`` for each span of games, in order; see `results`."""
    waiting = iter(spans)
    tasks: deque[tuple[int, Future[Any]]] = deque()  # games in it, and what comes back
    counted: set[Future[Any]] = set()
    parts, told, done, heard = 1, 0, 0, time.monotonic()
    sent = crew.sent(request)
    try:
        while True:
            while len(tasks) < 2 * crew.width() and (some := list(islice(waiting, parts))):
                tasks.append((sum(count for _, count in some), crew.submit(sent, some, finish)))
            if not tasks:
                return
            wait([future for _, future in tasks if future not in counted], TICK, FIRST_COMPLETED)
            back = {future: games for games, future in tasks if future not in counted and future.done()}
            counted.update(back)
            done += sum(back.values())
            played = done + crew.underway(future for _, future in tasks if future not in counted)
            if played > told:  # not when a task is begun again
                progress.advance(played - told)
                told, heard = played, time.monotonic()
            elif not told and time.monotonic() - heard > PATIENCE:
                progress.waiting()
                heard = time.monotonic()
            while tasks and tasks[0][1].done():
                _, future = tasks.popleft()
                counted.discard(future)
                seconds, answers = _come_back(future)
                parts = min(max(round(TASK_SECONDS * len(answers) / max(seconds, 1e-3)), 1), MOST_PARTS)
                yield from answers
    finally:
        for _, future in tasks:
            future.cancel()
        crew.close()


def _come_back(future: Future[Any]) -> Any:
    """Return what a task gave, or tell in words why it gave nothing."""
    try:
        return future.result()
    except (UserError, MemoryError):
        raise
    except (BrokenExecutor, CancelledError) as error:
        raise _stopped(error) from error
    except (PicklingError, ImportError, AttributeError, TypeError) as error:
        said = str(error)
        if "pickle" in said:
            raise SimulationError(
                f"a question, or its answer, cannot be sent to another process ({_said(error)}); allowed: a function "
                "at the top of a module, and answers of plain values"
            ) from error
        if "sushibalance" in said and (isinstance(error, ImportError) or said.startswith("Can't get attribute")):
            raise SimulationError(
                f"a worker cannot take the task ({_said(error)}); allowed: sushibalance {package_version()} on every "
                "worker"
            ) from error
        raise
    except Exception as error:
        if type(error).__name__ not in OF_DASK:
            raise
        raise _stopped(error) from error


def _stopped(error: BaseException) -> SimulationError:
    return SimulationError(f"the workers stopped before the run was whole ({_said(error)})")


def _said(error: BaseException) -> str:
    return plain_text(f"{type(error).__name__}: {error}".rstrip(": "), 300)


def work(
    sent: Played | str,
    spans: Sequence[Span],
    finish: Callable[[Any], T],
    report: Callable[[int], None] | None = None,
) -> tuple[float, list[T]]:
    """Play some parts, one after the other, and return the seconds they took and what became of each.

    Parameters
    ----------
    sent : Request or Arms, or str
        What is played, or its parcel.
    spans : sequence of (int, int)
        First game and number of games of each part.
    finish : callable
        What becomes of a part.
    report : callable, optional
        Told after each chunk how many games have been played.
    """
    request = unpacked(sent) if isinstance(sent, str) else sent
    _ = request.play  # compiled before the clock starts
    began, before, chunk = time.perf_counter(), 0, 1
    answers: list[T] = []
    for first, games in spans:
        rows, played = request.new_rows(games), 0
        while played < games:
            count, seconds, status = play_chunk(request, first, rows, played, min(chunk, games - played))
            if status[0]:
                raise request.illegal(status)
            played += count
            chunk = next_chunk(count, seconds, chunk)
            if report:
                report(before + played)
        before += games
        answers.append(finish(request.run(first, rows)))
    return time.perf_counter() - began, answers
