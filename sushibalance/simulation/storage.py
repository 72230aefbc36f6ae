"""Runs on disk: one Parquet file a table, and ``run.json`` with all that is needed to play the run again.

A stored run is data from outside: it is checked like a rule file, sizes before anything is allocated, and
nothing in it is ever executed.
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import shutil
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sushibalance.games.game import Engine, Policy, PolicyError
from sushibalance.games.registry import engine, rules_model
from sushibalance.rules import Document, RulesError
from sushibalance.rules.reading import plain_text
from sushibalance.simulation.memory import shortage
from sushibalance.simulation.run import Run, RunError, package_version

MANIFEST = "run.json"
FORMAT = 1
MAX_MANIFEST = 8_000_000
MAX_PARAMETERS = 1000
KEYS = {"format", "sushibalance", "numpy", "rules", "fingerprint", "policies", "seed", "games", "files"}


def check_target(folder: Path) -> None:
    """Refuse a folder that `save` could not write, or must not replace.

    Raises
    ------
    RunError
        When something that is not a stored run is there, or nothing can be written there.
    """
    _refuse(folder)
    try:
        target = folder.resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        os.rmdir(tempfile.mkdtemp(prefix=f".{target.name[:100]}-", dir=target.parent))
    except OSError as error:
        raise RunError(f"{folder}: cannot be written ({error.strerror or error})") from None


def _refuse(folder: Path) -> None:
    """Refuse a place that holds anything but a stored run, or that the shell stands in."""
    with suppress(OSError):  # not there
        if folder.resolve() == Path.cwd():
            raise RunError(f"{folder}: found the folder you are in; allowed: a folder of its own for the run")
        if not os.path.lexists(folder):
            return
        for _ in range(5):  # another program may be putting its run in place just now
            names = {path.name for path in folder.iterdir()} if folder.is_dir() else {folder.name}
            if names <= _written(folder):
                return
            time.sleep(0.02)
        raise RunError(f"{folder}: found something that is not a stored run; allowed: a new or empty folder")


def _written(folder: Path) -> set[str]:
    """Return the names of the files that a stored run consists of; none when there is no run."""
    try:
        if (folder / MANIFEST).stat().st_size > MAX_MANIFEST:
            return set()
        manifest = json.loads((folder / MANIFEST).read_bytes())
        return {MANIFEST, *(f"{name}.parquet" for name in manifest["files"])} if "fingerprint" in manifest else set()
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return set()


def save(run: Run, folder: Path) -> Path:
    """Write a run; see `Run.save`."""
    _refuse(folder)
    try:
        target = folder.resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        workshop = Path(tempfile.mkdtemp(prefix=f".{target.name[:100]}-", dir=target.parent))
        try:
            _write(run, workshop / "new")
            _put_in_place(workshop, target)
        finally:
            shutil.rmtree(workshop, ignore_errors=True)
    except OSError as error:
        raise RunError(f"{folder}: cannot be written ({error.strerror or error})") from None
    return folder


def _write(run: Run, folder: Path) -> None:
    folder.mkdir()
    files = {}
    for name, rows in run.rows.items():
        flat = rows.reshape(-1)
        columns = {key: np.ascontiguousarray(flat[key]) for key in flat.dtype.names or ()}
        pq.write_table(pa.table(columns), folder / f"{name}.parquet", compression="zstd")
        files[name] = _checksum(folder / f"{name}.parquet")
    shipped = run.engine.policies
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "sushibalance": package_version(),
        "numpy": np.__version__,
        "rules": asdict(run.rules.document),
        "fingerprint": run.rules.fingerprint,
        "policies": [
            {
                "name": policy.name,
                "parameters": dict(policy.parameters),
                "shipped": policy.name in shipped and policy.decisions == shipped[policy.name].decisions,
            }
            for policy in run.policies
        ],
        "seed": run.seed,
        "games": run.n,
        "files": files,
    }
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


def _put_in_place(workshop: Path, target: Path) -> None:
    """Move the new folder to its name; a run that was there is moved back if that fails.

    Another process may do the same at the same time: the last one wins, and each leaves a whole run.
    """
    for attempt in range(100):
        old = workshop / f"old-{attempt}"
        try:
            with suppress(FileNotFoundError):
                os.rename(target, old)
            os.rename(workshop / "new", target)
            return
        except BaseException as error:
            overtaken = isinstance(error, OSError) and error.errno in (errno.EEXIST, errno.ENOTEMPTY)
            with suppress(OSError):  # nothing was moved away, or there is a new one
                os.rename(old, target)
            if not overtaken:
                raise
    raise OSError(f"other programs keep writing {target}")


def load(source: Path) -> Run:
    """Return a stored run; see `Run.load`."""
    try:
        return _load(source)
    except RunError:
        raise
    except RulesError as error:
        raise RunError(f"{source}: the stored rules are not playable by this version\n{error}") from None
    except FileNotFoundError as error:
        missing = Path(error.filename or source).name
        raise RunError(f"{source}: no stored run here ({missing} is missing)") from None
    except (OSError, ValueError, pa.ArrowException) as error:
        raise RunError(f"{source}: cannot be read ({plain_text(str(error), 200)})") from None


def _load(source: Path) -> Run:
    manifest = _manifest(source)
    document = Document.stored(manifest["rules"], str(source / MANIFEST))
    rules = rules_model(document.game, str(source / MANIFEST)).from_document(document)
    _expect(source, "fingerprint", manifest["fingerprint"], rules.fingerprint == manifest["fingerprint"])
    game = engine(document.game)
    seed, games, stored = manifest["seed"], manifest["games"], manifest["policies"]
    _expect(source, "seed", seed, type(seed) is int and 0 <= seed < 2**63)
    _expect(source, "games", games, type(games) is int and 0 < games < 2**40)
    _expect(source, "policies", stored, isinstance(stored, list) and game.seats[0] <= len(stored) <= game.seats[1])
    policies = [_policy(source, game, entry) for entry in stored]
    expected = game.rows(rules, len(policies), 1)
    files = manifest["files"]
    _expect(source, "files", files, isinstance(files, dict) and set(files) == set(expected))
    too_many = shortage(expected, games)
    if too_many:
        raise RunError(f"{source}: {too_many}")
    rows = {name: _table(source / f"{name}.parquet", files[name], one, games) for name, one in expected.items()}
    _expect(source, "endings", "another code", int(rows["games"]["ended_by"].max()) < len(game.endings))
    return Run(rules, policies, seed, rows)


def _manifest(source: Path) -> dict[str, Any]:
    path = source / MANIFEST
    if path.stat().st_size > MAX_MANIFEST or not path.is_file():
        raise RunError(f"{path}: not a file of at most {MAX_MANIFEST:,} bytes")
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path}: damaged ({type(error).__name__}: {str(error)[:100]})") from None
    if not isinstance(manifest, dict) or set(manifest) != KEYS or manifest["format"] != FORMAT:
        raise RunError(f"{path}: not the manifest of a run, or of another version of sushibalance")
    return manifest


def _expect(source: Path, key: str, found: object, good: bool) -> None:
    if not good:
        raise RunError(f"{source / MANIFEST}: {key}: found {str(found)[:80]}, which does not fit the rest")


def _policy(source: Path, game: Engine, entry: Any) -> Policy:
    good = isinstance(entry, dict) and set(entry) == {"name", "parameters", "shipped"}
    good = good and isinstance(entry["name"], str) and 0 < len(entry["name"]) <= 200
    good = good and isinstance(entry["parameters"], dict) and len(entry["parameters"]) <= MAX_PARAMETERS
    good = good and all(_finite(value) for value in entry["parameters"].values())
    _expect(source, "policies", entry, good)
    name, parameters = entry["name"], {key: float(value) for key, value in entry["parameters"].items()}
    if entry["shipped"] is True and name in game.policies:
        with suppress(PolicyError):  # parameters of another version
            return game.policies[name].with_parameters(**parameters)
    return Policy(name, {}, parameters, "a policy whose code is not stored")


def _finite(value: object) -> bool:
    return type(value) in (int, float) and abs(value) < 1e300 and math.isfinite(value)  # type: ignore[arg-type]


def _table(path: Path, checksum: object, one: np.ndarray, games: int) -> np.ndarray:
    """Return the rows in a file, which must be just those that are expected."""
    if not path.stat() or not path.is_file():  # stat tells when it is missing
        raise RunError(f"{path}: not a file")
    if _checksum(path) != checksum:
        raise RunError(f"{path}: damaged, or of another run (its checksum differs)")
    shape = (games, *one.shape[1:])
    flat_shape = math.prod(shape)
    schema = pa.schema([(key, pa.from_numpy_dtype(one.dtype[key])) for key in one.dtype.names or ()])
    with pq.ParquetFile(path) as file:
        if file.metadata.num_rows != flat_shape or not file.schema_arrow.equals(schema):
            raise RunError(f"{path}: other rows or columns than those of {games:,} games")
        flat = np.zeros(flat_shape, one.dtype)
        for key in schema.names:
            column = file.read(columns=[key]).column(0)
            if len(column) != flat_shape or column.null_count:
                raise RunError(f"{path}: other rows or columns than those of {games:,} games")
            flat[key] = column.to_numpy()
    return flat.reshape(shape)


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
