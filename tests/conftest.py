"""Shared by all tests: hypothesis profiles, rule files written for a test, the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "sushibalance", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("sushibalance")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def write(tmp_path):
    """Return ``write(text, name="rules.toml") -> Path``: a rule file in the test's own folder."""

    def write(text: str | bytes, name: str = "rules.toml") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.fixture
def python():
    """Return ``python(code, **environment) -> stdout``: code run in a fresh interpreter, which must succeed."""

    def python(code: str, *args: str, **environment: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", code, *args],
            env={**os.environ, **environment},
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return python


@pytest.fixture(scope="module")
def run():
    """Return a run of a few games of Nightmares, the same for all tests of a file."""
    from stored_runs import played

    return played()


@pytest.fixture
def folder(run, tmp_path) -> Path:
    """Return the folder that the run is stored in."""
    return run.save(tmp_path / "run")


@pytest.fixture
def closed_figures():
    """Close all figures after the test."""
    yield
    import matplotlib.pyplot as plt

    plt.close("all")
