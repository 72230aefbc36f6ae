"""What a notebook's parameters may be, values like those that its first cell sets, and the rules that they name.

A value that cannot be is refused before anything is played, and not by whoever needs it first.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

from sushibalance.errors import UserError
from sushibalance.games.registry import load_rules, rules_model
from sushibalance.rules import Document, Rules
from sushibalance.rules.problems import shown


def rules_of(source: str | Mapping[str, Any]) -> Rules:
    """Return the rules that a parameter names: a shipped name, a path, or a whole document."""
    if isinstance(source, str):
        return load_rules(source)
    document = Document(**source)
    return rules_model(document.game).from_document(document)


def check(source: str, values: Mapping[str, Any]) -> None:
    """Refuse values that are unlike those that a cell sets.

    In place of a pair of numbers a lower and a higher one is allowed, of a number with a fraction one above 0, of a
    whole number one that is not below 0, of a list another with some of the same kind. What is None there may be
    anything: whoever takes it checks it, before it plays.

    Parameters
    ----------
    source : str
        Of the cell; what it sets are literals.
    values : mapping
        By the names that it sets.

    Raises
    ------
    UserError
        Naming the parameter: what was found, what is allowed.
    """
    usual = _set_in(source)
    for name, value in values.items():
        allowed = _allowed(usual.get(name), value)
        if allowed:
            raise UserError(f"{name}: found {shown(value)}, allowed {allowed}")


def _set_in(source: str) -> dict[str, Any]:
    """Return what a cell sets, by name."""
    found = {}
    for line in ast.parse(source).body:
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
            found[line.targets[0].id] = ast.literal_eval(line.value)
    return found


def _allowed(usual: Any, value: Any) -> str:
    """Return what is allowed, where a value is not."""
    if isinstance(usual, tuple):
        pair = isinstance(value, list | tuple) and len(value) == 2 and all(map(_number, value))
        return "" if pair and value[0] < value[1] else "a lower and a higher number"
    if isinstance(usual, float):
        return "" if _number(value) and value > 0 else "a number above 0"
    if isinstance(usual, int):
        whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        return "" if whole else "a whole number, 0 or more"
    if isinstance(usual, list):
        some = isinstance(value, list | tuple) and len(value) > 0
        if all(isinstance(one, int) for one in usual):
            numbers = some and all(isinstance(one, int) and not isinstance(one, bool) and one > 0 for one in value)
            return "" if numbers else "a list of whole numbers above 0"
        return "" if some else "a list of one or more"
    return ""


def _number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
