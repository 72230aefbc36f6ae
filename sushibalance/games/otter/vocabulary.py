"""The words in which rule files declare Otter's hands and power-ups.

They follow the rulebook's icons ("How to Interpret the Icons"): mark cards by suit and number, count
the marked ones, gain by the count; convert marked cards once, up to so many times, or any number of
times. ``docs/otter-vocabulary.md`` shows each word in use.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from sushibalance.rules import Part

T = TypeVar("T")

MAX_REVEAL = 5
MAX_ROUNDS = 12


def distinct(items: list[T]) -> list[T]:
    """Return a list unless it names something twice."""
    twice = [item for place, item in enumerate(items) if item in items[:place]]
    if twice:
        raise ValueError(f"each once ({twice[0]} stands there twice)")
    return items


Name = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$"),
    Field(description="a name of small letters, digits and _, at most 40, a letter first"),
]
Points = Annotated[int, Field(ge=-50, le=200)]
Round = Annotated[int, Field(ge=1, le=MAX_ROUNDS)]
CardNumber = Annotated[int, Field(ge=1, le=20)]
Count = Annotated[int, Field(ge=0, le=MAX_REVEAL)]
Category = Literal["flush", "straight", "fibonacci"]
Names = Annotated[list[Name], Field(min_length=1), AfterValidator(distinct)]
Text = Annotated[str, Field(max_length=300)]
NumberRange = Annotated[
    str,
    StringConstraints(pattern=r"^(odd|even|[1-9][0-9]?-[1-9][0-9]?)$"),
    Field(description='"odd", "even", a range like "2-4"'),
]
NumberList = Annotated[list[CardNumber], Field(min_length=1, max_length=20), AfterValidator(distinct)]
Numbers = NumberRange | NumberList
"""``"odd"``, ``"even"``, ``"2-4"``, or ``[3, 5]``; always printed numbers, 1 to the deck's highest."""


def resolve_numbers(numbers: Numbers, highest: int) -> list[int]:
    """Return the printed numbers that a ``numbers`` entry means, ascending."""
    if numbers == "odd":
        return list(range(1, highest + 1, 2))
    if numbers == "even":
        return list(range(2, highest + 1, 2))
    if isinstance(numbers, str):
        low, _, high = numbers.partition("-")
        return [number for number in range(int(low), int(high) + 1) if number <= highest]
    return sorted({number for number in numbers if number <= highest})


class Hand(Part):
    """What a set of revealed cards must show to be declared as this hand, and what it is worth.

    Every stated part must hold, each judged apart over all revealed cards (reading O4).

    Attributes
    ----------
    cards : int
        Minimum number of cards; also how many cards each of the parts below needs.
    groups : list of int
        Sizes of the groups of equal numbers, ``[3, 2]`` for a full house.
    run : str
        ``"straight"`` or ``"fibonacci"``.
    same_suit : bool
        ``cards`` cards of one suit.
    numbers : str or list of int
        ``cards`` cards with such numbers.
    different : str
        ``"numbers"`` or ``"suits"``: ``cards`` cards that all differ in it.
    otherwise : bool
        The hand of cards that form nothing else.
    score, vp : int
        Worth.
    upgraded_score, upgraded_vp : int
        Worth with the upgrade Key Client card.
    """

    cards: Annotated[int, Field(ge=1, le=MAX_REVEAL)]
    groups: Annotated[list[Annotated[int, Field(ge=2, le=MAX_REVEAL)]], Field(max_length=2)] = Field(default=[])
    run: Literal["straight", "fibonacci"] | None = None
    same_suit: bool = False
    numbers: Numbers | None = None
    different: Literal["numbers", "suits"] | None = None
    otherwise: bool = False
    score: Points
    vp: Points
    upgraded_score: Points | None = None
    upgraded_vp: Points | None = None

    @property
    def categories(self) -> list[str]:
        """The categories printed on the hand: flush, straight, fibonacci."""
        return ([self.run] if self.run else []) + (["flush"] if self.same_suit else [])

    @model_validator(mode="after")
    def _complete(self) -> Hand:
        parts = bool(self.groups or self.run or self.same_suit or self.numbers or self.different)
        if self.otherwise == parts:
            raise ValueError("either otherwise = true, or at least one of groups, run, same_suit, numbers, different")
        if (self.upgraded_score is None) != (self.upgraded_vp is None):
            raise ValueError("upgraded_score and upgraded_vp together, or neither")
        return self


class Marks(Part):
    """Which cards count: those of one of the suits and with one of the numbers (left out: all)."""

    suits: Names | None = None
    numbers: Numbers | None = None


class Condition(Part):
    """A condition on the revealed cards: count the marked ones, compare.

    Attributes
    ----------
    marks : Marks
        The cards that are marked; all when left out.
    count : str
        ``cards`` (how many are marked), ``different_numbers`` or ``different_suits`` among them, or
        ``same_number`` (size of the largest group of one number; X is a number of such a group).
    exactly, at_least, at_most : int
        What the count must be.
    revealed : int
        How many cards must be revealed.
    rounds : list of int
        The rounds in which it can hold.
    """

    marks: Marks = Marks()
    count: Literal["cards", "different_numbers", "different_suits", "same_number"] = "cards"
    exactly: Count | None = None
    at_least: Count | None = None
    at_most: Count | None = None
    revealed: Annotated[int, Field(ge=1, le=MAX_REVEAL)] | None = None
    rounds: Annotated[list[Round], Field(min_length=1), AfterValidator(distinct)] | None = None

    @property
    def bounds(self) -> tuple[int, int]:
        """Lowest and highest count that meets the condition."""
        if self.exactly is not None:
            return self.exactly, self.exactly
        low = 0 if self.at_least is None else self.at_least
        return low, MAX_REVEAL if self.at_most is None else self.at_most

    @model_validator(mode="after")
    def _consistent(self) -> Condition:
        if self.exactly is not None and (self.at_least is not None or self.at_most is not None):
            raise ValueError(
                f"exactly alone, or at_least and/or at_most (exactly = {self.exactly} is there as well; a variant "
                "takes it out with remove)"
            )
        if self.bounds[0] > self.bounds[1]:
            raise ValueError("at_least not above at_most")
        return self


class ScorePowerUp(Condition):
    """A Score power-up: a gain, once or for each counted card, whenever its condition holds.

    Attributes
    ----------
    hands, categories : list of str
        The declared hand must be one of these, have one of these categories.
    score, vp : int
        Gained once.
    score_each, vp_each : int
        Gained for each counted card.
    score_by_count : list of int
        Score for 1, 2, 3, ... counted cards; the last one also for more.
    """

    type: Literal["score"]
    text: Text = ""
    hands: Names | None = None
    categories: Annotated[list[Category], Field(min_length=1), AfterValidator(distinct)] | None = None
    score: Points = 0
    vp: Points = 0
    score_each: Points = 0
    vp_each: Points = 0
    score_by_count: Annotated[list[Points], Field(max_length=MAX_REVEAL)] = Field(default=[])

    def gain(self, count: int) -> tuple[int, int]:
        """Return (score, vp) for a count, by the condition on the count alone."""
        low, high = self.bounds
        if not low <= count <= high:
            return 0, 0
        table = [0, *self.score_by_count]
        by_count = table[min(count, len(table) - 1)]
        return self.score + self.score_each * count + by_count, self.vp + self.vp_each * count

    @model_validator(mode="after")
    def _gains(self) -> ScorePowerUp:
        if not any(any(self.gain(count)) for count in range(MAX_REVEAL + 1)):
            raise ValueError("a gain: score, vp, score_each, vp_each or score_by_count")
        return self


class Result(Part):
    """What a converted card becomes: one of ``numbers``, a number further by ``add``, one of ``suits``.

    ``numbers = "any"`` is any whole number, also below 1 or above the deck (readings O7), ``suits =
    "any"`` any suit but those of ``readings.never_by_change``; ``other_than_x`` leaves out the X of the
    condition's ``same_number``.
    """

    numbers: Literal["any"] | Numbers | None = None
    add: Annotated[int, Field(ge=-5, le=5)] | None = None
    suits: Literal["any"] | Names | None = None
    other_than_x: bool = False

    @model_validator(mode="after")
    def _something(self) -> Result:
        if self.numbers is not None and self.add is not None:
            raise ValueError("numbers or add, not both")
        if self.numbers is None and not self.add and self.suits is None:
            raise ValueError("numbers, add (not 0) or suits")
        if self.other_than_x and self.numbers is None:
            raise ValueError("numbers beside other_than_x")
        return self


class Conversion(Part):
    """One arrow of a Change card: the marked ``cards`` become ``to``."""

    cards: Marks = Marks()
    to: Result


class ChangePowerUp(Part):
    """A Change power-up: when its condition holds, converts up to ``times`` cards, each once."""

    type: Literal["change"]
    text: Text = ""
    when: Condition = Condition()
    times: Annotated[int, Field(ge=1, le=MAX_REVEAL)] | Literal["any"]
    conversions: Annotated[list[Conversion], Field(min_length=1, max_length=4)]

    @property
    def most(self) -> int:
        """How many cards one use converts at most."""
        return MAX_REVEAL if self.times == "any" else self.times


class PassivePowerUp(Part):
    """A Passive power-up.

    Attributes
    ----------
    hand_limit : int
        Added to the hand limit from the next round on.
    flush_cards, run_cards : int
        A flush part (a straight or Fibonacci part) needs so many cards only.
    run_gaps : int
        So many values may be missing inside a straight or Fibonacci run.
    """

    type: Literal["passive"]
    text: Text = ""
    hand_limit: Annotated[int, Field(ge=-4, le=4)] = 0
    flush_cards: Annotated[int, Field(ge=2, le=MAX_REVEAL)] | None = None
    run_cards: Annotated[int, Field(ge=3, le=MAX_REVEAL)] | None = None
    run_gaps: Annotated[int, Field(ge=0, le=2)] = 0

    @model_validator(mode="after")
    def _something(self) -> PassivePowerUp:
        if not (self.hand_limit or self.flush_cards or self.run_cards or self.run_gaps):
            raise ValueError("an effect: hand_limit, flush_cards, run_cards or run_gaps")
        return self


class KeyClientPowerUp(Part):
    """A Key Client power-up: take a Key Client card at once, if one is left."""

    type: Literal["key_client"]
    text: Text = ""


PowerUp = Annotated[ScorePowerUp | ChangePowerUp | PassivePowerUp | KeyClientPowerUp, Field(discriminator="type")]
