"""Run a notebook in the Python that is running now, whatever kernels are installed."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import nbformat
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from nbformat import NotebookNode

from sushibalance.errors import UserError, nearest

T = TypeVar("T")
PARAMETERS = "parameters"
START_SECONDS = 180


class NotebookError(UserError):
    """A notebook that cannot be read, or that stopped with an error."""


class RunningPython(KernelSpecManager):
    """The one kernel: ``sys.executable``, without looking for installed kernels."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        """Return the kernel of the running Python, whatever the name."""
        argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=argv, display_name="Python", language="python")


class _Client(NotebookClient):
    """Pass on what cells write to stderr (progress, warnings) instead of keeping it in the page."""

    relay: Callable[[str], None] = staticmethod(lambda text: None)
    folder: str = ""

    def create_kernel_manager(self) -> AsyncKernelManager:
        """Return the manager of a kernel that touches nothing outside ``folder``."""
        self.km = AsyncKernelManager(
            kernel_name="python",
            kernel_spec_manager=RunningPython(),
            connection_file=str(Path(self.folder) / "kernel.json"),
            transport="ipc" if os.name == "posix" and len(self.folder) < 80 else "tcp",  # a socket's path is short
        )
        return self.km

    def output(self, outs: list[NotebookNode], msg: dict[str, Any], display_id: str, cell_index: int) -> Any:
        if msg["msg_type"] == "stream" and msg["content"].get("name") == "stderr":
            self.relay(msg["content"]["text"])
            return None
        return super().output(outs, msg, display_id, cell_index)


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run ``work`` to its end, also from inside a notebook; whatever stops it, kernels are ended first."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        try:
            return asyncio.run(work)
        except asyncio.CancelledError:  # what Ctrl-C in a group of tasks may come out as
            raise KeyboardInterrupt from None
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def read(path: Path) -> NotebookNode:
    """Return the notebook of a file.

    Raises
    ------
    NotebookError
        When it is missing, unreadable, or no notebook.
    """
    try:
        return nbformat.read(path, as_version=4)
    except OSError as error:
        raise NotebookError(f"{path}: cannot be read ({error.strerror or error})") from None
    except Exception as error:  # nbformat raises what its parsers raise
        raise NotebookError(f"{path}: not a notebook ({type(error).__name__})") from None


def inject(notebook: NotebookNode, values: dict[str, Any]) -> None:
    """Put a cell with ``values`` after the cell tagged ``parameters``.

    Raises
    ------
    NotebookError
        When no cell has the tag, or it does not set a value of that name.
    """
    tagged = [cell for cell in notebook.cells if PARAMETERS in cell.metadata.get("tags", [])]
    if not tagged:
        raise NotebookError(f'the notebook has no cell tagged "{PARAMETERS}"')
    known = re.findall(r"^(\w+)\s*=", tagged[0].source, re.MULTILINE)
    for name in values:
        if name not in known:
            near = nearest(name, known)
            meant = f"did you mean {near}? " if near else ""
            raise NotebookError(f'the notebook has no parameter "{name}"; {meant}Known: {", ".join(known)}')
    source = "\n".join(f"{name} = {value!r}" for name, value in values.items())
    cell = nbformat.v4.new_code_cell(source, id="injected-parameters")
    notebook.cells.insert(notebook.cells.index(tagged[0]) + 1, cell)


async def execute(notebook: NotebookNode, *, label: str, say: Callable[[str], None]) -> None:
    """Run all cells in place.

    Parameters
    ----------
    notebook : NotebookNode
        The notebook; its outputs are replaced.
    label : str
        What error messages call it.
    say : callable
        Gets progress: what cells write to stderr, and each heading as its cells start.

    Raises
    ------
    NotebookError
        With the section and the error of the cell that stopped.
    """
    sections = _sections(notebook)
    said: set[str] = set()

    def started(cell: NotebookNode, cell_index: int) -> None:
        section = sections[cell_index]
        if cell.cell_type == "code" and section not in said:
            said.add(section)
            say(f"{section}\n")

    with tempfile.TemporaryDirectory(prefix="sushibalance-report-") as folder:
        client = _Client(
            notebook,
            timeout=None,
            startup_timeout=START_SECONDS,
            resources={"metadata": {"path": os.getcwd()}},
            on_cell_start=started,
            store_widget_state=False,
            record_timing=False,
            shutdown_kernel="immediate",
        )
        client.relay, client.folder = say, folder
        # A home that is read-only, or settings of its own, must not change the report.
        own = {"IPYTHONDIR": folder, "PYTHONUNBUFFERED": "1"}
        try:
            await client.async_execute(env={**os.environ, **own})
        except Exception as error:
            if getattr(client, "_async_cleanup_kernel_future", None) is not None:  # nbclient caught Ctrl-C
                raise KeyboardInterrupt from None
            raise _told(error, notebook, sections, label) from None


def _told(error: Exception, notebook: NotebookNode, sections: list[str], label: str) -> Exception:
    """Return the error that tells what went wrong while a notebook ran."""
    if isinstance(error, CellExecutionError):
        return NotebookError(f"{label} stopped in {_where(notebook, sections)}: {_reason(error)}")
    if isinstance(error, DeadKernelError):
        return NotebookError(f"{label} stopped: Python ended unexpectedly, perhaps for want of memory; try fewer games")
    if isinstance(error, RuntimeError | TimeoutError):
        return NotebookError(f"{label}: the notebook's Python did not start ({error})")
    return error


def _sections(notebook: NotebookNode) -> list[str]:
    """Return the heading above each cell."""
    result, section = [], "the start"
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            headings = re.findall(r"^#{1,6}\s+(.+)$", cell.source, re.MULTILINE)
            section = headings[-1].strip() if headings else section
        result.append(section)
    return result


def _where(notebook: NotebookNode, sections: list[str]) -> str:
    for cell, section in zip(notebook.cells, sections, strict=True):
        if cell.cell_type == "code" and any(output.output_type == "error" for output in cell.get("outputs", [])):
            return f'"{section}"'
    return "the notebook"


def _reason(error: CellExecutionError) -> str:
    text = re.sub(r"\x1b\[[0-9;]*m", "", error.evalue or "").strip()
    return f"{error.ename}: {text}" if text else str(error.ename)
