"""How a policy fares against each table of others (all games)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sushibalance.analysis import win_rates
from sushibalance.errors import UserError
from sushibalance.games.game import Policy
from sushibalance.rules import Rules
from sushibalance.simulation.fold import fold
from sushibalance.simulation.progress import shown
from sushibalance.simulation.request import MAX_GAMES, Request, whole
from sushibalance.simulation.run import Run
from sushibalance.stats.groups import labelled
from sushibalance.stats.intervals import checked
from sushibalance.stats.tallies import Tally, with_level

APART = 60  # bits: the games of each seating have shuffles of their own


@dataclass(frozen=True)
class _Seat:
    """A question: the win points of one seat."""

    seat: int

    def __call__(self, part: Run) -> Tally:
        own = part.players["seat"].to_numpy() == self.seat
        return win_rates.win_points.tally(part.players.assign(own=own), "own")


def against(
    rules: Rules | str | Path,
    policy: str | Policy,
    others: Sequence[str | Policy],
    *,
    players: int = 4,
    games: int = 2_000,
    seed: int = 0,
    workers: int | None = None,
    progress: bool = True,
    executor: Any = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """Return the win points of a policy against each table that others can make.

    Each multiset of so many policies as there are other seats is a table. The table turns around, so that the policy
    sits in each seat in a part of the games; the same deals meet all tables.

    Parameters
    ----------
    rules : Rules, str or Path
        As for `simulate`.
    policy : str or Policy
        The one that is asked about.
    others : sequence of str or Policy
        Who may sit in the other seats, in any number; with ``policy`` itself among them also tables that have it twice.
    players : int
        Number of players.
    games : int
        Games against each table, at least one a seat.
    seed, workers, progress, executor
        As for `simulate`.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        ``rivals`` (the policies in the other seats), ``estimate, low, high`` (win points: 1 is fair), ``n``, ``games``.

    Raises
    ------
    UserError
        For no others; and what `simulate` raises.
    """
    checked(level)
    others = [others] if isinstance(others, str | Policy) else list(others)
    names = [str(one) for one in others]
    if not others or len(set(names)) < len(names):
        raise UserError(
            f"others: found {', '.join(names) or 'none'}, allowed policies of different names, one at least"
        )
    games = whole("games", games, players, MAX_GAMES)
    tables = list(combinations_with_replacement(others, players - 1))
    called = [_called(table) for table in combinations_with_replacement(names, players - 1)]
    for table in tables:  # what cannot be played is told before anything is
        Request.of(rules, players, [policy, *table], seed)
    frames = []
    with shown(f"{policy} against others", games * len(tables), progress) as told:
        for code, table in enumerate(tables):
            tally: Any = 0
            for turn in range(players):
                seats = [policy, *table]
                part = games // players + (turn < games % players)
                tally += fold(
                    rules, _Seat(turn), players=players, policies=seats[-turn:] + seats[:-turn], games=part,
                    seed=seed ^ (turn << APART), workers=workers, progress=False, executor=executor,
                )  # fmt: skip
                told.advance(part)
            frame = tally.frame(level)
            frame = frame[frame["own"]].drop(columns="own")
            frame.insert(0, "rivals", labelled(np.full(len(frame), code), called).set_axis(frame.index))
            frames.append(frame)
    return with_level(pd.concat(frames, ignore_index=True), level)


def _called(table: Sequence[str]) -> str:
    """Return what a table is called: ``"2 greedy, random"``."""
    counts = Counter(table)
    return ", ".join(f"{count} {name}" if count > 1 else name for name, count in counts.items())
