"""Rule files as nested tables: reading, the chain of ``extends``, merging, provenance.

A document knows nothing of any game. It holds the values of a rule set, where each value comes
from, and which file said it last. The games' models check what the values mean.

Reserved keys. In any table: ``source`` (one of `SOURCES`, or a table from key to source with
``"*"`` for the rest) and ``note`` (a sentence shown beside the values); both hold for the values that
the file itself sets in this table and the tables inside it. At the top of a file: ``game``, ``name``,
``description``, ``extends``, ``remove``.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from sushibalance.rules.problems import KEY, MAX_PROBLEMS, Problem, RulesError, nearest, one_of, plain, shown
from sushibalance.rules.reading import MAX_DEPTH, check_values, plain_text, read_toml

SOURCES = ("rulebook", "example", "public", "assumed", "variant")
RESERVED = ("source", "note")
HEADER = ("game", "name", "description", "extends", "remove")
MAX_CHAIN = 8
MAX_NAME = 100
MAX_TEXT = 2000
NAME_ALLOWED = f"a short text in quotes, at most {MAX_NAME} letters"
TEXT_ALLOWED = f"a text in quotes, at most {MAX_TEXT} letters"


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
        By dotted path of a value: where it comes from, what the file that set it remarks, that file (or the one that
        removed it).
    """

    game: str
    name: str
    description: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)

    def file_of(self, path: str) -> str:
        """Return the file that set or removed the value at ``path``, or its nearest neighbour."""
        if path in self.files:
            return self.files[path]
        inside = [name for key, name in self.files.items() if key.startswith(path + ".")]
        if inside:
            return inside[-1]
        parent = path.rpartition(".")[0]
        return self.file_of(parent) if parent else self.name

    def set_after(self, path: str) -> list[str]:
        """Return the paths beside a value, in the same table or inside it, that another file set or removed later."""
        paths, table = list(self.files), path.rpartition(".")[0] + "."
        later = paths[paths.index(path) + 1 :] if path in self.files else []
        return [key for key in later if key.startswith(table) and self.files[key] != self.files[path]]

    @classmethod
    def stored(cls, parts: Any, label: str) -> Document:
        """Return the document that a saved run holds, checked as a rule file would be.

        Raises
        ------
        RulesError
            When the parts are not those of a document.
        """
        names = [item.name for item in fields(cls)]
        if not isinstance(parts, dict) or set(parts) != set(names):
            raise RulesError([Problem(label, "rules", shown(parts), "a table with " + ", ".join(names))])
        check_values(parts["values"], label)
        document = cls(**parts)
        if not (is_name(document.game) and is_name(document.name) and _is_text(document.description)):
            raise RulesError([Problem(label, "rules", "other names", NAME_ALLOWED)])
        for name in ("values", "sources", "notes", "files"):
            record = getattr(document, name)
            if not isinstance(record, dict) or (name != "values" and not all(map(_is_text, record.values()))):
                raise RulesError([Problem(label, f"rules.{name}", shown(record), "a table of texts")])
        if set(document.sources) != {key for key, _ in leaves(document.values)}:
            raise RulesError([Problem(label, "rules.sources", "other paths", "the paths of the values")])
        wrong = [source for source in document.sources.values() if source not in SOURCES]
        if wrong:
            raise RulesError([Problem(label, "rules.sources", shown(wrong[0]), one_of(wrong[0], SOURCES))])
        return document


def leaves(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (dotted path, value) of every value that is not itself a table."""
    for key, value in table.items():
        path = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from leaves(value, path + ".")
        else:
            yield path, value


def load_documents(path: Path, find: Callable[[str, Path], Path]) -> list[Document]:
    """Return the documents that a rule file is made of, the complete rule set first.

    Each holds what the files up to it say; the last one is the rule file's own.

    Parameters
    ----------
    path : Path
        The rule file.
    find : callable
        ``find(name, folder)`` returns the file meant by ``extends = name`` in a file of ``folder``.
    """
    chain: list[tuple[Path, dict[str, Any]]] = []
    while True:
        try:
            tables = read_toml(path)
        except RulesError as error:
            if not chain:
                raise
            child, its = chain[-1]
            found = Problem(str(child), "extends", shown(its["extends"]), "a rule set that can be read, but:")
            raise RulesError([found, *error.problems]) from None
        if any(path.samefile(seen) for seen, _ in chain):
            circle = " -> ".join(seen.name for seen, _ in [*chain, (path, tables)])
            raise RulesError([Problem(str(chain[-1][0]), "extends", circle, "no circle of files")])
        if len(chain) == MAX_CHAIN:
            raise RulesError([Problem(str(path), "extends", f"more than {MAX_CHAIN} files", "a shorter chain")])
        chain.append((path, tables))
        _check_header(tables, path)
        if "extends" not in tables:
            break
        try:
            path = find(tables["extends"], path.parent)
        except RulesError as error:  # a name that no shipped rule set has
            raise RulesError([replace(found, file=str(path), key="extends") for found in error.problems]) from None
    documents: list[Document] = []
    for path, tables in reversed(chain):
        documents.append(_extended(documents[-1], tables, path) if documents else _base(tables, path))
    return documents


def varied(
    document: Document, changes: Mapping[str, Any], name: str | None = None, label: str | None = None
) -> Document:
    """Return a copy of ``document`` with the value at each dotted path replaced.

    ``None`` removes an entry; a table given for an entry replaces the whole entry or adds one. ``label`` is what
    errors call the changes.
    """
    if name is not None and not is_name(name):
        raise RulesError([Problem("vary", "name", shown(name), NAME_ALLOWED)])
    result = copy.deepcopy(document)
    result.name = name or f"{document.name}, varied"[:MAX_NAME]
    label = plain_text(label or f"vary({result.name})", MAX_TEXT)
    changes = {str(path): _as_toml(value) for path, value in changes.items()}
    for path, value in changes.items():
        check_values(value, label, path)
        for inner in (path, *(inner for inner, _ in leaves({path: value}))):
            word = next((key for key in inner.split(".") if key in RESERVED), None)
            if word:
                allowed = f"the key of a value: {word} is for rule files; a change made here has the source variant"
                raise RulesError([Problem(label, inner[:200], f"the word {word}", allowed)])
    said = ", ".join(f"no {path}" if value is None else f"{path} = {shown(value)}" for path, value in changes.items())
    result.description = f"{document.name} with {said if len(said) <= 200 else f'{len(changes)} changes'}."
    problems: list[Problem] = []
    for path, value in changes.items():
        try:
            table, last = _holder(result.values, path, label)
        except RulesError as error:
            problems += error.problems
            continue
        if value is None and last not in table:
            problems.append(Problem(label, path[:200], "nothing to remove", one_of(last, table)))
            continue
        _forget(result, path)
        if value is None:
            del table[last]
            result.files[path] = label
            continue
        table[last] = value
        for inner, _ in leaves({path: value}):
            result.sources[inner] = "variant"
            result.files[inner] = label
    if problems:
        raise RulesError(problems)
    return result


def _as_toml(value: Any, depth: int = 0) -> Any:
    """Return a value of Python or numpy as TOML would give it: lists, tables with text keys, plain numbers."""
    if depth > MAX_DEPTH + 1:
        return value
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _as_toml(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_as_toml(item, depth + 1) for item in value]
    return value


def _holder(values: dict[str, Any], path: str, label: str) -> tuple[dict[str, Any], str]:
    """Return the table in which the last key of a dotted path stands or may stand, and that key."""
    *parents, last = path.split(".")
    table: Any = values
    for depth, key in enumerate(parents):
        where = ".".join(parents[: depth + 1])[:80]
        if key not in table:
            raise RulesError([Problem(label, path[:200], f"no {where} in these rules", one_of(key, table))])
        table = table[key]
        if not isinstance(table, dict):
            raise RulesError([Problem(label, path[:200], f"{where} is a single value", "a path to a value")])
    return table, last


def is_name(value: object) -> bool:
    """Say whether a value can be the name of a rule set: a short, printable text."""
    return isinstance(value, str) and len(value.strip()) > 0 and len(value) <= MAX_NAME and value.isprintable()


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= MAX_TEXT


def _check_header(tables: dict[str, Any], path: Path) -> None:
    for key in ("game", "name", "extends"):
        if key in tables and not is_name(tables[key]):
            raise RulesError([Problem(str(path), key, shown(tables[key]), NAME_ALLOWED)])
    if not _is_text(tables.get("description", "")):
        raise RulesError([Problem(str(path), "description", shown(tables["description"]), TEXT_ALLOWED)])
    removed = tables.get("remove", [])
    if not isinstance(removed, list) or not all(isinstance(item, str) for item in removed):
        raise RulesError([Problem(str(path), "remove", shown(removed), "a list of dotted paths")])
    if "extends" not in tables:
        if "game" not in tables:
            allowed = 'game = "otter", "nightmares" or "sushi_go", or extends = "<rule set>"'
            near = next((key for key in tables if key not in HEADER and nearest(key, ("extends", "game"))), None)
            found = f"neither game nor extends{f', but {plain(near)}' if near else ''}"
            raise RulesError([Problem(str(path), "game", found, allowed)])
        if removed:
            raise RulesError([Problem(str(path), "remove", shown(removed), "only with extends")])


def _name_of(path: Path) -> str:
    """Return the name of rules whose file gives none: the file's own, as far as it can be shown."""
    name = plain_text(path.stem, MAX_NAME)
    return name if is_name(name) else "rules"


def _label(path: Path) -> str:
    """Return what a document calls a file, whatever bytes its name is made of: a text that can be stored."""
    return plain_text(str(path), MAX_TEXT)


def _base(tables: dict[str, Any], path: Path) -> Document:
    document = Document(tables["game"], tables.get("name", _name_of(path)), tables.get("description", ""))
    _merge(document, _body(tables), document.values, "", _label(path), source=None, note="")
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
    document.name = tables.get("name", _name_of(path))
    document.description = tables.get("description", "")
    known = [key for key, _ in leaves(document.values)]
    known += dict.fromkeys(key.rpartition(".")[0] for key in known)
    problems: list[Problem] = []
    for removed in tables.get("remove", []):
        try:
            table, last = _holder(document.values, removed, str(path))
            del table[last]
            _forget(document, removed)
            document.files[removed] = _label(path)
        except (RulesError, KeyError):
            near = nearest(removed, known)
            hint = f"; did you mean {near}?" if near else ""
            problems.append(Problem(str(path), "remove", shown(removed), "a path that is there" + hint))
        if len(problems) > MAX_PROBLEMS:
            break
    if problems:
        raise RulesError(problems)
    _merge(document, _body(tables), document.values, "", _label(path), source="variant", note="")
    return document


def _body(tables: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in tables.items() if key not in HEADER}


def _forget(document: Document, path: str) -> None:
    for record in (document.sources, document.files, document.notes):
        for key in [key for key in record if key == path or key.startswith(path + ".")]:
            del record[key]


def _merge(
    document: Document,
    table: dict[str, Any],
    into: dict[str, Any],
    prefix: str,
    file: str,
    source: str | None,
    note: str,
) -> None:
    """Merge one table of a file, at the dotted ``prefix``, over the document's.

    ``source`` and ``note`` are what the file says of the tables around it: they hold for the values that it sets.
    """
    own, given = _sources(table.get("source"), prefix, file, source, [key for key in table])
    if "note" in table:
        if not _is_text(table["note"]):
            raise RulesError([Problem(file, prefix + "note", shown(table["note"]), TEXT_ALLOWED)])
        note = table["note"]
    for key, value in table.items():
        if key in RESERVED:
            continue
        path = prefix + key
        if not KEY.fullmatch(key):
            allowed = "letters, digits and _ in a name, at most 60"
            raise RulesError([Problem(file, prefix + plain(key), f"the name {plain(key)}", allowed)])
        if isinstance(value, dict):
            if not isinstance(into.get(key), dict):
                if key in into:
                    _forget(document, path)
                into[key] = {}
            _merge(document, value, into[key], path + ".", file, given.get(key, own), note)
            if not value:
                document.files[path] = file
            continue
        if key in into:
            _forget(document, path)
        into[key] = value
        document.files[path] = file
        if note:
            document.notes[path] = note
        chosen = given.get(key, own)
        if chosen:
            document.sources[path] = chosen


def _sources(
    stated: object, prefix: str, file: str, inherited: str | None, keys: list[str]
) -> tuple[str | None, dict[str, str]]:
    """Return the source of a table's values and the exceptions by key."""
    if stated is None:
        return inherited, {}
    table: dict[str, Any] = stated if isinstance(stated, dict) else {"*": stated}
    for key, source in table.items():
        where = f"{prefix}source" + ("" if key == "*" else f".{key}")
        if source not in SOURCES:
            raise RulesError([Problem(file, where, shown(source), one_of(str(source), SOURCES))])
        if key != "*" and key not in keys:
            raise RulesError([Problem(file, where, shown(key), one_of(key, keys))])
    return table.get("*", inherited), {key: source for key, source in table.items() if key != "*"}
