"""``python -m benchmarks.costs``: what a game costs in time and disk, by players; with ``--memory`` what a run needs.

The tables of docs/size-and-clusters.md. Time is CPU time on one core, the median over pieces of a run.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.__main__ import machine
from benchmarks.apart import apart, peak
from sushibalance import Run, fold, simulate
from sushibalance.analysis import win_rates
from sushibalance.analysis.headlines import headlines
from sushibalance.analysis.over import over, question, questions
from sushibalance.errors import UserError
from sushibalance.games.registry import GAMES, engine
from sushibalance.simulation.request import Request
from sushibalance.simulation.storage import encode

POLICIES = ("random", "greedy")
PIECES = 9
SEED = 1
PLAYERS = 4
PILE = {"sushi_go": 10_000_000, "nightmares": 10_000_000, "otter": 1_000_000}  # games whose memory is measured
BILLION = 1_000_000_000
COSTS = "{:<24}{:>10}{:>10}{:>10}{:>12}{:>12}{:>12}"
HOURS = "{:<24}{:>14}{:>16}{:>16}{:>10}"


class Pace:
    """How fast one core plays one table, from pieces of about so many seconds."""

    def __init__(self, game: str, policy: str, players: int, seconds: float):
        self.request = Request.of(game, players, policy, SEED)
        self.request.play(0, self.request.new_rows(1))
        self.games, self.taken, taken = 1, list[float](), 0.0
        while taken < seconds / 2:
            self.games = int(self.games * np.clip(seconds / max(taken, 1e-9), 2, 100))
            taken = _cpu(self.request.play, 0, self.request.new_rows(self.games))
        self.rows = self.request.new_rows(self.games)

    def piece(self) -> None:
        """Play some more games."""
        self.taken.append(_cpu(self.request.play, len(self.taken) * self.games, self.rows))

    @property
    def rate(self) -> float:
        """Games in a second."""
        return self.games / float(np.median(self.taken))


def afterwards(game: str, policy: str) -> tuple[int, float, list[float]]:
    """Return the bytes of a game in memory and on disk, and the seconds of what is done with it once it is played.

    Written to a folder, asked who wins, asked all headline questions.
    """
    request = Request.of(game, PLAYERS, policy, SEED)
    size = request.part_games
    rows = request.new_rows(size)
    request.play(0, rows)
    wins = questions(wins=question(win_rates.of, "players", by="policy"))

    def part() -> Run:  # frames are kept with a run
        return request.run(0, rows)

    done: list[Callable[[], Any]] = [
        lambda: encode(part()),
        lambda: over(part(), wins, workers=1),
        lambda: over(part(), headlines(game), workers=1),
    ]
    for each in done:
        each()
    times = [float(np.median([_cpu(each) for _ in range(PIECES)])) / size for each in done]
    disk = sum(count for _, count in encode(part()).entry.files.values()) / size
    return sum(array.nbytes for array in rows.values()) // size, disk, times


def _two_digits(value: float) -> str:
    return f"{float(f'{value:.2g}'):,g}"


def _cpu(do: Callable[..., Any], *arguments: Any) -> float:
    began = time.process_time()
    do(*arguments)
    return time.process_time() - began


def stored(game: str, games: int) -> None:
    """Play a run into a folder, and ask it all headline questions."""
    with TemporaryDirectory() as folder:
        run = simulate(game, policies="random", games=games, seed=SEED, out=Path(folder) / "run", progress=False)
        over(run, headlines(game))


def folded(game: str, games: int) -> None:
    """Play a run, and ask each part all headline questions."""
    fold(game, headlines(game), policies="random", games=games, seed=SEED, progress=False).frame()


def megabytes(use: Callable[[str, int], None], game: str, games: int) -> float:
    """Return the most memory that this process took, once it has done it."""
    use(game, games)
    return peak()


def costs(seconds: float) -> None:
    """Print what games cost, by players, and what a billion games of four players do."""
    print(f"\n{'games/s on one core':<24}" + "".join(f"{players:>10}" for players in range(2, 7)))
    paces: dict[tuple[str, str], dict[int, Pace]] = {}
    for game in GAMES:
        low, high = engine(game).seats
        for policy in POLICIES:
            paces[game, policy] = {players: Pace(game, policy, players, seconds) for players in range(low, high + 1)}
    for _ in range(PIECES):  # in turn: a machine that is slow for a while is so for all
        for row in paces.values():
            for pace in row.values():
                pace.piece()
    for (game, policy), row in paces.items():
        print(f"{f'{game} {policy}':<24}" + "".join(f"{pace.rate:>10,.0f}" for pace in row.values()), flush=True)
    print(f"\n{PLAYERS} players: bytes and microseconds a game")
    print(COSTS.format("", "memory", "disk", "play", "write", "who wins", "headlines"))
    hours = []
    for game, policy in paces:
        memory, disk, (write, wins, every) = afterwards(game, policy)
        play = 1 / paces[game, policy][PLAYERS].rate
        times = (_two_digits(1e6 * each) for each in (play, write, wins, every))
        print(COSTS.format(f"{game} {policy}", memory, f"{disk:.0f}", *times), flush=True)
        each = (BILLION * (play + rest) / 3600 for rest in (wins, every, write))
        hours.append(HOURS.format(f"{game} {policy}", *map(_two_digits, each), f"{disk * BILLION / 1e9:.0f}"))
    print(f"\n{BILLION:,} games: core hours, and GB")
    print(HOURS.format("", "and who wins", "and headlines", "and store", "disk"))
    print("\n".join(hours))


def main(words: Sequence[str] | None = None) -> int:
    """Print the tables; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.costs", description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.3, help="CPU time of a piece of a run (0.3)")
    parser.add_argument("--memory", action="store_true", help="measure the memory of long runs instead")
    given = parser.parse_args(words)
    if given.seconds <= 0:
        parser.error("seconds must be above 0")
    try:
        print(machine(), flush=True)
        if not given.memory:
            costs(given.seconds)
            return 0
        print(f"\n{'MB at most':<24}{'games':>12}{'folder':>10}{'folded':>10}")
        for game, games in PILE.items():
            most = (apart(megabytes, use, game, games) for use in (stored, folded))
            print(f"{game:<24}{games:>12,}" + "".join(f"{value:>10,.0f}" for value in most), flush=True)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
