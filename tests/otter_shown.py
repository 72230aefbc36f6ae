"""Cards that a player of Otter shows, and what the reference engine makes of them."""

from reference import otter
from reference.otter import Player

from sushibalance import load_rules

RULES = load_rules("otter")
ALL_NEW = tuple(RULES.new_hands)


def cards(text):
    """Return cards written as ``"tuna 4, squid 11"``."""
    return tuple((suit, int(number)) for suit, number in (card.split() for card in text.split(", ")))


def numbers(*values, suits=("shrimp", "salmon_roe", "tuna", "squid", "egg")):
    """Return cards with these numbers, in suits that form nothing."""
    return tuple((suits[place % len(suits)], value) for place, value in enumerate(values))


def formed(shown, power_ups=(), new_hands=(), rules=RULES):
    """Return the hands that a player may declare."""
    return set(otter.declarable(shown, rules, Player(power_ups=power_ups, new_hands=new_hands)))


def gain(number, shown, round_number=1, hand="no_hand", rules=RULES):
    """Return (score, VP) of a Score power-up."""
    return otter.gain(shown, hand, rules.power_ups[str(number)], rules, round_number)


def after(number, shown, rules=RULES, **options):
    """Return all results of a use of a Change card."""
    return otter.uses(shown, number, rules, **options)


def changed(shown, **places):
    """Return the cards with some replaced: ``changed(cards, at0=("tuna", 3))``."""
    result = list(shown)
    for place, card in places.items():
        result[int(place[2:])] = card
    return tuple(result)
