"""Ask Otter's rules without simulating: what a revealed set can reach, how a hand is best played."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sushibalance.games.otter.kernel import learn, search
from sushibalance.games.otter.kernel import outcomes as exact
from sushibalance.games.otter.kernel import state as s
from sushibalance.games.otter.kernel.worth import CODE_BITS
from sushibalance.games.otter.rules import OtterRules
from sushibalance.games.otter.tables import card_of, code, rules_table, unpacked
from sushibalance.games.registry import load_rules
from sushibalance.rules.problems import one_of

MOST_STATES = 40_000_000

Card = tuple[str, int]


@dataclass(frozen=True)
class Use:
    """One use of a Change card: its number and the revealed cards after it."""

    power_up: int
    cards: tuple[Card, ...]


@dataclass(frozen=True)
class Play:
    """A reveal of a hand.

    Attributes
    ----------
    cards : tuple of (suit, number)
        The revealed cards as printed.
    uses : tuple of Use
        Change cards in the order of use.
    hand : str
        The declared hand.
    score, vp : int
        What it pays: hand, printed icons and Score power-ups.
    """

    cards: tuple[Card, ...]
    uses: tuple[Use, ...]
    hand: str
    score: int
    vp: int


def outcomes(
    cards: Sequence[Card],
    *,
    power_ups: Iterable[int] = (),
    upgrades: Iterable[str] = (),
    new_hands: Iterable[str] = (),
    round_number: int = 1,
    rules: OtterRules | None = None,
) -> set[tuple[str, int, int]]:
    """Return every (hand, score, VP) that one revealed set can reach.

    All legal uses of the Change cards count, in any order, each at most once, and every hand that may be
    declared then. Exact: states are enumerated without shortcuts.

    Parameters
    ----------
    cards : sequence of (str, int)
        One to five different sushi cards, ``("tuna", 4)``.
    power_ups : iterable of int
        Numbers of the power-ups held.
    upgrades, new_hands : iterable of str
        Hands that a Key Client card upgrades, or teaches.
    round_number : int
        The round, from 1.
    rules : OtterRules, optional
        The printed rules when left out.

    Raises
    ------
    ValueError
        For cards, power-ups or hands that the rules do not have.

    Examples
    --------
    >>> shown = [("tuna", 4), ("shrimp", 5), ("salmon_roe", 5), ("squid", 11), ("egg", 2)]
    >>> ("four_of_a_kind", 22, 2) in outcomes(shown, power_ups=(7, 21, 28, 49))
    True
    """
    rules = rules or _printed()
    table = rules_table(rules)
    revealed = _codes(rules, cards, rules.play.reveal_at_least, rules.play.reveal_at_most)
    own = _seat(rules, table, power_ups, upgrades, new_hands, round_number)
    icons = int(sum(table[0].icon[c] for c in revealed))
    packed = sum(c << (CODE_BITS * slot) for slot, c in enumerate(revealed))
    found, complete = exact.outcomes(table[0], own[0], round_number, packed, len(revealed), icons, MOST_STATES)
    if not complete:
        raise ValueError(f"these Change cards reach more than {MOST_STATES:,} states: too many to list")
    names = list(rules.hands)
    return {(names[hand], int(score), int(vp)) for hand, score, vp in found}


def best_play(
    hand: Sequence[Card],
    *,
    power_ups: Iterable[int] = (),
    upgrades: Iterable[str] = (),
    new_hands: Iterable[str] = (),
    round_number: int = 1,
    vp_weight: float = 2.0,
    rules: OtterRules | None = None,
) -> Play:
    """Return the play of a hand with the highest score + ``vp_weight`` * VP. Exact.

    Ties go to more VP, then to more cards. Other parameters and errors as for `outcomes`; ``hand`` holds
    the cards in hand, at most the highest hand limit.

    Examples
    --------
    >>> best_play([("tuna", 4), ("shrimp", 5), ("salmon_roe", 5), ("egg", 5)]).hand
    'three_of_a_kind'
    """
    rules = rules or _printed()
    table = rules_table(rules)
    held = _codes(rules, hand, rules.play.reveal_at_least, s.HAND)
    own = _seat(rules, table, power_ups, upgrades, new_hands, round_number)
    if not 0 <= vp_weight <= 1000:
        raise ValueError(f"vp_weight: found {vp_weight}, allowed a number from 0 to 1000")
    own[0].n_hand = len(held)
    own[0].hand[: len(held)] = held
    choice = np.zeros(s.CHOICE, np.int64)
    value, declared = search.best_play(table[0], own[0], round_number, float(vp_weight), choice)
    slots = choice[s.CHOICE_SLOTS : s.CHOICE_SLOTS + choice[s.CHOICE_CARDS]]
    uses = []
    for step in range(choice[s.CHOICE_USES]):
        at = s.CHOICE_USE + step * s.USE_WIDTH
        after = tuple(_named(rules, int(c)) for c in choice[at + 1 : at + 1 + len(slots)])
        uses.append(Use(int(table[0].number[choice[at]]), after))
    score, vp = unpacked(int(value))
    cards = tuple(_named(rules, held[slot]) for slot in slots)
    return Play(cards, tuple(uses), list(rules.hands)[declared], score, vp)


def _printed() -> OtterRules:
    rules = load_rules("otter")
    assert isinstance(rules, OtterRules)
    return rules


def _named(rules: OtterRules, card: int) -> Card:
    suit, number = card_of(card)
    return rules.deck.suits[suit], number


def _codes(rules: OtterRules, cards: Sequence[Card], low: int, high: int) -> list[int]:
    """Return the codes of sushi cards, ascending, checked against the deck."""
    result = []
    for card in cards:
        try:
            suit, number = card
        except (TypeError, ValueError):
            raise ValueError(f'cards: found {card!r}, allowed (suit, number), e.g. ("tuna", 4)') from None
        if suit not in rules.deck.suits:
            raise ValueError(f'cards: found suit "{suit}"; {one_of(str(suit), rules.deck.suits)}')
        if isinstance(number, bool) or number not in range(1, rules.deck.numbers + 1):
            raise ValueError(f"cards: found number {number!r}, allowed 1 to {rules.deck.numbers}")
        result.append(code(rules.deck.suits.index(suit), int(number)))
    if not low <= len(result) <= high:
        raise ValueError(f"cards: found {len(result)}, allowed {low} to {high}")
    if len(set(result)) < len(result):
        raise ValueError("cards: found the same card twice, allowed each card of the deck once")
    return sorted(result)


def _seat(
    rules: OtterRules,
    table: np.recarray,
    power_ups: Iterable[int],
    upgrades: Iterable[str],
    new_hands: Iterable[str],
    round_number: int,
) -> np.recarray:
    """Return an ``OWN`` array of length 1 that holds the given cards."""
    own = np.zeros(1, s.OWN).view(np.recarray)
    learn.forget(table[0], own[0])
    numbers = list(rules.power_ups)
    held = [str(number) for number in power_ups]
    for number in held:
        if number not in numbers:
            raise ValueError(f"power_ups: found {number}; {one_of(number, numbers)}")
    if len(set(held)) < len(held):
        raise ValueError("power_ups: found one twice, allowed each once")
    if len(held) > s.HELD:
        raise ValueError(f"power_ups: found {len(held)}, allowed at most {s.HELD}")
    if not 1 <= round_number <= rules.play.rounds:
        raise ValueError(f"round_number: found {round_number}, allowed 1 to {rules.play.rounds}")
    for number in held:
        learn.learn_power_up(table[0], own[0], numbers.index(number))
    names = list(rules.hands)
    for hand in upgrades:
        allowed = [name for name in names if rules.hands[name].upgraded_score is not None]
        if hand not in allowed:
            raise ValueError(f'upgrades: found "{hand}"; {one_of(hand, allowed)}')
        own[0].worth[names.index(hand)] = table[0].hand_upgraded[names.index(hand)]
    for hand in new_hands:
        if hand not in rules.new_hands:
            raise ValueError(f'new_hands: found "{hand}"; {one_of(hand, rules.new_hands)}')
        learn.teach(own[0], names.index(hand))
    learn.list_parts(table[0], own[0])
    learn.start_round(table[0], own[0], round_number)
    return own
