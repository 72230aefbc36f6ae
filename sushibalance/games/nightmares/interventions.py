"""What can be forced in Nightmares of Sushi: the grade that one seat serves in one round, or its ability card.

The seat chooses as ever; what it chose is changed when it has the card, and stays as it is when it has not.
"""

from __future__ import annotations

import numpy as np

from sushibalance.errors import UserError
from sushibalance.games.intervention import Interventions, index
from sushibalance.games.nightmares.kernel.setup import FORCED
from sushibalance.games.nightmares.kernel.state import FORCED_ABILITY, FORCED_GRADE, FORCED_NO_ABILITY
from sushibalance.games.nightmares.rules import ABILITIES, NightmaresRules


def grade(record: np.record, rules: NightmaresRules, players: int, card: str, given: bool) -> None:
    """Let the seat serve a grade."""
    if not given:
        raise UserError(f"grade {card}: found given=False, allowed True: a seat must serve some grade")
    record.forced, record.forced_card = FORCED_GRADE, index("grade", card, rules.grades)


def ability(record: np.record, rules: NightmaresRules, players: int, card: str, given: bool) -> None:
    """Let the seat play an ability card, or none as long as it has that one."""
    at = index("ability", card, ABILITIES)
    if not record.ability_cards[at]:
        raise UserError(f"ability {card}: found no such card in these rules, allowed one that players have")
    record.forced, record.forced_card = FORCED_ABILITY if given else FORCED_NO_ABILITY, at


INTERVENTIONS = Interventions(
    purpose=FORCED, rounds=lambda rules: rules.rounds, kinds={"grade": grade, "ability": ability}
)
