"""A run: the rows of every simulated game, with all that is needed to make them again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sushibalance.errors import UserError
from sushibalance.games.game import Engine, Policy
from sushibalance.games.intervention import Intervention
from sushibalance.games.registry import engine
from sushibalance.rules import Rules
from sushibalance.rules.problems import one_of
from sushibalance.simulation.memory import too_big

if TYPE_CHECKING:
    import pandas as pd


class RunError(UserError):
    """A stored run that cannot be read, or a frame that the game does not have."""


SAMPLE = 1_000
BUILDING = 3  # times the size of a frame are needed while it is made


class Run:
    """The result of `simulate`: one row a game, a player, a round, a pick.

    Rows are in memory, or on disk: then `load` gives a run that reads them when they are asked for. `parts` goes
    through any run in pieces that fit in memory.

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
    first : int
        The number of the first game: 0, or where a part of a run begins.
    intervention : Intervention or None
        What was forced at one place of each game. At the place ``picks`` and ``offers`` tell what the seat chose.
    """

    def __init__(
        self,
        rules: Rules,
        policies: Sequence[Policy],
        seed: int,
        rows: Mapping[str, np.ndarray],
        first: int = 0,
        intervention: Intervention | None = None,
    ):
        self.rules = rules
        self.policies = tuple(policies)
        self.seed = seed
        self.rows = rows
        self.first = first
        self.intervention = intervention
        self._frames: dict[str, pd.DataFrame] = {}

    @property
    def seats(self) -> int:
        """Number of players at the table."""
        return len(self.policies)

    @property
    def n(self) -> int:
        """Number of games."""
        return len(self.rows["games"])

    @property
    def disk_bytes(self) -> int:
        """Size of its files, in bytes; 0 for a run in memory."""
        return 0

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

    def parts(self) -> Iterator[Run]:
        """Yield runs in memory of some games each, in order: together they are this run.

        Their frames have the numbers of the games in this run. A run in memory is one part; one on disk has parts
        of some 8 MB.
        """
        yield self

    def frame(self, name: str) -> pd.DataFrame:
        """Return a frame by name; built once.

        Raises
        ------
        RunError
            When the game has no such frame, or it does not fit in memory.
        """
        if name not in self._frames:
            if self.n > 10 * SAMPLE:
                head = next(self.parts()).cut(0, SAMPLE).frame(name)
                big = too_big(BUILDING * head.memory_usage(deep=True).sum() / SAMPLE * self.n)
                if big:
                    raise RunError(
                        f'frame "{name}" of {self.n:,} games: found {big}; allowed in pieces: each part of run.parts() '
                        "has its own frames, and fold(...) adds up an answer over parts"
                    )
            frame = self._made(name)
            if self.first:
                frame["game"] += self.first
            self._frames[name] = frame
        return self._frames[name]

    def _made(self, name: str) -> pd.DataFrame:
        """Return a new frame whose games count from 0."""
        if name == "games":
            return self._games_frame()
        if name == "players":
            return self._players_frame()
        if name in self.engine.frames:
            return self.engine.frames[name](self.rows, self)
        known = one_of(name, ["games", "players", *self.engine.frames])
        raise RunError(f'{self.engine.title} has no frame "{name}"; {known}')

    def cut(self, start: int, stop: int) -> Run:
        """Return the run of the games at places ``start`` to ``stop - 1`` of this one, which shares its rows."""
        some = {name: rows[start:stop] for name, rows in self.rows.items()}
        return Run(self.rules, self.policies, self.seed, some, self.first + start, self.intervention)

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
        called = self.engine.called(self.policies)
        names = list(dict.fromkeys(called))
        codes = np.array([names.index(name) for name in called], np.int8)
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
        """Write the run to a folder: Parquet files, ``run.json`` and a list of its parts.

        The folder appears whole or not at all. An existing run of that name is replaced;
        anything else there is left alone and refused.

        Raises
        ------
        RunError
            When the folder cannot be written, holds something that is not a run, or one that another program is
            writing; or for a part of a run.
        """
        from sushibalance.simulation.folder import save

        return save(self, folder)

    @classmethod
    def load(cls, folder: str | Path, *, unfinished: bool = False) -> Run:
        """Return the run in a folder, as `save` or ``simulate(..., out=folder)`` wrote it, bit for bit.

        Nothing but its list of parts is read before it is needed. A policy that was the user's own comes back by
        name and parameters only. Every code and count must be one that the game knows; whether the games happened
        so, only playing them again tells.

        Parameters
        ----------
        folder : str or Path
            Where it is.
        unfinished : bool
            Take what is whole of a run that was stopped, or is still being played.

        Raises
        ------
        RunError
            When the folder is no run, is damaged, or comes from another version's rules; from `rows`, `parts` and
            frames, when it holds values that the game cannot have.
        """
        from sushibalance.simulation.storage import load

        return load(folder, unfinished)

    def __repr__(self) -> str:
        mix = ", ".join(self.engine.called(self.policies))
        return f"<Run of {self.n:,} games, {self.rules.name}, seed {self.seed}: {mix}>"
