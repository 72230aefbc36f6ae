"""Sushi Otter's rules in the designer's words: the model of ``data/otter.toml``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from sushibalance.games.otter.possible import MAX_HAND_LIMIT, faults
from sushibalance.games.otter.vocabulary import (
    MAX_REVEAL,
    MAX_ROUNDS,
    CardNumber,
    ChangePowerUp,
    Condition,
    Conversion,
    Hand,
    KeyClientPowerUp,
    Marks,
    Name,
    Names,
    Numbers,
    PassivePowerUp,
    Points,
    PowerUp,
    Result,
    ScorePowerUp,
    distinct,
    resolve_numbers,
)
from sushibalance.rules import Part, Rules

__all__ = [
    "ChangePowerUp", "Condition", "Conversion", "Deck", "Hand", "KeyClient", "KeyClientPowerUp", "Marks", "Numbers",
    "OtterRules", "PassivePowerUp", "Play", "PowerUp", "Readings", "Result", "ScorePowerUp", "resolve_numbers",
]  # fmt: skip

MAX_HANDS = 40
MAX_CLIENTS = 32
MAX_POWER_UPS = 96

PowerUpNumber = Annotated[
    str, StringConstraints(pattern=r"^[1-9][0-9]{0,2}$"), Field(description="a number from 1 to 999")
]
Digits = Annotated[str, StringConstraints(pattern=r"^[1-9][0-9]?$"), Field(description="a number from 1 to 99")]


class Deck(Part):
    """The sushi cards: every suit with every number from 1 up, one card each."""

    suits: Annotated[list[Name], Field(min_length=2, max_length=6), AfterValidator(distinct)]
    numbers: Annotated[int, Field(ge=5, le=16)]


class Play(Part):
    """Counts and orders of the game flow (Setup; Game Flow; Optional Rules).

    Attributes
    ----------
    rounds : int
        Rounds of a game; the last one has no Power Up Phase.
    hand_limit : int
        Cards in hand after dealing, before power-ups raise it.
    reveal_at_least, reveal_at_most : int
        How many cards a player reveals.
    offers_beyond_players : int
        Power-ups on offer beyond one for each player.
    pick_order : str
        Who takes a power-up first, by the rank of the round.
    two_player_percent : int
        Share of the first player's score that the second of two needs for the second place.
    starting_power_ups : int
        Power-ups dealt to each player at the start, who keeps one; 0 for none.
    """

    rounds: Annotated[int, Field(ge=1, le=MAX_ROUNDS)]
    hand_limit: Annotated[int, Field(ge=1, le=MAX_HAND_LIMIT)]
    reveal_at_least: Annotated[int, Field(ge=1, le=MAX_REVEAL)]
    reveal_at_most: Annotated[int, Field(ge=1, le=MAX_REVEAL)]
    offers_beyond_players: Annotated[int, Field(ge=0, le=10)]
    pick_order: Literal["worst_rank_first", "best_rank_first", "random"]
    two_player_percent: Annotated[int, Field(ge=0, le=100)]
    starting_power_ups: Annotated[int, Field(ge=0, le=10)]


class KeyClient(Part):
    """One Key Client card: upgrades the hands it names, or teaches them (New Hands)."""

    type: Literal["upgrade", "new_hand"]
    hands: Annotated[Names, Field(max_length=4)]


class Readings(Part):
    """How doubtful sentences are read. The first value of each is the default reading.

    Attributes
    ----------
    kinds : str
        O1. ``exact``: three of a kind is not also a pair. ``contained``: it is.
    no_hand : str
        O1. ``only_when_nothing_forms``, or ``always`` declarable.
    declared_hand : str
        O2. ``player_chooses`` among the hands formed, or ``highest_score`` (then VP) must be taken.
    straights : str
        O3. ``any_whole_number`` can stand in a straight, or ``printed_numbers`` only.
    lowered_parts : str
        O4. Parts of a combined hand are judged ``apart``, or on the ``same_cards``.
    gap_in_lowered_run : bool
        O5. Whether a run of fewer cards may also have a gap.
    change_conditions : str
        O6. Conditions of Change cards look at the ``current`` cards, or at them ``as_revealed``.
    never_by_change : list of str
        O7. Suits that ``suits = "any"`` leaves out.
    numbers_by_change : str
        O7. ``numbers = "any"`` and ``add`` reach ``any_whole_number`` or ``printed_numbers`` only.
    """

    kinds: Literal["exact", "contained"]
    no_hand: Literal["only_when_nothing_forms", "always"]
    declared_hand: Literal["player_chooses", "highest_score"]
    straights: Literal["any_whole_number", "printed_numbers"]
    lowered_parts: Literal["apart", "same_cards"]
    gap_in_lowered_run: bool
    change_conditions: Literal["current", "as_revealed"]
    never_by_change: Annotated[list[Name], AfterValidator(distinct)]
    numbers_by_change: Literal["any_whole_number", "printed_numbers"]


class OtterRules(Rules):
    """A complete rule set of Sushi Otter."""

    game = "otter"

    deck: Deck
    card_scores: dict[Name, dict[Digits, Annotated[int, Field(ge=-20, le=20)]]]
    play: Play
    round_cards: dict[Digits, dict[Digits, Annotated[list[Points], Field(max_length=8)]]]
    hands: Annotated[dict[Name, Hand], Field(min_length=1, max_length=MAX_HANDS)]
    fibonacci: Annotated[list[CardNumber], Field(min_length=3, max_length=12)]
    key_clients: Annotated[dict[Name, KeyClient], Field(max_length=MAX_CLIENTS)]
    power_ups: Annotated[dict[PowerUpNumber, PowerUp], Field(max_length=MAX_POWER_UPS)]
    readings: Readings

    @property
    def new_hands(self) -> list[str]:
        """Hands that need a Key Client card."""
        cards = [client for client in self.key_clients.values() if client.type == "new_hand"]
        return [name for name in self.hands if any(name in card.hands for card in cards)]

    @property
    def passives(self) -> list[PassivePowerUp]:
        """The Passive power-ups."""
        return [card for card in self.power_ups.values() if isinstance(card, PassivePowerUp)]

    @property
    def most_hand_limit(self) -> int:
        """The highest hand limit that a player can reach."""
        return self.play.hand_limit + sum(max(card.hand_limit, 0) for card in self.passives)

    def impossible(self) -> Iterator[tuple[str, object, str]]:
        """Yield (key, found, allowed) for each rule that no table could play."""
        yield from faults(self)
