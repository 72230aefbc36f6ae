"""How runs get to disk: part by part while they are played, or whole.

Whatever stops a program (Ctrl-C, a kill, a full disk), the parts that are listed are whole: a file appears under its
name when all of it is on disk, and a part is listed when all its files are there. The same call takes up where the
list ends. While a run is being written, its folder is locked.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from sushibalance.rules.document import leaves
from sushibalance.rules.problems import shown
from sushibalance.rules.reading import plain_text
from sushibalance.simulation.request import Request
from sushibalance.simulation.run import Run, RunError
from sushibalance.simulation.storage import (
    FILE,
    FORMAT,
    JOURNAL,
    LOCK,
    MANIFEST,
    MAX_MANIFEST,
    Encoded,
    Entry,
    StoredRun,
    encode,
    place,
    read_journal,
    read_manifest,
)


class Folder:
    """A run's folder, to which parts are added in order.

    Attributes
    ----------
    path : Path
        Where it is.
    games : int
        Games that are asked for.
    entries : list of Entry
        The parts that are whole.
    planned : int
        Games that the run in the folder was to have; 0 where there is none.
    """

    def __init__(self, path: Path, request: Request, games: int):
        self.path, self.request, self.games = path, request, games
        self.tables = set(request.new_rows(1))
        self.entries: list[Entry] = []
        self.length = self.planned = 0
        self.manifest = manifest(request, games)

    @property
    def done(self) -> int:
        """Games that are whole."""
        return sum(entry.games for entry in self.entries)

    @property
    def start(self) -> int:
        """The game to go on with. A last part that was short and is no longer the last one is played again."""
        if self.entries and self.done < self.games and self.entries[-1].games < self.request.part_games:
            return self.entries[-1].first
        return self.done

    def run(self) -> StoredRun:
        """Return the run as far as it is whole."""
        request = self.request
        return StoredRun(
            request.rules, request.policies, request.seed, self.path, self.entries, self.manifest, request.intervention
        )

    # ------------------------------------------------------------------ what is there

    def look(self) -> bool:
        """Take over what the folder holds of this request; return whether it holds a run at all.

        Raises
        ------
        RunError
            When it is the run of another request, or has more games.
        """
        if not (self.path / MANIFEST).exists():
            return False
        found = read_manifest(self.path)
        if wrong := differences(found, self.manifest):
            raise RunError(
                f"{self.path}: found another run than the one asked for: {'; '.join(wrong)}; allowed: the same "
                "request, or a new or empty folder"
            )
        self.planned = found["games"]
        self.entries, self.length = read_journal(
            self.path, self.tables, self.request.part_games, max(self.games, self.planned)
        )
        if self.done > self.games:
            raise RunError(
                f"{self.path}: found {self.done:,} games of this run, asked {self.games:,}; allowed: no fewer than are "
                "there, which are kept, or a new or empty folder"
            )
        for place_, entry in enumerate(self.entries):
            if entry.fault(self.path):
                del self.entries[place_:]
                self.length = -1
                break
        return True

    def tidy(self) -> None:
        """Write the manifest as asked, list the parts that are whole and nothing else, remove what belongs to none."""
        write(self.path / MANIFEST, text(self.manifest))
        journal = self.path / JOURNAL
        if self.length < 0:
            write(journal, lines(self.entries))
            self.length = journal.stat().st_size
        with journal.open("ab") as file:
            file.truncate(self.length)
        for name in self.tables:
            (self.path / name).mkdir(exist_ok=True)
            known = {entry.path(self.path, name) for entry in self.entries}
            for path in (self.path / name).iterdir():
                if path not in known:
                    path.unlink()

    def add(self, part: Encoded) -> None:
        """Write the next part and list it.

        Raises
        ------
        RunError
            When it cannot be written; the parts before it are whole.
        """
        entry, journal = part.entry, self.path / JOURNAL
        short = self.entries.pop() if self.entries and self.entries[-1].first == entry.first else None
        try:
            for name, content in part.contents.items():
                write(entry.path(self.path, name), content)
            if short:
                write(journal, lines([*self.entries, entry]))
            else:
                _append(journal, lines([entry]), self.length)
        except OSError as error:
            raise RunError(
                f"{self.path}: cannot be written ({error.strerror or error}); {self.done:,} of {self.games:,} games "
                "are whole, and the same call goes on from there"
            ) from None
        self.entries.append(entry)
        self.length = journal.stat().st_size
        if short:
            for name in self.tables:
                short.path(self.path, name).unlink()

    def clear(self) -> None:
        """Remove a run of which no part is whole."""
        for name in self.tables:
            shutil.rmtree(self.path / name, ignore_errors=True)
        for name in (JOURNAL, MANIFEST):
            (self.path / name).unlink(missing_ok=True)


@contextmanager
def writing(out: str | Path, request: Request, games: int) -> Iterator[Folder]:
    """Yield the folder of a run, locked, with the parts of it that are there already.

    Raises
    ------
    RunError
        When it cannot be written, holds anything else than parts of this run, or is being written by another program.
    """
    path = place(out)
    refuse(path)
    folder = Folder(path, request, games)
    with ExitStack() as stack:
        try:
            complete = folder.look() and folder.done == folder.planned == games
        except OSError as error:
            raise RunError(f"{path}: cannot be written ({error.strerror or error})") from None
        if complete:
            yield folder
            return
        try:
            if not path.exists():
                path.mkdir(parents=True)
                stack.callback(_remove_empty, path)
            stack.enter_context(_locked(path))
            folder.look()
            folder.tidy()
        except OSError as error:
            raise RunError(f"{path}: cannot be written ({error.strerror or error})") from None
        try:
            yield folder
        finally:
            if not folder.entries:
                folder.clear()


def _remove_empty(path: Path) -> None:
    with suppress(OSError):
        path.rmdir()


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock of a run's folder, which the system takes back whatever becomes of this program."""
    lock = FileLock(path / LOCK, blocking=False)
    try:
        lock.acquire()
    except Timeout:
        raise RunError(f"{path}: another program is writing this run just now; allowed when it has ended") from None
    try:
        yield
    finally:
        with suppress(OSError):  # not where an open file cannot be removed
            (path / LOCK).unlink()
        lock.release()


def manifest(request: Request, games: int) -> dict[str, Any]:
    """Return the content of ``run.json`` for a request."""
    return {"format": FORMAT, "games": games, "part": request.part_games, **request.described()}


def text(words: Mapping[str, Any]) -> bytes:
    """Return a manifest as a file has it.

    Raises
    ------
    RunError
        When it is too long.
    """
    content = (json.dumps(words, indent=1) + "\n").encode()
    if len(content) > MAX_MANIFEST:
        raise RunError(f"{MANIFEST}: found {len(content):,} bytes of rules and parameters, allowed {MAX_MANIFEST:,}")
    return content


def write(path: Path, content: bytes) -> None:
    """Write a file that appears under its name when all of it is on disk."""
    new = path.with_name(path.name + ".new")
    try:
        with new.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise


def lines(entries: Iterable[Entry]) -> bytes:
    """Return parts as the list has them."""
    return "".join(entry.line() for entry in entries).encode()


def _append(path: Path, content: bytes, length: int) -> None:
    """Add to a file that is so long, or leave it as it is."""
    try:
        with path.open("ab") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        os.truncate(path, length)
        raise


# ---------------------------------------------------------------------- another run?


def differences(found: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """Return in words what a stored run has otherwise than the one that is asked for, whatever the number of games."""
    wrong = []
    if found["fingerprint"] != asked["fingerprint"]:
        wrong.append(_rules_differ(found["rules"], asked["rules"]))
    if found["policies"] != asked["policies"]:
        wrong.append(_policies_differ(found["policies"], asked["policies"]))
    if found["seed"] != asked["seed"]:
        wrong.append(f"seed: found {_short(found['seed'])}, asked {asked['seed']}")
    if found.get("intervention") != asked.get("intervention"):
        forced = (_short(words.get("intervention")) for words in (found, asked))
        wrong.append("intervention: found {}, asked {}".format(*forced))
    if type(found["games"]) is not int:
        wrong.append(f"games: found {_short(found['games'])}, asked {asked['games']}")
    versions = found["versions"] if isinstance(found["versions"], dict) else {}
    for name, here in asked["versions"].items():
        there = versions.get(name)
        if there != here and name == "engine":
            wrong.append("the code of the game: found other code than this version has")
        elif there != here:
            wrong.append(f"version of {name}: found {_short(there)}, here {here}")
    if found["part"] != asked["part"]:
        wrong.append(f"part: found {_short(found['part'])} games, here {asked['part']}")
    return wrong


def _rules_differ(found: Any, asked: Mapping[str, Any]) -> str:
    try:
        there, here = dict(leaves(found["values"])), dict(leaves(asked["values"]))
        name = found["name"]
    except (TypeError, KeyError, AttributeError, RecursionError):
        return "rules: found what is none"
    if found.get("game") != asked["game"]:
        return f"game: found {_short(found.get('game'))}, asked {asked['game']}"
    keys = [key for key in {**there, **here} if there.get(key) != here.get(key)]
    said = [f"{key}: found {_short(there.get(key))}, asked {_short(here.get(key))}" for key in keys[:3]]
    said += [f"{len(keys) - 3} more"] if len(keys) > 3 else []
    return f"rules: found {_short(name)}, asked {_short(asked['name'])}" + (f" ({', '.join(said)})" if said else "")


def _policies_differ(found: Any, asked: list[dict[str, Any]]) -> str:
    if not isinstance(found, list) or len(found) != len(asked):
        return f"players: found {len(found) if isinstance(found, list) else 'none'}, asked {len(asked)}"
    seat = next(seat for seat in range(len(asked)) if found[seat] != asked[seat])
    there, here = found[seat] if isinstance(found[seat], dict) else {}, asked[seat]
    head = f"policy of seat {seat}"
    if there.get("name") != here["name"]:
        return f"{head}: found {_short(there.get('name'))}, asked {_short(here['name'])}"
    if there.get("parameters") != here["parameters"]:
        return f"{head}: found other parameters of {_short(here['name'])}: {_short(there.get('parameters'))}"
    return f"{head}: found other code of {_short(here['name'])}"


def _short(value: object) -> str:
    return plain_text("nothing" if value is None else shown(value))


# ---------------------------------------------------------------------- a whole run at once


def save(run: Run, folder: str | Path) -> Path:
    """Write a run; see `Run.save`."""
    folder = place(folder)
    if run.first:
        last = run.first + run.n - 1
        raise RunError(f"found games {run.first:,} to {last:,} of a run; allowed: the whole run, run.save(folder)")
    refuse(folder)
    try:
        target = folder.resolve()
        if isinstance(run, StoredRun) and run.folder.resolve() == target:
            return folder
        target.parent.mkdir(parents=True, exist_ok=True)
        workshop = Path(tempfile.mkdtemp(prefix=f".{target.name[:50]}-", dir=target.parent))
        try:
            _write(run, workshop / "new")
            with _locked(target) if (target / LOCK).exists() else nullcontext():
                _put_in_place(workshop, target)
        finally:
            shutil.rmtree(workshop, ignore_errors=True)
    except OSError as error:
        raise RunError(f"{folder}: cannot be written ({error.strerror or error})") from None
    return folder


def _write(run: Run, folder: Path) -> None:
    request = Request(run.rules, run.engine, run.policies, run.seed, run.intervention)
    words = run.manifest if isinstance(run, StoredRun) else manifest(request, run.n)
    folder.mkdir()
    for name in run.rows:
        (folder / name).mkdir()
    write(folder / MANIFEST, text(words))
    with (folder / JOURNAL).open("wb") as journal:
        for games in run.parts():
            for start in range(0, games.n, words["part"]):
                part = encode(games.cut(start, min(start + words["part"], games.n)))
                for name, content in part.contents.items():
                    write(part.entry.path(folder, name), content)
                journal.write(lines([part.entry]))
        journal.flush()
        os.fsync(journal.fileno())


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


def refuse(folder: Path) -> None:
    """Refuse a place that holds anything but a stored run, or that the shell stands in.

    Raises
    ------
    RunError
        When something else is there, or nobody can see what.
    """
    try:
        if folder.resolve() == Path.cwd():
            raise RunError(f"{folder}: found the folder you are in; allowed: a folder of its own for the run")
        if not os.path.lexists(folder):
            return
        for _ in range(5):  # another program may be putting its run in place just now
            wrong, allowed = _foreign(folder)
            if not wrong:
                return
            time.sleep(0.02)
    except FileNotFoundError:  # another program has just moved it away
        return
    except (OSError, RuntimeError) as error:  # of a circle of links
        raise RunError(f"{folder}: cannot be looked into ({getattr(error, 'strerror', error)})") from None
    raise RunError(f"{folder}: found something that is not a stored run ({wrong}); allowed: {allowed}")


def _foreign(folder: Path) -> tuple[str, str]:
    """Return what a folder holds that no stored run has, or nothing; and what is allowed."""
    new = "a new or empty folder"
    if not folder.is_dir():
        return "not a folder", new
    names = {path.name for path in folder.iterdir()}
    if names <= {LOCK, f"{MANIFEST}.new"}:  # empty, or stopped before it was a run
        return "", ""
    if MANIFEST not in names:
        return f"no {MANIFEST} beside {plain_text(min(names))}", new
    try:
        read_manifest(folder)
    except RunError as error:
        return str(error).removeprefix(f"{folder}{os.sep}"), new
    beside = f"{new}, or this one when that is moved away"
    for name in sorted(names - {MANIFEST, f"{MANIFEST}.new", JOURNAL, f"{JOURNAL}.new", LOCK}):
        if not (folder / name).is_dir():
            return plain_text(name), beside
        for path in (folder / name).iterdir():
            if not FILE.fullmatch(path.name):
                return plain_text(f"{name}{os.sep}{path.name}"), beside
            if path.is_dir():
                return f"{name}{os.sep}{path.name}: a folder", beside
    return "", ""
