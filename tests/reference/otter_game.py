"""A whole game of Sushi Otter in plain Python, given what was dealt and what was chosen.

`Game` goes step by step and refuses what the rules forbid; `play` runs all steps. Seats are numbered
clockwise from 0: the player to the left of seat s is seat s + 1. Rounds count from 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from reference.otter import Card, Cards, Player, declarable, is_use, score


class IllegalChoice(ValueError):
    """A deal or a choice that the rules do not allow."""


def require(allowed: bool, complaint: str) -> None:
    """Raise `IllegalChoice` unless ``allowed``."""
    if not allowed:
        raise IllegalChoice(complaint)


@dataclass
class Turn:
    """What a seat chooses for a round, unseen by the others.

    ``uses`` holds (power-up, all cards after its use, each at its place) in order.
    """

    revealed: Sequence[Card]
    hand: str
    uses: Sequence[tuple[int, Sequence[Card]]] = ()


@dataclass
class Pick:
    """A power-up taken from those on offer, and the Key Client card that it brought."""

    seat: int
    power_up: int
    client: str | None = None


@dataclass
class Start:
    """The optional start: power-ups dealt to each seat, the one kept, its Key Client card."""

    dealt: Sequence[Sequence[int]]
    kept: Sequence[int]
    clients: Sequence[str | None]


@dataclass
class Forced:
    """An intervention: one pick of one seat brings what is given here, whatever the seat picks.

    ``out_of_play`` are the power-ups and Key Client cards that are in no deck from the start.
    """

    seat: int
    round: int
    power_up: int | None
    client: str | None
    out_of_play: Sequence[int | str]


@dataclass
class Round:
    """What one round brought; lists by seat."""

    button: int
    hand_limits: list[int]
    offers: list[int]
    hands: list[list[Card]] = field(default_factory=list)
    scores: list[int] = field(default_factory=list)
    hand_vp: list[int] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    round_vp: list[int] = field(default_factory=list)
    vp: list[int] = field(default_factory=list)
    pick_order: list[int] = field(default_factory=list)
    clients_left: list[str] = field(default_factory=list)


def ranking(scores: Sequence[int], button: int) -> list[int]:
    """Return the seats from first to last; ties go to the closest clockwise from the Button (III, 1)."""
    players = len(scores)
    return sorted(range(players), key=lambda seat: (-scores[seat], (seat - button) % players))


def places_of(scores: Sequence[int], button: int, rules) -> list[int]:
    """Return each seat's space on the Round card, from 1; the second of two may drop to the third (III, 2)."""
    order = ranking(scores, button)
    places = [order.index(seat) + 1 for seat in range(len(scores))]
    if len(scores) == 2:
        first, second = order
        if scores[second] * 100 < scores[first] * rules.play.two_player_percent:
            places[second] = 3
    return places


def first_to_take_clients(button: int, players: int) -> list[int]:
    """Return the seats in the order of the optional start: from the dealer's right, counterclockwise."""
    return [(button - step) % players for step in range(1, players + 1)]


class Game:
    """One game. Call ``start`` (if that rule is on), then for each round ``deal``, ``reveal`` and ``pick``."""

    def __init__(self, rules, players: int, button: int, deck: Sequence[int], forced: Forced | None = None):
        self.forced = forced
        self.rules, self.players, self.first_button = rules, players, button
        self.hands: list[list[Card]] = [[] for _ in range(players)]
        self.power_ups: list[list[int]] = [[] for _ in range(players)]
        self.held_clients: list[list[str]] = [[] for _ in range(players)]
        self.out_of_play = set(forced.out_of_play) if forced else set()
        self.clients_left = [name for name in rules.key_clients if name not in self.out_of_play]
        self.vp = [0] * players
        self.deck = list(deck)
        self.rounds: list[Round] = []
        self.started = False

    @property
    def number(self) -> int:
        """The round being played, 0 before the first."""
        return len(self.rounds)

    def player(self, seat: int) -> Player:
        """Return what lies in front of a seat."""
        cards = [self.rules.key_clients[name] for name in self.held_clients[seat]]
        upgrades = tuple(hand for card in cards if card.type == "upgrade" for hand in card.hands)
        new_hands = tuple(hand for card in cards if card.type == "new_hand" for hand in card.hands)
        return Player(tuple(self.power_ups[seat]), upgrades, new_hands)

    def hand_limit(self, seat: int) -> int:
        """Return a seat's hand limit in the round to come (Nos. 37 and 38 count from the next round on)."""
        limit = self.rules.play.hand_limit
        if self.number == 0:
            return limit
        cards = [self.rules.power_ups[str(number)] for number in self.power_ups[seat]]
        return limit + sum(card.hand_limit for card in cards if card.type == "passive")

    def start(self, start: Start) -> None:
        """Let each seat keep one of the power-ups dealt (Optional Rules); ``deck`` is the deck after that."""
        count = self.rules.play.starting_power_ups
        require(count > 0 and self.number == 0 and not self.started, "no starting power-ups now")
        dealt = [number for cards in start.dealt for number in cards]
        require(len(set(dealt)) == len(dealt) == count * self.players, f"{count} power-ups for each player")
        for seat in range(self.players):
            require(start.kept[seat] in start.dealt[seat], f"seat {seat} keeps a power-up it was dealt")
            self.power_ups[seat].append(start.kept[seat])
        for seat in first_to_take_clients(self.first_button, self.players):
            self._take_client(seat, start.kept[seat], start.clients[seat])
        self.started = True

    def deal(self, dealt: Sequence[Sequence[Card]]) -> None:
        """Begin a round: the Button moves left, hands are filled up, power-ups go on offer (Setup; I)."""
        play = self.rules.play
        require(self.number < play.rounds, "the game is over")
        if self.number == 0:
            require(self.started == (play.starting_power_ups > 0), "starting power-ups first")
            kept = {number for held in self.power_ups for number in held}
            kept |= self.out_of_play
            whole = sorted(number for number in map(int, self.rules.power_ups) if number not in kept)
            require(sorted(self.deck) == whole, "every power-up is in the deck, once, or kept")
        limits = [self.hand_limit(seat) for seat in range(self.players)]
        elsewhere = {card for hand in self.hands for card in hand}
        for seat, cards in enumerate(dealt):
            missing = max(limits[seat] - len(self.hands[seat]), 0)
            require(len(cards) == missing, f"seat {seat} is dealt {missing} cards")
            for suit, number in cards:
                require(suit in self.rules.deck.suits and 1 <= number <= self.rules.deck.numbers, "a card of the deck")
                require((suit, number) not in elsewhere, f"{suit} {number} is in a hand already")
                elsewhere.add((suit, number))
            self.hands[seat] += [(suit, number) for suit, number in cards]
        offers = []
        if self.number + 1 < play.rounds:
            count = self.players + play.offers_beyond_players
            offers, self.deck = self.deck[:count], self.deck[count:]
            require(len(offers) == count, f"{count} power-ups on offer")
        button = (self.first_button + self.number) % self.players
        self.rounds.append(Round(button, limits, offers, hands=[list(hand) for hand in self.hands]))

    def reveal(self, turns: Sequence[Turn]) -> None:
        """Score the reveals of all seats and pay the Round card (II; III)."""
        now = self.rounds[-1]
        for seat, turn in enumerate(turns):
            total, vp = self._score(seat, turn)
            now.scores.append(total)
            now.hand_vp.append(vp)
        order = ranking(now.scores, now.button)
        now.ranks = [order.index(seat) + 1 for seat in range(self.players)]
        now.places = places_of(now.scores, now.button, self.rules)
        row = self.rules.round_cards[str(self.players)][str(self.number)]
        now.round_vp = [row[place - 1] for place in now.places]
        self.vp = [sum(parts) for parts in zip(self.vp, now.hand_vp, now.round_vp, strict=True)]
        now.vp = list(self.vp)
        now.clients_left = list(self.clients_left)
        by_order = {"worst_rank_first": order[::-1], "best_rank_first": order, "random": []}
        if self.number < self.rules.play.rounds:
            now.pick_order = by_order[self.rules.play.pick_order]

    def _score(self, seat: int, turn: Turn) -> tuple[int, int]:
        play, player = self.rules.play, self.player(seat)
        revealed: Cards = tuple((suit, number) for suit, number in turn.revealed)
        require(play.reveal_at_least <= len(revealed) <= play.reveal_at_most, f"seat {seat} reveals so many cards")
        require(len(set(revealed)) == len(revealed), f"seat {seat} reveals each card once")
        require(set(revealed) <= set(self.hands[seat]), f"seat {seat} reveals cards of its hand")
        used = [number for number, _ in turn.uses]
        require(len(set(used)) == len(used), f"seat {seat} uses each Change card once")
        cards = revealed
        for number, after in turn.uses:
            after = tuple((suit, value) for suit, value in after)
            require(number in player.power_ups, f"seat {seat} holds No. {number}")
            require(self.rules.power_ups[str(number)].type == "change", f"No. {number} is a Change card")
            legal = is_use(cards, after, number, self.rules, round_number=self.number, revealed=revealed)
            require(legal, f"seat {seat}: No. {number} turns {cards} into {after}")
            cards = after
        require(turn.hand in declarable(cards, self.rules, player), f"seat {seat} declares {turn.hand}")
        self.hands[seat] = [card for card in self.hands[seat] if card not in revealed]
        return score(revealed, cards, turn.hand, self.rules, player, self.number)

    def pick(self, picks: Sequence[Pick]) -> None:
        """Let every seat take a power-up; the others go to the bottom of the deck (IV)."""
        now = self.rounds[-1]
        require(self.number < self.rules.play.rounds, "no power-ups in the last round")
        order = [pick.seat for pick in picks]
        if self.rules.play.pick_order == "random":
            require(sorted(order) == list(range(self.players)), "every seat picks once")
            now.pick_order = order
        require(order == now.pick_order, f"seats pick in the order {now.pick_order}")
        left = list(now.offers)
        for pick in picks:
            require(pick.power_up in left, f"seat {pick.seat} takes one of {left}")
            left.remove(pick.power_up)
            if self.forced and (pick.seat, self.number) == (self.forced.seat, self.forced.round):
                self._force(pick)
            else:
                self.power_ups[pick.seat].append(pick.power_up)
                self._take_client(pick.seat, pick.power_up, pick.client)
        self.deck += left
        now.clients_left = list(self.clients_left)

    def _force(self, pick: Pick) -> None:
        """Give the seat what is forced in place of its pick: a power-up as if picked, a Key Client card, nothing."""
        power_up, client = self.forced.power_up, self.forced.client
        if power_up is not None:
            require(power_up in self.out_of_play, f"No. {power_up} is in play")
            self.power_ups[pick.seat].append(power_up)
        if client is not None:
            require(client in self.out_of_play and pick.client == client, f"{client} is in play")
            self.held_clients[pick.seat].append(client)
        elif power_up is not None:
            self._take_client(pick.seat, power_up, pick.client)
        else:
            require(pick.client is None, f"seat {pick.seat} takes no Key Client card")

    def _take_client(self, seat: int, power_up: int, client: str | None) -> None:
        if self.rules.power_ups[str(power_up)].type != "key_client" or not self.clients_left:
            require(client is None, f"seat {seat} takes no Key Client card")
            return
        require(client in self.clients_left, f"seat {seat} takes one of {self.clients_left}")
        self.clients_left.remove(client)
        self.held_clients[seat].append(client)

    def final_ranks(self) -> list[int]:
        """Return each seat's rank in the game: most VP, then the better rank of the last round."""
        require(self.number == self.rules.play.rounds, "the game is not over")
        last = self.rounds[-1].ranks
        order = sorted(range(self.players), key=lambda seat: (-self.vp[seat], last[seat]))
        return [order.index(seat) + 1 for seat in range(self.players)]


def play(
    rules,
    players: int,
    *,
    button: int,
    deck: Sequence[int],
    deals: Sequence[Sequence[Sequence[Card]]],
    turns: Sequence[Sequence[Turn]],
    picks: Sequence[Sequence[Pick]],
    start: Start | None = None,
    forced: Forced | None = None,
) -> Game:
    """Return a game played to its end.

    Parameters
    ----------
    rules : OtterRules
    players : int
    button : int
        The seat that has the Button in round 1.
    deck : list of int
        The power-up deck from the top, as it lies when the first offers are drawn.
    deals : by round and seat
        The sushi cards dealt before the round.
    turns : by round and seat
        What each seat reveals, changes and declares.
    picks : by round
        Who takes what, in order; none for the last round.
    start : Start, optional
        The optional start.
    forced : Forced, optional
        An intervention.
    """
    game = Game(rules, players, button, deck, forced)
    if start is not None:
        game.start(start)
    for number in range(1, rules.play.rounds + 1):
        game.deal(deals[number - 1])
        game.reveal(turns[number - 1])
        if number < rules.play.rounds:
            game.pick(picks[number - 1])
    return game
