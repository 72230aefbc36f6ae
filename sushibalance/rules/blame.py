"""Which edit brought a fault: the change of a variant, not the value of the printed game that no longer fits it.

A rule set is made of layers: a complete file, the files that extend it, ``vary``. A fault belongs to the layer
from which on it is there. Within that layer the changes are taken back one after the other, from whole tables
down to single values; those without which the fault is gone are its cause (hierarchical delta debugging,
Misherghi and Su, ICSE 2006).
"""

from __future__ import annotations

import copy
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sushibalance.rules.document import Document
from sushibalance.rules.problems import MISSING, UNKNOWN, Problem, plain, shown

MAX_TRIALS = 500
PATIENCE = 3.0  # seconds
MAX_CAUSES = 4

Check = Callable[[Document], list[Problem]]
Identity = tuple[str, str]
_ABSENT = object()


def blamed(problems: Sequence[Problem], layers: Sequence[Document], check: Check) -> list[Problem]:
    """Return the problems of the last of some documents, each told of the edit that brought it.

    Parameters
    ----------
    problems : sequence of Problem
        What ``check`` says of the last document.
    layers : sequence of Document
        The complete rule set, then the same with one file or variation more each.
    check : callable
        ``check(document)`` returns the problems of a document; none for rules that can be played.
    """
    return list(map(_Judge(layers, check).told, problems))


class _Judge:
    """Tells problems, with a bound on the rule sets that are tried for all of them together."""

    def __init__(self, layers: Sequence[Document], check: Check):
        self.layers = layers
        self.check = check
        self.trials = 0
        self.until = time.monotonic() + PATIENCE

    def told(self, problem: Problem) -> Problem:
        """Return a problem that names the edit behind it."""
        at, identity = len(self.layers) - 1, _identity(problem)
        while at and self.shows(self.layers[at - 1], identity):
            at -= 1
        layer = self.layers[at]
        plain = replace(problem, file=layer.file_of(problem.key))
        if not at:
            return plain
        before, after = self.layers[at - 1].values, layer.values
        if _edited(before, after, problem.key):
            return plain
        causes = self.causes(before, layer, identity)
        if not causes:
            return plain
        first, *more = causes
        file = layer.file_of(first)
        near = any(_within(problem.key, path) or _within(path, problem.key) for path in causes)
        if problem.kind == MISSING or near:
            return replace(problem, file=file)
        if len(causes) > MAX_CAUSES:
            table = _around(causes)
            if not table:
                return replace(problem, file=file)
            causes, first, more = {table: f"{len(causes)} changes"}, table, []
        return Problem(
            file,
            first,
            causes[first] + "".join(f", with {path} = {causes[path]}" for path in more),
            _mended(problem, first, file),
            but=f"{problem.key} in {_short(self.layers[at - 1].file_of(problem.key))}: {problem.found}",
            undo=f"{' and '.join(causes)} as before",
        )

    def shows(self, document: Document, identity: Identity) -> bool:
        """Tell whether a document has a fault (no, when too many were asked about)."""
        self.trials += 1
        if self.trials > MAX_TRIALS or time.monotonic() > self.until:
            return False
        return identity in map(_identity, self.check(document))

    def causes(self, before: dict[str, Any], layer: Document, identity: Identity) -> dict[str, str]:
        """Return the changes of a layer without which it has not the fault: by path, what stands there now."""
        trial = replace(layer, values=copy.deepcopy(layer.values))
        found: dict[str, str] = {}

        def search(there: dict[str, Any], here: dict[str, Any], prefix: str) -> None:
            for key in dict.fromkeys([*there, *here]):
                old, new = there.get(key, _ABSENT), here.get(key, _ABSENT)
                if _same(old, new):
                    continue
                _put(here, key, old)
                if self.shows(trial, identity):
                    continue
                _put(here, key, new)
                if isinstance(old, dict) and isinstance(new, dict):
                    search(old, new, f"{prefix}{plain(key)}.")
                else:
                    found[prefix + plain(key)] = "taken out" if new is _ABSENT else shown(new)

        search(before, trial.values, "")
        return found


def _identity(problem: Problem) -> Identity:
    """Return what stays the same of a fault when other values change: its place, and its words without the numbers."""
    return problem.key, re.sub(r"\d+(, \d+)*", "#", problem.allowed)


def _edited(before: Any, after: Any, path: str) -> bool:
    """Tell whether the very value at a path is new or another than before; not, whether something inside it is."""
    for key in path.split("."):
        if not isinstance(after, dict):  # an element of a list
            break
        if not isinstance(before, dict) or key not in after:
            return False
        if key not in before:
            return True
        before, after = before[key], after[key]
    return not isinstance(after, dict) and not _same(before, after)


def _around(paths: Iterable[str]) -> str:
    """Return the table that all paths lie in; empty for the whole file."""
    common = []
    for keys in zip(*(path.split(".") for path in paths), strict=False):
        if len(set(keys)) > 1:
            break
        common.append(keys[0])
    return ".".join(common)


def _short(file: str) -> str:
    """Return a file's name without its folders."""
    return Path(file).name if file.endswith(".toml") else file


def _same(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other


def _within(path: str, outer: str) -> bool:
    return path == outer or path.startswith(outer + ".")


def _put(table: dict[str, Any], key: str, value: object) -> None:
    if value is _ABSENT:
        table.pop(key, None)
    else:
        table[key] = value


def _mended(problem: Problem, cause: str, file: str) -> str:
    """Return what to do at the place of a fault, so that the edit behind it can stay."""
    if problem.kind != UNKNOWN:
        return f"in {problem.key}, {problem.allowed}"
    entry = cause.rpartition(".")[0] or problem.key
    if file.endswith(".toml"):
        return f'remove = ["{entry}"] at the top, then all of {entry} anew (the old keys stay otherwise)'
    return f"all of {entry} anew, as one table (the old keys stay otherwise)"
