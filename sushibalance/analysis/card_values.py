"""What a card is worth to the player who gets it (Sushi Otter): the cause, and not only what goes with it.

Players who hold a card differ from others before they take it: they pick early, which is to say they came last; or
they are better players and know what to take. So the VP of those who have a card, less those of the others, are not
what the card does. To tell that, one pick of each game is forced. The *value* of a card is how many VP, and how many
win points, a player ends with who is given the card in place of a pick, more than one who is given nothing. Seat and
round of the pick are drawn by lot, the game goes on with the same shuffles, and each game is set against itself.

The card under test is out of play but for this, in both arms: nobody else can get it (but others that are alike).

Beside it stands the *association* in an ordinary run (`card_outcomes`), and the *gap* between the two: what goes with
the card and does not come from it. As those without a card have others, an association is to be held against what the
card is worth above a pick of one's own. Nearly all of the gap is selection: where all pick at random there is hardly
any. What is left there is that a card which wins rounds also takes VP from the others at the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sushibalance.analysis import card_outcomes
from sushibalance.analysis.forced.cards import MOST, PICK, Card, asked, cards_of, pairs
from sushibalance.analysis.forced.effects import ALL, framed
from sushibalance.errors import UserError
from sushibalance.games.game import Policy
from sushibalance.games.otter.rules import OtterRules
from sushibalance.rules import Rules
from sushibalance.simulation.executors import allowed
from sushibalance.simulation.request import MAX_GAMES, Request, whole
from sushibalance.simulation.run import Run
from sushibalance.simulation.simulate import playing
from sushibalance.stats.groups import labelled
from sushibalance.stats.intervals import checked, difference
from sushibalance.stats.tallies import Tallies, with_level

ORDINARY = 20_000
PICKS = 4  # times as many pairs tell what a pick of one's own is worth, as each card is compared with it
KEYS = ["card", "policy", "round", "outcome"]
ARMS = ("nothing", "given")
INTERVAL, ENDS = ("estimate", "low", "high"), ("", "_low", "_high")


def card_values(
    rules: Rules | str | Path = "otter",
    *,
    players: int = 4,
    policies: str | Policy | Sequence[str | Policy] = "greedy",
    games: int = 1_000,
    half_width: float | None = None,
    cards: Sequence[int | str] | None = None,
    ordinary: int = ORDINARY,
    seed: int = 0,
    level: float = 0.95,
    workers: int | None = None,
    progress: bool = True,
    executor: Any = None,
) -> pd.DataFrame:
    """Return what each power-up and Key Client card causes for the player who gets it.

    Parameters
    ----------
    rules, players, policies, seed, workers, progress, executor
        As for `simulate`; rules of Sushi Otter.
    games : int
        Pairs of games for each card, with it and with nothing in its place.
    half_width : float, optional
        Play more pairs of a card until the interval of its value in VP, all rounds together, is at most this much to
        either side. It is planned from the first ``games`` pairs how many that takes.
    cards : sequence of int or str, optional
        The numbers of power-ups and the names of Key Client cards; by default all.
    ordinary : int
        Games of the ordinary run that tells the association, those of ``simulate(rules, games=ordinary, seed=seed)``;
        0 leaves it out. The pairs are games of later numbers, so that both are independent of each other.
    level : float
        Confidence level.

    Returns
    -------
    DataFrame
        ``card, type`` (as in other frames; ``client`` for a Key Client card), ``policy`` (of the player; ``"all"``, and
        each where there are several), ``round`` (of the pick; ``"all"``, each as likely, and each), ``outcome``
        (``"vp"``; ``"win_points"``: 1 is the fair share); ``nothing, given``: the mean of those who get nothing and of
        those who get the card; ``estimate, low, high``: given - nothing, game by game; ``n``: picks that were forced;
        ``games``: pairs of games; ``reduction``: two independent runs would need so many times as many games.
        ``pick, pick_low, pick_high``: what a pick is worth that the player chooses, likewise, in that round; and
        ``over_pick, over_pick_low, over_pick_high``: estimate - pick, below 0 for a card that is worse than that.
        With an ordinary run: ``association, association_low, association_high``: the mean of players who took the card
        (in that round) less that of those who never had it; ``holders``: who took it; ``gap, gap_low, gap_high``:
        association - over_pick, for those who do not have the card have other picks of their own. Missing where nobody
        took it.

    Raises
    ------
    UserError
        For other games, cards that there are not, a deck that would run out without the card under test; and as
        `simulate`.

    Examples
    --------
    >>> worth = card_values(cards=[28, "learn_even"], games=200, ordinary=0, progress=False)
    >>> worth = worth[(worth["round"] == "all") & (worth["outcome"] == "vp")]
    >>> worth[["type", "estimate", "low", "high", "n"]].round(1)
         type  estimate  low  high    n
    0  change       4.3  3.3   5.3  200
    8  client       3.3  2.4   4.1  200
    """
    request, known = _table(rules, players, policies, seed)
    tested, games = asked(known, cards), whole("games", games, 2, MOST // PICKS)
    ordinary = whole("ordinary", ordinary, 0, MAX_GAMES)
    how: dict[str, Any] = {"workers": allowed(workers), "executor": executor, "progress": progress}
    level, first = checked(level), ordinary
    values = framed(pairs(request, tested, games, half_width=half_width, first=first, level=level, **how), level, ARMS)
    half = None if half_width is None else half_width / 2
    own = pairs(request, [PICK], games * PICKS, half_width=half, first=first + MOST, level=level, **how)
    values = _less(values, framed(own, level, ARMS))
    if not ordinary:
        return values
    question = Association(known, not request.alike)
    with playing(request, request.spans(ordinary), question, ordinary, **how) as answers:
        total = next(answers)
        for answer in answers:
            total += answer
    return _beside(values, total, level)


def effects(
    rules: Rules | str | Path = "otter",
    *,
    players: int = 4,
    policies: str | Policy | Sequence[str | Policy] = "greedy",
    games: int = 1_000,
    half_width: float | None = None,
    cards: Sequence[int | str] | None = None,
    seed: int = 0,
    level: float = 0.95,
    workers: int | None = None,
    progress: bool = True,
    executor: Any = None,
) -> Tallies:
    """Return the tallies behind the estimates of `card_values`, by outcome: for `verdicts`, `games_for`, `shrunk`.

    Parameters are those of `card_values`.
    """
    request, known = _table(rules, players, policies, seed)
    return pairs(
        request, asked(known, cards), whole("games", games, 2, MOST), half_width=half_width, level=checked(level),
        workers=allowed(workers), executor=executor, progress=progress,
    )  # fmt: skip


def _table(
    rules: Rules | str | Path, players: int, policies: str | Policy | Sequence[str | Policy], seed: int
) -> tuple[Request, dict[str, Card]]:
    """Return what is played, and its cards."""
    request = Request.of(rules, players, policies, seed)
    if not isinstance(request.rules, OtterRules):
        raise UserError(f"card_values: found {request.engine.title}, allowed Sushi Otter, which has power-ups")
    return request, cards_of(request.rules)


def _less(values: pd.DataFrame, own: pd.DataFrame) -> pd.DataFrame:
    """Return the values with what they are above that of a pick of one's own."""
    columns = {name: f"pick{end}" for name, end in zip(INTERVAL, ENDS, strict=True)}
    found = _joined(values, own[[*KEYS[1:], *INTERVAL]].rename(columns=columns), KEYS[1:])
    return _differ(found, "over_pick", tuple(INTERVAL), tuple(columns.values()))


def _joined(values: pd.DataFrame, more: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return the values with further columns, those of the same keys."""
    places = pd.MultiIndex.from_frame(more[keys].astype(str)).get_indexer(
        pd.MultiIndex.from_frame(values[keys].astype(str))
    )
    beside = more.drop(columns=keys).reset_index(drop=True)
    found = beside.reindex(places).set_axis(values.index)
    return with_level(pd.concat([values, found], axis=1), values.attrs["level"])


def _differ(frame: pd.DataFrame, name: str, one: Sequence[str], other: Sequence[str]) -> pd.DataFrame:
    """Return a frame with the difference of two independent estimates in it, and its interval."""
    first, second = (tuple(frame[column].to_numpy(np.float64) for column in side) for side in (one, other))
    low, high = difference(first, second, 0.0)
    columns = dict(zip((f"{name}{end}" for end in ENDS), (first[0] - second[0], low, high), strict=True))
    return with_level(frame.assign(**columns), frame.attrs["level"])


@dataclass(frozen=True)
class Association:
    """The question to an ordinary run: how players with each card fare against those without.

    Attributes
    ----------
    cards : mapping of str to Card
        By the numbers of power-ups and the names of Key Client cards.
    apart : bool
        Tell the policies apart, beside all together.
    """

    cards: Mapping[str, Card]
    apart: bool

    def __call__(self, part: Run) -> Tallies:
        """Return the tallies by outcome, whether policies are told apart, and whether rounds are."""
        names = list(dict.fromkeys(card.name for card in self.cards.values()))
        code = {key: names.index(card.name) for key, card in self.cards.items()}
        picks, clients = part.picks, part.picks[part.picks["key_client"].notna()]
        held = pd.concat([picks, clients], ignore_index=True)
        of = [*picks["power_up"].astype(str).map(code), *clients["key_client"].astype(str).map(code)]
        held = held.assign(power_up=labelled(np.array(of, np.int64), names))
        return Tallies(
            {
                f"{outcome} {apart:d} {rounds:d}": card_outcomes.power_ups.tally(
                    held, part.players, "policy" if apart else (), outcome=outcome, rounds=rounds
                )
                for outcome in card_outcomes.OUTCOMES
                for apart in {False, self.apart}
                for rounds in (False, True)
            }
        )


def _beside(values: pd.DataFrame, associations: Tallies, level: float) -> pd.DataFrame:
    """Return the values with the association of each, and the gap."""
    frames, columns = [], [f"association{end}" for end in ENDS]
    for name, tally in associations.items():
        outcome, apart, rounds = name.split()
        frame = tally.frame(level).rename(columns=dict(zip(INTERVAL, columns, strict=True)))
        frame = frame.rename(columns={"power_up": "card", "n": "holders"}).assign(outcome=outcome)
        for key, told in (("policy", apart), ("round", rounds)):
            frame[key] = frame[key].astype(str) if int(told) else ALL
        frames.append(frame[[*KEYS, *columns, "holders"]])
    found = _joined(values, pd.concat(frames, ignore_index=True), KEYS)
    found["holders"] = found["holders"].fillna(0).astype(np.int64)
    return _differ(found, "gap", columns, [f"over_pick{end}" for end in ENDS])
