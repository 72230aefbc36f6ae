"""What cards score under any rules, without simulating."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import cast

import numpy as np

from sushibalance.errors import UserError
from sushibalance.games.registry import load_rules
from sushibalance.games.sushi_go.kernel.scoring import maki_award, pudding_award, tableau_points
from sushibalance.games.sushi_go.kernel.state import CARDS, KINDS, MAX_PLAYERS, MIN_PLAYERS
from sushibalance.games.sushi_go.rules import SushiGoRules
from sushibalance.games.sushi_go.tables import rules_table
from sushibalance.rules import Rules
from sushibalance.rules.problems import one_of

MAX_ASKED = 1000

AnyRules = SushiGoRules | str | Path | None


class QueryError(UserError):
    """A question about Sushi Go! that has no answer: what was found, what is allowed."""


def score_puddings(counts: Sequence[int], rules: AnyRules = None) -> list[int]:
    """Return the pudding points of each player when puddings are scored.

    Parameters
    ----------
    counts : sequence of int
        Puddings of each player, 2 to 5 players.
    rules : SushiGoRules, str or Path, optional
        The rules, or the name or file of a rule set; the printed ones by default.

    Returns
    -------
    list of int
        Points of each player; negative for a loss.

    Raises
    ------
    QueryError
        For counts that no table can have.
    RulesError
        For rules that cannot be loaded.

    Notes
    -----
    Rulebook text on pudding scoring: most +6, fewest -6 (but not with two players), ties split with the
    remainder dropped. Reading S1 for a tie of all players.

    Examples
    --------
    >>> score_puddings([4, 1, 2])
    [6, -6, 0]
    >>> score_puddings([4, 1])
    [6, 0]
    >>> score_puddings([3, 0, 0, 3])
    [3, -3, -3, 3]
    """
    return _awards(pudding_award, "puddings", counts, rules)


def score_maki(icons: Sequence[int], rules: AnyRules = None) -> list[int]:
    """Return the maki points of each player for one round.

    Parameters
    ----------
    icons : sequence of int
        Maki icons in front of each player, 2 to 5 players.
    rules : SushiGoRules, str or Path, optional
        The rules, or the name or file of a rule set; the printed ones by default.

    Returns
    -------
    list of int
        Points of each player.

    Raises
    ------
    QueryError
        For icons that no table can have.
    RulesError
        For rules that cannot be loaded.

    Notes
    -----
    Public rules: most 6, second most 3, ties split with the remainder dropped, no second award after a tie
    for most, no award without an icon.

    Examples
    --------
    >>> score_maki([5, 3, 3, 0])
    [6, 1, 1, 0]
    >>> score_maki([4, 4, 3])
    [3, 3, 0]
    """
    return _awards(maki_award, "maki icons", icons, rules)


def score_tableau(cards: Sequence[str], rules: AnyRules = None) -> int:
    """Return the points of one player's cards of one round, without the maki and pudding awards.

    Parameters
    ----------
    cards : sequence of str
        The cards in front of the player in play order, each played in a turn of its own: ``tempura``,
        ``sashimi``, ``dumpling``, ``maki_1``, ``maki_2``, ``maki_3``, ``salmon_nigiri``,
        ``squid_nigiri``, ``egg_nigiri``, ``pudding``, ``wasabi``, ``chopsticks``. Order
        matters for wasabi alone: a nigiri goes on a wasabi that was played before it.
    rules : SushiGoRules, str or Path, optional
        The rules, or the name or file of a rule set; the printed ones by default.

    Returns
    -------
    int
        Points of tempura, sashimi, dumplings and nigiri. Maki and puddings are compared between players:
        see `score_maki` and `score_puddings`.

    Raises
    ------
    QueryError
        For an unknown card, with the nearest known one.
    RulesError
        For rules that cannot be loaded.

    Examples
    --------
    >>> score_tableau(["wasabi", "squid_nigiri", "salmon_nigiri"])
    11
    >>> score_tableau(["squid_nigiri", "wasabi", "tempura", "tempura", "dumpling"])
    9
    """
    if isinstance(cards, str) or not _is_sequence(cards):
        raise QueryError(f"cards: found {cards!r}, allowed a list of card names in play order")
    if len(cards) > MAX_ASKED:
        raise QueryError(f"cards: found {len(cards):,} cards, allowed at most {MAX_ASKED:,}")
    for card in cards:
        if card not in CARDS:
            raise QueryError(f"cards: found {card!r}; {_nearest_card(str(card))}")
    kinds = np.array([CARDS.index(card) for card in cards], np.int64)
    return int(tableau_points(_table(rules), kinds, np.zeros(KINDS, np.int64)))


def _awards(award: Callable, what: str, counts: Sequence[int], rules: AnyRules) -> list[int]:
    if isinstance(counts, str) or not _is_sequence(counts) or not MIN_PLAYERS <= len(counts) <= MAX_PLAYERS:
        allowed = f"one count for each of {MIN_PLAYERS} to {MAX_PLAYERS} players"
        raise QueryError(f"{what}: found {counts!r}, allowed {allowed}")
    for count in counts:
        if isinstance(count, bool | np.bool_) or not isinstance(count, int | np.integer) or not 0 <= count <= MAX_ASKED:
            raise QueryError(f"{what}: found {count!r}, allowed a whole number from 0 to {MAX_ASKED:,}")
    table = _table(rules)
    held = np.array(counts, np.int64)
    return [int(award(table, held, len(held), seat, 0)) for seat in range(len(held))]


def _nearest_card(name: str) -> str:
    """Return the phrase that names the known cards, the nearest first: also for a part of a name."""
    partial = [card for card in CARDS if name and (name in card.split("_") or card in name)]
    return one_of(partial[0] if partial else name, CARDS)


def _is_sequence(value: object) -> bool:
    return isinstance(value, Sequence) or (isinstance(value, np.ndarray) and value.ndim == 1)


def _table(rules: AnyRules) -> np.record:
    """Return the rules in the kernel's words."""
    if rules is None:
        return _printed()
    loaded: Rules = rules if isinstance(rules, Rules) else load_rules(rules)
    if not isinstance(loaded, SushiGoRules):
        raise QueryError(f"rules: found a rule set of {loaded.game}, allowed one of sushi_go")
    return cast(np.record, rules_table(loaded)[0])


@cache
def _printed() -> np.record:
    return _table("sushi_go")
