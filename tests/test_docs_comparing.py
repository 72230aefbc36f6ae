"""docs/comparing-variants.md is in step with the code: examples, margins, options, columns."""

import re
import runpy
from pathlib import Path

import pytest

from sushibalance import compare
from sushibalance.analysis.compare import FIRST_LOOK, MORE
from sushibalance.analysis.margins import KINDS

TEXT = (Path(__file__).resolve().parent.parent / "docs" / "comparing-variants.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```$(?:\n\n^```\n(.*?)^```$)?", TEXT, re.M | re.S)


@pytest.mark.parametrize(("code", "printed"), EXAMPLES, ids=range(len(EXAMPLES)))
def test_every_example_runs_and_prints_what_is_shown(code, printed, capsys, write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(write(code, "mine.py")))
    if printed:
        assert capsys.readouterr().out == printed


def test_margins_are_as_told():
    told = re.findall(r"^\| ([^|`]+) \| ([\d.]+)( percentage points?)?[^|]* \| ([^|]+) \|$", TEXT, re.M)
    assert [(float(size) / (100 if percent else 1), why) for _, size, percent, why in told] == [
        (pytest.approx(kind.margin), kind.source) for kind in KINDS.values()
    ]


def test_columns_are_as_told():
    found = compare("nightmares", "penalty_victory_8", games=20, metrics="points", progress=False)
    lines = TEXT[TEXT.index("## One call") : TEXT.index("## From the shell")]
    for column in found.frames["points"].columns:
        assert column in ("policy",) or re.search(rf"\b{column}\b", lines), column
    for column in found.table().columns:
        assert re.search(rf"\b{column}\b", lines), column


def test_the_looks_are_as_told():
    assert f"looks after {FIRST_LOOK} deals" in TEXT and MORE == 1.2 and "a fifth more" in TEXT


def test_the_shell_has_what_is_told(capsys, monkeypatch):
    from sushibalance.cli import main

    monkeypatch.setattr("sys.argv", ["sushibalance", "compare", "--help"])
    with pytest.raises(SystemExit):
        main()
    page = capsys.readouterr().out
    for option in set(re.findall(r"(--[a-z]+)", TEXT)):
        assert option in page, option
