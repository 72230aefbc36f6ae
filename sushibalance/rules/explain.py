"""Pydantic's errors in a designer's words: file, key, value found, what is allowed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import BaseModel, ValidationError

from sushibalance.rules.document import Document
from sushibalance.rules.problems import MAX_PROBLEMS, MISSING, UNKNOWN, Problem, nearest, one_of, plain, shown

Node = dict[str, Any]
"""A piece of a model's JSON Schema: what is allowed at one place of a rule file."""


def explain(error: ValidationError, model: type[BaseModel], document: Document) -> list[Problem]:
    """Return the problems behind a failed validation of ``document.values``.

    Where a value may be of several kinds, pydantic tells a fault for each kind that it tried: one
    problem is kept for a place, and none where a deeper one is told.
    """
    schema = _schema(model)
    problems: dict[tuple[str, ...], Problem] = {}
    for item in error.errors(include_url=False)[: 5 * MAX_PROBLEMS]:
        path, beside, here = _place(item["loc"], schema)
        if tuple(path) not in problems:
            problems[tuple(path)] = _problem(item, path, beside, here, document, schema)
    return [
        problem
        for path, problem in problems.items()
        if not any(len(other) > len(path) and other[: len(path)] == path for other in problems)
    ]


@cache
def _schema(model: type[BaseModel]) -> Node:
    return model.model_json_schema()


def _problem(
    item: Any, path: list[str], beside: list[Node], here: list[Node], document: Document, schema: Node
) -> Problem:
    key = ".".join(plain(part) for part in path)
    file, kind, found = document.file_of(key), item["type"], item["input"]
    allowed = " or ".join(dict.fromkeys(phrases(here, schema)))
    if kind == "extra_forbidden":
        return Problem(file, key, f"unknown key {plain(path[-1])}", one_of(path[-1], _keys(beside)), kind=UNKNOWN)
    if kind == "missing":
        parent = ".".join(path[:-1])
        others = [name for name in _names(document.values, path[:-2]) if name != path[-2]] if parent else []
        near = nearest(path[-2], others) if others and not path[-2].isdigit() else None
        hint = f" (or did you mean {near}?)" if near else ""
        return Problem(file, key, f"no {path[-1]}" + (f" in {parent}" if parent else ""), allowed + hint, kind=MISSING)
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        tag, names = here[0]["discriminator"]["propertyName"], list(here[0]["discriminator"]["mapping"])
        if kind == "union_tag_not_found":
            return Problem(file, f"{key}.{tag}", f"no {tag} in {key}", "one of: " + ", ".join(names))
        return Problem(file, f"{key}.{tag}", shown(item["ctx"]["tag"]), one_of(str(item["ctx"]["tag"]), names))
    if kind in ("value_error", "assertion_error"):
        return Problem(file, key, shown(found), item["msg"].removeprefix("Value error, "))
    if item["loc"][-1] == "[key]":
        said: Node = next((node["propertyNames"] for node in beside if "propertyNames" in node), {})
        return Problem(file, key, f"the name {plain(path[-1])}", _text({"pattern": item["ctx"].get("pattern"), **said}))
    names = [str(name) for node in here for name in _choices(node)]
    if names and isinstance(found, str) and all(map(_choices, here)):
        return Problem(file, key, shown(found), one_of(found, names))
    return Problem(file, key, shown(found), allowed or item["msg"].removeprefix("Input should be "))


def phrases(nodes: list[Node], schema: Node) -> Iterator[str]:
    """Yield what each of some schema nodes allows: ``a whole number from 0 to 9``."""
    for node in nodes:
        node, kind = _resolved(node, schema), _resolved(node, schema).get("type")
        if "anyOf" in node:
            yield from phrases(node["anyOf"], schema)
        elif "discriminator" in node:
            yield f"a table with {node['discriminator']['propertyName']} = " + _quoted(node["discriminator"]["mapping"])
        elif _choices(node):
            yield _quoted(_choices(node))
        elif kind in ("integer", "number"):
            yield ("a whole number" if kind == "integer" else "a number") + _span(node, "imum", "from {} to {}")
        elif kind == "boolean":
            yield "true or false"
        elif kind == "string":
            yield _text(node)
        elif kind == "array":
            inner = " or ".join(phrases([node["items"]], schema)) if "items" in node else ""
            yield "a list" + _span(node, "Items", "of {} to {}") + (f", each {inner}" if inner else "")
        elif kind == "object":
            known = list(node.get("properties", {}))
            yield "a table" + (" with " + ", ".join(known) if known else _span(node, "Properties", "of {} to {}"))


def _span(node: Node, what: str, both: str) -> str:
    low, high = node.get(f"min{what}"), node.get(f"max{what}")
    if low is not None and high is not None:
        return f" of {low}" if low == high else " " + both.format(low, high)
    return f" of at least {low}" if low is not None else f" of at most {high}" if high is not None else ""


def _text(node: Node) -> str:
    if node.get("pattern") is None:
        return "a text in quotes" + (f" of at most {node['maxLength']} letters" if "maxLength" in node else "")
    return str(node.get("description", f"a name that matches {node['pattern']}"))


def _quoted(names: Any) -> str:
    return " or ".join(shown(name) for name in names)


def _choices(node: Node) -> list[Any]:
    return node.get("enum", [node["const"]] if "const" in node else [])


def _keys(nodes: list[Node]) -> list[str]:
    return [*dict.fromkeys(key for node in nodes for key in node.get("properties", {})), "source", "note"]


def _names(values: Any, path: list[str]) -> list[str]:
    for key in path:
        values = values.get(key) if isinstance(values, dict) else None
    return list(values) if isinstance(values, dict) else []


def _place(loc: tuple[int | str, ...], schema: Node) -> tuple[list[str], list[Node], list[Node]]:
    """Return the path in the file of a pydantic location, and the nodes of its table and of itself.

    A location also names, after each place where several kinds are allowed, the kind that was
    tried; the file does not.
    """
    path: list[str] = []
    beside: list[Node] = []
    here, label_follows = [schema], False
    for part in loc:
        if part == "[key]":
            break
        kinds = here[0].get("discriminator", {}).get("mapping", {}) if here else {}
        if part in kinds:
            here = [_resolved({"$ref": kinds[part]}, schema)]
        elif label_follows:
            label_follows = False
        else:
            path.append(str(part))
            beside = here
            here = [kind for node in here for child in _children(node, part) for kind in _open(child, schema)]
            label_follows = len(here) > 1
    return path, beside, here


def _children(node: Node, part: int | str) -> list[Node]:
    """Return the nodes of a table's entry or a list's item."""
    if isinstance(part, int):
        return [node["items"]] if "items" in node else []
    if part in node.get("properties", {}):
        return [node["properties"][part]]
    rest = node.get("additionalProperties")
    return [*node.get("patternProperties", {}).values(), *([rest] if isinstance(rest, dict) else [])]


def _open(node: Node, schema: Node) -> list[Node]:
    """Return the kinds of value that a node allows, but for null, which rule files do not have."""
    node = _resolved(node, schema)
    kinds = [kind for option in node.get("anyOf", ()) for kind in _open(option, schema)] or [node]
    return [kind for kind in kinds if kind.get("type") != "null"]


def _resolved(node: Node, schema: Node) -> Node:
    while "$ref" in node:
        node = schema["$defs"][node["$ref"].rpartition("/")[2]]
    return node
