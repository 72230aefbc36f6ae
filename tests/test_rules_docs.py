"""What docs/rule-files.md shows is true."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from sushibalance import RulesError, load_rules
from sushibalance.cli import app
from sushibalance.rules.document import HEADER, MAX_CHAIN, SOURCES
from sushibalance.rules.reading import MAX_BYTES, MAX_DEPTH

ROOT = Path(__file__).resolve().parent.parent
PAGES = ["README.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))]
TEXT = (ROOT / "docs" / "rule-files.md").read_text(encoding="utf-8")


def blocks(kind: str, text: str = TEXT) -> list[str]:
    return [body for name, body in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S) if name == kind]


@pytest.mark.parametrize("block", blocks("toml"), ids=range(len(blocks("toml"))))
def test_every_file_shown_can_be_played_and_changes_something(block, write):
    rules = load_rules(write(block))
    assert rules.differences(load_rules(rules.game))


def test_the_sources_of_a_mixed_table_are_as_told(write):
    (block,) = (block for block in blocks("toml") if "second draft" in block)
    values = {value.key: value for value in load_rules(write(block)).values()}
    assert (values["pudding.most"].source, values["pudding.fewest"].source) == ("example", "assumed")
    assert values["pudding.most"].note.startswith("The designer's second draft")


def test_the_python_shown_runs(capsys):
    (block,) = blocks("python")
    exec(block, {})
    assert "('hands.flush.score', 10, 8)" in capsys.readouterr().out


MESSAGES = {
    "flush_cheap.toml": 'extends = "otter"\n[hands.flush]\nscor = 8\n[play]\nrounds = 0\n',
    "longer.toml": 'extends = "otter"\n[play]\nrounds = 9\n',
}


@pytest.mark.parametrize("name", MESSAGES)
def test_the_message_shown_is_the_message_given(name, write):
    path = write(MESSAGES[name], name)
    with pytest.raises(RulesError) as caught:
        load_rules(path)
    (block,) = (block for block in blocks("") if block.startswith(name) and "found:" in block)
    said = str(caught.value).replace(str(path), name)
    for line, given in zip(block.splitlines(), said.splitlines(), strict=True):
        assert line == given or given.startswith(line.removesuffix(" ..."))


@pytest.mark.parametrize("page", PAGES)
def test_every_command_shown_exists(page, capsys):
    text = (ROOT / page).read_text(encoding="utf-8")
    shown = re.findall(r"^sushibalance (.*?)(?: +#.*)?$", "".join(blocks("", text)), re.M)
    assert shown or page not in ("README.md", "docs/rule-files.md")
    known = {command.name or command.callback.__name__ for command in app.registered_commands}
    for line in shown:
        words = shlex.split(line)
        assert words[0] in known
        app([words[0], "--help"], standalone_mode=False)
        page_text = capsys.readouterr().out
        assert all(word in page_text for word in words if word.startswith("-"))


@pytest.mark.slow
def test_the_answer_in_the_readme_is_the_answer_given(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = blocks("python", text)
    exec(block, {})
    (answer,) = (block for block in blocks("", text) if "estimate" in block)
    assert capsys.readouterr().out == answer
    assert (tmp_path / "hands.png").stat().st_size > 10_000


def test_the_readme_leads_to_every_page():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(f"]({page})" in text for page in PAGES if page != "README.md")


def test_limits_keys_and_sources_are_those_of_the_program():
    assert f"{MAX_BYTES // 10**6} MB a file, {MAX_DEPTH} levels of tables, {MAX_CHAIN} files in a chain" in TEXT
    for word in (*HEADER, *SOURCES):
        assert re.search(rf"^\| `{word}`", TEXT, re.M), word


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if target.startswith("#"):
            headings = {
                re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
                for heading in re.findall(r"^#+ (.*)$", text, re.M)
            }
            assert target[1:] in headings, target
        elif not target.startswith("http"):
            assert ((ROOT / page).parent / target.partition("#")[0]).exists(), target
