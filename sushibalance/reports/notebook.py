"""What the notebooks call to play and to show: summaries, findings, sentences, charts, tables of numbers."""

from __future__ import annotations

import html
import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from IPython.display import HTML, display
from matplotlib.axes import Axes

from sushibalance.games.registry import load_rules
from sushibalance.plots.style import STYLE, VERDICTS
from sushibalance.plots.texts import Labels, said
from sushibalance.reports import comparing
from sushibalance.reports.figures import LINK, between, count, fixed, pieces
from sushibalance.reports.parameters import rules_of
from sushibalance.reports.tables import (
    about,
    label_of,
    parameters,
    play,
    policy_name,
    seated,
    span,
    stacked,
    told_apart,
)
from sushibalance.rules import Rules, Value
from sushibalance.rules.problems import changed, shown
from sushibalance.simulation.request import package_version

__all__ = [
    "about",
    "assumptions",
    "changes",
    "compared",
    "findings",
    "named",
    "plain",
    "play",
    "rules_of",
    "say",
    "seat_labels",
    "show",
    "stacked",
    "summary",
    "table",
    "told_apart",
]

FOLDED = 12  # longer tables are folded
SHORT = 16  # letters of a name that is not broken
WHOLE = 1_000  # letters of a value that is shown whole
SIDES = ("base", "variant", "otherwise", "forced", "nothing", "given")  # what a difference is taken of


def summary(rules: Rules, runs: Mapping[Any, Any], players: int) -> None:
    """Show what was simulated: the rules and what was changed in them, the seed, and each table with its games.

    Where there are tables of several sizes, ``players`` is the one that sections are about unless they say
    otherwise.
    """
    parts = [f"Rule set <b>{_text(rules.name)}</b>"]
    if rules.description:
        parts.append(f": {_text(rules.description)}")
    sizes = span(run.seats for run in runs.values())
    at_table = sizes if sizes == str(players) else f"{players}; where a section says so, {sizes}"
    facts = [
        ("players at a table", at_table),
        ("games in all", count(sum(run.n for run in runs.values()))),
        ("seed", ", ".join(map(str, sorted({run.seed for run in runs.values()})))),
        ("rules fingerprint", f"<code>{rules.fingerprint[:16]}</code>"),
        ("sushibalance", _text(package_version())),
    ]
    display(HTML(f"<p>{''.join(parts)}</p>{_facts(facts)}"))
    changes(rules)
    say("Each row is a table: who sits at it, and how they play.")
    display(HTML(_frame_html(_tables(runs), "Tables")))
    policies = {policy_name(policy, run): policy for run in runs.values() for policy in run.policies}
    rows = [(name, policy.description, parameters(policy.parameters)) for name, policy in policies.items()]
    _show_folded(pd.DataFrame(rows, columns=["policy", "how it plays", "parameters"]), "How the policies play")


def _tables(runs: Mapping[Any, Any]) -> pd.DataFrame:
    """Return one row a table, whatever its number of players; the largest tells the policies."""
    rows: dict[str, list[Any]] = {}
    for key, run in runs.items():
        rows.setdefault(said(label_of(key)), []).append(run)
    listed = []
    for label, same in rows.items():
        games = count(same[0].n) + ("\N{NO-BREAK SPACE}each" if len(same) > 1 else "")
        who = seated(max(same, key=lambda run: run.seats))
        listed.append((label, span(run.seats for run in same), who, games))
    return pd.DataFrame(listed, columns=["table", "players", "policies, seat by seat", "games"])


def compared(found: Any) -> None:
    """Show what was compared: the base, the variants with what each changes, the players, the seed, the margins."""
    facts = [
        ("base", f"<b>{_text(found.base.name)}</b>"),
        ("players at a table", str(found.players)),
        ("policies", _text(", ".join(dict.fromkeys(map(said, found.called))))),
        (found.unit, count(found.games) + (f", each {found.rotations} games" if found.rotations > 1 else "")),
        ("seed", str(found.seed)),
        ("rules fingerprint", f"<code>{found.base.fingerprint[:16]}</code>"),
        ("sushibalance", _text(package_version())),
    ]
    display(HTML(_facts(facts)))
    say(_text(found.played()))
    rows = [
        (said(name), key, changed(before, after, WHOLE))
        for name, rules in found.variants.items()
        for key, before, after in rules.differences(found.base)
    ]
    _show_folded(pd.DataFrame(rows, columns=["variant", "key", "before -> after"]), "What the variants change")
    _show_folded(comparing.margins(found), "Differences that do not matter")


def _facts(facts: Iterable[tuple[str, str]]) -> str:
    listed = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts)
    return f"<dl class='facts'>{listed}</dl>"


def changes(rules: Rules) -> None:
    """Show what differs from the game as shipped, before and after; nothing where nothing does."""
    base = load_rules(rules.game)
    moved = rules.differences(base)
    if not moved:
        return
    say(
        f"These rules differ from <b>{_text(base.name)}</b> as shipped in {len(moved)} of {len(rules.values())} values."
    )
    rows = [(key, changed(before, after, WHOLE)) for key, before, after in moved]
    _show_folded(pd.DataFrame(rows, columns=["key", "before -> after"]), "What these rules change")


def assumptions(rules: Rules) -> None:
    """Show the values that no printed rule gives."""
    assumed = rules.assumed()
    total = len(rules.values())
    if assumed:
        groups = list(dict.fromkeys(value.key.split(".")[0] for value in assumed))
        named = ", ".join(said(group) for group in groups)
        say(f"{len(assumed)} of the {total} values of these rules are assumed: nobody printed them ({_text(named)}).")
        _show_folded(_values(assumed), f"The {len(assumed)} assumed values")
    else:
        say("None of these rules' values is assumed.")


def _values(values: Iterable[Value]) -> pd.DataFrame:
    """Return one row for each table of the rule file, its values side by side."""
    rows = []
    for (table, note), group in groupby(values, lambda value: (value.key.rpartition(".")[0], value.note)):
        inside = list(group)
        if len(inside) == 1 or not table:
            rows += [(value.key, shown(value.value), note) for value in inside]
        else:
            listed = ", ".join(f"{value.key.rpartition('.')[2]} = {shown(value.value)}" for value in inside)
            rows.append((table, listed, note))
    notes = [note for *_, note in rows]
    fresh = [note if note != before else "" for note, before in zip(notes, ["", *notes], strict=False)]
    frame = pd.DataFrame([row[:2] for row in rows], columns=["key", "value"])
    return frame.assign(**{"what the rule file says": fresh}) if any(fresh) else frame


def named(policies: str | Sequence[str]) -> str:
    """Return policies in words: ``"all greedy"``, ``"greedy, tank"``."""
    return f"all {said(policies)}" if isinstance(policies, str) else ", ".join(map(said, policies))


def different(run: Any) -> list[Any]:
    """Return the policies of a table, each once."""
    return list(dict(zip(run.engine.called(run.policies), run.policies, strict=True)).values())


def seat_labels(players: int) -> dict[Any, str]:
    """Return what to write for seats, and for seats counted from the first button."""
    seats = {("seat", seat): f"seat {seat}" for seat in range(players)}
    on = {("distance", seat): f"{seat} seat{'s' * (seat > 1)} on" for seat in range(1, players)}
    return {"distance": "from the first button", ("distance", 0): "holds it", **on, **seats}


def findings(*parts: str | Sequence[str], about: str = "", fine: str = "What is as it should be") -> None:
    """Show what a report has found as a list, a finding an item; see `say` and `sushibalance.reports.findings`.

    First what lies beyond its margin, then what is undecided, then what is wholly inside (`findings.Finding`); the
    last two under headings of their own. A part may be one finding or several; empty ones are left out.
    """
    every = [item for part in parts for item in ([part] if isinstance(part, str) else part) if item]
    shown = [f"<p class='about'>{_text(about)}</p>"] if about else []
    number = 1
    for state, heading in (("act", ""), ("open", "What more games would tell"), ("fine", fine)):
        some = [item for item in every if getattr(item, "state", "act") == state]
        if not some:
            shown += ["<p>Nothing was found that lies beyond its margin.</p>"] if not heading else []
            continue
        listed = "".join(f"<li>{item}</li>" for item in some)
        shown += [f"<h3>{_text(heading)}</h3>"] if heading else []
        shown.append(f"<ol class='findings' start='{number}'>{listed}</ol>")
        number += len(some)
    display(HTML("".join(shown)))


def say(*sentences: str | Sequence[str], about: str = "") -> None:
    """Show sentences as a paragraph, and a list of sentences as a list, after the line that says which games.

    Names in them must be escaped already (see `sentences`); ``about`` is not.
    """
    parts = [f"<p class='about'>{_text(about)}</p>"] if about else []
    for part in sentences:
        text = part if isinstance(part, str) else "".join(f"<li>{item}</li>" for item in part)
        parts.append(f"<p>{text}</p>" if isinstance(part, str) else f"<ul>{text}</ul>")
    display(HTML("".join(parts)))


def plain(text: str) -> str:
    """Return a text that is no HTML, for `say`."""
    return _text(text)


def show(ax: Axes) -> None:
    """Show a chart as SVG, with its title as the text for those who do not see it."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    note = " ".join(text.get_text() for text in ax.texts)
    title = f"{ax.get_title(loc='left')} {note}".strip()
    stream = io.StringIO()
    with plt.rc_context(STYLE):
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    svg = re.sub(r"^.*?(?=<svg )", "", stream.getvalue(), flags=re.DOTALL)
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    data = {"image/svg+xml": svg, "text/plain": title}
    display(data, raw=True, metadata={"image/svg+xml": {"alt": title}})


def table(
    name: str,
    frame: pd.DataFrame,
    heading: str,
    *,
    about: str = "",
    scale: float = 1.0,
    unit: str = "",
    labels: Labels | None = None,
) -> None:
    """Show a frame of estimates as a table: keys, estimate, interval, n, games, and the verdict where there is one.

    Tables longer than `FOLDED` rows are folded. A report has the whole frame beside it, as ``name.csv``.

    Parameters
    ----------
    name : str
        Of the file with the numbers, without ``.csv``.
    frame : DataFrame
        The keys, ``estimate, low, high, n, games``; of a comparison both sides besides (`SIDES`).
    heading : str
        What the estimate is.
    about : str
        Which games.
    scale, unit : float, str
        ``100, "%"`` for shares.
    labels : mapping, optional
        What to write for a key's name or value.
    """
    sides = [side for side in SIDES if side in frame.columns]
    keys = [key for key in frame.columns[: frame.columns.get_loc("estimate")] if key not in sides]
    written: dict[str, Any] = {said(key, labels): [_key(key, value, labels) for value in frame[key]] for key in keys}
    rows = [pieces(row, scale) for row in frame.itertuples()]
    for side in sides:
        written[side] = [f"{fixed(scale * v, places)}{unit}" for v, (*_, places) in zip(frame[side], rows, strict=True)]
    level = frame.attrs.get("level")
    interval = f"{100 * level:.4g}% interval" if level else "interval"
    column = heading.partition(",")[0]  # the line above the table has the rest
    written[column] = [f"{value}{unit}" for value, *_ in rows]
    written[interval] = [_whole(between(low, high, unit)) for _, low, high, _ in rows]
    written["n"] = [count(value) for value in frame["n"]]
    if not frame["n"].equals(frame["games"]):
        written[frame.attrs.get("unit", "games")] = [count(value) for value in frame["games"]]
    if "verdict" in frame.columns:
        written["verdict"] = [_whole(f"{VERDICTS[verdict].letter} {verdict}") for verdict in frame["verdict"]]
        written[f"{frame.attrs.get('unit', 'games')} more to settle it"] = [
            "?" if pd.isna(value) else count(value) if value else "" for value in frame["needed"]
        ]
    stated = frame if level is None else frame.assign(level=level)
    _show_folded(pd.DataFrame(written), f"Numbers: {heading}" + (f" ({about})" if about else ""), name, stated)


def exact(name: str, frame: pd.DataFrame, heading: str, *, about: str = "") -> None:
    """Show a frame of numbers that are no estimates; missing ones stay empty. The rest is as for `table`."""
    written = {said(key): [_number(value) for value in frame[key]] for key in frame.columns}
    _show_folded(pd.DataFrame(written), f"Numbers: {heading}" + (f" ({about})" if about else ""), name, frame)


def _number(value: Any) -> str:
    """Return a number with four digits that count, as it stands in a table; of a truth value yes or no."""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if not isinstance(value, float):
        return said(value)
    if not math.isfinite(value):
        return ""
    return fixed(value, max(0, 3 - math.floor(math.log10(abs(value)))) if value else 0)


def _key(column: str, value: Any, labels: Labels | None) -> str:
    """Return what is written for a key; short names stay in one line."""
    text = f"{100 * value:g}%" if column == "quantile" else said(value, labels, column)
    return _whole(text) if len(text) <= SHORT else text


def _whole(text: str) -> str:
    """Return a text that stays in one line."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def _show_folded(frame: pd.DataFrame, heading: str, name: str = "", numbers: pd.DataFrame | None = None) -> None:
    """Show a table that can be folded; `numbers` go with it as CSV, which the report puts into a file of that name."""
    state = "" if len(frame) > FOLDED else " open"
    inside = _frame_html(frame, heading) + (LINK if name else "")
    text = f"<details{state}><summary>{_text(heading)}</summary>{inside}</details>"
    if numbers is None:
        display(HTML(text))
        return
    data = {"text/html": text, "text/csv": numbers.to_csv(index=False, float_format="%.8g"), "text/plain": heading}
    display(data, raw=True, metadata={"text/csv": {"name": name}})


def _frame_html(frame: pd.DataFrame, heading: str) -> str:
    """Return a table in a box that scrolls, also with the keyboard."""
    with pd.option_context("display.max_colwidth", None):
        table = frame.to_html(index=False, border=0, escape=True)
    table = re.sub(rf"<th>(?=[^<]{{{SHORT},}})", "<th class='long'>", table)
    return f"<div class='scroll' role='region' aria-label='{html.escape(heading)}' tabindex='0'>{table}</div>"


def _text(text: str) -> str:
    return html.escape(str(text), quote=False)
