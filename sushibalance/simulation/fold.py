"""One answer from any number of games: played, asked and added up part by part, and no rows are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

from sushibalance.games.game import Policy
from sushibalance.rules import Rules
from sushibalance.simulation.executors import allowed
from sushibalance.simulation.request import MAX_GAMES, Request, whole
from sushibalance.simulation.run import Run
from sushibalance.simulation.simulate import playing


class Answer(Protocol):
    """What can be added up: numbers, arrays, `collections.Counter`, the tallies of `sushibalance.stats`."""

    def __add__(self, other: Self, /) -> Self: ...


T = TypeVar("T", bound=Answer)


def fold(
    rules: Rules | str | Path,
    question: Callable[[Run], T],
    *,
    players: int = 4,
    policies: str | Policy | Sequence[str | Policy] = "random",
    games: int = 10_000,
    seed: int = 0,
    workers: int | None = None,
    progress: bool = True,
    executor: Any = None,
) -> T:
    """Play many games, ask each part of them a question, and return the sum of the answers.

    Memory does not grow with the number of games. The games are those of `simulate`, cut into parts of a number of
    games that depends on the rules and the players alone; answers are added in the order of the games. So the result
    is the same, bit for bit, whoever plays.

    Parameters
    ----------
    question : callable
        ``question(part) -> answer``: ``part`` is a `Run` of some thousand games, with frames like any run; answers
        can be added with ``+``. It is called where the games are played, so an ``executor`` must be able to send it.
    rules, players, policies, games, seed, workers, progress, executor
        As for `simulate`.

    Raises
    ------
    RulesError, SimulationError, PolicyError
        As `simulate`.

    Examples
    --------
    >>> from collections import Counter
    >>> from sushibalance import fold
    >>> rounds = fold("nightmares", lambda part: Counter(part.games["rounds"]), games=100, progress=False)
    >>> rounds.total()
    100
    """
    request = Request.of(rules, players, policies, seed)
    games = whole("games", games, 1, MAX_GAMES)
    with playing(request, request.spans(games), question, games, allowed(workers), executor, progress) as answers:
        total = next(answers)
        for answer in answers:
            total = total + answer
    return total
