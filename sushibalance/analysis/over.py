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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import numpy as np
import pandas as pd

from sushibalance.analysis import draft_rates, leads, pick_rates, puddings
from sushibalance.analysis.tables import Framed, with_cards, with_distance, with_mix, with_policy, with_rivals
from sushibalance.errors import UserError
from sushibalance.rules.problems import shown
from sushibalance.simulation.executors import allowed
from sushibalance.simulation.machine import cores
from sushibalance.simulation.memory import keep_freed
from sushibalance.stats.groups import labelled, listed
from sushibalance.stats.intervals import checked
from sushibalance.stats.pairs import paired
from sushibalance.stats.tallies import Countable, Tallies, Tally

T = TypeVar("T")
P = TypeVar("P")
PIECE = 16_384  # games of a piece of a run in memory
RULES = "rules"  # not a frame: those that were played
MADE = {
    "turns": (pick_rates.turns, ("offers", "picks")),
    "met": (pick_rates.met, ("offers", "picks")),
    "standings": (leads.standings, ("rounds", "players")),
    "hands": (draft_rates.hands, ("picks", RULES)),
    "collected": (puddings.collected, ("players", "rounds")),
}
KEYS = {  # the function that adds the column, the frame that it takes it from, and whether only seats have it
    "policy": (with_policy, "players", True),
    "distance": (with_distance, "rounds", True),
    "rivals": (with_rivals, "players", True),
    "mix": (with_mix, "players", False),
}
CARDS = ("card", "type")
# The question that a smaller frame answers as well, where these columns are no keys.
OF_A_TURN = ("order", "seat", "left", "taken", "chance", "policy", "distance", "rivals")
SMALLER = {"turns": (pick_rates.against_chance, "met", OF_A_TURN)}


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
        """Return a frame by name: the run's own, or one of `MADE`."""
        if name not in self._made:
            if name in MADE:
                make, frames = MADE[name]
                given = [self.part.rules if one == RULES else self.frame(one) for one in frames]  # type: ignore[attr-defined]
                self._made[name] = self._told_apart(make(*given))
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
        if not callable(self.ask):
            raise UserError(f"over: found {shown(self.ask)}, allowed a function, question(...) or questions(...)")
        signature, name = inspect.signature(self.ask), getattr(self.ask, "__name__", "question")
        try:
            signature.bind(*self.frames, **self.arguments)
        except TypeError as error:
            raise UserError(f"{name}: {error}; allowed ({', '.join(signature.parameters)})") from None

    def __call__(self, part: Framed) -> Tally:
        """Return the tally of a part."""
        return _of_all(self.observe(part).tally(), part)

    def observe(self, part: Framed) -> Countable:
        """Return the rows of a part that count."""
        made = part if isinstance(part, Frames) else Frames(part)
        frames = [self._with_keys(made.frame(self._smallest(name)), made) for name in self.frames]
        return getattr(self.ask, "observe", self.ask)(*frames, **self.arguments)

    def paired(self, base: Framed, variant: Framed) -> Tally:
        """Return the tally of what is different in a part of another run over the same games."""
        return _of_all(paired(self.observe(base), self.observe(variant)), base)

    def _keys(self) -> list[str]:
        """Return the keys that are asked for."""
        by = self.arguments.get("by")
        if by is None:
            default = inspect.signature(self.ask).parameters.get("by")
            by = () if default is None or default.default is inspect.Parameter.empty else default.default
        return [*listed(by), *listed(self.arguments.get("item", ()))]

    def _smallest(self, name: str) -> str:
        """Return the name of the smallest frame that answers the question as well as the one of this name."""
        ask, smaller, without = SMALLER.get(name, (None, name, ()))
        return smaller if self.ask is ask and not set(without).intersection(self._keys()) else name

    def _with_keys(self, frame: pd.DataFrame, made: Frames) -> pd.DataFrame:
        """Return a frame with the keys that can be told of it: see `over`."""
        for key in self._keys():
            if key in KEYS and key not in frame.columns:
                add, name, of_seats = KEYS[key]
                if "seat" in frame.columns or not of_seats:
                    frame = add(frame, made.frame(name))
            if key in CARDS and key not in frame.columns and "power_up" in frame.columns:
                frame = with_cards(frame, made.part.rules)  # type: ignore[attr-defined]
        return frame


def _of_all(tally: Any, part: Any) -> Any:
    """Return a tally that knows how many games a part has; of runs that a key tells apart, each has its own number."""
    run = part.part if isinstance(part, Frames) else part
    if not isinstance(tally, Tally) or not hasattr(run, "n") or (isinstance(part, Frames) and part.same):
        return tally
    return tally.of_games(run.n)


class Questions(dict[str, Question]):
    """Questions by name, asked in one pass."""

    def __call__(self, part: Framed) -> Tallies:
        """Return the tallies of a part."""
        made = part if isinstance(part, Frames) else Frames(part)
        return Tallies({name: ask(made) for name, ask in self.items()})

    def paired(self, base: Framed, variant: Framed) -> Tallies:
        """Return the tallies of what is different in a part of another run over the same games."""
        sides = [part if isinstance(part, Frames) else Frames(part) for part in (base, variant)]
        return Tallies({name: ask.paired(*sides) for name, ask in self.items()})


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
        Names of the frames that ``f`` takes: ``"players"``, ``"rounds"``, ...; ``"turns"`` (`pick_rates.turns`),
        ``"met"`` (`pick_rates.met`), ``"standings"`` (`leads.standings`), ``"hands"`` (`draft_rates.hands`) and
        ``"collected"`` (`puddings.collected`) are made of others. Keys that `tables` can add are added: ``policy``,
        ``distance`` and ``rivals`` to seats, ``mix`` to all frames, ``card`` and ``type`` to power-ups.
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
    checked(level)
    return tallied(run, _ready(f, frames, arguments), keys=keys, workers=workers).frame(level)


def _ready(f: Callable[..., Any], frames: Sequence[str], arguments: Mapping[str, Any]) -> Any:
    """Return a question."""
    if not isinstance(f, Question | Questions):
        return question(f, *frames, **arguments)
    if frames or arguments:
        raise UserError(f"over: found {', '.join([*frames, *arguments])} beside a question, which has its own")
    return f


def tallied(
    run: Framed | Mapping[Any, Framed],
    ask: Callable[[Any], T],
    *,
    keys: Sequence[str] = ("table",),
    workers: int | None = None,
) -> T:
    """Return the sum of what a question gives for all parts of a run, or of several runs; see `over`."""
    return _sum(_parts(run, keys), ask, workers)


def _sum(parts: Iterable[P], ask: Callable[[P], T], workers: int | None) -> T:
    """Return the sum of the answers for parts, on threads.

    So many parts are in memory as there are workers, and one more that is being read.
    """
    keep_freed()
    threads = allowed(workers) or cores()
    total: Any = 0
    with ThreadPoolExecutor(threads, thread_name_prefix="sushibalance") as pool:
        waiting: deque[Future[T]] = deque()
        for part in parts:
            waiting.append(pool.submit(ask, part))
            if len(waiting) > threads:
                total += waiting.popleft().result()
        for answer in waiting:
            total += answer.result()
    if not isinstance(total, Tally | Tallies):
        raise UserError(f"over: found {shown(total)}, allowed one run at least, and a question that returns a tally")
    return cast(T, total)


def differences(
    base: Framed,
    variant: Framed,
    f: Callable[..., Any],
    *frames: str,
    level: float = 0.95,
    workers: int | None = None,
    **arguments: Any,
) -> Any:
    """Return what a question answers otherwise in one run than in another over the same games.

    Games of the same seed and number met the same shuffles, so the difference is taken game by game; see
    `stats.pairs`. Of quantiles it is that of independent runs.

    Parameters
    ----------
    base, variant : Run
        As many games of each.
    f, frames, level, workers, arguments
        As for `over`.

    Returns
    -------
    DataFrame, or dict of DataFrame by name
        The keys; ``base, variant``: the estimate in each; ``estimate, low, high``: variant - base; ``n``: rows of
        both; ``games``: pairs; ``reduction``: how many times as many games two independent runs would need.

    Raises
    ------
    UserError
        When the runs have different numbers of games, or the question has no paired difference.
    """
    checked(level)
    ask = _ready(f, frames, arguments)
    pairs = ((Frames(one), Frames(other)) for one, other in _aligned(_pieces(base), _pieces(variant)))
    return _sum(pairs, lambda pair: ask.paired(*pair), workers).frame(level)


def _aligned(base: Iterator[Any], variant: Iterator[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the parts of two runs, cut so that both have the same games."""
    one, other = next(base, None), next(variant, None)
    while one is not None and other is not None:
        if not hasattr(one, "cut") or not hasattr(other, "cut"):
            yield one, other
            one, other = next(base, None), next(variant, None)
            continue
        if one.first != other.first:
            raise UserError(f"differences: found game {one.first} beside game {other.first}, allowed the same games")
        games = min(one.n, other.n)
        yield one.cut(0, games), other.cut(0, games)
        one = one.cut(games, one.n) if one.n > games else next(base, None)
        other = other.cut(games, other.n) if other.n > games else next(variant, None)
    if one is not None or other is not None:
        raise UserError("differences: found more games in one run than in the other, allowed as many in both")


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
