"""Those who have a thing against those who do not, for many things at once: an association, whatever caused it.

Both means are ratios of sums over games and linearised together (see `ratios`), so it counts that those who have a card
sit at the table with those who do not. Few have a given card and nearly all do not, so what is added up is the sums of
all players, and for each card those of the players who have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import lcm

import numpy as np
import pandas as pd

from sushibalance.core.jit import lean
from sushibalance.stats.counting import Clusters
from sushibalance.stats.exact import Exact, exact
from sushibalance.stats.groups import ColumnError, Groups, Keys, closed_up, first_rows, need
from sushibalance.stats.intervals import difference, of_mean
from sushibalance.stats.ratios import ESTIMATES, FITS, Estimates, Moments, Sums, covariance
from sushibalance.stats.tallies import Counts, Tally, answer

SIGNS = np.array([-1, -1, 1, 1, 1, -1], object)[:, None]  # those without are all less those with


@dataclass(frozen=True, eq=False)
class Contrast:
    """Rows of players, and who of them has what.

    Attributes
    ----------
    frame : DataFrame
        One row a player.
    by : sequence of str
        Keys of the groups inside which players are compared.
    top : str
        A numeric column, which is added up: what is compared.
    bottom : str or None
        The column, positive, that it is divided by; 1 a row where none is named.
    held : DataFrame
        One row a thing that a player has: ``row``, the place of the player in ``frame``, the thing, and ``inner``.
    thing : str
        The column of the things.
    inner : sequence of str
        Keys that tell apart those who have it, such as since when. All stand against those who do not have it at all.
    kind : str
        ``"mean"`` or ``"lift"``, as in `Ratio`.
    cluster : str
        The sampling unit.
    """

    frame: pd.DataFrame
    by: Sequence[str]
    top: str
    bottom: str | None
    held: pd.DataFrame
    thing: str
    inner: Sequence[str] = ()
    kind: str = "mean"
    cluster: str = "game"

    def tally(self) -> ContrastTally:
        """Return the sums over games."""
        frame, held = self.frame, self.held
        need(frame, "frame", *self.by, self.top, *filter(None, [self.bottom]), self.cluster)
        need(held, "held", "row", self.thing, *self.inner)
        games = Clusters(frame[self.cluster])
        ones = Exact(np.ones(len(frame), np.int64), 1, 1)
        top, top_unit, highest = exact(frame, self.top, games.longest)
        bottom, bottom_unit, deepest = exact(frame, self.bottom, games.longest) if self.bottom else ones
        if (games.longest * max(highest, deepest)) ** 2 * max(len(top), 1) >= FITS:
            raise ColumnError(f"{self.top}: found numbers too large, or too fine, for the sum of their squares")
        outer = Groups(frame, self.by)
        met, group = closed_up(outer.cell_of_row, outer.groups)
        groups = outer.group_keys(met)
        order = np.arange(len(frame)) if games.order is None else games.order
        place = np.empty(len(frame), np.int64)
        place[order] = np.arange(len(frame))
        things = _Kinds(held, [self.thing], group, place)
        cells = _Kinds(held, [self.thing, *self.inner], group, place)
        _, _, thing = things.keys.joined(cells.keys.only([self.thing]))
        thing_of_cell = np.add.outer(np.arange(len(groups)) * len(things.keys), thing).reshape(-1)
        sums = [np.zeros((len(groups) * size, width), np.int64)
                for size, width in ((1, 7), (len(things.keys), 6), (len(cells.keys), 11))]  # fmt: skip
        room = max(map(len, sums))
        _contrast(
            games.number, group[order], top[order], bottom[order], things.row, things.number, cells.row, cells.number,
            thing_of_cell, *sums, np.zeros((3, room), np.int64), np.zeros((3, room, 2), np.int64),
        )  # fmt: skip
        return ContrastTally(
            Counts(groups, sums[0].astype(object)),
            things.counts(groups, sums[1]),
            cells.counts(groups, sums[2]),
            (top_unit, bottom_unit),
            self.kind,
        )


class _Kinds:
    """What players have, a number for each kind in each group: the groups one behind the other."""

    def __init__(self, held: pd.DataFrame, columns: list[str], group: np.ndarray, place: np.ndarray):
        held = held[first_rows(held, ["row", *columns])]  # twice in the same way is once
        row = held["row"].to_numpy(np.int64)
        kinds = Groups(held, columns)
        met, kind = closed_up(kinds.cell_of_row, kinds.cells)
        self.keys = kinds.cell_keys(met)
        order = np.argsort(place[row], kind="stable")
        self.row, self.number = place[row][order], (group[row] * len(met) + kind)[order]

    def counts(self, groups: Keys, sums: np.ndarray) -> Counts:
        """Return the sums of the numbers that somebody has."""
        met = np.flatnonzero(sums[:, 1])
        group, kind = np.divmod(met, max(len(self.keys), 1))
        codes = np.concatenate([groups.codes[group], self.keys.codes[kind]], axis=1)
        return Counts(Keys({**groups.columns, **self.keys.columns}, codes), sums[met].astype(object))


@lean
def _contrast(
    game, group, top, bottom, thing_row, thing, cell_row, cell, thing_of_cell, of_group, of_thing, of_cell, these, now
):
    """Add up rows of players sorted by game, and what they have, sorted alike.

    T and N are the sums of the tops and bottoms of all players of a group in a game, t and n of those who have a
    thing, t' and n' of those who do not.

    Parameters
    ----------
    game, group, top, bottom : int64[rows]
    thing_row, thing, cell_row, cell : int64[things], int64[things], int64[cells], int64[cells]
        The row of who has it, and the number of the thing in its group; once more with the inner keys.
    thing_of_cell : int64[numbers of cells]
    of_group : int64[groups, 7]
        Sums over games of T, N, T T, T N, N N, players, and 1.
    of_thing : int64[numbers of things, 6]
        Sums of t, n, t' t' - T T, t' n' - T N, n' n' - N N, players.
    of_cell : int64[numbers of cells, 11]
        Sums of t, n, t t, t n, n n, t t', t n', n t', n n', players, and 1.
    these, now : int64[3, widest], int64[3, widest, 2]
        Room, and zeros, for the groups, things and cells of a game.
    """
    row = at_thing = at_cell = 0
    while row < len(game):
        end = row
        counts0 = counts1 = counts2 = 0
        while end < len(game) and game[end] == game[row]:
            g = group[end]
            if now[0, g, 1] == 0:
                these[0, counts0] = g
                counts0 += 1
            now[0, g, 0] += top[end]
            now[0, g, 1] += bottom[end]
            of_group[g, 5] += 1
            end += 1
        while at_thing < len(thing) and thing_row[at_thing] < end:
            one = thing[at_thing]
            if now[1, one, 1] == 0:
                these[1, counts1] = one
                counts1 += 1
            now[1, one, 0] += top[thing_row[at_thing]]
            now[1, one, 1] += bottom[thing_row[at_thing]]
            of_thing[one, 5] += 1
            at_thing += 1
        things_in_group = len(of_thing) // len(of_group)
        for i in range(counts1):
            one = these[1, i]
            g = one // things_in_group
            t, n, total, count = now[1, one, 0], now[1, one, 1], now[0, g, 0], now[0, g, 1]
            of_thing[one, 0] += t
            of_thing[one, 1] += n
            of_thing[one, 2] += (total - t) * (total - t) - total * total
            of_thing[one, 3] += (total - t) * (count - n) - total * count
            of_thing[one, 4] += (count - n) * (count - n) - count * count
        while at_cell < len(cell) and cell_row[at_cell] < end:
            one = cell[at_cell]
            if now[2, one, 1] == 0:
                these[2, counts2] = one
                counts2 += 1
            now[2, one, 0] += top[cell_row[at_cell]]
            now[2, one, 1] += bottom[cell_row[at_cell]]
            of_cell[one, 9] += 1
            at_cell += 1
        cells_in_group = len(of_cell) // len(of_group)
        for i in range(counts2):
            one = these[2, i]
            g, kind = one // cells_in_group, thing_of_cell[one]
            t, n = now[2, one, 0], now[2, one, 1]
            total, count = now[0, g, 0] - now[1, kind, 0], now[0, g, 1] - now[1, kind, 1]
            of_cell[one, 0] += t
            of_cell[one, 1] += n
            of_cell[one, 2] += t * t
            of_cell[one, 3] += t * n
            of_cell[one, 4] += n * n
            of_cell[one, 5] += t * total
            of_cell[one, 6] += t * count
            of_cell[one, 7] += n * total
            of_cell[one, 8] += n * count
            of_cell[one, 10] += 1
            now[2, one, 0] = now[2, one, 1] = 0
        for i in range(counts1):
            now[1, these[1, i], 0] = now[1, these[1, i], 1] = 0
        for i in range(counts0):
            g = these[0, i]
            total, count = now[0, g, 0], now[0, g, 1]
            of_group[g, 0] += total
            of_group[g, 1] += count
            of_group[g, 2] += total * total
            of_group[g, 3] += total * count
            of_group[g, 4] += count * count
            of_group[g, 6] += 1
            now[0, g, 0] = now[0, g, 1] = 0
        row = end


@dataclass(frozen=True, eq=False)
class ContrastTally(Tally):
    """Sums over games of those who have a thing and of those who do not.

    In a group and game, T and N are the sums of the tops and bottoms of all players, t and n of those who have a
    thing, t' and n' of those who do not.

    Attributes
    ----------
    groups : Counts
        Of each group: the sums of T, N, T T, T N, N N; players and games.
    things : Counts
        Of each thing in each group: the sums of t, n, t' t' - T T, t' n' - T N, n' n' - N N; players.
    cells : Counts
        Of each thing with its inner keys: the sums of t, n, t t, t n, n n, t t', t n', n t', n n' (t and n are those
        with these inner keys, t' and n' those without the thing at all); players and games.
    units : tuple of int
        So many units of the top, and of the bottom, make 1.
    kind : str
        As in `Contrast`.
    """

    groups: Counts
    things: Counts
    cells: Counts
    units: tuple[int, int]
    kind: str

    def question(self) -> object:
        """Return the kind of ratio and the names of the keys."""
        return self.kind, list(self.cells.keys.columns), len(self.groups.keys.columns)

    def added(self, other: ContrastTally) -> ContrastTally:
        """Return the sums of both, in a unit that fits both."""
        units = lcm(self.units[0], other.units[0]), lcm(self.units[1], other.units[1])
        groups, things, cells = (mine + others for mine, others in zip(self._in(units), other._in(units), strict=True))
        return ContrastTally(groups, things, cells, units, self.kind)

    def _in(self, units: tuple[int, int]) -> tuple[Counts, Counts, Counts]:
        top, bottom = units[0] // self.units[0], units[1] // self.units[1]
        sums, products = (top, bottom), (top**2, top * bottom, bottom**2)
        return (
            self.groups.times(*sums, *products, 1, 1),
            self.things.times(*sums, *products, 1),
            self.cells.times(*sums, *products, top**2, top * bottom, top * bottom, bottom**2, 1, 1),
        )

    def frame(self, level: float = 0.95) -> pd.DataFrame:
        """Return the means of those with and without each thing, and their difference.

        Returns
        -------
        DataFrame
            The keys; ``with, with_low, with_high`` and ``without, without_low, without_high``: the means; ``estimate,
            low, high``: with - without; ``n``: players who have it; ``games`` in which somebody does. The interval of a
            difference of means is Student's over the games of those who have it; that of lifts is put together from
            the intervals of both (`intervals.difference`), which keep the skew of rates near 0.
        """
        keys, have, lack, shared = self._compared()
        with_, without = (Estimates(side, self.units, self.kind).at(level) for side in (have, lack))
        alone = [covariance(side, side, side.squares(), side.games, self.units) for side in (have, lack)]
        n, games = have.n.astype(np.int64), have.games.astype(np.int64)
        effect = with_[0] - without[0]
        if self.kind == "mean":
            low, high = of_mean(effect, alone[0] + alone[1] - 2 * shared, games, level=level)
        else:
            with np.errstate(divide="ignore", invalid="ignore"):
                low, high = difference(with_, without, shared / np.sqrt(alone[0] * alone[1]))
        columns: dict[str, np.ndarray] = {}
        for name, (estimate, below, above) in (("with", with_), ("without", without)):
            columns |= {name: estimate, f"{name}_low": below, f"{name}_high": above}
        columns |= dict(zip(ESTIMATES, (effect, low, high, n, games), strict=True))
        frame = answer(keys, columns, level)
        frame.attrs["association"] = True
        return frame

    @cached_property
    def moments(self) -> Moments:
        """The differences and their spread; see `shrinkage`."""
        keys, have, lack, shared = self._compared()
        alone = [covariance(side, side, side.squares(), side.games, self.units) for side in (have, lack)]
        effect = have.ratio(self.units) - lack.ratio(self.units)
        n, games = have.n.astype(np.int64), have.games.astype(np.int64)
        variance = np.maximum(alone[0] + alone[1] - 2 * shared, 0)
        return Moments(keys, effect, variance, np.full(len(n), np.nan), n, games)

    def _compared(self) -> tuple[pd.DataFrame, Sums, Sums, np.ndarray]:
        """Return the keys, the sums of those with and without each thing, and the covariance of their ratios."""
        cells = self.cells.keys
        _, _, group = self.groups.keys.joined(cells.only(list(self.groups.keys.columns)))
        _, _, thing = self.things.keys.joined(cells.only(list(self.things.keys.columns)))
        top, bottom, top_top, top_bottom, bottom_bottom, *across, n, games = self.cells.sums.T
        *everybody, table = self.groups.sums[group].T
        others = [mine + more for mine, more in zip(everybody, self.things.sums[thing].T * SIGNS, strict=True)]
        none = 0 * n
        have = Sums(top, top_top, top_bottom, none, bottom, bottom_bottom, n, games)
        lack = Sums(others[0], others[2], others[3], none, others[1], others[4], others[5], table)
        shared = covariance(have, lack, (across[0], across[1], across[2], across[3]), table, self.units)
        return cells.frame(), have, lack, shared
