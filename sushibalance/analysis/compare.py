"""What a change of the rules changes: every headline number of a base and its variants, with a verdict.

>>> from sushibalance import compare
>>> found = compare("nightmares", "penalty_victory_8", policies="penalty_hunter", games=2_000, progress=False)
>>> found.frames["penalty_victories"][["players", "base", "variant", "estimate", "verdict"]].round(3)
   players  base  variant  estimate verdict
0        4  0.34    0.758     0.417   above
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd

from sushibalance.analysis import vp_curves, win_rates
from sushibalance.analysis.asking import Changes, Numbers, RuleSet
from sushibalance.analysis.judged import Judged, Watched
from sushibalance.analysis.margins import METRICS, Margin, Margins
from sushibalance.analysis.over import Question, Questions
from sushibalance.analysis.saying import Said
from sushibalance.analysis.sides import PART, UNCHANGED, Side, Sides
from sushibalance.errors import UserError
from sushibalance.games.game import Policy
from sushibalance.games.registry import engine, load_rules
from sushibalance.rules import Rules
from sushibalance.rules.problems import one_of, shown
from sushibalance.simulation.executors import Span, allowed
from sushibalance.simulation.request import MAX_GAMES, Request, several, whole
from sushibalance.stats.groups import listed, unlike
from sushibalance.stats.intervals import checked, positive
from sushibalance.stats.ratios import ESTIMATES
from sushibalance.stats.sequences import START
from sushibalance.stats.tallies import Tallies, with_level

AUTO, CHANGE = "auto", "change"
SHARED_OUT = (win_rates.of, win_rates.win_points, vp_curves.ahead)  # over all at a table these are always the same
FIRST_LOOK, MORE = 500, 1.2  # with "auto": the first look, and each later one after so many times as many deals


def compare(
    base: RuleSet,
    variants: RuleSet | Sequence[RuleSet] | Mapping[str, RuleSet],
    *,
    players: int = 4,
    policies: str | Policy | Sequence[str | Policy] = "greedy",
    games: int | str = 10_000,
    seed: int = 0,
    margin: Any = None,
    metrics: str | Sequence[str] | Questions | None = None,
    level: float = 0.95,
    until: str | Sequence[str] | None = None,
    most: int = 1_000_000,
    seconds: float = 60.0,
    rotate: bool = True,
    workers: int | None = None,
    executor: Any = None,
    progress: bool = True,
) -> Comparison:
    """Return how every headline number of a game differs between a base and its variants.

    Each game number meets the same shuffles under all rule sets, and the difference is taken game by game (common
    random numbers; `stats.pairs`). Where the policies of the seats differ, each deal is played once for every rotation
    of the seats, so that what is told of a policy holds no luck of its seat; all games of a deal count as one.

    A verdict compares the interval of a difference with a margin: *inside*, *above*, *below*, or *undecided* and how
    many deals more would likely settle it. All verdicts of the comparison, over all variants and metrics, are
    corrected together (Benjamini and Hochberg): of those that are not undecided at most ``1 - level`` are wrong on
    average, and intervals are widened until that holds.

    Parameters
    ----------
    base : Rules, str or Path
        A rule set, a shipped name such as ``"otter"``, or a rule file.
    variants : the same, a sequence of these, or a mapping from names to them
        Rule sets of the same game. In a comparison they are called by the names of their rules, or those given.
    players, policies, seed, workers, executor, progress
        As for `simulate`; policies must fit all rule sets. Players who decide by the rules (``"greedy"``) react to a
        change; ``"random"`` ones do not.
    games : int or "auto"
        Deals (games, where no seats rotate). ``"auto"`` plays until the verdicts of ``until`` are decided. It looks
        after 500 deals and then each time there are a fifth more; the intervals are confidence sequences
        (`stats.Running`), which stay valid however often they are looked at and whenever the looking stops. They are
        wider than those of a number fixed beforehand, by a half or so. Quantiles have none and are left out.
    margin : number, (low, high), or mapping from metrics to these, optional
        A difference between these does not matter. Others than given: `margins.KINDS`, which says where each default
        comes from. A number without a name is for the one metric that is asked.
    metrics : str, sequence of str, or Questions, optional
        Headline numbers by name (`headlines`), or questions of one's own; by default all of the game.
    level : float
        Confidence level.
    until : str or sequence of str, optional
        With ``"auto"``: the metrics that must be decided; by default those asked, or of all the main ones
        (`margins.METRICS`).
    most, seconds : int, float
        With ``"auto"``: the budget in deals, and in seconds after the first games were counted. Where the seconds
        end it, the number of games depends on the machine; else the result does not.
    rotate : bool
        Whether seats rotate.

    Returns
    -------
    Comparison

    Raises
    ------
    UserError
        For rule sets of different games, unknown metrics, margins that are none; and as `simulate` does.
    """
    level, limit = checked(level), allowed(workers)
    first = base if isinstance(base, Rules) else load_rules(base)
    others = Changes.of(variants, first)
    sides = {name: Side(Request.of(rules, players, policies, seed), rotate) for name, rules in others.items()}
    side = Side(Request.of(first, players, policies, seed), rotate)
    auto = isinstance(games, str)
    if auto and games != AUTO:
        raise UserError(f'games: found {shown(games)}, allowed a number of games, or "auto"')
    total = whole("most" if auto else "games", most if auto else games, START if auto else 2, MAX_GAMES)
    seconds = positive("seconds", seconds)
    asked = Numbers.of(metrics, first.game, quantiles=not auto and len(side.requests) == 1)
    margins = Margins(list(asked), players, margin)
    fixed = [name for name, ask in asked.items() if _is_fixed(ask, side.requests[0])]
    free = [name for name in asked if name not in fixed]
    other = [place for place, rules in enumerate(others.values()) if rules.fingerprint != first.fingerprint]
    goal = [name for name in _goal(until, list(asked), metrics is None) if name in free] if auto else []
    spans = _looks(total) if auto else Sides.parts(total)
    began: float | None = None
    sums: list[Tallies] = []
    deals, look, stopped = 0, FIRST_LOOK, ""
    together = Sides(side, list(sides.values()), asked)
    with together.play(spans, 0 if auto else total, workers=limit, executor=executor, progress=progress) as came:
        for count, tallies in came:
            began = began or time.monotonic()
            deals += count
            sums = [one + more for one, more in zip(sums, tallies, strict=True)] if sums else tallies
            if not auto or deals < look:
                continue
            look = int(deals * MORE)
            places = [place for place, (_, name) in enumerate(product(other, free)) if name in goal]
            left = _judged([sums[place] for place in other], free, margins, watched=True).undecided(level, places)
            together.say(f"{left} undecided")
            if not left:
                stopped = _decided(until, goal if other else [], free)
            elif time.monotonic() - began > seconds:
                stopped = f"{seconds:g} seconds were over"
            if stopped:
                break
    named = dict(zip(sides, sums, strict=True))
    frames = _judged([sums[place] for place in other], free, margins, watched=auto).frames(level)
    used = frames[0].attrs["level"] if frames else level
    found = dict(zip(product(other, free), frames, strict=True))
    for places, names in ((other, fixed), ([place for place in range(len(sums)) if place not in other], list(asked))):
        frames = _judged([sums[place] for place in places], names, margins, watched=auto).frames(used, correct=False)
        found |= zip(product(places, names), map(_by_rules, frames), strict=True)
    every = product(range(len(sums)), asked)
    judged = _by_metric([found[key] for key in every], list(named), list(asked))
    units = {name: margins.kind(name, sums[0][name]).unit for name in asked}
    return Comparison(
        base=first,
        variants=others,
        players=players,
        policies=side.requests[0].policies,
        rotations=len(side.requests),
        games=deals,
        seed=seed,
        level=level,
        stopped=(stopped or f"{total:,} {_unit(side.requests)} were played") if auto else "",
        frames=judged,
        units=units,
        unchanged={name: tallies[UNCHANGED].frame(level) for name, tallies in named.items()},
        fixed=tuple(fixed),
        alone=_alone(named, judged, units, first, others, watched=auto),
    )


def _is_fixed(ask: Question, table: Request) -> bool:
    """Return whether a number is told of all seats as one policy, of what they share out among themselves."""
    keys = set(listed(ask.arguments.get("by", "policy"))) if ask.ask in SHARED_OUT else {""}
    return keys <= {"policy"} and table.alike


def _by_rules(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a number that cannot move under any games: known without an interval."""
    known = frame["estimate"].notna()
    return frame.assign(
        low=frame["estimate"],
        high=frame["estimate"],
        verdict=frame["verdict"].where(~known, "inside"),
        needed=frame["needed"].where(~known, 0),
    )


def _goal(until: str | Sequence[str] | None, asked: list[str], everything: bool) -> list[str]:
    """Return the metrics that must be decided."""
    if until is None:
        main = [name for name in asked if name in METRICS and METRICS[name].main]
        return main if everything and main else asked
    names = several("until", until, str, "names of metrics")
    for name in names:
        if name not in asked:
            raise UserError(f"until: found {shown(name)}, allowed {one_of(str(name), asked)}")
    return names or asked


def _decided(until: str | Sequence[str] | None, goal: list[str], asked: list[str]) -> str:
    """Return what is decided."""
    if not goal:
        return "nothing that was asked for can move"
    if set(goal) == set(asked):
        return "all is decided"
    what = "the main numbers" if until is None else ", ".join(map(Margins.words, goal))
    return f"{what} {'is' if until is not None and len(goal) == 1 else 'are'} decided"


def _unit(rotations: Sequence[Any]) -> str:
    """Return what counts as one: ``"games"``, or ``"deals"`` of several games where seats rotate."""
    return "deals" if len(rotations) > 1 else "games"


def _looks(total: int) -> Iterator[Span]:
    """Yield parts that begin small, so that what is clear is seen soon."""
    start = 0
    while start < total:
        games = min(max(FIRST_LOOK, min(int(start * (MORE - 1)), PART)), total - start)
        yield start, games
        start += games


def _judged(sums: Sequence[Tallies], names: Sequence[str], margins: Margins, *, watched: bool) -> Judged:
    tallies = [tallies[name] for tallies in sums for name in names]
    limits = [margins.of(name, tallies[name]) for tallies in sums for name in names]
    return Judged([Watched(tally) for tally in tallies] if watched else tallies, limits)


def _by_metric(frames: list[pd.DataFrame], variants: list[str], metrics: list[str]) -> dict[str, pd.DataFrame]:
    """Return a frame for each metric, its variants one below the other."""
    found = {}
    for place, metric in enumerate(metrics):
        some = frames[place :: len(metrics)]
        unlike([CHANGE], *some[0].columns)
        names = pd.CategoricalDtype(variants)
        rows = [
            frame.assign(change=pd.Series([name] * len(frame), frame.index, names))
            for name, frame in zip(variants, some, strict=True)
        ]
        whole_frame = pd.concat(rows, ignore_index=True)
        columns = ["change", *(column for column in whole_frame.columns if column != "change")]
        found[metric] = with_level(whole_frame[columns], some[0].attrs["level"])
    return found


def _alone(
    named: Mapping[str, Tallies], frames: Mapping[str, pd.DataFrame], units: Mapping[str, str], base: Rules,
    others: Mapping[str, Rules], *, watched: bool,
) -> pd.DataFrame:  # fmt: skip
    """Return the numbers that one rule set alone has, at the level of the differences: `Comparison.alone`."""
    rows: list[tuple[int, pd.DataFrame]] = []
    for metric, frame in frames.items():
        keys = list(frame.columns[1 : list(frame.columns).index("base")])
        missing = {"variant": frame["base"].isna(), "base": frame["variant"].isna()}
        for under, gone in missing.items():
            some = frame[gone & frame[under].notna()]
            for name, tallies in named.items() if len(some) else ():
                one = getattr(tallies[metric], under)
                numbers = (Watched(one) if watched else one).frame(frame.attrs["level"])
                told = some.loc[some["change"] == name, keys].merge(numbers, how="left", on=keys)
                texts = Said.texts(others[name] if under == "variant" else base)
                words = [Said.keys(keys, row, texts) for row in _rows(told, keys)]
                about = {"change": name, "under": under, "metric": metric, "name": Margins.words(metric), "of": words}
                rows.append((len(keys), told[list(ESTIMATES)].assign(**about, unit=units[metric])))
    columns = ["change", "under", "metric", "name", "of", "unit", *ESTIMATES]
    rows.sort(key=lambda pair: pair[0])
    found = pd.concat([frame for _, frame in rows], ignore_index=True) if rows else pd.DataFrame(columns=columns)
    return with_level(found[columns], next(iter(frames.values())).attrs["level"])


@dataclass(frozen=True)
class Comparison:
    """What `compare` found.

    Attributes
    ----------
    base : Rules
    variants : mapping of str to Rules
        By the names that frames and sentences call them.
    players : int
    policies : tuple of Policy
        One a seat, as they were asked for.
    rotations : int
        So many games are played of each deal.
    games : int
        Deals that were played.
    seed : int
    level : float
        The level that was asked for: all verdicts together keep it.
    stopped : str
        With ``games="auto"``: why no more were played.
    frames : mapping of str to DataFrame
        By metric: ``change`` (the variant), the keys of the metric, ``base, variant`` (the number under each rule
        set), ``estimate, low, high`` (variant - base), ``n``, ``games`` (deals), ``reduction`` (two independent runs
        would need so many times as many games), ``margin_low, margin_high, verdict, needed`` (deals more). What came
        up under one rule set only has no estimate.
        ``attrs["level"]`` is the level of the intervals, higher than what was asked where many verdicts are corrected.
        What the rules keep from moving (`fixed`, `same`) is inside its margin, in an interval of no width.
    units : mapping of str to str
        By metric: ``"share"``, ``"VP"``, ``"points"``, ``"times"`` (as often as is fair, or as chance has it).
    unchanged : mapping of str to DataFrame
        By variant: the share of the deals in which every total is the same as with the base.
    fixed : tuple of str
        Metrics that cannot move because all seats have one policy: what players win from each other is the fair share
        under any rules. They are no part of the correction, and nobody waits for them.
    alone : DataFrame
        What came up under one rule set only, as a new power-up: ``change, under`` (``"variant"`` or ``"base"``),
        ``metric, name, of, unit``, and ``estimate, low, high, n, games`` under that rule set; those with the fewest
        keys first. There is nothing to compare, so there is no verdict.
    """

    base: Rules
    variants: Mapping[str, Rules]
    players: int
    policies: tuple[Policy, ...]
    rotations: int
    games: int
    seed: int
    level: float
    stopped: str
    frames: Mapping[str, pd.DataFrame]
    units: Mapping[str, str]
    unchanged: Mapping[str, pd.DataFrame]
    fixed: tuple[str, ...]
    alone: pd.DataFrame

    def table(self) -> pd.DataFrame:
        """Return all metrics in one frame.

        Returns
        -------
        DataFrame
            ``change, metric, name`` (of the metric in plain words), ``of`` (the keys in words), ``unit``, and the
            columns of `frames` but the keys.
        """
        rows, texts = [], Said.texts(self.base, *self.variants.values())
        for metric, frame in self.frames.items():
            keys = list(frame.columns[1 : list(frame.columns).index("base")])
            some = frame.drop(columns=keys)
            some.insert(1, "metric", metric)
            some.insert(2, "name", Margins.words(metric))
            some.insert(3, "of", [Said.keys(keys, row, texts) for row in _rows(frame, keys)])
            some.insert(4, "unit", self.units[metric])
            rows.append(some)
        table = pd.concat(rows, ignore_index=True)
        return with_level(table, next(iter(self.frames.values())).attrs["level"])

    def named(self) -> np.ndarray:
        """Return for each row of `table` how many keys it has where these name what its variant changes, else 0.

        A change of ``power_ups.35.score`` is named by power-up 35, one of ``tempura.points`` by the kind tempura, and
        one of ``penalty_victory`` by that ending, and by the metric that is called so.
        """
        changed = {name: _entries(rules.differences(self.base)) for name, rules in self.variants.items()}
        found: list[int] = []
        for metric, frame in self.frames.items():
            keys = list(frame.columns[1 : list(frame.columns).index("base")])
            for name, row in zip(frame["change"], _rows(frame, keys), strict=True):
                called = {*map(str, row), *(f"{key}s.{value}" for key, value in zip(keys, row, strict=True))}
                found.append(max(len(keys), 1) if {f"{metric}.", *called} & changed[name] else 0)
        return np.array(found, np.int64)

    def sentences(self, *, most: int = 5) -> list[str]:
        """Return what was found in plain words: for each variant what moved, and how sure that is.

        Parameters
        ----------
        most : int
            So many differences are told of each variant, those farthest beyond their margins first; and so many
            numbers that one of the rule sets alone has.
        """
        table, found = self.table(), [self.played()]
        for name in self.variants:
            rows = table[table["change"] == name]
            if name in self.same:
                found.append(f"{name}: {self.cannot_differ()}")
                continue
            told = Said(rows, self.unit, self.fixed)
            said = [*told.sentences(most), told.pairing(self.unchanged[name].iloc[0])]
            found += [f"{name}: {sentence}" for sentence in said]
            alone = self.alone[self.alone["change"] == name]
            for under, only in (("variant", name), ("base", self.base.name)):
                some = alone[alone["under"] == under]
                where = f"only under {only}" if under == "variant" else f"under {only} and not under {name}"
                found += [f"{where}: {Said.alone(row)}" for row in some.head(most).itertuples()]
                if (left := len(some) - most) > 0:
                    more = "1 more number is" if left == 1 else f"{left} more numbers are"
                    found.append(f"{where}: {more} in `alone`.")
            if (alone["under"] == "variant").any():
                found.append(f"only under {name}: `sushibalance report` tells more about these rules.")
        return [*found, *([self.cannot_move()] if self.fixed else [])]

    @property
    def same(self) -> tuple[str, ...]:
        """The variants whose rules are those of the base, whatever they are called."""
        same = self.base.fingerprint
        return tuple(name for name, rules in self.variants.items() if rules.fingerprint == same)

    def cannot_differ(self) -> str:
        """Return in plain words what there is to say of a variant in `same`."""
        return (
            f"no value is other than in {self.base.name}. The rules are the same, so every game is, and no number of "
            "games would show a difference."
        )

    def cannot_move(self) -> str:
        """Return in plain words which numbers cannot move at this table, and why; nothing where all can."""
        if not self.fixed:
            return ""
        names, policy = ", ".join(map(Margins.words, self.fixed)), self.called[0].replace("_", " ")
        return (
            f"Cannot move: {names}. All seats play {policy}, so together they have the fair "
            "share under any rules; give the seats different policies to see who gains."
        )

    @property
    def called(self) -> list[str]:
        """What the policies of the seats are called: those that play otherwise have another name."""
        return engine(self.base.game).called(self.policies)

    def margins(self) -> dict[str, Margin]:
        """Return the margins that are not the usual ones, by metric."""
        given = {
            name: (float(frame["margin_low"].iloc[0]), float(frame["margin_high"].iloc[0]))
            for name, frame in self.frames.items()
            if name in METRICS and len(frame)
        }
        return {name: pair for name, pair in given.items() if pair != Margins([name], self.players).of(name)}

    @property
    def repeated(self) -> tuple[str, ...]:
        """Metrics by policy that say again what another says, for all seats play alike."""
        if len(set(self.called)) > 1:
            return ()
        plain = {name: name.removesuffix("_by_policy").removesuffix("_and_policy") for name in self.frames}
        return tuple(name for name, other in plain.items() if other != name and other in self.frames)

    @property
    def unit(self) -> str:
        """What counts as one: ``"games"``, or ``"deals"`` of several games where seats rotate."""
        return _unit(range(self.rotations))

    def played(self) -> str:
        """Return what was played in plain words."""
        seats = self.called
        text = f"{self.base.name} against {', '.join(self.variants)}: "
        text += f"{self.games:,} {self.unit} with {self.players} players, "
        text += f"all {seats[0]}" if len(set(seats)) == 1 else ", ".join(seats)
        if self.rotations > 1:
            text += f", each deal once for {self.rotations} rotations of the seats"
        text += f", seed {self.seed}, the same shuffles for all"
        return text + (f"; stopped because {self.stopped}." if self.stopped else ".")

    def __repr__(self) -> str:
        return f"<Comparison of {self.base.name} with {', '.join(self.variants)}: {self.games:,} {self.unit}>"


def _entries(moved: Sequence[tuple[str, Any, Any]]) -> set[str]:
    """Return what tells of changed keys: their words (``flush``), pairs (``power_ups.35``), metrics (``vps.``)."""
    found: set[str] = set()
    for key, *_ in moved:
        words = key.split(".")
        names = [word for word in words if not word.isdigit()]  # a number alone may be of anything
        plurals = [f"{name.removesuffix('y')}ies" if name.endswith("y") else f"{name}s" for name in names]
        found |= {*names, *(f"{name}." for name in plurals), *map(".".join, pairwise(words))}
    return found


def _rows(frame: pd.DataFrame, keys: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    return iter(frame[list(keys)].itertuples(index=False, name=None)) if keys else iter([()] * len(frame))
