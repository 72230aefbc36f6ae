"""Runs on disk for the tests of storage: played, read whole, compared, refused; their files and the list of parts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sushibalance import Run, RunError, simulate


def played(game="nightmares", **changes) -> Run:
    return simulate(game, **{"games": 8, "seed": 4, "progress": False, **changes})


def into(folder: object) -> Run:
    """Play a run straight into a folder."""
    return played(out=folder)


def read(folder: Path) -> Run:
    """Load a run and look at every row of it."""
    run = Run.load(folder)
    assert sum(len(part.rows["games"]) for part in run.parts() if all(map(len, part.rows.values()))) == run.n
    return run


def same(a: Run, b: Run) -> bool:
    return a.rows.keys() == b.rows.keys() and all(
        a.rows[name].tobytes() == b.rows[name].tobytes() and a.rows[name].dtype == b.rows[name].dtype for name in a.rows
    )


def file_of(folder: Path, table: str) -> Path:
    """Return the file of the first part of a table."""
    return min((folder / table).iterdir())


def refused(folder: Path) -> str:
    with pytest.raises(RunError) as caught:
        read(folder)
    assert str(folder) in str(caught.value)
    return str(caught.value)


def change_part(folder: Path, **changes) -> None:
    """Change keys of the one line in the list of parts."""
    line = json.loads((folder / "parts.jsonl").read_text())
    (folder / "parts.jsonl").write_text(json.dumps({**line, **changes}) + "\n")
