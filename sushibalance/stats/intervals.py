"""Interval formulas for arrays of estimates."""

from __future__ import annotations

from numbers import Real

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtrit

from sushibalance.errors import UserError

Estimated = tuple[np.ndarray, np.ndarray, np.ndarray]
Limit = float | np.ndarray
EVERY = (-np.inf, np.inf)


class LevelError(UserError):
    """A confidence level that is not between 0 and 1."""


def checked(level: float) -> float:
    """Return a confidence level.

    Raises
    ------
    LevelError
        When it is not strictly between 0 and 1.
    """
    if not isinstance(level, Real) or not 0 < level < 1:
        raise LevelError(f"level: found {level!r}, allowed a number between 0 and 1, e.g. 0.95")
    return float(level)


def positive(what: str, value: float) -> float:
    """Return a number above 0.

    Raises
    ------
    UserError
        When it is none.
    """
    if isinstance(value, bool) or not isinstance(value, Real) or not value > 0:
        raise UserError(f"{what}: found {value!r}, allowed a number above 0")
    return float(value)


def wilson(count: ArrayLike, n: ArrayLike, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Return Wilson's score interval of a proportion (Wilson, JASA 22, 1927; the formula as statsmodels has it).

    Parameters
    ----------
    count, n : array_like of float
        Successes and independent trials; both may be fractions (an effective sample size).
    level : float
        Confidence level.

    Returns
    -------
    low, high : ndarray of float64
        Bounds in [0, 1]; NaN where ``n`` is 0.

    Examples
    --------
    >>> low, high = wilson(2, 50)
    >>> f"{low:.4f} {high:.4f}"
    '0.0110 0.1346'
    """
    # Not statsmodels' own: importing it takes a third of the time in which the shell answers.
    count, n = np.broadcast_arrays(np.asarray(count, np.float64), np.asarray(n, np.float64))
    some = np.where(n > 0, n, 1.0)
    rate, z = np.where(n > 0, count, 0.0) / some, -ndtri((1 - checked(level)) / 2)
    denominator = 1 + z**2 / some
    center = (rate + z**2 / (2 * some)) / denominator
    half = z * np.sqrt(rate * (1 - rate) / some + z**2 / (4 * some**2)) / denominator
    low, high = np.where(rate <= 0, 0.0, center - half), np.where(rate >= 1, 1.0, center + half)
    return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)


def student(
    estimate: ArrayLike, variance: ArrayLike, freedom: ArrayLike, level: float = 0.95
) -> tuple[np.ndarray, np.ndarray]:
    """Return Student's t interval around an estimate.

    Parameters
    ----------
    estimate, variance : array_like of float
        The estimate and the square of its standard error.
    freedom : array_like of float
        Degrees of freedom; below 1 the bounds are NaN.
    level : float
        Confidence level.

    Returns
    -------
    low, high : ndarray of float64

    Examples
    --------
    >>> low, high = student(10.0, 4.0, 9)
    >>> f"{low:.3f} {high:.3f}"
    '5.476 14.524'
    """
    half = quantile_t(freedom, level) * np.sqrt(np.asarray(variance, np.float64))
    return np.asarray(estimate - half), np.asarray(estimate + half)


def quantile_t(freedom: ArrayLike, level: float) -> np.ndarray:
    """Return the two-sided t quantile (NaN below one degree of freedom)."""
    freedom = np.asarray(freedom, np.float64)
    return np.where(freedom >= 1, stdtrit(np.maximum(freedom, 1), (1 + checked(level)) / 2), np.nan)


def alike(
    estimate: ArrayLike, clusters: ArrayLike, least: Limit, most: Limit, level: float = 0.95
) -> tuple[np.ndarray, np.ndarray]:
    """Return the interval of a mean that is the same in every cluster that was seen.

    No spread was seen, but there may be clusters that differ, too rare to be among so many: the part of them is
    between 0 and the upper bound that `wilson` gives to what came up in none (about 4 in ``clusters``; the rule of
    three of the two-sided interval). They may differ as far as the limits of the mean.

    Parameters
    ----------
    estimate : array_like of float
        What all clusters have.
    clusters : array_like of int
        How many were seen.
    least, most : array_like of float
        The limits of what a cluster can have; without limits, infinite, there is no interval.
    level : float
        Confidence level.

    Returns
    -------
    low, high : ndarray of float64
        NaN where there is no limit.

    Examples
    --------
    Taken by the first of four to pick in each of 50 games:

    >>> low, high = alike(1.0, 50, 1, 4)
    >>> f"{low:.3f} {high:.3f}"
    '1.000 1.214'
    """
    value, rare = np.asarray(estimate, np.float64), wilson(0, clusters, level)[1]
    down, up = rare * (value - least), rare * (most - value)
    return np.where(np.isinf(down), np.nan, value - down), np.where(np.isinf(up), np.nan, value + up)


def of_mean(
    estimate: ArrayLike,
    variance: ArrayLike,
    clusters: ArrayLike,
    limits: tuple[Limit, Limit] = EVERY,
    level: float = 0.95,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the interval of a mean over clusters: `student`, and `alike` where no cluster differs from another.

    Parameters
    ----------
    estimate, variance : array_like of float
        As in `student`.
    clusters : array_like of int
        Number of clusters behind each.
    limits : (least, most)
        Of what a cluster can have, numbers or an array of them; the bounds lie between them.
    level : float
        Confidence level.

    Returns
    -------
    low, high : ndarray of float64
        NaN for a single cluster; without limits also where no cluster differs from another.
    """
    clusters, still = np.asarray(clusters), np.asarray(variance) <= 0
    low, high = np.clip(student(estimate, np.maximum(variance, 0), clusters - 1, level), *limits)
    same = alike(estimate, clusters, *limits, level)
    return np.where(still, same[0], low), np.where(still, same[1], high)


def effective_wilson(
    estimate: ArrayLike, variance: ArrayLike, clusters: ArrayLike, level: float = 0.95
) -> tuple[np.ndarray, np.ndarray]:
    """Return the score interval of a proportion that was measured in clusters.

    Wilson's interval at the effective sample size ``p (1 - p) / variance``, reduced by the ratio of
    the normal to the t quantile for few clusters (Korn and Graubard, Survey Methodology 24, 1998;
    for Wilson's interval Dean and Pagano, J. Surv. Stat. Methodol. 3, 2015). Where every cluster has the
    same proportion, as where all or none succeeded, nothing is known of the variance: see `alike`.

    Parameters
    ----------
    estimate : array_like of float
        Proportions in [0, 1].
    variance : array_like of float
        Cluster-robust variances of the estimates.
    clusters : array_like of int
        Number of clusters behind each.
    level : float
        Confidence level.

    Returns
    -------
    low, high : ndarray of float64
        NaN for a single cluster, unless all or none succeeded in it.
    """
    p, variance, clusters = (np.asarray(part, np.float64) for part in (estimate, variance, clusters))
    fixed = (p <= 0) | (p >= 1) | (variance <= 0)
    shrink = (ndtri((1 + checked(level)) / 2) / quantile_t(clusters - 1, level)) ** 2
    size = p * (1 - p) / np.where(fixed, np.nan, variance) * shrink
    bounds = zip(alike(p, clusters, 0, 1, level), wilson(p * size, size, level), strict=True)
    low, high = (np.where(fixed, same, spread) for same, spread in bounds)
    return low, high


def score(
    estimate: ArrayLike, variance: ArrayLike, n: ArrayLike, clusters: ArrayLike, single: ArrayLike, level: float = 0.95
) -> tuple[np.ndarray, np.ndarray]:
    """Return Wilson's interval where each cluster gave a single yes or no, and `effective_wilson` elsewhere.

    Parameters
    ----------
    estimate, variance, clusters : array_like
        As in `effective_wilson`.
    n : array_like of int
        Trials.
    single : array_like of bool
        Whether each cluster gave one yes or no.
    level : float
        Confidence level.

    Returns
    -------
    low, high : ndarray of float64
    """
    plain = wilson(np.asarray(estimate) * np.asarray(n), n, level)
    clustered = effective_wilson(estimate, variance, clusters, level)
    low, high = (np.where(single, a, b) for a, b in zip(plain, clustered, strict=True))
    return low, high


def difference(first: Estimated, second: Estimated, correlation: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Return the interval of ``first - second`` from the intervals of both.

    The distance of a bound from its estimate stands for the standard error in that direction, so bounds of rates
    near 0 keep their skew (Newcombe, Stat. Med. 17, 1998, 2635; Zou and Donner, Stat. Med. 27, 2008: MOVER).

    Parameters
    ----------
    first, second : (estimate, low, high)
        Arrays of float, at the same level.
    correlation : array_like of float
        Of the two estimates; NaN, where one of them does not vary, counts as 0.

    Returns
    -------
    low, high : ndarray of float64

    Examples
    --------
    56 of 70 and 48 of 80, independent: Newcombe's method 10 gives 0.0524 to 0.3339.

    >>> low, high = difference((56 / 70, *wilson(56, 70)), (48 / 80, *wilson(48, 80)), 0)
    >>> f"{low:.4f} {high:.4f}"
    '0.0524 0.3339'
    """
    (a, a_low, a_high), (b, b_low, b_high) = first, second
    r = np.clip(np.nan_to_num(correlation), -1, 1)

    def reach(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.sqrt(np.maximum(one**2 - 2 * r * one * other + other**2, 0))

    return a - b - reach(a - a_low, b_high - b), a - b + reach(a_high - a, b - b_low)
