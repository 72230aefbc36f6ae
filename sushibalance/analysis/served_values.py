"""What a grade that is served, or an ability that is played, is worth to its player (Nightmares of Sushi): the cause.

Who serves an A may do so because the game stands well, so the points that go with an A are not what it brings. Here
one choice of each game is forced: of a seat and in a round that are drawn by lot. Where the player has the card, it is
served or played; the game goes on with the same shuffles, and is set against itself:

*grade*: it serves this grade, against what its policy serves there. What a policy chooses by itself has effect 0.
*ability*: it plays this ability, against none. None may also mean that it is played later: then what counts is now.

The effect is that of one serving. All cards but one are served in the end, so a grade's effect is that of serving it
now and others later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sushibalance.analysis.forced.effects import Plan, compared, framed, outcomes, places, played, seats_of, with_all
from sushibalance.errors import UserError
from sushibalance.games.game import Policy
from sushibalance.games.intervention import Intervention
from sushibalance.games.nightmares.rules import ABILITIES, NightmaresRules
from sushibalance.rules import Rules
from sushibalance.rules.problems import one_of, shown
from sushibalance.simulation.arms import Arms
from sushibalance.simulation.executors import allowed
from sushibalance.simulation.request import MAX_GAMES, Request, whole
from sushibalance.simulation.run import Run
from sushibalance.stats import rates
from sushibalance.stats.groups import labelled
from sushibalance.stats.intervals import checked
from sushibalance.stats.tallies import Tallies

PART = 10_000  # pairs of games that are counted together
GRADE, ABILITY = "grade", "ability"
KEYS = ["what", "card", "policy", "round"]


def served_values(
    rules: Rules | str | Path = "nightmares",
    *,
    players: int = 4,
    policies: str | Policy | Sequence[str | Policy] = "greedy",
    games: int = 20_000,
    cards: Sequence[str] | None = None,
    seed: int = 0,
    level: float = 0.95,
    workers: int | None = None,
    progress: bool = True,
    executor: Any = None,
) -> pd.DataFrame:
    """Return what each served grade and each ability gains or costs.

    Parameters
    ----------
    rules, players, policies, seed, workers, progress, executor
        As for `simulate`; rules of Nightmares of Sushi.
    games : int
        Pairs of games for each card. Those count in which the player has it there.
    cards : sequence of str, optional
        Grades and abilities; by default all.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        ``what`` (``"grade"``, ``"ability"``), ``card``, ``policy`` (of the player; ``"all"``, and each where there are
        several), ``round`` (``"all"``, and each), ``outcome`` (``"points"``: gold minus penalty; ``"gold"``,
        ``"penalty"``; ``"win_points"``: 1 is the fair share); ``otherwise, forced``: the mean of the player without and
        with the force; ``estimate, low, high``: forced - otherwise, game by game; ``n``: choices that were forced;
        ``games``; ``reduction``: two independent runs would need so many times as many games; ``chosen``: in how many
        of them the player chose it anyway (grades). ``attrs["played"]`` is the number of pairs for each card.

    Raises
    ------
    UserError
        For other games, and cards that there are not; and as `simulate`.
    """
    level = checked(level)
    tallies = effects(
        rules, players=players, policies=policies, games=games, cards=cards, seed=seed, workers=workers,
        progress=progress, executor=executor,
    )  # fmt: skip
    chosen = tallies.pop("chosen").frame(level)[[*KEYS, "estimate"]].rename(columns={"estimate": "chosen"})
    frame = framed(tallies, level, ("otherwise", "forced"))
    found = frame.merge(chosen, on=KEYS, how="left", validate="many_to_one")
    found.attrs |= {**frame.attrs, "played": games}
    return found.assign(chosen=found["chosen"].where(found["what"] == GRADE))


def effects(
    rules: Rules | str | Path = "nightmares",
    *,
    players: int = 4,
    policies: str | Policy | Sequence[str | Policy] = "greedy",
    games: int = 20_000,
    cards: Sequence[str] | None = None,
    seed: int = 0,
    workers: int | None = None,
    progress: bool = True,
    executor: Any = None,
) -> Tallies:
    """Return the tallies behind `served_values`, by outcome; ``chosen`` is the share that a player chose anyway.

    Parameters are those of `served_values`.
    """
    request = Request.of(rules, players, policies, seed)
    if not isinstance(request.rules, NightmaresRules):
        raise UserError(f"served_values: found {request.engine.title}, allowed Nightmares of Sushi")
    cases = _cases(request.rules, cards)
    arms = Arms(request, list(cases.values()))
    games = whole("games", games, 2, MAX_GAMES)
    plans = [Plan(case, 0, games) for case in range(len(cases))]
    how = {"workers": allowed(workers), "executor": executor, "progress": progress, "part": PART}
    found: Tallies = played(arms, plans, Value(tuple(cases)), **how)
    return found


def _cases(
    rules: NightmaresRules, cards: Sequence[str] | None
) -> dict[tuple[str, str], tuple[Intervention | None, Intervention]]:
    """Return the arms to compare, by what is forced and the card."""
    arms: dict[tuple[str, str], tuple[Intervention | None, Intervention]] = {
        (GRADE, name): (None, Intervention(GRADE, name)) for name in rules.grades
    }
    for name in ABILITIES:
        if getattr(rules.abilities, name).cards:
            arms[ABILITY, name] = Intervention(ABILITY, name, False), Intervention(ABILITY, name)
    if cards is None:
        return arms
    wanted = [cards] if isinstance(cards, str) else list(cards)
    known = [name for _, name in arms]
    for name in wanted:
        if name not in known:
            raise UserError(f"cards: found {shown(name)}; {one_of(str(name), known)}")
    if not wanted:
        raise UserError("cards: found none, allowed one or more")
    return {case: some for case, some in arms.items() if case[1] in wanted}


@dataclass(frozen=True)
class Value:
    """The question to a pair of runs: what the force does to the seat it falls on.

    Attributes
    ----------
    cases : tuple of (what, card)
        All that are forced.
    """

    cases: tuple[tuple[str, str], ...]

    def __call__(self, arms: tuple[Run, ...]) -> Tallies:
        """Return the tallies by outcome, and ``chosen``."""
        what = arms[1].intervention
        assert what is not None
        seats, rounds = places(arms[1])
        some = _has(arms[0], what, seats, rounds)
        same = _served(arms[0], what.kind, seats, rounds) == _served(arms[1], what.kind, seats, rounds)
        sides = []
        for run in arms:
            last = run.rows["rounds"][np.arange(run.n), run.rows["games"]["rounds"] - 1, seats]
            points = {name: last[name].astype(np.int64) for name in ("gold", "penalty")}
            frame = outcomes(run, seats, "points").assign(**points, _round=rounds - 1, chosen=same)[some]
            policy, names = seats_of(run, seats)
            frame = with_all(frame, "policy", policy[some], names)
            numbers = [str(number) for number in range(1, run.rules.rounds + 1)]  # type: ignore[attr-defined]
            frame = with_all(frame, "round", frame["_round"].to_numpy(), numbers)
            kind = [GRADE, ABILITY].index(what.kind)
            card = list(self.cases).index((what.kind, what.card))
            sides.append(
                frame.assign(
                    what=labelled(np.full(len(frame), kind), [GRADE, ABILITY]).set_axis(frame.index),
                    card=labelled(np.full(len(frame), card), [name for _, name in self.cases]).set_axis(frame.index),
                )
            )
        tallies = compared(sides[0], sides[1], KEYS, ["points", "gold", "penalty"])
        return Tallies({**tallies, "chosen": rates.tally(sides[0], KEYS, "chosen")})


def _served(run: Run, field: str, seats: np.ndarray, rounds: np.ndarray) -> np.ndarray:
    """Return what a seat of each game serves in a round: the code of its grade, or of its ability."""
    name = "served" if field == GRADE else "ability"
    return run.rows["rounds"][name][np.arange(run.n), rounds - 1, seats]


def _has(run: Run, what: Intervention, seats: np.ndarray, rounds: np.ndarray) -> np.ndarray:
    """Return in which games a seat has a card when it serves in a round that is played."""
    rules: Any = run.rules
    at, before = np.arange(run.n), np.arange(rules.rounds) < rounds[:, None] - 1
    mine = run.rows["rounds"][at, :, seats]
    if what.kind == GRADE:
        code = list(rules.grades).index(what.card)
        cards = rules.grades[what.card].cards - (run.rows["players"]["aside"][at, seats] == code)
        gone = mine["served"] == code
    else:
        code = ABILITIES.index(what.card)
        cards = getattr(rules.abilities, what.card).cards
        gone = mine["ability"] == code
    left = cards - (gone & before).sum(axis=1)
    return (left > 0) & (rounds <= run.rows["games"]["rounds"])
