"""A process of its own for what is measured, and the most memory that it took."""

from __future__ import annotations

import resource
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any


def apart(do: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function of a module returns, called in a process of its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(do, *arguments).result()


def peak() -> float:
    """Return the most memory that this process took so far, in MB."""
    try:  # what the system tells of usage holds on Linux that of the process it was started by
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1e3
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
