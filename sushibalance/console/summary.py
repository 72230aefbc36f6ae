"""What a command that plays says at its end: who won a run, how far it came, what a check found."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sushibalance.console.lines import columns, counted, wrapped

if TYPE_CHECKING:
    import pandas as pd

    from sushibalance.analysis.over import Questions
    from sushibalance.rules import Rules
    from sushibalance.simulation.request import Request
    from sushibalance.simulation.run import Run


def questions(request: Request) -> Questions:
    """Return what the summary of a run asks: wins and totals by policy, where several play, and by seat; endings."""
    from sushibalance.analysis import win_rates
    from sushibalance.analysis.over import question
    from sushibalance.analysis.over import questions as together
    from sushibalance.stats import shares

    keys = {} if request.alike else {"policy": ["policy"]}
    asked = {}
    for name, by in {**keys, "seat": ["seat", "policy"]}.items():
        asked[f"wins {name}"] = question(win_rates.of, "players", by=by)
        asked[f"points {name}"] = question(win_rates.points, "players", by=by)
    if len(request.engine.endings) > 1:
        asked["endings"] = question(shares, "games", by=(), category="ended_by")
    return together(**asked)


def summary(request: Request, games: int, answers: Mapping[str, Any], listing: str) -> str:
    """Return the answers to `questions` as a few lines.

    ``listing`` is the command that lists the assumed values.
    """
    engine, rules = request.engine, request.rules
    lines = [f"{engine.title}, {rules.name}: {counted(games)}, {len(request.policies)} players, seed {request.seed}"]
    assumed = len(rules.assumed())
    if assumed:
        lines.append(f"These numbers rest on {assumed} assumed values: {listing}")
    if all(policy.name == "random" for policy in request.policies):
        lines.append("All seats play at random, whatever things are worth; see --policy (greedy, ...).")
    elif not request.alike:
        lines.append("Each policy keeps its seat and its neighbours in all games ('compare' lets them change seats).")
    for name, by in (("policy", ["policy"]), ("seat", ["seat", "policy"])):
        if f"wins {name}" not in answers:
            continue
        wins, points = (answers[f"{what} {name}"].to_dict("records") for what in ("wins", "points"))
        rows = [[*by, "wins (95% interval)", "mean total (95% interval)", "n"]]
        for win, point in zip(wins, points, strict=True):
            rows.append([*(str(win[key]) for key in by), _percent(win), _number(point), f"{win['n']:,}"])
        lines += ["", *columns(rows)]
    if "endings" in answers:
        ends = answers["endings"].to_dict("records")
        rows = [[str(end["ended_by"]), _percent(end), f"{end['n']:,}"] for end in ends]
        lines += ["", *columns([["ended by", "games (95% interval)", "n"], *rows])]
    return "\n".join(lines)


def _percent(row: dict[str, Any]) -> str:
    return f"{row['estimate']:.1%} ({row['low']:.1%} to {row['high']:.1%})"


def _number(row: dict[str, Any]) -> str:
    if row["n"] < 2:
        return f"{row['estimate']:.2f} (no interval from one game)"
    if row["low"] != row["low"]:
        return f"{row['estimate']:.2f} (no interval: the same in every game)"
    return f"{row['estimate']:.2f} ({row['low']:.2f} to {row['high']:.2f})"


def stored(run: Run, out: Path) -> str:
    """Return where a run lies and how large it is."""
    return f"Stored in {out}: {run.disk_bytes / 1e6:,.1f} MB, {run.disk_bytes / run.n:,.0f} bytes a game"


def whole(out: Path, games: int) -> str:
    """Return how far a run has come that was stopped while it was stored; nothing where none lies there."""
    from sushibalance.simulation.run import Run, RunError

    with suppress(RunError):
        done = Run.load(out, unfinished=True).n
        return f"sushibalance: {done:,} of {games:,} games are whole in {out}; the same command plays the others"
    return ""


def sound(rules: Rules, found: pd.DataFrame, games: int) -> str:
    """Return what `analysis.checks` found, and how much so many games can tell, in a few sentences."""
    known, open_ = found[found["z"].notna()], found[found["detects"] > 0]
    if not len(open_):
        few = "1 game tells" if games == 1 else f"{games:,} games tell"
        return wrapped(
            f"{rules.name}: {few} next to nothing. Of {len(found)} frequencies {len(known)} that are 0 or 1 by the "
            "rules are so; the others have no 30 cases in so few games, and none was held against what can be "
            "calculated. Play more games: --games 20000, or leave --games out.",
            2,
        )
    worst = known.loc[known["z"].abs().idxmax()]
    rare = len(found) - len(known)
    rest = f" {rare} more are too rare to be judged." if rare else ""
    reach = (open_["detects"] / open_["exact"]).median()
    sentence = (
        f"{rules.name}: {len(known)} of {len(found)} frequencies in {counted(games)} agree with what can be "
        f"calculated.{rest} Farthest off, by {abs(worst['z']):.1f} standard errors: {worst['what']}, {worst['case']} "
        f"({worst['estimate']:.5g} instead of {worst['exact']:.5g}). More than 4 would be an error; by chance that "
        f"happens in {100 * found.attrs['false_alarm']:.2g} of 100 such checks. Half of those that chance moves would "
        f"show it if they were off by {_share(reach)} of their value."
    )
    return wrapped(sentence, 2)


def _share(part: float) -> str:
    """Return a part in percent, with two digits that count."""
    return f"{float(f'{100 * part:.2g}'):g}%"
