"""Estimates of many alike things, of which some were rarely seen: each leans on all the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from sushibalance.errors import UserError
from sushibalance.stats.intervals import checked
from sushibalance.stats.tallies import with_level

FEWEST = 4
BORROWED = 10  # so many games of the common spread are added to each one's own


def shrunk(tally: Any, *, level: float = 0.95) -> pd.DataFrame:
    """Return the estimates of a set of cards, drawn towards their mean where they rest on few games.

    Empirical Bayes: the true values of the cards are taken to lie around a common mean. How far apart they lie is
    estimated (Paule and Mandel, as statsmodels has it), and the intervals allow for that (Morris, JASA 78, 1983).
    The mean of an estimate over many cards is better than without, and the highest and lowest of the list are no
    longer just those seen least. Intervals cover on the average over the cards, not for each of them.

    Parameters
    ----------
    tally : RatioTally or PairTally
        Its rows are the set, four at least.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``estimate, low, high, n, games``, ``alone``: the estimate without the others, and ``weight``: what
        it counts for, from 0 (the mean of all) to 1.

    Raises
    ------
    UserError
        When there are too few rows.
    """
    from statsmodels.stats.meta_analysis import combine_effects  # slow to import

    keys, alone, variance, _, n, games = tally.moments
    known = (games > 1) & np.isfinite(alone) & np.isfinite(variance)
    count = int(known.sum())
    if count < FEWEST:
        raise UserError(f"shrunk: found {count} rows with more than one game, allowed {FEWEST} or more")
    own = np.where(known, variance * games, 0.0)  # of a game
    freedom = np.where(known, games - 1, 0)
    common = (own * freedom).sum() / freedom.sum()
    spread = (own * freedom + common * BORROWED) / (freedom + BORROWED) / games
    if not common > 0:
        raise UserError("shrunk: found no spread between games, so nothing is unsure")
    found = combine_effects(alone[known], spread[known], method_re="iterated")
    between, mean = max(float(found.tau2), 0.0), float(found.mean_effect_re)
    alone = np.where(known, alone, mean)
    lean = (count - 3) / (count - 1) * spread / (spread + between)
    typical = 1 / (1 / (spread[known] + between)).mean()
    unsure = 2 / (count - 3) * typical / (spread + between) * (lean * (alone - mean)) ** 2
    half = ndtri((1 + checked(level)) / 2) * np.sqrt(spread * (1 - (count - 1) / count * lean) + unsure)
    estimate = alone + lean * (mean - alone)
    columns = {"estimate": estimate, "low": estimate - half, "high": estimate + half, "n": n, "games": games}
    return with_level(keys.assign(**columns, alone=alone, weight=1 - lean), level)
