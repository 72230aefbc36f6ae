"""The rules of Sushi Go! as a designer writes them: the model of ``data/sushi_go.toml``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from sushibalance.games.sushi_go.kernel.state import CARDS, MAX_COUNT, MAX_DECK, MAX_HAND, MAX_ROUNDS
from sushibalance.rules import Part, Problem, Rules, RulesError
from sushibalance.rules.problems import Words

Count = Annotated[int, Field(ge=0, le=MAX_COUNT)]
Points = Annotated[int, Field(ge=-100, le=100)]
SetSize = Annotated[int, Field(ge=1, le=MAX_HAND)]
Icons = Annotated[int, Field(ge=0, le=20)]
HandSize = Annotated[int | None, Field(default=None, ge=1, le=MAX_HAND)]
Ties = Literal["split", "full"]


class Deck(Part):
    """How many cards of each kind there are; 0 takes a kind out of the game."""

    tempura: Count
    sashimi: Count
    dumpling: Count
    maki_1: Count
    maki_2: Count
    maki_3: Count
    salmon_nigiri: Count
    squid_nigiri: Count
    egg_nigiri: Count
    pudding: Count
    wasabi: Count
    chopsticks: Count

    @property
    def counts(self) -> tuple[int, ...]:
        """The counts in the order of `CARDS`."""
        return tuple(getattr(self, name) for name in CARDS)


class Deal(Part):
    """Cards dealt to each player, by number of players; leave a number out and it cannot be played."""

    two: HandSize = Field(alias="2")
    three: HandSize = Field(alias="3")
    four: HandSize = Field(alias="4")
    five: HandSize = Field(alias="5")

    @property
    def sizes(self) -> dict[int, int]:
        """Hand size by number of players, for those that can be played."""
        sizes = {2: self.two, 3: self.three, 4: self.four, 5: self.five}
        return {players: size for players, size in sizes.items() if size is not None}


class CardSet(Part):
    """A kind that scores by complete sets: so many cards, so many points a set."""

    cards: SetSize
    points: Points


class Dumpling(Part):
    """Points of 1, 2, 3, ... dumplings in all; more than the list is long score like its last entry."""

    points: list[Points] = Field(min_length=1, max_length=MAX_HAND)


class MakiIcons(Part):
    """Icons on each kind of maki card."""

    maki_1: Icons
    maki_2: Icons
    maki_3: Icons


class Maki(Part):
    """The award for most icons at the end of each round, and the one for second most."""

    most: Points
    second: Points
    ties: Ties
    second_after_tie: bool
    icons: MakiIcons


class Nigiri(Part):
    """Points of each kind of nigiri."""

    salmon_nigiri: Points
    squid_nigiri: Points
    egg_nigiri: Points


class Wasabi(Part):
    """What a wasabi does to the nigiri put on it: times ``factor``."""

    factor: int = Field(ge=0, le=10)


class Pudding(Part):
    """The awards for most and for fewest puddings; ``fewest`` is negative when it is a loss."""

    most: Points
    fewest: Points
    ties_most: Ties
    ties_fewest: Ties
    scored: Literal["end_of_game", "every_round"]
    penalty_with_two_players: bool


class Readings(Part):
    """How doubtful sentences are read."""

    all_tied_on_puddings: Literal["nobody_scores", "both_rules"]
    wasabi_serves: Literal["at_once", "next_turn"]
    passing: Literal["left", "right", "alternating"]


class SushiGoRules(Rules):
    """A rule set of Sushi Go!, complete and playable."""

    game: ClassVar[str] = "sushi_go"

    rounds: int = Field(ge=1, le=MAX_ROUNDS)
    deck: Deck
    deal: Deal
    tempura: CardSet
    sashimi: CardSet
    dumpling: Dumpling
    maki: Maki
    nigiri: Nigiri
    wasabi: Wasabi
    pudding: Pudding
    readings: Readings

    def impossible(self) -> Iterable[tuple[str, object, str]]:
        """Yield (key, found, allowed) for each rule that no table could play."""
        total = sum(self.deck.counts)
        if total > MAX_DECK:
            yield "deck", Words(f"{total} cards"), f"at most {MAX_DECK} cards in all"
        sizes = self.deal.sizes
        if not sizes:
            yield "deal", Words("no number of players"), "a hand size for at least one of 2, 3, 4, 5"
            return
        for players, size in sizes.items():
            most = total // (players * self.rounds)
            if size > most:
                allowed = f"at most {most}" if most else "no cards"
                yield (
                    f"deal.{players}",
                    size,
                    f"{allowed}: the deck has {total} cards for {players} players in {self.rounds} rounds "
                    f"(or remove deal.{players}: then {players} players cannot play)",
                )
        largest = max(sizes.values())
        for name in ("tempura", "sashimi"):
            wanted, there = getattr(self, name).cards, getattr(self.deck, name)
            if there and wanted > min(there, largest):
                yield (
                    f"{name}.cards",
                    wanted,
                    f"at most {min(there, largest)}: no player could complete a set of {wanted} "
                    f"({there} {name} in the deck, at most {largest} cards in front of a player)",
                )
        if self.deck.wasabi and not any(getattr(self.deck, name) for name in Nigiri.model_fields):
            yield "deck.wasabi", self.deck.wasabi, "0, as there is no nigiri in the deck to put on a wasabi"

    def hand_size(self, players: int) -> int:
        """Return the cards dealt to each of ``players`` players.

        Raises
        ------
        RulesError
            When these rules have no deal for that many.
        """
        sizes = self.deal.sizes
        if players not in sizes:
            file = self.document.file_of(f"deal.{players}")
            allowed = f"a number of players with a deal: {', '.join(map(str, sizes))}"
            raise RulesError([Problem(file, f"deal.{players}", f"no deal for {players} players", allowed)])
        return sizes[players]
