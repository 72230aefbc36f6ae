"""Nightmares of Sushi: serve, eat unseen, and win by gold or by penalty points.

``resolve_round`` answers from the rules without simulating.
"""

from __future__ import annotations

from typing import Any

__all__ = ["resolve_round"]


def __getattr__(name: str) -> Any:
    """Import a query on first use: rule files are checked without the compiler."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sushibalance.games.nightmares import queries

    return getattr(queries, name)
