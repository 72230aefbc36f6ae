"""What notebooks call to judge forced choices: verdicts on worths and on selection bias, and the rows of charts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import t

from sushibalance.analysis.robustness import Robustness
from sushibalance.errors import UserError
from sushibalance.stats import verdicts
from sushibalance.stats.groups import need
from sushibalance.stats.tallies import with_level

ALL = "all"
PAIRS = "{games} pairs of games"
BESIDE = ("pick", "over_pick", "association", "holders", "gap")  # columns beside a worth


@dataclass(frozen=True, eq=False)
class Widened:
    """Estimates with Student intervals at one level, read at another: what `verdicts` asks of a tally.

    Attributes
    ----------
    rows : DataFrame
        ``estimate, low, high, n, games``; ``attrs["level"]`` is the level of the intervals, ``attrs["played"]`` the
        games of which those of a row are a part, where it is known.
    """

    rows: pd.DataFrame

    @property
    def played(self) -> int | None:
        """Games that were played for each row."""
        return self.rows.attrs.get("played")

    def frame(self, level: float = 0.95) -> pd.DataFrame:
        """Return the rows with the intervals of another level."""
        own, freedom = self.rows.attrs["level"], np.maximum(self.rows["games"].to_numpy() - 1, 1)
        factor = t.isf((1 - level) / 2, freedom) / t.isf((1 - own) / 2, freedom)
        bounds = {side: self.rows["estimate"] + factor * (self.rows[side] - self.rows["estimate"]) for side in SIDES}
        return with_level(self.rows.assign(**bounds), level)


SIDES = ("low", "high")


def worths(
    values: pd.DataFrame, off: float, *, outcome: str = "vp", policy: str = ALL, level: float = 0.95
) -> tuple[pd.DataFrame, tuple[float, float]]:
    """Return a row a card with the verdict on its worth, and the margin: ``off`` up and down from the mean of all.

    Parameters
    ----------
    values : DataFrame
        From `analysis.card_values.card_values`.
    off : float
        How far a card's worth may lie from the mean of all cards, in the unit of the outcome.
    outcome, policy : str
        Which rows.
    level : float
        All verdicts together keep it.
    """
    need(values, "values", "card", "type", "policy", "round", "outcome", "estimate", "low", "high", "n", "games")
    if not off > 0:
        raise UserError(f"off: found {off:g}, allowed a number above 0")
    some = a_card(values, outcome=outcome, policy=policy)
    some = some[[name for name in some.columns if not name.startswith(BESIDE)]]  # their intervals have another level
    mean = float(some["estimate"].mean())
    margin = (mean - off, mean + off)
    return _as_counted(judged(some, margin, level=level), some), margin


def _as_counted(rows: pd.DataFrame, like: pd.DataFrame) -> pd.DataFrame:
    """Return rows of which n is said as of others."""
    if "counted" in like.attrs:
        rows.attrs["counted"] = like.attrs["counted"]
    return rows


def a_card(values: pd.DataFrame, *, outcome: str = "vp", policy: str = ALL) -> pd.DataFrame:
    """Return the rows of all rounds together, one a card."""
    chosen = (values["round"] == ALL) & (values["outcome"] == outcome) & (values["policy"] == policy)
    some = values[chosen].drop(columns=["round", "outcome", "policy"]).reset_index(drop=True)
    some.attrs.update({name: values.attrs[name] for name in ("level", "played") if name in values.attrs})
    if some["n"].equals(some["games"]):
        some.attrs["counted"] = PAIRS
    return some


def judged(rows: pd.DataFrame, margin: tuple[float, float], *, level: float = 0.95) -> pd.DataFrame:
    """Return rows of Student intervals with their verdicts, as `stats.verdicts` gives them."""
    return verdicts(Widened(rows), margin, level=level)


def biases(values: pd.DataFrame, off: float, *, level: float = 0.95) -> pd.DataFrame:
    """Return a row a card with the verdict on its gap: what goes with it, less what it does against one's own pick.

    Parameters
    ----------
    values : DataFrame
        As `a_card` gives it, of values with an ordinary run.
    off : float
        A gap up to this does not matter.
    level : float
        All verdicts together keep it.
    """
    need(values, "values", "card", "type", "gap", "gap_low", "gap_high", "n", "games")
    known = values[values["gap"].notna()]
    names = {"gap": "estimate", "gap_low": "low", "gap_high": "high"}
    some = known[["card", "type", *names, "n", "games"]].rename(columns=names).reset_index(drop=True)
    some.attrs["level"] = values.attrs["level"]
    return _as_counted(judged(some, (-off, off), level=level), values)


def standing_out(found: Robustness) -> pd.DataFrame:
    """Return the cells of the cards that are not fine in all groups, or whose verdict flips with who plays."""
    some = found.summary[(found.summary["verdict"] != "fine") | found.summary["flips_with_policy"]]
    cells = found.cells[found.cells[found.keys[0]].isin(some[found.keys[0]])]
    cells = cells.assign(**{found.keys[0]: cells[found.keys[0]].astype(str)})
    cells.attrs.update(found.cells.attrs, counted="{n} turns to pick in {games} games")
    return cells


def by_round(values: pd.DataFrame, worth: pd.DataFrame, *, outcome: str = "vp", most: int = 10) -> pd.DataFrame:
    """Return the worth of the highest and lowest cards by the round of the pick.

    Parameters
    ----------
    values : DataFrame
        From `analysis.card_values.card_values`.
    worth : DataFrame
        As `worths` gives it.
    outcome : str
        Which rows.
    most : int
        So many cards, half of them the highest.
    """
    order = worth.sort_values("estimate", ascending=False, kind="stable")["card"].astype(str).tolist()
    kept = order if len(order) <= most else order[: (most + 1) // 2] + order[len(order) - most // 2 :]
    chosen = (values["round"] != ALL) & (values["outcome"] == outcome) & (values["policy"] == ALL)
    some = values[chosen & values["card"].astype(str).isin(kept)].copy()
    some["card"] = pd.Categorical(some["card"].astype(str), kept)
    some["round"] = some["round"].astype(str).astype(int)
    some.attrs.update(level=values.attrs["level"], counted=PAIRS)
    return some.sort_values(["card", "round"]).reset_index(drop=True)
