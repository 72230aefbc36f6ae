"""What Python calls is compiled as a whole; what compiled code calls, as a part of it, stored apart."""

from __future__ import annotations

import pytest

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

@kernel
def above(n):
    return falling(n) + 1
"""


@pytest.fixture
def ask(python, tmp_path):
    """Return ``ask(code)``: what code prints that has the functions above, compiled into one cache."""
    (tmp_path / "toy_house.py").write_text(HOUSE)

    def ask(code: str) -> list[str]:
        begin = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\nfrom toy_house import *\n"
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


def test_a_function_that_calls_itself(ask):
    assert ask("print(above(5), falling(4))") == ["121 24"]


def test_a_new_caller_finds_the_parts(ask, tmp_path):
    ask("outer(1)")
    stored = {path.name.split("-")[1] for path in (tmp_path / "cache").rglob("part-*.nbc")}
    assert stored == {"toy_house.guarded", "toy_house.told", "toy_house.doubled"}
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
