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
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
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
from sushibalance.rules.document import is_name
from sushibalance.rules.problems import shown
from sushibalance.rules.reading import plain_text
from sushibalance.simulation.memory import shortage
from sushibalance.simulation.run import Run, RunError, package_version

MANIFEST = "run.json"
FORMAT = 1
MAX_MANIFEST = 8_000_000
KEYS = {"format", "sushibalance", "numpy", "rules", "fingerprint", "policies", "seed", "games", "files"}


def check_target(folder: str | Path) -> str:
    """Refuse a folder that `save` could not write, or must not replace; return what it would replace, in words.

    Raises
    ------
    RunError
        When something that is not a stored run is there, or nothing can be written there.
    """
    folder = place(folder)
    _refuse(folder)
    try:
        target = folder.resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        os.rmdir(_workshop(target))
        if not target.exists():
            target.mkdir()  # a name too long, for one, shows only now
            target.rmdir()
    except OSError as error:
        raise RunError(f"{folder}: cannot be written ({error.strerror or error})") from None
    return _found(folder)


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


def _workshop(target: Path) -> Path:
    """Return a new folder beside the target, to be filled and moved."""
    return Path(tempfile.mkdtemp(prefix=f".{target.name[:50]}-", dir=target.parent))


def _found(folder: Path) -> str:
    """Return what a stored run is, in words; nothing when none is there."""
    if not _written(folder):
        return ""
    with suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
        manifest = json.loads((folder / MANIFEST).read_bytes())
        parts = (manifest["games"], manifest["rules"]["name"], manifest["seed"])
        return "the run of {} games of {}, seed {}".format(*(plain_text(str(part)) for part in parts))
    return "a stored run"


def _refuse(folder: Path) -> None:
    """Refuse a place that holds anything but a stored run, or that the shell stands in."""
    try:
        if folder.resolve() == Path.cwd():
            raise RunError(f"{folder}: found the folder you are in; allowed: a folder of its own for the run")
        if not os.path.lexists(folder):
            return
        for _ in range(5):  # another program may be putting its run in place just now
            names = {path.name for path in folder.iterdir()} if folder.is_dir() else {folder.name}
            if names <= _written(folder):
                return
            time.sleep(0.02)
    except FileNotFoundError:  # another program has just moved it away
        return
    except (OSError, RuntimeError) as error:  # of a circle of links
        raise RunError(f"{folder}: cannot be looked into ({getattr(error, 'strerror', error)})") from None
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


def save(run: Run, folder: str | Path) -> Path:
    """Write a run; see `Run.save`."""
    folder = place(folder)
    _refuse(folder)
    try:
        target = folder.resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        workshop = _workshop(target)
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
        with (folder / f"{name}.parquet").open("wb") as file:  # pyarrow opens no path that is not UTF-8
            pq.write_table(pa.table(columns), file, compression="zstd")
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
                "parameters": {key: float(value) for key, value in policy.parameters.items()},
                "shipped": policy.name in shipped and policy.decisions == shipped[policy.name].decisions,
            }
            for policy in run.policies
        ],
        "seed": run.seed,
        "games": run.n,
        "files": files,
    }
    text = json.dumps(manifest, indent=1) + "\n"
    if len(text) > MAX_MANIFEST:
        raise RunError(f"{MANIFEST}: found {len(text):,} bytes of rules and parameters, allowed {MAX_MANIFEST:,}")
    (folder / MANIFEST).write_text(text, encoding="utf-8")


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


def load(source: str | Path) -> Run:
    """Return a stored run; see `Run.load`."""
    source = place(source)
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
    allowed = game.allowed(rules, len(policies))
    rows = {
        name: _table(source / f"{name}.parquet", files[name], one, games, allowed.get(name, {}))
        for name, one in expected.items()
    }
    return Run(rules, policies, seed, rows)


def _manifest(source: Path) -> dict[str, Any]:
    path = source / MANIFEST
    if path.stat().st_size > MAX_MANIFEST or not path.is_file():
        raise RunError(f"{path}: not a file of at most {MAX_MANIFEST:,} bytes")
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        json.dumps(manifest, ensure_ascii=False).encode()  # text that cannot be shown: half of a surrogate pair
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


def _table(
    path: Path, checksum: object, one: np.ndarray, games: int, allowed: Mapping[str, Sequence[int]]
) -> np.ndarray:
    """Return the rows in a file, which must be just those that are expected, with values that are allowed."""
    if not path.stat() or not path.is_file():  # stat tells when it is missing
        raise RunError(f"{path}: not a file")
    if _checksum(path) != checksum:
        raise RunError(f"{path}: damaged, or of another run (its checksum differs)")
    shape = (games, *one.shape[1:])
    flat_shape = math.prod(shape)
    schema = pa.schema([(key, pa.from_numpy_dtype(one.dtype[key])) for key in one.dtype.names or ()])
    with path.open("rb") as opened, pq.ParquetFile(opened) as file:
        if file.metadata.num_rows != flat_shape or not file.schema_arrow.equals(schema):
            raise RunError(f"{path}: other rows or columns than those of {games:,} games")
        flat = np.zeros(flat_shape, one.dtype)
        for key in schema.names:
            column = file.read(columns=[key]).column(0)
            if len(column) != flat_shape or column.null_count:
                raise RunError(f"{path}: other rows or columns than those of {games:,} games")
            flat[key] = column.to_numpy()
            if key in allowed:
                _check(path, key, flat[key], allowed[key])
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


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
