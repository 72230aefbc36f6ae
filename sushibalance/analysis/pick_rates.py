"""Which power-ups players take (Sushi Otter).

Each round one power-up more than there are players lies open, and each player in turn takes one of
what is left. *Taken* is the part of the offers that somebody took. With five on offer to four
players it is 80% by chance alone, so it says little. *Against chance* looks at every turn at
which a card was still there: with ``m`` cards left, chance takes it once in ``m``. Two means: taken twice as
often as that. A card that the first player always takes is taken as many times as often as there are cards on
offer, and no card can be taken more often: that is the ceiling.

*First pick*, *taken at* and *last seen* tell when: how often the first to pick takes it, in which pick it is taken on
the average, and until which pick it is there. *Worth* is what the first three say of single cards, freed of the others
that happened to lie beside them.

These numbers say what players want, not what a card is good for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from sushibalance.analysis.tables import side_by_side
from sushibalance.core.jit import lean
from sushibalance.stats import lifts, means, rates
from sushibalance.stats.exact import UNITS
from sushibalance.stats.extremes import Least
from sushibalance.stats.groups import By, ColumnError, first_rows, last_rows, listed, need
from sushibalance.stats.ratios import Ratio, RatioTally
from sushibalance.stats.tallies import Together, counted
from sushibalance.stats.worths import Choices

UNIT = UNITS[-1]  # of chances
BESIDE = ("taken", "first_pick", "against_chance", "taken_at", "last_seen")


def turns(offers: pd.DataFrame, picks: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each card still on offer at each turn to pick.

    Parameters
    ----------
    offers : DataFrame
        ``run.offers``: game, round, power_up.
    picks : DataFrame
        ``run.picks``: game, round, order, seat, power_up. Picks outside the offers (starting
        power-ups) are left out.

    Returns
    -------
    DataFrame
        game, round, order (1-based), seat (who picks), power_up, left (cards on offer), taken,
        chance (``1 / left``).
    """
    offered, picked, lasted, on_offer, first, rows = _met(offers, picks)
    game, number, card, seat = (np.empty(rows, part.dtype) for part in (*offered, picked[3]))
    order, left, took = np.empty(rows, np.int8), np.empty(rows, np.int16), np.empty(rows, bool)
    _spread(lasted, on_offer, first, *offered, picked[3], game, number, order, seat, card, left, took)
    columns = {
        "game": game, "round": number, "order": order, "seat": seat, "power_up": card, "left": left, "taken": took,
        "chance": 1.0 / left,
    }  # fmt: skip
    return pd.DataFrame(columns, copy=False)


def met(offers: pd.DataFrame, picks: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each card on offer that was there when somebody picked: its rows of `turns` added up.

    Parameters
    ----------
    offers, picks : DataFrame
        As for `turns`.

    Returns
    -------
    DataFrame
        game, round, power_up, turns (at which it was there), taken (whether at all), chance (the sum of those at all
        turns), least (the chance at the first turn).
    """
    offered, _, lasted, on_offer, *_ = _met(offers, picks)
    turns, seen = np.abs(lasted), lasted != 0
    left = np.arange(on_offer.max(initial=0) + 1)[:, None] - np.arange(turns.max(initial=1))
    shares = np.where(left > 0, UNIT / np.maximum(left, 1), np.inf)
    sums = np.cumsum(shares, axis=1) / UNIT  # each the nearest number to the sum
    columns = dict(zip(("game", "round", "power_up"), offered, strict=True))
    columns |= {"turns": turns, "taken": lasted > 0, "chance": sums[on_offer, turns - 1], "least": 1.0 / on_offer}
    frame = pd.DataFrame(columns, copy=False)
    return frame if seen.all() else frame[seen]


def _met(offers: pd.DataFrame, picks: pd.DataFrame) -> tuple[Any, ...]:
    """Return the columns of offers and picks in order, what `_meet` finds of each offer, and the turns of all."""
    offers = _in_order(offers, "offers", ["game", "round"], ["power_up"])
    picks = _in_order(picks, "picks", ["game", "round", "order"], ["power_up", "seat"])
    offered = [offers[name].to_numpy() for name in ("game", "round", "power_up")]
    picked = [picks[name].to_numpy() for name in ("game", "round", "power_up", "seat")]
    lasted, on_offer = np.empty((2, len(offers)), np.int16)
    first = np.empty(len(offers), np.int64)
    rows = _meet(*offered, *picked[:3], lasted, on_offer, first)
    return offered, picked, lasted, on_offer, first, rows


def _in_order(frame: pd.DataFrame, name: str, keys: Sequence[str], others: Sequence[str]) -> pd.DataFrame:
    """Return a frame sorted by some columns; as it is where it is sorted already. All must be whole numbers."""
    need(frame, name, *keys, *others)
    for column in (*keys, *others):
        dtype = frame[column].dtype
        if not isinstance(dtype, np.dtype) or dtype.kind not in "iu":
            raise ColumnError(f"{name}: {column}: found {dtype}, allowed whole numbers")
    columns = [frame[key].to_numpy() for key in keys]
    behind, same = np.zeros(max(len(frame) - 1, 0), bool), np.ones(max(len(frame) - 1, 0), bool)
    for column in columns:
        behind |= same & (column[1:] < column[:-1])
        same &= column[1:] == column[:-1]
    return frame.iloc[np.lexsort(columns[::-1])] if behind.any() else frame


@lean
def _meet(game, number, card, pick_game, pick_number, pick_card, lasted, on_offer, first):
    """Find for each card on offer how many turns it met: negative where it was left over at the end.

    Offers are sorted by game and round, picks by the order of picking, too. ``on_offer`` becomes the number of cards
    on offer in the round, ``first`` the row of its first pick. Returns the turns of all cards.
    """
    offer = pick = turns = 0
    while offer < len(game):
        now, round_number, end = game[offer], number[offer], offer
        while end < len(game) and game[end] == now and number[end] == round_number:
            end += 1
        while pick < len(pick_game) and (
            pick_game[pick] < now or (pick_game[pick] == now and pick_number[pick] < round_number)
        ):
            pick += 1
        start = pick
        while pick < len(pick_game) and pick_game[pick] == now and pick_number[pick] == round_number:
            pick += 1
        for row in range(offer, end):
            met = 0
            for turn in range(start, pick):  # without a branch that nobody can foresee
                met = max(met, (turn - start + 1) * (pick_card[turn] == card[row]))
            on_offer[row], first[row], lasted[row] = end - offer, start, met if met > 0 else start - pick
            turns += met if met > 0 else pick - start
        offer = end
    return turns


@lean
def _spread(
    lasted, on_offer, first, game, number, card, seat, to_game, to_number, to_order, to_seat, to_card, to_left, to_taken
):
    """Fill the rows of each card's turns: game, round and card are those of the offer, the seat that of the pick."""
    row = 0
    for offer in range(len(lasted)):
        for turn in range(abs(lasted[offer])):
            to_game[row], to_number[row], to_card[row] = game[offer], number[offer], card[offer]
            to_seat[row] = seat[first[offer] + turn]
            to_order[row] = turn + 1
            to_left[row] = on_offer[offer] - turn
            to_taken[row] = turn + 1 == lasted[offer]
            row += 1


@counted
def taken(offers: pd.DataFrame, by: By = "power_up") -> Together:
    """Return how often a power-up on offer is taken by somebody in that round.

    Parameters
    ----------
    offers : DataFrame
        ``run.offers``: game, round, power_up, taken_by (seat or -1).
    by : str or sequence of str
        ``"power_up"``, ``["power_up", "round"]``, ...
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``estimate, low, high``, ``n`` (times offered), ``games``, ``taken`` (times taken).
    """
    need(offers, "offers", "game", "power_up", "taken_by")
    return Together((rates.observe(offers.assign(_taken=offers["taken_by"] >= 0), by, "_taken"),), _with_times)


def _with_times(taken: RatioTally, level: float) -> pd.DataFrame:
    return taken.frame(level).assign(taken=taken.total().astype(np.int64))


@counted
def against_chance(turns: pd.DataFrame, by: By = "power_up") -> Together:
    """Return how many times as often a power-up is taken as by chance, given how many are left.

    Parameters
    ----------
    turns : DataFrame
        As `turns` gives it; with the column ``policy`` from `tables.with_policy`, or others of the
        user's own, such as the type of the card. As `met` gives it, the answer is the same.
    by : str or sequence of str
        ``"power_up"``, ``["power_up", "round"]``, ``["power_up", "policy"]``, ...
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``estimate, low, high`` (1 = as by chance), ``n`` (turns at which the card was
        there), ``games``, ``taken`` (times taken), ``ceiling`` (the most that is possible).
    """
    need(turns, "turns", "game", "taken", "chance")
    keys, (count, least) = listed(by), ("turns", "least") if "turns" in turns.columns else (None, "chance")
    wanted = Ratio(turns, keys, "taken", "chance", kind="lift", count=count)
    return Together((wanted, Least.of(turns, keys, least)), _with_ceiling)


def _with_ceiling(wanted: RatioTally, chance: Least, level: float) -> pd.DataFrame:
    ceiling = (1 / chance.frame()["least"]).round(9)
    return wanted.frame(level).assign(ceiling=ceiling, taken=wanted.total().astype(np.int64))


@counted
def first_picks(turns: pd.DataFrame, by: By = "power_up") -> Ratio:
    """Return how often a power-up on offer is taken by the first player to pick.

    Parameters
    ----------
    turns : DataFrame
        As `turns` gives it.
    by : str or sequence of str
        As in `against_chance`; with ``"policy"`` of the offers of which a player of that policy picked first.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``estimate, low, high``, ``n`` (times on offer), ``games``.
    """
    need(turns, "turns", "game", "order", "taken")
    return rates.observe(turns[turns["order"].to_numpy() == 1], by, "taken")


@counted
def taken_at(turns: pd.DataFrame, by: By = "power_up") -> Ratio:
    """Return in which pick of the round a power-up is taken, on the average of the times that it is.

    What draft sites call average taken at (ATA). Parameters are those of `against_chance`.

    Returns
    -------
    DataFrame
        The keys, ``estimate, low, high`` (1: always the first pick), ``n`` (times taken), ``games``.
    """
    need(turns, "turns", "game", "order", "taken")
    return means.observe(turns[turns["taken"].to_numpy(bool)], by, "order", within=_orders(turns))


def _orders(turns: pd.DataFrame) -> tuple[int, int]:
    """Return the first and the last pick of a round."""
    return 1, int(turns["order"].max()) if len(turns) else 1


@counted
def last_seen(turns: pd.DataFrame, by: By = "power_up") -> Ratio:
    """Return in which pick of the round a power-up was there for the last time, on the average of its offers.

    What draft sites call average last seen at (ALSA). A card that is taken was last seen in that pick, one that nobody
    takes in the last. With a key of players, such as ``"policy"``, it is the last pick in which one of them saw it.
    Parameters are those of `against_chance`.

    Returns
    -------
    DataFrame
        The keys, ``estimate, low, high`` (1: always taken first), ``n`` (times on offer), ``games``.
    """
    need(turns, "turns", "game", "round", "order", "power_up")
    return means.observe(turns[last_rows(turns, _offer(by), "order")], by, "order", within=_orders(turns))


@counted
def worths(turns: pd.DataFrame, by: By = (), *, item: str = "power_up") -> Choices:
    """Return what each power-up is worth to those who pick: Plackett and Luce's model of choice.

    A card is taken with a chance in proportion to its worth among those of all that are left. So a card of worth 2
    is taken twice as often as one of worth 1 where both are on offer, whatever lies beside them; `against_chance`
    depends on what does. For the fit and its spread see `stats.worths`.

    Parameters
    ----------
    turns : DataFrame
        As `turns` gives it.
    by : str or sequence of str
        Keys that are equal for all cards of a turn: ``"round"``, ``"policy"``, ``"table"``, not the card.
    item : str
        What is told apart: ``"power_up"``, or ``"card"`` where power-ups that are alike count as one
        (`tables.with_cards`).
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, the item, ``estimate, low, high`` (1 on the geometric average of the cards of a group), ``n``
        (turns at which the card was there), ``games``. A card has no interval where players always, or never, take it
        before others: its worth has no bound then.
    """
    need(turns, "turns", "game", "round", "order", item, "taken")
    return Choices(turns, listed(by), item, "taken", ["game", "round", "order"])


@counted
def beside(turns: pd.DataFrame, by: By = "power_up") -> Together:
    """Return all rates of picking beside one another, a row a card: the table to look at first.

    Parameters
    ----------
    turns : DataFrame
        As `turns` gives it.
    by : str or sequence of str
        As in `against_chance`. With a key of players, such as ``"policy"``, an offer counts for those of them that had
        it before them, and as taken when one of them took it.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``offered`` (times), ``games``, and each with its interval ``_low, _high``: ``taken``,
        ``first_pick``, ``against_chance``, ``taken_at``, ``last_seen``. See the functions of these names.
    """
    need(turns, "turns", "game", "round", "order", "power_up", "taken", "chance")
    met = turns.assign(_met=first_rows(turns, _offer(by)))
    parts = (
        Ratio(met, listed(by), "taken", "_met", kind="rate"),
        first_picks.observe(turns, by),
        lifts.observe(turns, by, "taken", "chance"),
        taken_at.observe(turns, by),
        last_seen.observe(turns, by),
    )
    return Together(parts, side_by_side, {"names": BESIDE, "n": "offered"})


def _offer(by: By) -> list[str]:
    """Return the keys that tell apart the offers of cards, each seen by the players of each group."""
    return list(dict.fromkeys([*listed(by), "game", "round", "power_up"]))


@counted
def key_clients(picks: pd.DataFrame, by: By = ()) -> Ratio:
    """Return in how many games each Key Client card is taken by somebody.

    There is one of each, so a card is taken once in a game or not at all.

    Parameters
    ----------
    picks : DataFrame
        ``run.picks``: game, key_client (missing where a pick brought none). Starting power-ups count.
    by : str or sequence of str
        Keys besides the card; with ``"policy"`` (`tables.with_policy`) the games in which a player of that
        policy took it.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``key_client``, ``estimate, low, high``, ``n`` (games), ``games``. Cards that nobody ever took
        have a row too.
    """
    keys = listed(by)
    need(picks, "picks", *keys, "game", "key_client")
    card = first_rows(picks, [*keys, "game", "key_client"])  # it counts once, and so does the game
    game = first_rows(picks, [*keys, "game"])
    return Ratio(
        picks.assign(key_client=picks["key_client"].astype("category"), _card=card, _game=game),
        keys, "_card", "_game", kind="rate", inner=["key_client"],
    )  # fmt: skip
