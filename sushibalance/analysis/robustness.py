"""Which verdicts survive another style of play and another number of players.

A number that was judged at one table may be an accident of that table. So the same question is asked at every mix of
policies and every number of players, and all verdicts are corrected together. What is *over* its margin in any group
is too strong: somebody will find that group. What is *under* in every group is too weak: nobody has a use for it. (The
rule is that of Riot's Champion Balance Framework, /dev blog, 2019, for groups of players of different skill.)

What the players of a table share out among themselves, such as win points, is refused where it tells nothing of the
rules: one policy alone has the fair share under any, and of several one is above whenever another is below.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from sushibalance.analysis import card_outcomes, pick_rates, win_rates
from sushibalance.analysis.asking import Changes, Numbers, RuleSet
from sushibalance.analysis.compare import SHARED_OUT
from sushibalance.analysis.headlines import by_name, final
from sushibalance.analysis.judged import Judged
from sushibalance.analysis.margins import KINDS, METRICS, Margins
from sushibalance.analysis.over import Question, Questions, question
from sushibalance.analysis.saying import Said
from sushibalance.analysis.sides import Side, Sides
from sushibalance.errors import UserError
from sushibalance.games.game import Policy
from sushibalance.games.registry import load_rules
from sushibalance.rules import Rules
from sushibalance.rules.problems import one_of, shown
from sushibalance.simulation.executors import allowed
from sushibalance.simulation.fold import fold
from sushibalance.simulation.request import MAX_GAMES, Request, several, whole
from sushibalance.stats.groups import listed, unlike
from sushibalance.stats.intervals import checked
from sushibalance.stats.tallies import Tallies, with_level

GROUP = ("table", "players")
SUMMARY = ("too strong", "too weak", "fine", "undecided")
CHANGES = ("moves", "holds", "undecided")
Table = str | Policy | Sequence[str | Policy]


def robustness(
    rules: RuleSet,
    variants: RuleSet | Sequence[RuleSet] | Mapping[str, RuleSet] | None = None,
    *,
    policies: Sequence[Table] | Mapping[str, Table] = ("greedy", "random"),
    players: int | Sequence[int] = (2, 3, 4),
    ask: str | Question | None = None,
    margin: Any = None,
    games: int = 10_000,
    seed: int = 0,
    level: float = 0.95,
    workers: int | None = None,
    executor: Any = None,
    progress: bool = True,
) -> Robustness:
    """Return the verdict on each card, or on each variant, in every group of policies and players.

    Without ``variants`` the question is asked of the rules as they are, and its rows (the cards) are judged by their
    margin: *too strong* when above it in any group, *too weak* when below it in all. With ``variants`` what is judged
    is the difference to ``rules`` in the same deals (`compare`): a change *moves* a number when it does so in any
    group, it *holds* when it is inside the margin in all.

    Parameters
    ----------
    rules : Rules, str or Path
        What is judged, or what variants are compared with.
    variants : as for `compare`, optional
    policies : sequence of tables, or mapping from their names
        A table is one policy for all seats, or a list of one for each seat, which fits one number of players only.
    players : int or sequence of int
    ask : str or Question, optional
        A headline number by name (`headlines`), or a question of one's own; its keys are what is told apart. By
        default of variants the final score; of rules as they are win points by seat, and for Otter how those who have
        a power-up fare against those who have not (`card_outcomes`: an association).
    margin : number or (low, high), optional
        What does not matter. For a difference, and for the effect with a card, the default is that of `margins`;
        for win points and rates against chance as they are, 0.9 to 1.1 of what is fair; else it must be given.
    games : int
        Games (with variants and policies that differ by seat, deals) in each group.
    level : float
        All verdicts of the frame together keep it (Benjamini and Hochberg).
    seed, workers, executor, progress
        As for `simulate`.

    Returns
    -------
    Robustness

    Raises
    ------
    UserError
        For a question without keys or margin, or about what players share out (wins, win points, VP ahead) that tells
        nothing but the policies apart: of rules as they are, and of variants at a table where all play alike. For no
        groups, or what `simulate` or `compare` refuse.
    """
    checked(level)
    base = rules if isinstance(rules, Rules) else load_rules(rules)
    games = whole("games", games, 2, MAX_GAMES)
    named = None if variants is None else Changes.of(variants, base)
    name, asked = _question(ask, base.game, named is not None)
    groups = list(_groups(base, policies, players, seed))
    _refuse_shared_out(name, asked, groups, named is not None, final(base.game))
    how = {"workers": allowed(workers), "executor": executor, "progress": progress}
    tallies, labels, margins = [], [], []
    for table, request in groups:
        if named is None:
            seats = len(request.policies)
            found = fold(base, asked, players=seats, policies=request.policies, games=games, seed=seed, **how)
            parts: dict[str, Any] = {"": found}
            edges = _edges(margin, name, asked)
        else:
            parts = _differences(request, named, name, asked, games, how)
            some = next(iter(parts.values()))
            edges = Margins([name], len(request.policies), margin).of(name, some)
        for change, tally in parts.items():
            tallies.append(tally)
            margins.append(edges)
            labels.append((change, table, len(request.policies)))
    frames = Judged(tallies, margins).frames(level)
    keys = _keys(frames[0], named is not None)
    cells = _labelled(frames, labels, [*keys], changes=named is not None)
    summary = _summary(cells, keys, changes=named is not None)
    return Robustness(
        name, keys, cells, summary, _unit(name, asked, tallies[0]), Said.texts(base, *(named or {}).values())
    )


def _unit(name: str, asked: Question, tally: Any) -> str:
    """Return the unit of a number: `Kind.unit`."""
    if asked.ask in (card_outcomes.power_ups, card_outcomes.key_clients):
        return KINDS["VP" if asked.arguments.get("outcome") == "vp" else "win points"].unit
    return Margins.kind(name, tally).unit


def _question(ask: str | Question | None, game: str, changes: bool) -> tuple[str, Question]:
    """Return the name of a question and the question."""
    if ask is None:
        if changes:
            ask = final(game)
        elif game == "otter":
            return "effect_with_a_card", question(card_outcomes.power_ups, "picks", "players")
        else:
            return "win_points_by_seat", question(win_rates.win_points, "players", by="seat")
    if isinstance(ask, Question):
        return getattr(ask.ask, "__name__", "question"), ask
    known = by_name(game)
    if ask not in known:
        raise UserError(f"ask: found {shown(ask)}, allowed a question(...), or {one_of(str(ask), known)}")
    return ask, Numbers.of(ask, game, quantiles=False)[ask]


def _refuse_shared_out(
    name: str, asked: Question, groups: Sequence[tuple[str, Request]], changes: bool, other: str
) -> None:
    """Refuse a question whose answer at some table does not depend on the rules, or tells policies apart alone."""
    if asked.ask not in SHARED_OUT or set(listed(asked.arguments.get("by", "policy"))) - {"policy"}:
        return
    if not changes:
        raise UserError(
            f"ask: found {shown(name)}, which the players of a table share out: of one policy it is fair under any "
            "rules, and of several one is above when another is below, whatever the cards; allowed: a question about "
            'cards or seats, as wins_by_seat or question(win_rates.win_points, "players", by="seat"), or variants'
        )
    alike = next((table for table, request in groups if request.alike), None)
    if alike is not None:
        raise UserError(
            f"ask: found {shown(name)} at a table where all play {alike}: together they have the fair share under any "
            f"rules; allowed: tables of different policies, or another number, as {other}"
        )


def _groups(base: Rules, policies: Any, players: Any, seed: int) -> Iterator[tuple[str, Request]]:
    """Yield the name of the table and its request for each group."""
    counts = several("players", players, int | str, "a number of players, or several")
    if isinstance(policies, Mapping):
        tables = {str(name): table for name, table in policies.items()}
    else:
        listed = several("policies", policies, str | Policy, "policies, or names for them")
        tables = {_called(table): table for table in listed}
    if not tables or not counts:
        raise UserError("robustness: found no group, allowed one or more policies, and one or more numbers of players")
    any_group = False
    for table, seats in tables.items():
        fixed = len(seats) if isinstance(seats, Sequence) and not isinstance(seats, str) and len(seats) != 1 else None
        for count in dict.fromkeys(counts):
            if fixed is None or fixed == count:
                any_group = True
                yield table, Request.of(base, count, seats, seed)
        if fixed is not None and fixed not in counts:
            raise UserError(f"policies: found {shown(table)} for {fixed} seats, allowed numbers of players: {counts}")
    assert any_group


def _called(table: Table) -> str:
    return " + ".join(map(str, table)) if isinstance(table, Sequence) and not isinstance(table, str) else str(table)


def _edges(margin: Any, name: str, asked: Question) -> tuple[float, float]:
    """Return the margin of a number as it is."""
    if margin is not None:
        if isinstance(margin, int | float):
            raise UserError(f"margin: found {shown(margin)} for a number as it is, allowed (low, high), as (0.9, 1.1)")
        return Margins([name], 1, margin).of(name)
    if asked.ask in (card_outcomes.power_ups, card_outcomes.key_clients):
        size = KINDS["VP" if asked.arguments.get("outcome") == "vp" else "win points"].margin
        return -size, size
    fair = (win_rates.win_points, pick_rates.against_chance)
    if asked.ask in fair or (name in METRICS and METRICS[name].kind in ("win points", "times")):
        return win_rates.WIN_POINTS
    raise UserError(f"margin: found none for {name}, allowed (low, high): what is neither too much nor too little")


def _differences(
    request: Request, named: Mapping[str, Rules], name: str, asked: Question, games: int, how: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the tally of what each variant changes at one table."""
    side = Side(request)
    others = [
        Side(Request.of(rules, len(request.policies), request.policies, request.seed)) for rules in named.values()
    ]
    sums: list[Tallies] = []
    with Sides(side, others, Questions({name: asked})).play(Sides.parts(games), games, **how) as came:
        for _, tallies in came:
            sums = [one + more for one, more in zip(sums, tallies, strict=True)] if sums else tallies
    return {change: tallies[name] for change, tallies in zip(named, sums, strict=True)}


def _keys(frame: pd.DataFrame, changes: bool) -> list[str]:
    """Return the keys that are told apart in every group: what stands before the first number."""
    first = next(place for place, dtype in enumerate(frame.dtypes) if pd.api.types.is_float_dtype(dtype))
    keys = [key for key in frame.columns[:first] if key not in ("policy", "players")]
    return ["change", *keys] if changes else keys


def _labelled(
    frames: list[pd.DataFrame], labels: list[tuple[str, str, int]], keys: list[str], *, changes: bool
) -> pd.DataFrame:
    rows = []
    unlike(("table", "change"), *frames[0].columns)
    for frame, (change, table, players) in zip(frames, labels, strict=True):
        told = {"table": table, "players": players, **({"change": change} if changes else {})}
        rows.append(frame.assign(**told))
    cells = pd.concat(rows, ignore_index=True)
    for column in ("table", "change") if changes else ("table",):
        cells[column] = pd.Categorical(cells[column], list(dict.fromkeys(cells[column])))
    first = [*keys, *GROUP]
    cells = cells[[*first, *(column for column in cells.columns if column not in first)]]
    return with_level(cells, frames[0].attrs["level"])


def _summary(cells: pd.DataFrame, keys: list[str], *, changes: bool) -> pd.DataFrame:
    """Return one row a key: its verdicts counted, and what follows from them."""
    rows = []
    grouped = cells.groupby(keys, observed=True, sort=False) if keys else [((), cells)]
    for key, group in grouped:
        verdict = group["verdict"].astype(str)
        counts = {name: int((verdict == name).sum()) for name in ("above", "inside", "below", "undecided")}
        known = group["estimate"].dropna()
        ends = [group.loc[place] for place in (known.idxmax(), known.idxmin())] if len(known) else [None, None]
        rows.append(
            {
                **dict(zip(keys, key if isinstance(key, tuple) else (key,), strict=True)),
                "verdict": _change_verdict(counts) if changes else _card_verdict(counts, len(group)),
                **counts,
                "groups": len(group),
                "flips_with_policy": _flips(group, ["players"]),
                "flips_with_players": _flips(group, [name for name in ("table", "policy") if name in group]),
                **{
                    f"{name}{part}": value
                    for name, row in zip(("highest", "lowest"), ends, strict=True)
                    for part, value in _end(row).items()
                },
            }
        )
    summary = pd.DataFrame(rows)
    summary["verdict"] = pd.Categorical(summary["verdict"], CHANGES if changes else SUMMARY)
    return summary


def _end(row: Any) -> dict[str, Any]:
    """Return the number of a group with its interval, and which group it is."""
    columns = {"": "estimate", "_low": "low", "_high": "high"}
    return {part: np.nan if row is None else row[name] for part, name in columns.items()} | {"_at": _at(row)}


def _at(row: Any) -> str:
    """Return the group of a row in words: ``"greedy, 2 players"``, or ``"greedy at greedy + random, 2 players"``."""
    if row is None:
        return ""
    own = str(row["policy"]) if "policy" in row.index else str(row["table"])
    table = str(row["table"]) if own == str(row["table"]) else f"{own} at {row['table']}"
    return f"{table}, {row['players']} players"


def _card_verdict(counts: Mapping[str, int], groups: int) -> str:
    if counts["above"]:
        return "too strong"
    if counts["below"] == groups:
        return "too weak"
    return "undecided" if counts["undecided"] else "fine"


def _change_verdict(counts: Mapping[str, int]) -> str:
    if counts["above"] or counts["below"]:
        return "moves"
    return "undecided" if counts["undecided"] else "holds"


def _flips(group: pd.DataFrame, within: list[str]) -> bool:
    """Return whether verdicts that are decided differ between groups that have some things in common."""
    known = group[group["verdict"] != "undecided"]
    different = known[[*within, "verdict"]].drop_duplicates()
    return bool(different[within].duplicated().any())


@dataclass(frozen=True)
class Robustness:
    """What `robustness` found.

    Attributes
    ----------
    metric : str
        What was asked.
    keys : list of str
        What is told apart; with variants ``change`` comes first.
    cells : DataFrame
        One row a key and group: the keys, ``table, players``, the columns of the question with ``estimate, low,
        high, n, games``, then ``margin_low, margin_high, verdict, needed``. ``attrs["level"]`` is that of the
        intervals, at which all verdicts together keep the level that was asked for.
    summary : DataFrame
        One row a key: ``verdict`` (``too strong``, ``too weak``, ``fine``; of variants ``moves``, ``holds``; or
        ``undecided``, where groups that are not decided yet could still say otherwise), ``above, inside, below,
        undecided`` (groups of each verdict), ``groups``, ``flips_with_policy`` and ``flips_with_players`` (whether
        decided verdicts differ between policies at one number of players, or the other way round), ``highest,
        highest_low, highest_high, highest_at`` and the same of ``lowest`` (the estimates, their intervals, and their
        groups).
    unit : str
        ``"share"``, ``"VP"``, ``"points"``, ``"times"``.
    texts : mapping of str to str
        What is printed on power-ups, by number.
    """

    metric: str
    keys: list[str]
    cells: pd.DataFrame
    summary: pd.DataFrame
    unit: str = "points"
    texts: Mapping[str, str] = field(default_factory=dict)

    def sentences(self, *, most: int = 5) -> list[str]:
        """Return in plain words how many of what are too strong, too weak, or depend on who plays.

        Parameters
        ----------
        most : int
            So many of each are named, the most extreme first.
        """
        groups = self.cells[[name for name in (*GROUP, "policy") if name in self.cells]].drop_duplicates()
        found = [f"{Margins.words(self.metric)}, judged in {_groups_of(len(groups))}:"]
        for verdict in self.summary["verdict"].cat.categories:
            rows = self.summary[self.summary["verdict"] == verdict]
            if len(rows):
                found.append(f"{verdict}: {len(rows)} of {len(self.summary)}" + self._named(rows, verdict, most) + ".")
        flips = self.summary[self.summary["flips_with_policy"]]
        if len(flips):
            found.append(f"The verdict depends on who plays: {len(flips)}" + self._apart(flips, most) + ".")
        return found

    def _apart(self, rows: pd.DataFrame, most: int) -> str:
        """Return whose numbers lie farthest apart, and with whom they are lowest and highest."""
        far, listed = (rows["highest"] - rows["lowest"]).to_numpy(), rows.to_dict("records")
        names = [
            f"{Said.keys(self.keys, [listed[place][key] for key in self.keys], self.texts)}, ".removeprefix(", ")
            + " and ".join(self._at(listed[place], by) for by in ("lowest", "highest"))
            for place in np.argsort(-far, kind="stable")[:most]
        ]
        return ", first of all " + "; ".join(names)

    def _at(self, row: Mapping[str, Any], by: str) -> str:
        """Return the lowest or highest number of a row, and with whom it is so."""
        return f"{self._number(row, by)} with {row[f'{by}_at'].replace('_', ' ')}"

    def _named(self, rows: pd.DataFrame, verdict: str, most: int) -> str:
        if verdict in ("fine", "holds", "undecided") or not self.keys:
            return ""
        lowest = rows["lowest"].abs() > rows["highest"].abs() if "change" in self.keys else verdict == "too weak"
        end, far = np.where(lowest, "lowest", "highest"), np.where(lowest, -rows["lowest"], rows["highest"])
        listed, names = rows.to_dict("records"), []
        for place in np.argsort(-far, kind="stable")[:most]:
            row = listed[place]
            by = str(np.broadcast_to(end, len(rows))[place])
            what = Said.keys(self.keys, [row[key] for key in self.keys], self.texts)
            names.append(f"{what}, {self._at(row, by)}")
        return ", first of all " + "; ".join(names) if names else ""

    def _number(self, row: Mapping[str, Any], by: str) -> str:
        """Return a number with its interval: ``"1.21 (1.13 to 1.29)"``; a difference with its sign."""
        told = SimpleNamespace(unit=self.unit, estimate=row[by], low=row[f"{by}_low"], high=row[f"{by}_high"])
        return Said.step(told) if "change" in self.keys else Said.interval(told, unit=self.unit != "times")


def _groups_of(number: int) -> str:
    return f"{number} group{'' if number == 1 else 's'} of policies and players"
