"""Rule files as nested tables: reading, the chain of ``extends``, merging, provenance.

A document knows nothing of any game. It holds the values of a rule set, where each value comes
from, and which file said it last. The games' models check what the values mean.

Reserved keys. In any table: ``source`` (one of `SOURCES`, or a table from key to source with
``"*"`` for the rest) and ``note`` (a sentence shown beside the values). At the top of a
file: ``game``, ``name``, ``description``, ``extends``, ``remove``.
"""

from __future__ import annotations

import copy
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sushibalance.rules.problems import Problem, RulesError, nearest, one_of, shown

SOURCES = ("rulebook", "example", "public", "assumed", "variant")
HEADER = ("game", "name", "description", "extends", "remove")
MAX_BYTES = 1_000_000
MAX_CHAIN = 8
MAX_DEPTH = 12
KEY = re.compile(r"[A-Za-z0-9_]{1,60}")


@dataclass
class Document:
    """The values of one rule set before they are checked.

    Attributes
    ----------
    game, name, description : str
        Which game; what this rule set is called; one sentence about it.
    values : dict
        Nested tables without reserved keys.
    sources, notes, files : dict of str to str
        By dotted path of a value (``notes``: of a table): where the value comes from, a remark,
        the file that set it.
    """

    game: str
    name: str
    description: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)

    def file_of(self, path: str) -> str:
        """Return the file that set the value at ``path``, or its nearest set neighbour."""
        if path in self.files:
            return self.files[path]
        inside = [name for key, name in self.files.items() if key.startswith(path + ".")]
        if inside:
            return inside[-1]
        parent = path.rpartition(".")[0]
        return self.file_of(parent) if parent else self.name


def leaves(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (dotted path, value) of every value that is not itself a table."""
    for key, value in table.items():
        path = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from leaves(value, path + ".")
        else:
            yield path, value


def read_toml(path: Path) -> dict[str, Any]:
    """Return the tables of one TOML file.

    Raises
    ------
    RulesError
        When the file is missing, unreadable, over 1 MB, not UTF-8 or not TOML.
    """
    label = str(path)
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise RulesError([Problem(label, "", "not a file", "a rule file (.toml)")])
        if size > MAX_BYTES:
            raise RulesError([Problem(label, "", f"{size:,} bytes", f"at most {MAX_BYTES:,} bytes")])
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RulesError([Problem(label, "", "no such file", "an existing rule file (.toml)")]) from None
    except OSError as error:
        raise RulesError([Problem(label, "", error.strerror or str(error), "a readable file")]) from None
    except UnicodeDecodeError:
        raise RulesError([Problem(label, "", "bytes that are not UTF-8", "UTF-8 text")]) from None
    except tomllib.TOMLDecodeError as error:
        raise RulesError([Problem(label, "", str(error), "TOML, see docs/rule-files.md")]) from None
    except RecursionError:
        raise RulesError([Problem(label, "", "tables nested too deep", f"at most {MAX_DEPTH}")]) from None


def load_document(path: Path, find: Callable[[str, Path], Path]) -> Document:
    """Return the document of a rule file, with the files that it extends merged below it.

    Parameters
    ----------
    path : Path
        The rule file.
    find : callable
        ``find(name, folder)`` returns the file meant by ``extends = name`` in a file of ``folder``.
    """
    chain: list[tuple[Path, dict[str, Any]]] = []
    while True:
        if any(path.resolve() == seen.resolve() for seen, _ in chain):
            raise RulesError([Problem(str(path), "extends", str(path), "no circle of files")])
        if len(chain) == MAX_CHAIN:
            raise RulesError([Problem(str(path), "extends", f"{MAX_CHAIN} files", "a shorter chain")])
        tables = read_toml(path)
        chain.append((path, tables))
        _check_header(tables, path)
        if "extends" not in tables:
            break
        path = find(tables["extends"], path.parent)
    document: Document | None = None
    for path, tables in reversed(chain):
        document = _base(tables, path) if document is None else _extended(document, tables, path)
    assert document is not None
    return document


def varied(document: Document, changes: Mapping[str, Any], name: str | None) -> Document:
    """Return a copy of ``document`` with the value at each dotted path replaced.

    ``None`` removes an entry; a table given for an entry replaces the whole entry or adds one.
    """
    result = copy.deepcopy(document)
    result.name = name or f"{document.name}, varied"
    label = f"vary({result.name})"
    problems = []
    for path, value in changes.items():
        keys = str(path).split(".")
        table: Any = result.values
        for depth, key in enumerate(keys[:-1]):
            if not isinstance(table, dict) or key not in table:
                known = list(table) if isinstance(table, dict) else []
                where = ".".join(keys[: depth + 1])
                problems.append(Problem(label, str(path), f"no {where} in these rules", one_of(key, known)))
                table = None
                break
            table = table[key]
        if table is None:
            continue
        if not isinstance(table, dict):
            where = ".".join(keys[:-1])
            problems.append(Problem(label, str(path), f"{where} is a single value", "a path to a value"))
            continue
        if value is None and keys[-1] not in table:
            problems.append(Problem(label, str(path), "nothing to remove", one_of(keys[-1], table)))
            continue
        _forget(result, str(path))
        if value is None:
            del table[keys[-1]]
            continue
        table[keys[-1]] = copy.deepcopy(dict(value)) if isinstance(value, Mapping) else _plain(value)
        for inner, _ in leaves({str(path): table[keys[-1]]}):
            result.sources[inner] = "variant"
            result.files[inner] = label
    if problems:
        raise RulesError(problems)
    return result


def _plain(value: Any) -> Any:
    """Return lists for tuples and Python numbers for numpy ones, as TOML would give them."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.item() if hasattr(value, "item") else value


def _check_header(tables: dict[str, Any], path: Path) -> None:
    for key in ("game", "name", "description", "extends"):
        if key in tables and not (isinstance(tables[key], str) and 0 < len(tables[key]) <= 2000):
            raise RulesError([Problem(str(path), key, shown(tables[key]), "a short text in quotes")])
    removed = tables.get("remove", [])
    if not isinstance(removed, list) or not all(isinstance(item, str) for item in removed):
        raise RulesError([Problem(str(path), "remove", shown(removed), "a list of dotted paths")])
    if "extends" not in tables and "game" not in tables:
        allowed = 'game = "otter", "nightmares" or "sushi_go", or extends = "<rule set>"'
        raise RulesError([Problem(str(path), "game", "neither game nor extends", allowed)])


def _base(tables: dict[str, Any], path: Path) -> Document:
    document = Document(tables["game"], tables.get("name", path.stem), tables.get("description", ""))
    _take(document, tables, str(path), default=None)
    missing = [key for key, _ in leaves(document.values) if key not in document.sources]
    if missing:
        found = ", ".join(missing[:5]) + (" ..." if len(missing) > 5 else "")
        allowed = "a source for every value: " + ", ".join(SOURCES)
        raise RulesError([Problem(str(path), "source", f"none for {found}", allowed)])
    return document


def _extended(base: Document, tables: dict[str, Any], path: Path) -> Document:
    if "game" in tables and tables["game"] != base.game:
        raise RulesError([Problem(str(path), "game", shown(tables["game"]), f'"{base.game}", as extended')])
    document = copy.deepcopy(base)
    document.name = tables.get("name", path.stem)
    document.description = tables.get("description", "")
    problems = []
    for removed in tables.get("remove", []):
        parent, _, last = removed.rpartition(".")
        table: Any = document.values
        for key in parent.split(".") if parent else ():
            table = table.get(key) if isinstance(table, dict) else None
        if not isinstance(table, dict) or last not in table:
            known = [key for key, _ in leaves(document.values)]
            known += sorted({key.rpartition(".")[0] for key in known})
            near = nearest(removed, known)
            hint = f"; did you mean {near}?" if near else ""
            problems.append(Problem(str(path), "remove", shown(removed), "a path that is there" + hint))
            continue
        del table[last]
        _forget(document, removed)
    if problems:
        raise RulesError(problems)
    _take(document, tables, str(path), default="variant")
    return document


def _forget(document: Document, path: str) -> None:
    for record in (document.sources, document.files, document.notes):
        for key in [key for key in record if key == path or key.startswith(path + ".")]:
            del record[key]


def _take(document: Document, tables: dict[str, Any], file: str, default: str | None) -> None:
    """Merge the tables of one file over ``document``."""
    body = {key: value for key, value in tables.items() if key not in HEADER}
    _merge(document, body, document.values, "", file, default)


def _merge(
    document: Document,
    table: dict[str, Any],
    into: dict[str, Any],
    prefix: str,
    file: str,
    source: str | None,
) -> None:
    if prefix.count(".") > MAX_DEPTH:
        raise RulesError([Problem(file, prefix[:80], "tables nested too deep", f"at most {MAX_DEPTH}")])
    own, given = _sources(table.get("source"), prefix, file, source, [key for key in table])
    if "note" in table:
        if not isinstance(table["note"], str):
            raise RulesError([Problem(file, prefix + "note", shown(table["note"]), "a sentence in quotes")])
        document.notes[prefix.rstrip(".")] = table["note"]
    for key, value in table.items():
        if key in ("source", "note"):
            continue
        path = prefix + key
        if not KEY.fullmatch(key):
            allowed = "letters, digits and _ in a name, at most 60"
            raise RulesError([Problem(file, path[:120], shown(key), allowed)])
        if isinstance(value, dict):
            if not isinstance(into.get(key), dict):
                _forget(document, path)
                into[key] = {}
            _merge(document, value, into[key], path + ".", file, given.get(key, own))
            if not value:
                document.files[path] = file
            continue
        _forget(document, path)
        into[key] = value
        document.files[path] = file
        chosen = given.get(key, own)
        if chosen:
            document.sources[path] = chosen


def _sources(
    stated: object, prefix: str, file: str, inherited: str | None, keys: list[str]
) -> tuple[str | None, dict[str, str]]:
    """Return the source of a table's values and the exceptions by key."""
    if stated is None:
        return inherited, {}
    table = stated if isinstance(stated, dict) else {"*": stated}
    for key, source in table.items():
        where = f"{prefix}source" + ("" if key == "*" else f".{key}")
        if source not in SOURCES:
            raise RulesError([Problem(file, where, shown(source), one_of(str(source), SOURCES))])
        if key != "*" and key not in keys:
            raise RulesError([Problem(file, where, shown(key), one_of(key, keys))])
    return table.get("*", inherited), {key: source for key, source in table.items() if key != "*"}
