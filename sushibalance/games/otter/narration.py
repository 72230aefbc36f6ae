"""One game of Otter as readable lines, from the engine's log."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sushibalance.games.game import Policy
from sushibalance.games.otter.kernel import state as s
from sushibalance.games.otter.kernel.worth import CODE_BITS, CODE_MASK
from sushibalance.games.otter.rules import OtterRules
from sushibalance.games.otter.tables import card_of


def narrate(log: np.ndarray, rules: OtterRules, policies: Sequence[Policy]) -> list[str]:
    """Return the lines of one game's events."""
    return _Story(rules, policies).told(log)


class _Story:
    """Turns events into lines, keeping what a reader would see on the table: hands and scores."""

    def __init__(self, rules: OtterRules, policies: Sequence[Policy]):
        self.rules = rules
        self.policies = policies
        self.numbers = list(rules.power_ups)
        self.hands = list(rules.hands)
        self.clients = list(rules.key_clients)
        self.held: list[list[int]] = [[] for _ in policies]
        self.lines: list[str] = []

    def told(self, log: np.ndarray) -> list[str]:
        """Return the story of a log."""
        offers: list[str] = []
        shown = False
        for event in log:
            kind, seat, args = int(event["kind"]), int(event["seat"]), [int(value) for value in event["args"]]
            if kind == s.E_OFFER:
                offers.append(self.power_up(args[0]))
                continue
            if offers:
                self.lines.append("  On offer: " + "; ".join(offers))
                offers = []
            if kind == s.E_REVEAL and not shown:
                self.lines += [f"  seat {i} holds {self.cards(sorted(hand))}" for i, hand in enumerate(self.held)]
            shown = kind in (s.E_REVEAL, s.E_USE)
            self._event(kind, seat, args)
        return self.lines

    def _event(self, kind: int, seat: int, args: list[int]) -> None:
        say = self.lines.append
        if kind == s.E_BUTTON:
            say(", ".join(f"seat {i}: {policy.name}" for i, policy in enumerate(self.policies)))
        elif kind == s.E_DEALT:
            say(f"  seat {seat} is dealt {self.power_up(args[0])}")
        elif kind == s.E_KEPT:
            say(f"  seat {seat} keeps {self.power_up(args[0])}")
        elif kind == s.E_ROUND:
            say("")
            say(f"Round {args[0]} (Button: seat {seat})")
        elif kind == s.E_DRAW:
            self.held[seat].append(args[0])
        elif kind == s.E_REVEAL:
            n_cards, revealed, _, hand, score, vp, icons = args[:7]
            cards = _unpacked(revealed, n_cards)
            for card in cards:
                self.held[seat].remove(card)
            say(f"  seat {seat} reveals {self.cards(cards)}: {self.hands[hand]}, {_points(score, vp)}, icons {icons}")
        elif kind == s.E_USE:
            say(f"    with {self.power_up(args[0])} they become {self.cards(_unpacked(args[1], args[2]))}")
        elif kind == s.E_PLACE:
            rank, score, gained, hand_vp, total = args[:5]
            say(f"  seat {seat}: place {rank} with score {score}, +{gained} VP, hand +{hand_vp} VP, now {total} VP")
        elif kind == s.E_PICK:
            say(f"  pick {args[2]}: seat {seat} takes {self.power_up(args[0])}")
        elif kind == s.E_CLIENT:
            say(f"    seat {seat} takes the Key Client card {self.clients[args[0]]}")
        elif kind == s.E_END:
            if self.lines[-1].startswith("  "):
                self.lines += ["", "End"]
            say(f"seat {seat}: {args[0]} VP, rank {args[1]}")

    def power_up(self, index: int) -> str:
        """Return a power-up as ``No. 7 (text)``."""
        number = self.numbers[index]
        text = self.rules.power_ups[number].text
        return f"No. {number} ({text})" if text else f"No. {number}"

    def cards(self, codes: Sequence[int]) -> str:
        """Return cards as ``shrimp 5, egg 2``."""
        named = ((self.rules.deck.suits[suit], number) for suit, number in map(card_of, codes))
        return ", ".join(f"{suit} {number}" for suit, number in named)


def _unpacked(cards: int, n_cards: int) -> list[int]:
    return [(cards >> (CODE_BITS * slot)) & CODE_MASK for slot in range(n_cards)]


def _points(score: int, vp: int) -> str:
    return f"score {score}" + (f", {vp} VP" if vp else "")
