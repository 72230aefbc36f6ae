"""What the notebooks call to simulate and to show: summaries, sentences, tables, charts."""

from __future__ import annotations

import html
import io
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from IPython.display import HTML, display
from matplotlib.axes import Axes

from sushibalance.games.game import Policy
from sushibalance.games.registry import load_rules, rules_model
from sushibalance.plots.style import STYLE, Labels, said
from sushibalance.reports.figures import count, pieces
from sushibalance.rules import Document, Rules, Value
from sushibalance.rules.problems import shown
from sushibalance.simulation import simulate as simulation
from sushibalance.simulation.run import Run
from sushibalance.simulation.storage import package_version

FOLDED = 12  # longer tables are folded


def seats(policies: str | Sequence[str], players: int) -> list[str]:
    """Return one policy a seat: one for all, or as many as given over and over."""
    mix = [policies] if isinstance(policies, str) else list(policies)
    return [mix[seat % len(mix)] for seat in range(players)]


def rules_of(source: str | Mapping[str, Any]) -> Rules:
    """Return the rules that the parameter ``rules`` names: a shipped name, a path, or a whole document."""
    if isinstance(source, str):
        return load_rules(source)
    document = Document(**source)
    return rules_model(document.game).from_document(document)


def play(
    rules: Rules,
    tables: Mapping[str, str | Sequence[str]],
    *,
    players: int | Iterable[int],
    games: int,
    seed: int,
) -> dict[Any, Run]:
    """Simulate the same games at several tables.

    Parameters
    ----------
    rules : Rules
        The rule set.
    tables : mapping of str to policies
        By label: one policy for all seats, or a mix that goes round the table.
    players : int or iterable of int
        Number of players, or several.
    games, seed : int
        As for `simulate`.

    Returns
    -------
    dict of Run
        By label; by (label, players) where ``players`` has several.
    """
    several = not isinstance(players, int)
    runs: dict[Any, Run] = {}
    for number in players if not isinstance(players, int) else [players]:
        for label, mix in tables.items():
            print(f"{label}, {number} players: {games:,} games", file=sys.stderr, flush=True)
            run = simulation.simulate(rules, players=number, policies=seats(mix, number), games=games, seed=seed)
            runs[(label, number) if several else label] = run
    return runs


def summary(rules: Rules, runs: Mapping[Any, Run]) -> None:
    """Show what was simulated: the rules, the seed, and each table with its games."""
    parts = [f"Rule set <b>{_text(rules.name)}</b>"]
    if rules.description:
        parts.append(f": {_text(rules.description)}")
    seeds = sorted({run.seed for run in runs.values()})
    facts = [
        ("rules fingerprint", f"<code>{rules.fingerprint[:16]}</code>"),
        ("seed", ", ".join(map(str, seeds))),
        ("games in all", count(sum(run.n for run in runs.values()))),
        ("sushibalance", _text(package_version())),
    ]
    listed = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts)
    display(HTML(f"<p>{''.join(parts)}</p><dl class='facts'>{listed}</dl>{_frame_html(_tables(runs))}"))
    policies = {str(policy): policy for run in runs.values() for policy in run.policies}
    rows = [(said(policy.name), policy.description, _parameters(policy)) for policy in policies.values()]
    _show_folded(pd.DataFrame(rows, columns=["policy", "how it plays", "parameters"]), "How the policies play")


def _parameters(policy: Policy) -> str:
    return ", ".join(f"{said(key)} {value:g}" for key, value in policy.parameters.items())


def _tables(runs: Mapping[Any, Run]) -> pd.DataFrame:
    """Return one row a table, whatever its number of players; the largest tells the policies."""
    rows: dict[str, list[Run]] = {}
    for label, run in runs.items():
        rows.setdefault(said(label[0] if isinstance(label, tuple) else label), []).append(run)
    listed = []
    for label, same in rows.items():
        sizes = sorted(run.seats for run in same)
        players = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        seats = [said(policy.name) for policy in max(same, key=lambda run: run.seats).policies]
        games = count(same[0].n) + ("\N{NO-BREAK SPACE}each" if len(sizes) > 1 else "")
        listed.append((label, players, seats[0] if len(set(seats)) == 1 else ", ".join(seats), games))
    return pd.DataFrame(listed, columns=["table", "players", "policies, seat by seat", "games"])


def assumptions(rules: Rules) -> None:
    """Show the values that no printed rule gives, and those that this variant changes."""
    assumed = rules.assumed()
    total = len(rules.values())
    if assumed:
        groups = list(dict.fromkeys(value.key.split(".")[0] for value in assumed))
        named = ", ".join(said(group) for group in groups)
        say(f"{len(assumed)} of the {total} values of these rules are assumed: nobody printed them ({_text(named)}).")
        _show_folded(_values(assumed), f"The {len(assumed)} assumed values")
    else:
        say("None of these rules' values is assumed.")
    changed = [value for value in rules.values() if value.source == "variant"]
    if changed:
        say(f"This variant changes {len(changed)} {'value' if len(changed) == 1 else 'values'}.")
        _show_folded(_values(changed), "What this variant changes")


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


def power_up_labels(rules: Any, width: int = 48) -> dict[int, str]:
    """Return what to write for each power-up of Sushi Otter: its number and text, cut to ``width``."""
    labels = {}
    for number, card in rules.power_ups.items():
        text = (card.text or said(card.type)).rstrip(".")
        labels[int(number)] = f"{number}: {text if len(text) <= width else text[: width - 1].rstrip() + chr(0x2026)}"
    return labels


def power_up_types(rules: Any) -> dict[int, str]:
    """Return the type of each power-up of Sushi Otter."""
    return {int(number): card.type for number, card in rules.power_ups.items()}


def seat_labels(players: int) -> dict[Any, str]:
    """Return what to write for seats counted from the first button."""
    on = {("distance", seat): f"{seat} seat{'s' * (seat > 1)} on" for seat in range(1, players)}
    return {"distance": "from the first button", ("distance", 0): "holds it", **on}


def say(*sentences: str | Sequence[str]) -> None:
    """Show sentences as a paragraph, and a list of sentences as a list.

    Names in them must be escaped already (see `sentences`).
    """
    parts = []
    for part in sentences:
        text = part if isinstance(part, str) else "".join(f"<li>{item}</li>" for item in part)
        parts.append(f"<p>{text}</p>" if isinstance(part, str) else f"<ul>{text}</ul>")
    display(HTML("".join(parts)))


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
    frame: pd.DataFrame,
    heading: str,
    *,
    scale: float = 1.0,
    unit: str = "",
    labels: Labels | None = None,
) -> None:
    """Show a frame of estimates as a table: keys, estimate, interval, n, games.

    Tables longer than `FOLDED` rows are folded.

    Parameters
    ----------
    frame : DataFrame
        The keys, ``estimate, low, high, n, games``.
    heading : str
        What the estimate is.
    scale, unit : float, str
        ``100, "%"`` for shares.
    labels : mapping, optional
        What to write for a key's name or value.
    """
    keys = list(frame.columns[: frame.columns.get_loc("estimate")])
    written = {said(key, labels): [_key(key, value, labels) for value in frame[key]] for key in keys}
    rows = [pieces(row, scale) for row in frame.itertuples()]
    level = frame.attrs.get("level")
    interval = f"{100 * level:g}% interval" if level else "interval"
    written[heading] = [f"{value}{unit}" for value, *_ in rows]
    written[interval] = [f"{low}{unit} to {high}{unit}" for _, low, high, _ in rows]
    written["n"] = [count(value) for value in frame["n"]]
    if not frame["n"].equals(frame["games"]):
        written["games"] = [count(value) for value in frame["games"]]
    result = pd.DataFrame(written)
    _show_folded(result, f"Table: {heading}", "numbers")


def _key(column: str, value: Any, labels: Labels | None) -> str:
    return f"{100 * value:g}%" if column == "quantile" else said(value, labels, column)


def _show_folded(frame: pd.DataFrame, heading: str, kind: str = "texts") -> None:
    state = "" if len(frame) > FOLDED else " open"
    display(HTML(f"<details{state}><summary>{_text(heading)}</summary>{_frame_html(frame, kind)}</details>"))


def _frame_html(frame: pd.DataFrame, kind: str = "texts") -> str:
    with pd.option_context("display.max_colwidth", None):
        return f"<div class='scroll'>{frame.to_html(index=False, border=0, escape=True, classes=kind)}</div>"


def _text(text: str) -> str:
    return html.escape(str(text), quote=False)
