"""Questions to whole runs, counted part by part: memory does not grow with the number of games.

``over(run, f, "rounds")`` is ``f(run.rounds)``, bit for bit, for a run of any size, in memory or on disk. Several
questions are asked in one pass:

>>> from sushibalance import fold, simulate
>>> from sushibalance.analysis import pick_rates, vp_curves
>>> run = simulate("otter", games=200, seed=1, progress=False)
>>> asked = questions(
...     picks=question(pick_rates.against_chance, "turns"),
...     vp=question(vp_curves.after_round, "rounds", by="policy"),
... )
>>> answers = over(run, asked)
>>> answers["vp"].equals(vp_curves.after_round(run.rounds, run.players, "policy"))
True

A question is a function of a part of a run that returns a tally, so `fold` takes it as it is and keeps no rows:

>>> fold("otter", asked, games=200, seed=1, progress=False).frame()["vp"].equals(answers["vp"])
True
"""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import numpy as np
import pandas as pd

from sushibalance.analysis import pick_rates, puddings
from sushibalance.analysis.tables import Framed, with_distance, with_policy
from sushibalance.errors import UserError
from sushibalance.rules.problems import shown
from sushibalance.simulation.executors import allowed
from sushibalance.simulation.threads import cores
from sushibalance.stats.groups import labelled, listed
from sushibalance.stats.intervals import checked
from sushibalance.stats.tallies import Countable, Tallies, Tally

T = TypeVar("T")
PIECE = 16_384  # games of a piece of a run in memory
MADE = {"turns": (pick_rates.turns, ("offers", "picks")), "collected": (puddings.collected, ("players", "rounds"))}
KEYS = {"policy": (with_policy, "players"), "distance": (with_distance, "rounds")}


class Frames:
    """The frames of a part of a run, and those made of them, each made once.

    Parameters
    ----------
    part : Run
        Or anything that gives frames by name.
    same : mapping of str to (value, list)
        Columns that all frames get: the value in all rows, and the values that the column may have.
    """

    def __init__(self, part: Framed, same: Mapping[str, tuple[Any, Sequence[Any]]] | None = None):
        self.part = part
        self.same = dict(same or {})
        self._made: dict[str, pd.DataFrame] = {}

    def frame(self, name: str) -> pd.DataFrame:
        """Return a frame by name: the run's own, ``"turns"`` (`pick_rates.turns`), ``"collected"`` (`puddings`)."""
        if name not in self._made:
            if name in MADE:
                make, frames = MADE[name]
                self._made[name] = self._told_apart(make(*map(self.frame, frames)))
            else:
                self._made[name] = self._told_apart(self.part.frame(name))
        return self._made[name]

    def _told_apart(self, frame: pd.DataFrame) -> pd.DataFrame:
        columns = {}
        for name, (value, values) in self.same.items():
            if name not in frame.columns:
                if all(isinstance(other, int | float | np.number) for other in values):
                    columns[name] = pd.Series(np.full(len(frame), value), frame.index)
                else:
                    names = list(dict.fromkeys(values))
                    columns[name] = labelled(np.full(len(frame), names.index(value)), names).set_axis(frame.index)
        return frame.assign(**columns) if columns else frame


@dataclass(frozen=True)
class Question:
    """A question to a part of a run: call it for the tally.

    Attributes
    ----------
    ask : callable
        A function of `sushibalance.analysis` or `sushibalance.stats`, or the user's own that returns a tally.
    frames : tuple of str
        Names of the frames that it gets.
    arguments : mapping
        What else it gets.

    Raises
    ------
    UserError
        When the function takes other arguments.
    """

    ask: Callable[..., Any]
    frames: tuple[str, ...]
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        signature, name = inspect.signature(self.ask), getattr(self.ask, "__name__", "question")
        try:
            signature.bind(*self.frames, **self.arguments)
        except TypeError as error:
            raise UserError(f"{name}: {error}; allowed ({', '.join(signature.parameters)})") from None

    def __call__(self, part: Framed) -> Tally:
        """Return the tally of a part."""
        return self.observe(part).tally()

    def observe(self, part: Framed) -> Countable:
        """Return the rows of a part that count."""
        made = part if isinstance(part, Frames) else Frames(part)
        frames = [self._with_keys(made.frame(name), made) for name in self.frames]
        return getattr(self.ask, "observe", self.ask)(*frames, **self.arguments)

    def _with_keys(self, frame: pd.DataFrame, made: Frames) -> pd.DataFrame:
        """Return a frame of seats with the policy and the distance from the first button, where they are keys."""
        by = self.arguments.get("by")
        if by is None:
            default = inspect.signature(self.ask).parameters.get("by")
            by = () if default is None or default.default is inspect.Parameter.empty else default.default
        for key in listed(by):
            if key in KEYS and key not in frame.columns and "seat" in frame.columns:
                add, name = KEYS[key]
                frame = add(frame, made.frame(name))
        return frame


class Questions(dict[str, Question]):
    """Questions by name, asked in one pass."""

    def __call__(self, part: Framed) -> Tallies:
        """Return the tallies of a part."""
        made = part if isinstance(part, Frames) else Frames(part)
        return Tallies({name: ask(made) for name, ask in self.items()})


def question(f: Callable[..., Any], *frames: str, **arguments: Any) -> Question:
    """Return the question that `over` asks for these arguments, to be asked later or with others."""
    return Question(f, frames, arguments)


def questions(**named: Question) -> Questions:
    """Return several questions as one; the answer is a dict of frames by these names."""
    return Questions(named)


def over(
    run: Framed | Mapping[Any, Framed],
    f: Callable[..., Any],
    *frames: str,
    level: float = 0.95,
    keys: Sequence[str] = ("table",),
    workers: int | None = None,
    **arguments: Any,
) -> Any:
    """Return the answer to a question about a run of any size, or about several runs.

    Parameters
    ----------
    run : Run, or mapping to Run
        Several runs are told apart by columns, as `tables.stack` does.
    f : callable
        A function of `sushibalance.analysis` or `sushibalance.stats`; or a question ready made (`question`,
        `questions`, `headlines`), without further arguments.
    frames : str
        Names of the frames that ``f`` takes: ``"players"``, ``"rounds"``, ...; ``"turns"`` (`pick_rates.turns`) and
        ``"collected"`` (`puddings.collected`) are made of others. A frame of seats gets the columns ``policy`` and
        ``distance`` when they are keys.
    level : float
        Confidence level.
    keys : sequence of str
        Names of the columns that hold the label of a run; with several a label is a tuple.
    workers : int, optional
        Threads; by default one a core.
    arguments
        What else ``f`` takes.

    Returns
    -------
    DataFrame, or dict of DataFrame by name
        That of ``f``, bit for bit the same however many parts the run has.
    """
    ready = isinstance(f, Question | Questions)
    if ready and (frames or arguments):
        raise UserError(f"over: found {', '.join([*frames, *arguments])} beside a question, which has its own")
    checked(level)
    return tallied(run, f if ready else question(f, *frames, **arguments), keys=keys, workers=workers).frame(level)


def tallied(
    run: Framed | Mapping[Any, Framed],
    ask: Callable[[Any], T],
    *,
    keys: Sequence[str] = ("table",),
    workers: int | None = None,
) -> T:
    """Return the sum of what a question gives for all parts of a run, or of several runs; see `over`.

    So many parts are in memory as there are workers, and one more that is being read.
    """
    threads = allowed(workers) or cores()
    total: Any = 0
    with ThreadPoolExecutor(threads, thread_name_prefix="sushibalance") as pool:
        waiting: deque[Future[T]] = deque()
        for part in _parts(run, keys):
            waiting.append(pool.submit(ask, part))
            if len(waiting) > threads:
                total += waiting.popleft().result()
        for answer in waiting:
            total += answer.result()
    if not isinstance(total, Tally | Tallies):
        raise UserError(f"over: found {shown(total)}, allowed one run at least, and a question that returns a tally")
    return cast(T, total)


def _parts(run: Framed | Mapping[Any, Framed], keys: Sequence[str]) -> Iterator[Frames]:
    """Yield the parts of all runs, few games each, with the columns that tell the runs apart."""
    if not isinstance(run, Mapping):
        run, keys = {(): run}, ()
    labels = [label if len(keys) != 1 else (label,) for label in run]
    columns = list(zip(*labels, strict=True)) if keys else []
    for label, one in zip(labels, run.values(), strict=True):
        same = {key: (value, column) for key, value, column in zip(keys, label, columns, strict=True)}
        for part in _pieces(one):
            yield Frames(part, same)


def _pieces(run: Any) -> Iterator[Framed]:
    """Yield the parts of a run, cut where they hold many games."""
    if not hasattr(run, "parts"):
        yield run
        return
    for part in run.parts():
        for start in range(0, part.n, PIECE) if part.n > PIECE else ():
            yield part.cut(start, min(start + PIECE, part.n))
        if part.n <= PIECE:
            yield part
