"""The one place for jit settings and the compile cache.

numba keys a cached function by its own file only, so an edited helper in another file would not be
noticed by a cached caller (numba issue 1833). The decorators here therefore keep a function's code
in a folder keyed by a hash of every source it may call (``core`` and its own folder or game) and of the
versions of Python, numba, llvmlite and numpy.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path

import llvmlite
import numba
import numpy as np
from numba import njit, types

from sushibalance.core.calls import Vector
from sushibalance.core.whole import AloneDispatcher, WholeDispatcher

PACKAGE = Path(__file__).resolve().parent.parent
CORE = PACKAGE / "core"
GAMES = PACKAGE / "games"
UNUSED_SECONDS = 30 * 86_400
# numba hands `forceinline` down to whatever a function calls, unless that says no. Nobody calls these from C.
OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy", "forceinline": False, "no_cfunc_wrapper": True}

warnings.filterwarnings("ignore", category=numba.NumbaExperimentalFeatureWarning)


@cache
def source_key(home: Path) -> str:
    """Return a short hash of the compiler's versions and of the sources in ``core`` and ``home``."""
    digest = hashlib.sha256()
    versions = (platform.python_version(), numba.__version__, llvmlite.__version__, np.__version__)
    digest.update(repr(versions).encode())
    for path in sorted({*CORE.rglob("*.py"), *home.rglob("*.py")}):
        digest.update(str(path.relative_to(PACKAGE)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _forget_old(base: Path) -> None:
    """Remove the folders of earlier versions that no process has used for a month; each use leaves its time."""
    for folder in base.glob("*-" + "[0-9a-f]" * 16):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > UNUSED_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)


@cache
def cache_folder(home: Path) -> Path:
    """Return a writable folder, made if needed, for compiled code that calls into ``home``.

    The first that works of: ``NUMBA_CACHE_DIR``, the user's cache folder, the system's temporary
    folder (a read-only home must not stop a simulation). What lies there is executed, so another
    user's folder among the temporary ones is passed over.
    """
    user = os.getuid() if hasattr(os, "getuid") else 0
    shared = Path(tempfile.gettempdir()) / f"sushibalance-{user}"
    bases = [shared]
    with suppress(RuntimeError):  # no home folder
        bases.insert(0, Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sushibalance")
    if os.environ.get("NUMBA_CACHE_DIR"):
        bases.insert(0, Path(os.environ["NUMBA_CACHE_DIR"]))
    for base in bases:
        folder = base / f"{home.name}-{source_key(home)}"
        with suppress(OSError):
            base.parent.mkdir(parents=True, exist_ok=True)
            base.mkdir(mode=0o700, exist_ok=True)
            if not folder.exists() and base.name.startswith("sushibalance"):  # not in a folder for all and sundry
                _forget_old(base)
            folder.mkdir(exist_ok=True)
            with tempfile.TemporaryFile(dir=folder) as probe:  # a full disk shows only when bytes are written
                probe.write(bytes(4096))
            if base != shared or base.stat().st_uid == user:
                return folder
    return Path(tempfile.mkdtemp(prefix="sushibalance-"))


def compiled(function, dispatcher=WholeDispatcher, **options):
    """Return ``function`` with its compiler: compiled when first called, and cached.

    A user's own function is compiled anew in each process: what it rests on, helpers in other files and values that
    they got somewhere, no key of a cache holds. What it calls of the package comes from the cache.
    """
    if numba.config.DISABLE_JIT:
        return function
    result = dispatcher(function, targetoptions={**OPTIONS, **options})
    path = Path(function.__code__.co_filename)
    if PACKAGE not in path.parents:
        return result
    if CORE in path.parents:
        home = CORE
    elif GAMES in path.parents:
        home = GAMES / path.relative_to(GAMES).parts[0]
    else:
        home = path.parent
    before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(cache_folder(home))
    try:
        result.enable_caching()
    finally:
        numba.config.CACHE_DIR = before
    return result


def compile_part(function, *arguments):
    """Compile a function for compiled callers that pass arguments like these."""
    if not numba.config.DISABLE_JIT:
        function.part.get_call_template(tuple(map(numba.typeof, arguments)), {})


def kernel(function):
    """Decorate compiled code: cached, without the interpreter lock, never raising."""
    return compiled(function)


# numba counts references of every array that is sliced or read out of a record, with an atomic
# instruction each. Code that allocates nothing can do without: the caller holds all arrays.
LEAN = {"_nrt": False}


def lean(function):
    """Decorate hot compiled code that allocates no array: `kernel` without reference counts."""
    return compiled(function, **LEAN)


def inlined(function):
    """Decorate what runs fastest as a part of its callers: `lean`, and copied into each of them.

    LLVM does so by itself where a function is small or has one caller. Elsewhere it must be told: without it, Otter's
    search takes a tenth more instructions.
    """
    return compiled(function, **LEAN, forceinline=True)


def vectorized(function):
    """Decorate code that does the same to values side by side: `lean`, several of them in one instruction.

    numba leaves out this step of LLVM (SLP). For those functions only where fewer instructions were counted with it;
    they are optimised by themselves.
    """
    result = compiled(function, AloneDispatcher, **LEAN)
    if not numba.config.DISABLE_JIT:
        compiler = result._compiler
        compiler.compile = partial(_vectorizing, compiler.compile)
    return result


def _vectorizing(compile_it, *arguments):
    before, numba.config.SLP_VECTORIZE = numba.config.SLP_VECTORIZE, 1
    try:
        return compile_it(*arguments)
    finally:
        numba.config.SLP_VECTORIZE = before


def record_type(dtype: np.dtype) -> types.Record:
    """Return numba's type for one element of a structured array of ``dtype``."""
    return numba.from_dtype(dtype)


def records(dtype: np.dtype) -> Callable[[int], np.ndarray]:
    """Return the function ``new(n)`` that makes ``n`` records of ``dtype``, not zeroed, for use in compiled code.

    An element has its fields as attributes, at fixed places: one index where columns of a matrix take two.
    Compiled code frees an array after the last use of its name, and an element does not keep it: take elements
    only in a function that gets the array as an argument, never where it was made.
    """
    if numba.config.DISABLE_JIT:
        return lambda n: np.empty(n, dtype).view(np.recarray)
    numba_type = record_type(dtype)

    @njit(nogil=True)
    def new(n):
        return np.empty(n, numba_type)

    return new


def decision_signature(rules: np.dtype, table: np.dtype, own: np.dtype) -> types.Type:
    """Return the numba signature that every decision function of a game has.

    ``decide(rules, table, own, seat, params, rng, choice) -> None``; see ``games/game.py``.
    """
    return types.void(
        record_type(rules),
        record_type(table),
        record_type(own),
        types.int64,
        Vector(types.float64),
        Vector(types.uint64),
        Vector(types.int64),
    )


def decision(signature):
    """Return the decorator of a game's decision functions.

    The engine takes them by pointer (see `ready`), so it is compiled once, whatever its policies.
    """
    return partial(_decision, signature)


def _decision(signature, function):
    result = compiled(function)
    if not numba.config.DISABLE_JIT:
        result.decision_signature = signature
    return result


def ready(function):
    """Return a decision function compiled, as the engine takes it; one compiled already stays as it is."""
    signature = getattr(function, "decision_signature", None)
    if signature is not None and function._can_compile:
        function.compile(signature)
        function.disable_compile()
    return function
