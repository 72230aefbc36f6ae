"""Texts as lines of a terminal."""

from __future__ import annotations

import shutil
import textwrap


def plain(text: str) -> str:
    """Return a text of a rule file as one line that does nothing to the terminal."""
    from sushibalance.rules.reading import plain_text

    return plain_text(" ".join(text.split()), 2000)


def wrapped(text: str, indent: int) -> str:
    """Return a text as lines that fit the terminal, all but the first indented."""
    columns = max(shutil.get_terminal_size().columns - 1, indent + 20)
    return textwrap.fill(text, columns, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)


def columns(rows: list[list[str]]) -> list[str]:
    """Return rows as aligned lines."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def counted(games: int) -> str:
    """Return a number of games in words."""
    return "1 game" if games == 1 else f"{games:,} games"
