"""How the score of revealed cards comes about, part by part, from the rules in the designer's words.

The kernel adds the same parts in its own words; the trace shows these, and tests compare the sums.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sushibalance.games.otter.rules import Condition, OtterRules, ScorePowerUp, resolve_numbers

Card = tuple[str, int]
"""A suit and a number."""


@dataclass(frozen=True)
class Part:
    """One part of a sum: what gives it, and the score and VP that it gives."""

    what: str
    score: int
    vp: int


def parts(
    rules: OtterRules,
    revealed: Sequence[Card],
    changed: Sequence[Card],
    hand: str,
    power_ups: Iterable[str] = (),
    key_clients: Iterable[str] = (),
    round_number: int = 1,
) -> list[Part]:
    """Return what a reveal scores: its hand, the scores printed on its cards, each Score power-up that applies.

    Parameters
    ----------
    rules : OtterRules
        The rules.
    revealed, changed : sequence of (str, int)
        The cards as printed, and as they are after all Change cards.
    hand : str
        The hand declared.
    power_ups, key_clients : iterable of str
        What the player holds: numbers of power-ups, names of Key Client cards.
    round_number : int
        The round, from 1.

    Examples
    --------
    The example of the rulebook's section II:

    >>> from sushibalance import load_rules
    >>> printed = [("tuna", 4), ("shrimp", 5), ("salmon_roe", 5), ("squid", 11), ("egg", 2)]
    >>> changed = [("tuna", 5), ("shrimp", 5), ("salmon_roe", 5), ("squid", 5), ("egg", 2)]
    >>> held = ["7", "21", "28", "49"]
    >>> for part in parts(load_rules("otter"), printed, changed, "four_of_a_kind", held, round_number=4):
    ...     print(part.score, part.vp, part.what)
    14 2 four_of_a_kind
    2 0 printed on squid 11 (1), egg 2 (1)
    1 0 No. 7 (1 score per salmon roe)
    5 0 No. 21 (Two or more 5s: 5 score)
    """
    declared = rules.hands[hand]
    upgrades = [client for client in map(rules.key_clients.__getitem__, key_clients) if client.type == "upgrade"]
    if any(hand in client.hands for client in upgrades):
        found = [Part(f"{hand}, upgraded", declared.upgraded_score or 0, declared.upgraded_vp or 0)]
    else:
        found = [Part(hand, declared.score, declared.vp)]
    printed = [(suit, number, rules.card_scores[suit][str(number)]) for suit, number in revealed]
    named = ", ".join(f"{suit} {number} ({score})" for suit, number, score in printed if score)
    if named:
        found.append(Part(f"printed on {named}", sum(score for *_, score in printed), 0))
    for number in power_ups:
        card = rules.power_ups[number]
        if isinstance(card, ScorePowerUp):
            score, vp = _gain(rules, card, changed, hand, round_number)
            if score or vp:
                found.append(Part(named_power_up(rules, number), score, vp))
    return found


def named_power_up(rules: OtterRules, number: str) -> str:
    """Return a power-up as ``No. 7 (its text)``."""
    text = rules.power_ups[number].text.rstrip(".")
    return f"No. {number} ({text})" if text else f"No. {number}"


def _gain(
    rules: OtterRules, card: ScorePowerUp, cards: Sequence[Card], hand: str, round_number: int
) -> tuple[int, int]:
    applies = (
        (card.rounds is None or round_number in card.rounds)
        and (card.revealed is None or card.revealed == len(cards))
        and (card.hands is None or hand in card.hands)
        and (card.categories is None or bool(set(card.categories) & set(rules.hands[hand].categories)))
    )
    return card.gain(_count(rules, card, cards)) if applies else (0, 0)


def _count(rules: OtterRules, condition: Condition, cards: Sequence[Card]) -> int:
    """Return the count that a condition looks at."""
    suits, numbers = condition.marks.suits, condition.marks.numbers
    wanted = None if numbers is None else resolve_numbers(numbers, rules.deck.numbers)
    marked = [
        (suit, number)
        for suit, number in cards
        if (suits is None or suit in suits) and (wanted is None or number in wanted)
    ]
    same = Counter(number for _, number in marked)
    return {
        "cards": len(marked),
        "different_numbers": len(same),
        "different_suits": len({suit for suit, _ in marked}),
        "same_number": max(same.values(), default=0),
    }[condition.count]
