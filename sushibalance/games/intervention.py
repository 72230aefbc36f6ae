"""Interventions: one choice of each game is taken out of the players' hands, and the game goes on.

What goes with a card need not come from it: a card that good players take goes with many points. So one choice is
forced. Where it is, a seat and a round, is drawn by a random stream of its own: it hangs on the seed and the number of
the game alone, not on how the players stand. Up to there a game is the same whatever is forced, and after it all
shuffles are the same, so that what differs at the end comes from the choice (Pearl, *Causality*, 2nd ed., 2009, ch. 3:
``do(x)``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sushibalance.errors import UserError
from sushibalance.rules.problems import one_of, shown

if TYPE_CHECKING:
    import numpy as np

    from sushibalance.rules import Rules


@dataclass(frozen=True)
class Intervention:
    """What is forced.

    Attributes
    ----------
    kind : str
        What is forced: one of the game's `Interventions`.
    card : str
        Its name: the number of a power-up, the name of a Key Client card, of a grade, of an ability.
    given : bool
        Whether it is brought about or prevented.
    """

    kind: str
    card: str
    given: bool = True

    def described(self) -> dict[str, Any]:
        """Return the intervention as JSON."""
        return asdict(self)

    @classmethod
    def found(cls, words: object) -> Intervention:
        """Return the intervention that has been `described`.

        Raises
        ------
        UserError
            When it is none.
        """
        names = {"kind": str, "card": str, "given": bool}
        if not isinstance(words, Mapping) or {name: type(value) for name, value in words.items()} != names:
            raise UserError(f"intervention: found {shown(words)}, allowed kind, card, given")
        return cls(**words)

    def __str__(self) -> str:
        return f"{self.kind} {self.card} {'forced' if self.given else 'kept away'}"


@dataclass(frozen=True)
class Interventions:
    """How a game can be intervened in.

    Attributes
    ----------
    purpose : int
        The random stream that the place is drawn from.
    rounds : callable
        ``rounds(rules) -> int``: the place is in one of the rounds from 1 to this one.
    kinds : mapping of str to callable
        By kind ``force(record, rules, players, card, given)``, which writes it into the record of the rules.
    """

    purpose: int
    rounds: Callable[[Any], int]
    kinds: Mapping[str, Callable[[Any, Any, int, str, bool], None]]

    def write(self, table: np.ndarray, rules: Rules, players: int, what: Intervention) -> None:
        """Write an intervention into the rules in the kernel's words, an array of length 1.

        Raises
        ------
        UserError
            For one that the rules do not allow.
        """
        if what.kind not in self.kinds:
            raise UserError(f"intervention: {one_of(what.kind, self.kinds)}")
        self.kinds[what.kind](table[0], rules, players, what.card, what.given)

    def places(self, rules: Rules, players: int, seed: int, first: int, games: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the seat and the round of the forced choice of each game from game ``first``."""
        import numpy as np

        from sushibalance.core.random import places

        seats, rounds = np.zeros((2, games), np.int64)
        with np.errstate(over="ignore"):
            word = np.zeros(1, np.uint64)
            places(word, seed, first, self.purpose, players, self.rounds(rules), seats, rounds)
        return seats, rounds


def index(what: str, card: str, known: Mapping[str, Any] | tuple[str, ...]) -> int:
    """Return the place of a card among those that there are.

    Raises
    ------
    UserError
        When there is no such card.
    """
    names = list(known)
    if card not in names:
        raise UserError(f"{what}: found {shown(card)}; {one_of(card, names)}")
    return names.index(card)
