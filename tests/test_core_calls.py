"""Decision functions get whole arrays, though they are passed as address and length; what they raise comes through."""

import numba
import numpy as np
import pytest

from sushibalance.core.calls import Vector, addresses, caller
from sushibalance.core.jit import decision, decision_signature, kernel, ready

RECORD = np.dtype([("points", np.int64, (3,)), ("turn", np.int64)], align=True)
SIGNATURE = decision_signature(RECORD, RECORD, RECORD)
decide = caller(SIGNATURE)


@decision(SIGNATURE)
def uses_arrays(rules, table, own, seat, params, rng, choice):
    choice[:] = -1
    choice[0] = len(params)
    choice[1] = int(params[1:].sum())
    choice[2] = int(params[-1])
    for value in params:
        choice[3] += int(value)
    rng[0] += np.uint64(1)
    choice[4] = table.points[seat] + own.turn + rules.points[2]
    choice[5] = choice.shape[0] + choice.itemsize + choice.strides[0]


@decision(SIGNATURE)
def raises(rules, table, own, seat, params, rng, choice):
    if params[0] > 0:
        raise ValueError("no such card")


@kernel
def ask(functions, at, records, seat, params, rng, choice):
    decide(functions[at], records[0], records[1], records[2], seat, params[seat], rng, choice)


@pytest.fixture
def asked():
    """Return ``asked(at, params) -> (choice, rng)``: what the function at a place answers seat 1."""
    functions = tuple(ready(function) for function in (uses_arrays, raises))
    records = np.zeros(3, RECORD).view(np.recarray)
    records[0].points[2], records[1].points[1], records[2].turn = 100, 10, 1

    def asked(at, params):
        rng, choice = np.array([41], np.uint64), np.zeros(6, np.int64)
        rows = np.array([[0.0] * len(params), params])
        ask(addresses(functions), at, records, 1, rows, rng, choice)
        return choice.tolist(), int(rng[0])

    return asked


def test_the_arrays_are_whole(asked):
    assert asked(0, [1.0, 2.0, 3.0, 4.0]) == ([4, 9, 4, 9, 111, 22], 42)


def test_what_a_decision_raises_reaches_the_caller(asked):
    with pytest.raises(ValueError, match="no such card"):
        asked(1, [1.0])
    assert asked(1, [0.0]) == ([0] * 6, 41)


def test_a_decision_can_be_called_from_python():
    records = np.zeros(3, RECORD).view(np.recarray)
    choice = np.zeros(6, np.int64)
    ready(uses_arrays)(*records, 0, np.array([1.0, 2.0]), np.zeros(1, np.uint64), choice)
    assert choice.tolist() == [2, 2, 2, 2, 0, 22]


def test_an_array_that_does_not_fit_is_refused():
    vector = Vector(numba.float64)
    context = numba.core.registry.cpu_target.typing_context
    fits = [numba.float64[::1], numba.float64[:], numba.float64[:, ::1], numba.int64[::1], numba.int64]
    assert [vector.can_convert_from(context, other) is not None for other in fits] == [True] + [False] * 4
    assert vector != Vector(numba.int64) and vector == Vector(numba.float64)
