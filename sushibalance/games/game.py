"""What every game gives to the rest of the house: an `Engine`, and policies made of decisions.

A game's state lies in structured arrays of four kinds, each with one row a game (or a seat), and a
compiled function receives only the rows that it may look at:

``rules``
    The rule set in the kernel's words; never written.
``table``
    What lies open for all: fronts, power-ups, scores, the round.
``own``
    What one seat alone knows: its hand, what it has seen.
``hidden``
    What nobody knows: decks. No policy gets it.

A decision function has the signature ``decide(rules, table, own, seat, params, rng, choice)`` and
writes its answer into ``choice`` (``int64``, zeroed before the call); each game documents
what its decisions put there. It must not write to the other arguments, but for drawing from ``rng``
(see ``core/random.py``). The engine checks every answer: an illegal one ends the run with a
`PolicyError`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from sushibalance.errors import UserError
from sushibalance.games.decisions import fault
from sushibalance.games.intervention import Interventions
from sushibalance.rules.document import NAME_ALLOWED, is_name
from sushibalance.rules.problems import Words, one_of, shown
from sushibalance.rules.reading import plain_text

if TYPE_CHECKING:
    import pandas as pd

    from sushibalance.rules import Rules

Rows = Mapping[str, np.ndarray]


SHIPPED_PARAMS = 256


class PolicyError(UserError):
    """A policy that does not exist, has no such parameter, or made an illegal choice."""


@dataclass(frozen=True)
class Policy:
    """A named behaviour of one seat.

    Attributes
    ----------
    name : str
        What reports call it: a short, printable text.
    decisions : mapping of str to callable
        By decision, a function compiled with the game's ``decision`` decorator. A decision that is
        left out is made as ``random`` makes it.
    parameters : mapping of str to float
        The named numbers that `vector` turns into the ``params`` of the functions.
    description : str
        One sentence for a designer.
    vector : callable, optional
        ``vector(parameters, rules) -> float64[n]``; by default the parameters in their order.
    limits : mapping of str to (float, float)
        Lowest and highest value of a parameter; a million millions either way where nothing is said.

    Raises
    ------
    PolicyError
        For parts of another kind than these.
    """

    name: str
    decisions: Mapping[str, Callable[..., None]]
    parameters: Mapping[str, float] = field(default_factory=dict)
    description: str = ""
    vector: Callable[[Mapping[str, float], Any], np.ndarray] | None = None
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not is_name(self.name):
            raise PolicyError(f"name of a policy: found {plain_text(shown(self.name))}, allowed {NAME_ALLOWED}")
        for part, allowed in (
            ("decisions", "a table from the name of a decision to its function"),
            ("parameters", "a table from a name to a number"),
            ("limits", "a table from the name of a parameter to its lowest and highest value"),
        ):
            table = getattr(self, part)
            if not isinstance(table, Mapping) or not all(map(is_name, table)):
                raise self._wrong(part, table, allowed)
        for name, pair in self.limits.items():
            if not isinstance(pair, tuple | list) or len(pair) != 2 or not all(isinstance(end, Real) for end in pair):
                raise self._wrong(f"limits of {name}", pair, "its lowest and highest value")
        if self.vector is not None and not callable(self.vector):
            raise self._wrong("vector", self.vector, "a function vector(parameters, rules)")
        if not isinstance(self.description, str):
            raise self._wrong("description", self.description, "a text")

    def _wrong(self, what: str, found: object, allowed: str) -> PolicyError:
        return PolicyError(f'policy "{self.name}": {what}: found {plain_text(shown(found))}, allowed {allowed}')

    def with_parameters(self, /, **changes: float) -> Policy:
        """Return this policy with some parameters changed."""
        unknown = [name for name in changes if name not in self.parameters]
        if unknown:
            known = one_of(unknown[0], self.parameters) if self.parameters else "none"
            raise PolicyError(f'policy "{self.name}" has no parameter "{unknown[0]}"; parameters: {known}')
        return replace(self, parameters={**self.parameters, **changes})

    def with_decisions(self, name: str, /, **decisions: Callable[..., None]) -> Policy:
        """Return a policy of another name that makes some decisions otherwise, with the same parameters."""
        return replace(self, name=name, decisions={**self.decisions, **decisions}, description="")

    def check_parameters(self) -> None:
        """Check the numbers themselves, at once; what a `vector` makes of them may have to be compiled.

        Raises
        ------
        PolicyError
            For a parameter that is no number or beyond its limits.
        """
        for name, value in self.parameters.items():
            low, high = self.limits.get(name, (-1e12, 1e12))
            if not isinstance(value, Real) or not low <= value <= high or abs(value) > sys.float_info.max:
                raise self._wrong(name, value, f"a number from {low:,.15g} to {high:,.15g}")

    def params(self, rules: Rules) -> np.ndarray:
        """Return the parameter vector (``float64``) that the compiled functions get.

        Raises
        ------
        PolicyError
            For a parameter that is no number or beyond its limits, or a `vector` that gives no numbers.
        """
        self.check_parameters()
        if self.vector is None:
            return np.array(list(self.parameters.values()), np.float64)
        allowed = "a list of finite numbers"
        try:
            given = self.vector(self.parameters, rules)
        except (UserError, MemoryError):
            raise
        except Exception as error:
            raise self._wrong("vector", Words(f"{type(error).__name__}: {error}"), allowed) from error
        try:
            vector = np.asarray(given, np.float64)
        except (TypeError, ValueError):
            raise self._wrong("vector", given, allowed) from None
        if vector.ndim != 1 or not np.isfinite(vector).all():
            raise self._wrong("vector", given, allowed)
        return np.ascontiguousarray(vector)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Engine:
    """One game, compiled.

    Attributes
    ----------
    name, title : str
        ``"sushi_go"``, ``"Sushi Go!"``.
    seats : tuple of int
        Fewest and most players.
    decisions : tuple of str
        The decisions that a policy makes, in the order of ``functions``.
    policies : mapping of str to Policy
        The named policies; ``random`` is always there.
    endings : tuple of str
        Names of the codes in ``games.ended_by``.
    table : callable
        ``table(rules) -> structured array of length 1``: rules in the kernel's words.
    rows : callable
        ``rows(rules, players, games) -> {table: structured array, first axis games}``, zeroed.
        ``games`` has fields ``rounds, ended_by, winners``; ``players`` has
        ``total, rank, won`` and shape (games, players).
    codes : callable
        ``codes(rules, players) -> {table: {field: values}}``: the values that a field of `rows` may hold, a
        ``range`` or a list. What is left out is points, free within its type; see `allowed` for the rest.
    play : callable
        ``play(table, functions, params, seed, first, rows, log) -> int64[4]``: plays one game for each
        element of the first axis of ``rows``, from game index ``first``, and returns (status, game, seat,
        round) of the first illegal choice; status 0 means there was none. ``functions`` holds
        ``functions[decision * max_players + seat]``, ``params`` is ``float64[players, widest]``.
    complaints : mapping of int to str
        What a status other than 0 means.
    frames : mapping of str to callable
        Further frames: ``frame(rows, run) -> DataFrame``, where ``run`` has ``rules`` and ``policies``.
    narrate : callable
        ``narrate(log, rules, policies) -> list of str``: one game's log as readable lines.
    interventions : Interventions, optional
        What can be forced in it.
    compile_ahead : callable
        ``compile_ahead(rules, decisions)``: compiles some of what these decisions of the game's policies call;
        another process has begun to compile them.
    """

    name: str
    title: str
    seats: tuple[int, int]
    decisions: tuple[str, ...]
    policies: Mapping[str, Policy]
    endings: tuple[str, ...]
    table: Callable[[Any], np.ndarray]
    rows: Callable[[Any, int, int], dict[str, np.ndarray]]
    codes: Callable[[Any, int], Mapping[str, Mapping[str, Sequence[int]]]]
    play: Callable[..., np.ndarray]
    complaints: Mapping[int, str]
    frames: Mapping[str, Callable[[Rows, Any], pd.DataFrame]]
    narrate: Callable[[np.ndarray, Any, Sequence[Policy]], list[str]]
    interventions: Interventions | None = None
    compile_ahead: Callable[[Any, Collection[Callable[..., None]]], None] = lambda rules, decisions: None

    def allowed(self, rules: Rules, players: int) -> dict[str, dict[str, Sequence[int]]]:
        """Return by table and field the values that rows may hold: what all games have, and `codes`."""
        values: dict[str, dict[str, Sequence[int]]] = {
            "games": {"ended_by": range(len(self.endings)), "winners": range(1, players + 1)},
            "players": {"rank": range(1, players + 1), "won": range(2)},
        }
        for table, fields in self.codes(rules, players).items():
            values.setdefault(table, {}).update(fields)
        return values

    def check_names(self, policies: Sequence[Policy]) -> None:
        """Refuse policies that decide otherwise than a shipped one, or another at the table, of the same name.

        Raises
        ------
        PolicyError
            Naming it: what is counted by policy would be a mixture.
        """
        for policy in policies:
            shipped = [self.policies[policy.name]] if policy.name in self.policies else []
            for other in (*shipped, *policies):
                if other.name == policy.name and dict(other.decisions) != dict(policy.decisions):
                    raise PolicyError(
                        f'policy "{policy.name}": found two that decide otherwise under this name, allowed a name of '
                        "its own for each"
                    )

    def called(self, policies: Sequence[Policy]) -> list[str]:
        """Return what the policies of a table are called, so that those that play otherwise have another name.

        ``"greedy"``, and ``"greedy(vp_weight=3)"`` with the parameters that are not as shipped; of a user's own policy
        those that are not the same at all its seats.
        """
        names = []
        for policy in policies:
            shipped = self.policies.get(policy.name)
            alike = [shipped] if shipped else [other for other in policies if other.name == policy.name]
            own = {
                key: value
                for key, value in policy.parameters.items()
                if any(other.parameters.get(key) != value for other in alike)
            }
            told = ", ".join(f"{key}={value:g}" for key, value in own.items())
            names.append(f"{policy.name}({told})" if told else policy.name)
        return names

    def policy(self, wanted: str | Policy) -> Policy:
        """Return a policy by name, ``"greedy"`` or ``"greedy(vp_weight=3)"``, or the one given."""
        if isinstance(wanted, Policy):
            unknown = [name for name in wanted.decisions if name not in self.decisions]
            if unknown:
                raise PolicyError(
                    f'policy "{wanted.name}": {self.title} has no decision "{unknown[0]}"; '
                    + one_of(unknown[0], self.decisions)
                )
            return wanted
        text = str(wanted).strip()
        match = re.fullmatch(r"(\w+)\s*(.*)", text, re.S)
        if not match or match[1] not in self.policies:
            name = match[1] if match and match[2].startswith("(") else text
            raise PolicyError(f'{self.title} has no policy "{name}"; ' + one_of(name, self.policies))
        policy, rest = self.policies[match[1]], match[2]
        inside = re.fullmatch(r"(?:\(([^()]*)\))?", rest)
        if rest.startswith(","):
            raise PolicyError(
                f'policy "{text}": found several in one, allowed one for each seat: ["greedy", "random"], in the '
                "shell --policy greedy --policy random"
            )
        if not inside:
            raise PolicyError(f'policy "{text}": found "{rest}" after {policy.name}, {_in_brackets(policy)}')
        changes: dict[str, float] = {}
        for part in filter(None, (piece.strip() for piece in (inside[1] or "").split(","))):
            key, _, value = (piece.strip() for piece in part.partition("="))
            if key in changes:
                raise PolicyError(f'policy "{text}": found {key} twice, allowed once')
            try:
                changes[key] = float(value)
            except ValueError:
                raise PolicyError(f'policy "{text}": found "{part}", {_in_brackets(policy)}') from None
        return policy.with_parameters(**changes)

    def own(self, policies: Sequence[Policy]) -> Iterator[tuple[Policy, str, Callable[..., None]]]:
        """Yield (policy, decision, function) for each decision that a user wrote."""
        for policy in policies:
            for decision, function in policy.decisions.items():
                if not any(function is known.decisions.get(decision) for known in self.policies.values()):
                    yield policy, decision, function

    def functions(self, policies: Sequence[Policy]) -> tuple[Callable[..., None], ...]:
        """Return the decision functions of all seats, as `play` takes them."""
        from sushibalance.core.jit import ready  # numba; rules and errors do without

        fallback = self.policies["random"]
        for policy, decision, function in self.own(policies):
            expected = getattr(fallback.decisions[decision], "decision_signature", None)
            if not callable(function) or getattr(function, "decision_signature", None) != expected:
                raise PolicyError(
                    f'policy "{policy.name}": {decision} is no decision of {self.title}; write @decision above its '
                    f"function (from sushibalance.games.{self.name}.policies import decision)"
                )
            wrong = fault(function)
            if wrong:
                raise PolicyError(f'policy "{policy.name}": {decision}: {wrong}')
        seats = [*policies, *[fallback] * (self.seats[1] - len(policies))]
        return tuple(
            ready(policy.decisions.get(decision, fallback.decisions[decision]))
            for decision in self.decisions
            for policy in seats
        )

    def check_parameters(self, policies: Sequence[Policy]) -> None:
        """Check the parameters of all seats, and that a function which is borrowed comes with those that it reads."""
        for policy in policies:
            policy.check_parameters()
            for decision, function in policy.decisions.items():
                home = next(
                    (known for known in self.policies.values() if known.decisions.get(decision) is function), None
                )
                if home is None or policy.vector is not None:
                    continue
                if home.vector is not None or len(policy.parameters) < len(home.parameters):
                    raise PolicyError(
                        f'policy "{policy.name}" borrows {decision} from {home.name} without its parameters; '
                        f'allowed: POLICIES["{home.name}"].with_decisions("{policy.name}", ...)'
                    )

    def params(self, policies: Sequence[Policy], rules: Rules) -> np.ndarray:
        """Return the parameter vectors of all seats as ``float64[players, widest]``, padded with 0."""
        self.check_parameters(policies)
        vectors = [policy.params(rules) for policy in policies]
        # Never narrower than what a shipped function reads, whatever vector a user's policy gives.
        result = np.zeros((len(vectors), max(SHIPPED_PARAMS, *(len(vector) for vector in vectors))))
        for row, vector in zip(result, vectors, strict=True):
            row[: len(vector)] = vector
        return result


def _in_brackets(policy: Policy) -> str:
    """Return what is allowed after the name of a policy, with an example of its own."""
    if not policy.parameters:
        return f"allowed {policy.name} alone: it has no parameters"
    name, value = next(iter(policy.parameters.items()))
    return (
        f"allowed {policy.name}, or name=number in one pair of brackets, e.g. {policy.name}({name}={value:g}); "
        f"parameters: {', '.join(policy.parameters)}"
    )
