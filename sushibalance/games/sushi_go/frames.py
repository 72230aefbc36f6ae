"""Rows of Sushi Go! runs: their allocation and their frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sushibalance.games.game import Rows
from sushibalance.games.sushi_go.kernel.state import CARDS, GAMES, PICKS, PLAYERS, ROUNDS
from sushibalance.games.sushi_go.rules import SushiGoRules

if TYPE_CHECKING:
    import pandas as pd

POINTS = ("tempura", "sashimi", "dumpling", "maki", "nigiri", "pudding")


def new_rows(rules: SushiGoRules, players: int, games: int) -> dict[str, np.ndarray]:
    """Return zeroed rows for ``games`` games.

    ``games`` (games,), ``players`` (games, players), ``picks`` (games, rounds, turns, players),
    ``rounds`` (games, rounds, players).

    Raises
    ------
    RulesError
        When the rules have no deal for that many players.
    """
    turns = rules.hand_size(players)
    shapes = {
        "games": (GAMES, (games,)),
        "players": (PLAYERS, (games, players)),
        "picks": (PICKS, (games, rules.rounds, turns, players)),
        "rounds": (ROUNDS, (games, rules.rounds, players)),
    }
    return {name: np.zeros(shape, dtype).view(np.recarray) for name, (dtype, shape) in shapes.items()}


def codes(rules: SushiGoRules, players: int) -> Mapping[str, Mapping[str, Sequence[int]]]:
    """Return what the codes and counts in the rows may be; see `Engine.codes`. Points are free."""
    turns, icons = rules.hand_size(players), rules.maki.icons
    return {
        "games": {"rounds": range(rules.rounds, rules.rounds + 1)},
        "picks": {"card": range(len(CARDS)), "second": range(len(CARDS) + 1)},
        "rounds": {
            "maki_icons": range(turns * max(icons.maki_1, icons.maki_2, icons.maki_3) + 1),
            "puddings": range(rules.deck.pudding + 1),
        },
    }


def _indices(shape: tuple[int, ...], axis: int, dtype: type, start: int = 0) -> np.ndarray:
    """Return the index along one axis for each element of an array of ``shape``, flattened."""
    along: np.ndarray = np.arange(start, shape[axis] + start, dtype=dtype)
    return np.broadcast_to(along.reshape([-1 if i == axis else 1 for i in range(len(shape))]), shape).reshape(-1)


def picks_frame(rows: Rows, run: Any) -> pd.DataFrame:
    """Return one row for each card taken: game, round, turn, seat, card, with_chopsticks.

    A card taken second through chopsticks follows the first and has ``with_chopsticks`` True.
    """
    import pandas as pd

    picks = rows["picks"]
    first, second = np.asarray(picks["card"]).reshape(-1), np.asarray(picks["second"]).reshape(-1)
    pairs = np.flatnonzero(second)
    cards = np.insert(first, pairs + 1, second[pairs] - 1)
    by_chopsticks = np.insert(np.zeros(len(first), bool), pairs + 1, True)
    repeats = 1 + (second > 0)
    columns = {
        name: np.repeat(_indices(picks.shape, axis, dtype, start), repeats)
        for axis, (name, dtype, start) in enumerate(
            [("game", np.int64, 0), ("round", np.int8, 1), ("turn", np.int8, 1), ("seat", np.int8, 0)]
        )
    }
    columns["card"] = pd.Categorical.from_codes(cards, categories=list(CARDS))
    columns["with_chopsticks"] = by_chopsticks
    return pd.DataFrame(columns)


def rounds_frame(rows: Rows, run: Any) -> pd.DataFrame:
    """Return one row a round and seat: points by kind, their total, maki icons, puddings so far.

    Columns: game, round, seat, tempura, sashimi, dumpling, maki, nigiri, pudding, total (points of the
    round), maki_icons (of the round), puddings (held at its end, of all rounds so far).
    """
    import pandas as pd

    rounds = rows["rounds"]
    columns: dict[str, np.ndarray] = {
        "game": _indices(rounds.shape, 0, np.int64),
        "round": _indices(rounds.shape, 1, np.int8, 1),
        "seat": _indices(rounds.shape, 2, np.int8),
    }
    for name in POINTS:
        columns[name] = np.ascontiguousarray(rounds[name]).reshape(-1)
    columns["total"] = np.add.reduce([columns[name] for name in POINTS], axis=0, dtype=np.int32)
    for name in ("maki_icons", "puddings"):
        columns[name] = np.ascontiguousarray(rounds[name]).reshape(-1)
    return pd.DataFrame(columns)
