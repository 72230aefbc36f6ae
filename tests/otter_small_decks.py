"""Rules of Otter with small decks and invented hands, and the hands counted over all cards that can be dealt."""

from __future__ import annotations

from sushibalance import load_rules
from sushibalance.analysis.exact_hands import exact
from sushibalance.games.otter.rules import OtterRules

RULES = load_rules("otter")
NEW_HANDS = {f"key_clients.{name}": None for name, card in RULES.key_clients.items() if card.type == "new_hand"}
EVERYONE_KNOWS_ALL = RULES.vary(NEW_HANDS)
PRINTED = RULES.model_dump(mode="json")["hands"]
SIX_SUITS = [*RULES.deck.suits, "crab"]


def hands_of(rules, cards):
    return dict(exact(cards, rules)[["hand", "count"]].itertuples(index=False))


def small(suits, numbers, *, hands=None, readings=(), fibonacci=(1, 1, 2, 3, 5), reveal=(1, 5)):
    """Return rules of a small deck; None where no table could play invented hands."""
    values = RULES.model_dump(mode="json")
    names = SIX_SUITS[:suits]
    hands = PRINTED | {"five_suits": {**PRINTED["five_suits"], "cards": min(suits, 5)}} if hands is None else hands
    anything = {"type": "change", "times": 1, "conversions": [{"to": {"numbers": "any"}}]}
    values |= {
        "deck": {"suits": names, "numbers": numbers},
        "card_scores": {suit: {str(number): 0 for number in range(1, numbers + 1)} for suit in names},
        "round_cards": {"2": {"1": [1, 0, 0]}},
        "hands": hands,
        "fibonacci": list(fibonacci),
        "key_clients": {name: card for name, card in values["key_clients"].items() if set(card["hands"]) <= set(hands)},
        "power_ups": {"1": anything},  # with it, a hand may ask for more cards of a number than there are suits
    }
    values["play"] |= {"rounds": 1, "hand_limit": 5, "reveal_at_least": reveal[0], "reveal_at_most": reveal[1]}
    values["readings"] |= {"never_by_change": [], **dict(readings)}
    rules = OtterRules.model_validate(values)
    impossible = {key.split(".")[1] for key, _, _ in rules.impossible() if key.startswith("hands.")}
    if impossible:
        possible = {name: hand for name, hand in hands.items() if name not in impossible}
        return small(suits, numbers, hands=possible, readings=readings, fibonacci=fibonacci, reveal=reveal)
    return None if list(rules.impossible()) else rules
