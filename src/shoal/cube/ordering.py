"""Sorting rows by small numbers: in time that grows as the rows do (compiled), or as numpy does it for few."""

from __future__ import annotations

import numpy as np

from shoal.arrays import AnyInts, Ints
from shoal.cube.loops import fitting
from shoal.sorting import order_by

COUNTED_FROM = 100_000
"""Rows from which counting is worth waiting for the compiler to be imported."""


def sorted_by(*keys: tuple[AnyInts, int]) -> Ints:
    """Return the rows sorted by some keys, the last one first in importance; each with the number of its values.

    >>> sorted_by((np.array([1, 0, 0]), 2), (np.array([0, 1, 0]), 2)).tolist()
    [2, 0, 1]
    """
    rows = len(keys[0][0])
    if rows < COUNTED_FROM:
        return order_by(*(key for key, _ in keys))
    order = np.arange(rows)
    for key, number in keys:
        order = fitting(counting_sort, rows)(order, key, number)
    return order


def counting_sort(order: Ints, key: AnyInts, number: int) -> Ints:
    """Return rows sorted by a key from 0 to `number`, those of one key in the order in which they were."""
    filled = np.zeros(number + 1, np.int64)
    for row in order:
        filled[key[row] + 1] += 1
    filled = np.cumsum(filled)
    found = np.empty_like(order)
    for row in order:
        found[filled[key[row]]] = row
        filled[key[row]] += 1
    return found
