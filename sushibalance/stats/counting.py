"""The loops over rows: sums of each game, and over the games the sums of their squares and products.

A product may not fit into 64 bits, nor a sum of many. Where that could happen, numbers are kept in four digits
of 31 bits (schoolbook multiplication); `whole` makes Python's integers of them, which have no bounds.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from sushibalance.core.jit import lean

DIGITS = 4
DIGIT_BITS = 31
DIGIT = (1 << DIGIT_BITS) - 1


class Clusters:
    """The sampling units of a frame's rows, one behind the other.

    Attributes
    ----------
    number : ndarray of int64
        The unit of each row, rising.
    order : ndarray of int64 or None
        Where each of these rows stands in the frame; None when it is sorted already.
    longest : int
        Rows of the largest unit, at least 1.
    """

    def __init__(self, column: pd.Series):
        if isinstance(column.dtype, np.dtype) and column.dtype.kind in "bui":
            self.number = column.to_numpy().astype(np.int64)
        else:
            self.number = pd.factorize(column, use_na_sentinel=False)[0].astype(np.int64)
        self.order = None
        longest = longest_run(self.number)
        if longest < 0:
            self.order = np.argsort(self.number, kind="stable")
            self.number = self.number[self.order]
            longest = longest_run(self.number)
        self.longest = max(int(longest), 1)

    def sorted(self, values: np.ndarray) -> np.ndarray:
        """Return values of the frame's rows in the order of `number`."""
        return values if self.order is None else values[self.order]


def whole(digits: np.ndarray) -> np.ndarray:
    """Return Python integers (an object array) for numbers in digits, the last axis of the array."""
    parts = digits.astype(object)
    result = parts[..., 0]
    for place in range(1, DIGITS):
        result = result + parts[..., place] * (1 << DIGIT_BITS * place)
    return result


@lean
def longest_run(number):
    """Return the length of the longest run of equal numbers, or -1 where one is smaller than the one before."""
    longest = run = 0
    for row in range(len(number)):
        if row > 0 and number[row] != number[row - 1]:
            if number[row] < number[row - 1]:
                return -1
            run = 0
        run += 1
        longest = max(longest, run)
    return longest


@lean
def add_product(sums, place, a, b):
    """Add ``a * b`` (each below ``2**61``) to the number in digits ``sums[place]``."""
    a1, a0 = a >> DIGIT_BITS, a & DIGIT
    b1, b0 = b >> DIGIT_BITS, b & DIGIT
    low = sums[place, 0] + a0 * b0
    middle = sums[place, 1] + a1 * b0 + a0 * b1 + (low >> DIGIT_BITS)
    high = sums[place, 2] + a1 * b1 + (middle >> DIGIT_BITS)
    sums[place, 0], sums[place, 1], sums[place, 2] = low & DIGIT, middle & DIGIT, high & DIGIT
    sums[place, 3] += high >> DIGIT_BITS


@lean
def ratio_sums(
    game, cell, top, bottom, group_of_cell, of_cell, of_group, met, odd, rows, games, these, now, small, one
):
    """Add up rows sorted by game, for ratios of the tops in a cell to the bottoms in its group.

    Parameters
    ----------
    game, cell, top, bottom : int64[rows]
    group_of_cell : int64[cells]
    of_cell : int64[3 * cells, digits]
        Sums over games: the top, its square, its product with the bottom.
    of_group : int64[2 * groups, digits]
        Sums over games: the bottom, its square.
    met, odd : int64[cells]
        Games with a row of the cell, and those of them whose top is neither 0 nor ``one``.
    rows, games : int64[groups]
        Rows whose bottom is not 0, and games with any row.
    these, now : int64[2, cells], int64[2, cells, 2]
        Room for the cells and groups of a game, and zeros for their sums and for whether they were met.
    small : bool
        That all sums fit into 64 bits.
    one : int
        The top that stands for 1.
    """
    row, end = 0, len(game)
    while row < end:
        this = game[row]
        cells = groups = 0
        while row < end and game[row] == this:
            c = cell[row]
            total = below = count = 0
            while row < end and cell[row] == c and game[row] == this:
                total += top[row]
                below += bottom[row]
                count += bottom[row] != 0
                row += 1
            g = group_of_cell[c]
            if now[0, c, 1] == 0:
                these[0, cells] = c
                cells += 1
            if now[1, g, 1] == 0:
                these[1, groups] = g
                groups += 1
            now[0, c, 0] += total
            now[0, c, 1] = 1
            now[1, g, 0] += below
            now[1, g, 1] = 1
            rows[g] += count
        for i in range(cells):
            c = these[0, i]
            total, below = now[0, c, 0], now[1, group_of_cell[c], 0]
            met[c] += 1
            odd[c] += total != 0 and total != one
            if small:
                of_cell[3 * c, 0] += total
                of_cell[3 * c + 1, 0] += total * total
                of_cell[3 * c + 2, 0] += total * below
            else:
                add_product(of_cell, 3 * c, total, 1)
                add_product(of_cell, 3 * c + 1, total, total)
                add_product(of_cell, 3 * c + 2, total, below)
            now[0, c, 0] = now[0, c, 1] = 0
        for i in range(groups):
            g = these[1, i]
            below = now[1, g, 0]
            if small:
                of_group[2 * g, 0] += below
                of_group[2 * g + 1, 0] += below * below
            else:
                add_product(of_group, 2 * g, below, 1)
                add_product(of_group, 2 * g + 1, below, below)
            games[g] += 1
            now[1, g, 0] = now[1, g, 1] = 0


@lean
def pair_sums(game, cell, top, bottom, arm, group_of_cell, of_cell, of_group, games, these, now):
    """Add up the products of two runs over the same games, of rows sorted by game.

    Parameters
    ----------
    game, cell, top, bottom : int64[rows]
    arm : int8[rows]
        Which of the two runs, 0 or 1, a row comes from.
    group_of_cell : int64[cells]
    of_cell : int64[9 * cells, digits]
        Sums over games: the product of both tops, of the first top with the second bottom, and the other way round;
        then of what the second top is above the first, its square, its product with the second bottom; and the same
        of what it is below.
    of_group : int64[groups, digits]
        Sums over games of the product of both bottoms.
    games : int64[groups]
        Games that have a row of the group in either run.
    these, now : int64[2, cells], int64[2, cells, 3]
        Room for the cells and groups of a game, and zeros for their sums and for whether they were met.
    """
    row, end = 0, len(game)
    while row < end:
        this = game[row]
        cells = groups = 0
        while row < end and game[row] == this:
            c = cell[row]
            g = group_of_cell[c]
            if now[0, c, 2] == 0:
                these[0, cells] = c
                cells += 1
            if now[1, g, 2] == 0:
                these[1, groups] = g
                groups += 1
            now[0, c, arm[row]] += top[row]
            now[1, g, arm[row]] += bottom[row]
            now[0, c, 2] = now[1, g, 2] = 1
            row += 1
        for i in range(cells):
            c = these[0, i]
            g = group_of_cell[c]
            first, second, below = now[0, c, 0], now[0, c, 1], now[1, g, 1]
            add_product(of_cell, 9 * c, first, second)
            add_product(of_cell, 9 * c + 1, first, below)
            add_product(of_cell, 9 * c + 2, second, now[1, g, 0])
            place, step = 9 * c + (3 if second > first else 6), abs(second - first)
            add_product(of_cell, place, step, 1)
            add_product(of_cell, place + 1, step, step)
            add_product(of_cell, place + 2, step, below)
            now[0, c, 0] = now[0, c, 1] = now[0, c, 2] = 0
        for i in range(groups):
            g = these[1, i]
            add_product(of_group, g, now[1, g, 0], now[1, g, 1])
            games[g] += 1
            now[1, g, 0] = now[1, g, 1] = now[1, g, 2] = 0


@lean
def rank_sums(game, cell, group_of_cell, of_cell, of_group, inside):
    """Add up rows sorted by game, for the share of a group's rows that lie in a cell or in one below it.

    Within a game the count of these rows is a step function of the cell, and so are its square and its product with
    the rows of the group. Their steps are what is added: at the ``k``-th row of a group in a game ``1``, ``2 k - 1``
    and the number of the group's rows in the game.

    Parameters
    ----------
    game, cell : int64[rows]
        The cells of a long game should be sorted, or nearly.
    group_of_cell : int64[cells]
        Cells of a group are numbered one behind the other, in the order of their values.
    of_cell : int64[cells, 3]
        Sums over games of the three steps.
    of_group : int64[groups, 3]
        Rows, games, sum over games of the squared number of rows.
    inside : int64[longest]
        Room for the cells of a game.
    """
    row, end = 0, len(game)
    while row < end:
        this, count = game[row], 0
        while row < end and game[row] == this:
            place = count
            while place > 0 and inside[place - 1] > cell[row]:
                inside[place] = inside[place - 1]
                place -= 1
            inside[place] = cell[row]
            count += 1
            row += 1
        start = 0
        while start < count:
            g, stop = group_of_cell[inside[start]], start + 1
            while stop < count and group_of_cell[inside[stop]] == g:
                stop += 1
            size = stop - start
            for k in range(size):
                c = inside[start + k]
                of_cell[c, 0] += 1
                of_cell[c, 1] += 2 * k + 1
                of_cell[c, 2] += size
            of_group[g, 0] += size
            of_group[g, 1] += 1
            of_group[g, 2] += size * size
            start = stop


@lean
def in_units(values, unit, whole):
    """Fill ``whole`` with the values as numbers of 1/unit; stop and return False at one that comes out otherwise."""
    for row in range(len(values)):
        near = np.rint(values[row] * unit)
        if near / unit != values[row]:
            return False
        whole[row] = np.int64(near)
    return True
