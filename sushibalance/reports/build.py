"""Build reports: parameters into a notebook, run it, write one self-contained HTML page and its tables beside it."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import html
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from nbconvert import HTMLExporter
from nbformat import NotebookNode

from sushibalance.errors import UserError
from sushibalance.games.registry import GAMES, load_rules, shipped
from sushibalance.reports.execute import PARAMETERS, NotebookError, execute, inject, read, run
from sushibalance.reports.figures import LINK
from sushibalance.reports.parameters import check
from sushibalance.rules import Rules
from sushibalance.rules.problems import one_of
from sushibalance.simulation.progress import duration
from sushibalance.simulation.request import MAX_GAMES, MAX_SEED, Request, whole

FOLDER = Path("reports")
TEMPLATE = Path(__file__).resolve().parent / "template"
SCRIPT = (TEMPLATE / "page" / "sort.js").read_text(encoding="utf-8")
BALANCE = "balance"  # what the report on a game is about
# Other questions, each with a notebook of its own, and the games that can be asked.
QUESTIONS = {"compare_variants": tuple(GAMES), "card_values": ("otter",)}
Source = Rules | str | Path
OFF = ("mathjax_url", "require_js_url", "jquery_url", "mermaid_js_url", "widget_renderer_url")
AT_ONCE = 2  # compiling and drawing use one core each


class ReportError(UserError):
    """A report that cannot be built: what, found, allowed."""


@dataclass(frozen=True)
class _Request:
    """A checked request: the notebook, its game if it has several, the variant, the values, the page, the speaker."""

    notebook: str
    game: str
    variant: str
    values: dict[str, Any]
    target: Path
    say: Callable[[str], None]


def build_report(
    game: str,
    *,
    question: str = BALANCE,
    players: int = 4,
    games: int | None = None,
    seed: int = 0,
    rules: Source | None = None,
    policies: str | Sequence[str] | None = None,
    parameters: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    progress: bool = True,
) -> Path:
    """Run a notebook and write its report.

    The same arguments and versions write the same bytes.

    Parameters
    ----------
    game : str
        ``"otter"``, ``"nightmares"`` or ``"sushi_go"``.
    question : str
        What the report is about: ``"balance"``, ``"compare_variants"``, or for Otter ``"card_values"``.
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
    parameters : mapping, optional
        Other parameters of the notebook, by name: those of its first cell.
    out : str or Path, optional
        A file ending in ``.html``, or a folder for a page named after the rules; by default ``reports``
        in the current folder. The tables are beside it, as CSV files in a folder named after it.
    progress : bool
        Say on stderr, line by line, what is going on.

    Returns
    -------
    Path
        The page. It appears whole or not at all.

    Raises
    ------
    ReportError
        For an unknown game or question, rules of another game, a notebook that stops, a page that cannot be written.
    RulesError, SimulationError, PolicyError
        For rules, numbers or policies that cannot be played; before anything is simulated.
    """
    if game not in GAMES:
        raise ReportError(f"game: found {game!r}; {one_of(str(game), GAMES)}")
    wanted = _asked(question, rules if rules is not None else game)
    if wanted[1].game != game:
        raise ReportError(f'rules: found "{wanted[1].name}", rules of {wanted[1].game}; allowed rules of {game}')
    target = FOLDER if out is None else Path(out)
    if target.suffix != ".html":
        target /= page_name(*wanted, (parameters or {}).get("variants"))
    return run(_build(_request(wanted, players, games, seed, policies, parameters, target, progress)))


def build_all(
    reports: Iterable[Source | tuple[str, Source]] = tuple(GAMES),
    *,
    players: int = 4,
    games: int | None = None,
    seed: int = 0,
    policies: str | Sequence[str] | None = None,
    parameters: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    progress: bool = True,
) -> list[Path]:
    """Write several reports, two at once.

    Parameters
    ----------
    reports : iterable of Rules, str or Path, or of pairs with a question
        Rule sets, names of shipped ones, or rule files, each alone for the report on its game or after another
        question (``("compare_variants", "otter")``); by default the three printed games. `every` lists all reports.
    out : str or Path, optional
        The folder; by default ``reports`` in the current folder.
    players, games, seed, policies, parameters, progress
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
    chosen = [_asked(*(wanted if isinstance(wanted, tuple) else (BALANCE, wanted))) for wanted in reports]
    names = [page_name(*wanted, (parameters or {}).get("variants")) for wanted in chosen]
    for name in names:
        if names.count(name) > 1:
            raise ReportError(f"rules: found {names.count(name)} reports that would be {name}, allowed different names")
    requests = [
        _request(wanted, players, games, seed, policies, parameters, folder / name, progress)
        for wanted, name in zip(chosen, names, strict=True)
    ]
    return run(_together(requests))


def every() -> list[tuple[str, str]]:
    """Return all reports there are: the question and the printed rules it is asked of."""
    return [(BALANCE, game) for game in GAMES] + [(name, game) for name, games in QUESTIONS.items() for game in games]


async def _together(requests: Sequence[_Request]) -> list[Path]:
    turn = asyncio.Semaphore(AT_ONCE)

    began, written = time.monotonic(), 0

    async def build(request: _Request) -> Path:
        nonlocal written
        async with turn:
            page = await _build(request)
        written += 1
        left = len(requests) - written
        if left:
            rest = duration((time.monotonic() - began) / written * left)
            request.say(f"{written} of {len(requests)} reports are written; {rest} left if the others take as long")
        return page

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(build(request)) for request in requests]
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None
    return [task.result() for task in tasks]


async def _build(request: _Request) -> Path:
    began = time.monotonic()
    try:
        notebook = read(notebook_path(request.notebook))
        inject(notebook, request.values)
        await execute(notebook, label=f"the report {request.target.stem}", say=request.say)
    except NotebookError as error:
        raise ReportError(str(error)) from None
    tables = linked(notebook, tables_folder(request.target))
    _write(request.target, page(notebook, request.variant, request.game), tables)
    size, seconds = request.target.stat().st_size / 1e6, time.monotonic() - began
    request.say(f"wrote {request.target} ({size:.1f} MB) in {seconds:.0f} s\n")
    return request.target


def page_name(question: str, rules: Rules, variants: Any = None) -> str:
    """Return the file name of the report on a question and a rule set, and what this is compared with."""
    name = rules.name.removeprefix(f"{rules.game}, ")  # of the printed game with values set
    stem = rules.game if name == rules.game else f"{rules.game}-{name}"
    if question != BALANCE:
        stem = question if rules.name == rules.game and len(QUESTIONS[question]) == 1 else f"{question}-{stem}"
    listed = [variants] if isinstance(variants, str) else variants or []
    for one in listed if isinstance(listed, list | tuple | dict) else []:
        name = one["name"] if isinstance(one, Mapping) else Path(str(one)).name.removesuffix(".toml")
        stem += f"-{name.removeprefix(f'{rules.game}, ')}"
    return re.sub(r"[^\w.=-]+", "_", stem)[:120] + ".html"


def tables_folder(target: Path) -> str:
    """Return the name of the folder beside a page that has its tables."""
    return f"{target.stem}_tables"


def notebook_path(name: str) -> Path:
    """Return a shipped notebook: that of a question, or of a game's balance."""
    return shipped("notebooks") / f"{name if name in QUESTIONS else f'{name}_{BALANCE}'}.ipynb"


def linked(notebook: NotebookNode, folder: str) -> dict[str, str]:
    """Return the tables that an executed notebook gives as CSV, by file name, and put the links to them into it.

    Links are relative: the files go into ``folder``, beside the page.
    """
    tables: dict[str, str] = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "text/csv" not in data:
                continue
            name = output.metadata["text/csv"]["name"] + ".csv"
            if name in tables:
                raise ReportError(f"{folder}: two tables are called {name}")
            tables[name] = data["text/csv"]
            address = html.escape(quote(f"{folder}/{name}"))
            link = f"<p class='csv'><a href='{address}' download>{html.escape(name)}</a>: all columns, all digits</p>"
            data["text/html"] = data["text/html"].replace(LINK, link)
    return tables


def page(notebook: NotebookNode, variant: str = "", game: str = "") -> str:
    """Return an executed notebook as one HTML page that loads nothing.

    Its title names the variant, and the game where the notebook's own does not.
    """
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
    name, colon, question = title.partition(": ") if not game else (_title(read(notebook_path(game)))[0], ": ", title)
    name = name.partition(":")[0] + (f" ({variant})" if variant else "")
    title = f"{name}{colon}{question[:1].lower() if game else question[:1]}{question[1:]}"
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    given = {"report_title": title, "script": SCRIPT, "script_hash": digest}
    body, _ = exporter.from_notebook_node(rest, resources=given)
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


def _asked(question: str, source: Source) -> tuple[str, Rules]:
    """Return a question and the rules it is asked of."""
    rules = source if isinstance(source, Rules) else load_rules(source)
    if question != BALANCE and question not in QUESTIONS:
        raise ReportError(f"question: found {question!r}; {one_of(str(question), [BALANCE, *QUESTIONS])}")
    if question != BALANCE and rules.game not in QUESTIONS[question]:
        able = ", ".join(QUESTIONS[question])
        raise ReportError(f'{question}: found "{rules.name}", rules of {rules.game}; allowed rules of {able}')
    return question, rules


def _request(
    wanted: tuple[str, Rules],
    players: int,
    games: int | None,
    seed: int,
    policies: str | Sequence[str] | None,
    parameters: Mapping[str, Any] | None,
    target: Path,
    progress: bool,
) -> _Request:
    """Return a request, checked as `simulate` would check it."""
    question, rules = wanted
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
    own = dict(parameters or {})
    if twice := next((name for name in own if name in (*values, "games")), None):
        option = {"policies": "policy"}.get(twice, twice)
        raise ReportError(f"parameters: found {twice}, allowed as an argument of its own, in the shell --{option}")
    values.update(own)
    name = rules.game if question == BALANCE else question
    try:
        notebook = read(notebook_path(name))
        inject(notebook, values)
        check(next(cell.source for cell in notebook.cells if PARAMETERS in cell.metadata.get("tags", [])), own)
    except UserError as error:
        raise ReportError(str(error)) from None
    os.unlink(_beside(target))  # better now than after the work
    variant = "" if rules.name == rules.game else rules.name.removeprefix(f"{rules.game}, ")
    return _Request(
        name,
        "" if question == BALANCE else rules.game,
        variant,
        values,
        target,
        _speaker(target.stem) if progress else _silent,
    )


def _beside(target: Path) -> str:
    """Return a new temporary file in the folder of ``target``, made if needed."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}-", dir=target.parent)
        os.close(handle)
    except OSError as error:
        raise ReportError(f"{target}: cannot be written ({error.strerror or error})") from None
    return name


def _write(target: Path, text: str, tables: Mapping[str, str]) -> None:
    """Write the tables, then the page: each file whole, beside its place first; older tables go."""
    folder = target.with_name(tables_folder(target))
    _write_whole(target, {folder / name: table for name, table in tables.items()} | {target: text})
    for path in folder.glob("*.csv"):
        if path.name not in tables:
            with suppress(OSError):
                path.unlink()


def _write_whole(target: Path, texts: Mapping[Path, str]) -> None:
    partial = ""
    try:
        for path, text in texts.items():
            partial = _beside(path)
            Path(partial).write_text(text, encoding="utf-8", newline="")
            os.chmod(partial, 0o644)
            os.replace(partial, path)
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
