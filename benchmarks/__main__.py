"""``python -m benchmarks``: a table of how fast each engine is, against C and against the naive engines."""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numba

from benchmarks.contest import KERNEL, Contest, agreed, chunks, race
from benchmarks.decisions import COUNTS
from benchmarks.naive import seconds_a_game
from benchmarks.twins import gcc
from sushibalance.errors import UserError

CONTESTS = (
    Contest("otter", "random"),
    Contest("otter", "greedy"),
    Contest("nightmares", "random"),
    Contest("sushi_go", "random"),
    Contest("sushi_go", "greedy"),
)
COLUMNS = "{:<40}{:>12}{:>14}   {:<22}{:>12}   {:<20}{:>10}"
NOTE = """
games/s, decisions/s: of {kernel}, on one core. best C: the fastest of gcc's builds, and its games/s.
time over C: {kernel}'s CPU time over that of the best C, below 1 where {kernel} is faster. All rates and ratios are
medians over {turns} turns of about {seconds:g} s each; brackets hold the middle half of the turns.
naive: how many times as long the reference engine of the tests takes (it is told what was dealt and chosen).
C and {kernel} call a decision alike, by a function pointer; what they play was checked to be the same.
"""


def machine() -> str:
    """Return what the numbers depend on: processor, compilers."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    version = subprocess.run([gcc(), "-dumpfullversion"], capture_output=True, text=True).stdout.strip()
    return f"{model}; Python {platform.python_version()}, numba {numba.__version__}, gcc {version}"


def report(contest: Contest, turns: int, seconds: float, folder: Path) -> str:
    """Hold a contest and return its row of the table."""
    contestants = contest.contestants(folder)
    print(f"{contest.title}: {contest.checked:,} games by {', '.join(contestants)} ...", flush=True)
    print(f"  all the same, checksum {agreed(contest, contestants)[:16]}", flush=True)
    first = next(chunks(contest, contestants[KERNEL]))
    decisions = COUNTS[contest.game](first) / len(first["games"])
    times = race(contest, contestants, turns, seconds)
    rate, (low, middle, high) = times.rate(KERNEL), times.ratio(times.best)
    return COLUMNS.format(
        contest.title, f"{rate:,.0f}", f"{rate * decisions:,.0f}", times.best, f"{times.rate(times.best):,.0f}",
        f"{middle:.2f} ({low:.2f} to {high:.2f})", f"{seconds_a_game(contest) * rate:,.0f}",
    )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    games = sorted({contest.game for contest in CONTESTS})
    parser.add_argument("games", nargs="*", metavar="game", help=f"{', '.join(games)}; all by default")
    parser.add_argument("--players", type=int, default=4, help="seats at the table (4)")
    parser.add_argument("--turns", type=int, default=41, help="runs of each contestant (41)")
    parser.add_argument("--seconds", type=float, default=0.05, help="CPU time of one run (0.05)")
    parser.add_argument("--checked", type=int, help="games whose rows are compared (100,000)")
    wanted = parser.parse_args(arguments)
    unknown = [game for game in wanted.games if game not in games]
    if unknown:
        parser.error(f"found game {unknown[0]}, allowed {', '.join(games)}")
    if wanted.turns < 1 or wanted.seconds <= 0 or (wanted.checked is not None and wanted.checked < 1):
        parser.error("turns, seconds and checked must be above 0")
    try:
        print(machine(), flush=True)
        with TemporaryDirectory() as folder:
            rows = [
                report(
                    Contest(contest.game, contest.policy, wanted.players, wanted.checked or contest.checked),
                    wanted.turns, wanted.seconds, Path(folder),
                )
                for contest in CONTESTS
                if contest.game in (wanted.games or games)
            ]  # fmt: skip
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print("\n" + COLUMNS.format("", "games/s", "decisions/s", "best C", "games/s", "time over C", "naive"))
    print("\n".join(rows))
    print(NOTE.format(kernel=KERNEL, turns=wanted.turns, seconds=wanted.seconds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
