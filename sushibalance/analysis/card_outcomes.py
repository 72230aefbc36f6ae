"""How players with a card fare against those without (Sushi Otter): an association, never the cause.

Who takes which card is no accident. The last of a round picks first, so cards that all want go to those who are behind;
a policy that plays well may like a card that does little. Both show here as if the card did it. What a card does by
itself is told by games that are played on with it and without it.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from sushibalance.errors import UserError
from sushibalance.rules.problems import shown
from sushibalance.stats.contrasts import Contrast
from sushibalance.stats.groups import By, listed, need, numbers, same_row
from sushibalance.stats.tallies import counted

OUTCOMES = ("win_points", "vp")


@counted
def power_ups(
    picks: pd.DataFrame,
    players: pd.DataFrame,
    by: By = (),
    *,
    outcome: str = "win_points",
    rounds: bool = False,
) -> Contrast:
    """Return how players who took a power-up fared, and those who did not. An association, not what the card does.

    Parameters
    ----------
    picks : DataFrame
        ``run.picks``: game, round, seat, power_up. Starting power-ups count, as of round 0.
    players : DataFrame
        ``run.players``: game, seat, total, win, and the keys.
    by : str or sequence of str
        Keys of players, who are compared inside each group: with ``"policy"`` players of a policy who took the card
        with others of the same policy, which takes out that some policies play better.
    outcome : str
        ``"win_points"`` (1 is fair; see `win_rates.win_points`) or ``"vp"`` (at the end).
    rounds : bool
        Tell apart in which round the card was taken; those without are still those who never took it.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``power_up`` (and ``round``); ``with, with_low, with_high`` and ``without, without_low,
        without_high``: the mean outcome of either; ``estimate, low, high``: the effect with, which is the difference;
        ``n`` (players who took it), ``games``. ``attrs["association"]`` is true. For cards that were rarely taken see
        `stats.shrunk`, which takes the tally.
    """
    need(picks, "picks", "game", "round", "seat", "power_up")
    return _contrast(picks, players, by, "power_up", outcome, rounds)


@counted
def key_clients(
    picks: pd.DataFrame,
    players: pd.DataFrame,
    by: By = (),
    *,
    outcome: str = "win_points",
    rounds: bool = False,
) -> Contrast:
    """Return how players who got a Key Client card fared, and those who did not. An association, not what it does.

    Parameters
    ----------
    picks : DataFrame
        ``run.picks``: game, round, seat, key_client (missing where a pick brought none).
    players, by, outcome, rounds, level
        As for `power_ups`.

    Returns
    -------
    DataFrame
        As that of `power_ups`, with ``key_client``.
    """
    need(picks, "picks", "game", "round", "seat", "key_client")
    return _contrast(picks[picks["key_client"].notna()], players, by, "key_client", outcome, rounds)


def _contrast(picks: pd.DataFrame, players: pd.DataFrame, by: By, card: str, outcome: str, rounds: bool) -> Contrast:
    """Return the players with their outcome, and who of them took which card."""
    need(players, "players", "game", "seat", "total", "win")
    if outcome not in OUTCOMES:
        raise UserError(f"outcome: found {shown(outcome)}, allowed {' or '.join(OUTCOMES)}")
    row = same_row("players", players, picks, ["game", "seat"])
    held = picks[[card, "round"]].assign(row=row)
    inner = ["round"] * rounds
    if outcome == "vp":
        return Contrast(players, listed(by), "total", None, held, card, inner)
    game, _ = numbers(players, ["game"])
    fair = players.assign(_fair=1 / np.bincount(game)[game])
    return Contrast(fair, listed(by), "win", "_fair", held, card, inner, kind="lift")
