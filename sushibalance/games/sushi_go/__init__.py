"""Sushi Go!: questions about its rules that need no simulation.

The answers come from the compiled engine; numba is imported with the first question, not with the rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sushibalance.games.sushi_go.queries import score_maki, score_puddings, score_tableau

__all__ = ["score_maki", "score_puddings", "score_tableau"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sushibalance.games.sushi_go import queries

    return getattr(queries, name)
