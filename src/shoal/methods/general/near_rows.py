"""Rows in the order of a kd tree, and which tuples are near each other: what moving rows between classes needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.bounds.kd_tree_kernel import kd_tree, nearest, node_boxes
from shoal.core.arrays import Codes, Ints
from shoal.core.interruptible import watched
from shoal.methods.base import Deadline
from shoal.methods.general.unions import Geometry, Unions
from shoal.problem import Problem


class Space(NamedTuple):
    """Tuples and rows in the order of a kd tree, as loops read them."""

    shape: Unions
    points: Ints
    """The tuples as unions of one row; the last line is the union of no rows."""
    near: Codes
    """For each tuple the nearest others, nearest first, -1 where there are no more."""
    tuple_of_row: Codes
    first_row: Codes


@dataclass(frozen=True, eq=False)
class Ordered:
    """The rows of a problem in the order of a kd tree; what comes out does not depend on the order they had."""

    space: Space
    rows: Ints
    """The numbers of the rows, in that order."""
    exact: bool
    """Whether what unions cost is the cost of the problem, and not one like it."""

    @classmethod
    def kept(cls, problem: Problem, neighbours: int, looked: int, deadline: Deadline) -> Ordered:
        """Return them as they are kept with the problem, and go with it: several searches ask for them."""
        known: dict[str, Ordered] = problem.kept
        key = f"rows in the order of a kd tree, {neighbours} neighbours of {looked}"
        if key not in known:
            known[key] = cls.of(problem, neighbours, looked, deadline)
        return known[key]

    @classmethod
    def of(cls, problem: Problem, neighbours: int, looked: int, deadline: Deadline) -> Ordered:
        """Lay out the tuples of a problem, order them, and find the nearest of each."""
        microdata = problem.microdata
        unions, lines, layout, along, exact = Geometry.of(problem)
        points, shape, pieces = layout.points, layout.shape, layout.pieces_of_columns
        del layout  # what is not needed any more goes at once: there may be millions of rows
        order, nodes = watched(kd_tree, points, along, pieces, shape, deadline=deadline)
        del along
        deadline.check()
        points, lines = points[order], lines[np.append(order, len(order))]
        boxes, most = node_boxes(points, nodes, shape.head), min(neighbours, max(len(points) - 1, 1))
        near = watched(nearest, points, nodes, boxes, shape, most, looked, deadline=deadline)
        del points, nodes, boxes
        deadline.check()
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order))
        of_row = place[microdata.tuple_of_row]
        rows = np.lexsort((microdata.identity, of_row))
        first = np.concatenate([[0], np.cumsum(microdata.counts[order])]).astype(np.int32)
        return cls(Space(unions, lines, near, of_row[rows], first), rows, exact)
