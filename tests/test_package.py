"""What is delivered: the wheel with its data, the pinned environment, the make targets, the public names."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import sushibalance
from sushibalance.games.registry import rule_sets, shipped

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def build(kind: str, source: Path, target: Path) -> Path:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)],
        cwd=source,
        check=True,
        capture_output=True,
    )
    (built,) = target.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """Return a folder into which pip has installed the wheel, without its dependencies."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(folder)]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True)
    return folder


def command(installed: Path, folder: Path, *words: str) -> str:
    """Return what the installed command prints in another folder."""
    done = subprocess.run(
        [str(installed / "bin" / "sushibalance"), *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(installed), "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# ------------------------------------------------------------------ the wheel


def test_the_wheel_holds_the_data_the_notebooks_and_no_tests(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for folder in ("data", "notebooks"):
        here = {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*") if path.is_file()}
        here = {path for path in here if "checkpoint" not in path and "__pycache__" not in path}
        assert here and {f"sushibalance/_shipped/{path}" for path in here} <= set(names)
    assert not [name for name in names if name.startswith(("tests", "data", "docs")) or name.endswith(".pyc")]
    code = {path.relative_to(ROOT).as_posix() for path in (ROOT / "sushibalance").rglob("*.py")}
    assert code <= set(names)


def test_the_installed_command_finds_its_own_data(installed, tmp_path):
    where = "import sushibalance.games.registry as r; print(r.__file__); print(r.shipped('data'))"
    program = [sys.executable, "-c", where]
    done = subprocess.run(
        program, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(installed)}, capture_output=True, text=True
    )
    module, data = done.stdout.splitlines()
    assert module.startswith(str(installed)) and data == str(installed / "sushibalance/_shipped/data")
    listed = command(installed, tmp_path, "rules")
    assert [line.split()[0] for line in listed.splitlines() if line[0] != " "] == list(rule_sets())
    assert "hands.flush.score = 10" in command(installed, tmp_path, "rules", "otter", "--match", "flush")
    (tmp_path / "mine.toml").write_text('extends = "sushi_go"\n[pudding]\nmost = 8\n')
    assert "good, " in command(installed, tmp_path, "rules", "--check", "mine.toml")
    assert "Round 3" in command(installed, tmp_path, "trace", "mine.toml", "--players", "2")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.toml"]


def test_the_source_distribution_builds_the_same_wheel(wheel, tmp_path):
    archive = build("sdist", ROOT, tmp_path / "sdist")
    with tarfile.open(archive) as tar:
        tar.extractall(tmp_path, filter="data")
    (source,) = tmp_path.glob("sushibalance-*")
    again = build("wheel", source, tmp_path / "wheel")
    assert set(zipfile.ZipFile(again).namelist()) == set(zipfile.ZipFile(wheel).namelist())


def test_in_a_checkout_the_files_are_the_ones_that_designers_edit():
    assert shipped("data") == ROOT / "data" and shipped("notebooks") == ROOT / "notebooks"


# ------------------------------------------------------------------ the environment


def test_every_requirement_is_pinned_and_no_index_is_named():
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert re.fullmatch(r"([A-Za-z0-9._-]+==[A-Za-z0-9.+!]+( ; [^\n]+)?\n)+", pins)
    pinned = {line.partition("==")[0] for line in pins.splitlines()}
    wanted = [*PROJECT["dependencies"], *(one for extra in PROJECT["optional-dependencies"].values() for one in extra)]
    names = {re.split(r"[<>=!~\[ ]", requirement)[0] for requirement in wanted}
    assert names - {PROJECT["name"]} <= pinned


def test_what_is_imported_is_required():
    """Every package that the library imports stands in pyproject.toml (llvmlite is a part of numba)."""
    wanted = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["cluster"]]
    names = {re.split(r"[<>=]", requirement)[0].replace("-", "_") for requirement in wanted}
    imported = set()
    for path in (ROOT / "sushibalance").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                found = [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
                imported.update(str(name).partition(".")[0] for name in found)
    foreign = {name for name in imported if name not in sys.stdlib_module_names} - {"sushibalance"}
    assert {{"llvmlite": "numba", "IPython": "ipython"}.get(name, name) for name in foreign} <= names


def test_continuous_integration_runs_make_test():
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert lines[-1] == "exec make test" and os.access(ROOT / ".ci" / "run", os.X_OK)


@pytest.fixture
def checkout(tmp_path) -> Path:
    """Return a folder with spaces in its name that holds what `make` needs to set up."""
    folder = tmp_path / "my sushi's copy"
    folder.mkdir()
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    return folder


def make(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    keep = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(["make", *words], cwd=folder, env=keep, capture_output=True, text=True)


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
@pytest.mark.parametrize("target", ["report", "lab", "test"])
def test_make_says_when_python_is_too_old(checkout, target):
    old = checkout / "python3.10"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.10.1"\nexit 1\n')
    old.chmod(0o755)
    done = make(checkout, target, f"PYTHON=./{old.name}")
    assert done.returncode == 2 and "needs Python 3.11 or newer; found:\n  ./python3.10: Python 3.10.1\n" in done.stderr
    assert f"make {target} PYTHON=/path/to/python3.11" in done.stderr and not (checkout / ".venv").exists()


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_make_sets_up_once_and_again_when_a_pin_or_the_place_changes(checkout):
    (checkout / ".venv").mkdir()
    stamp = checkout / ".venv" / ".ready"
    stamp.write_text(f"{checkout}\n")
    assert make(checkout, "--question", "setup").returncode == 0
    os.utime(checkout / "constraints.txt", (stamp.stat().st_mtime + 10,) * 2)
    assert make(checkout, "--question", "setup").returncode == 1
    os.utime(stamp, (stamp.stat().st_mtime + 20,) * 2)
    assert make(checkout, "--question", "setup").returncode == 0
    moved = checkout.rename(checkout.parent / "moved")
    assert make(moved, "--question", "setup").returncode == 1


# ------------------------------------------------------------------ the public names


def test_every_public_name_is_there_and_loaded_when_first_used(python):
    assert set(dir(sushibalance)) > set(sushibalance.__all__)
    assert sushibalance.games in (getattr(sushibalance, name) for name in dir(sushibalance))
    for name in sushibalance.__all__:
        assert getattr(sushibalance, name).__name__ == name
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        sushibalance.nothing  # noqa: B018
    assert (
        python("import sys, sushibalance; print('numba' in sys.modules, 'pydantic' in sys.modules)") == "False False\n"
    )
    assert python("import sys; from sushibalance import load_rules; print('numba' in sys.modules)") == "False\n"


def test_queries_are_reached_from_the_package(python):
    """``import sushibalance`` is enough for the queries."""
    python("import sushibalance; assert sushibalance.games.sushi_go.score_puddings([4, 1, 0]) == [6, 0, -6]")
