"""A frame in a CSV file of the user's."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EACCES
from pathlib import Path
from typing import TYPE_CHECKING

from sushibalance.errors import UserError

if TYPE_CHECKING:
    import pandas as pd


class Sheet:
    """A CSV file that is there whole or not at all; a link stays a link, and a pipe or a terminal is written to.

    Parameters
    ----------
    path : Path
        Tried at once, before any game is played.

    Raises
    ------
    UserError
        When its folder is not there, it is a folder itself, or nothing can be written there.
    """

    def __init__(self, path: Path):
        self.path = path
        if path.is_dir() or not path.parent.is_dir():
            what = "a folder" if path.is_dir() else f"no folder {path.parent}"
            raise UserError(f"--csv: found {what}, allowed a file in a folder that is there")
        self.target = Path(os.path.realpath(path))
        self.stream = _is_output(path) or (path.exists() and not path.is_file())
        with self._told():
            if path.exists() and not os.access(path, os.W_OK):
                raise PermissionError(EACCES, os.strerror(EACCES))
            if not self.stream:
                tempfile.NamedTemporaryFile(dir=self.target.parent, prefix=f".{self.target.name}.").close()

    def write(self, frame: pd.DataFrame) -> None:
        """Write the frame.

        Raises
        ------
        UserError
            When it cannot be written; what was there before is as it was.
        """
        with self._told():
            if _is_output(self.path):
                frame.to_csv(sys.stdout, index=False)
            elif self.stream:
                with self.path.open("w", encoding="utf-8", newline="") as pipe:
                    frame.to_csv(pipe, index=False)
            else:
                self._replace(frame)

    def _replace(self, frame: pd.DataFrame) -> None:
        with tempfile.NamedTemporaryFile(
            "w", dir=self.target.parent, prefix=f".{self.target.name}.", delete=False, encoding="utf-8", newline=""
        ) as draft:
            try:
                frame.to_csv(draft, index=False)
                draft.close()
                os.chmod(draft.name, 0o666 & ~_mask())
                os.replace(draft.name, self.target)
            except BaseException:
                with suppress(OSError):
                    os.unlink(draft.name)
                raise

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            raise UserError(
                f"--csv: {self.path} cannot be written: {error.strerror or error}; allowed a file in a folder that "
                "can be written to"
            ) from None


def _is_output(path: Path) -> bool:
    """Return whether a path is where the program prints, such as ``/dev/stdout``."""
    with suppress(OSError, ValueError, AttributeError):
        return os.path.samestat(path.stat(), os.fstat(sys.stdout.fileno()))
    return False


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
