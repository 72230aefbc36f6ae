"""C twins of the compiled engines: built by gcc, loaded by ctypes, called like `Engine.play`.

A twin works on the very bytes that the kernel works on. Its header is generated from ``kernel/state.py``:
a struct for each record, with its size and the place of every field asserted, and a constant for each number
that has a name there. Rules, parameters and rows go in by pointer.

In C as in the engine a policy is a function that is called through a pointer, once a decision, with the records that
it may see, so that no compiler can melt it into the game. Each side passes the arguments in the way natural to it.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np

from sushibalance.errors import UserError
from sushibalance.games.game import Rows
from sushibalance.simulation.request import Request

SOURCES = Path(__file__).resolve().parent / "c"
# No multiplication fused with an addition: a greedy choice must round like the kernel's.
FLAGS = ("-std=c11", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-shared", "-fPIC")
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
    """The C twin of an engine, built with some options of gcc, for one request.

    Parameters
    ----------
    request : Request
        What is to be played.
    options : str
        Options of gcc, one of `BUILDS` or others.
    folder : Path
        Where to build it.

    Raises
    ------
    CompilerError
        Without gcc, when it refuses the twin, or when the twin lacks a policy.
    """

    def __init__(self, request: Request, options: str, folder: Path):
        game, policies = request.engine, request.policies
        if request.intervention is not None:
            raise CompilerError(f"a twin plays no interventions: found {request.intervention}")
        state = import_module(f"sushibalance.games.{game.name}.kernel.state")
        (folder / f"{game.name}.h").write_text(header(state), encoding="ascii")
        target = folder / f"{game.name}{options.replace(' ', '')}.so"
        source = SOURCES / f"{game.name}.c"
        command = [gcc(), *FLAGS, *options.split(), f"-I{folder}", "-o", str(target), str(source)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise CompilerError(f"gcc {options} does not compile {source.name}:\n{done.stderr}")
        library = ctypes.CDLL(str(target))
        seats = [*policies, *policies[:1] * (game.seats[1] - len(policies))]
        names = [f"{policy.name}_{decision}" for decision in game.decisions for policy in seats]
        for name in names:
            if not hasattr(library, name):
                raise CompilerError(f"{source.name} has no function {name}")
        pointers = [ctypes.cast(getattr(library, name), ctypes.c_void_p) for name in names]
        self._functions = (ctypes.c_void_p * len(pointers))(*pointers)
        self._play_games = library.play_games
        self._play_games.restype = None
        self._table = game.table(request.rules)
        self._params = game.params(policies, request.rules)
        self._seed = request.seed

    def play(self, first: int, rows: Rows) -> np.ndarray:
        """Play one game for each element of ``rows["games"]``, from game index ``first``; see `Engine.play`."""
        status = np.zeros(4, np.int64)
        games, players = rows["players"].shape
        self._play_games(
            pointer(self._table), self._functions, pointer(self._params), ctypes.c_int64(self._params.shape[1]),
            ctypes.c_uint64(self._seed), ctypes.c_uint64(first), ctypes.c_int64(games), ctypes.c_int64(players),
            (ctypes.c_void_p * len(rows))(*map(pointer, rows.values())), pointer(status),
        )  # fmt: skip
        return status


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    """Return the address of a contiguous array."""
    assert array.flags.c_contiguous
    return ctypes.c_void_p(array.ctypes.data)
