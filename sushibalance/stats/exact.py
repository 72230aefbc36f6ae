"""Numbers as whole numbers of a unit, so that sums are exact and do not depend on their order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from sushibalance.stats.counting import in_units
from sushibalance.stats.groups import ColumnError

# Shares of up to 6 and of up to 16: wins among players, chances among cards on offer.
UNITS = (1, 60, 720_720)
LARGEST = 2**53
ROOM = 2**60  # of the sum of a game


class Exact(NamedTuple):
    """Numbers as whole numbers of a unit.

    Attributes
    ----------
    whole : ndarray of int64
    unit : int
        So many units make 1.
    largest : int
        No number is further from 0, in units.
    """

    whole: np.ndarray
    unit: int
    largest: int


def exact(frame: pd.DataFrame, name: str, together: int = 1) -> Exact:
    """Return a numeric column as whole numbers of a unit.

    The unit of whole numbers, true and false is 1, of shares (1/3, 2/5, 7/16) a 60th or a 720,720th: these are exact.
    Other fractions are rounded at the 52nd binary place of the largest, or earlier where many are added up.

    Parameters
    ----------
    frame : DataFrame
        With the column.
    name : str
        Name of the column.
    together : int
        So many values are added up to one sum, at most.

    Raises
    ------
    ColumnError
        When a value is missing, no number or too large.
    """
    column = frame[name]
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "bui":
        values = column.to_numpy()
    else:
        try:
            values = column.to_numpy(np.float64, na_value=np.nan)
        except (TypeError, ValueError):
            raise ColumnError(f"{name}: found {column.dtype}, allowed numbers, or true and false") from None
    room = min(LARGEST, ROOM // together)
    largest = max(abs(values.max().item()), abs(values.min().item())) if len(values) else 0
    if not largest < room:
        wrong = values[~((-room < values) & (values < room))]
        raise ColumnError(f"{name}: found {wrong[0]} in {len(wrong):,} rows, allowed numbers below {room:.1e}")
    if values.dtype.kind in "bui":
        return Exact(values.astype(np.int64), 1, int(largest))
    whole = np.empty(len(values), np.int64)
    for unit in UNITS:
        if largest * unit < room and in_units(values, unit, whole):
            return Exact(whole, unit, round(largest * unit))
    places = room.bit_length() - 1 - int(np.frexp(largest)[1])
    return Exact(np.rint(np.ldexp(values, places)).astype(np.int64), 2**places, round(np.ldexp(largest, places)))
