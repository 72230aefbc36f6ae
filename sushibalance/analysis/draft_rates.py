"""Which cards players take out of the hands that they are given (Sushi Go!).

Hands pass on, so a card that one player leaves is what the next may take. What was in a hand is not stored: it is what
is taken from it from then on, less the chopsticks that go back into it; nothing is left at the end of a round.

*Taken* is how often a kind of card is taken when the hand has it. *Against chance* sets that beside a player who takes
any card of the hand as soon as any other: two of a kind are twice as likely to go, and the fewer cards are left, the
more of them go by chance. *Taken at* and *last seen* are the turns in which a kind is taken, and in which it is in a
hand for the last time (what draft sites call ATA and ALSA): the lower, the more it is wanted.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from sushibalance.analysis.tables import side_by_side
from sushibalance.core.jit import lean
from sushibalance.errors import UserError
from sushibalance.games.sushi_go.rules import SushiGoRules
from sushibalance.stats import lifts, means, rates
from sushibalance.stats.groups import By, labelled, last_rows, listed, need, numbers
from sushibalance.stats.ratios import Ratio
from sushibalance.stats.tallies import Together, counted
from sushibalance.stats.worths import Choices

CHOPSTICKS = "chopsticks"
TURN = ("game", "round", "turn", "seat")
BESIDE = ("taken", "against_chance", "taken_at", "last_seen")


def hands(picks: pd.DataFrame, rules: SushiGoRules | None = None) -> pd.DataFrame:
    """Return what was in each hand when a player took from it: one row a kind of card.

    Parameters
    ----------
    picks : DataFrame
        ``run.picks``: game, round, turn, seat, card, with_chopsticks; whole rounds.
    rules : SushiGoRules, optional
        They say which way hands pass; by default to the left.

    Returns
    -------
    DataFrame
        game, round, turn, seat (who has the hand), hand (the seat that it was dealt to), card, copies (cards of the
        kind in the hand), cards (in the hand), of (cards taken in the turn: 1, with chopsticks 2), taken (those of the
        kind), took (whether any), chance (that any would be taken by who takes so many cards at random).

    Raises
    ------
    UserError
        When the picks do not fit hands that pass this way.
    """
    need(picks, "picks", *TURN, "card", "with_chopsticks")
    moment, _ = numbers(picks, ["game", "round", "turn"])
    if (moment[1:] < moment[:-1]).any():
        order = np.argsort(moment, kind="stable")
        picks, moment = picks.iloc[order], moment[order]
    block, _ = numbers(picks, ["game", "round"])
    card = picks["card"].astype("category")
    kinds = list(card.cat.categories)
    chopsticks = kinds.index(CHOPSTICKS) if CHOPSTICKS in kinds else -1
    turn, seat = picks["turn"].to_numpy(np.int64), picks["seat"].to_numpy(np.int64)
    step = _steps(picks["round"].to_numpy(np.int64), "left" if rules is None else rules.readings.passing)
    second = picks["with_chopsticks"].to_numpy(bool)
    given = block, turn, seat, card.cat.codes.to_numpy(np.int64), second, step, chopsticks
    seats = int(seat.max(initial=0)) + 1
    room = np.zeros((2, seats, len(kinds)), np.int64), np.zeros((2, seats), np.int64)
    rows = _walk(*given, *room, np.empty((0, 7), np.int8), np.empty(0, np.int64))
    if rows < 0:
        place = picks.iloc[-rows - 1]
        raise UserError(
            f"picks: in game {place['game']}, round {place['round']}, found cards that cannot have been in the hands; "
            "allowed whole rounds, by rules under which hands pass this way"
        )
    filled, at = np.empty((rows, 7), np.int8), np.empty(rows, np.int64)
    _walk(*given, *room, filled, at)
    holder, hand, kind, copies, cards, taken, of = filled.T
    told = {name: picks[name].array.take(at) for name in ("game", "round", "turn")}
    return pd.DataFrame(
        {
            **told,
            "seat": holder,
            "hand": hand,
            "card": labelled(kind, kinds),
            "copies": copies,
            "cards": cards,
            "of": of,
            "taken": taken,
            "took": taken > 0,
            "chance": _chance(copies.astype(np.int64), cards.astype(np.int64), of),
        },
        copy=False,
    )


def _chance(copies: np.ndarray, cards: np.ndarray, of: np.ndarray) -> np.ndarray:
    """Return the chance to take any of the copies among one or two cards."""
    pairs, others = cards * (cards - 1), (cards - copies) * (cards - copies - 1)
    return np.where(of == 1, copies / cards, (pairs - others) / np.maximum(pairs, 1))


def _steps(number: np.ndarray, passing: str) -> np.ndarray:
    """Return by how many seats hands pass in each round."""
    if passing == "alternating":
        return np.where(number % 2 == 1, 1, -1)
    return np.full(len(number), 1 if passing == "left" else -1)


@lean
def _walk(block, turn, seat, card, second, step, chopsticks, held, many, filled, at):
    """Go back from the last turn of each round to the first; return how many rows that gives.

    Parameters
    ----------
    block, turn, seat, card, second, step : int64[picks]
        Sorted by round of a game, then by turn.
    chopsticks : int
        The kind that goes back into the hand for a second card, -1 for none.
    held, many : int64[2, seats, kinds], int64[2, seats]
        Room: what each hand holds and what is taken from it in the turn; cards of the hand, cards taken in the turn.
    filled : int8[rows, 7]
        Gets seat, hand, kind, copies, cards, taken, cards taken in the turn. With no rows, they are only counted.
    at : int64[rows]
        Gets a pick of the turn.

    Returns
    -------
    int
        Rows; or -1 - the number of a pick in a round that cannot have been.
    """
    kinds, rows, start = held.shape[2], 0, 0
    write = len(filled) > 0
    while start < len(block):
        end = start
        seats = 0
        while end < len(block) and block[end] == block[start]:
            seats += turn[end] == turn[start] and not second[end]
            end += 1
        held[:] = 0
        many[:] = 0
        begin, stop = rows, end
        while stop > start:
            now = turn[stop - 1]
            first = stop
            while first > start and turn[first - 1] == now:
                first -= 1
                if not 0 <= seat[first] < seats or card[first] < 0:
                    return -1 - start
                hand = (seat[first] - step[first] * (now - 1)) % seats
                held[0, hand, card[first]] += 1
                held[1, hand, card[first]] += 1
                many[0, hand] += 1
                many[1, hand] += 1
                if second[first]:
                    if chopsticks < 0:
                        return -1 - start
                    held[0, hand, chopsticks] -= 1
                    many[0, hand] -= 1
            for hand in range(seats - 1, -1, -1):
                if many[0, hand] != turn[end - 1] - now + 1:
                    return -1 - start
                holder = (hand + step[first] * (now - 1)) % seats
                for kind in range(kinds - 1, -1, -1):
                    if held[0, hand, kind] < 0:
                        return -1 - start
                    if held[0, hand, kind] > 0:
                        if write:
                            row = filled[rows]
                            row[0], row[1], row[2], row[3] = holder, hand, kind, held[0, hand, kind]
                            row[4], row[5], row[6] = many[0, hand], held[1, hand, kind], many[1, hand]
                            at[rows] = first
                        rows += 1
                    held[1, hand, kind] = 0
                many[1, hand] = 0
            stop = first
        for one in range((rows - begin) // 2 if write else 0):  # backwards, so that turns go forwards
            other = rows - 1 - one
            for column in range(filled.shape[1]):
                filled[begin + one, column], filled[other, column] = filled[other, column], filled[begin + one, column]
            at[begin + one], at[other] = at[other], at[begin + one]
        start = end
    return rows


@counted
def taken(hands: pd.DataFrame, by: By = "card") -> Ratio:
    """Return how often a kind of card is taken when it is in the hand.

    Parameters
    ----------
    hands : DataFrame
        As `hands` gives it; with the column ``policy`` from `tables.with_policy`.
    by : str or sequence of str
        ``"card"``, ``["card", "turn"]``, ``["card", "policy"]``, ...
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``estimate, low, high``, ``n`` (turns at which the hand had it), ``games``.
    """
    need(hands, "hands", "game", "took")
    return rates.observe(hands, by, "took")


@counted
def against_chance(hands: pd.DataFrame, by: By = "card") -> Ratio:
    """Return how many times as often a kind of card is taken as by chance.

    Parameters are those of `taken`.

    Returns
    -------
    DataFrame
        The keys, ``estimate, low, high`` (1 = as by chance), ``n`` (turns at which the hand had it), ``games``.
    """
    need(hands, "hands", "game", "took", "chance")
    return lifts.observe(hands, by, "took", "chance")


@counted
def taken_at(hands: pd.DataFrame, by: By = "card") -> Ratio:
    """Return in which turn of the round a kind of card is taken, on the average of all that are.

    Parameters are those of `taken`.

    Returns
    -------
    DataFrame
        The keys, ``estimate, low, high`` (turns from 1), ``n`` (turns in which it was taken), ``games``.
    """
    need(hands, "hands", "game", "turn", "taken", "took")
    some = hands[hands["took"].to_numpy(bool)]
    some = some.assign(_turns=some["turn"].astype(np.int64) * some["taken"])
    return Ratio(some, listed(by), "_turns", "taken", within=_turns(hands))


def _turns(hands: pd.DataFrame) -> tuple[int, int]:
    """Return the first and the last turn of a round."""
    return 1, int(hands["turn"].max()) if len(hands) else 1


@counted
def last_seen(hands: pd.DataFrame, by: By = "card") -> Ratio:
    """Return in which turn a kind of card is in a hand for the last time, on the average of the hands that had it.

    With a key of players, such as ``"policy"``, it is the last turn in which one of them saw it in that hand.
    Parameters are those of `taken`.

    Returns
    -------
    DataFrame
        The keys, ``estimate, low, high`` (turns from 1), ``n`` (hands), ``games``.
    """
    need(hands, "hands", "game", "round", "turn", "hand", "card")
    keys = [*(key for key in listed(by) if key != "turn"), "game", "round", "hand", "card"]
    return means.observe(hands[last_rows(hands, list(dict.fromkeys(keys)), "turn")], by, "turn", within=_turns(hands))


@counted
def worths(hands: pd.DataFrame, by: By = ()) -> Choices:
    """Return what each kind of card is worth to those who pick: Plackett and Luce's model of choice.

    See `pick_rates.worths`; here a kind is chosen out of the kinds in the hand, however many cards of it there are.
    Turns in which chopsticks take two cards are left out.

    Parameters
    ----------
    hands : DataFrame
        As `hands` gives it.
    by : str or sequence of str
        Keys that are equal for all cards of a hand: ``"turn"``, ``"policy"``, ``"table"``.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``card``, ``estimate, low, high`` (1 on the geometric average of the kinds of a group), ``n`` (turns
        at which the hand had it), ``games``.
    """
    need(hands, "hands", *TURN, "card", "took", "of")
    return Choices(hands[hands["of"].to_numpy() == 1], listed(by), "card", "took", list(TURN))


@counted
def beside(hands: pd.DataFrame, by: By = "card") -> Together:
    """Return all rates of picking beside one another, a row a kind of card.

    Parameters
    ----------
    hands : DataFrame
        As `hands` gives it.
    by : str or sequence of str
        As in `taken`.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``offered`` (turns at which the hand had it), ``games``, and each with its interval ``_low, _high``:
        ``taken``, ``against_chance``, ``taken_at``, ``last_seen``. See the functions of these names.
    """
    parts = tuple(ask.observe(hands, by) for ask in (taken, against_chance, taken_at, last_seen))
    return Together(parts, side_by_side, {"names": BESIDE, "n": "offered"})
