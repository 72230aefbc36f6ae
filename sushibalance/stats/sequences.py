"""Confidence sequences: intervals that may be watched while games are played, and stopped at any moment.

An ordinary interval covers the truth 95 times in 100 at one number of games fixed beforehand. Looked at again and
again, and stopped when it says what one hoped for, it covers less. A confidence sequence covers at all times at once:
the chance that it *ever* leaves out the truth is at most 5%. It is wider, by a half or so.

Both kinds here follow from sums over games, so they are read off a tally.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import gammainc, gammaln

from sushibalance.errors import UserError
from sushibalance.stats.intervals import checked
from sushibalance.stats.ratios import ESTIMATES
from sushibalance.stats.tallies import answer

START = 100  # games: before that nothing is said where no bounds are known
SPREAD = 1 / 40  # what is expected of the variance of a game, in parts of the squared range
STEPS = 60  # of bisection


@dataclass(frozen=True, eq=False)
class Running:
    """A tally whose intervals may be looked at after every game.

    Attributes
    ----------
    tally : RatioTally or PairTally
        Of the games so far, from the first on.
    bounds : (float, float), optional
        The lowest and highest that one game can give: (0, 1) for a rate, (-1, 1) for a difference of rates. With
        them the sequence is valid from the first game on (`bernstein`); it needs the same number of rows in each game.
        Without them it is so from `START` games on, approximately (`asymptotic`).
    guess : float, optional
        A guess at the estimate, made before the first game; by default the middle of the bounds. A good one makes the
        intervals narrower, none makes them wrong.
    about : int
        At about so many games they are narrowest; chosen before the first game.
    """

    tally: Any
    bounds: tuple[float, float] | None = None
    guess: float | None = None
    about: int = 10_000

    @property
    def played(self) -> int | None:
        """Games that were played; see `Tally`."""
        return self.tally.played

    def frame(self, level: float = 0.95) -> pd.DataFrame:
        """Return the keys and ``estimate, low, high, n, games`` at this moment.

        Raises
        ------
        UserError
            When there are bounds, and games with different numbers of rows.
        """
        keys, estimate, variance, squares, n, games = self.tally.moments
        if self.bounds is None:
            low, high = asymptotic(estimate, variance, games, level, about=self.about)
        else:
            if np.isnan(squares).any():
                raise UserError("bounds: found games with different numbers of rows, allowed games that weigh the same")
            lowest, highest = self.bounds
            guess = (lowest + highest) / 2 if self.guess is None else self.guess
            around = squares - 2 * guess * estimate * games + guess**2 * games
            low, high = bernstein(estimate, around, games, highest - lowest, level, about=self.about)
            low, high = np.maximum(low, lowest), np.minimum(high, highest)
        columns = dict(zip(ESTIMATES, (estimate, low, high, n, games), strict=True))
        return answer(keys, columns, level)


def bernstein(
    mean: ArrayLike, around: ArrayLike, games: ArrayLike, span: float, level: float = 0.95, *, about: int = 10_000
) -> tuple[np.ndarray, np.ndarray]:
    """Return the empirical-Bernstein confidence sequence of the mean of bounded values.

    Howard, Ramdas, McAuliffe and Sekhon, Annals of Statistics 49 (2021): theorem 4, with one guess for all games in the
    place of predictions, and the gamma-exponential mixture boundary of proposition 9. Valid from the first game on,
    whatever the distribution.

    Parameters
    ----------
    mean : array_like of float
        Of the games so far.
    around : array_like of float
        Sum over games of the squared distance from a guess that was fixed before the first.
    games : array_like of int
    span : float
        The highest value minus the lowest.
    level : float
        Confidence level.
    about : int
        Where the sequence is narrowest.

    Returns
    -------
    low, high : ndarray of float64
    """
    v, n = np.asarray(around, np.float64) / span**2, np.asarray(games, np.float64)
    reach = span * _boundary(np.maximum(v, 0.0), (1 - checked(level)) / 2, about * SPREAD) / n
    mean = np.asarray(mean, np.float64)
    return mean - reach, mean + reach


def _boundary(v: np.ndarray, alpha: float, expected: float) -> np.ndarray:
    """Return the sum that at the intrinsic time ``v`` (of steps up to 1) is ever reached with chance ``alpha``."""
    rho = expected / (2 * np.log(1 / alpha) + np.log(1 + 2 * np.log(1 / alpha)))

    def log_mixture(s: np.ndarray) -> np.ndarray:
        k, x = v + rho, s + v + rho
        inside = gammaln(k) + np.log(gammainc(k, x)) - k * np.log(x) + s + v
        return inside + rho * np.log(rho) - gammaln(rho) - np.log(gammainc(rho, rho))

    low, high = np.zeros_like(v), np.full_like(v, 1.0)
    target = np.log(1 / alpha)
    while (log_mixture(high) < target).any():
        high *= 2
    for _ in range(STEPS):
        middle = (low + high) / 2
        below = log_mixture(middle) < target
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return high


def asymptotic(
    estimate: ArrayLike, variance: ArrayLike, games: ArrayLike, level: float = 0.95, *, about: int = 10_000
) -> tuple[np.ndarray, np.ndarray]:
    """Return the asymptotic confidence sequence of a mean or a ratio of sums.

    Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Annals of Statistics 52 (2024), theorem 2.2: Robbins' normal
    mixture with the variance estimated, as good as the central limit theorem at `START` games.

    Parameters
    ----------
    estimate, variance : array_like of float
        The estimate and its variance after so many games.
    games : array_like of int
    level : float
        Confidence level.
    about : int
        Where the sequence is narrowest.

    Returns
    -------
    low, high : ndarray of float64
        NaN before `START` games.
    """
    n, alpha = np.asarray(games, np.float64), 1 - checked(level)
    rho = (2 * np.log(1 / alpha) + np.log(1 + 2 * np.log(1 / alpha))) / about
    wide = np.sqrt((n * rho + 1) / (n * rho) * np.log((n * rho + 1) / alpha**2))
    half = np.where(n < START, np.nan, wide * np.sqrt(np.asarray(variance, np.float64)))
    estimate = np.asarray(estimate, np.float64)
    return estimate - half, estimate + half
