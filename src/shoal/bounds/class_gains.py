"""What classes of ranges and sets gain at given prices: kinds of rows, what is asked of classes, classes that gain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.bounds.boxes import MOST_BITS, UNIT, Layout
from shoal.bounds.class_gains_kernel import Asked, Kinds, Pool, Tree, Work, all_gains, near_boxes
from shoal.bounds.kd_tree_kernel import kd_tree, nearest, node_boxes
from shoal.core.arrays import AnyInts, Bools, Codes, Ints
from shoal.core.interruptible import Ending, watched
from shoal.core.sorting import distinct_rows
from shoal.microdata.histogram import Attributes
from shoal.models.share_set import joined
from shoal.patterns.demands import known_shares
from shoal.problem import Problem

NEIGHBOURS = 48
"""Near tuples of which a first class is made."""
LOOKED = 2_000
"""Tuples among which the near ones are looked for."""
CLASSES_EACH = 6
"""Classes that there is room for, for each kind of row, in every search."""
LARGE = 24
"""Kinds of such a class, on average at most."""


@dataclass(eq=False)
class ClassSearch:
    """Finds classes that gain, whatever the prices; it keeps those that it found."""

    kinds: Kinds
    tree: Tree
    asked: Asked
    kind_of_row: Ints
    full: int
    """What a row pays for a box that covers every column."""
    error: int
    """How much more a box can be said to cost than it does, because costs are rounded."""
    near: Ints
    pool: Pool

    @classmethod
    def of(cls, problem: Problem) -> ClassSearch:
        """Lay out the kinds of rows of a problem."""
        microdata, layout, flag = problem.microdata, Layout.of(problem), np.zeros(1, np.bool_)
        rows, values = demands(problem)
        order, nodes = kd_tree(layout.points, microdata.tuples, layout.pieces_of_columns, layout.shape, flag)
        points, place = layout.points[order], np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        boxes = node_boxes(points, nodes, layout.shape.head)
        read = [place[microdata.tuple_of_row], *(problem.values[names].codes for names in values)]
        sizes = [len(order), *(len(problem.values[names].totals) for names in values)]
        of_row, first, counts = distinct_rows(read, sizes)
        tuple_of, most = read[0][first], min(NEIGHBOURS, max(len(order) - 1, 1))
        kinds = Kinds(
            points,
            tuple_of.astype(np.int32),
            np.searchsorted(tuple_of, np.arange(len(order) + 1)).astype(np.int32),
            counts.astype(np.int64),
            np.column_stack([np.zeros((len(first), 0), np.int32), *(codes[first] for codes in read[1:])]).astype(
                np.int32
            ),
        )
        asked = Asked(rows, 0 if values else 2 * rows - 1, np.array(list(values.values()), np.int32))
        return cls(
            *(kinds, Tree(nodes, boxes, *layout.shape), asked, of_row, UNIT * len(microdata.quasi)),
            _rounding([column.size for column in microdata.quasi]),
            nearest(points, nodes, boxes, layout.shape, most, LOOKED, flag),
            Pool.empty(0, 0),
        )

    @property
    def safety(self) -> int:
        """How much is taken off a price, so that rounding makes up no gain: for the row, and for all it is short of."""
        return self.error * (self.asked.least + int(self.asked.values.sum()) + 1)

    def smallest(self, most_seen: int, deadline: Ending) -> Ints:
        """Return a number that no class of a row of each kind costs less than."""
        work = Work.of(self.kinds, self.tree)
        given = (self.near, self.kinds, self.tree, self.asked, work, self.full)
        above = watched(near_boxes, *given, deadline=deadline) + 1  # so that a class that is no smaller is found, too
        least: Ints = above - self._found(-above, np.zeros_like(above), most_seen, deadline)[0]
        return least

    def gains(self, prices: Ints, most_seen: int, deadline: Ending) -> tuple[Ints, Bools, int]:
        """Return, by kind of the dearest row, what a class can gain, whether that is sure, and the kinds looked at."""
        found: tuple[Ints, Bools, int] = self._found(np.maximum(prices, 0), prices, most_seen, deadline)
        return found

    def _found(self, starts: Ints, prices: Ints, most_seen: int, deadline: Ending) -> Any:
        number = CLASSES_EACH * len(starts)
        self.pool = _with_room(self.pool, number, number * LARGE)
        work = Work.of(self.kinds, self.tree)
        given = (starts, prices, self.kinds, self.tree, self.asked, work, self.pool, most_seen)
        return watched(all_gains, *given, deadline=deadline)


def _rounding(sizes: Sequence[int]) -> int:
    """Return how much a box can be said to cost too much: half a unit for each value and end of a range.

    A checker may round costs down by a 1,024th of 1 / columns units for each value.
    """
    columns = len(sizes)
    return 4 * columns + 4 + sum(min(size, MOST_BITS) // 2 + 1 for size in sizes) + columns * sum(sizes) // 250


def _with_room(pool: Pool, classes: int, kinds: int) -> Pool:
    """Return the classes of a pool in one that has room for more."""
    filled = int(pool.filled[0])
    end = int(pool.ends[filled])
    larger = Pool.empty(filled + classes, end + kinds)
    larger.filled[0] = filled
    larger.ends[: filled + 1], larger.costs[:filled] = pool.ends[: filled + 1], pool.costs[:filled]
    larger.kinds[:end], larger.rows[:end] = pool.kinds[:end], pool.rows[:end]
    return larger


def _stacked(codes: Sequence[AnyInts], number: int) -> Codes:
    """Return the values of attributes kind by kind; there may be no attribute."""
    return np.column_stack([np.zeros((number, 0), np.int32), *codes]).astype(np.int32)


def demands(problem: Problem) -> tuple[int, dict[Attributes, int]]:
    """Return how many rows every class has at least, and how many different values of which sensitive attributes."""
    rows, values = problem.bounding.least_rows, dict[Attributes, int]()
    for names, least, needed in _of_attributes(problem):
        rows = max(rows, least)
        if needed > 1:
            values[names] = needed
    return rows, values


def _of_attributes(problem: Problem) -> Iterator[tuple[Attributes, int, int]]:
    """Yield what the models together ask of each attribute: rows, and different values."""
    readable = [model for model in problem.bounding if model.attributes in problem.values and not model.given]
    for names in dict.fromkeys(model.attributes for model in readable):
        own, totals = [model for model in readable if model.attributes == names], problem.values[names].totals
        sets = joined(known_shares(own, problem.values, may_drop=problem.may_drop > 0))
        rows = max((shares.least_rows(totals, problem.bounding.least_rows) for shares in sets), default=1)
        needed = [*(model.least_values for model in own), *(shares.least_values(totals) for shares in sets)]
        yield names, rows, max(needed)
