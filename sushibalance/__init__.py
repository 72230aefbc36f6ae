"""sushibalance: analytics and balance toolkit for designers of sushi card games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sushibalance.analysis.compare import compare
    from sushibalance.games.game import Policy, PolicyError
    from sushibalance.games.registry import load_rules, rule_sets
    from sushibalance.rules import Rules, RulesError
    from sushibalance.simulation.fold import fold
    from sushibalance.simulation.request import SimulationError
    from sushibalance.simulation.run import Run, RunError
    from sushibalance.simulation.simulate import simulate
    from sushibalance.simulation.trace import trace

_HOMES = {
    "load_rules": "sushibalance.games.registry",
    "rule_sets": "sushibalance.games.registry",
    "Rules": "sushibalance.rules",
    "RulesError": "sushibalance.rules",
    "Policy": "sushibalance.games.game",
    "PolicyError": "sushibalance.games.game",
    "Run": "sushibalance.simulation.run",
    "RunError": "sushibalance.simulation.run",
    "SimulationError": "sushibalance.simulation.request",
    "compare": "sushibalance.analysis.compare",
    "fold": "sushibalance.simulation.fold",
    "simulate": "sushibalance.simulation.simulate",
    "trace": "sushibalance.simulation.trace",
}

_ROOMS = ("analysis", "games", "plots", "reports", "rules", "simulation", "stats")

__all__ = [
    "Policy", "PolicyError", "Rules", "RulesError", "Run", "RunError", "SimulationError", "compare", "fold",
    "load_rules", "rule_sets", "simulate", "trace",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import a public name on first use: ``sushibalance --help`` must not wait for numba."""
    from importlib import import_module

    if name in _ROOMS:
        return import_module(f"sushibalance.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'sushibalance' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted((*__all__, *_ROOMS))
