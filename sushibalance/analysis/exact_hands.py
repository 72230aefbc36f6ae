"""How rare hands are, counted over all cards that can be dealt, and what they cost (Sushi Otter)."""

from __future__ import annotations

from collections.abc import Iterable
from math import comb

import numpy as np
import pandas as pd

from sushibalance.errors import UserError
from sushibalance.games.otter.counting import best_hands, formable
from sushibalance.games.otter.possible import MAX_HAND_LIMIT
from sushibalance.games.otter.rules import OtterRules
from sushibalance.games.registry import load_rules
from sushibalance.stats import shares
from sushibalance.stats.groups import need

FEWEST = 3  # two points are always on a line


def exact(cards: int = 8, rules: OtterRules | None = None) -> pd.DataFrame:
    """Return how often each hand is the best one in so many cards. Exact: all sets of cards are counted.

    For a player without power-ups and Key Client cards. The best hand is the one with most score, printed icons left
    out, that some reveal of the cards forms; among equals, that with most VP; then the first in the rule file, but a
    hand for cards that form nothing comes last. The readings of the rules count.

    Parameters
    ----------
    cards : int
        Cards in hand: at least as many as must be revealed, at most 12, and no more than the deck has.
    rules : OtterRules, optional
        The printed rules when left out.

    Returns
    -------
    DataFrame
        hand (all but new hands, in the order of the rule file), count (of the ``C(deck, cards)`` sets of cards),
        share.

    Raises
    ------
    UserError
        For a number of cards that nobody can hold; for hands that would fill the memory.

    Notes
    -----
    The printed rules take some tenths of a second. Hands of different suits, above all with a run, take seconds;
    with a deck of six suits, and a hand for nothing that beats basic hands, it can be minutes.

    Examples
    --------
    >>> hands = exact(5).set_index("hand")
    >>> int(hands["count"].sum()), int(hands.loc["flush", "count"])
    (8259888, 6390)
    """
    rules = _printed(rules)
    cards = _held(cards, rules)
    counts = best_hands(rules, cards)
    table = pd.DataFrame({"hand": _hands(rules, counts), "count": np.array(list(counts.values()), np.int64)})
    return table.assign(share=table["count"] / _all_sets(rules, cards))


def price_against_rarity(
    cards: int = 8,
    rules: OtterRules | None = None,
    rounds: pd.DataFrame | None = None,
    *,
    vp_weight: float = 2.0,
    level: float = 0.95,
) -> pd.DataFrame:
    """Return what each hand pays, and how hard it is to make.

    Rarity is the power of ten of one in how many sets of cards can form the hand, whatever else they can form: 2 for
    one in a hundred. (How often it is the best hand does not tell: next to nobody is left with no hand at all.) A
    straight line is fitted to the rarities of the basic hands by price (least squares, each hand counts once). The
    residual is how far a hand is off it: at 1 it is ten times as rare as basic hands of its price, and pays little
    for that; at -1 ten times as common. New hands are held against the same line; they cost a Key Client card as well.
    The line says what these rules do on the whole, not what they should do.

    Parameters
    ----------
    cards, rules
        As for `exact`.
    rounds : DataFrame, optional
        ``run.rounds`` of games by these rules: game, hand.
    vp_weight : float
        Score points that a VP is worth; price is score + ``vp_weight`` * VP.
    level : float
        Confidence level of the interval of ``played``.

    Returns
    -------
    DataFrame
        hand (in the order of the rule file), new (only for those whom a Key Client card taught it), score, vp, price;
        share (of sets whose best hand it is, missing for new hands), formable (share of sets that can form it,
        missing for the hand for nothing); rarity, expected (on the line), residual, and fitting, the price at which a
        hand would lie on the line (missing where the line does not rise), missing for hands that no set forms, and
        all where there are fewer than 3 basic hands, or hands of one price only, for a line. With ``rounds`` also
        played (share of the hands revealed), low, high, n, games.

    Raises
    ------
    UserError
        As for `exact`; for rounds with other hands.
    """
    rules = _printed(rules)
    cards = _held(cards, rules)
    if not 0 <= vp_weight <= 1000:
        raise UserError(f"vp_weight: found {vp_weight}, allowed a number from 0 to 1000")
    hands, sets = rules.hands, _all_sets(rules, cards)
    best, forms = pd.Series(best_hands(rules, cards), dtype=float), pd.Series(formable(rules, cards), dtype=float)
    table = pd.DataFrame(
        {
            "hand": _hands(rules, hands),
            "new": [name in rules.new_hands for name in hands],
            "score": [hand.score for hand in hands.values()],
            "vp": [hand.vp for hand in hands.values()],
            "price": [hand.score + vp_weight * hand.vp for hand in hands.values()],
            "share": best.reindex(hands).to_numpy() / sets,
            "formable": forms.reindex(hands).to_numpy() / sets,
        }
    )
    table["rarity"] = -np.log10(table["formable"].where(table["formable"] > 0))
    start, slope = _line(table[~table["new"]])
    table["expected"] = (start + slope * table["price"]).where(table["rarity"].notna())
    table["residual"] = table["rarity"] - table["expected"]
    table["fitting"] = (table["rarity"] - start) / slope if slope > 0 else np.nan
    return table if rounds is None else _with_played(table, rounds, level)


def _with_played(table: pd.DataFrame, rounds: pd.DataFrame, level: float) -> pd.DataFrame:
    """Return the table with the share of each hand in play."""
    need(rounds, "rounds", "game", "hand")
    hands = table["hand"]
    other = sorted(set(rounds["hand"].dropna().unique()) - set(hands))
    if other:
        raise UserError(f'rounds: found the hand "{other[0]}", allowed the hands of the rules: {", ".join(hands)}')
    seen = rounds.assign(hand=pd.Categorical(rounds["hand"], categories=hands.cat.categories))
    played = shares(seen, [], "hand", level=level).rename(columns={"estimate": "played"})
    return table.merge(played, on="hand", how="left", validate="one_to_one")


def _line(hands: pd.DataFrame) -> tuple[float, float]:
    """Return the rarity of hands of price 0 and how much it grows with the price, on their least squares line."""
    from scipy.stats import linregress  # slow to import

    known = hands[hands["rarity"].notna()]
    if len(known) < FEWEST or known["price"].nunique() < 2:
        return np.nan, np.nan
    fit = linregress(known["price"], known["rarity"])
    return float(fit.intercept), float(fit.slope)


def _hands(rules: OtterRules, names: Iterable[str]) -> pd.Categorical:
    return pd.Categorical(list(names), categories=list(rules.hands))


def _all_sets(rules: OtterRules, cards: int) -> int:
    return comb(len(rules.deck.suits) * rules.deck.numbers, cards)


def _printed(rules: OtterRules | None) -> OtterRules:
    """Return the rules, the printed ones when left out."""
    found = load_rules("otter") if rules is None else rules
    if not isinstance(found, OtterRules):
        name = getattr(found, "name", found)
        raise UserError(f"rules: found {name!r}, allowed rules of Sushi Otter, such as load_rules('otter')")
    return found


def _held(cards: int, rules: OtterRules) -> int:
    """Return a number of cards that can be held."""
    low, high = rules.play.reveal_at_least, min(MAX_HAND_LIMIT, len(rules.deck.suits) * rules.deck.numbers)
    if isinstance(cards, bool) or not isinstance(cards, (int, np.integer)) or not low <= cards <= high:
        raise UserError(f"cards: found {cards!r}, allowed {low} to {high}")
    return int(cards)
