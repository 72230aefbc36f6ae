"""What can be forced in Sushi Otter: the power-up or the Key Client card that a pick brings, or that it brings nothing.

The card under test is out of play from the start, whether it is given or not, so that it comes by force alone and
never twice. In one draft one seat picks as ever, and what it picks leaves the offer as ever; but it gets the card under
test in its place, or nothing. A Key Client card comes with the first power-up of its kind in the rule file, which is
out of play as well. A pick can also be made to bring nothing with all cards in play.
"""

from __future__ import annotations

import numpy as np

from sushibalance.errors import UserError
from sushibalance.games.intervention import Interventions, index
from sushibalance.games.otter.kernel.state import FORCED, POWER_UPS
from sushibalance.games.otter.rules import OtterRules


def power_up(record: np.record, rules: OtterRules, players: int, card: str, given: bool) -> None:
    """Take a power-up out of play, and give it to the seat, or nothing."""
    record.tested_power_up = 1 + index("power-up", card, rules.power_ups)
    record.given = given
    _can_do_without(rules, players, f"power-up {card}")


def key_client(record: np.record, rules: OtterRules, players: int, card: str, given: bool) -> None:
    """Take a Key Client card out of play, and give it to the seat with a power-up, or nothing."""
    record.tested_client = 1 + index("Key Client card", card, rules.key_clients)
    bringers = [place for place, one in enumerate(rules.power_ups.values()) if one.type == "key_client"]
    if not bringers:
        raise UserError(f"Key Client card {card}: found no power-up that brings one, allowed one at least")
    record.tested_power_up = 1 + bringers[0]
    record.given = given
    _can_do_without(rules, players, f"Key Client card {card}")


def pick(record: np.record, rules: OtterRules, players: int, card: str, given: bool) -> None:
    """Let what the seat picks itself bring nothing; all cards are in play."""
    if card != OWN or given:
        raise UserError(f"pick: found {card}, given={given}, allowed {OWN}, given=False")
    record.tested_power_up = 1 + POWER_UPS  # which no card is
    _somebody_picks(rules, "pick")


def _somebody_picks(rules: OtterRules, what: str) -> None:
    if rules.play.rounds < 2:
        raise UserError(f"{what}: found a game of one round, in which nobody picks, allowed two or more")


def _can_do_without(rules: OtterRules, players: int, card: str) -> None:
    """Refuse a power-up deck that would run out without the card under test."""
    _somebody_picks(rules, card)
    play = rules.play
    taken = players * (play.rounds - 2 + (play.starting_power_ups > 0))
    needed = max(taken + players + play.offers_beyond_players, players * play.starting_power_ups)
    left = len(rules.power_ups) - 1
    if left < needed:
        raise UserError(
            f"{card}: found {left} power-ups without the one that is kept out, allowed {needed} or more for "
            f"{players} players: those taken before round {play.rounds - 1} and those on offer in it"
        )


OWN = "own"  # the card of `pick`
INTERVENTIONS = Interventions(
    purpose=FORCED,
    rounds=lambda rules: rules.play.rounds - 1,
    kinds={"power_up": power_up, "key_client": key_client, "pick": pick},
)
