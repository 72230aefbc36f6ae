"""What the rules say about one round, without simulating."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np

from sushibalance.core.log import new_log
from sushibalance.errors import UserError
from sushibalance.games.nightmares.kernel.scoring import chin_works, settle
from sushibalance.games.nightmares.kernel.state import (
    CHEF,
    HIDDEN,
    MAX_CHEFS,
    MAX_SEATS,
    NINJUTSU_CHIN,
    NOTHING,
    OWN,
    TABLE,
)
from sushibalance.games.nightmares.rules import ABILITIES, MAX_POINTS, MAX_VICTORY, NightmaresRules
from sushibalance.games.nightmares.tables import make_table
from sushibalance.rules.problems import one_of, shown

Meal = tuple[str, int]


@cache
def _base() -> NightmaresRules:
    from sushibalance.games.registry import load_rules

    rules = load_rules("nightmares")
    assert isinstance(rules, NightmaresRules)
    return rules


def resolve_round(
    served: Sequence[str],
    abilities: Sequence[str | None],
    targets: Sequence[int | None],
    eaten: Sequence[Meal],
    penalties: Sequence[int],
    chefs: Sequence[int] = (),
    *,
    rules: NightmaresRules | None = None,
) -> tuple[list[int], list[int]]:
    """Return what one round changes for each player.

    Abilities come first in the order of the rules, then the sushi: the plate chosen, and the own
    one of each player whom nobody chose ("Reveal Cards" and "Scoring" in the rulebook; readings N4 to N6).

    Parameters
    ----------
    served : sequence of str
        The grade on each plate, ``"A"``, by seat. With two players a third entry is the third seat's.
    abilities : sequence of str or None
        The ability each player plays: ``"fortune_cat"``, ..., or None. Its length is the number of players.
    targets : sequence of int or None
        The seat that each Ninjutsu Chin is aimed at. It must be given where the Chin takes effect, and
        is ignored elsewhere.
    eaten : sequence of (str, int)
        What each player chose: ``("player", seat)`` (the third seat is 2) or ``("chef", index)``.
    penalties : sequence of int
        The penalty points that each player has before the round: what Fortune Cat can convert.
    chefs : sequence of int, optional
        Signed values of the chefs on the table, 2 for two gold, -2 for two penalty points.
    rules : NightmaresRules, optional
        The rules; by default the base game's.

    Returns
    -------
    gold, penalty : list of int
        The change of each player's gold and penalty points. Converted penalty points are a
        negative change.

    Raises
    ------
    UserError
        A ``ValueError`` that says what was found and what is allowed.

    Examples
    --------
    Seat 0 eats the chef's 2 gold, doubled by Wasabi; seat 1 eats seat 0's F and its own C:

    >>> resolve_round(["F", "C"], ["whats_up_wasabi", None], [None, None],
    ...               [("chef", 0), ("player", 0)], [0, 0], chefs=[2])
    ([4, 1], [0, 2])
    """
    rules = _base() if rules is None else rules
    if not isinstance(rules, NightmaresRules):
        raise UserError(f"rules: found {rules!r}, allowed rules of Nightmares of Sushi")
    players = len(abilities)
    if not 2 <= players <= MAX_SEATS:
        raise UserError(f"abilities: found {players} players, allowed 2 to {MAX_SEATS}")
    third = players == 2 and rules.readings.two_players == "third_seat" and len(served) == 3
    plates = players + third
    for name, given, count in (
        ("served", served, plates),
        ("targets", targets, players),
        ("eaten", eaten, players),
        ("penalties", penalties, players),
    ):
        if len(given) != count:
            raise UserError(f"{name}: found {len(given)} entries; allowed: {count}, one for each seat")
    if len(chefs) > MAX_CHEFS:
        raise UserError(f"chefs: found {len(chefs)}, allowed at most {MAX_CHEFS}")

    grades = list(rules.grades)
    tables = make_table(rules)
    table, own, hidden = (
        np.zeros(length, dtype).view(np.recarray) for length, dtype in ((1, TABLE), (MAX_SEATS, OWN), (1, HIDDEN))
    )
    tables.chefs_on_table = len(chefs)
    for place, value in enumerate(chefs):
        tables[0].chef_points[place] = _whole(f"chefs[{place}]", value, -MAX_POINTS, MAX_POINTS)
        hidden[0].chef[place] = place
    table.players, table.plates = players, plates
    for seat in range(plates):
        own[seat].served = grades.index(_named(f"served[{seat}]", served[seat], grades))
    row = table[0]
    for seat in range(players):
        ability = abilities[seat]
        row.ability[seat] = NOTHING
        if ability is not None:
            row.ability[seat] = ABILITIES.index(_named(f"abilities[{seat}]", ability, ABILITIES, "or None"))
        row.penalty[seat] = _whole(f"penalties[{seat}]", penalties[seat], 0, MAX_VICTORY)
        row.ate[seat] = _eaten(seat, eaten[seat], plates, len(chefs))
    works = chin_works(tables[0], row)
    for seat, target in enumerate(targets):
        row.target[seat] = NOTHING
        if target is not None:
            row.target[seat] = _whole(f"targets[{seat}]", target, 0, players - 1)
        elif works and row.ability[seat] == NINJUTSU_CHIN:
            raise UserError(
                f"targets[{seat}]: found None, allowed a seat from 0 to {players - 1}: its Chin takes effect"
            )

    before = row.penalty[:players].copy()
    settle(tables[0], row, own, hidden[0], new_log(0))
    return row.gold[:players].tolist(), (row.penalty[:players] - before).tolist()


def _eaten(seat: int, meal: Meal, plates: int, chefs: int) -> int:
    """Return the code of what ``seat`` chose."""
    where = f"eaten[{seat}]"
    if isinstance(meal, str) or not isinstance(meal, Sequence) or len(meal) != 2:
        raise UserError(f'{where}: found {meal!r}, allowed ("player", seat) or ("chef", index)')
    kind, index = meal
    if _named(where, kind, ("player", "chef")) == "player":
        plate = _whole(where, index, 0, plates - 1)
        if plate == seat:
            raise UserError(f"{where}: found the own plate, allowed another player's plate or a chef")
        return plate
    if not chefs:
        raise UserError(f"{where}: found a chef, allowed another player's plate: there are no chefs")
    return CHEF + _whole(where, index, 0, chefs - 1)


def _named(where: str, found: object, known: Iterable[str], also: str = "") -> str:
    known = list(known)
    if not isinstance(found, str) or found not in known:
        value = shown(found) if isinstance(found, str) else repr(found)
        raise UserError(f"{where}: found {value}; {one_of(str(found), known)}{' ' + also if also else ''}")
    return found


def _whole(where: str, found: object, low: int, high: int) -> int:
    if isinstance(found, bool | np.bool_) or not isinstance(found, int | np.integer) or not low <= found <= high:
        raise UserError(f"{where}: found {found!r}, allowed a whole number from {low} to {high}")
    return int(found)
