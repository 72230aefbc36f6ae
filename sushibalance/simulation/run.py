"""A run: the rows of every simulated game, with all that is needed to make them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sushibalance.errors import UserError
from sushibalance.games.game import Engine, Policy
from sushibalance.games.registry import engine
from sushibalance.rules import Rules
from sushibalance.rules.problems import one_of

if TYPE_CHECKING:
    import pandas as pd


class RunError(UserError):
    """A stored run that cannot be read, or a frame that the game does not have."""


def package_version() -> str:
    """Return the installed version of sushibalance (``"0+unknown"`` from a bare checkout)."""
    try:
        return version("sushibalance")
    except PackageNotFoundError:
        return "0+unknown"


class Run:
    """The result of `simulate`: one row a game, a player, a round, a pick.

    Attributes
    ----------
    rules : Rules
        The rule set that was played.
    policies : tuple of Policy
        One a seat.
    seed : int
        The seed; game ``g`` of a run depends on (seed, g) alone.
    rows : mapping of str to structured array
        The raw rows in narrow types, first axis = games.
    """

    def __init__(self, rules: Rules, policies: Sequence[Policy], seed: int, rows: Mapping[str, np.ndarray]):
        self.rules = rules
        self.policies = tuple(policies)
        self.seed = seed
        self.rows = dict(rows)
        self._frames: dict[str, pd.DataFrame] = {}

    @property
    def seats(self) -> int:
        """Number of players at the table."""
        return len(self.policies)

    @property
    def n(self) -> int:
        """Number of games."""
        return len(self.rows["games"])

    @cached_property
    def engine(self) -> Engine:
        """The engine of the game."""
        return engine(self.rules.game)

    @property
    def games(self) -> pd.DataFrame:
        """One row a game: game, players, rounds, ended_by, winners (how many share the win)."""
        return self.frame("games")

    @property
    def players(self) -> pd.DataFrame:
        """One row a player: game, seat, policy, total, rank, win (1/k when k share the win)."""
        return self.frame("players")

    @property
    def rounds(self) -> pd.DataFrame:
        """One row a round and seat; the columns are the game's."""
        return self.frame("rounds")

    @property
    def picks(self) -> pd.DataFrame:
        """One row a card picked (Sushi Otter, Sushi Go!)."""
        return self.frame("picks")

    @property
    def offers(self) -> pd.DataFrame:
        """One row a power-up on offer (Sushi Otter)."""
        return self.frame("offers")

    def frame(self, name: str) -> pd.DataFrame:
        """Return a frame by name; built once.

        Raises
        ------
        RunError
            When the game has no such frame.
        """
        if name not in self._frames:
            if name == "games":
                self._frames[name] = self._games_frame()
            elif name == "players":
                self._frames[name] = self._players_frame()
            elif name in self.engine.frames:
                self._frames[name] = self.engine.frames[name](self.rows, self)
            else:
                known = one_of(name, ["games", "players", *self.engine.frames])
                raise RunError(f'{self.engine.title} has no frame "{name}"; {known}')
        return self._frames[name]

    def _games_frame(self) -> pd.DataFrame:
        import pandas as pd

        rows = self.rows["games"]
        endings = pd.Categorical.from_codes(rows["ended_by"], categories=list(self.engine.endings))
        return pd.DataFrame(
            {
                "game": np.arange(self.n, dtype=np.int64),
                "players": np.full(self.n, self.seats, np.int8),
                "rounds": rows["rounds"],
                "ended_by": endings,
                "winners": rows["winners"],
            }
        )

    def _players_frame(self) -> pd.DataFrame:
        import pandas as pd

        rows = self.rows["players"].reshape(-1)
        shared = np.repeat(self.rows["games"]["winners"], self.seats)
        names = list(dict.fromkeys(policy.name for policy in self.policies))
        codes = np.array([names.index(policy.name) for policy in self.policies], np.int8)
        return pd.DataFrame(
            {
                "game": np.repeat(np.arange(self.n, dtype=np.int64), self.seats),
                "seat": np.tile(np.arange(self.seats, dtype=np.int8), self.n),
                "policy": pd.Categorical.from_codes(np.tile(codes, self.n), categories=names),
                "total": rows["total"],
                "rank": rows["rank"],
                "win": np.where(rows["won"] > 0, 1.0 / np.maximum(shared, 1), 0.0),
            }
        )

    def save(self, folder: str | Path) -> Path:
        """Write the run to a folder: one Parquet file a table, and ``run.json``.

        The folder appears whole or not at all. An existing run of that name is replaced;
        anything else there is left alone and refused.

        Raises
        ------
        RunError
            When the folder cannot be written or holds something that is not a run.
        """
        from sushibalance.simulation.storage import save

        return save(self, folder)

    @classmethod
    def load(cls, folder: str | Path) -> Run:
        """Return a run written by `save`, bit for bit.

        A policy that was the user's own comes back by name and parameters only. Every code and count
        must be one that the game knows; whether the games happened so, only playing them again tells.

        Raises
        ------
        RunError
            When the folder is no run, is damaged, holds values that the game cannot have, or comes from
            another version's rules.
        """
        from sushibalance.simulation.storage import load

        return load(folder)

    def __repr__(self) -> str:
        mix = ", ".join(policy.name for policy in self.policies)
        return f"<Run of {self.n:,} games, {self.rules.name}, seed {self.seed}: {mix}>"
