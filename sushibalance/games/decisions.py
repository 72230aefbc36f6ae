"""A decision function that a user wrote: compiled, or what is wrong with it in words."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sushibalance.rules.problems import nearest
from sushibalance.rules.reading import plain_text

ARGUMENTS = "(rules, table, own, seat, params, rng, choice)"
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
    try:
        ready(function)
    except MemoryError:
        raise
    except Exception as error:  # numba raises what its passes raise
        return f"{python.__name__} cannot be compiled: {_reason(error, function)}"
    return ""


def _reason(error: Exception, function: Any) -> str:
    """Return what the compiler says, without its own affairs."""
    if isinstance(error, KeyError):  # of the fields of a record
        records = function.decision_signature.args[:3]
        near = nearest(error.args[0], [name for record in records for name in record.fields])
        return f"found the field {error.args[0]}, which neither rules nor table nor own has" + (
            f"; did you mean {near}?" if near else ""
        )
    text = str(error)
    said = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("Failed in nopython")]
    until = next((place for place, line in enumerate(said) if re.match(r"During: |File \"|There (are|is) \d", line)), 2)
    words = plain_text(" ".join(said[: min(max(until, 1), 2)]) or type(error).__name__, 300)
    words = re.sub(r" for '\$\S+', defined at \S+", "", words)  # a name that numba made up
    at = re.findall(r'File "(.+)", line (\d+)', text)
    return words + (f" ({Path(at[-1][0]).name}, line {at[-1][1]})" if at else "")
