"""Build reports: parameters into a notebook, run it, write one self-contained HTML page."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from nbconvert import HTMLExporter
from nbformat import NotebookNode

from sushibalance.errors import UserError
from sushibalance.games.registry import load_rules, shipped
from sushibalance.reports.execute import NotebookError, execute, inject, read
from sushibalance.rules import Rules
from sushibalance.simulation.simulate import MAX_GAMES, MAX_SEED, table_of, whole

GAMES = ("otter", "nightmares", "sushi_go")
FOLDER = Path("reports")
TEMPLATE = Path(__file__).resolve().parent / "template"
OFF = ("mathjax_url", "require_js_url", "jquery_url", "mermaid_js_url", "widget_renderer_url")


class ReportError(UserError):
    """A report that cannot be built: what, found, allowed."""


def build_report(
    game: str,
    *,
    players: int = 4,
    games: int | None = None,
    seed: int = 0,
    rules: Rules | str | Path | None = None,
    policies: str | Sequence[str] | None = None,
    out: str | Path | None = None,
    progress: bool = True,
) -> Path:
    """Run a game's notebook and write its report.

    The same arguments and versions write the same bytes.

    Parameters
    ----------
    game : str
        ``"otter"``, ``"nightmares"`` or ``"sushi_go"``.
    players : int
        Players at the table.
    games : int, optional
        Games at each table; by default the notebook's own number, chosen to take about a minute.
    seed : int
        Seed of every simulation.
    rules : Rules, str or Path, optional
        A rule set, the name of a shipped one, or a rule file; by default the printed rules.
    policies : str or sequence of str, optional
        One policy for all seats, or one a seat; by default the tables that the notebook names.
    out : str or Path, optional
        A file ending in ``.html``, or a folder; by default ``reports/<game>.html`` in the current folder.
    progress : bool
        Say on stderr, line by line, what is going on.

    Returns
    -------
    Path
        The page. It appears whole or not at all.

    Raises
    ------
    ReportError
        For an unknown game, rules of another game, a notebook that stops, a page that cannot be written.
    RulesError, SimulationError, PolicyError
        For rules, numbers or policies that cannot be played; before anything is simulated.
    """
    values = _parameters(game, players, games, seed, rules, policies)
    target = _target(game, out)
    os.unlink(_beside(target))  # better now than after the work
    say = _speaker(game) if progress else _silent
    began = time.monotonic()
    try:
        notebook = read(notebook_path(game))
        inject(notebook, values)
        execute(notebook, label=f"the report {game}", say=say)
    except NotebookError as error:
        raise ReportError(str(error)) from None
    _write(target, page(notebook))
    say(f"wrote {target} ({target.stat().st_size / 1e6:.1f} MB) in {time.monotonic() - began:.0f} s\n")
    return target


def build_all(
    *,
    players: int = 4,
    games: int | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    only: Iterable[str] = GAMES,
    progress: bool = True,
) -> list[Path]:
    """Write the reports of all games, one after the other; arguments as for `build_report`.

    Parameters
    ----------
    out : str or Path, optional
        A folder; by default ``reports`` in the current folder.
    only : iterable of str
        The games to report on.

    Raises
    ------
    ReportError
        As `build_report`, at the first report that fails.
    """
    folder = FOLDER if out is None else Path(out)
    if folder.suffix == ".html":
        raise ReportError(f"out: found {str(folder)!r}, allowed a folder for several reports")
    return [build_report(game, players=players, games=games, seed=seed, out=folder, progress=progress) for game in only]


def notebook_path(game: str) -> Path:
    """Return the shipped notebook of a game's report."""
    return shipped("notebooks") / f"{game}_balance.ipynb"


def page(notebook: NotebookNode) -> str:
    """Return an executed notebook as one HTML page that loads nothing."""
    exporter = HTMLExporter(
        template_name="page",
        extra_template_basedirs=[str(TEMPLATE)],
        exclude_input=True,
        exclude_input_prompt=True,
        exclude_output_prompt=True,
        exclude_anchor_links=True,
        **{name: "" for name in OFF if name in HTMLExporter.class_trait_names()},
    )
    body, _ = exporter.from_notebook_node(notebook, resources={"report_title": _title(notebook)})
    return re.sub(r"\n\s*\n+", "\n", body)


def _parameters(
    game: str,
    players: int,
    games: int | None,
    seed: int,
    rules: Rules | str | Path | None,
    policies: str | Sequence[str] | None,
) -> dict[str, Any]:
    """Return the values to inject, checked as `simulate` would check them."""
    if game not in GAMES:
        raise ReportError(f"game: found {game!r}, allowed one of {', '.join(GAMES)}")
    wanted = rules if isinstance(rules, Rules) else load_rules(rules if rules is not None else game)
    if wanted.game != game:
        raise ReportError(f'rules: found "{wanted.name}", rules of {wanted.game}; allowed rules of {game}')
    if policies is not None and not isinstance(policies, str):
        policies = list(policies)
    for policy in [policies] if isinstance(policies, str) else policies or []:
        if not isinstance(policy, str):
            raise ReportError(f"policies: found {policy!r}, allowed names, such as greedy or greedy(vp_weight=3)")
    table_of(wanted, players, policies if policies is not None else "random")
    values: dict[str, Any] = {
        "players": whole("players", players, 1, 99),
        "seed": whole("seed", seed, 0, MAX_SEED),
        "rules": asdict(wanted.document),
        "policies": policies,
    }
    if games is not None:
        values["games"] = whole("games", games, 1, MAX_GAMES)
    return values


def _target(game: str, out: str | Path | None) -> Path:
    path = FOLDER if out is None else Path(out)
    return path if path.suffix == ".html" else path / f"{game}.html"


def _beside(target: Path) -> str:
    """Return a new temporary file in the folder of ``target``, made if needed."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}-", dir=target.parent)
        os.close(handle)
    except OSError as error:
        raise ReportError(f"{target}: cannot be written ({error.strerror or error})") from None
    return name


def _write(target: Path, text: str) -> None:
    """Write a file whole: a temporary file beside it, then a rename."""
    partial = _beside(target)
    try:
        Path(partial).write_text(text, encoding="utf-8")
        os.chmod(partial, 0o644)
        os.replace(partial, target)
    except OSError as error:
        raise ReportError(f"{target}: cannot be written ({error.strerror or error})") from None
    finally:
        with suppress(OSError):
            os.unlink(partial)


def _title(notebook: NotebookNode) -> str:
    for cell in notebook.cells:
        match = re.search(r"^# (.+)$", cell.source, re.MULTILINE) if cell.cell_type == "markdown" else None
        if match:
            return match[1].strip()
    return "sushibalance"


def _speaker(game: str) -> Callable[[str], None]:
    def say(text: str) -> None:
        for line in text.splitlines():
            if line.strip():
                print(f"[{game}] {line}", file=sys.stderr, flush=True)

    return say


def _silent(text: str) -> None:
    pass
