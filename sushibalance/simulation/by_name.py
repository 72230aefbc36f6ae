"""Policies in words: a shipped one by its name and parameters, a user's own by where its functions stand.

Functions do not travel between machines, their names do. Beside each name goes a key of its code, so that a policy
that has been edited is known for another one.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from sushibalance.games.game import Engine, Policy, PolicyError

VECTOR = "vector"
HOUSE = __name__.partition(".")[0]


def described(policy: Policy, game: Engine) -> dict[str, Any]:
    """Return a policy as JSON: name, parameters, whether it is shipped, and each function of one that is not."""
    same = game.policies.get(policy.name)
    shipped = same is not None and same.decisions == policy.decisions and same.vector is policy.vector
    words = {
        "name": policy.name,
        "parameters": {key: float(value) for key, value in policy.parameters.items()},
        "shipped": shipped,
    }
    if not shipped:
        words["functions"] = {part: [_place(part, one, game), code_key(one)] for part, one in _functions(policy)}
    return words


def check(policy: Policy, game: Engine) -> None:
    """Refuse a policy of which another process could not find a function.

    Raises
    ------
    PolicyError
        Naming the function and where it stands.
    """
    for part, (place, key) in described(policy, game).get("functions", {}).items():
        module, colon, name = place.partition(":")
        there = _at(sys.modules.get(module), name)
        head = f'policy "{policy.name}": {part}: found {place}'
        if colon and (module == "__main__" or there is None):
            raise PolicyError(
                f"{head}, which no other process can find; allowed: a function at the top of a module that workers can "
                "import"
            )
        if colon and code_key(there) != key:
            raise PolicyError(f"{head} as it was before it was edited; allowed: the policy made anew from the module")


def found(words: Mapping[str, Any], game: Engine, where: str) -> Policy:
    """Return the policy that another process has `described`.

    Raises
    ------
    PolicyError
        When a function is not there, or its code is another.
    """
    if words["shipped"]:
        return game.policies[words["name"]].with_parameters(**words["parameters"])
    functions: dict[str, Any] = {}
    for part, (place, key) in words["functions"].items():
        head = f'policy "{words["name"]}": {part}: {where}'
        module, colon, name = place.partition(":")
        if not colon:
            home = game.policies[place]
            functions[part] = home.vector if part == VECTOR else home.decisions[part]
            continue
        try:
            functions[part] = _at(import_module(module), name)
        except ImportError as error:
            raise PolicyError(
                f"{head} cannot import {module} ({error}); allowed: a module that every worker has "
                f'(Dask: client.upload_file("{module}.py"))'
            ) from None
        if functions[part] is None or code_key(functions[part]) != key:
            raise PolicyError(f"{head} has another {place} than the machine that asks; allowed: the same file")
    vector = functions.pop(VECTOR, None)
    anything = dict.fromkeys(words["parameters"], (-sys.float_info.max, sys.float_info.max))  # checked where it is from
    return Policy(words["name"], functions, words["parameters"], vector=vector, limits=anything)


def _functions(policy: Policy) -> Iterator[tuple[str, Callable[..., Any]]]:
    yield from policy.decisions.items()
    if policy.vector is not None:
        yield VECTOR, policy.vector


def _place(part: str, function: Callable[..., Any], game: Engine) -> str:
    """Return the shipped policy that has the function as the same part, or ``module:name``."""
    for name, policy in game.policies.items():
        if function is (policy.vector if part == VECTOR else policy.decisions.get(part)):
            return name
    python = getattr(function, "py_func", function)
    return f"{getattr(python, '__module__', '?')}:{getattr(python, '__qualname__', '?')}"


def _at(home: object, name: str) -> Any:
    for step in name.split("."):
        home = getattr(home, step, None)
    return home


def code_key(function: Callable[..., Any]) -> str:
    """Return a short hash of a function's code and of all that it calls or reads, as far as it is the user's own.

    What comes with this package has its version instead; of modules that are read through their names
    (``import mine``; ``mine.weight``) the file counts.
    """
    digest = hashlib.sha256()
    seen: set[int] = set()

    def add(value: Any) -> None:
        value = getattr(value, "py_func", value)
        if id(value) in seen:
            return
        if isinstance(value, FunctionType):
            seen.add(id(value))
            digest.update(value.__qualname__.encode())
            if (value.__module__ or "").partition(".")[0] == HOUSE:
                return
            add(value.__code__)
            add(value.__defaults__)
            for cell in value.__closure__ or ():
                add(cell.cell_contents)
            for name in sorted(_names(value.__code__) & value.__globals__.keys()):
                digest.update(name.encode())
                add(value.__globals__[name])
        elif isinstance(value, CodeType):
            digest.update(repr((value.co_code, value.co_names, value.co_varnames, value.co_exceptiontable)).encode())
            for constant in value.co_consts:
                add(constant)
        elif isinstance(value, ModuleType):
            seen.add(id(value))
            file = getattr(value, "__file__", None)
            digest.update(Path(file).read_bytes() if file and file.endswith(".py") else value.__name__.encode())
        elif isinstance(value, tuple | list):
            digest.update(f"{type(value).__name__} {len(value)}".encode())
            for item in value:
                add(item)
        elif isinstance(value, set | frozenset):
            digest.update(repr(sorted(map(repr, value))).encode())
        elif isinstance(value, np.ndarray):
            digest.update(f"{value.dtype} {value.shape}".encode() + value.tobytes())
        else:
            digest.update(f"{type(value).__name__} {value!r}".encode())

    add(function)
    return digest.hexdigest()[:16]


def _names(code: CodeType) -> set[str]:
    """Return the names that code, and code inside it, looks up."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*map(_names, inner))
