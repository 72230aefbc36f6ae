"""Simulate many games, into memory or into a folder, on threads or on any executor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sushibalance.games.game import Policy
from sushibalance.rules import Rules
from sushibalance.simulation.executors import Span, allowed, results
from sushibalance.simulation.memory import shortage
from sushibalance.simulation.progress import shown
from sushibalance.simulation.request import MAX_GAMES, Request, SimulationError, whole
from sushibalance.simulation.run import Run

T = TypeVar("T")


def simulate(
    rules: Rules | str | Path,
    *,
    players: int = 4,
    policies: str | Policy | Sequence[str | Policy] = "random",
    games: int = 10_000,
    seed: int = 0,
    workers: int | None = None,
    progress: bool = True,
    out: str | Path | None = None,
    executor: Any = None,
) -> Run:
    """Play many games and return their rows.

    The result depends on the rules, the players, the policies, the number of games and the seed
    alone: not on ``workers``, ``executor``, ``out``, chunks or the machine. The same seed under two variants meets
    the same shuffles.

    Parameters
    ----------
    rules : Rules, str or Path
        A rule set, the name of a shipped one, or a rule file.
    players : int
        Number of players.
    policies : str, Policy, or sequence of these
        One for all seats or one a seat: ``"greedy"``, ``"greedy(vp_weight=3)"``, a `Policy`.
    games : int
        Number of games, from 1 up.
    seed : int
        0 to 2**63 - 1.
    workers : int, optional
        Threads, by default one a core; with an executor, how many tasks it does at the same time.
    progress : bool
        Show progress on the terminal or in the notebook.
    out : str or Path, optional
        A folder for the rows, which then need not fit in memory. They are written part by part; after a stop, the
        same call goes on with the first part that is missing. With more ``games`` it adds to what is there; with fewer
        it ends a run that was stopped sooner, if it has no more games yet. A whole run is returned as it is. A run of
        anything else is refused.
    executor : concurrent.futures.Executor or dask.distributed.Client, optional
        What plays instead of threads: processes or machines that have the same versions. A policy of one's own must
        stand in a module that they can import.

    Raises
    ------
    RulesError, SimulationError
        For a request that cannot be played.
    PolicyError
        For an unknown policy, or one that chose something illegal.
    RunError
        For a folder that cannot be written or holds something else.

    See Also
    --------
    sushibalance.fold : Add up an answer over many games and keep no rows.
    """
    request = Request.of(rules, players, policies, seed)
    games = whole("games", games, 1, MAX_GAMES)
    workers = allowed(workers)
    if out is not None:
        return _into_folder(request, games, out, workers, executor, progress)
    too_many = shortage(request.new_rows(1), games)
    if too_many:
        raise SimulationError(
            f"games: {too_many}. More go into a folder (out=, --out), or into an answer without rows: fold(...)"
        )
    if executor is None:  # one part, in place
        with playing(request, [(0, games)], _same, games, workers, executor, progress) as parts:
            return next(parts)
    rows = request.new_rows(games)
    with playing(request, request.spans(games), _rows, games, workers, executor, progress) as pieces:
        for first, some in pieces:
            for name, array in some.items():
                rows[name][first : first + len(array)] = array
    return request.run(0, rows)


def _same(part: Run) -> Run:
    return part


def _rows(part: Run) -> tuple[int, dict[str, Any]]:
    return part.first, dict(part.rows)


def _into_folder(
    request: Request, games: int, out: str | Path, workers: int | None, executor: Any, progress: bool
) -> Run:
    """Play what is missing in a folder."""
    from sushibalance.simulation.folder import writing  # pyarrow, slow to import
    from sushibalance.simulation.storage import encode

    with writing(out, request, games) as folder:
        start = folder.start
        if start < games:
            spans = request.spans(games, start)
            with playing(request, spans, encode, games, workers, executor, progress, start) as parts:
                for part in parts:
                    folder.add(part)
        return folder.run()


@contextmanager
def playing(
    request: Request,
    spans: Iterable[Span],
    finish: Callable[[Run], T],
    games: int,
    workers: int | None,
    executor: Any,
    progress: bool,
    start: int = 0,
) -> Iterator[Iterator[T]]:
    """Yield the iterator of ``finish(part)`` for each span, with progress; what is still played is given up at the end.

    ``start`` of ``games`` games are there already.
    """
    with shown(request.label, games, progress, start) as told:
        came = results(request, spans, finish, workers=workers, executor=executor, progress=told)
        with closing(came):  # type: ignore[type-var]
            yield came
