"""Notebooks turned into self-contained HTML pages, with their tables as CSV files beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sushibalance.reports.build import ReportError, build_all, build_report, every

__all__ = ["ReportError", "build_all", "build_report", "every"]


def __getattr__(name: str) -> Any:
    """Import the builder on first use: a notebook that runs needs none of it."""
    if name not in __all__:
        raise AttributeError(f"module 'sushibalance.reports' has no attribute {name!r}")
    from sushibalance.reports import build

    return getattr(build, name)
