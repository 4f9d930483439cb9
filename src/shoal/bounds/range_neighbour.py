"""Nearest neighbours of ranges: a row pays at least for the box that holds enough rows and values around it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

import numpy as np

from shoal.bounds.base import in_measure
from shoal.bounds.boxes import UNIT, Layout
from shoal.bounds.kd_tree_kernel import distances, kd_tree, nearest, node_boxes
from shoal.bounds.range_bound import RangeBound
from shoal.core.arrays import Bools, Ints
from shoal.microdata.prices import Prices
from shoal.problem import Problem

BLOCK = 100_000
"""Tuples whose near ones are counted at a time."""
NEIGHBOURS = 64
"""Near tuples that are looked at, at most; where they are too few, the last of them counts."""
MOST_VALUES = 63
"""Sensitive values of a column that are told apart."""


class RangeNeighbour(RangeBound):
    """Holds for NCP of ranges and sets, and for every model.

    The distance of two rows is what a row pays for the box of the two: the range of both numbers, the set of both
    values. A box that holds more never costs less, so the class of a row, which pays c, lies within the distance c of
    the row. Every admitted class has k rows at least, and l different values of a sensitive column where that is asked.
    So the row pays at least the least distance within which there are so many rows and so many values. Add over the
    rows. A dropped row pays for a row of stars, which is no less than any distance.
    """

    name: ClassVar[str] = "range-neighbour"
    title: ClassVar[str] = "nearest neighbours of ranges"
    meaning: ClassVar[str] = "each row pays at least the distance within which there are enough rows and enough values"

    def priced(self, problem: Problem) -> Prices:
        """Return the distance of each row as its price, less what rounding may have added."""
        columns, microdata = len(problem.microdata.quasi), problem.microdata
        of_tuple = np.maximum(_radii(problem) - 2 * columns - 2, 0)
        units = sum((of_tuple * microdata.counts).tolist())
        bound = in_measure(problem, Fraction(units, UNIT * columns))
        return Prices(of_tuple[microdata.tuple_of_row], UNIT * columns, bound)


def _radii(problem: Problem) -> Ints:
    """Return, for a row of each distinct tuple, the distance within which there are enough rows and values."""
    microdata, layout, flag = problem.microdata, Layout.of(problem), np.zeros(1, np.bool_)
    shape, number = layout.shape, layout.tuples
    if number == 1:
        return np.zeros(1, np.int64)
    order, nodes = kd_tree(layout.points, microdata.tuples, layout.pieces_of_columns, shape, flag)
    points = layout.points[order]
    least = problem.bounding.least_rows if all(model.least_values < 2 for model in problem.bounding) else NEIGHBOURS
    boxes, most = node_boxes(points, nodes, shape.head), max(min(NEIGHBOURS, least, number - 1), 1)
    near = nearest(points, nodes, boxes, shape, most, number, flag)
    far, found = distances(points, near, shape), np.zeros(number, np.int64)
    del layout, nodes, boxes, points  # what is not needed any more goes at once: there may be millions of rows
    counts, held = microdata.counts[order], [(least, values[order]) for least, values in _held(problem)]
    for start in range(0, number, BLOCK):
        part = slice(start, min(start + BLOCK, number))
        among = np.column_stack([np.arange(part.start, part.stop), near[part]])
        enough: Bools = np.cumsum(counts[among], axis=1) >= problem.bounding.least_rows
        for different, values in held:
            enough &= np.bitwise_count(np.bitwise_or.accumulate(values[among], axis=1)) >= different
        last = np.where(enough.any(axis=1), enough.argmax(axis=1), far.shape[1])
        reach = np.column_stack([np.zeros(len(among), np.int64), far[part]])
        found[order[part]] = reach[np.arange(len(among)), last]
    return found


def _held(problem: Problem) -> Iterator[tuple[int, Ints]]:
    """Yield how many different values a class must have, and of each tuple which it has, a bit each."""
    for model in problem.bounding:
        values = problem.values.get(model.attributes)
        if model.least_values < 2 or model.given or values is None or len(values.totals) > MOST_VALUES:
            continue
        held = np.zeros(len(problem.microdata.counts), np.int64)
        np.bitwise_or.at(held, problem.microdata.tuple_of_row, np.int64(1) << values.codes.astype(np.int64))
        yield model.least_values, held
