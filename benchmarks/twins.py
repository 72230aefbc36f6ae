"""C twins of the compiled engines: built by gcc, loaded by ctypes, called like `Engine.play`.

A twin works on the very bytes that the kernel works on. Its header is generated from ``kernel/state.py``:
a struct for each record, with its size and the place of every field asserted, and a constant for each number
that has a name there. Rules, parameters and rows go in by pointer.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np

from sushibalance.errors import UserError
from sushibalance.games.game import Policy, Rows
from sushibalance.games.registry import engine

SOURCES = Path(__file__).resolve().parent / "c"
# gcc's ISO mode does not fuse a multiplication and an addition: a greedy choice must round like the kernel's.
FLAGS = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-shared", "-fPIC")
BUILDS = ("-O2", "-O3", "-O3 -march=native")

C_TYPES = {"i": "int", "u": "uint"}


class CompilerError(UserError):
    """No gcc, or one that cannot compile a twin."""


def gcc() -> str:
    """Return the path of gcc.

    Raises
    ------
    CompilerError
        When there is none.
    """
    found = shutil.which("gcc")
    if found is None:
        raise CompilerError("the benchmarks compare with C and need gcc, which is not on the PATH; install it first")
    return found


def header(state: ModuleType) -> str:
    """Return the C header of a game's ``kernel/state.py``: its named integers and its records."""
    lines = ["#include <stddef.h>\n#include <stdint.h>\n"]
    for name, value in vars(state).items():
        if name.isupper() and type(value) is int:
            lines.append(f"#define {name} INT64_C({value})")
        elif name.isupper() and isinstance(value, np.dtype) and value.names:
            lines.append(struct(name.lower(), value))
    return "\n".join(lines)


def struct(name: str, record: np.dtype) -> str:
    """Return the C struct of a structured dtype, and assertions that both agree on every byte."""
    fields, checks = [], [f'_Static_assert(sizeof(struct {name}) == {record.itemsize}, "size of {name}");']
    for field, (whole, offset, *_) in record.fields.items():
        base, shape = whole.subdtype or (whole, ())
        kind = "double" if base.kind == "f" else f"{C_TYPES[base.kind]}{8 * base.itemsize}_t"
        fields.append(f"    {kind} {field}{''.join(f'[{extent}]' for extent in shape)};")
        checks.append(f'_Static_assert(offsetof(struct {name}, {field}) == {offset}, "place of {name}.{field}");')
    packed = "" if record.isalignedstruct else " __attribute__((packed))"
    return "\n".join([f"\nstruct {name} {{", *fields, f"}}{packed};", *checks])


class Twin:
    """The C twin of one game's engine, built with some options of gcc.

    Parameters
    ----------
    game : str
        ``"otter"``, ``"nightmares"`` or ``"sushi_go"``.
    options : str
        Options of gcc, one of `BUILDS` or others.
    folder : Path
        Where to build it.

    Raises
    ------
    CompilerError
        Without gcc, or when it refuses the twin.
    """

    def __init__(self, game: str, options: str, folder: Path):
        self.engine = engine(game)
        self.options = options
        state = import_module(f"sushibalance.games.{game}.kernel.state")
        (folder / f"{game}.h").write_text(header(state), encoding="ascii")
        target = folder / f"{game}{options.replace(' ', '')}.so"
        command = [gcc(), *FLAGS, *options.split(), f"-I{folder}", "-o", str(target), str(SOURCES / f"{game}.c")]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise CompilerError(f"gcc {options} does not compile the twin of {self.engine.title}:\n{done.stderr}")
        self._library = ctypes.CDLL(str(target))
        self._library.play_games.restype = None

    def has(self, policy: Policy) -> bool:
        """Return whether the twin has the policy's decisions."""
        return all(hasattr(self._library, name) for name in self._names(policy))

    def functions(self, policies: Sequence[Policy]) -> ctypes.Array[ctypes.c_void_p]:
        """Return the policies' decision functions as pointers, in the order of `Engine.functions`.

        Raises
        ------
        CompilerError
            When a policy has no twin.
        """
        seats = [*policies, *[policies[0]] * (self.engine.seats[1] - len(policies))]
        table = [[self._names(policy)[at] for policy in seats] for at in range(len(self.engine.decisions))]
        names = [name for row in table for name in row]
        missing = sorted({name for name in names if not hasattr(self._library, name)})
        if missing:
            raise CompilerError(f"{SOURCES.name}/{self.engine.name}.c has no function {missing[0]}")
        pointers = [ctypes.cast(getattr(self._library, name), ctypes.c_void_p) for name in names]
        return (ctypes.c_void_p * len(pointers))(*pointers)

    def _names(self, policy: Policy) -> list[str]:
        return [f"{policy.name}_{decision}" for decision in self.engine.decisions]

    def play(
        self, table: np.ndarray, functions: ctypes.Array[ctypes.c_void_p], params: np.ndarray, seed: int, first: int,
        rows: Rows,
    ) -> np.ndarray:  # fmt: skip
        """Play one game for each element of ``rows["games"]``; see `Engine.play`."""
        status = np.zeros(4, np.int64)
        pointers = (ctypes.c_void_p * len(rows))(*(pointer(array) for array in rows.values()))
        games, players = rows["players"].shape
        self._library.play_games(
            pointer(table), functions, pointer(params), ctypes.c_int64(params.shape[1]), ctypes.c_uint64(seed),
            ctypes.c_uint64(first), ctypes.c_int64(games), ctypes.c_int64(players), pointers, pointer(status),
        )  # fmt: skip
        return status


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    """Return the address of a contiguous array."""
    assert array.flags.c_contiguous
    return ctypes.c_void_p(array.ctypes.data)
