"""Rows of Nightmares runs: their allocation and their frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sushibalance.games.game import Rows
from sushibalance.games.nightmares.kernel.state import CHEF, GAME_ROW, MAX_CHEFS, MAX_SEATS, PLAYER_ROW, ROUND_ROW
from sushibalance.games.nightmares.rules import ABILITIES, NightmaresRules

if TYPE_CHECKING:
    import pandas as pd

THIRD_PLATE = 2


def new_rows(rules: NightmaresRules, players: int, games: int) -> dict[str, np.ndarray]:
    """Return zeroed rows: ``games`` (games,), ``players`` (games, seats), ``rounds`` (games, rounds, seats)."""
    shapes = {
        "games": (GAME_ROW, (games,)),
        "players": (PLAYER_ROW, (games, players)),
        "rounds": (ROUND_ROW, (games, rules.rounds, players)),
    }
    return {name: np.zeros(shape, dtype).view(np.recarray) for name, (dtype, shape) in shapes.items()}


def codes(rules: NightmaresRules, players: int) -> Mapping[str, Mapping[str, Sequence[int]]]:
    """Return what the codes and counts in the rows may be; see `Engine.codes`. A rounds row not played is zero."""
    points = range(np.iinfo(np.int16).max + 1)
    return {
        "games": {"rounds": range(1, rules.rounds + 1)},
        "players": {"aside": range(-1, 0) if rules.readings.set_aside == "none" else range(len(rules.grades))},
        "rounds": {
            "gold": points,
            "penalty": points,
            "order": range(players + 1),
            "served": range(len(rules.grades)),
            "ability": range(-1, len(ABILITIES)),
            "target": range(-1, players),
            "ate": _dishes(rules, players),
            "ate_own": range(2),
        },
    }


def _dishes(rules: NightmaresRules, players: int) -> list[int]:
    """Return the codes of what can be eaten: the plates, then the chefs."""
    third = players == 2 and rules.readings.two_players == "third_seat"
    return [*range(players + third), *range(CHEF, CHEF + rules.chefs.on_table)]


def rounds_frame(rows: Rows, run: Any) -> pd.DataFrame:
    """Return one row for each round played and seat.

    Columns: game, round, seat, order (1: the starter), served (grade), ability (a name or ``"none"``),
    target (seat that got the point of this player's Ninjutsu Chin, else missing), ate (``"seat 1"``,
    ``"third seat"``, ``"chef 0"``: the plate or the chef chosen), ate_own (whether nobody chose the own
    sushi, so that its owner ate it), gold, penalty (running, after the round).

    Rounds that an early penalty victory left unplayed have no rows.
    """
    import pandas as pd

    table = np.asarray(rows["rounds"])
    _, rounds, seats = table.shape
    played = np.arange(rounds) < np.asarray(rows["games"]["rounds"])[:, None]
    game, at = np.nonzero(played)
    cells = table[game, at].reshape(-1)
    plates = [f"seat {seat}" for seat in range(MAX_SEATS)]
    if seats == THIRD_PLATE:
        plates[THIRD_PLATE] = "third seat"
    offered = _dishes(run.rules, seats)
    names = [*plates, *(f"chef {place}" for place in range(MAX_CHEFS))]
    codes = np.full(len(names), -1, np.int8)
    codes[offered] = np.arange(len(offered))
    return pd.DataFrame(
        {
            "game": np.repeat(game.astype(np.int64), seats),
            "round": np.repeat((at + 1).astype(np.int8), seats),
            "seat": np.tile(np.arange(seats, dtype=np.int8), len(game)),
            "order": cells["order"],
            "served": pd.Categorical.from_codes(cells["served"], categories=list(run.rules.grades)),
            "ability": pd.Categorical.from_codes(cells["ability"] + 1, categories=["none", *ABILITIES]),
            "target": pd.arrays.IntegerArray(cells["target"].copy(), cells["target"] < 0),
            "ate": pd.Categorical.from_codes(codes[cells["ate"]], categories=[names[what] for what in offered]),
            "ate_own": cells["ate_own"].astype(bool),
            "gold": cells["gold"],
            "penalty": cells["penalty"],
        }
    )


def set_aside_frame(rows: Rows, run: Any) -> pd.DataFrame:
    """Return one row a player: game, seat, grade (the card set aside; missing when none is)."""
    import pandas as pd

    players = np.asarray(rows["players"])
    return pd.DataFrame(
        {
            "game": np.repeat(np.arange(len(players), dtype=np.int64), players.shape[1]),
            "seat": np.tile(np.arange(players.shape[1], dtype=np.int8), len(players)),
            "grade": pd.Categorical.from_codes(players["aside"].reshape(-1), categories=list(run.rules.grades)),
        }
    )
