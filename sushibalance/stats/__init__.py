"""Estimates with their intervals: frames in, frames with ``estimate, low, high, n`` out."""

from sushibalance.stats.grouped import lifts, means, quantiles, rates, shares
from sushibalance.stats.intervals import student, wilson

__all__ = ["lifts", "means", "quantiles", "rates", "shares", "student", "wilson"]
