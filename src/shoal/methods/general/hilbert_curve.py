"""The Hilbert curve through the distinct tuples of a table: neighbours on the curve are neighbours in the table.

Every attribute becomes an axis: its values by their own order, else by the order of the leaves of its hierarchy, else
the commonest first. All axes are stretched to one grid of 2^p places, p so large that no two values share a place. The
curve visits every point of the grid once, so distinct tuples have distinct keys and nothing is left to ties.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.core.arrays import AnyInts, Codes, Ints
from shoal.core.loops import is_worth_compiling
from shoal.hierarchies import Hierarchy
from shoal.methods.general.hilbert_kernel import bend_points
from shoal.microdata.microdata import Microdata
from shoal.tables.encoded_column import Coded

WIDTH = 62
"""Bits of a key in one word."""
COMPILED_FROM = 50_000
"""Points from which the compiled loop is quicker."""


def hilbert_order(microdata: Microdata) -> Ints:
    """Return the distinct tuples in the order in which the curve visits them."""
    counts = [np.bincount(column.codes, minlength=column.size) for column in microdata.quasi]
    axes, bits = grid(microdata.quasi, microdata.hierarchies, counts)
    points = np.column_stack([axis[codes] for axis, codes in zip(axes, microdata.tuples.T, strict=True)])
    return np.lexsort(hilbert_keys(points, bits)[::-1])


def grid(columns: Sequence[Coded], hierarchies: Sequence[Hierarchy], counts: Sequence[Ints]) -> tuple[list[Ints], int]:
    """Return the place of each value along the axis of its column, and the bits that tell the places of an axis apart.

    `counts` say how many rows have each value.
    """
    bits = max(_bits(column.size) for column in columns)
    along = zip(columns, hierarchies, counts, strict=True)
    return [(_ranks(*one).astype(np.int64) << bits) // one[0].size for one in along], bits


def hilbert_keys(points: AnyInts, bits: int) -> Ints:
    """Return the places of points along the curve through a grid of 2^bits places an axis, as words: word by point.

    The first word counts most: `np.lexsort(keys[::-1])` sorts, and where there is one word it is the key itself.

    >>> hilbert_keys(np.array([[0, 0], [0, 1], [1, 1], [1, 0]]), 1)
    array([[0, 1, 2, 3]])
    """
    grid: Ints = np.ascontiguousarray(points, dtype=np.int64)
    words = -(-bits * grid.shape[1] // WIDTH)
    if len(grid) < COMPILED_FROM or not is_worth_compiling(len(grid)):
        return _interleaved(_transformed(grid, bits), bits, words)
    keys: Ints = bend_points(grid, bits, WIDTH, words)
    return keys


def _transformed(points: Ints, bits: int) -> Ints:
    """Return the transform of Skilling (Programming the Hilbert curve, 2004), axis by point, for all points at once."""
    x = points.T.copy()
    for bit in [1 << level for level in range(bits - 1, 0, -1)]:
        for axis in range(len(x)):
            swapped = np.where(x[axis] & bit, 0, (x[0] ^ x[axis]) & (bit - 1))
            x[0] ^= np.where(x[axis] & bit, bit - 1, swapped)
            x[axis] ^= swapped
    for axis in range(1, len(x)):
        x[axis] ^= x[axis - 1]
    flipped = np.zeros_like(x[0])
    for bit in [1 << level for level in range(bits - 1, 0, -1)]:
        flipped ^= np.where(x[-1] & bit, bit - 1, 0)
    x ^= flipped
    return x


def _interleaved(x: Ints, bits: int, words: int) -> Ints:
    """Return one key of all axes' bits, the highest of every axis first, right-aligned in words."""
    keys = np.zeros((words, x.shape[1]), dtype=np.int64)
    places = [(level, axis) for level in range(bits - 1, -1, -1) for axis in range(len(x))]
    for at, (level, axis) in enumerate(places, start=words * WIDTH - len(places)):
        word = keys[at // WIDTH]
        word <<= 1
        word |= (x[axis] >> level) & 1
    return keys


def _bits(size: int) -> int:
    """Return how many bits it takes to tell so many values apart."""
    return max((size - 1).bit_length(), 1)


def _ranks(column: Coded, hierarchy: Hierarchy, counts: Ints) -> Codes:
    """Return where each value lies along its axis: words that no hierarchy tells apart by frequency."""
    if column.is_ordered or hierarchy.height > 1:
        return leaf_ranks(column, hierarchy)
    return _inverse(np.argsort(-counts, kind="stable"))


def leaf_ranks(column: Coded, hierarchy: Hierarchy) -> Codes:
    """Return the rank of each value along its column: by its own order, else neighbours in the hierarchy."""
    return _inverse(np.arange(column.size) if column.is_ordered else np.lexsort(tuple(hierarchy.up)))


def _inverse(order: Ints) -> Codes:
    ranks = np.empty(len(order), dtype=np.int32)
    ranks[order] = np.arange(len(order))
    return ranks
