"""The model of a Nightmares of Sushi rule set, in the designer's words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import Field, PlainValidator

from sushibalance.rules import Part, Rules

MAX_GRADES = 8
MAX_CHEFS = 8
MAX_POINTS = 50
MAX_ROUNDS = 20
MAX_VICTORY = 1000
MAX_NAME = 12
ABILITIES = ("fortune_cat", "ninjutsu_chin", "swelling_tongue", "whats_up_wasabi", "wheres_the_sauce")

Points = Annotated[int, Field(ge=0, le=MAX_POINTS)]
SomePoints = Annotated[int, Field(ge=1, le=MAX_POINTS)]
Cards = Annotated[int, Field(ge=1, le=5, description="how many of it each player has")]
AbilityCards = Annotated[int, Field(ge=0, le=5, description="how many of it each player has; 0 takes it out")]
AtMost = Annotated[int, Field(ge=1, le=6, description="it works when at most so many players play it in a round")]


def _victory(value: object) -> int | Literal["none"]:
    if value == "none":
        return "none"
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MAX_VICTORY:
        return value
    raise ValueError(f'a whole number from 1 to {MAX_VICTORY}, or "none"')


_VICTORY_SCHEMA = Annotated[int, Field(ge=1, le=MAX_VICTORY)] | Literal["none"]
Victory = Annotated[int | Literal["none"], PlainValidator(_victory, json_schema_input_type=_VICTORY_SCHEMA)]


class Award(Part):
    """What eating a plate gives."""

    gold: Points
    penalty: Points


class Grade(Part):
    """One grade of sushi: its cards, what it gives to another who eats it, and to its owner."""

    cards: Cards
    eater: Award
    owner: Award


class Chefs(Part):
    """The special chef cards: above zero gold points, below zero penalty points."""

    points: Annotated[
        list[Annotated[int, Field(ge=-MAX_POINTS, le=MAX_POINTS)]], Field(min_length=0, max_length=MAX_CHEFS)
    ]
    on_table: Annotated[int, Field(ge=0, le=MAX_CHEFS, description="how many of them lie face down at the start")]


class FortuneCat(Part):
    """Turns standing penalty points into gold points."""

    cards: AbilityCards
    converts: SomePoints


class NinjutsuChin(Part):
    """Gives a chosen player penalty points."""

    cards: AbilityCards
    penalty: SomePoints
    at_most: AtMost


class SwellingTongue(Part):
    """Gold eaten counts as penalty, and penalty eaten as gold."""

    cards: AbilityCards


class Wasabi(Part):
    """Multiplies what is eaten."""

    cards: AbilityCards
    factor: Annotated[int, Field(ge=2, le=10)]


class Sauce(Part):
    """Gives its player gold points."""

    cards: AbilityCards
    gold: SomePoints
    at_most: AtMost


class Abilities(Part):
    """The ability cards."""

    fortune_cat: FortuneCat
    ninjutsu_chin: NinjutsuChin
    swelling_tongue: SwellingTongue
    whats_up_wasabi: Wasabi
    wheres_the_sauce: Sauce


class Readings(Part):
    """How doubtful sentences of the rulebook are read (N1 to N10); see the rule file."""

    set_aside: Literal["unseen", "shown", "none"]
    chosen_chef: Literal["leaves", "stays_open"]
    eating: Literal["in_turn", "at_once"]
    fortune_cat: Literal["per_cat_played", "one_each"]
    fortune_cat_order: Literal["first", "after_ninjutsu_chin"]
    ninjutsu_chin_point: Literal["penalty", "swapped"]
    swelling_tongue: Literal["every_plate", "not_own_plate"]
    whats_up_wasabi: Literal["not_own_plate", "every_plate"]
    penalty_victory: Literal["each_round", "game_end"]
    ties: Literal["starter_first", "starter_last"]
    two_players: Literal["third_seat", "no_third_seat"]
    memory: Literal["everything", "last_round"]


class NightmaresRules(Rules):
    """Nightmares of Sushi, 2 to 6 players."""

    game: ClassVar[str] = "nightmares"

    rounds: Annotated[int, Field(ge=1, le=MAX_ROUNDS)]
    penalty_victory: Victory
    grades: Annotated[dict[str, Grade], Field(min_length=2, max_length=MAX_GRADES)]
    chefs: Chefs
    abilities: Abilities
    readings: Readings

    def hand_size(self) -> int:
        """Return how many sushi cards a player has to serve after setting one aside."""
        return sum(grade.cards for grade in self.grades.values()) - (self.readings.set_aside != "none")

    def most_penalty(self) -> int:
        """Return a bound on the penalty points that one player can gain in a whole game.

        It adds, without asking whether all can come together: the worst plate in every round, what
        Wasabi and Swelling Tongue add to it, the worst own plates, and every Chin point.
        """
        grades, abilities = self.grades.values(), self.abilities
        wasabi = min(abilities.whats_up_wasabi.cards, self.rounds)
        tongue = min(abilities.swelling_tongue.cards, self.rounds)
        chefs = self.chefs.points if self.chefs.on_table else []
        worst = max([grade.eater.penalty for grade in grades] + [-points for points in chefs])
        sweetest = max([grade.eater.gold for grade in grades] + chefs)
        eaten = worst * self.rounds
        eaten += wasabi * worst * (abilities.whats_up_wasabi.factor - 1) + tongue * max(0, sweetest - worst)
        own = sorted((grade.owner.penalty for grade in grades for _ in range(grade.cards)), reverse=True)
        own_plates = sum(own[: self.rounds])
        if self.readings.swelling_tongue == "every_plate":
            own_plates += tongue * max(grade.owner.gold for grade in grades)
        if self.readings.whats_up_wasabi == "every_plate":
            own_plates += wasabi * max(own) * (abilities.whats_up_wasabi.factor - 1)
        chin = abilities.ninjutsu_chin
        return eaten + own_plates + min(6 * chin.cards, chin.at_most * self.rounds) * chin.penalty

    def impossible(self) -> Iterator[tuple[str, object, str]]:
        """Yield (key, found, allowed) for each rule that no table could play."""
        for name in self.grades:
            if len(name) > MAX_NAME:
                yield f"grades.{name}", name, f"a grade name of at most {MAX_NAME} characters"
        if self.rounds > self.hand_size():
            yield "rounds", self.rounds, f"at most {self.hand_size()}: a player has no more cards to serve"
        if self.chefs.on_table > len(self.chefs.points):
            yield "chefs.on_table", self.chefs.on_table, f"at most {len(self.chefs.points)}, the chefs in chefs.points"
        most = self.most_penalty()
        if self.penalty_victory != "none" and self.penalty_victory > most:
            allowed = f'at most {most}, or "none": with these cards nobody can have more penalty points'
            yield "penalty_victory", self.penalty_victory, allowed
        if self.abilities.fortune_cat.cards and not most:
            yield "abilities.fortune_cat.cards", self.abilities.fortune_cat.cards, "0: nothing gives penalty points"
