"""Differences between two runs over the same games.

Games of the same number met the same shuffles, so much of what makes games differ cancels in the difference of two
rule sets or policies. Both ratios are linearised (see `ratios`), and the spread of their difference is taken between
pairs of games. `reduction` says what that is worth: how many times as many games two independent runs would need.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import lcm
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from sushibalance.errors import UserError
from sushibalance.stats.counting import DIGITS, pair_sums, whole
from sushibalance.stats.groups import Keys, stacked
from sushibalance.stats.intervals import difference, of_mean
from sushibalance.stats.ranks import Ranks, RankTally
from sushibalance.stats.ratios import (
    ESTIMATES,
    Estimates,
    Moments,
    Observed,
    Products,
    Ratio,
    RatioTally,
    Sums,
    covariance,
    laid_out,
)
from sushibalance.stats.tallies import Counts, Tally, Together, answer, quotient


def paired(base: Any, variant: Any) -> PairTally | Apart:
    """Return the tally of the paired difference ``variant - base``.

    Of means, rates, shares and lifts. The difference of two quantiles is taken as if the runs were independent.

    Parameters
    ----------
    base, variant : rows that count, or sequences of these
        What ``observe(...)`` of the same question gives for two runs over the same games; of several runs a side (the
        seats rotated), all rows of a game count as one.

    Returns
    -------
    PairTally or Apart
        Tallies of parts of the games add up.

    Raises
    ------
    UserError
        When the sides ask different questions, or something else.

    Examples
    --------
    >>> from sushibalance.stats import means
    >>> base = pd.DataFrame({"game": range(4), "vp": [10, 20, 30, 40]})
    >>> variant = base.assign(vp=base["vp"] + [1, 2, 2, 3])
    >>> tally = paired(means.observe(base, [], "vp"), means.observe(variant, [], "vp"))
    >>> tally.frame().round(2)
       base  variant  estimate  low  high  n  games  reduction
    0  25.0     27.0       2.0  0.7   3.3  8      4      531.0
    """
    if isinstance(base, Ranks) and isinstance(variant, Ranks):
        return Apart(base.tally(), variant.tally())
    sides = [_ratios(side) for side in (base, variant)]
    ratios = [ratio for side in sides for ratio in side]
    first = ratios[0]
    if len({_asked(ratio) for ratio in ratios}) > 1:
        raise UserError("paired: found different questions on the two sides, allowed the same one")
    columns, *_ = [ratio.needed() for ratio in ratios]
    observed = Observed(replace(first, frame=stacked([ratio.frame for ratio in ratios], columns)))
    arm = np.repeat(np.array([0, 1], np.int8), [sum(len(ratio.frame) for ratio in side) for side in sides])
    arm = arm if observed.order is None else arm[observed.order]
    groups, room = observed.groups, max(observed.groups.cells, observed.groups.groups)
    of_cell, of_group = (np.zeros((size, DIGITS), np.int64) for size in (9 * groups.cells, groups.groups))
    games = np.zeros(groups.groups, np.int64)
    pair_sums(
        observed.game, observed.cell, observed.top, observed.bottom, arm, groups.group_of_cell, of_cell, of_group,
        games, np.zeros((2, room), np.int64), np.zeros((2, room, 3), np.int64),
    )  # fmt: skip
    some = np.flatnonzero(games)
    in_groups = Counts(groups.group_keys(some), np.column_stack([whole(of_group[some]), games[some]]))
    some = np.unique(observed.cell)
    keys = groups.cell_keys(some) if first.inner else in_groups.keys
    in_cells = Counts(keys, whole(of_cell.reshape(-1, 9, DIGITS)[some]))
    alone = [observed.tally(np.flatnonzero(arm == side)) for side in (0, 1)]
    return PairTally(alone[0], alone[1], in_groups, in_cells)


def _ratios(side: Any) -> list[Ratio]:
    """Return the ratios of one side; that of the estimate where a frame is made of several."""
    listed = side if isinstance(side, list | tuple) else [side]
    parts = [part.parts[0] if isinstance(part, Together) else part for part in listed]
    for part in parts:
        if not isinstance(part, Ratio):
            raise UserError(f"paired: found {type(part).__name__}, allowed means, rates, shares, lifts, quantiles")
    return parts


def _asked(ratio: Ratio) -> tuple[object, ...]:
    keys = tuple(ratio.by), tuple(ratio.inner)
    return (*keys, ratio.top, ratio.bottom, ratio.count, ratio.kind, ratio.cluster, ratio.called)


@dataclass(frozen=True, eq=False)
class PairTally(Tally):
    """Sums over games of two runs and of their products, from which a difference and its spread follow.

    Attributes
    ----------
    base, variant : RatioTally
        Each run alone.
    groups : Counts
        Of each group over games: the product of both bottoms, the games that either run has.
    cells : Counts
        Of each cell over games: the product of both tops, the base's top times the variant's bottom, the variant's
        top times the base's bottom; what the variant's top is above the base's, its square, its product with the
        bottom; and the same of what it is below.
    """

    base: RatioTally
    variant: RatioTally
    groups: Counts
    cells: Counts

    def question(self) -> object:
        """Return the question to each of the runs."""
        return self.base.question()

    def added(self, other: PairTally) -> PairTally:
        """Return the sums of both."""
        units = lcm(self.base.units[0], other.base.units[0]), lcm(self.base.units[1], other.base.units[1])
        mine, others = self._in(units), other._in(units)
        groups, cells = mine.groups + others.groups, mine.cells + others.cells
        return PairTally(mine.base + others.base, mine.variant + others.variant, groups, cells)

    def _in(self, units: tuple[int, int]) -> PairTally:
        top, bottom = units[0] // self.base.units[0], units[1] // self.base.units[1]
        cross = top * bottom
        groups = self.groups.times(bottom**2, 1)
        cells = self.cells.times(top**2, cross, cross, *[top, top**2, cross] * 2)
        return PairTally(self.base.in_units(units), self.variant.in_units(units), groups, cells)

    def frame(self, level: float = 0.95) -> pd.DataFrame:
        """Return the differences.

        Of means the interval is Student's. Where every pair differs by the same (mostly by nothing), others may be too
        rare to be among so many (`intervals.alike`), and differ by as much as games with nothing in common do; a mean
        that is the same in every game of both runs leaves the difference without width. Of rates and lifts it is put
        together from two intervals that keep the skew of rates near 0 (`difference`): where both runs have the same
        rows, from those of the parts of the rows that changed up and down (as for pairs of yes and no), elsewhere from
        those of the two runs.

        Returns
        -------
        DataFrame
            The keys; ``base, variant``: the ratio in each run; ``estimate, low, high``: variant - base; ``n``: rows of
            both; ``games``: pairs; ``reduction``: variance of the difference of independent runs over this one's.
        """
        found, kind = self._differences, self.base.kind
        first, second = found.base.at(level), found.variant.at(level)
        if kind == "mean":
            low, high = of_mean(found.change, found.variance, found.games, found.limits, level)
        else:
            changed = self._moves.bounds(level)
            apart = difference(second, first, found.correlation)
            low, high = (np.where(found.same, inner, outer) for inner, outer in zip(changed, apart, strict=True))
        columns = {"base": first[0], "variant": second[0]}
        columns |= dict(zip(ESTIMATES, (found.change, low, high, found.n, found.games), strict=True))
        return answer(found.keys, {**columns, "reduction": found.reduction}, level)

    @cached_property
    def moments(self) -> Moments:
        """What follows from the sums but the interval."""
        (keys, b, v, both, _, games), found, units = self._compared, self._differences, self.base.units
        scale, under = (games * units[1]) ** 2, units[0] ** 2
        squares = quotient(scale * v.top_top, under * v.bottom**2) + quotient(scale * b.top_top, under * b.bottom**2)
        squares -= 2 * quotient(scale * both[0], under * b.bottom * v.bottom)
        squares = np.where(b.same(games) & v.same(games), squares, np.nan)
        return Moments(keys, found.change, found.variance, squares, found.n, found.games)

    @cached_property
    def _compared(self) -> _Compared:
        base, variant = self._filled(self.base), self._filled(self.variant)
        keys, group, cross = laid_out(self.groups.keys, self.cells, base.called, base.words)
        bottoms, games = self.groups.sums[group].T
        both = (cross[0], cross[1], cross[2], bottoms)
        return _Compared(keys, base.sums[1], variant.sums[1], both, list(cross[3:]), games)

    @cached_property
    def _differences(self) -> _Differences:
        return _Differences(self._compared, self.base.units, self.base.kind)

    @cached_property
    def _moves(self) -> _Moves:
        same = self._differences.same
        _, b, v, _, moved, _ = self._compared
        return _Moves(b, v, [part * same for part in moved], self.base.units, self.base.kind)

    def _filled(self, tally: RatioTally) -> RatioTally:
        """Return the tally of one run with zeros for what only the other has."""
        groups, cells = _filled(self.groups.keys, tally.groups), _filled(self.cells.keys, tally.cells)
        return replace(tally, groups=groups, cells=cells)


class _Compared(NamedTuple):
    """The sums of two runs, an element a row of the frame; see `PairTally`."""

    keys: pd.DataFrame
    base: Sums
    variant: Sums
    both: Products
    moved: list[np.ndarray]
    games: np.ndarray


class _Differences:
    """What two runs answer otherwise, but the interval: the same at every level; an element a row of the frame.

    Attributes
    ----------
    keys : DataFrame
    base, variant : Estimates
        Each run alone.
    change, variance : ndarray of float64
        variant - base, and its variance between pairs of games.
    correlation, reduction : ndarray of float64
        Of the two estimates; variance of the difference of independent runs over this one's. NaN where one does not
        vary.
    limits : (ndarray, ndarray) of float64
        Of what a pair can differ by: as games with nothing in common do, where every pair differs by the same.
    same : ndarray of bool
        Whether both runs have the same rows.
    n, games : ndarray of int64
    """

    def __init__(self, compared: _Compared, units: tuple[int, int], kind: str):
        self.keys, b, v, both, _, games = compared
        self.base, self.variant = (Estimates(side, units, kind) for side in (b, v))
        alone = [covariance(side, side, side.squares(), games, units) for side in (b, v)]
        shared = covariance(b, v, both, games, units)
        variance = alone[0] + alone[1] - 2 * shared
        with np.errstate(divide="ignore", invalid="ignore"):
            self.correlation = shared / np.sqrt(alone[0] * alone[1])
            self.reduction = (alone[0] + alone[1]) / variance
        self.change, self.variance = self.variant.estimate - self.base.estimate, np.maximum(variance, 0)
        far = np.where(variance <= 0, np.sqrt(games.astype(np.int64) * (alone[0] + alone[1])), np.inf)
        self.limits = self.change - far, self.change + far
        self.same = (b.bottom_bottom + v.bottom_bottom == 2 * both[3]).astype(bool)
        self.n, self.games = (b.n + v.n).astype(np.int64), games.astype(np.int64)


class _Moves:
    """The difference of two rates as what went up less what went down, where both runs have the same rows.

    Parameters
    ----------
    b, v : Sums
        Of the base and the variant.
    moved : sequence of ndarray
        What `PairTally` counts of it.
    units, kind : tuple of int, str
        As in `RatioTally`.
    """

    def __init__(self, b: Sums, v: Sums, moved: Sequence[np.ndarray], units: tuple[int, int], kind: str):
        up, down = (
            v._replace(top=top, top_top=squares, top_bottom=products, odd=b.odd + v.odd)
            for top, squares, products in (moved[:3], moved[3:])
        )
        gone = covariance(up, down, (0 * up.top, up.top_bottom, down.top_bottom, v.bottom_bottom), v.games, units)
        alone = [covariance(side, side, side.squares(), v.games, units) for side in (up, down)]
        with np.errstate(divide="ignore", invalid="ignore"):
            self._correlation = gone / np.sqrt(alone[0] * alone[1])
        self._sides = []
        for side, other in ((up, down), (down, up)):
            size = quotient(other.top_top * v.games, other.top * v.n * units[0])  # of a change, in parts of a game
            unseen = (side.top == 0).astype(bool) & (other.top > 0).astype(bool)
            self._sides.append((Estimates(side, units, kind), unseen, np.minimum(size, 1.0)))

    def bounds(self, level: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the low and high ends of the interval."""
        edges = []
        for side, unseen, size in self._sides:
            estimate, low, high = side.at(level)
            edges.append((estimate, low, np.where(unseen, high * size, high)))
        return difference(edges[0], edges[1], self._correlation)


def _filled(keys: Keys, counts: Counts) -> Counts:
    """Return counts with zeros for keys that they do not have."""
    return Counts(keys, np.zeros((len(keys), counts.sums.shape[1]), object)) + counts


@dataclass(frozen=True, eq=False)
class Apart(Tally):
    """Two tallies of quantiles, whose difference is taken as if the runs were independent: wider than it need be.

    Attributes
    ----------
    base, variant : RankTally
    """

    base: RankTally
    variant: RankTally

    def question(self) -> object:
        """Return the question to each of the runs."""
        return self.base.question()

    def added(self, other: Apart) -> Apart:
        """Return the sums of both."""
        return Apart(self.base + other.base, self.variant + other.variant)

    def frame(self, level: float = 0.95) -> pd.DataFrame:
        """Return the differences, with the columns of `PairTally.frame`; the reduction is 1."""
        frames = [tally.frame(level) for tally in (self.base, self.variant)]
        keys = [*self.base.groups.keys.columns, "quantile"]
        both = frames[0].merge(frames[1], on=keys, how="outer", suffixes=("", "_variant"), sort=True)
        first, second = (
            tuple(both[f"{name}{side}"].to_numpy() for name in ("estimate", "low", "high")) for side in ("", "_variant")
        )
        low, high = difference(second, first, 0.0)
        n = both[["n", "n_variant"]].sum(axis=1).astype(np.int64)
        games = both[["games", "games_variant"]].min(axis=1).astype(np.int64)
        columns = dict(zip(ESTIMATES, (second[0] - first[0], low, high, n, games), strict=True))
        return answer(both[keys], {"base": first[0], "variant": second[0], **columns, "reduction": 1.0}, level)
