"""One game's log as readable lines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from sushibalance.games.game import Policy
from sushibalance.games.nightmares.kernel.state import (
    ASIDE,
    CAT,
    CHEF,
    CHEF_CARD,
    CHIN,
    EATS,
    END,
    MEAL,
    NOTHING,
    PENALTY_VICTORY,
    PLACE,
    ROUND,
    SAUCE,
    SCORE,
    SERVES,
    SETUP,
    TOKEN,
)
from sushibalance.games.nightmares.rules import NightmaresRules

ABILITY_TITLES = ("Fortune Cat", "Ninjutsu Chin", "Swelling Tongue", "What's Up? Wasabi", "Where's the Sauce?")

# Neighbouring events under the same heading make one line; those without one have a line each.
HEADINGS = {
    CHEF_CARD: "Chefs",
    ASIDE: "Set aside",
    SERVES: "  Serve",
    EATS: "  Choose",
    CAT: "  Abilities",
    CHIN: "  Abilities",
    SAUCE: "  Abilities",
    MEAL: "  Sushi",
    SCORE: "  Score",
    PLACE: "Result",
}


def narrate(log: np.ndarray, rules: NightmaresRules, policies: Sequence[Policy]) -> list[str]:
    """Return the lines of one game; seats and chefs count from 0, rounds from 1."""
    lines = [f"Seat {seat}: {policy.name}" for seat, policy in enumerate(policies)]
    grades = list(rules.grades)
    events = [(int(event["kind"]), int(event["seat"]), [int(value) for value in event["args"]]) for event in log]
    for heading, group in groupby(events, key=lambda event: HEADINGS.get(event[0], "")):
        told = [_tell(*event, len(policies), grades, rules.chefs.points) for event in group]
        lines += [f"{heading}: {'; '.join(told)}."] if heading else told
    return lines


def _points(gold: int, penalty: int) -> str:
    parts = [f"{count} {name}" for count, name in ((gold, "gold"), (penalty, "penalty")) if count]
    return " and ".join(parts) or "nothing"


def _tell(kind: int, seat: int, args: Sequence[int], players: int, grades: Sequence[str], chefs: Sequence[int]) -> str:
    """Return the words for one event."""

    def who(number: int) -> str:
        return f"seat {number}" if number < players else "third seat"

    a, b, c, d, *_ = args
    if kind == SETUP:
        return f"Seat {seat} starts."
    if kind == CHEF_CARD:
        return f"chef {a} {chefs[b]:+d}" if a != NOTHING else f"left out {chefs[b]:+d}"
    if kind == ASIDE:
        return f"{who(seat)} {grades[a]}"
    if kind == ROUND:
        return f"Round {a}, seat {seat} starts"
    if kind == SERVES:
        return f"{who(seat)} {grades[a]}" + (f" with {ABILITY_TITLES[b]}" if b != NOTHING else "")
    if kind == EATS:
        return f"{who(seat)} takes " + (f"chef {a - CHEF}" if a >= CHEF else f"{who(a)}'s plate")
    if kind == CAT:
        return f"{who(seat)}'s Fortune Cat ({b} played) turns {a} penalty into gold"
    if kind == CHIN:
        aimed = f"gives {who(a)} {_points(b, c)}" if a != NOTHING else "has no effect"
        return f"{who(seat)}'s Ninjutsu Chin {aimed}"
    if kind == SAUCE:
        return f"{who(seat)}'s Where's the Sauce? " + (f"gives {a} gold" if a else "has no effect")
    if kind == MEAL:
        dish = "its own" if a == seat else f"chef {a - CHEF}'s" if a >= CHEF else f"{who(a)}'s"
        card = f"{chefs[b]:+d}" if a >= CHEF else grades[b]
        return f"{who(seat)} eats {dish} {card} for {_points(c, d)}"
    if kind == SCORE:
        return f"{who(seat)} {a} gold, {b} penalty"
    if kind == TOKEN:
        return f"  Starting player token: seat {seat}."
    if kind == END:
        return "Penalty victory." if a == PENALTY_VICTORY else "Gold victory."
    assert kind == PLACE
    return f"seat {seat} {a} (rank {b}{', wins' if c else ''})"
