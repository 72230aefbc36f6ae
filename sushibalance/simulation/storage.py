"""The format of a run on disk, and how it is read.

A folder holds ``run.json``, the request in words; ``parts.jsonl``, a line for each part that is whole; and for each
table a folder of Parquet files, one a part, named by their first and last game. Rows stand in the order of games, of
rounds and turns, of seats.

A stored run is data from outside: it is checked like a rule file, sizes before anything is allocated, and nothing in
it is ever executed.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sushibalance.errors import UserError
from sushibalance.games.game import Engine, Policy, PolicyError
from sushibalance.games.intervention import Intervention
from sushibalance.games.registry import engine, rules_model
from sushibalance.rules import Document, Rules, RulesError
from sushibalance.rules.document import is_name
from sushibalance.rules.problems import shown
from sushibalance.rules.reading import plain_text
from sushibalance.simulation.memory import shortage
from sushibalance.simulation.request import Request
from sushibalance.simulation.run import Run, RunError

MANIFEST, JOURNAL, LOCK = "run.json", "parts.jsonl", "run.lock"
FORMAT = 2
MAX_MANIFEST = 8_000_000
MAX_LINE = 4_000
MAX_SHOWN = 60  # bytes of a line that is told
KEYS = {"format", "games", "part", "rules", "fingerprint", "policies", "seed", "versions"}
AGAIN = "the same simulate(..., out=folder) plays a part again of which a file is missing"
FILE = re.compile(r"\d{10}-\d{10}\.parquet(\.new)?")


def no_file(path: Path) -> str:
    """Return what stands in the place of a file, or nothing."""
    return "" if path.is_file() else "a folder" if path.is_dir() else "no plain file"


@dataclass(frozen=True)
class Entry:
    """A whole part: which games, and the checksum and size of each table's file."""

    first: int
    games: int
    files: Mapping[str, tuple[str, int]]

    def path(self, folder: Path, table: str) -> Path:
        """Return the file of a table."""
        return folder / table / f"{self.first:010d}-{self.last:010d}.parquet"

    @property
    def last(self) -> int:
        """The last game."""
        return self.first + self.games - 1

    def fault(self, folder: Path) -> str:
        """Return which file is not there with its size, and what to do; nothing where all are."""
        return next(filter(None, (self.fault_of(folder, name) for name in self.files)), "")

    def fault_of(self, folder: Path, table: str) -> str:
        """Return the same of the file of a table."""
        path, size = self.path(folder, table), self.files[table][1]
        if not os.path.lexists(path):
            return f"{path}: missing; {AGAIN}"
        if other := no_file(path):
            games = f"games {self.first:,} to {self.last:,}"
            return f"{path}: found {other}, allowed the file of {games}; move it away: {AGAIN}"
        if (found := path.stat().st_size) != size:
            return f"{path}: damaged: found {found:,} bytes, allowed {size:,}; {AGAIN}"
        return ""

    def line(self) -> str:
        """Return the part as a line of the list."""
        return json.dumps({"first": self.first, "games": self.games, "files": self.files}) + "\n"


@dataclass(frozen=True)
class Encoded:
    """A part as it will stand on disk: its entry, and the content of each table's file."""

    entry: Entry
    contents: Mapping[str, bytes]


def encode(part: Run) -> Encoded:
    """Return the Parquet files of some games in memory; the same games give the same bytes."""
    contents = {}
    for name, rows in part.rows.items():
        flat = rows.reshape(-1)
        columns = {key: np.ascontiguousarray(flat[key]) for key in flat.dtype.names or ()}
        sink = pa.BufferOutputStream()
        pq.write_table(pa.table(columns), sink, compression="zstd")
        contents[name] = sink.getvalue().to_pybytes()
    files = {name: (hashlib.sha256(content).hexdigest(), len(content)) for name, content in contents.items()}
    return Encoded(Entry(part.first, part.n, files), contents)


# ---------------------------------------------------------------------- the run


class StoredRun(Run):
    """A run whose rows are on disk.

    Attributes
    ----------
    folder : Path
        Where they are.
    entries : tuple of Entry
        Its parts.
    manifest : dict
        The content of ``run.json``.
    """

    def __init__(
        self,
        rules: Rules,
        policies: Sequence[Policy],
        seed: int,
        folder: Path,
        entries: Sequence[Entry],
        manifest: Mapping[str, Any],
        intervention: Intervention | None = None,
    ):
        self.folder, self.entries, self.manifest = folder, tuple(entries), manifest
        super().__init__(rules, policies, seed, _Tables(self, self._whole), intervention=intervention)

    @property
    def n(self) -> int:
        """Number of games."""
        return sum(entry.games for entry in self.entries)

    @property
    def disk_bytes(self) -> int:
        """Size of its files, in bytes."""
        return sum(size for entry in self.entries for _, size in entry.files.values())

    def parts(self) -> Iterator[Run]:
        """Yield runs of some games each, in order; see `Run.parts`. A table is read, and checked, when it is asked for.

        So whoever counts a part reads it, on a thread of its own, and no more of it than the question needs.
        """
        for entry in self.entries:
            rows = _Tables(self, partial(self.table, entry))
            yield Run(self.rules, self.policies, self.seed, rows, entry.first, self.intervention)

    @cached_property
    def one_game(self) -> Mapping[str, np.ndarray]:
        """The rows that one game takes."""
        return self.engine.rows(self.rules, self.seats, 1)

    @cached_property
    def allowed(self) -> Mapping[str, Mapping[str, Sequence[int]]]:
        """The values that rows may hold."""
        return self.engine.allowed(self.rules, self.seats)

    def table(self, entry: Entry, name: str) -> np.ndarray:
        """Return the rows of a table in a part.

        Raises
        ------
        RunError
            When the file is damaged, or is not just these rows with values that are allowed.
        """
        path = entry.path(self.folder, name)
        one = self.one_game[name]
        if too_many := shortage({name: one}, entry.games):
            raise RunError(f"{path}: {too_many}")
        with told(self.folder):
            if wrong := entry.fault_of(self.folder, name):
                raise RunError(wrong)
            return _rows(path, entry.files[name][0], one, entry.games, self.allowed.get(name, {}))

    def _whole(self, name: str) -> np.ndarray:
        """Return the rows of a table in all parts."""
        one = self.one_game[name]
        if too_many := shortage({name: one}, self.n):
            raise RunError(f"{self.folder}: {name}: {too_many}; allowed in pieces: run.parts()")
        rows = np.zeros((self.n, *one.shape[1:]), one.dtype)  # also between fields
        for entry in self.entries:
            rows[entry.first : entry.first + entry.games] = self.table(entry, name)
        return rows


class _Tables(Mapping[str, np.ndarray]):
    """The tables of a stored run, or of a part of it, each read when it is first asked for."""

    def __init__(self, run: StoredRun, read: Callable[[str], np.ndarray]):
        self._run, self._read = run, read
        self._there: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._there:
            self._there[name] = self._read(name)
        return self._there[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._run.one_game)

    def __len__(self) -> int:
        return len(self._run.one_game)


# ---------------------------------------------------------------------- reading


def place(folder: object) -> Path:
    """Return the path of a run's folder.

    Raises
    ------
    RunError
        When it is no path.
    """
    if not isinstance(folder, str | Path) or "\0" in str(folder):
        raise RunError(f"folder of a run: found {plain_text(shown(folder))}, allowed the name or path of a folder")
    return Path(folder)


@contextmanager
def told(source: Path) -> Iterator[None]:
    """Tell what is wrong with a stored run as a `RunError`."""
    try:
        yield
    except RunError:
        raise
    except RulesError as error:
        raise RunError(f"{source}: the stored rules are not playable by this version\n{error}") from None
    except FileNotFoundError as error:
        missing = Path(error.filename or source).name
        raise RunError(f"{source}: no stored run here ({missing} is missing)") from None
    except (OSError, ValueError, pa.ArrowException) as error:
        raise RunError(f"{source}: cannot be read ({plain_text(str(error), 200)})") from None


def load(source: str | Path, unfinished: bool = False) -> StoredRun:
    """Return a stored run; see `Run.load`."""
    source = place(source)
    with told(source):
        return _load(source, unfinished)


def _load(source: Path, unfinished: bool) -> StoredRun:
    manifest = read_manifest(source)
    document = Document.stored(manifest["rules"], str(source / MANIFEST))
    rules = rules_model(document.game, str(source / MANIFEST)).from_document(document)
    _expect(source, "fingerprint", manifest["fingerprint"], rules.fingerprint == manifest["fingerprint"])
    game = engine(document.game)
    seed, games, part, stored = (manifest[key] for key in ("seed", "games", "part", "policies"))
    _expect(source, "seed", seed, type(seed) is int and 0 <= seed < 2**63)
    _expect(source, "games", games, type(games) is int and 0 < games < 2**33)
    _expect(source, "part", part, type(part) is int and 0 < part < 2**33)
    _expect(source, "policies", stored, isinstance(stored, list) and game.seats[0] <= len(stored) <= game.seats[1])
    policies = [_policy(source, game, entry) for entry in stored]
    entries, _ = read_journal(source, set(game.rows(rules, len(policies), 1)), part, games)
    for entry in entries:
        if wrong := entry.fault(source):
            raise RunError(wrong)
    done = sum(entry.games for entry in entries)
    if not done or (done < games and not unfinished):
        raise RunError(
            f"{source}: found {done:,} of {games:,} games; the same simulate(..., out=folder) plays the others"
            + (", and Run.load(folder, unfinished=True) takes those that are whole" if done else "")
        )
    forced = _intervention(source, Request(rules, game, tuple(policies), seed), manifest)
    return StoredRun(rules, policies, seed, source, entries, manifest, forced)


def read_manifest(source: Path) -> dict[str, Any]:
    """Return the content of ``run.json``, with its keys checked and nothing more."""
    path = source / MANIFEST
    size = path.stat().st_size  # tells when it is missing
    if size > MAX_MANIFEST or no_file(path):
        found = no_file(path) or f"{size:,} bytes"
        raise RunError(f"{path}: found {found}, allowed a file of at most {MAX_MANIFEST:,} bytes")
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        json.dumps(manifest, ensure_ascii=False).encode()  # text that cannot be shown: half of a surrogate pair
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path}: damaged ({type(error).__name__}: {str(error)[:100]})") from None
    if isinstance(manifest, dict) and manifest.get("format") == 1 and "fingerprint" in manifest:
        raise RunError(f"{path}: a run stored by an earlier version of sushibalance; play it again")
    keys = set(manifest) - {"intervention"} if isinstance(manifest, dict) else None
    if keys != KEYS or manifest["format"] != FORMAT:
        raise RunError(f"{path}: not the manifest of a run, or of another version of sushibalance")
    return manifest


def read_journal(source: Path, tables: set[str], part: int, games: int) -> tuple[list[Entry], int]:
    """Return the parts that are listed, without gap from game 0, and the length of the list in bytes.

    What a killed program left of a last line does not count.

    Raises
    ------
    RunError
        For a line that is none.
    """
    path = source / JOURNAL
    entries: list[Entry] = []
    if not os.path.lexists(path):
        return entries, 0
    if other := no_file(path):
        raise RunError(
            f"{path}: found {other}, allowed the list of the parts, a file; put it back, or move this away: the same "
            "simulate(..., out=folder) then plays all games again"
        )
    length = 0
    with path.open("rb") as file:
        for line in iter(lambda: file.readline(MAX_LINE), b""):
            if not line.endswith(b"\n") and len(line) < MAX_LINE:
                break
            entry = _entry(line, tables)
            wrong = _no_next(line, entry, entries, tables, part, games)
            if wrong or not entry:
                first = entries[-1].last + 1 if entries else 0
                raise RunError(
                    f"{path}: line {len(entries) + 1}: damaged: {wrong}; put the list right, or cut it off before this "
                    f"line: the same simulate(..., out=folder) then plays the games from {first:,} on again"
                )
            entries.append(entry)
            length += len(line)
    return entries, length


def _no_next(line: bytes, entry: Entry | None, before: Sequence[Entry], tables: set[str], part: int, games: int) -> str:
    """Return why a line is not that of the next part, as found and allowed; nothing where it is."""
    if not entry:
        found = plain_text(shown(line[:MAX_SHOWN].decode(errors="backslashreplace").rstrip("\n")))
        return f"found {found}, allowed a part of some games with the files of {', '.join(sorted(tables))}"
    found = f"found games {entry.first:,} to {entry.last:,}"
    if before and before[-1].games < part:
        return f"{found} after a part of fewer than {part:,}, allowed no more parts"
    first = before[-1].last + 1 if before else 0
    most = min(part, games - first)
    if entry.first == first and entry.games <= most:
        return ""
    if most <= 0:
        return f"{found}, allowed no more: the run has {games:,} games"
    return f"{found}, allowed games {first:,} to {first + most - 1:,}: each part once, in their order"


def _entry(line: bytes, tables: set[str]) -> Entry | None:
    """Return the part in a line, or None."""
    with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
        words = json.loads(line)
        files = {name: (str(checksum), size) for name, (checksum, size) in words["files"].items()}
        counts = (words["first"], words["games"], *(size for _, size in files.values()))
        if set(files) == tables and all(type(count) is int and 0 <= count < 2**40 for count in counts):
            return Entry(words["first"], words["games"], files) if words["games"] else None
    return None


def _expect(source: Path, key: str, found: object, good: bool) -> None:
    if not good:
        raise RunError(f"{source / MANIFEST}: {key}: found {str(found)[:80]}, which does not fit the rest")


def _intervention(source: Path, request: Request, manifest: Mapping[str, Any]) -> Intervention | None:
    """Return what was forced in a run."""
    if "intervention" not in manifest:
        return None
    try:
        return replace(request, intervention=Intervention.found(manifest["intervention"])).intervention
    except UserError as error:
        raise RunError(f"{source / MANIFEST}: {error}") from None


def _policy(source: Path, game: Engine, entry: Any) -> Policy:
    good = isinstance(entry, dict) and {"name", "parameters", "shipped"} <= set(entry)
    good = good and set(entry) <= {"name", "parameters", "shipped", "functions"}
    good = good and is_name(entry["name"])
    good = good and isinstance(entry["parameters"], dict)
    good = good and all(is_name(key) and _finite(value) for key, value in entry["parameters"].items())
    _expect(source, "policies", entry, good)
    name, parameters = entry["name"], {key: float(value) for key, value in entry["parameters"].items()}
    if entry["shipped"] is True and name in game.policies:
        with suppress(PolicyError):  # parameters of another version
            return game.policies[name].with_parameters(**parameters)
    return Policy(name, {}, parameters, "a policy whose code is not stored")


def _finite(value: object) -> bool:
    return type(value) in (int, float) and abs(value) <= sys.float_info.max  # type: ignore[arg-type]


def _rows(path: Path, checksum: str, one: np.ndarray, games: int, allowed: Mapping[str, Sequence[int]]) -> np.ndarray:
    """Return the rows in a file, which must be just those that are expected, with values that are allowed."""
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != checksum:
        raise RunError(f"{path}: damaged, or of another run: its checksum differs; remove it, and {AGAIN}")
    shape = (games, *one.shape[1:])
    flat_shape = math.prod(shape)
    schema = pa.schema([(key, pa.from_numpy_dtype(one.dtype[key])) for key in one.dtype.names or ()])
    with pq.ParquetFile(pa.BufferReader(content)) as parquet:
        if parquet.metadata.num_rows != flat_shape or not parquet.schema_arrow.equals(schema):
            raise RunError(f"{path}: other rows or columns than those of {games:,} games")
        flat = np.zeros(flat_shape, one.dtype)
        for key in schema.names:
            column = parquet.read(columns=[key], use_threads=False).column(0)  # whoever counts parts has threads
            if len(column) != flat_shape or column.null_count:
                raise RunError(f"{path}: other rows or columns than those of {games:,} games")
            values = column.to_numpy()
            if key in allowed:
                _check(path, key, values, allowed[key])
            flat[key] = values
    return flat.reshape(shape)


def _check(path: Path, column: str, values: np.ndarray, allowed: Sequence[int]) -> None:
    """Refuse values of any number of rows that are not among those allowed."""
    if not len(values):
        return
    wrong = [value for value in (int(values.min()), int(values.max())) if value not in allowed]
    if not wrong and not isinstance(allowed, range):
        wrong = values[~np.isin(values, allowed)][:1].tolist()
    if wrong:
        whole = isinstance(allowed, range) and len(allowed) > 1
        words = f"{allowed[0]:,} to {allowed[-1]:,}" if whole else ", ".join(map(str, allowed))
        raise RunError(f"{path}: {column}: found {wrong[0]:,}, allowed {words}")
