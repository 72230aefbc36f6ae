"""Sushi Otter for the rest of the house."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sushibalance.core.calls import addresses
from sushibalance.games.game import Engine, Rows
from sushibalance.games.otter.frames import codes, new_rows, offers_frame, picks_frame, rounds_frame
from sushibalance.games.otter.interventions import INTERVENTIONS
from sushibalance.games.otter.kernel import state as s
from sushibalance.games.otter.kernel.game import play_games
from sushibalance.games.otter.kernel.work import FEATURES
from sushibalance.games.otter.narration import narrate
from sushibalance.games.otter.policies import POLICIES, compile_ahead
from sushibalance.games.otter.tables import rules_table


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
        np.zeros(length, dtype).view(np.recarray) for dtype, length in ((s.TABLE, 1), (s.OWN, s.SEATS), (s.HIDDEN, 1))
    )
    features = np.zeros(1, FEATURES).view(np.recarray)
    rng, choice, status = np.zeros(1, np.uint64), np.zeros(s.CHOICE, np.int64), np.zeros(4, np.int64)
    play_games(
        table, addresses(functions), params, seed, first, rows["games"], rows["players"], rows["rounds"], rows["picks"],
        rows["offers"], open_table, own, hidden, features, rng, choice, status, log if len(log) else None,
    )  # fmt: skip
    return status


ENGINE = Engine(
    name="otter",
    title="Sushi Otter",
    seats=(2, s.SEATS),
    decisions=("reveal", "draft", "client", "start"),
    policies=POLICIES,
    endings=("last_round",),
    table=rules_table,
    rows=new_rows,
    codes=codes,
    play=play,
    complaints={
        s.BAD_COUNT: "it reveals too few or too many cards",
        s.BAD_CARD: "it reveals a card that is not in its hand, or one twice",
        s.BAD_CHANGE: "it uses a Change card that it does not hold, or one twice",
        s.BAD_USE: "it uses a Change card in a way that the card does not allow",
        s.BAD_HAND: "it declares a hand that its cards do not form",
        s.BAD_OFFER: "it takes a power-up that is not on offer",
        s.BAD_CLIENT: "it takes a Key Client card that is not left",
        s.BAD_START: "it keeps a power-up that it was not dealt",
    },
    frames={"rounds": rounds_frame, "picks": picks_frame, "offers": offers_frame},
    narrate=narrate,
    interventions=INTERVENTIONS,
    compile_ahead=compile_ahead,
)
