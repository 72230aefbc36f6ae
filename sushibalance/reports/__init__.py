"""Notebooks turned into self-contained HTML pages."""

from __future__ import annotations

from sushibalance.reports.build import GAMES, ReportError, build_all, build_report

__all__ = ["GAMES", "ReportError", "build_all", "build_report"]
