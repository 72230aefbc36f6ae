"""One game of Otter as readable lines, from the engine's log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from sushibalance.games.game import Policy
from sushibalance.games.otter.arithmetic import Card, Part, named_power_up, parts
from sushibalance.games.otter.kernel import state as s
from sushibalance.games.otter.kernel.worth import CODE_BITS, CODE_MASK
from sushibalance.games.otter.rules import OtterRules
from sushibalance.games.otter.tables import card_of

PICK_ORDERS = {
    "worst_rank_first": "worst rank first",
    "best_rank_first": "best rank first",
    "random": "in random order",
}

Event = tuple[int, int, list[int]]


def narrate(log: np.ndarray, rules: OtterRules, policies: Sequence[Policy]) -> list[str]:
    """Return the lines of one game's events; seats count from 0, rounds from 1.

    Each reveal is followed by the parts that its score and VP are made of.
    """
    events = [(int(event["kind"]), int(event["seat"]), [int(arg) for arg in event["args"]]) for event in log]
    return list(_Story(rules, policies).told(events))


@dataclass
class _Reveal:
    """What a seat revealed: cards as printed, then after each use of a Change card."""

    seat: int
    cards: list[Card]
    hand: str
    score: int
    vp: int
    uses: list[tuple[str, list[Card]]] = field(default_factory=list)


class _Story:
    """Turns events into lines, keeping what a reader would see on the table: hands, power-ups, the Button."""

    def __init__(self, rules: OtterRules, policies: Sequence[Policy]):
        self.rules = rules
        self.policies = policies
        self.numbers = list(rules.power_ups)
        self.cards_held: list[list[int]] = [[] for _ in policies]
        self.power_ups: list[list[str]] = [[] for _ in policies]
        self.clients: list[list[str]] = [[] for _ in policies]
        self.round = 0
        self.button = 0

    def told(self, events: Sequence[Event]) -> Iterator[str]:
        """Yield the lines: neighbouring events of a kind make a paragraph."""
        tell = {
            s.E_BUTTON: self._seats, s.E_DEALT: self._dealt, s.E_KEPT: self._kept, s.E_ROUND: self._round,
            s.E_REVEAL: self._reveals, s.E_PLACE: self._ranking, s.E_PICK: self._picks, s.E_END: self._end,
        }  # fmt: skip
        goes_with = {
            s.E_DRAW: s.E_ROUND, s.E_OFFER: s.E_ROUND, s.E_USE: s.E_REVEAL, s.E_CLIENT: s.E_PICK, s.E_FORCED: s.E_PICK
        }  # fmt: skip
        first = next((at for at, (kind, *_) in enumerate(events) if kind == s.E_ROUND), len(events))
        start = [event for event in events[:first] if event[0] != s.E_CLIENT]  # E_KEPT tells it too
        for kind, group in groupby([*start, *events[first:]], key=lambda event: goes_with.get(event[0], event[0])):
            if kind in tell:
                yield from tell[kind](list(group))

    def _seats(self, _: list[Event]) -> Iterator[str]:
        yield ", ".join(f"seat {seat}: {policy.name}" for seat, policy in enumerate(self.policies))

    def _dealt(self, events: list[Event]) -> Iterator[str]:
        yield ""
        yield "Starting power-ups"
        for seat, dealt in groupby(events, key=lambda event: event[1]):
            yield f"  seat {seat} is dealt " + "; ".join(self._power_up(args[0]) for *_, args in dealt)

    def _kept(self, events: list[Event]) -> Iterator[str]:
        for _, seat, (power_up, client, *_) in events:
            yield f"  seat {seat} keeps {self._taken(seat, power_up, client)}"

    def _round(self, events: list[Event]) -> Iterator[str]:
        _, self.button, (self.round, *_) = events[0]
        row = self.rules.round_cards[str(len(self.policies))][str(self.round)]
        yield ""
        yield f"Round {self.round}. Button: seat {self.button}. Round card: {', '.join(map(str, row))} VP"
        for kind, seat, (card, *_) in events[1:]:
            if kind == s.E_DRAW:
                self.cards_held[seat].append(card)
        for seat, hand in enumerate(self.cards_held):
            names = [*(f"No. {number}" for number in self.power_ups[seat]), *self.clients[seat]]
            has = f", and has {', '.join(names)}" if names else ""
            yield f"  seat {seat} holds {_cards(self._named(sorted(hand)))}{has}"
        offers = [self._power_up(args[0]) for kind, _, args in events if kind == s.E_OFFER]
        if offers:
            yield f"  On offer: {'; '.join(offers)}"

    def _reveals(self, events: list[Event]) -> Iterator[str]:
        for reveal in self._revealed(events):
            yield f"  seat {reveal.seat} reveals {_cards(reveal.cards)}"
            for power_up, cards in reveal.uses:
                yield f"    {power_up} makes them {_cards(cards)}"
            changed = reveal.uses[-1][1] if reveal.uses else reveal.cards
            held, clients = self.power_ups[reveal.seat], self.clients[reveal.seat]
            found = parts(self.rules, reveal.cards, changed, reveal.hand, held, clients, self.round)
            yield from _sum([*found, Part("in all", reveal.score, reveal.vp)])

    def _revealed(self, events: list[Event]) -> list[_Reveal]:
        reveals: list[_Reveal] = []
        for kind, seat, args in events:
            if kind == s.E_REVEAL:
                n_cards, printed, _, hand, score, vp, *_ = args
                codes = _unpacked(printed, n_cards)
                for code in codes:
                    self.cards_held[seat].remove(code)
                reveals.append(_Reveal(seat, self._named(codes), list(self.rules.hands)[hand], score, vp))
            else:
                power_up, cards, n_cards, *_ = args
                reveals[-1].uses.append((self._power_up(power_up), self._named(_unpacked(cards, n_cards))))
        return reveals

    def _ranking(self, events: list[Event]) -> Iterator[str]:
        yield "  Ranking"
        places = sorted((args[0], seat, args[1:]) for _, seat, args in events)
        for rank, seat, (score, gained, revealed, total, *_) in places:
            yield (
                f"    {rank}. seat {seat}, {score} score: {gained} VP from the Round card, "
                f"{revealed} VP from its reveal, {total} VP so far"
            )
        for score, group in groupby(places, key=lambda place: place[2][0]):
            tied = [seat for _, seat, _ in group]
            if len(tied) > 1:
                order = ", then ".join(f"seat {seat}" for seat in tied)
                yield f"    Equal at {score}: {order}, as they come clockwise from the Button (seat {self.button})."
        scores = [args[0] for *_, args in places]
        share = self.rules.play.two_player_percent
        if len(places) == 2 and 100 * scores[1] < share * scores[0]:
            second = f"seat {places[1][1]}"
            yield f"    {scores[1]} is less than {share}% of {scores[0]}: {second} gets the VP of the third place."

    def _picks(self, events: list[Event]) -> Iterator[str]:
        yield f"  Power-ups, {PICK_ORDERS[self.rules.play.pick_order]}"
        for place, (kind, seat, args) in enumerate(events):
            if kind == s.E_PICK:
                after = {kind: args[0] for kind, other, args in events[place + 1 : place + 3] if other == seat}
                client, head = after.get(s.E_CLIENT, -1), f"    {args[2]}. seat {seat}"
                if s.E_FORCED not in after:
                    yield f"{head} takes {self._taken(seat, args[0], client)}"
                elif after[s.E_FORCED] < 0:
                    yield f"{head} picks {self._power_up(args[0])}, and is made to do without"
                else:
                    had = self._taken(seat, after[s.E_FORCED], client)
                    yield f"{head} picks {self._power_up(args[0])}, and is given {had} in its place"

    def _end(self, events: list[Event]) -> Iterator[str]:
        yield ""
        yield "Result"
        ends = sorted((args[1], seat, args[0]) for _, seat, args in events)
        for rank, seat, total in ends:
            yield f"  {rank}. seat {seat}: {total} VP"
        for total, group in groupby(ends, key=lambda end: end[2]):
            tied = [f"seat {seat}" for _, seat, _ in group]
            if len(tied) > 1:
                yield f"  Equal at {total} VP: {', then '.join(tied)}, by their ranks in round {self.round}."

    def _taken(self, seat: int, power_up: int, client: int) -> str:
        """Let a seat have a power-up and the Key Client card that comes with it; return their names."""
        self.power_ups[seat].append(self.numbers[power_up])
        if client < 0:
            return self._power_up(power_up)
        name, card = list(self.rules.key_clients.items())[client]
        self.clients[seat].append(name)
        worths = [_worth(self.rules, hand, upgraded=card.type == "upgrade") for hand in card.hands]
        return f"{self._power_up(power_up)}: {name} ({'; '.join(worths)})"

    def _power_up(self, index: int) -> str:
        return named_power_up(self.rules, self.numbers[index])

    def _named(self, codes: Sequence[int]) -> list[Card]:
        return [(self.rules.deck.suits[suit], number) for suit, number in map(card_of, codes)]


def _worth(rules: OtterRules, name: str, upgraded: bool) -> str:
    hand = rules.hands[name]
    score, vp = (hand.upgraded_score, hand.upgraded_vp) if upgraded else (hand.score, hand.vp)
    return f"{name} {score} score, {vp} VP"


def _cards(cards: Sequence[Card]) -> str:
    return ", ".join(f"{suit} {number}" for suit, number in cards)


def _unpacked(cards: int, n_cards: int) -> list[int]:
    return [(cards >> (CODE_BITS * slot)) & CODE_MASK for slot in range(n_cards)]


def _sum(found: Sequence[Part]) -> Iterator[str]:
    """Yield parts one below the other; the last one is their sum."""
    width = max(len(str(part.score)) for part in found)
    vp_width = max(len(str(part.vp)) for part in found)
    with_vp = any(part.vp for part in found)
    for part in found:
        vp = f", {part.vp:>{vp_width}} VP" if part.vp else " " * (5 + vp_width) if with_vp else ""
        yield f"    {part.score:>{width}} score{vp}  {part.what}"
