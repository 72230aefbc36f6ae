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
from sushibalance.plots.style import STYLE
from sushibalance.plots.texts import Labels, said
from sushibalance.reports.figures import count, pieces
from sushibalance.rules import Document, Rules, Value
from sushibalance.rules.problems import shown
from sushibalance.simulation import simulate as simulation
from sushibalance.simulation.run import Run, package_version
from sushibalance.stats.grouped import labelled

FOLDED = 12  # longer tables are folded
SHORT = 16  # letters of a name that is not broken
WHOLE = 1_000  # letters of a value that is shown whole


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


def about(runs: Mapping[Any, Run], label: str | None = None) -> str:
    """Return in words which games these are: ``"mixed, 4 players: greedy, tank, saver, random"``.

    Parameters
    ----------
    runs : mapping to Run
        As `play` gives them.
    label : str, optional
        Of one table; by default all of them.
    """
    chosen = [(_label(key), run) for key, run in runs.items() if label is None or _label(key) == label]
    players = _span(run.seats for _, run in chosen) + " players"
    if len({name for name, _ in chosen}) > 1:
        return f"{players} at each table"
    name, largest = max(chosen, key=lambda pair: pair[1].seats)
    who = _policies(largest, alike="all ")
    return f"{said(name)}, {players}" + (f": {who}" if who != said(name) else "")


def _label(key: Any) -> str:
    return str(key[0] if isinstance(key, tuple) else key)


def _span(sizes: Iterable[int]) -> str:
    sizes = sorted(set(sizes))
    return str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"


def _policies(run: Run, alike: str = "") -> str:
    """Return the policies seat by seat, or, after ``alike``, the one that all play."""
    names = [_policy(policy, run) for policy in run.policies]
    return alike + names[0] if len(set(names)) == 1 else ", ".join(names)


def told_apart(run: Run) -> str:
    """Return the key that tells a run's players apart: ``"policy"``, or ``"seat"`` where all play alike."""
    return "policy" if len({policy.name for policy in run.policies}) > 1 else "seat"


def summary(rules: Rules, runs: Mapping[Any, Run], players: int) -> None:
    """Show what was simulated: the rules and what was changed in them, the seed, and each table with its games.

    Where there are tables of several sizes, ``players`` is the one that sections are about unless they say
    otherwise.
    """
    parts = [f"Rule set <b>{_text(rules.name)}</b>"]
    if rules.description:
        parts.append(f": {_text(rules.description)}")
    sizes = _span(run.seats for run in runs.values())
    at_table = sizes if sizes == str(players) else f"{players}; where a section says so, {sizes}"
    facts = [
        ("players at a table", at_table),
        ("games in all", count(sum(run.n for run in runs.values()))),
        ("seed", ", ".join(map(str, sorted({run.seed for run in runs.values()})))),
        ("rules fingerprint", f"<code>{rules.fingerprint[:16]}</code>"),
        ("sushibalance", _text(package_version())),
    ]
    listed = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts)
    display(HTML(f"<p>{''.join(parts)}</p><dl class='facts'>{listed}</dl>"))
    changes(rules)
    say("Each row is a table: who sits at it, and how they play.")
    display(HTML(_frame_html(_tables(runs))))
    policies = {_policy(policy, run): policy for run in runs.values() for policy in run.policies}
    rows = [(name, policy.description, _parameters(policy.parameters)) for name, policy in policies.items()]
    _show_folded(pd.DataFrame(rows, columns=["policy", "how it plays", "parameters"]), "How the policies play")


def _policy(policy: Policy, run: Run) -> str:
    """Return a policy's name, with those of its parameters that are not as shipped."""
    shipped = run.engine.policies.get(policy.name)
    usual = shipped.parameters if shipped else {}
    changed = {key: value for key, value in policy.parameters.items() if usual.get(key) != value}
    return said(policy.name) + (f" ({_parameters(changed)})" if changed else "")


def _parameters(parameters: Mapping[str, float]) -> str:
    return ", ".join(f"{said(key)} {value:g}" for key, value in parameters.items())


def _tables(runs: Mapping[Any, Run]) -> pd.DataFrame:
    """Return one row a table, whatever its number of players; the largest tells the policies."""
    rows: dict[str, list[Run]] = {}
    for key, run in runs.items():
        rows.setdefault(said(_label(key)), []).append(run)
    listed = []
    for label, same in rows.items():
        games = count(same[0].n) + ("\N{NO-BREAK SPACE}each" if len(same) > 1 else "")
        who = _policies(max(same, key=lambda run: run.seats))
        listed.append((label, _span(run.seats for run in same), who, games))
    return pd.DataFrame(listed, columns=["table", "players", "policies, seat by seat", "games"])


def changes(rules: Rules) -> None:
    """Show what differs from the game as shipped, before and after; nothing where nothing does."""
    base = load_rules(rules.game)
    moved = rules.differences(base)
    if not moved:
        return
    say(
        f"These rules differ from <b>{_text(base.name)}</b> as shipped in {len(moved)} of {len(rules.values())} values."
    )
    rows = [(key, _change(before, after)) for key, before, after in moved]
    _show_folded(pd.DataFrame(rows, columns=["key", "before -> after"]), "What these rules change")


def _change(before: Any, after: Any) -> str:
    if before is None:
        return f"new: {shown(after, WHOLE)}"
    return f"{shown(before, WHOLE)} -> {'taken out' if after is None else shown(after, WHOLE)}"


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


def with_cards(frame: pd.DataFrame, rules: Any) -> pd.DataFrame:
    """Return a frame of Sushi Otter's power-ups with the columns ``card`` and ``type``.

    Power-ups that are alike in all but their number are one card: ``"52 to 63: Take a Key Client card"``.
    """
    alike: dict[str, list[int]] = {}
    for number, card in rules.power_ups.items():
        alike.setdefault(card.model_dump_json(), []).append(int(number))
    names, of = [], {}
    for code, numbers in enumerate(alike.values()):
        first = rules.power_ups[str(numbers[0])]
        names.append(f"{_numbers(numbers)}: {(first.text or said(first.type)).rstrip('.')}")
        of.update(dict.fromkeys(numbers, code))
    types = {int(number): card.type for number, card in rules.power_ups.items()}
    card = labelled(frame["power_up"].map(of).to_numpy(), names).set_axis(frame.index)
    return frame.assign(card=card, type=frame["power_up"].map(types))


def _numbers(numbers: Sequence[int]) -> str:
    """Return ``"1, 2"``, or ``"52 to 63"`` for three or more in a row."""
    spans: list[list[int]] = []
    for number in sorted(numbers):
        if spans and number == spans[-1][-1] + 1:
            spans[-1].append(number)
        else:
            spans.append([number])
    return ", ".join(f"{s[0]} to {s[-1]}" if len(s) > 2 else ", ".join(map(str, s)) for s in spans)


def seat_labels(players: int) -> dict[Any, str]:
    """Return what to write for seats, and for seats counted from the first button."""
    seats = {("seat", seat): f"seat {seat}" for seat in range(players)}
    on = {("distance", seat): f"{seat} seat{'s' * (seat > 1)} on" for seat in range(1, players)}
    return {"distance": "from the first button", ("distance", 0): "holds it", **on, **seats}


def say(*sentences: str | Sequence[str], about: str = "") -> None:
    """Show sentences as a paragraph, and a list of sentences as a list, after the line that says which games.

    Names in them must be escaped already (see `sentences`); ``about`` is not.
    """
    parts = [f"<p class='about'>{_text(about)}</p>"] if about else []
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
    about: str = "",
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
    about : str
        Which games.
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
    written[interval] = [f"{low}{unit} to {high}{unit}".replace(" ", "\N{NO-BREAK SPACE}") for _, low, high, _ in rows]
    written["n"] = [count(value) for value in frame["n"]]
    if not frame["n"].equals(frame["games"]):
        written["games"] = [count(value) for value in frame["games"]]
    result = pd.DataFrame(written)
    _show_folded(result, f"Numbers: {heading}" + (f" ({about})" if about else ""))


def _key(column: str, value: Any, labels: Labels | None) -> str:
    """Return what is written for a key; short names stay in one line."""
    text = f"{100 * value:g}%" if column == "quantile" else said(value, labels, column)
    return text.replace(" ", "\N{NO-BREAK SPACE}") if len(text) <= SHORT else text


def _show_folded(frame: pd.DataFrame, heading: str) -> None:
    state = "" if len(frame) > FOLDED else " open"
    display(HTML(f"<details{state}><summary>{_text(heading)}</summary>{_frame_html(frame)}</details>"))


def _frame_html(frame: pd.DataFrame) -> str:
    with pd.option_context("display.max_colwidth", None):
        return f"<div class='scroll'>{frame.to_html(index=False, border=0, escape=True)}</div>"


def _text(text: str) -> str:
    return html.escape(str(text), quote=False)
