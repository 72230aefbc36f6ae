"""Notebooks become self-contained pages; what goes wrong is told in words."""

import asyncio
import base64
import hashlib
import html
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

import nbformat
import pandas as pd
import pytest

from sushibalance import PolicyError, RulesError, SimulationError, load_rules
from sushibalance.games.registry import shipped
from sushibalance.plots.texts import said
from sushibalance.reports import ReportError, build_all, build_report
from sushibalance.reports import build as building
from sushibalance.reports.build import GAMES, LINK, page_name
from sushibalance.reports.execute import NotebookError, execute, inject, read, run
from sushibalance.rules.problems import shown

NOTEBOOKS = sorted(shipped("notebooks").glob("*.ipynb"))


# -- the notebooks -----------------------------------------------------------------------------------------


def test_each_game_and_each_question_has_its_notebook():
    assert {path.stem for path in NOTEBOOKS} == {f"{game}_balance" for game in GAMES} | set(building.QUESTIONS)
    assert all(building.notebook_path(name) in NOTEBOOKS for name in (*GAMES, *building.QUESTIONS))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_stored_clean_and_open_in_jupyterlab(path):
    """Clear them with `jupyter nbconvert --clear-output --inplace notebooks/*.ipynb`."""
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)
    assert notebook.metadata.kernelspec.name == "python3"
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert notebook.cells[0].source.startswith("# ")
    tagged = [cell for cell in code if "parameters" in cell.metadata.get("tags", [])]
    assert len(tagged) == 1
    for name in ("players", "games", "seed", "rules", "policies"):
        assert re.search(rf"^{name} = ", tagged[0].source, re.MULTILINE)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_thin(path):
    """Calls into the library; what needs a function belongs there."""
    cells = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert not any(re.search(r"^\s*(def|class|while|lambda)\b", source, re.MULTILINE) for source in cells)
    assert all(len(source.splitlines()) <= 25 for source in cells)


# -- the page ------------------------------------------------------------------------------------------------


class Loads(HTMLParser):
    """Collect whatever a browser would fetch, run or follow, and the order of the headings."""

    def __init__(self, text):
        super().__init__()
        self.addresses, self.links, self.tags, self.policy, self.alts, self.levels = [], [], [], "", [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.append(tag)
        if tag == "a":
            self.links.append(given.pop("href"))
        self.addresses += [given[name] for name in ("src", "href", "srcset", "data", "action") if given.get(name)]
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]
        if tag == "img":
            self.alts.append(given.get("alt", ""))
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        assert not any(name.startswith("on") for name in given), "a handler in the page"


def check_page(path, charts):
    """Check that a page is whole, loads nothing, runs one script of its own, and has its charts and tables."""
    text = path.read_text(encoding="utf-8")
    page = Loads(text)
    assert text.count("<h1>") == 1 and text.startswith("<!DOCTYPE html>") and text.rstrip().endswith("</html>")
    assert page.addresses and all(address.startswith("data:image/svg+xml") for address in page.addresses)
    assert not set(page.tags) & {"link", "iframe", "object", "embed", "base", "form"}
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert page.tags.count("script") == 1 and not re.search(r"fetch|XMLHttp|import|https?:|eval|innerHTML", script)
    assert page.policy == (
        f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'"
    )
    assert not re.search(r"@import|url\(|https?://", re.sub(r'src="data:[^"]*"', "", text))
    assert len(page.alts) == charts and all(
        "?" in alt and any(word in alt for word in (" games", " deals", "exact")) for alt in page.alts
    )
    assert page.levels[0] == 1 and all(after <= before + 1 for before, after in pairwise(page.levels))
    folder = path.with_name(building.tables_folder(path))
    assert sorted(page.links) == sorted(f"{folder.name}/{table.name}" for table in folder.iterdir())
    for table in folder.iterdir():
        frame = pd.read_csv(table)
        exact = table.stem == "prices"
        assert len(frame) and (exact or {"estimate", "low", "high", "n", "games"} <= set(frame.columns)), table
    assert LINK not in text and "Traceback" not in text and "<pre>" not in text
    for place in (str(Path.cwd()), str(Path.home()), sys.prefix):
        assert place not in text


@pytest.fixture(scope="module")
def sushi_go(tmp_path_factory):
    """Return the page of a small Sushi Go! report with parameters of its own."""
    folder = tmp_path_factory.mktemp("report")
    return build_report("sushi_go", players=3, games=120, seed=5, rules="sushi_go/pudding_every_round",
                        policies=["greedy", "random", "denier"], out=folder / "mine.html")  # fmt: skip


def test_a_report_says_what_was_simulated(sushi_go):
    text = sushi_go.read_text(encoding="utf-8")
    rules = load_rules("sushi_go/pudding_every_round")
    check_page(sushi_go, charts=11)
    assert rules.fingerprint[:16] in text and rules.name in text
    assert "<dt>seed</dt><dd>5</dd>" in text and "greedy, random, denier" in text
    assert "<td>120</td>" in text and "95% interval" in text
    assert "None of these rules' values is assumed." in text
    read = re.sub(r"<[^>]+>|\s+", " ", html.unescape(text))
    for key, before, after in rules.differences(load_rules("sushi_go")):
        assert re.search(rf"{key} +{re.escape(f'{shown(before)} -> {shown(after)}')} ", read)
    assert "<h1>Sushi Go! (pudding_every_round): where points come from, and what puddings decide</h1>" in text
    assert "<title>Sushi Go! (pudding_every_round): where" in text
    assert sushi_go.stat().st_size < 3e6


def test_a_page_is_named_after_its_rules():
    printed = load_rules("sushi_go")
    assert page_name("balance", printed) == "sushi_go.html"
    assert page_name("balance", printed.vary({"pudding.most": 8}, name="sushi_go, pudding.most=8")) == (
        "sushi_go-pudding.most=8.html"
    )
    assert page_name("balance", load_rules("sushi_go/alternating")) == "sushi_go-alternating.html"
    compared = ["sushi_go/alternating", "my/own.toml", {"name": "sushi_go, pudding.most=8"}]
    assert page_name("compare_variants", printed, compared) == (
        "compare_variants-sushi_go-alternating-own-pudding.most=8.html"
    )
    assert page_name("compare_variants", printed, "alternating") == "compare_variants-sushi_go-alternating.html"
    assert page_name("compare_variants", printed) == page_name("compare_variants", printed, 3)


def test_the_same_request_writes_the_same_bytes(sushi_go, tmp_path, capfd):
    again = build_report("sushi_go", players=3, games=120, seed=5, rules=load_rules("sushi_go/pudding_every_round"),
                         policies=["greedy", "random", "denier"], out=tmp_path)  # fmt: skip
    assert again == tmp_path / "sushi_go-pudding_every_round.html"
    mine, others = (path.read_text("utf-8").replace(path.stem, "") for path in (sushi_go, again))
    assert mine.replace("mine", "") == others.replace("mine", "")  # but for the names of the files
    tables = tmp_path / "sushi_go-pudding_every_round_tables"
    assert sorted(tmp_path.iterdir()) == [again, tables]
    for table in tables.iterdir():
        assert table.read_bytes() == (sushi_go.parent / "mine_tables" / table.name).read_bytes()
    said = capfd.readouterr().err
    assert (
        "[sushi_go-pudding_every_round] What do puddings decide?" in said and "as given, 3 players: 120 games" in said
    )
    assert f"wrote {again}" in said


QUESTIONS = {
    "otter": (
        "Which power-ups are taken?",
        "Which hands are played, and are they worth their price?",
        "How do victory points grow?",
        "Who leads, and is the game over then?",
        "Does the order of picking let players catch up?",
        "How much is luck?",
        "Who wins?",
    ),
    "nightmares": (
        "How often does the penalty victory end the game?",
        "How do games end?",
        "Who wins, and which way?",
        "Against whom does hunting penalties pay?",
        "What does a card gain or cost?",
        "How much is luck?",
    ),
    "sushi_go": (
        "Where do points come from?",
        "Which cards are taken?",
        "What do puddings decide?",
        "How much is luck?",
        "Who wins?",
    ),
}
CHARTS = {"otter": 21, "nightmares": 10, "sushi_go": 11}
OPENING = ("What to act on", "Which values are assumed", "What was simulated")


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Return the page of each game at its default tables, by game."""
    folder = tmp_path_factory.mktemp("reports")
    pages = build_all(games=40, seed=1, out=folder, progress=False)
    assert pages == [folder / f"{game}.html" for game in GAMES]
    return dict(zip(GAMES, pages, strict=True))


@pytest.mark.parametrize("game", GAMES)
def test_a_report_at_its_default_tables_answers_its_questions(game, reports, capfd):
    text = reports[game].read_text(encoding="utf-8").replace("\N{NO-BREAK SPACE}", " ")
    assert capfd.readouterr().err == ""
    check_page(reports[game], CHARTS[game])
    assert re.findall(r"<h2[^>]*>([^<]+)", text) == [*OPENING, *QUESTIONS[game], "All numbers"]
    assert "all random" in text and "all greedy" in text and "mixed" in text
    if game == "otter":
        alone = [number for number in range(3, 65) if number not in (37, 38) and not 52 <= number <= 63]
        for numbers in (*alone, "1, 2", "37, 38", "52 to 63"):  # one row for cards that are alike
            assert f"<td>{numbers}: " in text
        assert all(said(card) in text for card in load_rules("otter").key_clients)
    if game == "nightmares":
        assert "<td>2 to 6</td>" in text
    assumed = load_rules(game).assumed()
    assert ("assumed values" in text) == bool(assumed)
    assert all(value.key.rpartition(".")[0] in text for value in assumed)


def blocks(text):
    """Return what a page shows below its headings, in order: (kind, text) for paragraphs, charts and numbers."""
    found = re.findall(r"<(p|summary)\b([^>]*)>(.*?)</(?:p|summary)>|<img [^>]*alt=\"([^\"]*)\"", text, re.DOTALL)
    return [("img", alt) if alt else (f"{tag}{kind}", re.sub(r"<[^>]+>", "", said)) for tag, kind, said, alt in found]


@pytest.mark.parametrize("game", GAMES)
def test_every_chart_paragraph_and_table_says_which_games_it_is_from(game, reports):
    text = reports[game].read_text(encoding="utf-8")
    answers = text[text.index("What was simulated") :]
    answers = answers[answers.index("<h2") :]
    found = blocks(answers)
    charts = [said for kind, said in found if kind == "img"]
    numbers = [said for kind, said in found if kind == "summary" and said.startswith("Numbers: ")]
    assert len(charts) == CHARTS[game] and len(numbers) >= len(charts) - 3
    players = r"(?:all greedy|mixed), 4 players|(?:4|2 to 6) players at each table"
    players += "|8 cards in hand|one penalty hunter, 4 players|of another, 4 players|4 players, against"
    assert all(re.search(players, said) for said in (*charts, *numbers))
    for part in re.split(r"<h2", answers)[1:-1]:
        first = next(kind for kind, said in blocks(part) if kind != "summary")
        assert first == 'p class="about"'


@pytest.mark.parametrize("game", [pytest.param("otter", marks=pytest.mark.slow), "nightmares", "sushi_go"])
def test_a_report_of_one_policy_answers_who_wins(game, tmp_path):
    """All play alike: the seat is what is left to tell players apart."""
    path = build_report(game, games=60, players=3, policies="random", out=tmp_path, progress=False)
    text = path.read_text(encoding="utf-8")
    wins = text[text.index("Who wins") :]
    wins = wins[: wins.index("<h2")]
    assert "Who wins" in wins and "<img" in wins and re.search(r"n = \d", wins.replace("&nbsp;", " "))
    assert ("holds it" if game == "otter" else "seat 0") in wins and ">random</b>" not in wins
    check_page(path, {"otter": 15, "nightmares": 8, "sushi_go": 8}[game])


ASKED = {  # question: game, parameters that make it small, headings, charts
    "compare_variants": (
        "nightmares",
        {"games": 30, "parameters": {"variants": ["penalty_victory_8", "no_penalty_victory"], "sizes": [3]}},
        ["What was compared", "How far does each number move?", "Does it hold whoever plays?"],
        5,
    ),
    "card_values": (
        "otter",
        {"games": 4, "parameters": {"ordinary": 200, "others": ["greedy"], "sizes": [2]}},
        [
            "What was played",
            "What is each card worth?",
            "What only goes with a card?",
            "Is it wanted whoever plays?",
        ],
        4,
    ),
}


@pytest.mark.parametrize("question", ["compare_variants", pytest.param("card_values", marks=pytest.mark.slow)])
def test_a_question_has_its_page(question, tmp_path):
    game, small, headings, charts = ASKED[question]
    path = build_report(game, question=question, out=tmp_path, progress=False, **small)
    text = path.read_text(encoding="utf-8")
    check_page(path, charts)
    assert path.name == {
        "compare_variants": "compare_variants-nightmares-penalty_victory_8-no_penalty_victory.html"
    }.get(question, f"{question}.html")
    assert re.findall(r"<h2[^>]*>([^<]+)", text) == [*OPENING[:2], *headings, "All numbers"]
    title = {
        "otter": "Sushi Otter: what is each card worth?",
        "nightmares": "Nightmares of Sushi: what do the variants",
    }
    assert f"<h1>{title[game]}" in text
    finding = re.search(r"<ol class=.findings.[^>]*>.*?</ol>", text, re.DOTALL)[0]
    assert finding.count("<li>") > 3 and "undecided" in finding
    assert text.index("What to act on") < text.index("Which values are assumed") < text.index("<figure>")
    assert text.rindex("</figure>") < text.index("All numbers") < text.rindex("<table")


BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
OFFLINE = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
MEASURE = """<body><iframe id=page style="border:0;width:{width}px;height:900px"></iframe><script>
const frame = document.getElementById("page");
frame.onload = () => {{
  const page = frame.contentDocument, wide = [];
  for (const part of page.querySelectorAll("details")) part.open = true;
  for (const part of page.querySelectorAll("main *"))
    if (!part.closest("table") && part.getBoundingClientRect().right > {width} + 1) wide.push(part.tagName);
  for (const box of page.querySelectorAll(".scroll"))
    if (box.scrollHeight > box.clientHeight + 1) wide.push("rows cut");
  const whole = page.documentElement;
  document.body.textContent = "measured " + JSON.stringify({{wide, fits: whole.scrollWidth <= whole.clientWidth}});
}};
frame.srcdoc = decodeURIComponent("{page}");
</script>"""


@pytest.mark.skipif(BROWSER is None, reason="needs a browser")
@pytest.mark.parametrize("width", [420, 1300])
def test_nothing_stands_out_of_a_window(width, reports, tmp_path):
    """Charts shrink, texts wrap, tables scroll sideways in their boxes, which cut no row."""
    for game, path in reports.items():
        frame = tmp_path / f"{game}.html"
        frame.write_text(MEASURE.format(width=width, page=quote(path.read_text(encoding="utf-8"))))
        measured = re.search(
            r"measured (\{.*?\})", browse(tmp_path, frame.as_uri(), f"--window-size={width + 100},1000")
        )
        assert json.loads(measured[1]) == {"wide": [], "fits": True}


def browse(tmp_path, address, *words):
    """Return what a page has become in the browser."""
    given = [*OFFLINE, f"--user-data-dir={tmp_path / 'profile'}", "--window-size=1400,1000", *words, "--dump-dom"]
    done = subprocess.run([BROWSER, *given, address], capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        pytest.skip(f"the browser does not run here: {done.stderr[-200:]}")
    return done.stdout


SORT = """<body><iframe id=page></iframe><script>
const frame = document.getElementById("page");
frame.onload = () => {{
  const page = frame.contentDocument, told = {{}};
  const tables = [...page.querySelectorAll(".scroll table")];
  const table = tables.find(t => t.closest("details")?.querySelector("summary").textContent.includes("by puddings"));
  const heads = [...table.tHead.rows[0].cells], buttons = heads.map(head => head.querySelector("button"));
  const column = at => [...table.tBodies[0].rows].map(row => row.cells[at].textContent);
  const at = heads.findIndex(head => head.textContent.startsWith("n"));
  told.before = column(at);
  buttons[at].click(); told.up = column(at); told.state = heads[at].getAttribute("aria-sort");
  buttons[at].click(); told.down = column(at); told.then = heads[at].getAttribute("aria-sort");
  buttons[0].click(); told.words = column(0); told.gone = heads[at].getAttribute("aria-sort");
  document.body.textContent = "sorted " + JSON.stringify(told) + " end";
}};
frame.srcdoc = decodeURIComponent("{page}");
</script>"""


@pytest.mark.skipif(BROWSER is None, reason="needs a browser")
def test_a_heading_sorts_its_table(reports, tmp_path):
    frame = tmp_path / "sort.html"
    frame.write_text(SORT.format(page=quote(reports["sushi_go"].read_text(encoding="utf-8"))))
    told = json.loads(re.search(r"sorted (\{.*\}) end", browse(tmp_path, frame.as_uri()))[1])
    numbers = {name: [int(text.replace(",", "")) for text in told[name]] for name in ("before", "up", "down")}
    assert numbers["up"] == sorted(numbers["before"]) != numbers["before"]
    assert numbers["down"] == sorted(numbers["before"], reverse=True)
    assert (told["state"], told["then"], told["gone"]) == ("ascending", "descending", None)
    assert told["words"] == sorted(told["words"]) and len(set(told["words"])) > 1


OWN = re.compile(r"https?://[\w.-]*(?:google|googleapis|gstatic|chromium)\.(?:com|org)[:/]")  # of the browser itself


@pytest.mark.skipif(BROWSER is None, reason="needs a browser")
def test_no_request_leaves_the_machine_when_a_page_is_opened(reports, tmp_path):
    probe = tmp_path / "probe.html"
    probe.write_text("<img src='http://probe.invalid/seen.png'>")

    def asked(address):
        log = tmp_path / "log.json"
        browse(tmp_path, address, f"--log-net-log={log}")
        return {url for url in re.findall(r'"url":"(https?://[^"]*)', log.read_text()) if not OWN.match(url)}

    assert asked(probe.as_uri()) == {"http://probe.invalid/seen.png"}  # what the log of a page that asks looks like
    assert all(asked(path.as_uri()) == set() for path in reports.values())


def test_several_reports_run_two_at_once_and_come_in_order(monkeypatch, tmp_path, capfd):
    running, most = set(), []

    async def build(request):
        running.add(request.target.name)
        most.append(len(running))
        await asyncio.sleep(0.01 if request.notebook == "otter" else 0.001)
        running.remove(request.target.name)
        return request.target

    monkeypatch.setattr(building, "_build", build)
    paths = build_all([*GAMES, load_rules("otter").vary({"hands.flush.score": 8}, name="a/b <c>")], out=tmp_path)
    assert [path.name for path in paths] == ["otter.html", "nightmares.html", "sushi_go.html", "otter-a_b_c_.html"]
    assert {path.parent for path in paths} == {tmp_path} and max(most) == 2
    told = re.findall(r"(\d) of 4 reports are written; \d+ s left", capfd.readouterr().err)
    assert told == ["1", "2", "3"]
    with pytest.raises(ReportError, match="allowed a folder for several reports"):
        build_all(out=tmp_path / "x.html")
    with pytest.raises(ReportError, match=r"2 reports that would be otter.html"):
        build_all(["otter", "otter"], out=tmp_path)


def test_when_one_of_several_fails_the_others_stop(monkeypatch, tmp_path):
    stopped = []

    async def build(request):
        if request.notebook == "nightmares":
            raise ReportError("no luck")
        try:
            await asyncio.sleep(60)
        finally:
            stopped.append(request.notebook)

    monkeypatch.setattr(building, "_build", build)
    with pytest.raises(ReportError, match="no luck"):
        build_all(out=tmp_path)
    assert "otter" in stopped


# -- what can go wrong ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("request_", "error", "message"),
    [
        ({"game": "chess"}, ReportError, "game: found 'chess'; one of: otter, nightmares, sushi_go"),
        ({"game": "oter"}, ReportError, "game: found 'oter'; did you mean otter?"),
        ({"rules": "nightmares"}, ReportError, "allowed rules of sushi_go"),
        ({"rules": "no_such.toml"}, RulesError, "no such file"),
        ({"players": 9}, SimulationError, "players of Sushi Go!: found 9"),
        ({"games": 0}, SimulationError, "games: found 0"),
        ({"seed": -1}, SimulationError, "seed: found -1"),
        ({"policies": "gredy"}, PolicyError, "did you mean greedy"),
        ({"policies": ["greedy", "random"]}, SimulationError, "one for each of 4 seats"),
        ({"policies": [3]}, ReportError, "policies: found 3, allowed names"),
        ({"parameters": {"margn": 1}}, ReportError, 'no parameter "margn"; did you mean margin? Known: '),
        ({"parameters": {"margin": 3}}, ReportError, "margin: found 3, allowed a lower and a higher number"),
        ({"parameters": {"wanted": [2, 0.5]}}, ReportError, "wanted: found [2, 0.5], allowed a lower and"),
        ({"game": "otter", "parameters": {"times": 0}}, ReportError, "times: found 0, allowed a number above 0"),
        ({"question": "card_value"}, ReportError, "question: found 'card_value'; did you mean card_values?"),
        ({"question": "card_values"}, ReportError, 'card_values: found "sushi_go", rules of sushi_go; allowed'),
    ],
)
def test_an_impossible_request_is_refused_before_anything_runs(request_, error, message, tmp_path):
    options = {"game": "sushi_go", "out": tmp_path / "never", **request_}
    with pytest.raises(error, match=re.escape(message)):
        build_report(options.pop("game"), **options)
    assert not (tmp_path / "never").exists()


def test_a_page_that_cannot_be_written_is_said_before_the_work(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(building, "execute", lambda *args, **options: pytest.fail("too late"))
    with pytest.raises(ReportError, match=r"x.html: cannot be written"):
        build_report("sushi_go", games=10, out=tmp_path / "file" / "x.html", progress=False)


def small(*sources, parameters="x = 1"):
    notebook = nbformat.v4.new_notebook()
    notebook.cells.append(nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]}))
    for source in sources:
        make = nbformat.v4.new_markdown_cell if source.startswith("#") else nbformat.v4.new_code_cell
        notebook.cells.append(make(source))
    return notebook


def play(notebook, say=lambda text: None):
    run(execute(notebook, label="it", say=say))


def test_the_kernel_is_this_python_whatever_is_installed(monkeypatch, tmp_path):
    """No installed kernel and no home are needed; stderr is passed on and stays out of the page."""
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("HOME", "/proc/nowhere")
    said = []
    notebook = small("# Where", "import sys\nprint(sys.executable, x)\nprint('working', file=sys.stderr)")
    inject(notebook, {"x": [1, "two"]})
    play(notebook, say=said.append)
    outputs = notebook.cells[-1].outputs
    assert [output.name for output in outputs] == ["stdout"]
    assert outputs[0].text == f"{sys.executable} [1, 'two']\n"
    assert "Where\n" in said and "working\n" in "".join(said)


def test_a_cell_that_fails_names_its_section_and_reason():
    notebook = small("# First", "1", "## Second part", "raise ValueError('found 3, allowed 4')", "2")
    with pytest.raises(NotebookError, match='it stopped in "Second part": ValueError: found 3, allowed 4'):
        play(notebook)


def test_a_kernel_that_dies_is_told():
    with pytest.raises(NotebookError, match="Python ended unexpectedly"):
        play(small("import os\nos._exit(1)"))


def test_ctrl_c_stops_all_within_seconds_and_leaves_nothing(tmp_path):
    path = tmp_path / "long.ipynb"
    nbformat.write(small("import os, sys, time\nprint('PID', os.getpid(), file=sys.stderr)\ntime.sleep(100)"), path)
    code = (
        "import asyncio, sys; from pathlib import Path; from sushibalance.reports.execute import execute, read, run\n"
        "async def both():\n"
        "    async with asyncio.TaskGroup() as group:\n"
        "        for _ in range(2):\n"
        "            notebook = read(Path(sys.argv[1]))\n"
        "            group.create_task(execute(notebook, label='it', say=lambda text: print(text, flush=True)))\n"
        "try: run(both())\n"
        "except KeyboardInterrupt: print('stopped')"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE, text=True, env=environment)
    kernels = [int(line.split()[1]) for line in iter_until(process.stdout, "PID", 2)]
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=20)
    assert rest.endswith("stopped\n")
    for kernel in kernels:
        with pytest.raises(ProcessLookupError):
            os.kill(kernel, 0)
    assert list(tmp_path.iterdir()) == [path]


def test_ctrl_c_is_ctrl_c_however_the_tasks_were_cancelled():
    async def cancelled():
        raise asyncio.CancelledError

    with pytest.raises(KeyboardInterrupt):
        run(cancelled())


def iter_until(stream, start, times):
    """Yield the lines that start so, until there were so many."""
    for line in stream:
        if line.startswith(start):
            yield line
            times -= 1
            if not times:
                return


def test_a_report_can_be_asked_for_inside_a_notebook():
    async def inside():
        notebook = small("6 * 7")
        play(notebook)
        return notebook.cells[-1].outputs[0].data["text/plain"]

    assert asyncio.run(inside()) == "42"


def test_a_failed_report_leaves_the_old_page_alone(tmp_path, monkeypatch):
    old = tmp_path / "sushi_go.html"
    old.write_text("old")
    broken = tmp_path / "broken.ipynb"
    nbformat.write(
        small("1 / 0", parameters="players = games = seed = rules = 0\nseed = 0\nrules = 0\npolicies = 0"), broken
    )
    monkeypatch.setattr(building, "notebook_path", lambda name: broken)
    with pytest.raises(ReportError, match="ZeroDivisionError"):
        build_report("sushi_go", out=old, progress=False)
    assert old.read_text() == "old" and sorted(tmp_path.iterdir()) == [broken, old]


def test_notebooks_that_cannot_be_used(tmp_path):
    with pytest.raises(NotebookError, match="cannot be read"):
        read(tmp_path / "none.ipynb")
    (tmp_path / "no.ipynb").write_text("{")
    with pytest.raises(NotebookError, match="not a notebook"):
        read(tmp_path / "no.ipynb")
    with pytest.raises(NotebookError, match='no parameter "y"; Known: '):
        inject(small(), {"y": 1})
    plain = small()
    plain.cells[0].metadata.clear()
    with pytest.raises(NotebookError, match='no cell tagged "parameters"'):
        inject(plain, {})
