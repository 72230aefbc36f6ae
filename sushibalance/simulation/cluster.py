"""Dask: its client as one more executor. Needs the extra ``sushibalance[cluster]``."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from sushibalance.simulation.arms import Played
from sushibalance.simulation.executors import Crew, Span, work
from sushibalance.simulation.request import SimulationError
from sushibalance.simulation.run import Run

REPORT_SECONDS = 0.5
CONNECT_SECONDS = 20


class DaskCrew(Crew):
    """The workers of a Dask cluster; they may die, and join late."""

    def __init__(self, client: Any, workers: int | None):
        from distributed import Client

        if not isinstance(client, Client) or client.asynchronous:
            raise SimulationError(f"executor: found {type(client).__name__} of Dask, allowed a client that waits")
        if workers is not None:
            raise SimulationError(f"workers: found {workers} beside a cluster, allowed one without the other")
        self.client = client
        self.executor = client.get_executor(pure=False)
        self.topic = f"sushibalance-{uuid4().hex}"
        self.played: dict[str, int] = {}
        self.names: WeakKeyDictionary[Future[Any], str] = WeakKeyDictionary()
        client.subscribe_topic(self.topic, self._hear)

    def sent(self, request: Played) -> str:
        """Return the text of the request."""
        return request.parcel()

    def width(self) -> int:
        """Return the number of threads that the workers have together, at least 1: one may still come."""
        # The tasks themselves tell that the scheduler is gone; a client that looks for it has none to ask.
        with suppress(OSError, AttributeError):
            return max(sum(self.client.nthreads().values()), 1)
        return 1

    def submit(self, *task: Any) -> Future[Any]:
        """Send a task; Dask sends it again when its worker dies."""
        name = uuid4().hex
        future = self.executor.submit(on_worker, self.topic, name, *task)
        self.names[future] = name
        return future

    def _hear(self, event: tuple[float, Any]) -> None:
        name, games = event[1]
        self.played[name] = games

    def underway(self, tasks: Iterable[Future[Any]]) -> int:
        """Return how many games of unfinished tasks have been played."""
        return sum(self.played.get(self.names[task], 0) for task in tasks)

    def close(self) -> None:
        """Give up what has been sent and not come back."""
        if self.client.status == "running":
            self.client.unsubscribe_topic(self.topic)
            self.executor.shutdown(wait=False)


def on_worker(topic: str, name: str, sent: str, spans: Sequence[Span], finish: Callable[[Run], Any]) -> Any:
    """Do a task (see `work`) on a worker of Dask, which tells now and then how far it is."""
    from distributed import get_worker

    worker, last = get_worker(), time.monotonic()

    def report(games: int) -> None:
        nonlocal last
        if time.monotonic() - last > REPORT_SECONDS:
            last = time.monotonic()
            worker.log_event(topic, [name, games])

    return work(sent, spans, finish, report)


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Yield a Dask client of the scheduler at an address, ``tcp://host:port``.

    Raises
    ------
    SimulationError
        When Dask is not installed or no scheduler answers.
    """
    try:
        from distributed import Client
        from distributed.comm import get_address_host_port
        from distributed.comm.registry import get_backend
    except ImportError:
        raise SimulationError(
            'a cluster needs Dask, which is not installed: pip install "sushibalance[cluster]"'
        ) from None
    try:
        scheme, _, place = address.partition("://")  # a client of no address takes 40 seconds to close
        get_backend(scheme if place else "")
        if scheme != "inproc":
            get_address_host_port(address, strict=True)
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise SimulationError(
            f"cluster: no scheduler answers at {address} ({type(error).__name__}), allowed the address that dask "
            "scheduler prints, tcp://host:port"
        ) from None
    with client:
        yield client
