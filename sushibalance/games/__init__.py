"""The three games, one folder each, all alike: ``otter``, ``nightmares``, ``sushi_go``."""

from __future__ import annotations

from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    """Import a game on first use."""
    from importlib import import_module

    from sushibalance.games.registry import GAMES

    if name not in GAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
