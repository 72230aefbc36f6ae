"""The one place for jit settings and the compile cache.

Import this module before any compiled code: it points numba's cache at a folder that is
keyed by a hash of every source file of the package and by the versions of numba, llvmlite,
numpy and Python. numba itself keys a cached function by its own file only, so an edited
helper in another file would not be noticed by a cached caller (numba issue 1833).
"""

from __future__ import annotations

import hashlib
import os
import platform
import tempfile
import warnings
from pathlib import Path

import llvmlite
import numba
import numpy as np
from numba import njit, types

PACKAGE = Path(__file__).resolve().parent.parent


def source_key() -> str:
    """Return a short hash of all package sources and of the compiler's versions."""
    digest = hashlib.sha256()
    versions = (platform.python_version(), numba.__version__, llvmlite.__version__, np.__version__)
    digest.update(repr(versions).encode())
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(str(path.relative_to(PACKAGE)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """Return a writable folder for compiled code, made if needed.

    The order is: ``NUMBA_CACHE_DIR`` when set (used as it is), the user's cache folder, the
    system's temporary folder (a read-only home must not stop a simulation).
    """
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return Path(given)
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    for base in (home, Path(tempfile.gettempdir()) / f"cache-{os.getuid() if hasattr(os, 'getuid') else 0}"):
        folder = base / "sushibalance" / source_key()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="sushibalance-"))


numba.config.CACHE_DIR = str(cache_folder())
warnings.filterwarnings("ignore", category=numba.NumbaExperimentalFeatureWarning)

OPTIONS = {"cache": True, "nogil": True, "error_model": "numpy"}

kernel = njit(**OPTIONS)
"""Decorator for compiled code: cached, without the interpreter lock, never raising."""


def record_type(dtype: np.dtype) -> types.Record:
    """Return numba's type for one element of a structured array of ``dtype``."""
    return numba.from_dtype(dtype)


def decision_signature(rules: np.dtype, table: np.dtype, own: np.dtype):
    """Return the numba signature that every decision function of a game has.

    ``decide(rules, table, own, seat, params, rng, choice) -> None``; see ``games/game.py``.
    """
    return types.void(
        record_type(rules),
        record_type(table),
        record_type(own),
        types.int64,
        types.float64[::1],
        types.uint64[::1],
        types.int64[::1],
    )


def decision(signature):
    """Return the decorator that compiles a decision function for ``signature``.

    Functions made by it are passed to the engine by pointer, so an engine is compiled once,
    whatever policies it is given.
    """
    return njit(signature, **OPTIONS)
