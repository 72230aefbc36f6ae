"""How many decisions were made in some games, counted in their rows."""

from __future__ import annotations

import numpy as np

from sushibalance.games.game import Rows


def otter(rows: Rows) -> int:
    """Count reveals, picks, and the Key Client cards chosen."""
    picks = rows["picks"][:, 1:]  # the printed rules have no starting power-ups
    return int(rows["rounds"].size + picks.size + (picks["key_client"] >= 0).sum())


def nightmares(rows: Rows) -> int:
    """Count cards set aside, cards served, dishes eaten, and targets of Ninjutsu Chin."""
    played = np.arange(rows["rounds"].shape[1]) < np.asarray(rows["games"]["rounds"])[:, None]
    rounds = rows["rounds"][played]
    return int((rows["players"]["aside"] >= 0).sum() + 2 * rounds.size + (rounds["target"] >= 0).sum())


def sushi_go(rows: Rows) -> int:
    """Count turns of seats."""
    return int(rows["picks"].size)


COUNTS = {"otter": otter, "nightmares": nightmares, "sushi_go": sushi_go}
