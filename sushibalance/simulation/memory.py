"""How much memory rows take, and whether they fit: a clear refusal beats a killed process."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import psutil

FREED = 2**25 - 2**16  # bytes: just below the 32 MB from which on glibc never keeps a block


def row_bytes(one_game: Mapping[str, np.ndarray]) -> int:
    """Return the bytes that the rows of one game take."""
    return sum(rows.nbytes for rows in one_game.values())


def free_bytes() -> int:
    """Return the memory that a program can still take, in bytes."""
    return int(psutil.virtual_memory().available)


def too_big(bytes_: float) -> str:
    """Return what to tell when so many bytes do not fit in memory, or nothing."""
    free = free_bytes()
    return "" if bytes_ <= free else f"about {bytes_ / 1e9:,.1f} GB, and {free / 1e9:.1f} GB of memory are free"


def shortage(one_game: Mapping[str, np.ndarray], games: int) -> str | None:
    """Return what to tell when the rows of so many games do not fit in memory, or None."""
    each, free = row_bytes(one_game), free_bytes()
    if each * games <= free:
        return None
    return (
        f"found {games:,}, allowed at most {free // each:,}: "
        f"a game takes {each:,} bytes, and {free / 1e9:.1f} GB of memory are free"
    )


def keep_freed() -> None:
    """Let the allocator keep the memory of arrays that are freed for the next ones, some 64 MB a thread at most.

    glibc gives large blocks back to the system at once, and takes them again page by page: a quarter of the time of
    counting a stored run. After a block of nearly 32 MB was freed it no longer does (mallopt(3), M_MMAP_THRESHOLD).
    Nothing is written to the block, so it takes no room. Other allocators are as before.
    """
    np.empty(FREED, np.uint8)
