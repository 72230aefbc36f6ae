"""How much a headline number may move before it matters, and what the number is called in plain words.

A margin is a designer's choice and not a fact, so each default says where it comes from, and `compare` and
`robustness` take others by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

from sushibalance.errors import UserError
from sushibalance.rules.problems import one_of, shown

Margin = tuple[float, float]


@dataclass(frozen=True)
class Kind:
    """A kind of number: its unit, how far it may move, and why so far.

    Attributes
    ----------
    unit : str
        ``"share"`` (of 1, written in percent), ``"VP"``, ``"points"`` or ``"times"``.
    margin : float
        A difference up to this, up or down, does not matter.
    source : str
        Where the margin comes from.
    per_player : bool
        The margin is for a table of one; at a larger table it is so many times smaller, as the fair share is.
    """

    unit: str
    margin: float
    source: str
    per_player: bool = False


KINDS = {
    "win points": Kind("times", 0.1, "0.90 to 1.10 of the fair share is 45% to 55% of a match of two"),
    "wins": Kind("share", 0.1, "the same as a rate: a tenth of the fair share", per_player=True),
    "shares": Kind("share", 0.02, "a house value: two of a hundred games, reveals or players"),
    "hands": Kind("share", 0.01, "a house value: four players reveal 32 hands, so about one hand in three games"),
    "times": Kind("times", 0.1, "as for win points: a tenth of what chance gives"),
    "lead changes": Kind("times", 0.1, "a house value: one lead change in ten games"),
    "points": Kind("points", 1.0, "the smallest difference that a final score can show"),
    "VP": Kind("VP", 1.0, "the smallest difference that a final score can show"),
}


@dataclass(frozen=True)
class Metric:
    """What a question of `headlines` measures.

    Attributes
    ----------
    words : str
        In plain language.
    kind : str
        One of `KINDS`.
    main : bool
        Whether a game is judged by it first: ``games="auto"`` goes on until these are decided.
    """

    words: str
    kind: str
    main: bool = False


METRICS = {
    "wins": Metric("games won", "wins"),
    "win_points": Metric("win points", "win points", main=True),
    "wins_by_seat": Metric("games won by seat", "wins", main=True),
    "points": Metric("final score", "points", main=True),
    "final_vp": Metric("VP at the end", "VP", main=True),
    "wins_by_distance": Metric("games won by distance from the first button", "wins"),
    "picks": Metric("how often a power-up is taken, against chance", "times"),
    "picks_by_round": Metric("how often a power-up is taken in a round, against chance", "times"),
    "picks_by_policy": Metric("how often a policy takes a power-up, against chance", "times"),
    "offers_taken": Metric("power-ups on offer that are taken", "shares"),
    "key_clients": Metric("games in which a Key Client card is taken", "shares"),
    "hands": Metric("share of the hands played", "hands", main=True),
    "hands_by_round": Metric("share of the hands played in a round", "hands"),
    "hands_by_policy": Metric("share of the hands that a policy plays", "hands"),
    "vp": Metric("VP after a round", "VP"),
    "vp_by_policy": Metric("VP of a policy after a round", "VP"),
    "vp_by_distance": Metric("VP after a round, by distance from the first button", "VP"),
    "vp_bands": Metric("quantiles of VP after a round", "VP"),
    "ahead": Metric("VP ahead of the table's mean", "VP"),
    "ahead_by_distance": Metric("VP ahead of the table's mean, by distance from the first button", "VP"),
    "wins_by_place": Metric("games won by place after a round", "wins"),
    "lead_changes": Metric("games in which the lead changes in a round", "shares"),
    "lead_changes_a_game": Metric("lead changes a game", "lead changes"),
    "comebacks": Metric("wins of players who were behind after a round", "shares"),
    "decisiveness": Metric("rounds that are still to come when all is settled", "shares"),
    "spread": Metric("VP between first and last after a round", "VP", main=True),
    "drama": Metric("VP of the later winner behind the leader", "VP"),
    "penalty_victories": Metric("games that end by the penalty victory", "shares", main=True),
    "endings": Metric("how games end", "shares"),
    "endings_by_round": Metric("how and after which round games end", "shares"),
    "ways_to_win": Metric("ways in which a policy wins", "shares"),
    "points_by_kind": Metric("points by kind of card", "points", main=True),
    "points_by_kind_and_policy": Metric("points of a policy by kind of card", "points"),
    "cards_taken": Metric("how often a card is taken, against chance", "times"),
    "puddings_decide": Metric("what puddings decide", "shares", main=True),
    "wins_by_puddings": Metric("games won by number of puddings", "wins"),
    "win_points_by_puddings": Metric("win points by number of puddings", "win points"),
}
OTHER = {"mean": "points", "rate": "shares", "lift": "times"}  # kinds of ratios, of a question that is not listed


class Margins:
    """The margin of each metric at a table, and its words.

    Parameters
    ----------
    names : sequence of str
        Metrics that are asked.
    players : int
        At the table.
    given : number, (low, high), mapping of str to these, optional
        The designer's own: for the one metric that is asked, or by name.

    Raises
    ------
    UserError
        For a margin that is none, of a metric that is not asked, or one for several metrics.
    """

    def __init__(self, names: list[str], players: int, given: Any = None):
        self.players = players
        if given is None:
            given = {}
        elif not isinstance(given, Mapping):
            if len(names) != 1:
                raise UserError(
                    f"margin: found {shown(given)} for {len(names)} metrics, which have different units; allowed one "
                    'for each by name, such as {"win_points": 0.02}'
                )
            given = {names[0]: given}
        for name in given:
            if name not in names:
                raise UserError(f"margin: found {shown(name)}, which is not asked; {one_of(str(name), names)}")
        self.given = {name: self._pair(name, value) for name, value in given.items()}

    @staticmethod
    def _pair(name: str, value: Any) -> Margin:
        try:
            low, high = map(float, (-value, value) if isinstance(value, Real) else value)
        except (TypeError, ValueError):
            low = high = 0.0
        if isinstance(value, bool) or not -1e12 < low < high < 1e12:
            raise UserError(
                f"margin of {name}: found {shown(value)}, allowed a number above 0, or a lower and a higher one"
            )
        if name in METRICS and KINDS[METRICS[name].kind].unit == "share" and (low <= -1 or high >= 1):
            raise UserError(
                f"margin of {name}: found {shown(value)}, allowed less than 1: it is a difference of shares, and a "
                "percentage point is 0.01 (in the shell also 1%)"
            )
        return float(low), float(high)

    def of(self, name: str, tally: Any = None) -> Margin:
        """Return the lowest and highest difference of a metric that do not matter."""
        if name in self.given:
            return self.given[name]
        kind = self.kind(name, tally)
        size = kind.margin / self.players if kind.per_player else kind.margin
        return -size, size

    @staticmethod
    def kind(name: str, tally: Any = None) -> Kind:
        """Return the kind of a metric; of one that is not in `METRICS` that of the ratios in its tally."""
        first = getattr(tally, "parts", [tally])[0]  # of several tallies side by side that of the estimate
        ratio = getattr(getattr(first, "base", first), "kind", "mean")
        return KINDS[METRICS[name].kind if name in METRICS else OTHER[ratio]]

    @staticmethod
    def words(name: str) -> str:
        """Return what a metric is called."""
        return METRICS[name].words if name in METRICS else name.replace("_", " ")
