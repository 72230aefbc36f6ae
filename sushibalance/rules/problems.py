"""What is wrong with a rule file, said so that a designer can mend it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches


@dataclass(frozen=True)
class Problem:
    """One fault: where it is, what stands there, what may stand there.

    Attributes
    ----------
    file : str
        The file (or ``vary(...)``) that holds the value.
    key : str
        Dotted path of the value, e.g. ``hands.flush.score``; empty for the whole file.
    found : str
        The value as found, shortened.
    allowed : str
        What is allowed there, with the nearest known name for a misspelt one.
    """

    file: str
    key: str
    found: str
    allowed: str

    def __str__(self) -> str:
        lines = [f"{self.file}: {self.key}" if self.key else self.file]
        if self.found:
            lines.append(f"  found:   {self.found}")
        lines.append(f"  allowed: {self.allowed}")
        return "\n".join(lines)


class RulesError(ValueError):
    """A rule file that cannot be used. ``problems`` holds each fault."""

    def __init__(self, problems: Iterable[Problem]):
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def shown(value: object, width: int = 80) -> str:
    """Return a value as a designer writes it (TOML-like), cut to ``width`` characters."""
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, str):
        text = '"' + value + '"'
    elif isinstance(value, dict):
        text = "{ " + ", ".join(f"{key} = {shown(item)}" for key, item in value.items()) + " }"
    elif isinstance(value, list | tuple):
        text = "[" + ", ".join(shown(item) for item in value) + "]"
    else:
        text = str(value)
    return text if len(text) <= width else text[: width - 3] + "..."


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like ``name``, or None when none is near."""
    matches = get_close_matches(str(name), [str(item) for item in known], n=1, cutoff=0.6)
    return matches[0] if matches else None


def one_of(name: str, known: Iterable[str]) -> str:
    """Return the phrase that lists the known names, the nearest one first."""
    names = [str(item) for item in known]
    near = nearest(name, names)
    listed = ", ".join(names[:40]) + (", ..." if len(names) > 40 else "")
    return f"did you mean {near}? Known: {listed}" if near else f"one of: {listed}"
