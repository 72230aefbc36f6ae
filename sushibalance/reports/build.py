"""Build reports: parameters into a notebook, run it, write one self-contained HTML page."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from nbconvert import HTMLExporter
from nbformat import NotebookNode

from sushibalance.errors import UserError
from sushibalance.games.registry import GAMES, load_rules, shipped
from sushibalance.reports.execute import NotebookError, execute, inject, read, run
from sushibalance.rules import Rules
from sushibalance.rules.problems import one_of
from sushibalance.simulation.request import MAX_GAMES, MAX_SEED, Request, whole

FOLDER = Path("reports")
TEMPLATE = Path(__file__).resolve().parent / "template"
OFF = ("mathjax_url", "require_js_url", "jquery_url", "mermaid_js_url", "widget_renderer_url")
AT_ONCE = 2  # compiling and drawing use one core each


class ReportError(UserError):
    """A report that cannot be built: what, found, allowed."""


@dataclass(frozen=True)
class _Request:
    """A checked request: the game, the values for its notebook, the page to write and its variant, where to speak."""

    game: str
    variant: str
    values: dict[str, Any]
    target: Path
    say: Callable[[str], None]


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
        Games at each table; by default the notebook's own number.
    seed : int
        Seed of every simulation.
    rules : Rules, str or Path, optional
        A rule set, the name of a shipped one, or a rule file; by default the printed rules.
    policies : str or sequence of str, optional
        One policy for all seats, or one a seat; by default the tables that the notebook names.
    out : str or Path, optional
        A file ending in ``.html``, or a folder for a page named after the rules; by default ``reports``
        in the current folder.
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
    if game not in GAMES:
        raise ReportError(f"game: found {game!r}; {one_of(str(game), GAMES)}")
    wanted = _rules(rules if rules is not None else game)
    if wanted.game != game:
        raise ReportError(f'rules: found "{wanted.name}", rules of {wanted.game}; allowed rules of {game}')
    target = FOLDER if out is None else Path(out)
    if target.suffix != ".html":
        target /= page_name(wanted)
    return run(_build(_request(wanted, players, games, seed, policies, target, progress)))


def build_all(
    rules: Iterable[Rules | str | Path] = tuple(GAMES),
    *,
    players: int = 4,
    games: int | None = None,
    seed: int = 0,
    policies: str | Sequence[str] | None = None,
    out: str | Path | None = None,
    progress: bool = True,
) -> list[Path]:
    """Write a report for each rule set, two at once.

    Parameters
    ----------
    rules : iterable of Rules, str or Path
        Rule sets, names of shipped ones, or rule files; by default the three printed games.
    out : str or Path, optional
        The folder; by default ``reports`` in the current folder.
    players, games, seed, policies, progress
        As for `build_report`, for each of them.

    Returns
    -------
    list of Path
        The pages, in the order asked for.

    Raises
    ------
    ReportError, RulesError, SimulationError, PolicyError
        As `build_report`. After the first report that fails the others stop; pages written stay.
    """
    folder = FOLDER if out is None else Path(out)
    if folder.suffix == ".html":
        raise ReportError(f"out: found {str(folder)!r}, allowed a folder for several reports")
    chosen = [_rules(source) for source in rules]
    names = [page_name(found) for found in chosen]
    for name in names:
        if names.count(name) > 1:
            raise ReportError(f"rules: found {names.count(name)} reports that would be {name}, allowed different names")
    requests = [
        _request(found, players, games, seed, policies, folder / name, progress)
        for found, name in zip(chosen, names, strict=True)
    ]
    return run(_together(requests))


async def _together(requests: Sequence[_Request]) -> list[Path]:
    turn = asyncio.Semaphore(AT_ONCE)

    async def build(request: _Request) -> Path:
        async with turn:
            return await _build(request)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(build(request)) for request in requests]
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None
    return [task.result() for task in tasks]


async def _build(request: _Request) -> Path:
    began = time.monotonic()
    try:
        notebook = read(notebook_path(request.game))
        inject(notebook, request.values)
        await execute(notebook, label=f"the report {request.target.stem}", say=request.say)
    except NotebookError as error:
        raise ReportError(str(error)) from None
    _write(request.target, page(notebook, request.variant))
    size, seconds = request.target.stat().st_size / 1e6, time.monotonic() - began
    request.say(f"wrote {request.target} ({size:.1f} MB) in {seconds:.0f} s\n")
    return request.target


def page_name(rules: Rules) -> str:
    """Return the file name of the report on a rule set."""
    stem = rules.game if rules.name == rules.game else f"{rules.game}-{rules.name}"
    return re.sub(r"[^\w.=-]+", "_", stem)[:120] + ".html"


def notebook_path(game: str) -> Path:
    """Return the shipped notebook of a game's report."""
    return shipped("notebooks") / f"{game}_balance.ipynb"


def page(notebook: NotebookNode, variant: str = "") -> str:
    """Return an executed notebook as one HTML page that loads nothing; its title names the variant."""
    exporter = HTMLExporter(
        template_name="page",
        extra_template_basedirs=[str(TEMPLATE)],
        exclude_input=True,
        exclude_input_prompt=True,
        exclude_output_prompt=True,
        exclude_anchor_links=True,
        **{name: "" for name in OFF if name in HTMLExporter.class_trait_names()},
    )
    title, rest = _title(notebook)
    if variant:
        game, colon, question = title.partition(":")
        title = f"{game} ({variant}){colon}{question}"
    body, _ = exporter.from_notebook_node(rest, resources={"report_title": title})
    return re.sub(r"\n\s*\n+", "\n", body)


def _title(notebook: NotebookNode) -> tuple[str, NotebookNode]:
    """Return the first heading of a notebook, and the notebook without it."""
    rest = deepcopy(notebook)
    for cell in rest.cells:
        match = re.search(r"^# (.+)$", cell.source, re.MULTILINE) if cell.cell_type == "markdown" else None
        if match:
            cell.source = cell.source.replace(match[0], "", 1)
            return match[1].strip(), rest
    return "sushibalance", rest


def _rules(source: Rules | str | Path) -> Rules:
    return source if isinstance(source, Rules) else load_rules(source)


def _request(
    rules: Rules,
    players: int,
    games: int | None,
    seed: int,
    policies: str | Sequence[str] | None,
    target: Path,
    progress: bool,
) -> _Request:
    """Return a request, checked as `simulate` would check it."""
    if policies is not None and not isinstance(policies, str):
        policies = list(policies)
    for policy in [policies] if isinstance(policies, str) else policies or []:
        if not isinstance(policy, str):
            raise ReportError(f"policies: found {policy!r}, allowed names, such as greedy or greedy(vp_weight=3)")
    Request.of(rules, players, policies if policies is not None else "random", 0)
    values: dict[str, Any] = {
        "players": whole("players", players, 1, 99),
        "seed": whole("seed", seed, 0, MAX_SEED),
        "rules": asdict(rules.document),
        "policies": policies,
    }
    if games is not None:
        values["games"] = whole("games", games, 1, MAX_GAMES)
    os.unlink(_beside(target))  # better now than after the work
    variant = "" if rules.name == rules.game else rules.name.removeprefix(f"{rules.game}, ")
    return _Request(rules.game, variant, values, target, _speaker(target.stem) if progress else _silent)


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


def _speaker(name: str) -> Callable[[str], None]:
    def say(text: str) -> None:
        for line in text.splitlines():
            if line.strip():
                print(f"[{name}] {line}", file=sys.stderr, flush=True)

    return say


def _silent(text: str) -> None:
    pass
