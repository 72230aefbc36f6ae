"""A decision function that a user wrote: compiled, or what is wrong with it in words."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sushibalance.rules.problems import nearest
from sushibalance.rules.reading import plain_text

ARGUMENTS = "(rules, table, own, seat, params, rng, choice)"
# What numba says, and what it means to a designer.
KNOWN = (
    (r"No conversion from (.+?) to none\b", r"found the result \1, allowed: return nothing, write into choice"),
    (
        r"Only accept returning of array passed into the function",
        "found a new array, or a slice, in a function with lean or inlined above it, allowed: kernel above it",
    ),
    (
        r">>> (zeros|ones|empty|full)\((.*Function\(<class 'int'>\).*)\)",
        r"found \1(\2), allowed: a dtype of numpy, as np.zeros(n, np.int64)",
    ),
    (
        r">>> (?:static_)?getitem\((Tuple\(.+\)), \w+\)",
        r"found \1, a tuple of different types, with a place that is computed, allowed: a constant as the place, or "
        "values of one type (1.0 and 2.5, not 1 and 2.5)",
    ),
    (
        r"Pseudo-exception to force literal|Cannot request literal type",
        "found an argument for literally that is computed, allowed: a constant where the function is called",
    ),
    (
        r"Untyped global name '(\w+)'.*\s.*<class 'function'>",
        r"found \1, a function without a decorator, allowed: @kernel above it (from sushibalance.core.jit)",
    ),
    (
        r"Untyped global name '(\w+)'.*\s.*<class '(.+)'>",
        r"found \1 (\2), allowed: numbers, tuples, arrays of numpy, functions with @kernel above them",
    ),
    (
        r"No implementation of function .+ found for signature:\s+>>> (.+)",
        r"found \1, which numba does not know, allowed: numbers, loops, if, arrays of numpy",
    ),
)
PLAIN = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def fault(function: Callable[..., Any]) -> str:
    """Compile a decision function, once, and return what is wrong with it: nothing, or found and allowed."""
    from sushibalance.core.jit import ready  # numba; rules and errors do without

    python = getattr(function, "py_func", function)
    signature = inspect.signature(python)
    if len(signature.parameters) != ARGUMENTS.count(",") + 1 or any(
        parameter.kind not in PLAIN for parameter in signature.parameters.values()
    ):
        return f"found {python.__name__}{signature}, allowed the arguments {ARGUMENTS}"
    if inspect.isgeneratorfunction(python) or inspect.iscoroutinefunction(python):
        return f"found {python.__name__} with yield or async, allowed a plain function that writes into choice"
    names = list(signature.parameters)
    if written := _written(python, set(names[:3])):
        return f"found {python.__name__}, which writes into {written}; allowed: write into {names[6]} alone"
    try:
        ready(function)
    except MemoryError:
        raise
    except Exception as error:  # numba raises what its passes raise
        return f"{python.__name__} cannot be compiled: {_reason(error, function)}"
    return ""


def _written(python: Callable[..., Any], names: set[str]) -> str:
    """Return what a function writes into of what it may only read, as far as its own text tells."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(python)))
    except (OSError, TypeError, SyntaxError):  # no text is kept of what is typed at a prompt
        return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            root: ast.expr = node
            while isinstance(root, ast.Attribute | ast.Subscript):
                root = root.value
            if isinstance(root, ast.Name) and root.id in names:
                return ast.unparse(node)
    return ""


def _reason(error: Exception, function: Any) -> str:
    """Return what the compiler says, without its own affairs."""
    if isinstance(error, KeyError):  # of the fields of a record
        records = function.decision_signature.args[:3]
        near = nearest(error.args[0], [name for record in records for name in record.fields])
        if near == error.args[0]:
            has = next(
                name for name, record in zip(("rules", "table", "own"), records, strict=True) if near in record.fields
            )
            return f"found the field {near} where there is none, allowed {has}.{near}"
        return f"found the field {error.args[0]}, which neither rules nor table nor own has" + (
            f"; did you mean {near}?" if near else ""
        )
    text = str(error)
    found = next((words for words in (_known(text, *pair) for pair in KNOWN) if words), "") or _said(error, text)
    return plain_text(found, 300) + _where(text)


def _known(text: str, pattern: str, words: str) -> str:
    """Return what is wrong in a designer's words, where the compiler says it in its own; else nothing."""
    met = re.search(pattern, text)
    return _types(met.expand(words)) if met else ""


def _said(error: Exception, text: str) -> str:
    """Return the beginning of what the compiler says."""
    said = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("Failed in nopython")]
    until = next((place for place, line in enumerate(said) if re.match(r"During: |File \"|There (are|is) \d", line)), 2)
    words = " ".join(said[: min(max(until, 1), 2)]) or f"the compiler stopped with {type(error).__name__}"
    return _types(re.sub(r" for '\$\S+', defined at \S+", "", words))  # a name that numba made up


def _types(words: str) -> str:
    """Return words with the compiler's names of types as plain as they can be."""
    words = re.sub(r"Literal\[\w+\]\((.*?)\)", r"\1", words)
    return re.sub(r"Function\(<\S+ '?(\w+)'?>\)", r"\1", words).replace("Vector(", "array(")


def _where(text: str) -> str:
    """Return the function and the line that the compiler stopped at, as ``" (in helper, mine.py, line 7)"``."""
    places = list(re.finditer(r'^File "(.+)", line (\d+):\n(?:def (\w+))?', text, re.M))
    callee = re.search(r"Dispatcher\(<function (\S+) at ", text)
    if not places:
        return f" (in {callee[1]})" if callee else ""
    first = places[0]
    at = f"{Path(first[1]).name}, line {first[2]}"
    if callee and callee.start() < first.start():
        return f" (in {callee[1]}, called at {at})"
    return f" (in {first[3]}, {at})" if first[3] else f" ({at})"
