"""What common misreadings of a rule do to a game (Sushi Go!'s puddings)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd

from sushibalance.analysis.sides import Replay, Sides
from sushibalance.errors import UserError
from sushibalance.games.game import Policy
from sushibalance.games.registry import load_rules
from sushibalance.games.sushi_go.queries import score_puddings
from sushibalance.games.sushi_go.rules import SushiGoRules
from sushibalance.rules import Rules
from sushibalance.simulation.executors import allowed
from sushibalance.simulation.progress import shown
from sushibalance.simulation.request import MAX_GAMES, Request, received, whole
from sushibalance.simulation.run import Run
from sushibalance.stats import means, rates
from sushibalance.stats.intervals import checked
from sushibalance.stats.tallies import Tallies, with_level

# As the variants of these names in data/variants/sushi_go have them.
PUDDINGS: Mapping[str, Mapping[str, Any]] = {
    "pudding_every_round": {"pudding.scored": "every_round"},
    "pudding_penalty_for_two": {"pudding.penalty_with_two_players": True},
    "pudding_ties_lose_all": {"pudding.ties_fewest": "full"},
}
CHOICES = ("as before", "as misread")
MEASURES = {
    "winners change": rates,
    "others win": rates,
    "scores move": rates,
    "points moved": means,
    "points gained": means,
    "more than puddings moves": rates,
}


def puddings(
    rules: Rules | str | Path = "sushi_go",
    *,
    players: int = 4,
    policies: str | Policy | Sequence[str | Policy] = "random",
    games: int = 10_000,
    seed: int = 0,
    workers: int | None = None,
    progress: bool = True,
    executor: Any = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """Return what each common misreading of the pudding rule changes, game by game.

    The misreadings: puddings scored after every round, fewest puddings cost points with two players too, and players
    who tie for fewest all lose the full points. Each is set against the rules in the same games, in two ways. With
    choices *as before* the game is played by the rules, and only counted otherwise at the end. With choices *as
    misread* all play by the misreading from the start, with the same deals; policies that look at the pudding rule
    then take other cards.

    Parameters
    ----------
    rules : SushiGoRules, str or Path
        What is misread.
    players, policies, games, seed, workers, progress, executor
        As for `simulate`.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        ``rule`` (see `PUDDINGS`), ``choices`` (see `CHOICES`), ``measure``, ``estimate, low, high``, ``n``, ``games``.
        Measures: *winners change*, the share of games in which not the same players win (a win shared or not counts);
        *others win*, in which nobody who won still does; *scores move*, in which anybody's points do; *points moved*
        and *points gained*, by how much a player's score moves, up or down, and how much it rises on the average; *more
        than puddings moves*, in which other points than those for puddings do.

    Raises
    ------
    UserError
        For rules of another game; and what `simulate` raises.
    """
    checked(level)
    rules = rules if isinstance(rules, Rules) else load_rules(rules)
    if not isinstance(rules, SushiGoRules):
        raise UserError(f"rules: found {rules.name!r}, allowed rules of Sushi Go!")
    games = whole("games", games, 1, MAX_GAMES)
    first = Request.of(rules, players, policies, seed)
    misread = [
        Request.of(rules.vary(dict(changes), name=name), players, policies, seed) for name, changes in PUDDINGS.items()
    ]
    compared = _Misread(misread)
    tables, total = 1 + len(misread), Tallies()
    with (
        shown(f"{first.label} and its misreadings", games * tables, progress) as told,
        compared.over(first, Sides.parts(games), tables, told, allowed(workers), executor) as came,
    ):
        for _, found in came:
            total = total + found if total else found
    keys = list(product(PUDDINGS, CHOICES, MEASURES))
    columns = zip(("rule", "choices", "measure"), zip(*keys, strict=True), (PUDDINGS, CHOICES, MEASURES), strict=True)
    told_apart = {name: pd.Categorical(values, list(order)) for name, values, order in columns}
    frames = [total[_name(*key)].frame(level) for key in keys]
    return with_level(pd.DataFrame(told_apart).join(pd.concat(frames, ignore_index=True)), level)


def _name(*key: str) -> str:
    return "/".join(key)


class _Misread(Replay):
    """The same games by each misreading, and tallies of what it changes; can be sent to other processes."""

    def __init__(self, misread: Sequence[Request]):
        super().__init__()
        self.misread = list(misread)

    def __getstate__(self) -> list[str]:
        return [request.parcel() for request in self.misread]

    def __setstate__(self, parcels: list[str]) -> None:
        self.__init__([received(parcel) for parcel in parcels])  # type: ignore[misc]

    def __call__(self, part: Run) -> tuple[int, Tallies]:
        """Return the number of games, and the tallies of all measures."""
        tallies = Tallies()
        for name, request in zip(PUDDINGS, self.misread, strict=True):
            others = recounted(part, cast(SushiGoRules, request.rules)), _counted(self.played(request, part))
            for choices, other in zip(CHOICES, others, strict=True):
                frame = _changes(_counted(part), other).assign(game=np.arange(part.n) + part.first)
                for measure, ask in MEASURES.items():
                    tallies[_name(name, choices, measure)] = ask.tally(frame, [], measure)
        return part.n, tallies


Count = tuple[np.ndarray, np.ndarray, np.ndarray]  # totals, points but those for puddings, who won: games, seats


def _counted(run: Run) -> Count:
    """Return how the games of a run were counted."""
    total = run.rows["players"]["total"].astype(np.int64)
    return total, total - run.rows["rounds"]["pudding"].sum(axis=1, dtype=np.int64), run.rows["players"]["won"] > 0


def recounted(run: Run, rules: SushiGoRules) -> Count:
    """Return how the games of a run would be counted under another pudding rule.

    Returns
    -------
    totals, others, won : ndarray
        Of shape (games, seats): points, points but those for puddings, and who wins.
    """
    _, others, _ = _counted(run)
    held = run.rows["rounds"]["puddings"].astype(np.int64)
    scored = held if rules.pudding.scored == "every_round" else held[:, -1:]
    counts, which = np.unique(scored.reshape(-1, held.shape[2]), axis=0, return_inverse=True)
    points = np.array([score_puddings(row.tolist(), rules) for row in counts], np.int64)
    total = others + points[which.reshape(-1)].reshape(scored.shape).sum(axis=1)
    best = total == total.max(axis=1, keepdims=True)
    most = np.where(best, held[:, -1], -1)
    return total, others, best & (most == most.max(axis=1, keepdims=True))


def _changes(base: Count, other: Count) -> pd.DataFrame:
    """Return a row a game: what is counted otherwise; the columns are the measures."""
    moved, won, now = other[0] - base[0], base[2], other[2]
    return pd.DataFrame(
        {
            "winners change": (won != now).any(axis=1),
            "others win": ~(won & now).any(axis=1),
            "scores move": (moved != 0).any(axis=1),
            "points moved": np.abs(moved).mean(axis=1),
            "points gained": moved.mean(axis=1),
            "more than puddings moves": (base[1] != other[1]).any(axis=1),
        }
    )
