"""How much of a game is luck: where the differences between players come from.

Every deal (all shuffles of one game number, the first player among them) is played several times: once for each
rotation of the seats, so that every policy gets every seat's cards, and each of these twice, the second time with other
random streams for all choices of the players while the deal stays the same. The outcome of one player in one game then
varies for five reasons, which are independent of each other, so that the parts of the variance add up (a Sobol or
Hoeffding decomposition; Sobol, Mathematics and Computers in Simulation 55, 2001, 271):

*seat*: where a player sits, whatever is dealt and whoever plays: ``Var(E[Y | seat])``.
*policies*: who plays, on the average over seats and deals: ``Var(E[Y | policy])``.
*deal*: what the shuffles give to a seat, on the average over who sits there: ``Var(E[Y | deal, seat])`` without the
part of the seat. This is the luck of the cards.
*interplay*: that cards suit one policy and not another, that a seat does, and who sits beside whom:
``Var(E[Y | deal, seat, rotation])`` without the three above.
*choices*: what is left when the deal and all seats are the same: ``E[Var(Y | deal, seat, rotation)]``, the chance in
the players' own choices. Policies that never draw lots have none.

What is called the rest elsewhere is interplay and choices. ``E[Y | deal, ...]`` is estimated without the chance of
choices by the product of two games of different streams (pick-freeze), so no part holds another's noise. What a skilled
player would make of the same cards is not in it: policies are those asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sushibalance.analysis.sides import Replay, Side, Sides
from sushibalance.errors import UserError
from sushibalance.games.game import SHIPPED_PARAMS, Policy
from sushibalance.rules.problems import shown as in_words
from sushibalance.simulation.executors import allowed
from sushibalance.simulation.progress import shown
from sushibalance.simulation.request import MAX_GAMES, Request, whole
from sushibalance.simulation.run import Run
from sushibalance.stats.intervals import checked, student
from sushibalance.stats.tallies import with_level

SOURCES = ("deal", "seat", "policies", "interplay", "choices")
OUTCOMES = ("win_points", "points")
GROUPS = 100  # of deals, each left out once for the spread
LEAST = 20


def luck(
    rules: Any,
    *,
    players: int = 4,
    policies: str | Policy | Sequence[str | Policy] = "greedy",
    games: int = 2_000,
    seed: int = 0,
    of: str = "win_points",
    level: float = 0.95,
    workers: int | None = None,
    progress: bool = True,
) -> pd.DataFrame:
    """Return which share of the variance of an outcome comes from the deal, the seat, the policies and the rest.

    Parameters
    ----------
    rules : Rules, str or Path
    players, policies, seed, workers, progress
        As for `simulate`.
    games : int
        Deals, each played twice for every rotation of the seats: eight times with four different policies.
    of : str
        The outcome of a player: ``"win_points"`` (as many as there are players for a win, shared by those who share
        it), or ``"points"`` (VP, points, gold minus penalty).
    level : float
        Confidence level. Intervals are those of the jackknife over groups of deals.

    Returns
    -------
    DataFrame
        ``source`` (`SOURCES`; see the top of this module for what each holds), ``estimate, low, high`` (shares of the
        variance; the estimates add up to 1), ``variance`` (in squared units of the outcome), ``n`` (players in games),
        ``games`` (deals).

    Raises
    ------
    UserError
        For fewer than 20 deals, an unknown outcome, outcomes that never vary, or what `simulate` refuses.

    Examples
    --------
    >>> shares = luck("nightmares", policies=["greedy", "honest", "random", "random"], games=200, progress=False)
    >>> list(shares["source"]), round(float(shares["estimate"].sum()), 9)
    (['deal', 'seat', 'policies', 'interplay', 'choices'], 1.0)
    """
    checked(level)
    if of not in OUTCOMES:
        raise UserError(f"of: found {in_words(of)}, allowed {' or '.join(OUTCOMES)}")
    games = whole("games", games, LEAST, MAX_GAMES)
    first = Request.of(rules, players, policies, seed)
    crossed = _Crossed(Side(first).requests, of)
    tables = 2 * len(crossed.plain)
    sums: Any = 0
    with (
        shown(first.label, games * tables, progress) as told,
        crossed.over(first, Sides.parts(games), tables, told, allowed(workers), None) as came,
    ):
        for _, found in came:
            sums = sums + found
    components = crossed.design.components(sums)
    if not components.sum() > 0:
        raise UserError(f"luck: found the same {of} in every game, allowed an outcome that varies")
    shares, low, high = crossed.design.shares(sums, level)
    frame = pd.DataFrame(
        {
            "source": pd.Categorical(SOURCES, SOURCES),
            "estimate": shares,
            "low": low,
            "high": high,
            "variance": shares * components.sum(),
            "n": games * tables * players,
            "games": games,
        }
    )
    frame.attrs.update(unit="deals", counted="{n} results of players in {games} deals")
    return with_level(frame, level)


class Design:
    """The crossed tables of a deal, and the sums over deals from which the parts of the variance follow.

    Parameters
    ----------
    policy : ndarray of int
        The number of the policy at each rotation and seat; shape (rotations, seats).
    """

    def __init__(self, policy: np.ndarray):
        self.policy = policy
        self.kinds = int(policy.max()) + 1

    def sums(self, outcomes: np.ndarray, deal: np.ndarray) -> np.ndarray:
        """Return the sums over deals, in groups of deals that are left out together.

        Parameters
        ----------
        outcomes : ndarray of float
            Shape (deals, rotations, 2 streams, seats).
        deal : ndarray of int
            The number of each deal.

        Returns
        -------
        ndarray of float
            Shape (`GROUPS`, columns): deals, squares, products of the two streams, products of their means over
            rotations, the outcome of each seat, the outcome of each policy.
        """
        deals = len(outcomes)
        mean = outcomes.mean(axis=1)  # over rotations: the cards alone
        by_policy = [outcomes.transpose(0, 2, 1, 3)[:, :, self.policy == kind] for kind in range(self.kinds)]
        columns = np.column_stack(
            [
                np.ones(deals),
                (outcomes**2).mean(axis=(1, 2, 3)),
                (outcomes[:, :, 0] * outcomes[:, :, 1]).mean(axis=(1, 2)),
                (mean[:, 0] * mean[:, 1]).mean(axis=1),
                outcomes.mean(axis=(1, 2)),
                *(part.mean(axis=(1, 2)) for part in by_policy),
            ]
        )
        found = np.zeros((GROUPS, columns.shape[1]))
        np.add.at(found, deal % GROUPS, columns)
        return found

    def components(self, sums: np.ndarray) -> np.ndarray:
        """Return the variance from each of `SOURCES`, for sums of shape (..., columns) or all groups together."""
        total = sums.sum(axis=0) if sums.ndim == 2 else sums
        seats = self.policy.shape[1]
        square, product, dealt, *rest = total[1:] / total[0]
        seat, kind = np.array(rest[:seats]), np.array(rest[seats:])
        weight = np.bincount(self.policy.reshape(-1), minlength=self.kinds) / self.policy.size
        mean = seat.mean()
        of_seat, of_policy = (seat**2).mean() - mean**2, (weight * kind**2).sum() - mean**2
        of_deal = dealt - (seat**2).mean()
        return np.array([of_deal, of_seat, of_policy, product - dealt - of_policy, square - product])

    def shares(self, sums: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the shares and their bounds: the jackknife over groups of deals (Efron and Stein, 1981).

        It takes out the bias of squared means as well. A share that comes out below 0, which is noise, is 0.
        """
        used = sums[sums[:, 0] > 0]
        count, total = len(used), sums.sum(axis=0)

        def shares(some: np.ndarray) -> np.ndarray:
            parts = self.components(some)
            return parts / parts.sum()

        without = np.array([shares(total - group) for group in used])
        estimate = count * shares(total) - (count - 1) * without.mean(axis=0)
        variance = (count - 1) / count * ((without - without.mean(axis=0)) ** 2).sum(axis=0)
        low, high = student(estimate, variance, count - 1, level)
        estimate = np.maximum(estimate, 0)
        return estimate / estimate.sum(), np.clip(low, 0, 1), np.clip(high, 0, 1)


class _Crossed(Replay):
    """Every deal at all rotations of a table, and again with other streams for the choices."""

    def __init__(self, plain: Sequence[Request], of: str):
        super().__init__()
        self.plain, self.of = tuple(plain), of
        self.again = tuple(_with_other_choices(request) for request in plain)
        names: list[Policy] = []
        for policy in plain[0].policies:
            if policy not in names:
                names.append(policy)
        self.design = Design(np.array([[names.index(policy) for policy in request.policies] for request in plain]))

    def __call__(self, part: Run) -> tuple[int, np.ndarray]:
        """Return the number of deals, and the sums of the design."""
        runs = [(part if turn == 0 else self.played(request, part)) for turn, request in enumerate(self.plain)]
        others = [self.played(request, part) for request in self.again]
        both = zip(map(self._outcome, runs), map(self._outcome, others), strict=True)
        pairs = [np.stack(outcomes, axis=1) for outcomes in both]
        deal = part.first + np.arange(part.n)
        return part.n, self.design.sums(np.stack(pairs, axis=1), deal)

    def _outcome(self, run: Run) -> np.ndarray:
        """Return the outcome of each deal and seat."""
        rows = run.rows["players"]
        if self.of == "points":
            return rows["total"].astype(np.float64)
        winners = np.maximum(run.rows["games"]["winners"].astype(np.float64), 1)
        return (rows["won"] > 0) * (run.seats / winners)[:, None]


def _with_other_choices(request: Request) -> Request:
    """Return a request whose deals are the same while every choice draws from another stream."""
    engine, rules, fallback = request.engine, request.rules, request.engine.policies["random"]
    engine.functions(request.policies)  # says what is wrong with a function before it is called from another
    vectors = [policy.params(rules) for policy in request.policies]
    width = max(SHIPPED_PARAMS, *map(len, vectors))
    made: dict[Any, Any] = {}
    seats = []
    for policy, vector in zip(request.policies, vectors, strict=True):
        decisions = {}
        for name in engine.decisions:
            function = policy.decisions.get(name, fallback.decisions[name])
            if function not in made:
                made[function] = _moved(function)
            decisions[name] = made[function]
        padded = np.zeros(width)
        padded[: len(vector)] = vector
        seats.append(Policy(policy.name, decisions, vector=_constant(padded)))
    return Request(rules, engine, tuple(seats), request.seed)


def _constant(vector: np.ndarray) -> Callable[..., np.ndarray]:
    return lambda parameters, rules: vector


def _moved(function: Any) -> Any:
    """Return a decision that is made as before, but from another random stream."""
    import numba

    from sushibalance.core.calls import addresses, caller
    from sushibalance.core.jit import OPTIONS, ready
    from sushibalance.core.random import mix
    from sushibalance.core.whole import WholeDispatcher

    decide = caller(getattr(function, "decision_signature", None))
    (address,) = addresses([ready(function)])  # so that the decision itself is not compiled again

    def moved(rules, table, own, seat, params, rng, choice):
        rng[0] = mix(~rng[0])
        decide(address, rules, table, own, seat, params, rng, choice)

    if numba.config.DISABLE_JIT:
        return moved
    compiled = WholeDispatcher(moved, targetoptions=OPTIONS)
    compiled.decision_signature = function.decision_signature
    return compiled
