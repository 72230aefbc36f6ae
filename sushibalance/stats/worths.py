"""What each of many things is worth to those who choose between them: Plackett and Luce's model.

A thing is chosen out of a set with a probability in proportion to its worth (Luce, Individual Choice Behavior, 1959;
Plackett, Applied Statistics 24, 1975). So how often it is chosen no longer depends on what else happened to be there.

Sets are too many to count, pairs are not: each choice counts as one win of what was chosen over each thing left (rank
breaking, in full, which is consistent: Azari Soufiani and others, NIPS 2013). Fitted are the worths of the greatest
likelihood of the pairs, by choix's Luce spectral ranking (Maystre and Grossglauser, NIPS 2015). Pairs of one choice,
and choices of one game, hang together; so the spread is that between `BLOCKS` blocks of whole games (the sandwich
covariance, clustered by block), and nothing is taken from the likelihood.

Those who always choose one thing before another have no finite ratio of worths. Half a win and half a loss against
something that nobody ever sees keep estimates finite, and intervals are left out then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import expit

from sushibalance.core.jit import lean
from sushibalance.errors import UserError
from sushibalance.stats.counting import Clusters
from sushibalance.stats.groups import Groups, Keys, closed_up, first_rows, need, numbers
from sushibalance.stats.intervals import student
from sushibalance.stats.tallies import Tally, with_level

BLOCKS = 60  # a game belongs to the block of its number: 59 degrees of freedom
HALF = 0.5
LARGEST = 500  # things: so many squared fit into memory, once a block
STEPS, CLOSE = 100, 1e-9


@dataclass(frozen=True, eq=False)
class Choices:
    """Rows of things that could be chosen.

    Attributes
    ----------
    frame : DataFrame
        One row a thing that could be chosen.
    by : sequence of str
        Keys of the groups, equal for all rows of a choice.
    item, chosen : str
        The column of the things, and that of what was chosen: true in one row of a choice.
    choice : sequence of str
        Columns that tell choices apart.
    cluster : str
        The sampling unit.
    """

    frame: pd.DataFrame
    by: Sequence[str]
    item: str
    chosen: str
    choice: Sequence[str]
    cluster: str = "game"

    def tally(self) -> ChoiceTally:
        """Return how often each thing was chosen before each other one, by group and block of games."""
        frame = self.frame
        need(frame, "frame", *self.by, self.item, self.chosen, *self.choice, self.cluster)
        outer, items = Groups(frame, self.by), Groups(frame, [self.item])
        met_groups, group = closed_up(outer.cell_of_row, outer.cells)
        met_items, item = closed_up(items.cell_of_row, items.cells)
        things = len(met_items)
        if things > LARGEST:
            raise UserError(f"{self.item}: found {things} different ones, allowed {LARGEST} to be chosen between")
        turn, turns = numbers(frame, list(self.choice))
        games = Clusters(frame[self.cluster])
        block = np.empty(len(frame), np.int64)
        block[slice(None) if games.order is None else games.order] = games.number % BLOCKS
        wins = np.zeros((len(met_groups), BLOCKS, things, things), np.int64)
        sums = np.zeros((2, len(met_groups), things), np.int64)
        first = first_rows(frame, list(dict.fromkeys([*self.by, self.item, self.cluster])))
        _count(turn, group, block, item, frame[self.chosen].to_numpy(bool), first, np.full(turns, -1), wins, sums)
        return ChoiceTally(outer.group_keys(met_groups), items.group_keys(met_items), wins, sums)


@lean
def _count(turn, group, block, item, chosen, first, best, wins, sums):
    """Add up rows of things that could be chosen: ``wins`` and ``sums`` are those of `ChoiceTally`.

    ``first`` says whether a row is the first of its thing in a game; ``best`` is room, -1 for each turn.
    """
    for row in range(len(turn)):
        if chosen[row]:
            best[turn[row]] = item[row]
    for row in range(len(turn)):
        g, thing, winner = group[row], item[row], best[turn[row]]
        sums[1, g, thing] += first[row]
        if winner >= 0:
            sums[0, g, thing] += 1
            if not chosen[row]:
                wins[g, block[row], winner, thing] += 1


@dataclass(frozen=True, eq=False)
class ChoiceTally(Tally):
    """How often each thing was chosen before each other one.

    Attributes
    ----------
    groups, items : Keys
    wins : ndarray of int64
        By group, block of games, thing chosen, thing left.
    sums : ndarray of int64
        Choices with the thing in the set, and games; by group and thing.
    """

    groups: Keys
    items: Keys
    wins: np.ndarray
    sums: np.ndarray

    def question(self) -> object:
        """Return the names of the keys."""
        return list(self.groups.columns), list(self.items.columns)

    def added(self, other: ChoiceTally) -> ChoiceTally:
        """Return the counts of both."""
        groups, *group = self.groups.joined(other.groups)
        items, *item = self.items.joined(other.items)
        wins = np.zeros((len(groups), BLOCKS, len(items), len(items)), np.int64)
        sums = np.zeros((2, len(groups), len(items)), np.int64)
        for tally, g, i in zip((self, other), group, item, strict=True):
            wins[np.ix_(g, np.arange(BLOCKS), i, i)] += tally.wins
            sums[np.ix_(np.arange(2), g, i)] += tally.sums
        return ChoiceTally(groups, items, wins, sums)

    def frame(self, level: float = 0.95) -> pd.DataFrame:
        """Return the worth of each thing in each group.

        Returns
        -------
        DataFrame
            The keys; ``estimate, low, high``: the worth, 1 on the (geometric) average of the things of the group;
            ``n``: choices in which it could be chosen; ``games``. Without an interval are things that were always, or
            never, chosen before those of the largest set in which each was at times chosen before the others.
        """
        keys, names, columns = self.groups.frame(), self.items.frame(), []
        for place in range(len(self.groups)):
            n, games = self.sums[:, place]
            there = np.flatnonzero(n)
            wins = self.wins[place][:, there][:, :, there]
            log, variance, freedom = worths(wins)
            low, high = student(log, variance, freedom, level)
            group = keys.iloc[[place] * len(there)].reset_index(drop=True)
            found = {"estimate": log, "low": low, "high": high}
            told = names.iloc[there].reset_index(drop=True)
            told = told.assign(**{name: np.exp(part) for name, part in found.items()}, n=n[there], games=games[there])
            columns.append(pd.concat([group, told], axis=1))
        if not columns:
            raise UserError("worths: found no choice, allowed one at least")
        return with_level(pd.concat(columns, ignore_index=True), level)


def worths(wins: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the logarithms of the worths, their variances, and the degrees of freedom of these.

    Parameters
    ----------
    wins : ndarray, shape (blocks, things, things)
        How often the first was chosen before the second, by block of games.

    Returns
    -------
    log, variance : ndarray of float64
        The logarithms have mean 0. Variances are NaN where the worth has no bound (`ChoiceTally.frame`).
    freedom : int
    """
    from scipy.sparse.csgraph import connected_components

    blocks = wins[wins.any(axis=(1, 2))].astype(np.float64)
    count, things = len(blocks), wins.shape[1]
    won = np.full((things + 1, things + 1), HALF)
    won[:things, :things] = blocks.sum(axis=0)
    np.fill_diagonal(won, 0)
    log = _likeliest(won)[:things]
    chance, _ = _chances(log, won[:things, :things])
    _, whole = _chances(np.append(log, 0.0), won)
    bread = np.linalg.inv((np.diag(whole.sum(axis=1)) - whole)[:things, :things])
    score = blocks.sum(axis=2) - ((blocks + blocks.transpose(0, 2, 1)) * chance).sum(axis=2)
    spread = (score - score.mean(axis=0)) @ bread
    spread -= spread.mean(axis=1, keepdims=True)
    variance = (spread**2).sum(axis=0) * count / (count - 1) if count > 1 else np.full(things, np.nan)
    _, part = connected_components(won[:things, :things], connection="strong")
    size = np.bincount(part)
    main = (part == size.argmax()) & (size.max() > 1)
    return log - log.mean(), np.where(main, variance, np.nan), count - 1


def _chances(log: np.ndarray, won: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the chance of each to be chosen before each other one, and the information of each pair."""
    chance = expit(log[:, None] - log[None, :])
    return chance, (won + won.T) * chance * chance.T


def _likeliest(won: np.ndarray) -> np.ndarray:
    """Return the logarithms of the worths of the greatest likelihood; that of the last thing is 0."""
    from choix import ilsr_pairwise_dense  # slow to import

    try:
        with np.errstate(all="ignore"):
            log = ilsr_pairwise_dense(won, max_iter=STEPS)
        if np.isfinite(log).all():
            return log - log[-1]
    except (RuntimeError, np.linalg.LinAlgError):
        pass
    return _by_newton(won)


def _by_newton(won: np.ndarray) -> np.ndarray:
    """Return the same where worths are so far apart that the ranking's steps become too small."""

    def unlikely(log: np.ndarray) -> float:
        return float((won * np.logaddexp(0, log[None, :] - log[:, None])).sum())

    log = np.zeros(len(won))
    now = unlikely(log)
    for _ in range(STEPS):
        chance, met = _chances(log, won)
        slope = (won.sum(axis=1) - ((won + won.T) * chance).sum(axis=1))[:-1]
        step = np.append(np.linalg.solve((np.diag(met.sum(axis=1)) - met)[:-1, :-1], slope), 0.0)
        while (then := unlikely(log + step)) > now and abs(step).max() > CLOSE:
            step /= 2
        if then > now or abs(step).max() <= CLOSE:
            break
        log, now = log + step, then
    return log
