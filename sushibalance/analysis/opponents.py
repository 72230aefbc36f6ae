"""How a policy fares against each table of others, and who beats whom (all games)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sushibalance.errors import UserError
from sushibalance.games.game import Policy
from sushibalance.games.registry import engine, load_rules
from sushibalance.rules import Rules
from sushibalance.simulation.fold import fold
from sushibalance.simulation.progress import shown
from sushibalance.simulation.request import MAX_GAMES, Request, several, whole
from sushibalance.simulation.run import Run
from sushibalance.stats import lifts, verdicts
from sushibalance.stats.groups import labelled
from sushibalance.stats.intervals import checked
from sushibalance.stats.tallies import Tally
from sushibalance.stats.verdicts import edges

APART = 60  # bits: the games of each seating have shuffles of their own
Key = tuple[str, ...]


def against(
    rules: Rules | str | Path,
    policy: str | Policy,
    others: Sequence[str | Policy],
    *,
    players: int = 4,
    games: int = 2_000,
    margin: tuple[float, float] | None = None,
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
    margin : (float, float), optional
        Win points that do not matter, for verdicts (`stats.verdicts`).
    seed, workers, progress, executor
        As for `simulate`.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        ``rivals`` (the policies in the other seats), ``estimate, low, high`` (win points: 1 is fair), ``n``, ``games``;
        with a margin ``verdict, needed``.

    Raises
    ------
    UserError
        For no others; and what `simulate` raises.
    """
    given = several("others", others, str | Policy, "policies")
    names = _names("others", given, 1, rules)
    Request.of(rules, players, policy, seed)  # that so many can play
    tables: dict[Key, list[str | Policy]] = {
        (_called(called),): [policy, *table]
        for table, called in zip(
            *(combinations_with_replacement(some, players - 1) for some in (given, names)), strict=True
        )
    }
    columns = {"rivals": [called for (called,) in tables]}
    return _told(
        rules, columns, tables, margin, f"{policy} against others", players=players, games=games, seed=seed,
        workers=workers, progress=progress, executor=executor, level=level,
    )  # fmt: skip


def match_ups(
    rules: Rules | str | Path,
    policies: Sequence[str | Policy],
    *,
    players: int = 2,
    games: int = 2_000,
    margin: tuple[float, float] | None = None,
    seed: int = 0,
    workers: int | None = None,
    progress: bool = True,
    executor: Any = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """Return the win points of each policy against each other one: who beats whom.

    One player of a policy sits at a table where all others play the other one, as in `against`.

    Parameters
    ----------
    rules, players, games, margin, seed, workers, progress, executor, level
        As for `against`; ``games`` are those of each pair.
    policies : sequence of str or Policy
        Two or more.

    Returns
    -------
    DataFrame
        ``policy``, ``rivals`` (what all others play), and the columns of `against`.

    Raises
    ------
    UserError
        For fewer than two policies; and what `simulate` raises.
    """
    given = several("policies", policies, str | Policy, "policies")
    names = _names("policies", given, 2, rules)
    Request.of(rules, players, given[0], seed)  # that so many can play
    tables: dict[Key, list[str | Policy]] = {
        (one, other): [who, *[rival] * (players - 1)]
        for one, who in zip(names, given, strict=True)
        for other, rival in zip(names, given, strict=True)
        if one != other
    }
    return _told(
        rules, {"policy": names, "rivals": names}, tables, margin, "match-ups", players=players, games=games, seed=seed,
        workers=workers, progress=progress, executor=executor, level=level,
    )  # fmt: skip


@dataclass(frozen=True)
class _Seat:
    """A question: the win points of one seat, under columns that are the same in all games.

    Attributes
    ----------
    seat : int
    keys : tuple of (str, str, list of str)
        Name and value of each column, and the values that it may have.
    """

    seat: int
    keys: tuple[tuple[str, str, list[str]], ...]

    def __call__(self, part: Run) -> Tally:
        own = part.players[part.players["seat"].to_numpy() == self.seat].reset_index(drop=True)
        told = {name: labelled(np.full(len(own), of.index(value)), of) for name, value, of in self.keys}
        return lifts.tally(own.assign(_fair=1 / part.seats, **told), list(told), "win", "_fair")


def _told(
    rules: Rules | str | Path,
    columns: Mapping[str, list[str]],
    tables: Mapping[Key, Sequence[str | Policy]],
    margin: tuple[float, float] | None,
    label: str,
    *,
    players: int,
    games: int,
    seed: int,
    workers: int | None,
    progress: bool,
    executor: Any,
    level: float,
) -> pd.DataFrame:
    """Return the win points of who sits first at each table, in every seat in turn.

    ``columns`` are the keys with all their values; a table's key is its values.
    """
    level, margin = checked(level), None if margin is None else edges(margin)
    games = whole("games", games, players, MAX_GAMES)
    for seats in tables.values():  # what cannot be played is told before anything is
        Request.of(rules, players, seats, seed)
    total: Any = 0
    with shown(label, games * len(tables), progress) as told:
        for key, table in tables.items():
            seats = list(table)
            keys = tuple(zip(columns, key, columns.values(), strict=True))
            for turn in range(players):
                part = games // players + (turn < games % players)
                total += fold(
                    rules, _Seat(turn, keys), players=players, policies=seats[-turn:] + seats[:-turn], games=part,
                    seed=seed ^ (turn << APART), workers=workers, progress=False, executor=executor,
                )  # fmt: skip
                told.advance(part)
    return total.frame(level) if margin is None else verdicts(total, margin, level=level)


def _names(what: str, given: Sequence[str | Policy], fewest: int, rules: Rules | str | Path) -> list[str]:
    """Return what policies are called (`Engine.called`), which must be different."""
    game = engine((rules if isinstance(rules, Rules) else load_rules(rules)).game)
    names = game.called([game.policy(one) for one in given])
    if len(names) < fewest or len(set(names)) < len(names):
        least = "one" if fewest == 1 else "two"
        raise UserError(
            f"{what}: found {', '.join(names) or 'none'}, allowed policies of different names, {least} at least"
        )
    return names


def _called(table: Sequence[str]) -> str:
    """Return what a table is called: ``"2 greedy, random"``."""
    counts = Counter(table)
    return ", ".join(f"{count} {name}" if count > 1 else name for name, count in counts.items())
