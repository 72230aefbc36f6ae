"""The hints change nothing but speed."""

import numpy as np
import pytest

from sushibalance.core.hints import at_least, copy, natural, unlikely
from sushibalance.core.jit import kernel

RECORD = np.dtype([("many", np.int64, (2, 3)), ("one", np.int64, (3,))], align=True)


@kernel
def naturals(numbers):
    return natural(numbers[0]), natural(numbers[1]) - 1


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int64])
def test_a_natural_number_stays_the_same_and_can_be_reckoned_with(dtype):
    assert naturals(np.array([100, 0], dtype)) == (100, -1)
    assert naturals.py_func(np.array([100, 0], dtype)) == (100, -1)


def test_the_largest_natural_number():
    assert naturals(np.array([2**32 - 1, 1])) == (2**32 - 1, 0)


@kernel
def at_least_each(numbers, least):
    count = 0
    for number in numbers:
        count += at_least(number, least)
    return count


@pytest.mark.parametrize("function", [at_least_each, at_least_each.py_func])
def test_natural_numbers_are_compared(function):
    numbers = np.array([0, 3, 4, 5, 2**40])
    assert [function(numbers, least) for least in (0, 4, 2**40, 2**40 + 1)] == [5, 3, 1, 0]


@kernel
def sorted_out(numbers):
    rare = 0
    for number in numbers:
        if unlikely(number > 2):
            rare += number
    return rare


def test_what_is_unlikely_happens_all_the_same():
    assert sorted_out(np.array([1, 2, 3, 4])) == 7


@kernel
def swap_rows(records):
    record = records[0]
    copy(record.one, record.many[0])
    copy(record.many[0], record.many[1])
    copy(record.many[1], record.one)


@pytest.mark.parametrize("function", [swap_rows, swap_rows.py_func])
def test_copies_of_arrays_in_a_record(function):
    records = np.zeros(1, RECORD).view(np.recarray)
    records[0].many[:] = [[1, 2, 3], [4, 5, 6]]
    function(records)
    assert records[0].many.tolist() == [[4, 5, 6], [1, 2, 3]] and records[0].one.tolist() == [1, 2, 3]


@kernel
def take_over(target, source):
    copy(target, source)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int64, np.float64])
def test_copies_of_any_elements(dtype):
    target, source = np.zeros(5, dtype), np.arange(5).astype(dtype)
    take_over(target[:4], source[:4])
    assert target.tolist() == [0, 1, 2, 3, 0]
