"""``python -m benchmarks.search``: how long Sushi Otter's best plays take, in whole games, by Change cards held.

All seats reveal like `greedy`, which searches all that Change cards can do, and take Key Client cards at random. They
differ in what they draft: anything, or the first Change card on offer.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from llvmlite import binding
from numba import types

from benchmarks.__main__ import machine
from benchmarks.twins import SOURCES, CompilerError, gcc
from sushibalance.errors import UserError
from sushibalance.games.game import Policy
from sushibalance.games.otter.kernel.search import best_play
from sushibalance.games.otter.kernel.state import CHANGE, CHOICE_PICK
from sushibalance.games.otter.policies import POLICIES, decision, random_client, random_draft
from sushibalance.simulation.request import Request

SEATS = 4
ASKED = {0: 2_500, 1: 1_200}  # games a second on one core, by seats that take every Change card
LIMIT = 5.0  # milliseconds, for 99.9% of the decisions
PIECES = 20  # of a run, whose median rate counts


@decision
def change_cards_first(rules, table, own, seat, params, rng, choice):
    """Take the first Change card on offer, or any power-up."""
    for slot in range(table.n_offers):
        if table.offer[slot] >= 0 and rules.kind[table.offer[slot]] == CHANGE:
            choice[CHOICE_PICK] = slot
            return
    random_draft(rules, table, own, seat, params, rng, choice)


class Stopwatch:
    """Times the decisions of `greedy` where they are made."""

    def __init__(self, folder: Path):
        target = folder / "stopwatch.so"
        done = subprocess.run(
            [gcc(), "-O2", "-shared", "-fPIC", "-o", str(target), str(SOURCES / "stopwatch.c")],
            capture_output=True, text=True,
        )  # fmt: skip
        if done.returncode:
            raise CompilerError(f"gcc does not compile stopwatch.c:\n{done.stderr}")
        self.library = ctypes.CDLL(str(target))
        for name in ("begin", "end"):
            binding.add_symbol(f"stopwatch_{name}", ctypes.cast(self.library[name], ctypes.c_void_p).value)
        begin = types.ExternalFunction("stopwatch_begin", types.void())
        end = types.ExternalFunction("stopwatch_end", types.void(types.int64))

        @decision
        def timed(rules, table, own, seat, params, rng, choice):
            begin()
            best_play(rules, own, table.round_number, params[0], choice)
            end(own.n_changes)

        self.reveal: Callable[..., None] = timed

    def read(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the Change cards held and the milliseconds of each decision."""
        count = ctypes.c_int64.in_dll(self.library, "count").value
        kinds, times = (
            np.ctypeslib.as_array((ctypes.c_int64 * count).in_dll(self.library, name)).copy()
            for name in ("kinds", "nanoseconds")
        )
        return kinds, times / 1e6


def tables(**decisions: Any) -> dict[int, list[Policy]]:
    """Return the policies of four seats, by how many of them draft Change cards first."""
    greedy = POLICIES["greedy"]
    calm = greedy.with_decisions("calm", draft=random_draft, client=random_client, **decisions)
    eager = greedy.with_decisions("eager", draft=change_cards_first, client=random_client, **decisions)
    return {seats: [eager] * seats + [calm] * (SEATS - seats) for seats in range(SEATS + 1)}


def rates(games: int, seed: int) -> dict[int, tuple[float, float, float]]:
    """Return games in a second of one core for each of `tables`: the mean over all, and the middle half of the pieces.

    The tables take turns, a piece each: a machine that is slow for a while is so for all.
    """
    requests = {seats: Request.of("otter", SEATS, policies, seed) for seats, policies in tables().items()}
    for request in requests.values():
        request.play(0, request.new_rows(1))
    size, seconds = max(games // PIECES, 1), {seats: list[float]() for seats in requests}
    for piece in range(PIECES):
        for seats, request in requests.items():
            rows = request.new_rows(size)
            began = time.thread_time()
            request.play(piece * size, rows)
            seconds[seats].append(time.thread_time() - began)
    found = {}
    for seats, taken in seconds.items():
        low, high = np.quantile(size / np.array(taken), [0.25, 0.75])
        found[seats] = (PIECES * size / sum(taken), float(low), float(high))
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search", description=__doc__)
    parser.add_argument("--games", type=int, default=20_000, help="games of each table (20,000)")
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args(arguments)
    if wanted.games < 1:
        parser.error("games must be above 0")
    try:
        print(machine(), flush=True)
        print(f"\n{'seats that take every Change card':<35}{'games/s':>9}{'middle half':>18}{'asked':>9}")
        for seats, (mean, low, high) in rates(wanted.games, wanted.seed).items():
            asked = f"{ASKED[seats]:,}" if seats in ASKED else ""
            print(f"{seats or 'none':<35}{mean:>9,.0f}{f'{low:,.0f} to {high:,.0f}':>18}{asked:>9}", flush=True)
        with TemporaryDirectory() as folder:
            watch = Stopwatch(Path(folder))
            request = Request.of("otter", 4, tables(reveal=watch.reveal)[0], wanted.seed)
            request.play(0, request.new_rows(wanted.games))
            held, times = watch.read()
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"\nNo seat takes every Change card: {len(times):,} decisions, milliseconds of CPU time by Change cards held")
    print(f"{'held':>5}{'share':>8}{'mean':>9}{'median':>9}{'99%':>9}{'99.9%':>9}{'worst':>9}{'of the time':>13}")
    for kind in [*np.unique(held), None]:
        some = times if kind is None else times[held == kind]
        middle, most, nearly = np.quantile(some, [0.5, 0.99, 0.999])
        print(
            f"{'all' if kind is None else kind:>5}{len(some) / len(times):>8.2%}{some.mean():>9.4f}{middle:>9.4f}"
            f"{most:>9.3f}{nearly:>9.3f}{some.max():>9.2f}{some.sum() / times.sum():>13.1%}"
        )
    print(f"99.9% of the decisions take under {np.quantile(times, 0.999):.2f} ms; asked {LIMIT:g} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
