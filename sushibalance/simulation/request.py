"""What a run is asked for: rules, policies, seed. Its games depend on nothing else, wherever they are played."""

from __future__ import annotations

import json
import platform
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from sushibalance.core.jit import GAMES, source_key
from sushibalance.core.log import new_log
from sushibalance.errors import UserError
from sushibalance.games.game import Engine, Policy, PolicyError, Rows
from sushibalance.games.intervention import Intervention
from sushibalance.games.registry import engine, load_rules, rules_model
from sushibalance.rules import Document, Rules
from sushibalance.rules.problems import shown
from sushibalance.simulation import by_name
from sushibalance.simulation.ahead import engine_ahead
from sushibalance.simulation.memory import row_bytes
from sushibalance.simulation.run import Run

MAX_GAMES = 1_000_000_000
MAX_SEED = 2**63 - 1
PART_BYTES = 8 * 2**20


class SimulationError(UserError):
    """A request that cannot be simulated: what, found, allowed."""


def whole(name: str, value: object, low: int, high: int) -> int:
    """Return ``value`` as an int between ``low`` and ``high``.

    Raises
    ------
    SimulationError
        When it is not a whole number or out of bounds.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
        raise SimulationError(f"{name}: found {shown(value)}, allowed a whole number from {low:,} to {high:,}")
    return int(value)


def several(what: str, given: Any, one: Any, allowed: str) -> list[Any]:
    """Return what was given as a list: one thing of a type, or several.

    Raises
    ------
    SimulationError
        When it is neither.
    """
    if isinstance(given, one):
        return [given]
    if not isinstance(given, Iterable):
        raise SimulationError(f"{what}: found {shown(given)}, allowed {allowed}")
    return list(given)


@dataclass(frozen=True, eq=False)
class Request:
    """Rules, seats and seed, checked. Game ``g`` is a function of them and of ``g``.

    Attributes
    ----------
    rules : Rules
        The rule set.
    engine : Engine
        Its game.
    policies : tuple of Policy
        One a seat.
    seed : int
        0 to 2**63 - 1.
    intervention : Intervention, optional
        What is forced at one place of each game.

    Raises
    ------
    SimulationError
        For an intervention that the game does not have, or the rules do not allow.
    """

    rules: Rules
    engine: Engine
    policies: tuple[Policy, ...]
    seed: int
    intervention: Intervention | None = None

    def __post_init__(self) -> None:
        if self.intervention is not None:
            self._table()

    @classmethod
    def of(
        cls, rules: Rules | str | Path, players: int, policies: str | Policy | Sequence[str | Policy], seed: int
    ) -> Request:
        """Return the request that `simulate` is called with.

        Raises
        ------
        RulesError, SimulationError, PolicyError
            For one that cannot be played.
        """
        if not isinstance(rules, Rules):
            rules = load_rules(rules)
        game = engine(rules.game)
        seats = whole(f"players of {game.title}", players, *game.seats)
        wanted = [policies] if isinstance(policies, str | Policy) else policies
        if not isinstance(wanted, Sequence):
            raise SimulationError(
                f"policies: found {shown(policies)}, allowed a policy, or a list of one for each seat"
            )
        wanted = list(wanted)
        if len(wanted) == 1:
            wanted *= seats
        if len(wanted) != seats:
            raise SimulationError(
                f"policies: found {len(wanted)}, allowed one for all or one for each of {seats} seats"
            )
        chosen = tuple(game.policy(policy) for policy in wanted)
        game.check_parameters(chosen)
        game.check_names(chosen)
        return cls(rules, game, chosen, whole("seed", seed, 0, MAX_SEED))

    @property
    def alike(self) -> bool:
        """Whether all seats play the same policy."""
        return len(set(self.engine.called(self.policies))) == 1

    @property
    def label(self) -> str:
        """What progress calls it."""
        return f"{self.engine.title}: {self.rules.name}"

    # ------------------------------------------------------------------ parts

    def run(self, first: int, rows: Rows) -> Run:
        """Return the run that rows are, which begin with game ``first``."""
        return Run(self.rules, self.policies, self.seed, rows, first, self.intervention)

    def new_rows(self, games: int) -> dict[str, np.ndarray]:
        """Return zeroed rows for so many games."""
        return self.engine.rows(self.rules, len(self.policies), games)

    @cached_property
    def part_games(self) -> int:
        """Games in a part of a run that is stored or folded: a round number of them, about 8 MB of rows.

        It depends on the width of a game's rows alone, so that files and sums do not depend on who played.
        """
        most = max(PART_BYTES // row_bytes(self.new_rows(1)), 1)
        step: int = 10 ** (len(str(most)) - 1)
        return next(step * digit for digit in (5, 2, 1) if step * digit <= most)

    def spans(self, games: int, first: int = 0) -> Iterator[tuple[int, int]]:
        """Yield (first game, number of games) of each part, from the part that begins with game ``first``."""
        for start in range(first, games, self.part_games):
            yield start, min(self.part_games, games - start)

    # ------------------------------------------------------------------ play

    @cached_property
    def play(self) -> Callable[..., np.ndarray]:
        """``play(first, rows, log=none)``, which plays from a game's index; compiles on first use. See `Engine.play`.

        Raises
        ------
        PolicyError
            For a decision that does not compile; from ``play`` for one that raises.
        """
        game, seed = self.engine, self.seed
        with engine_ahead(game, self.policies):
            functions = game.functions(self.policies)
        table, params = self._table(), game.params(self.policies, self.rules)

        def play(first: int, rows: Rows, log: np.ndarray | None = None) -> np.ndarray:
            try:
                with np.errstate(over="ignore"):
                    return game.play(table, functions, params, seed, first, rows, new_log(0) if log is None else log)
            except Exception as error:
                own = [f'policy "{policy.name}": {decision}' for policy, decision, _ in game.own(self.policies)]
                if isinstance(error, MemoryError) or not own:  # no policy's fault
                    raise
                games = f"games {first} to {first + len(rows['games']) - 1}, seed {seed}"
                said = f"{' or '.join(dict.fromkeys(own))} stopped with {type(error).__name__}: {error} ({games})"
                raise PolicyError(said) from error

        return play

    def _table(self) -> np.ndarray:
        """Return the rules in the kernel's words, with the intervention in them."""
        game, table = self.engine, self.engine.table(self.rules)
        if self.intervention is not None:
            if game.interventions is None:
                raise SimulationError(f"{game.title}: found an intervention, allowed none in this game")
            game.interventions.write(table, self.rules, len(self.policies), self.intervention)
        return table

    def illegal(self, status: np.ndarray) -> PolicyError:
        """Return the error for an illegal choice, with what is needed to see it again."""
        code, index, seat, round_number = (int(part) for part in status)
        what = self.engine.complaints.get(code, f"status {code}")
        return PolicyError(
            f'policy "{self.policies[seat].name}" made an illegal choice: {what} '
            f"(seat {seat}, round {round_number}, game {index}, seed {self.seed})"
        )

    # ------------------------------------------------------------------ in words

    def described(self) -> dict[str, Any]:
        """Return the request as JSON: what a stored run keeps, and what travels to workers."""
        words = {
            "rules": asdict(self.rules.document),
            "fingerprint": self.rules.fingerprint,
            "policies": [by_name.described(policy, self.engine) for policy in self.policies],
            "seed": self.seed,
            "versions": versions(self.engine.name),
        }
        return words if self.intervention is None else words | {"intervention": self.intervention.described()}

    def parcel(self) -> str:
        """Return the text from which `received` makes this request again, in another process or machine.

        Raises
        ------
        PolicyError
            For a policy that another process cannot find.
        """
        for policy in self.policies:
            by_name.check(policy, self.engine)
        return json.dumps(self.described())


@lru_cache(maxsize=4)
def received(parcel: str) -> Request:
    """Return the request of a `Request.parcel`, found and compiled once a process.

    Raises
    ------
    SimulationError
        When this process has other versions.
    PolicyError
        When it does not have a user's own policy, or has another one of that name.
    """
    told = json.loads(parcel)
    document = Document.stored(told["rules"], "rules")
    here, where = versions(document.game), f"worker {socket.gethostname()}"
    if wrong := differing(here, told["versions"]):
        raise SimulationError(f"{where}: {wrong}; allowed: the same versions everywhere")
    rules = rules_model(document.game).from_document(document)
    game = engine(document.game)
    policies = tuple(by_name.found(entry, game, where) for entry in told["policies"])
    forced = Intervention.found(told["intervention"]) if "intervention" in told else None
    return Request(rules, game, policies, told["seed"], forced)


def package_version() -> str:
    """Return the installed version of sushibalance (``"0+unknown"`` from a bare checkout)."""
    try:
        return version("sushibalance")
    except PackageNotFoundError:
        return "0+unknown"


def versions(game: str) -> dict[str, str]:
    """Return by name the versions of all that a game's rows are made with; ``engine`` stands for its sources."""
    import llvmlite
    import numba

    return {
        "sushibalance": package_version(),
        "python": platform.python_version(),
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "numpy": np.__version__,
        "engine": source_key(GAMES / game),
    }


def differing(found: Mapping[str, object], wanted: Mapping[str, str]) -> str:
    """Return in words where versions differ, or nothing."""
    wrong = [name for name in wanted if found.get(name) != wanted[name]]
    if wrong == ["engine"]:
        return "found other code of the game, of the same version"
    return (
        "found "
        + ", ".join(f"{name} {str(found.get(name))[:30]} (asked {wanted[name]})" for name in wrong if name != "engine")
        if wrong
        else ""
    )
