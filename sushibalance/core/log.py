"""The event log: what the engine did, for `trace`.

Fields of structured arrays must not be named like an attribute of ``ndarray`` (``data``, ``size``,
``flat``), or plain Python, with the jit off, finds that attribute instead.

A log is a structured array of ``EVENT``. Element 0 is its head: ``kind`` counts the events
written so far. An empty array is a log that is switched off, which costs the engine one
comparison an event; `None` instead costs nothing, because nothing is compiled for it. Events
beyond the array's length are counted, not stored.
"""

import numpy as np

from sushibalance.core.jit import lean

WIDTH = 8
EVENT = np.dtype([("kind", np.int64), ("seat", np.int64), ("args", np.int64, (WIDTH,))], align=True)


def new_log(capacity: int) -> np.recarray:
    """Return a log for ``capacity`` events (0 switches it off)."""
    return np.zeros(capacity + 1 if capacity else 0, EVENT).view(np.recarray)


@lean
def note(log, kind, seat, a=0, b=0, c=0, d=0, e=0, f=0, g=0, h=0):
    """Append an event of ``kind`` at ``seat`` (-1: the table) with up to eight integers."""
    if log is None:
        return
    if log.shape[0] == 0:
        return
    at = log[0].kind + 1
    log[0].kind = at
    if at >= log.shape[0]:
        return
    log[at].kind = kind
    log[at].seat = seat
    args = log[at].args
    args[0], args[1], args[2], args[3] = a, b, c, d
    args[4], args[5], args[6], args[7] = e, f, g, h
