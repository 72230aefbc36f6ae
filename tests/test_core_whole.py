"""What Python calls is compiled as a whole; what compiled code calls, as a part of it, stored apart."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sushibalance.core import whole

HOUSE = """
import numpy as np
from sushibalance.core.jit import kernel, lean, vectorized

@lean
def doubled(x):
    return 2 * x

@lean
def told(x):
    if x > 2:
        print("much:", x)
    return doubled(x)

@kernel
def guarded(x, most=10):
    if x > most:
        raise ValueError("too much")
    return told(x) + 1

@vectorized
def alone(x):
    return 3 * x

@kernel
def outer(x):
    return guarded(x) + guarded(x, most=20) + alone(x)

@kernel
def product(a):
    return np.dot(a, a)

@kernel
def outer_product(a):
    return product(a).sum() + 3

@kernel
def falling(n):
    return 1 if n < 2 else n * falling(n - 1)

@lean
def run(hand, at, so_far):
    if at == len(hand):
        return so_far
    return max(so_far + 1, run(hand, at + 1, so_far + 1)) if hand[at] else max(so_far, run(hand, at + 1, 0))

@kernel
def longest(hand):
    return run(hand, 0, 0)

@kernel
def above(n):
    return falling(n) + 1

@kernel
def stepped(n, step=1):
    return step if n <= 0 else stepped(n - 1, step + 1) + 100

@kernel
def halved(x):
    return 0 if x < 1 else 1 + halved(x / 2)

@kernel
def left(n, step=1):
    return 0 if n <= 0 else 1 + right(n - 1, step)

@kernel
def right(n, step=2):
    return 0 if n <= 0 else 10 + (left(n - 1, step) if n > 2 else left(n - 1))

@kernel
def others(n):
    return stepped(n) + left(n) + right(n) + halved(n)
"""


@pytest.fixture
def ask(python, tmp_path):
    """Return ``ask(code)``: what code prints that has the functions above, of a small copy of the package."""
    package = tmp_path / "sushibalance"
    shutil.copytree(Path(whole.__file__).parent, package / "core")
    (package / "games" / "toy").mkdir(parents=True)
    for folder in (package, package / "games", package / "games" / "toy"):
        (folder / "__init__.py").touch()
    (package / "games" / "toy" / "house.py").write_text(HOUSE)

    def ask(code: str) -> list[str]:
        begin = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\nfrom sushibalance.games.toy.house import *\n"
        return python(begin + code, NUMBA_CACHE_DIR=str(tmp_path / "cache")).splitlines()

    return ask


def test_a_part_is_neither_optimised_nor_made_machine_code(ask):
    sizes = "print(*(len(f.signatures) for f in (outer, guarded, told, doubled, alone)))"
    assert ask(f"print(outer(1)); {sizes}") == ["9", "1 0 0 0 1"]
    assert ask(f"print(doubled(1), doubled(1.5), outer(1)); {sizes}") == ["2 3.0 9", "1 0 0 2 0"]


def test_the_whole_holds_one_function(ask):
    """And no copies of what was copied into it, which nobody else could call; what is called twice may stay."""
    defined = "print([line.split('@')[1].split('(')[0] for line in code.splitlines() if line.startswith('define')])"
    (found,) = ask(f"outer(1); (code,) = outer.inspect_llvm().values(); {defined}")
    assert "outer" in found and not any(name in found for name in ("doubled", "alone"))


def test_parts_print_and_raise_as_other_functions(ask):
    code = "print(outer(3))\ntry:\n    outer(11)\nexcept ValueError as error:\n    print(error)"
    told = ["much: 3", "much: 3", "23", "too much"]
    assert ask(code) == told
    assert ask(code) == told  # from the cache
    (other,) = ask("print(told(3) - 6)")[1:]
    assert other == "0"


@pytest.mark.parametrize("code", ["above(5), falling(4)", "falling(4), above(5)"])
def test_a_function_that_calls_itself(ask, code):
    """With constants and narrow numbers too, which are the same argument to the part; also from the cache."""
    code = f"print(*sorted([{code}]), longest(np.array([1, 1, 0, 1, 1, 1], np.int8)))"
    assert ask(code) == ["24 121 3"]
    assert ask(code) == ["24 121 3"]


@pytest.mark.parametrize("first", ["", "stepped(3), left(3), ", "right(3), halved(8), "])
def test_a_function_that_calls_itself_with_other_types(ask, first):
    """As where it was called without an argument that it passes itself; compiled for both, in any order; and stored."""
    code = f"print(*[{first}others(3)][-1:], stepped(2, 5), stepped(2), left(4), right(4), halved(2.5))"
    told = ["339 207 203 22 22 2"]
    assert ask(code) == told
    assert ask(code) == told  # from the cache
    assert ask("print(right(3))\n" + code)[1:] == told


def test_a_place_in_a_tuple_of_different_types(python):
    """Of such a tuple numba must know the place; one that is written where a helper is called, it knows."""
    code = (
        "from numba import literally\nfrom sushibalance.core.jit import kernel, lean\nMIXED = (1, 2.5)\n"
        "@lean\ndef one(place):\n    return MIXED[place]\n"
        "@kernel\ndef of(mixed, place=0):\n    return mixed[literally(place)]\n"
        "@kernel\ndef through(mixed, place):\n    return of(mixed, place)\n"
        "@kernel\ndef again(mixed, place, n):\n    return mixed[place] if n == 0 else again(mixed, 0, n - 1)\n"
        "@kernel\ndef ask(n):\n"
        "    return one(0), one(1), of((1, 2.5), place=1), through((1, 2.5), 1), through((3, 2.5), 0)\n"
        "@kernel\ndef ask_again(n):\n    return again((1, 2.5), 0, n)\n"
        "print(ask(1))\ntry:\n    ask_again(3)\nexcept Exception as error:\n    print(type(error).__name__)\n"
    )
    assert python(code).splitlines() == ["(1, 2.5, 2.5, 2.5, 3)", "TypingError"]


def test_own_functions_that_call_each_other(python):
    code = (
        "from sushibalance.core.jit import kernel\n"
        "@kernel\ndef is_even(n):\n    return True if n == 0 else is_odd(n - 1)\n"
        "@kernel\ndef is_odd(n):\n    return False if n == 0 else is_even(n - 1)\n"
        "@kernel\ndef other(n):\n    return is_odd(n)\n"
        "print(is_even(4), is_even(7), is_odd(3), other(5))"
    )
    assert python(code) == "True False True True\n"


@pytest.mark.parametrize("harm", ["cut", "zeros", "empty", "one byte"])
@pytest.mark.parametrize("kind", ["nbc", "nbi"])
def test_what_is_damaged_in_the_cache_is_compiled_again(ask, tmp_path, harm, kind):
    """Of a code with one wrong byte the checksum tells; LLVM would abort."""
    assert ask("print(outer(1))") == ["9"]
    files = list((tmp_path / "cache").rglob(f"*.{kind}"))
    assert files
    for path in files:
        held = path.read_bytes()
        middle = len(held) // 2
        path.write_bytes(
            {
                "cut": held[:middle],
                "zeros": bytes(len(held)),
                "empty": b"",
                "one byte": held[:middle] + bytes([held[middle] ^ 255]) + held[middle + 1 :],
            }[harm]
        )
    assert ask("print(outer(1))") == ["9"]
    assert ask("print(outer(1), sum(outer.stats.cache_hits.values()))") == ["9 1"]


@pytest.mark.parametrize("of", ["WholeCacheImpl", "PartCacheImpl"])
def test_a_fault_of_our_own_in_taking_up_what_is_stored_is_told(ask, of):
    """And not made good by compiling again, which only takes longer."""
    assert ask("print(outer(1))") == ["9"]
    new = "from sushibalance.core.jit import kernel\n@kernel\ndef mine(x):\n    return guarded(x)\n"
    broken = (
        f"from sushibalance.core import whole\nwhole.{of}.from_stored = lambda self, context, stored: 1 / 0\n{new}"
        f"try:\n    {'outer' if of == 'WholeCacheImpl' else 'mine'}(1)\nexcept ZeroDivisionError:\n    print('told')"
    )
    assert ask(broken) == ["told"]


def test_own_functions_follow_every_edit(python, tmp_path):
    """A helper in another file, and a value that is not in any file: no cache could tell."""
    (tmp_path / "mine.py").write_text(
        "import sys\nfrom sushibalance.core.jit import kernel\nfrom theirs import helper\nFIRST = int(sys.argv[1])\n"
        "@kernel\ndef f(x):\n    return helper(x) + FIRST\nprint(f(1))\n"
    )
    (tmp_path / "theirs.py").write_text("from sushibalance.core.jit import lean\n@lean\ndef helper(x):\n    return x\n")
    run = f"import runpy, sys\nsys.path.insert(0, {str(tmp_path)!r})\nrunpy.run_path({str(tmp_path / 'mine.py')!r})"
    assert [python(run, first) for first in ("0", "6")] == ["1\n", "7\n"]
    (tmp_path / "theirs.py").write_text("from sushibalance.core.jit import lean\n@lean\ndef helper(x):\n    return 5\n")
    assert python(run, "0") == "5\n"


def test_a_new_caller_finds_the_parts(ask, tmp_path):
    ask("outer(1)")
    stored = {path.name.split("-")[1] for path in (tmp_path / "cache").rglob("part-*.nbc")}
    assert stored == {"house.guarded", "house.told", "house.doubled"}
    mine = (
        "from sushibalance.core.jit import kernel\nfrom sushibalance.core.whole import PartCompiler\n"
        "PartCompiler.define_pipelines = None  # would fail\n"
        "@kernel\ndef mine(x):\n    return guarded(x) + doubled(x)\nprint(mine(1))"
    )
    assert ask(mine) == ["5"]


def test_parts_bring_what_they_need_along(ask):
    """Numba's own library for products of matrices must be called before they are (its ``reload_init``)."""
    both = "import numpy as np\nprint(int(outer_product(np.eye(2))))"
    assert ask(both) == ["5"]
    assert ask(both) == ["5"]  # from the cache
    mine = "from sushibalance.core.jit import kernel\n@kernel\ndef mine(a):\n    return product(a).sum()\n"
    assert ask(mine + "import numpy as np\nprint(int(mine(np.eye(2))))") == ["2"]
