"""The arms of an experiment, played side by side: the same games with one thing forced or not.

An experiment has *cases* (a card each, say), and a case has *arms*: the interventions that are compared, or none. All
arms of a case are played over the same games, so that each game can be set against itself. Threads and executors take
it like a request; the games of all cases stand in one row, case behind case.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from sushibalance.games.game import Engine, PolicyError, Rows
from sushibalance.games.intervention import Intervention
from sushibalance.simulation.request import Request, received
from sushibalance.simulation.run import Run

STRIDE = 2**32  # game g of case c has the number c * STRIDE + g
READY = 16  # so many arms are kept ready to be played
HEAD = "arms of "  # what the parcel of an experiment begins with
Case = Sequence[Intervention | None]


class Arms:
    """An experiment: which interventions are compared.

    Attributes
    ----------
    base : Request
        Rules, seats and seed, with nothing forced.
    cases : tuple of tuple of Intervention or None
        The arms of each case, as many in all.

    Raises
    ------
    UserError
        For an intervention that the rules do not allow.
    """

    def __init__(self, base: Request, cases: Sequence[Case]):
        self.base, self.cases = base, tuple(map(tuple, cases))
        for what in dict.fromkeys(arm for arms in self.cases for arm in arms if arm is not None):
            replace(base, intervention=what)
        self._request = lru_cache(READY)(lambda what: replace(base, intervention=what))

    @property
    def engine(self) -> Engine:
        """The engine of the game."""
        return self.base.engine

    @property
    def label(self) -> str:
        """What progress calls it."""
        return self.base.label

    @staticmethod
    def spans(case: int, first: int, games: int, part: int) -> Iterator[tuple[int, int]]:
        """Yield (first number, number of games) of each part of a case, from its game ``first`` on."""
        for start in range(first, first + games, part):
            yield case * STRIDE + start, min(part, first + games - start)

    def new_rows(self, games: int) -> dict[str, np.ndarray]:
        """Return zeroed rows for so many games of each arm; the names begin with the number of the arm."""
        rows: dict[str, np.ndarray] = {}
        for arm in range(len(self.cases[0])):
            rows |= {f"{arm} {name}": table for name, table in self.base.new_rows(games).items()}
        return {"games": rows["0 games"], **rows}

    def play(self, first: int, rows: Rows) -> np.ndarray:
        """Play all arms of a case from a game's number on; see `Engine.play`."""
        for request, game, mine in self._arms(first, rows):
            status = request.play(game, mine)
            if status[0]:
                break
        return status

    def run(self, first: int, rows: Rows) -> tuple[Run, ...]:
        """Return the run of each arm of a case, made of rows that begin with a game's number."""
        return tuple(request.run(game, mine) for request, game, mine in self._arms(first, rows))

    def _arms(self, first: int, rows: Rows) -> Iterator[tuple[Request, int, Mapping[str, np.ndarray]]]:
        case, game = divmod(first, STRIDE)
        for arm, what in enumerate(self.cases[case]):
            head = f"{arm} "
            mine = {name.removeprefix(head): table for name, table in rows.items() if name.startswith(head)}
            yield self._request(what), game, mine

    def illegal(self, status: np.ndarray) -> PolicyError:
        """Return the error for an illegal choice."""
        return self.base.illegal(status)

    def parcel(self) -> str:
        """Return the text from which `unpacked` makes this experiment again; see `Request.parcel`."""
        told = [[arm and arm.described() for arm in arms] for arms in self.cases]
        return HEAD + json.dumps({"base": self.base.parcel(), "cases": told})


Played = Request | Arms


def unpacked(parcel: str) -> Played:
    """Return what a parcel holds, made and compiled once a process: a request, or the arms of an experiment.

    Raises
    ------
    SimulationError, PolicyError
        As `received`.
    """
    return _arms(parcel) if parcel.startswith(HEAD) else received(parcel)


@lru_cache(maxsize=4)
def _arms(parcel: str) -> Arms:
    told = json.loads(parcel.removeprefix(HEAD))
    return Arms(received(told["base"]), [[arm and Intervention.found(arm) for arm in arms] for arms in told["cases"]])
