"""Effects: what a forced choice does to the player it is forced on, counted game by game against another arm.

Both arms play the same games, and a choice is forced at a place (a seat, a round) that is drawn by lot. So the mean
difference is what the choice causes, at a place taken at random; see `sushibalance.games.intervention`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from sushibalance.simulation.arms import Arms
from sushibalance.simulation.executors import Span, results
from sushibalance.simulation.progress import shown
from sushibalance.simulation.run import Run
from sushibalance.stats import lifts, means
from sushibalance.stats.groups import labelled
from sushibalance.stats.pairs import paired
from sushibalance.stats.tallies import Tallies, Tally, with_level

ALL = "all"
WIN_POINTS = "win_points"


def places(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """Return the seat and the round of the forced choice in each game of a run."""
    forced = run.engine.interventions
    assert forced is not None
    return forced.places(run.rules, run.seats, run.seed, run.first, run.n)


def outcomes(run: Run, seats: np.ndarray, total: str) -> pd.DataFrame:
    """Return how each game ends for one of its seats: game, ``total`` (by that name), win, fair."""
    at = np.arange(run.n), seats
    won = run.rows["players"]["won"][at] > 0
    return pd.DataFrame(
        {
            "game": run.first + at[0],
            total: run.rows["players"]["total"][at].astype(np.int64),
            "win": np.where(won, 1 / np.maximum(run.rows["games"]["winners"], 1), 0.0),
            "fair": 1 / run.seats,
        }
    )


def compared(base: pd.DataFrame, forced: pd.DataFrame, by: Sequence[str], values: Sequence[str]) -> Tallies:
    """Return the tallies of what is different in two arms, by outcome: each of ``values``, and win points."""
    arms = (base, forced)
    differences: dict[str, Tally] = {
        value: paired(*(means.observe(frame, by, value) for frame in arms)) for value in values
    }
    return Tallies({**differences, WIN_POINTS: paired(*(lifts.observe(frame, by, "win", "fair") for frame in arms))})


def with_all(frame: pd.DataFrame, key: str, codes: np.ndarray, names: Sequence[Any]) -> pd.DataFrame:
    """Return a frame with a key, twice: `ALL` in the first half, then to each row its own.

    Once, where there is one name only.
    """
    none = np.zeros(len(frame), np.int64)
    if len(names) == 1:
        return frame.assign(**{key: labelled(none, [ALL]).set_axis(frame.index)})
    both = pd.concat([frame, frame], ignore_index=True)
    return both.assign(**{key: labelled(np.concatenate([none, codes + 1]), [ALL, *names])})


def seats_of(run: Run, seats: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Return the policy of a seat of each game as a code, and the names of the policies."""
    called = run.engine.called(run.policies)
    names = list(dict.fromkeys(called))
    return np.array([names.index(name) for name in called])[seats], names


@dataclass(frozen=True)
class Plan:
    """Which games of which case are played next: from game ``first`` on, so many."""

    case: int
    first: int
    games: int


def played(
    arms: Arms,
    plans: Iterable[Plan],
    question: Callable[[tuple[Run, ...]], Tally | Tallies],
    *,
    workers: int | None,
    executor: Any,
    progress: bool,
    part: int,
) -> Any:
    """Return the sum of what a question gives for the arms of all parts, of ``part`` games each."""
    spans: list[Span] = [span for plan in plans for span in arms.spans(plan.case, plan.first, plan.games, part)]
    total: Any = 0
    with shown(f"{arms.label}, pairs", sum(games for _, games in spans), progress) as told:
        came = results(arms, spans, question, workers=workers, executor=executor, progress=told)
        with closing(came):  # type: ignore[type-var]
            for answer in came:
                total += answer
    return total


def framed(tallies: Tallies, level: float, arms: tuple[str, str]) -> pd.DataFrame:
    """Return the differences in one frame: the keys, ``outcome``, the mean of each arm, the difference.

    ``n`` are the forced choices, of which each was counted in both arms.
    """
    frames = []
    for code, tally in enumerate(tallies.values()):
        frame = tally.frame(level).rename(columns={"base": arms[0], "variant": arms[1]})
        outcome = labelled(np.full(len(frame), code), list(tallies))
        frame.insert(list(frame.columns).index(arms[0]), "outcome", outcome)
        frames.append(frame.assign(n=frame["n"] // 2))
    return with_level(pd.concat(frames, ignore_index=True), level)
