"""Pairs of games, with a card and with nothing in its place: played until it is known what the card is worth.

See `card_values`, whose tallies these are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from sushibalance.analysis.forced.effects import ALL, Plan, compared, outcomes, places, played, seats_of, with_all
from sushibalance.analysis.tables import with_cards
from sushibalance.errors import UserError
from sushibalance.games.intervention import Intervention
from sushibalance.games.otter.rules import OtterRules
from sushibalance.rules.problems import one_of, shown
from sushibalance.simulation.arms import Arms
from sushibalance.simulation.request import Request
from sushibalance.simulation.run import Run
from sushibalance.stats import games_for
from sushibalance.stats.groups import labelled
from sushibalance.stats.intervals import positive
from sushibalance.stats.tallies import Tallies

PART = 1_000  # pairs of games that are counted together
MOST = 1_000_000  # pairs of a card
TIMES = 12  # so often pairs are played, and it is planned how many more are needed
SPARE = 1.05
CLIENT = "client"  # the type of a Key Client card, beside those of power-ups
KEYS = ["card", "type", "policy", "round"]


@dataclass(frozen=True)
class Card:
    """A card under test.

    Attributes
    ----------
    name, type : str
        What frames call it: power-ups that are alike in all but their number are one card.
    kind, key : str
        Of its `Intervention`; of power-ups that are alike the first.
    """

    name: str
    type: str
    kind: str
    key: str

    def arms(self) -> tuple[Intervention, Intervention | None]:
        """Return what is compared: nothing, and the card; of a pick of one's own that nothing is forced."""
        given = Intervention(self.kind, self.key)
        return replace(given, given=False), None if self.kind == "pick" else given


PICK = Card("pick", "pick", "pick", "own")  # what a player picks by itself


def cards_of(rules: OtterRules) -> dict[str, Card]:
    """Return all cards that a pick can bring, by the numbers of the power-ups and the names of the Key Client cards."""
    numbers = pd.DataFrame({"power_up": [int(number) for number in rules.power_ups]})
    named = with_cards(numbers, rules)
    first = dict(zip(named["card"][::-1], named["power_up"][::-1], strict=True))
    cards = {
        str(number): Card(str(name), str(kind), "power_up", str(first[name]))
        for number, name, kind in named.itertuples(index=False)
    }
    return cards | {name: Card(name, CLIENT, "key_client", name) for name in rules.key_clients}


def asked(known: Mapping[str, Card], wanted: Sequence[int | str] | None) -> list[Card]:
    """Return the cards that are asked for, each once."""
    if wanted is None:
        return list(dict.fromkeys(known.values()))
    if isinstance(wanted, str | int):
        wanted = [wanted]
    for card in wanted:
        if str(card) not in known:
            raise UserError(f"cards: found {shown(card)}; {one_of(str(card), known)}")
    if not wanted:
        raise UserError("cards: found none, allowed one or more")
    return list(dict.fromkeys(known[str(card)] for card in wanted))


def pairs(
    request: Request,
    tested: Sequence[Card],
    games: int,
    *,
    half_width: float | None = None,
    first: int = 0,
    level: float = 0.95,
    **how: Any,
) -> Tallies:
    """Return the tallies of what some cards do, by outcome: for `verdicts`, `games_for`, `shrunk`.

    Parameters
    ----------
    request : Request
        Rules of Sushi Otter, seats, seed.
    tested : sequence of Card
        Of `cards_of`.
    games : int
        Pairs of games for each card.
    half_width : float, optional
        More pairs of a card, until the interval of its value in VP is at most this much to either side.
    first : int
        The number of the first game.
    level : float
        Confidence level of that interval.
    how
        ``workers, executor, progress`` of `effects.played`.

    Raises
    ------
    UserError
        For a deck that would run out without the card under test.
    """
    half_width = None if half_width is None else positive("half_width", half_width)
    rules: Any = request.rules
    arms = Arms(request, [card.arms() for card in tested])
    question = Value(tuple(tested), rules.play.rounds - 1)
    done = dict.fromkeys(range(len(tested)), 0)
    plans = [Plan(case, first, games) for case in done]
    tallies: Any = 0
    for _ in range(TIMES):
        tallies += played(arms, plans, question, part=PART, **how)
        done |= {plan.case: plan.first - first + plan.games for plan in plans}
        wanted = {} if half_width is None else _needed(tallies["vp"], half_width, level)
        plans = [
            Plan(case, first + done[case], more)
            for case, card in enumerate(tested)
            if (more := min(wanted.get(card.name, 0), MOST) - done[case]) > 0
        ]
        if not plans:
            break
    found: Tallies = tallies
    return found


def _needed(tally: Any, half_width: float, level: float) -> dict[str, int]:
    """Return how many pairs in all the cards need whose intervals are too wide, a few more than planned."""
    frame = games_for(tally, half_width, level=level)
    wide = frame[(frame["round"] == ALL) & (frame["policy"] == ALL) & (frame["half_width"] > half_width)]
    return {str(card): int(games * SPARE) + 1 for card, games in zip(wide["card"], wide["needed"], strict=True)}


@dataclass(frozen=True)
class Value:
    """The question to a pair of runs: what the card does to the seat that gets it.

    Attributes
    ----------
    cards : tuple of Card
        All that are under test.
    last : int
        The last round with picks.
    """

    cards: tuple[Card, ...]
    last: int

    def __call__(self, arms: tuple[Run, ...]) -> Tallies:
        """Return the tallies by outcome."""
        seats, rounds = places(arms[1])
        forced = tuple(run.intervention for run in arms)
        code = next(code for code, card in enumerate(self.cards) if card.arms() == forced)
        types = list(dict.fromkeys(card.type for card in self.cards))
        numbers = [str(number) for number in range(1, self.last + 1)]
        sides = []
        for run in arms:
            frame = outcomes(run, seats, "vp").assign(_round=rounds - 1)
            frame = with_all(frame, "policy", *seats_of(run, seats))
            frame = with_all(frame, "round", frame["_round"].to_numpy(), numbers)
            card = labelled(np.full(len(frame), code), [card.name for card in self.cards])
            kind = labelled(np.full(len(frame), types.index(self.cards[code].type)), types)
            sides.append(frame.assign(card=card, type=kind))
        return compared(sides[0], sides[1], KEYS, ["vp"])
