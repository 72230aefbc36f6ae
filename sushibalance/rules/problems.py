"""What is wrong with a rule file, said so that a designer can mend it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any

from sushibalance.errors import UserError, nearest

KEY = re.compile(r"[A-Za-z0-9_]{1,60}")
MAX_PROBLEMS = 20
VALUE, UNKNOWN, MISSING = "value", "unknown", "missing"


@dataclass(frozen=True)
class Problem:
    """One fault: where it is, what stands there, what may stand there.

    Attributes
    ----------
    file : str
        The file to mend: the one that set the value, or changed another so that this one no longer fits. Or what
        `Rules.vary` calls its changes.
    key : str
        Dotted path of the value, e.g. ``hands.flush.score``; empty for the whole file.
    found : str
        The value as found, shortened.
    allowed : str
        What is allowed there, with the nearest known name for a misspelt one.
    but : str
        Where a change does not go with another value: that value, with its place and file.
    undo : str
        What else would do: the change taken back.
    kind : str
        ``"value"``, ``"unknown"`` (a key that is none) or ``"missing"`` (a key that is not there).
    """

    file: str
    key: str
    found: str
    allowed: str
    but: str = ""
    undo: str = ""
    kind: str = VALUE

    def __str__(self) -> str:
        return _told([self])


def _told(problems: Iterable[Problem]) -> str:
    """Return what to tell of some problems; what is wrong with one and the same change is told below it."""
    lines = []
    for _, group in groupby(problems, lambda one: (one.file, one.key, one.found) if one.but else one):
        same = list(group)
        lines.append(f"{same[0].file}: {same[0].key}" if same[0].key else same[0].file)
        for name, text in (
            ("found", same[0].found),
            *((name, text) for problem in same for name, text in (("but", problem.but), ("allowed", problem.allowed))),
            ("or", same[0].undo),
        ):
            if text:
                lines.append(f"  {name + ':':8} {text}")
    return "\n".join(lines)


class RulesError(UserError):
    """A rule file that cannot be used. ``problems`` holds each fault; the text tells the first 20."""

    def __init__(self, problems: Iterable[Problem]):
        self.problems = tuple(problems)
        lines = [_told(self.problems[:MAX_PROBLEMS])]
        if len(self.problems) > MAX_PROBLEMS:
            lines.append(f"... and {len(self.problems) - MAX_PROBLEMS:,} more")
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[type[RulesError], tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)


class Words(str):
    """What is found, told in words: `shown` puts no quotes around it."""


def shown(value: object, width: int = 80, depth: int = 4) -> str:
    """Return a value as a designer writes it (TOML-like), cut to ``width`` characters."""
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, Words):
        text = str(value)
    elif isinstance(value, str):
        text = json.dumps(value[:width], ensure_ascii=False)
    elif isinstance(value, int) and abs(value) >= 2**64:
        text = "a number of over 19 digits"
    elif isinstance(value, dict | list | tuple) and depth == 0:
        text = "..."
    elif isinstance(value, dict):
        parts = [f"{plain(key)} = {shown(item, width, depth - 1)}" for key, item in _first(value.items(), width)]
        text = "{ " + ", ".join(parts) + " }" if parts else "{ }"
    elif isinstance(value, list | tuple):
        text = "[" + ", ".join(shown(item, width, depth - 1) for item in _first(value, width)) + "]"
    else:
        text = str(value)
    return text if len(text) <= width else text[: width - 3] + "..."


def changed(before: object, after: object, width: int = 1000) -> str:
    """Return how a value changed, None where there is none: ``"3 -> 4"``, ``"new: 4"``, ``"3 -> taken out"``."""
    if before is None:
        return f"new: {shown(after, width)}"
    return f"{shown(before, width)} -> {'taken out' if after is None else shown(after, width)}"


def plain(key: object) -> str:
    """Return a key as it stands in a rule file: bare, or quoted where it must be, cut to 60 characters."""
    text = str(key)
    return text if KEY.fullmatch(text) else shown(text, 60)


def _first(items: Iterable[Any], count: int) -> list[Any]:
    return list(islice(items, count))


def one_of(name: str, known: Iterable[str]) -> str:
    """Return the phrase that lists the known names, the nearest one first."""
    names = [str(item) if re.fullmatch(r"[\w./-]{1,60}", str(item)) else shown(str(item), 60) for item in known]
    near = nearest(name, names)
    listed = ", ".join(names[:40]) + (", ..." if len(names) > 40 else "") if names else "nothing"
    return f"did you mean {near}? Known: {listed}" if near else f"one of: {listed}"
