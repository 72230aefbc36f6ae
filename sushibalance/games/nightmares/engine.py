"""The compiled engine of Nightmares of Sushi."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sushibalance.core.calls import addresses
from sushibalance.games.game import Engine, Rows
from sushibalance.games.nightmares.frames import codes, new_rows, rounds_frame, set_aside_frame
from sushibalance.games.nightmares.interventions import INTERVENTIONS
from sushibalance.games.nightmares.kernel.game import play_games
from sushibalance.games.nightmares.kernel.state import (
    ABILITY_NOT_HELD,
    CHOICE_WIDTH,
    HIDDEN,
    MAX_SEATS,
    NO_SUCH_TARGET,
    NOT_IN_HAND,
    NOT_ON_OFFER,
    OWN,
    TABLE,
)
from sushibalance.games.nightmares.narration import narrate
from sushibalance.games.nightmares.policies import POLICIES
from sushibalance.games.nightmares.tables import make_table


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
        np.zeros(length, dtype).view(np.recarray) for length, dtype in ((1, TABLE), (MAX_SEATS, OWN), (1, HIDDEN))
    )
    rng, choice, status = np.zeros(1, np.uint64), np.zeros(CHOICE_WIDTH, np.int64), np.zeros(4, np.int64)
    events = log if len(log) else None
    play_games(
        table, addresses(functions), params, seed, first, rows["games"], rows["players"], rows["rounds"], events,
        open_table, own, hidden, rng, choice, status,
    )  # fmt: skip
    return status


ENGINE = Engine(
    name="nightmares",
    title="Nightmares of Sushi",
    seats=(2, MAX_SEATS),
    decisions=("set_aside", "serve", "eat", "target"),
    policies=POLICIES,
    endings=("gold_victory", "penalty_victory"),
    table=make_table,
    rows=new_rows,
    codes=codes,
    play=play,
    complaints={
        NOT_IN_HAND: "a sushi card that is not in its hand",
        ABILITY_NOT_HELD: "an ability card that it does not hold",
        NOT_ON_OFFER: "a plate or chef that it may not eat",
        NO_SUCH_TARGET: "a Ninjutsu Chin target that is no player",
    },
    frames={"rounds": rounds_frame, "set_aside": set_aside_frame},
    narrate=narrate,
    interventions=INTERVENTIONS,
)
