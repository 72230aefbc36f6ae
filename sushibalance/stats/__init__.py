"""Estimates with their intervals: frames in, frames with ``estimate, low, high, n`` out.

=============  =====================================================================
`grouped`      the estimates: means, rates, lifts, shares, quantiles
`tallies`      what they are made of: counters that add up over parts of the games
`intervals`    formulas
=============  =====================================================================
"""

from sushibalance.stats.grouped import lifts, means, quantiles, rates, shares
from sushibalance.stats.intervals import student, wilson

__all__ = ["lifts", "means", "quantiles", "rates", "shares", "student", "wilson"]
