"""Frequencies that can be calculated, of games in which every choice is uniform: what `checks` holds against games.

Each is a question to a part of a run, whose answer is a tally of rates, means or lifts, and the exact value of each of
its rows. Players are ``random``: then deals, first choices and chances to win follow from the rules by counting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import hypergeom

from sushibalance.analysis import pick_rates
from sushibalance.analysis.exact_hands import exact
from sushibalance.games.nightmares.rules import ABILITIES, NightmaresRules
from sushibalance.games.otter.rules import OtterRules
from sushibalance.games.sushi_go.rules import SushiGoRules
from sushibalance.rules import Rules
from sushibalance.simulation.run import Run
from sushibalance.stats import lifts, means, rates, shares

Ask = Callable[[Run], Any]
Exact = Callable[[pd.DataFrame], Any]


@dataclass(frozen=True)
class Form:
    """A frequency with a closed form.

    Attributes
    ----------
    what : str
        What is counted, in words.
    why : str
        How the exact value follows.
    ask : callable
        ``ask(part) -> tally``.
    exact : callable
        ``exact(frame of the tally) -> values``, one a row.
    """

    what: str
    why: str
    ask: Ask
    exact: Exact


class Forms:
    """The closed forms of a rule set.

    Parameters
    ----------
    rules : Rules
    players : int
    """

    def __init__(self, rules: Rules, players: int):
        self.rules, self.players = rules, players

    def __iter__(self) -> Iterator[Form]:
        fair = 1 / self.players
        yield Form(
            "games won by seat", "equal players: 1 / players", lambda run: rates.tally(run.players, "seat", "win"),
            lambda rows: np.full(len(rows), fair),
        )  # fmt: skip
        if isinstance(self.rules, SushiGoRules):
            yield from SushiGo(self.rules, self.players)
        elif isinstance(self.rules, NightmaresRules):
            yield from Nightmares(self.rules, self.players)
        elif isinstance(self.rules, OtterRules):
            yield from Otter(self.rules, self.players)


class SushiGo:
    """Deals of Sushi Go!, and uniform picks."""

    def __init__(self, rules: SushiGoRules, players: int):
        self.rules, self.players, self.size = rules, players, rules.hand_size(players)
        self.kinds = list(type(rules.deck).model_fields)
        self.counts = dict(zip(self.kinds, rules.deck.counts, strict=True))
        self.cards = sum(rules.deck.counts)

    def __iter__(self) -> Iterator[Form]:
        dealt = self.players * self.size
        icons = {kind: getattr(self.rules.maki.icons, kind) for kind in ("maki_1", "maki_2", "maki_3")}
        yield Form(
            "cards of a kind in a hand dealt", "hypergeometric: a hand is drawn from the deck without return",
            self._hands, self._hypergeometric,
        )  # fmt: skip
        yield Form(
            "kind of the first card taken of a round, against its share of the hand", "uniform over the cards in hand",
            self._first_picks, _ones,
        )  # fmt: skip
        yield Form(
            "chopsticks used when they could be", "uniform over single cards and ordered pairs: 1 - 1 / cards in hand",
            self._chopsticks, _ones,
        )  # fmt: skip
        yield Form(
            "maki icons of all players in a round", "cards dealt x icons in the deck / cards in the deck",
            lambda run: means.tally(_summed(run.rounds, ["game", "round"], "maki_icons"), [], "maki_icons"),
            lambda rows: dealt * sum(icons[kind] * self.counts[kind] for kind in icons) / self.cards,
        )  # fmt: skip
        yield Form(
            "puddings of all players in a game", "cards dealt x puddings in the deck / cards in the deck",
            lambda run: means.tally(
                _summed(run.rounds[run.rounds["round"] == self.rules.rounds], ["game"], "puddings"), [], "puddings"
            ),
            lambda rows: self.rules.rounds * dealt * self.counts["pudding"] / self.cards,
        )  # fmt: skip

    def _opening(self, run: Run) -> np.ndarray:
        """Return how many cards of each kind were dealt: int64[games, rounds, hands, kinds].

        Every card of a hand is taken some time; what was taken from it, less the chopsticks put into it, was dealt.
        """
        picks = run.rows["picks"]
        games, rounds, turns, seats = picks.shape
        hands = np.zeros((games, rounds, seats, len(self.kinds)), np.int64)
        ways = {"left": (1, 1), "right": (-1, -1), "alternating": (1, -1)}[self.rules.readings.passing]
        game, number = np.arange(games)[:, None], np.arange(rounds)[None, :]
        way = np.array([ways[place % 2] for place in range(rounds)])[None, :]
        chopsticks = self.kinds.index("chopsticks")
        for turn in range(turns):
            for seat in range(seats):
                pick, hand = picks[:, :, turn, seat], (seat - way * turn) % seats
                hands[game, number, hand, pick["card"]] += 1
                second = pick["second"].astype(np.int64)
                hands[game, number, hand, np.maximum(second - 1, 0)] += second > 0
                hands[game, number, hand, chopsticks] -= second > 0
        return hands

    def _hands(self, run: Run) -> Any:
        hands = self._opening(run)
        games, rounds, seats, kinds = hands.shape
        frame = pd.DataFrame(
            {
                "game": np.repeat(np.arange(games) + run.first, rounds * seats * kinds),
                "kind": self._kind(np.tile(np.arange(kinds), games * rounds * seats)),
                "cards": pd.Categorical.from_codes(hands.reshape(-1), categories=range(self.size + 1)),
            }
        )
        return shares.tally(frame, "kind", "cards")

    def _hypergeometric(self, rows: pd.DataFrame) -> np.ndarray:
        count = np.array([self.counts[kind] for kind in rows["kind"]])
        return hypergeom(self.cards, count, self.size).pmf(rows["cards"].astype(int))

    def _kind(self, codes: np.ndarray) -> pd.Categorical:
        return pd.Categorical.from_codes(codes, categories=self.kinds)

    def _first_picks(self, run: Run) -> Any:
        hands, card = self._opening(run), run.rows["picks"]["card"][:, :, 0, :].astype(np.int64)
        games, rounds, seats, kinds = hands.shape
        frame = pd.DataFrame(
            {
                "game": np.repeat(np.arange(games) + run.first, rounds * seats * kinds),
                "kind": self._kind(np.tile(np.arange(kinds), games * rounds * seats)),
                "taken": (card[..., None] == np.arange(kinds)).reshape(-1),
                "cards": hands.reshape(-1),
            }
        )
        frame = frame[frame["cards"] > 0]
        return lifts.tally(frame.assign(chance=frame["cards"] / self.size), "kind", "taken", "chance")

    def _chopsticks(self, run: Run) -> Any:
        picks = run.rows["picks"]
        turns = picks.shape[2]
        used, chopsticks = picks["second"] > 0, self.kinds.index("chopsticks")
        got = (picks["card"] == chopsticks).astype(int) + (picks["second"] == chopsticks + 1) - used
        before = np.cumsum(got, axis=2) - got
        hand = self.size - np.arange(turns)
        can = (before > 0) & (hand > 1)[None, None, :, None]
        game, _, turn, _ = np.nonzero(can)
        frame = pd.DataFrame({"game": game + run.first, "turn": turn + 1, "used": used[can]})
        return lifts.tally(frame.assign(chance=1 - 1 / hand[turn]), "turn", "used", "chance")


class Nightmares:
    """Uniform choices in Nightmares of Sushi. What comes before any score is looked at: round 1."""

    def __init__(self, rules: NightmaresRules, players: int):
        self.rules, self.players = rules, players

    def __iter__(self) -> Iterator[Form]:
        rules, players = self.rules, self.players
        cards = {name: grade.cards for name, grade in rules.grades.items()}
        total = sum(cards.values())
        abilities = {name: getattr(rules.abilities, name).cards for name in ABILITIES}
        held = 1 + sum(abilities.values())
        plates = players - 1 + (players == 2 and rules.readings.two_players == "third_seat")
        dishes = plates + rules.chefs.on_table
        yield Form(
            "who starts", "uniform over the seats",
            lambda run: rates.tally(_first_round(run).assign(starts=lambda rows: rows["order"] == 1), "seat", "starts"),
            lambda rows: np.full(len(rows), 1 / players),
        )  # fmt: skip
        if rules.readings.set_aside != "none":
            yield Form(
                "grade set aside", "uniform over a player's cards",
                lambda run: shares.tally(run.frame("set_aside"), [], "grade"),
                lambda rows: [cards[grade] / total for grade in rows["grade"]],
            )  # fmt: skip
        yield Form(
            "grade served in round 1", "uniform over a player's cards",
            lambda run: shares.tally(_first_round(run), [], "served"),
            lambda rows: [cards[grade] / total for grade in rows["served"]],
        )  # fmt: skip
        yield Form(
            "ability played in round 1", "uniform over none and the ability cards held",
            lambda run: shares.tally(_first_round(run), [], "ability"),
            lambda rows: [abilities.get(ability, 1) / held for ability in rows["ability"]],
        )  # fmt: skip
        yield Form(
            "what a seat eats in round 1", "uniform over other plates and chefs",
            lambda run: shares.tally(_first_round(run), "seat", "ate"),
            lambda rows: [
                0.0 if ate == f"seat {seat}" else 1 / dishes
                for seat, ate in zip(rows["seat"], rows["ate"], strict=True)
            ],
        )  # fmt: skip
        if abilities["ninjutsu_chin"]:
            yield Form(
                "target of Ninjutsu Chin", "uniform over the players", self._targets,
                lambda rows: np.full(len(rows), 1 / players),
            )  # fmt: skip

    def _targets(self, run: Run) -> Any:
        rows = run.rounds[run.rounds["target"].notna()]
        seats = pd.Categorical(rows["target"].astype(int), categories=range(self.players))
        return shares.tally(rows.assign(target=seats), [], "target")


class Otter:
    """Deals of Sushi Otter, hands of round 1, uniform choices."""

    def __init__(self, rules: OtterRules, players: int):
        self.rules, self.players = rules, players
        self.sizes = range(rules.play.reveal_at_least, min(rules.play.reveal_at_most, rules.play.hand_limit) + 1)

    def __iter__(self) -> Iterator[Form]:
        rules, play = self.rules, self.rules.play
        ways = {size: comb(play.hand_limit, size) for size in self.sizes}
        count = len(rules.power_ups)
        yield Form(
            "first button", "uniform over the seats",
            lambda run: shares.tally(
                run.rounds[(run.rounds["round"] == 1) & (run.rounds["seat"] == 0)].assign(
                    button=lambda rows: pd.Categorical(rows["button"], categories=range(self.players))
                ), [], "button",
            ),
            lambda rows: np.full(len(rows), 1 / self.players),
        )  # fmt: skip
        yield Form(
            "cards revealed in round 1", "uniform over the sets of cards that may be revealed",
            lambda run: shares.tally(
                run.rounds[run.rounds["round"] == 1].assign(
                    n_cards=lambda rows: pd.Categorical(rows["n_cards"], categories=self.sizes)
                ), [], "n_cards",
            ),
            lambda rows: [ways[size] / sum(ways.values()) for size in rows["n_cards"]],
        )  # fmt: skip
        if not play.starting_power_ups:
            yield Form(
                "hands of so many cards in round 1", "all sets of so many cards counted",
                lambda run: shares.tally(run.rounds[run.rounds["round"] == 1], "n_cards", "hand"), self._hands,
            )  # fmt: skip
        if play.rounds > 1 and count:
            yield Form(
                "power-ups laid out", "uniform over the power-ups",
                lambda run: shares.tally(run.offers.assign(power_up=self._numbers(run.offers)), [], "power_up"),
                lambda rows: np.full(len(rows), 1 / count),
            )  # fmt: skip
            yield Form(
                "power-ups taken, against chance", "uniform over those left",
                lambda run: lifts.tally(_turns(run), "power_up", "taken", "chance"), _ones,
            )  # fmt: skip
            if rules.key_clients:
                yield Form(
                    "first Key Client card of a game", "uniform over the Key Client cards",
                    lambda run: shares.tally(_first_clients(run), [], "key_client"),
                    lambda rows: np.full(len(rows), 1 / len(rules.key_clients)),
                )  # fmt: skip

    def _numbers(self, frame: pd.DataFrame) -> pd.Categorical:
        return pd.Categorical(frame["power_up"], categories=sorted(map(int, self.rules.power_ups)))

    def _hands(self, rows: pd.DataFrame) -> list[float]:
        known = {size: exact(size, self.rules).set_index("hand")["share"] for size in self.sizes}
        return [float(known[size].get(hand, 0.0)) for size, hand in zip(rows["n_cards"], rows["hand"], strict=True)]


def _ones(rows: pd.DataFrame) -> np.ndarray:
    return np.ones(len(rows))


def _summed(rounds: pd.DataFrame, keys: list[str], column: str) -> pd.DataFrame:
    return rounds.groupby(keys, as_index=False)[column].sum()


def _first_round(run: Run) -> pd.DataFrame:
    return run.rounds[run.rounds["round"] == 1]


def _turns(run: Run) -> pd.DataFrame:
    return pick_rates.turns(run.offers, run.picks)


def _first_clients(run: Run) -> pd.DataFrame:
    return run.picks[run.picks["key_client"].notna()].drop_duplicates("game")
