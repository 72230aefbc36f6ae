"""The tables that a report is about: who plays at them, and the answers counted while they play."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sushibalance.analysis.judged import Judged
from sushibalance.analysis.over import Questions
from sushibalance.games.game import Engine, Policy
from sushibalance.plots.texts import said
from sushibalance.rules import Rules
from sushibalance.simulation.fold import fold
from sushibalance.simulation.progress import duration
from sushibalance.simulation.request import Request
from sushibalance.stats import verdicts
from sushibalance.stats.tallies import Tallies

TRIAL = 50  # a fiftieth of the games tells how long all take


@dataclass(frozen=True)
class Table:
    """A table at which games were played, and what was counted.

    Attributes
    ----------
    rules, engine, policies, seed : Rules, Engine, tuple of Policy, int
        As those of a `Run`.
    n : int
        Games.
    answers : Tallies
        By the name of the question.
    """

    rules: Rules
    engine: Engine
    policies: tuple[Policy, ...]
    seed: int
    n: int
    answers: Tallies

    @property
    def seats(self) -> int:
        """Number of players at the table."""
        return len(self.policies)

    def frame(self, name: str, level: float = 0.95) -> pd.DataFrame:
        """Return the answer to a question."""
        return self.answers[name].frame(level)

    def verdicts(self, name: str, margin: tuple[float, float], level: float = 0.95) -> pd.DataFrame:
        """Return the answer to a question with verdicts; see `stats.verdicts`."""
        return verdicts(self.answers[name], margin, level=level)


def seats(policies: str | Sequence[str], players: int) -> list[str]:
    """Return one policy a seat: one for all, or as many as given over and over."""
    mix = [policies] if isinstance(policies, str) else list(policies)
    return [mix[seat % len(mix)] for seat in range(players)]


def play(
    rules: Rules,
    tables: Mapping[str, str | Sequence[str]],
    asked: Questions,
    *,
    players: int | Iterable[int],
    games: int,
    seed: int,
) -> dict[Any, Table]:
    """Play the same games at several tables and count the answers; no rows are kept.

    Says on stderr how long all tables will take, from a few games of each.

    Parameters
    ----------
    rules : Rules
        The rule set.
    tables : mapping of str to policies
        By label: one policy for all seats, or a mix that goes round the table.
    asked : Questions
        What is counted at each table.
    players : int or iterable of int
        Number of players, or several.
    games, seed : int
        As for `simulate`.

    Returns
    -------
    dict of Table
        By label; by (label, players) where ``players`` has several.
    """
    several = not isinstance(players, int)
    sizes = players if not isinstance(players, int) else [players]
    wanted = {(label, size): seats(mix, size) for size in sizes for label, mix in tables.items()}
    each: dict[str, Any] = {"games": games, "seed": seed}
    seconds = _seconds(rules, wanted, asked, games, seed) if games > TRIAL else {}
    played: dict[Any, Table] = {}
    for at, (key, mix) in enumerate(wanted.items(), 1):
        label, size = key
        left = sum(seconds.get(other, 0.0) for other in list(wanted)[at - 1 :])
        rest = f"; {duration(left)} left for all tables" if left >= 1 else ""
        _say(f"{said(label)}, {size} players: {games:,} games (table {at} of {len(wanted)}{rest})")
        answers = fold(rules, asked, players=size, policies=mix, **each)
        request = Request.of(rules, size, mix, seed)
        table = Table(rules, request.engine, tuple(request.policies), seed, games, answers)
        played[(label, size) if several else label] = table
    return played


def _seconds(
    rules: Rules, wanted: Mapping[Any, Sequence[str]], asked: Questions, games: int, seed: int
) -> dict[Any, float]:
    """Return how long each table is likely to take."""
    seconds = {}
    for key, mix in wanted.items():
        each: dict[str, Any] = {"players": len(mix), "policies": mix, "seed": seed}
        fold(rules, asked, games=1, **each)  # the first game may have to compile
        began, some = time.perf_counter(), games // TRIAL
        fold(rules, asked, games=some, progress=False, **each)
        seconds[key] = (time.perf_counter() - began) * games / some
    return seconds


def stacked(
    tables: Mapping[Any, Table], name: str, margin: tuple[float, float] | None = None, *, level: float = 0.95
) -> pd.DataFrame:
    """Return the answers of several tables to one question, told apart by the column ``table``.

    Parameters
    ----------
    tables : mapping of Table
        As `play` gives them. Where they differ in the number of players too, the question must have the key
        ``players``.
    name : str
        The question.
    margin : (float, float), optional
        For verdicts, corrected over all tables.
    level : float
        Confidence level.
    """
    labels = list(dict.fromkeys(map(label_of, tables)))
    tallies = [table.answers[name] for table in tables.values()]
    judged = Judged(tallies, [margin] * len(tallies)).frames(level) if margin else None
    parts = [tally.frame(level) for tally in tallies] if judged is None else judged
    names: dict[str, dict[Any, None]] = {}
    for key, part in zip(tables, parts, strict=True):
        part.insert(0, "table", pd.Categorical([label_of(key)] * len(part), categories=labels))
        for column in part.select_dtypes("category"):
            names.setdefault(column, {}).update(dict.fromkeys(part[column].cat.categories))
    kept = {"level": parts[0].attrs.get("level", level)}
    for part in parts:
        part.attrs.clear()
    result = pd.concat(parts, ignore_index=True)
    for column, values in names.items():  # categories that differ from table to table
        result[column] = pd.Categorical(result[column], categories=list(values))
    result.attrs.update(kept)
    return result


def label_of(key: Any) -> str:
    """Return the label of a table from its key."""
    return str(key[0] if isinstance(key, tuple) else key)


def about(runs: Mapping[Any, Any], label: str | None = None) -> str:
    """Return in words which games these are: ``"mixed, 4 players: greedy, tank, saver, random"``.

    Parameters
    ----------
    runs : mapping to Table or Run
        As `play` gives them.
    label : str, optional
        Of one table; by default all of them.
    """
    chosen = [(label_of(key), run) for key, run in runs.items() if label is None or label_of(key) == label]
    players = span(run.seats for _, run in chosen) + " players"
    if len({name for name, _ in chosen}) > 1:
        return f"{players} at each table"
    name, largest = max(chosen, key=lambda pair: pair[1].seats)
    who = seated(largest, alike="all ")
    return f"{said(name)}, {players}" + (f": {who}" if who != said(name) else "")


def span(sizes: Iterable[int]) -> str:
    """Return ``"4"`` or ``"2 to 6"``."""
    sizes = sorted(set(sizes))
    return str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"


def seated(run: Any, alike: str = "") -> str:
    """Return the policies of a table seat by seat, or, after ``alike``, the one that all play."""
    names = [policy_name(policy, run) for policy in run.policies]
    return alike + names[0] if len(set(names)) == 1 else ", ".join(names)


def policy_name(policy: Policy, run: Any) -> str:
    """Return a policy's name, with those of its parameters that are not as shipped."""
    shipped = run.engine.policies.get(policy.name)
    usual = shipped.parameters if shipped else {}
    changed = {key: value for key, value in policy.parameters.items() if usual.get(key) != value}
    return said(policy.name) + (f" ({parameters(changed)})" if changed else "")


def parameters(values: Mapping[str, float]) -> str:
    """Return the parameters of a policy in words."""
    return ", ".join(f"{said(key)} {value:g}" for key, value in values.items())


def told_apart(run: Any) -> str:
    """Return the key that tells a table's players apart: ``"policy"``, or ``"seat"`` where all play alike."""
    return "policy" if len(set(run.engine.called(run.policies))) > 1 else "seat"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
