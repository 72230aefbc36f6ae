"""Sushi Otter's rules in the designer's words: the model of ``data/otter.toml``.

Hands and power-ups are declared in a small vocabulary that follows the rulebook's icons ("How to
Interpret the Icons"): mark cards by suit and number, count the marked ones, gain by the count;
convert marked cards once, up to so many times, or any number of times.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, field_validator, model_validator

from sushibalance.rules import Part, Rules
from sushibalance.rules.problems import one_of

MAX_HANDS = 40
MAX_CLIENTS = 32
MAX_POWER_UPS = 96
MAX_REVEAL = 5
MAX_HAND_LIMIT = 12
PLAYERS = range(2, 6)

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
PowerUpNumber = Annotated[str, StringConstraints(pattern=r"^[1-9][0-9]{0,2}$")]
Digits = Annotated[str, StringConstraints(pattern=r"^[1-9][0-9]?$")]
Points = Annotated[int, Field(ge=-50, le=200)]
NumberList = Annotated[list[Annotated[int, Field(ge=1, le=20)]], Field(min_length=1, max_length=20)]
NumberRange = Annotated[str, StringConstraints(pattern=r"^(odd|even|[0-9]{1,2}-[0-9]{1,2})$")]
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
        return [number for number in range(int(low), int(high) + 1) if 1 <= number <= highest]
    return sorted({number for number in numbers if number <= highest})


class Deck(Part):
    """The sushi cards: every suit with every number from 1 up, one card each."""

    suits: Annotated[list[Name], Field(min_length=2, max_length=6)]
    numbers: Annotated[int, Field(ge=5, le=16)]

    @field_validator("suits")
    @classmethod
    def _distinct(cls, suits: list[str]) -> list[str]:
        if len(set(suits)) < len(suits):
            raise ValueError("each suit once")
        return suits


class Play(Part):
    """Counts and orders of the game flow (Setup; Game Flow; Optional Rules)."""

    rounds: Annotated[int, Field(ge=1, le=12)]
    hand_limit: Annotated[int, Field(ge=1, le=MAX_HAND_LIMIT)]
    reveal_at_least: Annotated[int, Field(ge=1, le=MAX_REVEAL)]
    reveal_at_most: Annotated[int, Field(ge=1, le=MAX_REVEAL)]
    offers_beyond_players: Annotated[int, Field(ge=0, le=10)]
    pick_order: Literal["worst_rank_first", "best_rank_first", "random"]
    two_player_percent: Annotated[int, Field(ge=0, le=100)]
    starting_power_ups: Annotated[int, Field(ge=0, le=10)]


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
    groups: Annotated[list[Annotated[int, Field(ge=2, le=MAX_REVEAL)]], Field(max_length=2)] = []
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
            raise ValueError("upgraded_score and upgraded_vp come together")
        return self


class KeyClient(Part):
    """One Key Client card: upgrades the hands it names, or teaches them (New Hands)."""

    type: Literal["upgrade", "new_hand"]
    hands: Annotated[list[Name], Field(min_length=1, max_length=4)]


class Marks(Part):
    """Which cards count: those of one of the suits and with one of the numbers (left out: all)."""

    suits: Annotated[list[Name], Field(min_length=1)] | None = None
    numbers: Numbers | None = None


class Condition(Part):
    """A condition on the revealed cards: count the marked ones, compare.

    Attributes
    ----------
    marks : Marks
        The cards that are marked; all when left out.
    count : str
        ``cards`` (how many are marked), ``different_numbers`` or ``different_suits`` among them, or
        ``same_number`` (size of the largest group of one number; that number is X).
    exactly, at_least, at_most : int
        What the count must be.
    revealed : int
        How many cards must be revealed.
    rounds : list of int
        The rounds in which it can hold.
    """

    marks: Marks = Marks()
    count: Literal["cards", "different_numbers", "different_suits", "same_number"] = "cards"
    exactly: Annotated[int, Field(ge=0, le=MAX_REVEAL)] | None = None
    at_least: Annotated[int, Field(ge=0, le=MAX_REVEAL)] | None = None
    at_most: Annotated[int, Field(ge=0, le=MAX_REVEAL)] | None = None
    revealed: Annotated[int, Field(ge=1, le=MAX_REVEAL)] | None = None
    rounds: Annotated[list[Annotated[int, Field(ge=1, le=12)]], Field(min_length=1)] | None = None

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
            raise ValueError("exactly alone, or at_least and/or at_most")
        if self.bounds[0] > self.bounds[1]:
            raise ValueError("at_least not above at_most")
        return self


class ScorePowerUp(Condition):
    """A Score power-up: a gain, once or for each counted card, whenever its condition holds.

    Attributes
    ----------
    hands, categories : list of str
        The declared hand must be one of these, or of one of these categories.
    score, vp : int
        Gained once.
    score_each, vp_each : int
        Gained for each counted card.
    score_by_count : list of int
        Score for 1, 2, 3, ... counted cards.
    """

    type: Literal["score"]
    text: Annotated[str, Field(max_length=300)] = ""
    hands: Annotated[list[Name], Field(min_length=1)] | None = None
    categories: Annotated[list[Literal["flush", "straight", "fibonacci"]], Field(min_length=1)] | None = None
    score: Points = 0
    vp: Points = 0
    score_each: Points = 0
    vp_each: Points = 0
    score_by_count: Annotated[list[Points], Field(max_length=MAX_REVEAL)] = []

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
    suits: Literal["any"] | Annotated[list[Name], Field(min_length=1)] | None = None
    other_than_x: bool = False

    @model_validator(mode="after")
    def _something(self) -> Result:
        if self.numbers is not None and self.add is not None:
            raise ValueError("numbers or add, not both")
        if self.numbers is None and not self.add and self.suits is None:
            raise ValueError("numbers, add (not 0) or suits")
        if self.other_than_x and self.numbers is None:
            raise ValueError("other_than_x needs numbers")
        return self


class Conversion(Part):
    """One arrow of a Change card: the marked ``cards`` become ``to``."""

    cards: Marks = Marks()
    to: Result


class ChangePowerUp(Part):
    """A Change power-up: when its condition holds, converts up to ``times`` cards, each once."""

    type: Literal["change"]
    text: Annotated[str, Field(max_length=300)] = ""
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
    text: Annotated[str, Field(max_length=300)] = ""
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
    text: Annotated[str, Field(max_length=300)] = ""


PowerUp = Annotated[ScorePowerUp | ChangePowerUp | PassivePowerUp | KeyClientPowerUp, Field(discriminator="type")]


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
    never_by_change: list[Name]
    numbers_by_change: Literal["any_whole_number", "printed_numbers"]


class OtterRules(Rules):
    """A complete rule set of Sushi Otter."""

    game = "otter"

    deck: Deck
    card_scores: dict[Name, dict[Digits, Annotated[int, Field(ge=-20, le=20)]]]
    play: Play
    round_cards: dict[Digits, dict[Digits, Annotated[list[Points], Field(max_length=5)]]]
    hands: Annotated[dict[Name, Hand], Field(min_length=1, max_length=MAX_HANDS)]
    fibonacci: Annotated[list[Annotated[int, Field(ge=1, le=20)]], Field(min_length=3, max_length=12)]
    key_clients: Annotated[dict[Name, KeyClient], Field(max_length=MAX_CLIENTS)]
    power_ups: Annotated[dict[PowerUpNumber, PowerUp], Field(max_length=MAX_POWER_UPS)]
    readings: Readings

    @property
    def new_hands(self) -> list[str]:
        """Hands that need a Key Client card."""
        cards = [client for client in self.key_clients.values() if client.type == "new_hand"]
        return [name for name in self.hands if any(name in card.hands for card in cards)]

    @property
    def most_hand_limit(self) -> int:
        """The highest hand limit that a player can reach."""
        extra = sum(max(card.hand_limit, 0) for card in self.power_ups.values() if isinstance(card, PassivePowerUp))
        return self.play.hand_limit + extra

    def impossible(self) -> Iterator[tuple[str, object, str]]:
        """Yield (key, found, allowed) for each rule that no table could play."""
        yield from self._impossible_tables()
        yield from self._impossible_hands()
        yield from self._impossible_clients()
        for number, card in self.power_ups.items():
            for key, found, allowed in self._impossible_power_up(card):
                yield f"power_ups.{number}{key}", found, allowed

    def _impossible_tables(self) -> Iterator[tuple[str, object, str]]:
        suits, highest, play = self.deck.suits, self.deck.numbers, self.play
        yield from _exact_keys("card_scores", self.card_scores, suits)
        for suit, scores in self.card_scores.items():
            yield from _exact_keys(f"card_scores.{suit}", scores, [str(n) for n in range(1, highest + 1)])
        if play.reveal_at_least > play.reveal_at_most:
            yield "play.reveal_at_least", play.reveal_at_least, f"at most reveal_at_most ({play.reveal_at_most})"
        if play.reveal_at_most > play.hand_limit:
            yield "play.reveal_at_most", play.reveal_at_most, f"at most hand_limit ({play.hand_limit})"
        if self.most_hand_limit > MAX_HAND_LIMIT:
            allowed = f"at most {MAX_HAND_LIMIT} with every passive power-up that raises it"
            yield "play.hand_limit", self.most_hand_limit, allowed
        if not self.round_cards:
            yield "round_cards", {}, "a table for at least one number of players, 2 to 5"
        for players, rows in self.round_cards.items():
            if int(players) not in PLAYERS:
                yield f"round_cards.{players}", players, "2 to 5 players"
                continue
            yield from _exact_keys(f"round_cards.{players}", rows, [str(r) for r in range(1, play.rounds + 1)])
            places = max(int(players), 3)
            for number, row in rows.items():
                if len(row) != places:
                    allowed = f"{places} values: one a place" + (", the third for less than half" * (players == "2"))
                    yield f"round_cards.{players}.{number}", row, allowed
        most = max((int(players) for players in self.round_cards if int(players) in PLAYERS), default=0)
        cards = len(suits) * highest
        needed = most * play.hand_limit + self.most_hand_limit - play.hand_limit
        if needed > cards:
            yield "deck.numbers", f"{cards} cards", f"at least {needed} cards, the hands of {most} players"
        offers = most + play.offers_beyond_players
        needed = max(most * play.starting_power_ups, most * (play.starting_power_ups > 0) + offers)
        needed = max(needed, most * (max(play.rounds - 2, 0) + (play.starting_power_ups > 0)) + offers)
        if play.rounds > 1 and needed > len(self.power_ups):
            allowed = f"at least {needed}: {play.rounds - 1} drafts of {offers} with {most} players"
            yield "power_ups", f"{len(self.power_ups)} power-ups", allowed

    def _impossible_hands(self) -> Iterator[tuple[str, object, str]]:
        most, highest = self.play.reveal_at_most, self.deck.numbers
        if sum(hand.otherwise for hand in self.hands.values()) != 1:
            yield "hands", "hands with otherwise = true", "exactly one, for cards that form no hand"
        for name, hand in self.hands.items():
            key = f"hands.{name}"
            if hand.cards > most:
                yield f"{key}.cards", hand.cards, f"at most {most}, as many as may be revealed"
            if sum(hand.groups) > hand.cards or (hand.groups and sum(hand.groups) < hand.cards):
                yield f"{key}.groups", hand.groups, f"groups that make up its {hand.cards} cards"
            if any(size > len(self.deck.suits) for size in hand.groups):
                allowed = f"groups of at most {len(self.deck.suits)}, the number of suits"
                if not any(isinstance(card, ChangePowerUp) for card in self.power_ups.values()):
                    yield f"{key}.groups", hand.groups, allowed
            if hand.numbers is not None and not resolve_numbers(hand.numbers, highest):
                yield f"{key}.numbers", hand.numbers, f"numbers from 1 to {highest}"
            if hand.different == "suits" and hand.cards > len(self.deck.suits):
                yield f"{key}.cards", hand.cards, f"at most {len(self.deck.suits)}, the number of suits"
            if hand.groups and (hand.run or hand.different == "numbers"):
                yield f"{key}.groups", hand.groups, "no groups in a hand whose numbers all differ"
            if hand.run == "straight" and hand.cards < 3:
                yield f"{key}.cards", hand.cards, "at least 3 in a run"
            if hand.run == "fibonacci" and hand.cards > len(self.fibonacci):
                yield f"{key}.cards", hand.cards, f"at most the {len(self.fibonacci)} values of fibonacci"
            if hand.otherwise and name in self.new_hands:
                yield key, name, "a basic hand: it must need no Key Client card"

    def _impossible_clients(self) -> Iterator[tuple[str, object, str]]:
        for name, client in self.key_clients.items():
            for hand in client.hands:
                key = f"key_clients.{name}.hands"
                if hand not in self.hands:
                    yield key, hand, one_of(hand, self.hands)
                elif client.type == "upgrade" and self.hands[hand].upgraded_score is None:
                    yield key, hand, f"a hand with upgraded_score and upgraded_vp (hands.{hand} has none)"
                elif client.type == "upgrade" and hand in self.new_hands:
                    yield key, hand, "a basic hand: new hands are never upgraded"

    def _impossible_power_up(self, card: object) -> Iterator[tuple[str, object, str]]:
        if isinstance(card, ScorePowerUp):
            yield from self._impossible_condition("", card)
            for hand in card.hands or ():
                if hand not in self.hands:
                    yield ".hands", hand, one_of(hand, self.hands)
            for category in card.categories or ():
                if not any(category in hand.categories for hand in self.hands.values()):
                    yield ".categories", category, "a category that a hand of these rules has"
            reached = range(self.play.reveal_at_most + 1)
            if not any(any(card.gain(count)) for count in reached):
                yield "", card.type, f"a gain with at most {self.play.reveal_at_most} cards revealed"
        elif isinstance(card, ChangePowerUp):
            yield from self._impossible_condition(".when", card.when)
            for index, conversion in enumerate(card.conversions):
                key = f".conversions.{index}"
                yield from self._impossible_marks(f"{key}.cards", conversion.cards)
                yield from self._impossible_result(f"{key}.to", conversion, card)

    def _impossible_condition(self, key: str, condition: Condition) -> Iterator[tuple[str, object, str]]:
        most, rounds = self.play.reveal_at_most, self.play.rounds
        yield from self._impossible_marks(f"{key}.marks", condition.marks)
        reach = most if condition.revealed is None else condition.revealed
        if condition.revealed is not None and not self.play.reveal_at_least <= condition.revealed <= most:
            yield f"{key}.revealed", condition.revealed, f"{self.play.reveal_at_least} to {most} cards"
        marked = condition.marks.suits or self.deck.suits
        if condition.count == "different_suits":
            reach = min(reach, len(set(marked)))
        if condition.bounds[0] > reach:
            name = "exactly" if condition.exactly is not None else "at_least"
            yield f"{key}.{name}", condition.bounds[0], f"at most {reach}, or it can never apply"
        if condition.rounds is not None and not any(number <= rounds for number in condition.rounds):
            yield f"{key}.rounds", condition.rounds, f"a round from 1 to {rounds}"

    def _impossible_marks(self, key: str, marks: Marks) -> Iterator[tuple[str, object, str]]:
        for suit in marks.suits or ():
            if suit not in self.deck.suits:
                yield f"{key}.suits", suit, one_of(suit, self.deck.suits)
        if marks.numbers is not None and not resolve_numbers(marks.numbers, self.deck.numbers):
            yield f"{key}.numbers", marks.numbers, f"numbers from 1 to {self.deck.numbers}"

    def _impossible_result(
        self, key: str, conversion: Conversion, card: ChangePowerUp
    ) -> Iterator[tuple[str, object, str]]:
        result, highest = conversion.to, self.deck.numbers
        suits = result.suits if isinstance(result.suits, list) else []
        for suit in suits:
            if suit not in self.deck.suits:
                yield f"{key}.suits", suit, one_of(suit, self.deck.suits)
        if isinstance(result.numbers, list) or (result.numbers and result.numbers != "any"):
            numbers = resolve_numbers(result.numbers, highest)
            before = conversion.cards.numbers
            if not numbers:
                yield f"{key}.numbers", result.numbers, f"numbers from 1 to {highest}"
            elif before is not None and not suits and result.suits is None and len(numbers) == 1:
                if resolve_numbers(before, highest) == numbers:
                    yield f"{key}.numbers", result.numbers, "another number than before, or it can never apply"
        before_suits = conversion.cards.suits
        if suits and before_suits and result.numbers is None and not result.add and set(suits) == set(before_suits):
            if len(set(suits)) == 1:
                yield f"{key}.suits", suits, "another suit than before, or it can never apply"
        if result.other_than_x and card.when.count != "same_number":
            yield f"{key}.other_than_x", True, 'only with when = { count = "same_number", ... }, which names X'
        if result.suits == "any" and not set(self.deck.suits) - set(self.readings.never_by_change):
            yield f"{key}.suits", "any", "a suit that readings.never_by_change does not leave out"


def _exact_keys(key: str, table: Iterable[str], wanted: list[str]) -> Iterator[tuple[str, object, str]]:
    """Yield a fault for each missing and each superfluous key of a table."""
    present = list(table)
    for name in wanted:
        if name not in present:
            yield key, f"no value for {name}", f"a value for each of {', '.join(wanted)}"
    for name in present:
        if name not in wanted:
            yield f"{key}.{name}", name, one_of(name, wanted)
