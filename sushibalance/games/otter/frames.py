"""Otter's stored rows and the frames made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
import pandas as pd

from sushibalance.games.game import Rows
from sushibalance.games.otter.kernel import state as s
from sushibalance.games.otter.rules import OtterRules


def new_rows(rules: OtterRules, players: int, games: int) -> dict[str, np.ndarray]:
    """Return zeroed rows for so many games.

    ``rounds`` is (games, rounds, players); ``picks`` (games, rounds, players) in order of picking, index 0 the
    starting power-ups, if any; ``offers`` (games, rounds - 1, power-ups on offer).
    """
    rounds = rules.play.rounds
    shapes = {
        "games": (s.GAMES_ROW, (games,)),
        "players": (s.PLAYERS_ROW, (games, players)),
        "rounds": (s.ROUNDS_ROW, (games, rounds, players)),
        "picks": (s.PICKS_ROW, (games, rounds, players)),
        "offers": (s.OFFERS_ROW, (games, rounds - 1, players + rules.play.offers_beyond_players)),
    }
    return {name: np.zeros(shape, dtype).view(np.recarray) for name, (dtype, shape) in shapes.items()}


def codes(rules: OtterRules, players: int) -> Mapping[str, Mapping[str, Sequence[int]]]:
    """Return what the codes and counts in the rows may be; see `Engine.codes`. Score and VP are free."""
    play = rules.play
    power_up, client = range(max(len(rules.power_ups), 1)), range(-1, len(rules.key_clients))
    return {
        "games": {"rounds": range(play.rounds, play.rounds + 1)},
        "rounds": {
            "button": range(players),
            "n_cards": range(play.reveal_at_least, play.reveal_at_most + 1),
            "hand": range(len(rules.hands)),
            "rank": range(1, players + 1),
        },
        "picks": {"seat": range(players), "power_up": power_up, "key_client": client},
        "offers": {"power_up": power_up, "taken_by": range(-1, players)},
    }


def _index(shape: tuple[int, ...], axis: int, dtype: type, start: int = 0) -> np.ndarray:
    """Return the index along one axis, from ``start`` on, for each element of a table, flattened."""
    along: np.ndarray = np.arange(start, shape[axis] + start, dtype=dtype)
    return np.tile(np.repeat(along, prod(shape[axis + 1 :])), prod(shape[:axis]))


def rounds_frame(rows: Rows, run: Any) -> pd.DataFrame:
    """One row a round and seat.

    Columns: game, round, seat, button, n_cards (revealed), hand (declared), score, rank, round_vp (VP of the
    hand, the power-ups and the Round card), vp (running).
    """
    table = rows["rounds"]
    flat = table.reshape(-1)
    return pd.DataFrame(
        {
            "game": _index(table.shape, 0, np.int32),
            "round": _index(table.shape, 1, np.int8, 1),
            "seat": _index(table.shape, 2, np.int8),
            "button": flat["button"],
            "n_cards": flat["n_cards"],
            "hand": pd.Categorical.from_codes(flat["hand"], categories=list(run.rules.hands)),
            "score": flat["score"],
            "rank": flat["rank"],
            "round_vp": flat["round_vp"],
            "vp": flat["vp"],
        }
    )


def _numbers(run: Any) -> np.ndarray:
    """Return the power-ups' numbers by index."""
    return np.array([int(number) for number in run.rules.power_ups], np.int16)


def picks_frame(rows: Rows, run: Any) -> pd.DataFrame:
    """One row a power-up acquired.

    Columns: game, round (0: a starting power-up), order (from 1), seat, power_up (its number), key_client (the
    card that came with it, or missing).
    """
    first = 0 if run.rules.play.starting_power_ups else 1
    table = rows["picks"][:, first:]
    clients = pd.Categorical.from_codes(table["key_client"].reshape(-1), categories=list(run.rules.key_clients))
    return pd.DataFrame(
        {
            "game": _index(table.shape, 0, np.int32),
            "round": _index(table.shape, 1, np.int8, first),
            "order": _index(table.shape, 2, np.int8, 1),
            "seat": table["seat"].reshape(-1),
            "power_up": _numbers(run)[table["power_up"].reshape(-1)],
            "key_client": clients,
        }
    )


def offers_frame(rows: Rows, run: Any) -> pd.DataFrame:
    """One row a power-up laid out: game, round, slot (from 0), power_up (number), taken_by (seat or -1)."""
    table = rows["offers"]
    flat = table.reshape(-1)
    return pd.DataFrame(
        {
            "game": _index(table.shape, 0, np.int32),
            "round": _index(table.shape, 1, np.int8, 1),
            "slot": _index(table.shape, 2, np.int8),
            "power_up": _numbers(run)[flat["power_up"]],
            "taken_by": flat["taken_by"],
        }
    )
