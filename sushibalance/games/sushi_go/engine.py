"""Sushi Go! for the rest of the house."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sushibalance.core.calls import addresses
from sushibalance.games.game import Engine, Rows
from sushibalance.games.sushi_go.frames import codes, new_rows, picks_frame, rounds_frame
from sushibalance.games.sushi_go.kernel.game import play_games
from sushibalance.games.sushi_go.kernel.state import (
    HIDDEN,
    MAX_PLAYERS,
    MIN_PLAYERS,
    NO_CHOPSTICKS,
    NO_SECOND_CARD,
    NO_SUCH_CARD,
    OWN,
    TABLE,
)
from sushibalance.games.sushi_go.narration import narrate
from sushibalance.games.sushi_go.policies import POLICIES
from sushibalance.games.sushi_go.tables import rules_table


def play(
    table: np.ndarray,
    functions: tuple[Callable[..., None], ...],
    params: np.ndarray,
    seed: int,
    first: int,
    rows: Rows,
    log: np.ndarray,
) -> np.ndarray:
    """Play one game for each element of ``rows["games"]``; see `Engine.play`."""
    open_table, own, hidden = (
        np.zeros(length, dtype).view(np.recarray) for dtype, length in ((TABLE, 1), (OWN, MAX_PLAYERS), (HIDDEN, 1))
    )
    rng, choice, status = np.zeros(1, np.uint64), np.zeros(2, np.int64), np.zeros(4, np.int64)
    events = log if len(log) else None
    play_games(
        table, addresses(functions), params, seed, first, rows["games"], rows["players"], rows["picks"], rows["rounds"],
        open_table, own, hidden, rng, choice, status, events,
    )  # fmt: skip
    return status


ENGINE = Engine(
    name="sushi_go",
    title="Sushi Go!",
    seats=(MIN_PLAYERS, MAX_PLAYERS),
    decisions=("choose",),
    policies=POLICIES,
    endings=("points", "puddings", "shared"),
    table=rules_table,
    rows=new_rows,
    codes=codes,
    play=play,
    complaints={
        NO_SUCH_CARD: "it takes a card that is not in its hand",
        NO_CHOPSTICKS: "it takes a second card without chopsticks in front of it",
        NO_SECOND_CARD: "it takes a second card that is not in its hand",
    },
    frames={"picks": picks_frame, "rounds": rounds_frame},
    narrate=narrate,
)
