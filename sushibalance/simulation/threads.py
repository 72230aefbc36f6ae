"""Games on threads: chunks of a tenth of a second, so that all cores work, progress moves and Ctrl-C is heard.

The engines release the interpreter lock. A run is played in parts, and a part is cut into chunks; the next part
begins while the last chunks of this one are still being played, and while what becomes of it (a file, an answer) is
made on the same threads.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import event

from sushibalance.games.game import Rows
from sushibalance.simulation.arms import Played
from sushibalance.simulation.memory import keep_freed
from sushibalance.simulation.progress import Progress

CHUNK_SECONDS = 0.1
PATIENCE = 2.0  # seconds: a compile that takes longer is told
T = TypeVar("T")


@dataclass(eq=False)
class _Part:
    """Some games in a row: how many have been sent to be played, how many are still to come back."""

    first: int
    rows: Rows
    left: int
    sent: int = 0
    done: Future[Any] | None = None


def in_threads(
    request: Played,
    spans: Iterable[tuple[int, int]],
    finish: Callable[[Any], T],
    workers: int,
    progress: Progress,
) -> Iterator[T]:
    """Yield ``finish(part)`` for each span of games, in order. Few parts are there at the same time.

    Parameters
    ----------
    request : Request or Arms
        What is played.
    spans : iterable of (int, int)
        First game and number of games of each part.
    finish : callable
        What becomes of a part; called on one of the threads.
    workers : int
        Threads.
    progress : Progress
        Told of every chunk.

    Raises
    ------
    PolicyError
        For the first illegal choice, the same on any number of threads: chunks start in order, and those that have
        started are waited for.
    """
    keep_freed()
    # numba compiles on a thread too: on the main one, Ctrl-C may get lost in a finaliser of llvmlite.
    pool = ThreadPoolExecutor(1 if numba.config.DISABLE_JIT else workers, thread_name_prefix="sushibalance")
    waiting = iter(spans)
    parts: deque[_Part] = deque()
    chunks: dict[Future[Any], _Part] = {}
    failed: list[np.ndarray] = []
    chunk, played = 1, False

    def next_part() -> _Part | None:
        if parts and parts[-1].sent < len(parts[-1].rows["games"]):
            return parts[-1]
        if len(parts) < workers + 2 and (span := next(waiting, None)):
            parts.append(_Part(span[0], request.new_rows(span[1]), span[1]))
            return parts[-1]
        return None

    try:
        while True:
            # The first game goes alone: it may have to compile the engine.
            while not failed and len(chunks) < (2 * workers if played else 1) and (part := next_part()):
                count = min(chunk, len(part.rows["games"]) - part.sent)
                chunks[pool.submit(play_chunk, request, part.first, part.rows, part.sent, count)] = part
                part.sent += count
            pending = {*chunks, *(part.done for part in list(parts)[:1] if part.done)}
            if not pending:
                break
            finished = wait(pending, PATIENCE, FIRST_COMPLETED).done
            if not finished and COMPILER.busy and request.engine.name not in COMPILER.told:
                COMPILER.told.add(request.engine.name)
                progress.compiling()
            for future in finished & chunks.keys():
                part = chunks.pop(future)
                count, seconds, status = future.result()
                played = True
                progress.advance(count)
                chunk = next_chunk(count, seconds, chunk)
                if status[0]:
                    failed.append(status)
                    continue
                part.left -= count
                if not part.left:
                    part.done = pool.submit(finish, request.run(part.first, part.rows))
            while parts and (done := parts[0].done) and done.done():
                parts.popleft()
                yield done.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    if failed:
        raise request.illegal(min(failed, key=lambda status: int(status[1])))


def play_chunk(request: Played, first: int, rows: Rows, start: int, count: int) -> tuple[int, float, np.ndarray]:
    """Play ``count`` games into ``rows`` from place ``start``, where place 0 is game ``first``.

    Returns the number of games, the seconds they took, and the status (see `Engine.play`).
    """
    play = request.play
    began = time.perf_counter()
    some = {name: array[start : start + count] for name, array in rows.items()}
    status = play(first + start, some)
    return count, time.perf_counter() - began, status


def next_chunk(count: int, seconds: float, chunk: int) -> int:
    """Return how many games to play at a time, after ``count`` of them took so many seconds."""
    return int(np.clip(count * CHUNK_SECONDS / max(seconds, 1e-6), 1, 4 * max(count, chunk)))


class _Compiler(event.Listener):
    """Knows whether numba is compiling just now, and for which games that has been told."""

    def __init__(self) -> None:
        self.busy = 0
        self.told: set[str] = set()

    def on_start(self, started: event.Event) -> None:
        """Count a function that is begun; what the cache holds is not compiled."""
        self.busy += 1

    def on_end(self, ended: event.Event) -> None:
        """Count it off."""
        self.busy -= 1


COMPILER = _Compiler()
event.register("numba:compile", COMPILER)


def aside(function: Callable[[], T]) -> T:
    """Return what a function returns that compiles or plays, called on a thread so that Ctrl-C is heard."""
    pool = ThreadPoolExecutor(1)
    try:
        return pool.submit(function).result()
    finally:
        pool.shutdown(wait=False)
