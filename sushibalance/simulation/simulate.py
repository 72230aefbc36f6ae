"""Simulate many games: chunks over threads, progress, Ctrl-C."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import event

from sushibalance.core.log import new_log
from sushibalance.errors import UserError
from sushibalance.games.game import Engine, Policy, PolicyError, Rows
from sushibalance.games.registry import engine, load_rules
from sushibalance.rules import Rules
from sushibalance.rules.problems import shown
from sushibalance.simulation.memory import shortage
from sushibalance.simulation.progress import Progress
from sushibalance.simulation.progress import shown as shown_progress
from sushibalance.simulation.run import Run

CHUNK_SECONDS = 0.1
PATIENCE = 2.0  # seconds: a compile that takes longer is told
MAX_GAMES = 1_000_000_000
MAX_SEED = 2**63 - 1
MAX_WORKERS = 1024
T = TypeVar("T")


class SimulationError(UserError):
    """A request that cannot be simulated: what, found, allowed."""


def whole(name: str, value: object, low: int, high: int) -> int:
    """Return ``value`` as an int between ``low`` and ``high``.

    Raises
    ------
    SimulationError
        When it is not a whole number or out of bounds.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
        raise SimulationError(f"{name}: found {shown(value)}, allowed a whole number from {low:,} to {high:,}")
    return int(value)


def table_of(
    rules: Rules | str | Path, players: int, policies: str | Policy | Sequence[str | Policy]
) -> tuple[Rules, Engine, list[Policy]]:
    """Return the rules, the engine and one policy a seat for a request."""
    if not isinstance(rules, Rules):
        rules = load_rules(rules)
    game = engine(rules.game)
    seats = whole(f"players of {game.title}", players, *game.seats)
    wanted = [policies] if isinstance(policies, str | Policy) else policies
    if not isinstance(wanted, Sequence):
        raise SimulationError(f"policies: found {shown(policies)}, allowed a policy, or a list of one for each seat")
    wanted = list(wanted)
    if len(wanted) == 1:
        wanted *= seats
    if len(wanted) != seats:
        raise SimulationError(f"policies: found {len(wanted)}, allowed one for all or one for each of {seats} seats")
    chosen = [game.policy(policy) for policy in wanted]
    return rules, game, chosen


def simulate(
    rules: Rules | str | Path,
    *,
    players: int = 4,
    policies: str | Policy | Sequence[str | Policy] = "random",
    games: int = 10_000,
    seed: int = 0,
    workers: int | None = None,
    progress: bool = True,
) -> Run:
    """Play many games and return their rows.

    The result depends on the rules, the players, the policies, the number of games and the seed
    alone: not on ``workers``, chunks or the machine. The same seed under two variants meets the
    same shuffles.

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
        Threads; by default one a core.
    progress : bool
        Show progress on the terminal or in the notebook.

    Raises
    ------
    RulesError, SimulationError
        For a request that cannot be played.
    PolicyError
        For an unknown policy, or one that chose something illegal.
    """
    rules, game, chosen = table_of(rules, players, policies)
    games = whole("games", games, 1, MAX_GAMES)
    seed = whole("seed", seed, 0, MAX_SEED)
    workers = whole("workers", cores() if workers is None else workers, 1, MAX_WORKERS)
    too_many = shortage(game.rows(rules, len(chosen), 1), games)
    if too_many:
        raise SimulationError(f"games: {too_many}")
    rows = game.rows(rules, len(chosen), games)
    with shown_progress(f"{game.title}: {rules.name}", games, progress) as told:
        play_all(rules, game, chosen, seed, rows, workers, told)
    return Run(rules, chosen, seed, rows)


def play_all(
    rules: Rules,
    game: Engine,
    policies: Sequence[Policy],
    seed: int,
    rows: Rows,
    workers: int,
    progress: Progress,
) -> None:
    """Fill ``rows`` by chunks on ``workers`` threads; the engines release the interpreter lock."""
    total = len(rows["games"])

    def play_part(first: int, count: int) -> tuple[int, float, np.ndarray]:
        began = time.perf_counter()
        part = {name: array[first : first + count] for name, array in rows.items()}
        return count, time.perf_counter() - began, play(first, part, new_log(0))

    def patiently(work: Future[Any]) -> Any:
        while not wait([work], timeout=PATIENCE).done:
            if COMPILER.busy and game.name not in COMPILER.told:
                COMPILER.told.add(game.name)
                progress.compiling()
        return work.result()

    # numba compiles on a thread too: on the main one, Ctrl-C may get lost in a finaliser of llvmlite.
    pool = ThreadPoolExecutor(1 if numba.config.DISABLE_JIT else workers, thread_name_prefix="sushibalance")
    first, chunk, failed = 1, 1, []
    try:
        play = patiently(pool.submit(prepared, rules, game, policies, seed))
        pending = {pool.submit(play_part, 0, 1)}
        patiently(*pending)
        while pending:
            finished, pending = wait(pending, return_when=FIRST_COMPLETED)
            for future in finished:
                count, seconds, status = future.result()
                if status[0]:
                    failed.append(status)
                progress.advance(count)
                chunk = int(np.clip(count * CHUNK_SECONDS / max(seconds, 1e-6), 1, 4 * max(count, chunk)))
            while first < total and len(pending) < 2 * workers and not failed:
                count = min(chunk, total - first)
                pending.add(pool.submit(play_part, first, count))
                first += count
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    if failed:  # chunks start in order and the pending ones were waited for: the first game is the same on any threads
        raise illegal(game, policies, seed, min(failed, key=lambda status: int(status[1])))


def prepared(
    rules: Rules, game: Engine, policies: Sequence[Policy], seed: int
) -> Callable[[int, Rows, np.ndarray], np.ndarray]:
    """Compile the decisions and return ``play(first, rows, log)``, which plays from a game's index; see `Engine.play`.

    Raises
    ------
    PolicyError
        For a decision that does not compile; from ``play`` for one that raises.
    """
    table, functions, params = game.table(rules), game.functions(policies), game.params(policies, rules)

    def play(first: int, rows: Rows, log: np.ndarray) -> np.ndarray:
        try:
            with np.errstate(over="ignore"):
                return game.play(table, functions, params, seed, first, rows, log)
        except Exception as error:
            own = dict.fromkeys(f'policy "{policy.name}": {decision}' for policy, decision, _ in game.own(policies))
            if isinstance(error, MemoryError) or not own:  # no policy's fault
                raise
            games = f"games {first} to {first + len(rows['games']) - 1}, seed {seed}"
            raise PolicyError(f"{' or '.join(own)} stopped with {type(error).__name__}: {error} ({games})") from error

    return play


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


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def illegal(game: Engine, policies: Sequence[Policy], seed: int, status: np.ndarray) -> PolicyError:
    """Return the error for an illegal choice, with what is needed to see it again."""
    code, index, seat, round_number = (int(part) for part in status)
    what = game.complaints.get(code, f"status {code}")
    return PolicyError(
        f'policy "{policies[seat].name}" made an illegal choice: {what} '
        f"(seat {seat}, round {round_number}, game {index}, seed {seed})"
    )
