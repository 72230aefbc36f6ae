"""Sushi Otter: poker-like hands, Change cards, power-up drafting.

``outcomes`` and ``best_play`` answer from the rules without simulating.
"""

from __future__ import annotations

from typing import Any

__all__ = ["best_play", "outcomes"]


def __getattr__(name: str) -> Any:
    """Import a query on first use: rule files are checked without the compiler."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sushibalance.games.otter import queries

    return getattr(queries, name)
