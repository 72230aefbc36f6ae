"""``python -m benchmarks.answers``: how long a designer waits for an answer, and against what was asked for.

Every question is asked in a process of its own, warm: what it needs is imported and compiled before the clock starts.
Wall time depends on what else the machine does, CPU time (of all threads together) hardly.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.apart import apart, peak
from sushibalance.simulation.machine import cores

COLUMNS = "{:<64}{:>9}{:>9}{:>9}{:>10}   {}"
HALF_WIDTH = 0.3  # VP
MARGIN = 0.02  # win points
PLANNED = 100_000  # games of Sushi Otter: with so many the interval is 0.013 win points to either side


@dataclass(frozen=True)
class Answer:
    """A question and how long its answer may take.

    Attributes
    ----------
    question : str
    seconds : float
        The limit, on two cores.
    ask : callable
        ``ask(folder, games)`` returns ``(before, answer)``: what is to be done before the clock starts, and what it
        measures, which returns a remark. A function of this module.
    megabytes : float
        The limit of memory.
    long : bool
        Only asked with ``--long``.
    """

    question: str
    seconds: float
    ask: Callable[[Path, int], tuple[Callable[[], Any], Callable[[], str]]]
    megabytes: float = float("inf")
    long: bool = False


@dataclass(frozen=True)
class Taken:
    """What an answer took: seconds, CPU seconds, the most memory of the process in MB, and a remark."""

    wall: float
    cpu: float
    megabytes: float
    remark: str


def stored(folder: Path, games: int) -> tuple[Callable[[], Any], Callable[[], str]]:
    """Pick rates against chance and VP curves of a stored run."""
    from sushibalance import Run, simulate
    from sushibalance.analysis import pick_rates, vp_curves
    from sushibalance.analysis.over import over, question, questions

    asked = questions(
        picks=question(pick_rates.against_chance, "turns", by="power_up"), vp=question(vp_curves.after_round, "rounds")
    )

    def before() -> None:
        over(simulate("otter", games=500, progress=False), asked)

    def answer() -> str:
        run = Run.load(folder)
        found = over(run, asked)
        return f"{run.n:,} games, {len(found['picks'])} power-ups, {len(found['vp'])} rounds"

    return before, answer


def _compared(
    base: str, variant: Any, games: int | str = "auto", **how: Any
) -> tuple[Callable[[], Any], Callable[[], str]]:
    from sushibalance import compare

    def before() -> None:
        compare(base, variant, **{**how, "games": 100}, progress=False)

    def answer() -> str:
        found = compare(base, variant, games=games, seconds=600, **how, progress=False)
        table = found.table()
        counts = table["verdict"].value_counts()
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
        return f"{found.games:,} {found.unit}: {verdicts}; half-width {(table['high'] - table['low']).max() / 2:.3g}"

    return before, answer


def sushi_go(folder: Path, games: int) -> tuple[Callable[[], Any], Callable[[], str]]:
    """The main numbers of a one-value change of Sushi Go!, until they are decided."""
    from sushibalance import load_rules

    seats = ["greedy", "denier", "pudding_lover", "random"]
    return _compared("sushi_go", load_rules("sushi_go").vary({"pudding.most": 8}, name="pudding 8"), policies=seats)


def nightmares(folder: Path, games: int) -> tuple[Callable[[], Any], Callable[[], str]]:
    """The same of Nightmares of Sushi."""
    return _compared("nightmares", "penalty_victory_8", policies=["greedy", "honest", "penalty_hunter", "trickster"])


def otter(folder: Path, games: int) -> tuple[Callable[[], Any], Callable[[], str]]:
    """The win points of four greedy players of Sushi Otter by distance from the first button, to a margin of 0.02.

    A number of games that was planned beforehand: an interval that may be watched takes twice as many.
    """
    from sushibalance.analysis import win_rates
    from sushibalance.analysis.over import question, questions

    asked = questions(distance=question(win_rates.win_points, "players", by="distance"))
    return _compared("otter", "flush_8", PLANNED, metrics=asked, margin={"distance": MARGIN})


def cards(folder: Path, games: int) -> tuple[Callable[[], Any], Callable[[], str]]:
    """The value of every power-up and Key Client card, to 0.3 VP either way."""
    from sushibalance.analysis.card_values import card_values

    def before() -> None:
        card_values(games=4, ordinary=50, progress=False)

    def answer() -> str:
        found = card_values(games=400, half_width=HALF_WIDTH, progress=False)
        return f"{found['card'].nunique()} cards, {len(found)} rows"

    return before, answer


ANSWERS = (
    Answer("pick rates and VP curves from stored games of Sushi Otter", 5, stored, megabytes=1_000),
    Answer("verdicts on a changed value of Sushi Go!, four policies", 10, sushi_go),
    Answer("verdicts on a changed value of Nightmares, four policies", 10, nightmares),
    Answer(f"Sushi Otter, four greedy players, margin of {MARGIN} win points", 60, otter),
    Answer(f"the value of all cards of Sushi Otter, to {HALF_WIDTH} VP", 600, cards, long=True),
)


def measured(place: int, folder: Path, games: int) -> Taken:
    """Ask a question of `ANSWERS`, once before the clock starts and once on the clock."""
    before, answer = ANSWERS[place].ask(folder, games)
    before()
    wall, cpu = time.perf_counter(), time.process_time()
    remark = answer()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return Taken(wall, cpu, peak(), remark)


def row(answer: Answer, taken: Taken) -> str:
    """Return a row of the table."""
    good = taken.wall <= answer.seconds and taken.megabytes <= answer.megabytes
    return COLUMNS.format(
        answer.question, f"{answer.seconds:g} s", f"{taken.wall:.1f} s", f"{taken.cpu:.1f} s",
        f"{taken.megabytes:,.0f} MB", ("" if good else "TOO SLOW OR LARGE; ") + taken.remark,
    )  # fmt: skip


def main(words: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.answers", description=__doc__)
    parser.add_argument("--games", type=int, default=1_000_000, help="stored games of Sushi Otter")
    parser.add_argument("--folder", type=Path, help="where they are, or are to be kept; else they are thrown away")
    parser.add_argument("--only", nargs="*", default=[], help="only questions with one of these words")
    parser.add_argument("--long", action="store_true", help="ask the long question as well (ten minutes)")
    given = parser.parse_args(words)
    asked = [
        (place, answer)
        for place, answer in enumerate(ANSWERS)
        if (given.long or not answer.long) and (not given.only or any(word in answer.question for word in given.only))
    ]
    with tempfile.TemporaryDirectory() as thrown:
        folder = given.folder or Path(thrown) / "stored"
        if any(answer.ask is stored for _, answer in asked):
            from sushibalance import simulate

            print(f"playing {given.games:,} games of Sushi Otter into {folder} ...", file=sys.stderr)
            run = simulate("otter", games=given.games, out=folder)
            print(f"{run.disk_bytes / 1e6:,.0f} MB", file=sys.stderr)
        print(f"{cores()} cores")
        print(COLUMNS.format("question", "limit", "wall", "CPU", "memory", "answer"))
        for place, answer in asked:
            print(row(answer, apart(measured, place, folder, given.games)), flush=True)


if __name__ == "__main__":
    main()
