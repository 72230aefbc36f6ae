"""Whether the order of picking lets those who are behind catch up (Sushi Otter): the cause.

The printed rule lets the worst of a round pick first. That those who pick first do better or worse afterwards does not
tell what the rule does, for they were last. So the same shuffles are played with the order drawn by lot, and each game
is set against itself; the opposite rule, best rank first, beside it shows how far the order of picking can reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd

from sushibalance.analysis import leads, win_rates
from sushibalance.analysis.compare import Comparison, compare
from sushibalance.analysis.over import Questions, question, questions
from sushibalance.errors import UserError
from sushibalance.games.game import Policy
from sushibalance.games.otter.rules import OtterRules
from sushibalance.games.registry import load_rules
from sushibalance.rules import Rules
from sushibalance.stats import means
from sushibalance.stats.groups import By, listed, need, numbers
from sushibalance.stats.ratios import Ratio
from sushibalance.stats.tallies import counted

ORDER = "play.pick_order"
BY_LOT = "random"


@counted
def spread(rounds: pd.DataFrame, by: By = "round") -> Ratio:
    """Return by how many VP the first at the table is ahead of the last.

    Parameters
    ----------
    rounds : DataFrame
        ``run.rounds``: game, round, seat, vp (running), and the keys.
    by : str or sequence of str
        Keys: ``"round"``, after which it is.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        The keys, ``estimate, low, high`` (VP), ``n``, ``games``.
    """
    keys = listed(by)
    need(rounds, "rounds", "game", "round", "vp", *keys)
    moment, count = numbers(rounds, ["game", "round"])
    vp = rounds["vp"].to_numpy(np.int64)
    most, least = np.full(count, np.iinfo(np.int64).min), np.full(count, np.iinfo(np.int64).max)
    np.maximum.at(most, moment, vp)
    np.minimum.at(least, moment, vp)
    first = np.unique(moment, return_index=True)[1]
    return means.observe(rounds.iloc[first].assign(_spread=(most - least)[moment[first]]), keys, "_spread")


CATCH_UP: Questions = questions(
    spread=question(spread, "rounds", by="round"),
    wins_by_place=question(leads.wins_by_place, "standings"),
    comebacks=question(leads.comebacks, "standings"),
    lead_changes_a_game=question(leads.lead_changes, "standings"),
    drama=question(leads.drama, "standings"),
    decisiveness=question(leads.decisiveness, "standings"),
    win_points=question(win_rates.win_points, "players", by="policy"),
)


def catch_up(
    rules: Rules | str | Path = "otter",
    *,
    players: int = 4,
    policies: str | Policy | Sequence[str | Policy] = "greedy",
    games: int | str = 10_000,
    seed: int = 0,
    margin: Any = None,
    level: float = 0.95,
    workers: int | None = None,
    executor: Any = None,
    progress: bool = True,
    **options: Any,
) -> Comparison:
    """Return what the order of picking causes: every order of the rules against one drawn by lot.

    Parameters
    ----------
    rules : Rules, str or Path
        Rules of Sushi Otter, of which the order of picking is varied.
    players, policies, games, seed, level, workers, executor, progress, options
        As for `compare`.
    margin : mapping from metrics to number or (low, high), optional
        A difference between these does not matter.

    Returns
    -------
    Comparison
        ``frames`` by metric, with the paired difference to the order by lot for each ``change`` (``worst_rank_first``,
        ``best_rank_first``): ``spread`` (VP between first and last after each round), ``wins_by_place`` (how often the
        player in each place after each round wins), ``comebacks`` (wins of players who were behind after it),
        ``lead_changes_a_game``, ``drama``, ``decisiveness`` (see `leads`), ``win_points`` by policy.

    Raises
    ------
    UserError
        For another game; and as `compare`.

    Examples
    --------
    >>> found = catch_up(games=300, seed=1, progress=False).frames["spread"]
    >>> last = found[found["round"] == 8]
    >>> last[["change", "base", "variant", "estimate", "low", "high"]].round(1)
                  change  base  variant  estimate  low  high
    7   worst_rank_first  23.0     19.2      -3.8 -5.5  -2.1
    15   best_rank_first  23.0     29.1       6.1  4.1   8.1
    """
    if "metrics" in options:
        raise UserError(
            f"catch_up: found metrics, which are always {', '.join(CATCH_UP)}; allowed the others of compare"
        )
    base = rules if isinstance(rules, Rules) else load_rules(rules)
    if not isinstance(base, OtterRules):
        raise UserError(f"catch_up: found rules of {base.game}, allowed Sushi Otter, in which players pick in an order")
    orders = [order for order in get_args(type(base.play).model_fields["pick_order"].annotation) if order != BY_LOT]
    by_lot = base.vary({ORDER: BY_LOT}, name="picking by lot")
    variants = {order: base.vary({ORDER: order}, name=order) for order in orders}
    return compare(
        by_lot, variants, players=players, policies=policies, games=games, seed=seed, margin=margin,
        metrics=CATCH_UP, level=level, workers=workers, executor=executor, progress=progress, **options,
    )  # fmt: skip
