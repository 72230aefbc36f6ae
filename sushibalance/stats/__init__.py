"""Estimates with their intervals: frames in, frames with ``estimate, low, high, n`` out.

=============  =======================================================================
`grouped`      the estimates: means, rates, lifts, shares, quantiles
`pairs`        differences between two runs over the same games
`verdicts`     inside a margin, above, below, or undecided; games that settle it
`contrasts`    those who have a thing against those who do not
`worths`       what things are worth to those who choose between them
`sequences`    intervals that may be watched while games are played
`shrinkage`    many cards of which some were rarely seen
`tallies`      what all are made of: counters that add up over parts of the games
`intervals`    formulas
=============  =======================================================================
"""

from sushibalance.stats.grouped import lifts, means, quantiles, rates, shares
from sushibalance.stats.intervals import student, wilson
from sushibalance.stats.pairs import paired
from sushibalance.stats.sequences import Running
from sushibalance.stats.shrinkage import shrunk
from sushibalance.stats.verdicts import games_for, verdicts

__all__ = [
    "Running", "games_for", "lifts", "means", "paired", "quantiles", "rates", "shares", "shrunk", "student", "verdicts",
    "wilson",
]  # fmt: skip
