"""Records in compiled code do not keep their array: nobody takes an element of an array where it was made."""

import ast
from pathlib import Path

import sushibalance

PACKAGE = Path(sushibalance.__file__).parent


def allocators(tree):
    """Return the names that a module gives to what `records` returns."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            targets = node.targets[0].elts if isinstance(node.targets[0], ast.Tuple) else node.targets
            for target, value in zip(targets, values, strict=False):
                if isinstance(value, ast.Call) and getattr(value.func, "id", "") == "records":
                    names.add(target.id)
    return names


def elements_taken_where_made(tree, names):
    """Return the lines on which a function takes an element of an array of records that it made itself."""
    found = []
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        made = set()
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call | ast.Tuple):
                values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
                targets = node.targets[0].elts if isinstance(node.targets[0], ast.Tuple) else node.targets
                for target, value in zip(targets, values, strict=False):
                    if isinstance(value, ast.Call) and getattr(value.func, "id", "") in names:
                        made.add(target.id)
        for node in ast.walk(function):
            if isinstance(node, ast.Subscript):
                inner = node.value
                if isinstance(inner, ast.Call) and getattr(inner.func, "id", "") in names:
                    found.append(node.lineno)
                if isinstance(inner, ast.Name) and inner.id in made:
                    found.append(node.lineno)
    return found


def test_no_element_outlives_its_array():
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in (PACKAGE / "games").rglob("*.py")}
    names = set().union(*(allocators(tree) for tree in trees.values()))
    assert names, "no module makes records"
    faults = [f"{path}:{line}" for path, tree in trees.items() for line in elements_taken_where_made(tree, names)]
    assert not faults, faults


def test_the_check_sees_both_ways():
    tree = ast.parse("def f():\n    a = new(1)\n    b = new(1)[0]\n    return g(a), a[0]\n")
    assert elements_taken_where_made(tree, {"new"}) == [3, 4]
