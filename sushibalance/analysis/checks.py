"""Simulated frequencies against those that can be calculated: whether the engine deals and chooses as it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from sushibalance.analysis.asking import RuleSet
from sushibalance.analysis.closed_forms import Form, Forms
from sushibalance.analysis.saying import Said
from sushibalance.errors import UserError
from sushibalance.games.registry import load_rules
from sushibalance.rules import Rules
from sushibalance.simulation.fold import fold
from sushibalance.simulation.run import Run
from sushibalance.stats.intervals import positive
from sushibalance.stats.tallies import Tallies, quotient, with_level

FEWEST = 30  # so many cases, and so many others, are expected of what is judged, and so many games
LISTED = 10


class CheckError(UserError):
    """Frequencies that are not what they must be.

    Attributes
    ----------
    frame : DataFrame
        All checks, as `checks` returns them.
    """

    def __init__(self, frame: pd.DataFrame, limit: float):
        self.frame = frame
        wrong = frame[frame["z"].abs() > limit]
        lines = [
            f"{row.what}, {row.case}: found {row.estimate:.6g}, calculated {row.exact:.6g} "
            f"(z = {row.z:+.1f}; {row.why})"
            for row in wrong.head(LISTED).itertuples()
        ]
        more = [f"and {len(wrong) - LISTED} more"] if len(wrong) > LISTED else []
        super().__init__(
            f"checks: {len(wrong)} of {int(frame['z'].notna().sum())} frequencies are more than {limit:g} standard "
            "errors from what they must be:\n  " + "\n  ".join([*lines, *more])
        )


def checks(
    rules: RuleSet,
    *,
    players: int | None = None,
    games: int = 20_000,
    seed: int = 0,
    limit: float = 4.0,
    loud: bool = True,
    workers: int | None = None,
    executor: Any = None,
    progress: bool = True,
) -> pd.DataFrame:
    """Return every frequency with a closed form, simulated and calculated, and how far apart they are.

    Games of players who choose at random are held against deals, first choices and chances to win that follow from the
    rules by counting (`closed_forms`). ``z`` is the distance in standard errors between games; of a rate the error
    that the calculated value has. Where fewer than 30 cases or 30 others are expected, or there are fewer games, it is
    missing: there it says nothing.

    Parameters
    ----------
    rules : Rules, str or Path
        A game, a variant, a rule file.
    players : int, optional
        By default 4, or as many as can play.
    games : int
    seed : int
    limit : float
        The largest ``z`` that passes. Of ``m`` sound checks of what chance decides one fails in about ``m`` times
        0.00006 runs at 4: ``attrs["false_alarm"]`` is that chance for this frame.
    loud : bool
        Raise an error when a check fails; else only return the frame.
    workers, executor, progress
        As for `fold`.

    Returns
    -------
    DataFrame
        ``what, case`` (the keys in words), ``exact, estimate, low, high, z``, ``detects`` (how far from ``exact`` an
        estimate must be to fail: 0 where it can be no other, missing where so few games say nothing), ``n, games,
        why`` (how the exact value follows). Where no row detects more than 0 nothing was checked that chance decides.

    Raises
    ------
    CheckError
        Listing what fails; it has the frame.
    UserError
        For what `simulate` refuses.

    Examples
    --------
    >>> found = checks("nightmares", games=2_000, progress=False)
    >>> bool(found["z"].abs().max() < 4), sorted(found["what"].unique())[:2]
    (True, ['ability played in round 1', 'games won by seat'])
    """
    limit = positive("limit", limit)
    chosen = rules if isinstance(rules, Rules) else load_rules(rules)
    seats = _seats(chosen) if players is None else players
    how = {"workers": workers, "executor": executor, "progress": progress}
    forms = list(Forms(chosen, seats)) if isinstance(seats, int) else []
    tallies = fold(chosen, _Asked(chosen, seats), players=seats, games=games, seed=seed, **how)
    frame = _held_against(forms, tallies, limit)
    alarm = 1 - (1 - 2 * ndtr(-limit)) ** int((frame["detects"] > 0).sum())
    frame.attrs["false_alarm"] = float(alarm)
    if loud and (frame["z"].abs() > limit).any():
        raise CheckError(frame, limit)
    return frame


class _Asked:
    """The questions of all closed forms to a part of a run, by their place; made anew wherever it is sent."""

    def __init__(self, rules: Rules, players: int):
        self.rules, self.players = rules, players

    def __call__(self, part: Run) -> Tallies:
        """Return the tallies."""
        return Tallies({str(place): form.ask(part) for place, form in enumerate(Forms(self.rules, self.players))})


def _seats(rules: Rules) -> int:
    """Return 4 players, or the nearest number that can play."""
    deal = getattr(getattr(rules, "deal", None), "sizes", None)
    return 4 if deal is None or 4 in deal else max(deal)


def _held_against(forms: Sequence[Form], tallies: Mapping[str, Any], limit: float = 4.0) -> pd.DataFrame:
    """Return a row for each row of each tally, with its exact value, z, and the least error that is found."""
    rows = []
    for form, tally in zip(forms, tallies.values(), strict=True):
        frame, moments = tally.frame(), tally.moments
        exact = np.asarray(form.exact(frame), np.float64) * np.ones(len(frame))
        chance = _by_chance(tally)
        errors = _errors(tally.kind, frame, moments.variance, exact, chance)
        keys = list(moments.keys.columns)
        values = frame[keys].itertuples(index=False, name=None) if keys else iter([()] * len(frame))
        rows.append(
            pd.DataFrame(
                {
                    "what": form.what,
                    "case": [Said.keys(keys, value) or "all" for value in values],
                    "exact": exact,
                    **{name: frame[name].to_numpy() for name in ("estimate", "low", "high")},
                    "z": _z(tally.kind, frame, moments.variance, exact, chance),
                    "detects": _detects(tally.kind, frame, *errors, limit),
                    **{name: frame[name].to_numpy() for name in ("n", "games")},
                    "why": form.why,
                }
            )
        )
    return with_level(pd.concat(rows, ignore_index=True), 0.95)


def _by_chance(tally: Any) -> np.ndarray | None:
    """Return how many cases of each row chance gives, where that is counted."""
    return quotient(tally.sums[1].bottom, tally.units[1]) if tally.kind == "lift" else None


def _z(
    kind: str, frame: pd.DataFrame, variance: np.ndarray, exact: np.ndarray, by_chance: np.ndarray | None = None
) -> np.ndarray:
    """Return how many standard errors estimates are from exact values, missing where that says nothing.

    Where the error is measured, and not calculated, it is Student's t turned into a normal value.
    """
    error, judged = _errors(kind, frame, variance, exact, by_chance)
    off = frame["estimate"].to_numpy() - exact
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(np.abs(off) <= 1e-12, 0.0, off / error)
    if kind != "rate":
        z = -np.sign(z) * ndtri(stdtr(_freedom(frame), -np.abs(z)))
    return np.where(judged, z, np.nan)


def _detects(kind: str, frame: pd.DataFrame, error: np.ndarray, judged: np.ndarray, limit: float) -> np.ndarray:
    """Return the distance from the exact value from which on `_z` is above the limit."""
    times = limit if kind == "rate" else stdtrit(_freedom(frame), ndtr(limit))
    return np.where(judged, times * error, np.nan)


def _freedom(frame: pd.DataFrame) -> np.ndarray:
    return np.maximum(frame["games"].to_numpy() - 1, 1)


def _errors(
    kind: str, frame: pd.DataFrame, variance: np.ndarray, exact: np.ndarray, by_chance: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the standard errors, 0 of a rate that is never or always so, and where they say anything."""
    estimate, n, games = (frame[name].to_numpy() for name in ("estimate", "n", "games"))
    if kind != "rate":
        cases = n if by_chance is None else np.minimum(exact * by_chance, n - exact * by_chance)
        return np.sqrt(variance), np.minimum(cases, games) >= FEWEST
    # Between games rates spread more or less than single cases would; so much so at the exact value, too.
    alone = estimate * (1 - estimate) / n
    spread = np.where((alone > 0) & (variance > 0), variance / np.where(alone > 0, alone, 1), 1.0)
    certain = (exact <= 0) | (exact >= 1)
    error = np.where(certain, 0.0, np.sqrt(spread * np.maximum(exact * (1 - exact), 0) / n))
    # Where nearly every game has as many, those that have not are the cases.
    cases = n * np.minimum(exact, 1 - exact) * np.minimum(spread, 1)
    return error, certain | (cases >= FEWEST)
