"""Which hands players declare, and which they can (Sushi Otter)."""

from __future__ import annotations

import pandas as pd

from sushibalance.analysis.exact_hands import exact, price_against_rarity
from sushibalance.analysis.tables import with_policy
from sushibalance.stats import shares
from sushibalance.stats.groups import By, need
from sushibalance.stats.ratios import Ratio
from sushibalance.stats.tallies import counted

__all__ = ["exact", "in_play", "price_against_rarity"]


@counted
def in_play(rounds: pd.DataFrame, players: pd.DataFrame | None = None, by: By = "round") -> Ratio:
    """Return the share of each hand among the hands that players reveal.

    Parameters
    ----------
    rounds : DataFrame
        ``run.rounds``: game, round, seat, hand.
    players : DataFrame, optional
        ``run.players``; needed for the key ``policy``.
    by : str or sequence of str
        ``"round"``, ``"policy"``, ``["policy", "round"]``, or empty for all reveals.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``hand``, ``estimate, low, high``, ``n`` (reveals in the group), ``games``. Hands that
        never came up have a row too.
    """
    need(rounds, "rounds", "game", "round", "seat", "hand")
    if players is not None:
        rounds = with_policy(rounds, players)
    return shares.observe(rounds, by, "hand")
