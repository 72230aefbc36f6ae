"""A contest: one game and one policy, played by the compiled engine and by its C twins.

All play the same games from the same random streams. First the rows of many games must agree to the last value;
then they take turns at short runs in this one process, each turn in another order, and what counts is the CPU
time of each run over that of the others in the same turn: whatever else the machine does meets them all alike.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from benchmarks.twins import BUILDS, Twin
from sushibalance.errors import UserError
from sushibalance.games.game import Rows
from sushibalance.simulation.machine import cores
from sushibalance.simulation.request import Request

KERNEL = "numba"
SEED = 1
CHUNK = 5_000  # games whose rows are held at a time while rows are checked

Play = Callable[[int, Rows], np.ndarray]
"""``play(first, rows)`` fills the rows with the games from index ``first`` on; see `Engine.play`."""


class Disagreement(UserError):
    """Rows of the engine and of a twin that differ."""


@dataclass(frozen=True)
class Contest:
    """One row of the benchmark.

    Attributes
    ----------
    game, policy : str
        All seats play the policy, by the printed rules.
    players : int
    checked : int
        Games whose rows must agree.
    """

    game: str
    policy: str
    players: int = 4
    checked: int = 100_000

    @cached_property
    def request(self) -> Request:
        """What is played."""
        return Request.of(self.game, self.players, self.policy, SEED)

    @cached_property
    def title(self) -> str:
        """The contest in words."""
        return f"{self.request.engine.title}, {self.policy}, {self.players} players"

    def contestants(self, folder: Path) -> dict[str, Play]:
        """Return the engine, under `KERNEL`, and its twin in each of gcc's builds, made in ``folder``.

        Raises
        ------
        SimulationError
            For a number of players that the game is not for.
        CompilerError
            Without gcc, or when it refuses the twin.
        """
        twins = {f"gcc {options}": Twin(self.request, options, folder).play for options in BUILDS}
        return {KERNEL: self.request.play, **twins}


def chunks(contest: Contest, play: Play) -> Iterator[Rows]:
    """Yield the rows of the games that are checked, some at a time."""
    for first in range(0, contest.checked, CHUNK):
        rows = contest.request.new_rows(min(CHUNK, contest.checked - first))
        play(first, rows)
        yield rows


def checksum(contest: Contest, play: Play) -> str:
    """Return a hash of every value in the rows of the games that are checked."""
    digest = hashlib.sha256()
    for rows in chunks(contest, play):
        for table in rows.values():
            for field in table.dtype.names or ():
                digest.update(np.ascontiguousarray(table[field]).tobytes())
    return digest.hexdigest()


def agreed(contest: Contest, contestants: Mapping[str, Play]) -> str:
    """Return the checksum that all contestants have.

    Raises
    ------
    Disagreement
        When one has another.
    """
    with ThreadPoolExecutor(cores()) as pool:  # neither C nor numba holds the interpreter's lock
        sums = [pool.submit(checksum, contest, play) for play in contestants.values()]
    found = {name: each.result() for name, each in zip(contestants, sums, strict=True)}
    for name, other in found.items():
        if other != found[KERNEL]:
            raise Disagreement(
                f"{contest.title}: {name} plays other games than {KERNEL}: "
                f"over {contest.checked:,} games, found checksum {other[:12]}, allowed {found[KERNEL][:12]}"
            )
    return found[KERNEL]


@dataclass(frozen=True)
class Times:
    """CPU seconds of a race.

    Attributes
    ----------
    games : int
        Games in a run.
    seconds : mapping of str to float64[turns]
        By contestant.
    """

    games: int
    seconds: Mapping[str, np.ndarray]

    def rate(self, name: str) -> float:
        """Return a contestant's games in a second: the median over turns."""
        return self.games / float(np.median(self.seconds[name]))

    @property
    def best(self) -> str:
        """The fastest twin."""
        return max((name for name in self.seconds if name != KERNEL), key=self.rate)

    def ratio(self, name: str) -> tuple[float, float, float]:
        """Return the engine's time over a twin's, turn by turn: lower quartile, median, upper quartile."""
        low, middle, high = np.quantile(self.seconds[KERNEL] / self.seconds[name], [0.25, 0.5, 0.75])
        return float(low), float(middle), float(high)


def cpu_seconds(play: Play, first: int, rows: Rows) -> float:
    """Return the CPU time that a run takes."""
    began = time.thread_time()
    play(first, rows)
    return time.thread_time() - began


def race(contest: Contest, contestants: Mapping[str, Play], turns: int, seconds: float) -> Times:
    """Let the contestants take turns at the same games.

    Parameters
    ----------
    turns : int
        Runs of each that count; one more before them warms up.
    seconds : float
        About how long the engine's run takes.
    """
    contestants[KERNEL](0, contest.request.new_rows(1))  # it may have to compile
    games, taken = 1, 0.0
    while taken < seconds / 2:
        games = int(games * np.clip(seconds / max(taken, 1e-9), 2, 100))
        taken = cpu_seconds(contestants[KERNEL], 0, contest.request.new_rows(games))
    rows = {name: contest.request.new_rows(games) for name in contestants}
    names = list(contestants)
    times: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(turns + 1):
        for place in range(len(names)):
            name = names[(place + turn) % len(names)]
            times[name].append(cpu_seconds(contestants[name], turn * games, rows[name]))
    return Times(games, {name: np.array(each[1:]) for name, each in times.items()})
