"""The compile cache notices every edit and finds a place to write; the event log counts what it cannot hold."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from sushibalance.core import jit
from sushibalance.core.log import WIDTH, new_log, note

PACKAGE = Path(jit.__file__).resolve().parent.parent

TOY = {
    "games/toy/__init__.py": "",
    "games/toy/helper.py": "from sushibalance.core.jit import kernel\n\n\n@kernel\ndef price():\n    return 1\n",
    "games/toy/rules.py": (
        "from sushibalance.core.jit import kernel\nfrom sushibalance.games.toy.helper import price\n\n\n"
        "@kernel\ndef total(count):\n    return count * price()\n"
    ),
}


@pytest.fixture
def house(tmp_path) -> Path:
    """Return a folder with a small copy of the package: ``core`` and a game of two files."""
    package = tmp_path / "house" / "sushibalance"
    shutil.copytree(PACKAGE / "core", package / "core")
    for name in ("__init__.py", "games/__init__.py"):
        (package / name).parent.mkdir(exist_ok=True)
        (package / name).write_text("")
    for name, text in TOY.items():
        (package / name).parent.mkdir(exist_ok=True)
        (package / name).write_text(text)
    return package.parent


def ask(house: Path, code: str, **environment: str) -> str:
    program = "from sushibalance.games.toy.rules import total\n" + code
    keep = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=house,
        env={**keep, "PYTHONPATH": str(house), "XDG_CACHE_HOME": str(house / "cache"), **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


STATE = "print(total(5), sum(total.stats.cache_hits.values()))"


def test_an_edited_helper_in_another_file_is_noticed(house):
    """numba issue 1833: a cached caller does not see that its callee changed."""
    assert ask(house, STATE) == "5 0"
    assert ask(house, STATE) == "5 1"
    helper = house / "sushibalance/games/toy/helper.py"
    helper.write_text(helper.read_text().replace("return 1", "return 7"))
    assert ask(house, STATE) == "35 0"
    core = house / "sushibalance/core/log.py"
    core.write_text(core.read_text() + "# edited\n")
    assert ask(house, STATE) == "35 0"
    assert ask(house, STATE) == "35 1"


def test_the_key_changes_with_every_source_and_version(house, monkeypatch):
    package = house / "sushibalance"
    for name, folder in (("PACKAGE", package), ("CORE", package / "core"), ("GAMES", package / "games")):
        monkeypatch.setattr(jit, name, folder)
    toy, key = package / "games/toy", jit.source_key.__wrapped__
    seen = [key(toy)]
    assert key(toy) == seen[0]
    (toy / "helper.py").write_text("# other\n")
    seen.append(key(toy))
    (toy / "helper.py").rename(toy / "helpers.py")
    seen.append(key(toy))
    (package / "core/new.py").write_text("")
    seen.append(key(toy))
    monkeypatch.setattr(jit.np, "__version__", "0.0")
    seen.append(key(toy))
    assert len(set(seen)) == len(seen)
    other = package / "games/other"
    other.mkdir()
    (other / "x.py").write_text("")
    assert key(toy) == seen[-1]
    assert key(package / "games") != seen[-1]


def test_a_home_that_cannot_be_written_does_not_stop_anything(house, tmp_path):
    """/dev/null stands for every folder in which nothing can be made."""
    where = "from sushibalance.core.jit import cache_folder, GAMES\nprint(total(5), cache_folder(GAMES / 'toy'))"
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    nowhere = {"XDG_CACHE_HOME": "/dev/null/x", "HOME": "/dev/null", "NUMBA_CACHE_DIR": "/dev/null/y"}
    total, folder = ask(house, where, TMPDIR=str(temporary), **nowhere).split()
    assert total == "5" and Path(folder).parent.parent == temporary
    assert Path(folder).parent.stat().st_mode & 0o077 == 0


def test_numba_cache_dir_is_obeyed(house, tmp_path):
    where = "from sushibalance.core.jit import cache_folder, GAMES\nprint(cache_folder(GAMES / 'toy'))"
    assert Path(ask(house, where, NUMBA_CACHE_DIR=str(tmp_path / "a/b"))).parent == tmp_path / "a/b"


def test_what_no_version_uses_any_more_is_removed_after_a_month(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    base = tmp_path / "sushibalance"
    folders = [base / name for name in ("toy-0123456789abcdef", "toy-fedcba9876543210", "notes")]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "kept.nbc").touch()
    for folder in (folders[0], folders[2]):
        os.utime(folder, (1.0, 1.0))
    assert jit.cache_folder.__wrapped__(jit.CORE).parent == base
    assert [folder.exists() for folder in folders] == [False, True, True]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_another_users_folder_is_not_trusted(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/x")
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    planted = tmp_path / f"sushibalance-{os.getuid()}"
    planted.mkdir()
    os.chown(planted, 12345, 12345)
    folder = jit.cache_folder.__wrapped__(jit.CORE)
    assert planted not in folder.parents and tmp_path in folder.parents


def test_a_function_is_compiled_once_for_all_numbers(python):
    """numba would compile it again for each constant that it is called with."""
    code = (
        "from sushibalance.core.jit import kernel\n@kernel\ndef f(x):\n    return x + 1\n"
        "@kernel\ndef g(y):\n    return f(1) + f(2) + f(y)\nprint(g(3), len(f.part.signatures))"
    )
    assert python(code) == "9 1\n"


INLINING = """
import re
from sushibalance.core.jit import inlined, lean

@lean
def plain(x):
    return x * 3

@inlined
def melted(x):
    return plain(x) + 1

@lean
def caller(x):
    return melted(x)

caller(1)
for function in (melted, plain):
    code = "".join(str(result.library._final_module) for result in function.part.overloads.values())
    group = re.search(rf"^define .*{function.__name__}.* (#[0-9]+) ", code, re.M)
    said = re.search(rf"^attributes {group[1]} = .*", code, re.M)[0] if group else ""
    print(function.__name__, " alwaysinline " in said)
"""


def test_inlining_is_not_handed_down(python):
    """Unlike numba's `forceinline`, which whatever is compiled on the way inherits."""
    assert python(INLINING).splitlines() == ["melted True", "plain False"]


VECTORS = """
import re, numba, numpy as np
from sushibalance.core.jit import lean, vectorized

def sums(a, b, out):
    one, two, three, four = a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]
    out[0], out[1], out[2], out[3] = one, two, three, four

for decorate in (lean, vectorized):
    function, out = decorate(sums), np.zeros(4, np.int64)
    function(np.array([1, 2, 3, 4]), np.array([4, 8, 5, 6]), out)
    code = "".join(function.inspect_llvm().values())
    print(*out, bool(re.search("= add.* <[0-9]+ x i64>", code)), numba.config.SLP_VECTORIZE)
"""


def test_side_by_side_only_where_it_is_asked_for(python):
    assert python(VECTORS).splitlines() == ["5 10 8 10 False 0", "5 10 8 10 True 0"]


def test_a_function_typed_at_a_prompt_compiles(python):
    assert (
        python("from sushibalance.core.jit import kernel\n@kernel\ndef f(x):\n    return x + 1\nprint(f(1))") == "2\n"
    )


def test_the_log_holds_what_it_can_and_counts_the_rest():
    log = new_log(2)
    for kind in (7, 8, 9):
        note(log, kind, kind - 10, 1, 2, 3, 4, 5, 6, 7, 8)
    assert int(log[0].kind) == 3
    assert [(int(event.kind), int(event.seat), event.args.tolist()) for event in log[1:]] == [
        (7, -3, list(range(1, WIDTH + 1))),
        (8, -2, list(range(1, WIDTH + 1))),
    ]
    off = new_log(0)
    note(off, 1, 2)
    assert off.shape == (0,) and off.dtype == np.dtype(new_log(1).dtype)
