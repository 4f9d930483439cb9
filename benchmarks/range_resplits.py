"""What larger neighbourhoods find in annealed ranges: the rows of two and of three near classes, split anew exactly.

`python -m benchmarks.range_resplits` samples 3,000 rows of Adult, `python -m benchmarks.range_resplits 5000` so many.
k = 5 alone is asked for. Rows of near classes are put together and split at the least cost, by a dynamic program over
all their subsets; what is cheaper is kept, until no two classes are split better. Then some triples are tried, drawn
by a fixed seed. The table is not part of this repository; where it is not at hand, nothing is measured.
"""

from __future__ import annotations

import sys
from time import process_time

import numpy as np
import polars as pl

from benchmarks.measure import show
from benchmarks.ranges import ADULT, SEVEN
from shoal.bounds.boxes_kernel import clear, join, joined_cost
from shoal.core.arrays import Ints
from shoal.core.compiler import njit
from shoal.methods.base import Deadline, silent
from shoal.methods.general.anneal import LOOKED, NEIGHBOURS, Anneal
from shoal.methods.general.near_rows import Ordered
from shoal.microdata.partition import Partition
from shoal.problem import Problem
from shoal.request import Request
from shoal.steps.preparation import prepare
from shoal.tables.table import Table

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

K = 5
MOST = 16
"""Rows that are split anew together, at most."""
TRIPLES = 400


@njit(cache=False)
def resplit(rows, points, head, pieces, numbers, boxes, costs, least, first):
    """Return what the best classes of some rows pay together; `first` has for each set of rows its first class."""
    many, nothing = len(rows), len(points) - 1
    clear(boxes, 0, head)
    for subset in range(1, 1 << many):
        top = many - 1
        while not subset >> top & 1:
            top -= 1
        clear(boxes, subset, head)
        join(boxes, subset, boxes, subset ^ (1 << top), head)
        join(boxes, subset, points, rows[top], head)
        size = 0
        for place in range(many):
            size += subset >> place & 1
        costs[subset] = -1
        if K <= size < 2 * K:
            costs[subset] = size * joined_cost(boxes, subset, points, nothing, head, pieces, numbers)
    least[0] = 0
    for subset in range(1, 1 << many):
        least[subset], lowest = 1 << 62, subset & -subset
        part = subset
        while part:
            if part & lowest and costs[part] >= 0 and least[subset ^ part] < 1 << 62:
                paid = costs[part] + least[subset ^ part]
                if paid < least[subset]:
                    least[subset], first[subset] = paid, part
            part = (part - 1) & subset
    return least[(1 << many) - 1]


class Resplits:
    """Classes of rows in the order of a kd tree, and the memory in which their rows are split anew."""

    def __init__(self, problem: Problem, ordered: Ordered, found: Partition) -> None:
        shape = ordered.space.shape
        self.points, self.tuples = ordered.space.points, ordered.space.tuple_of_row
        self.given = (shape.head, shape.pieces, shape.numbers)
        self.boxes = np.zeros((1 << MOST, self.points.shape[1]), np.int64)
        self.costs, self.least, self.first = (np.zeros(1 << MOST, np.int64) for _ in range(3))
        self.labels = found.class_of_row[ordered.rows].astype(np.int64)
        self.near, self.starts, self.rows = ordered.space.near, ordered.space.first_row, ordered.rows
        self.new = int(self.labels.max()) + 1
        self.known = {label: np.flatnonzero(self.labels == label) for label in range(self.new)}
        self.failed = set[tuple[int, ...]]()

    def _paid(self, members: Ints) -> int:
        """Return what one class pays."""
        clear(self.boxes, 0, self.given[0])
        for row in members.tolist():
            join(self.boxes, 0, self.points, int(self.tuples[row]), self.given[0])
        return len(members) * int(joined_cost(self.boxes, 0, self.points, len(self.points) - 1, *self.given))

    def around(self, label: int) -> list[int]:
        """Return the classes of near rows."""
        near = self.near[self.tuples[self.known[label]]].ravel()
        return sorted(set(self.labels[self.starts[near[near >= 0]]].tolist()) - {label})

    def improve(self, *named: int) -> bool:
        """Split the rows of some classes anew if that is cheaper."""
        key = tuple(sorted(named))
        if key in self.failed or not all(label in self.known for label in named):
            return False
        self.failed.add(key)
        members = np.concatenate([self.known[label] for label in named])
        before = sum(self._paid(self.known[label]) for label in named)
        if len(members) > MOST or before == 0:
            return False
        given = (self.tuples[members].astype(np.int64), self.points, *self.given, self.boxes, self.costs)
        if resplit(*given, self.least, self.first) >= before:
            return False
        for label in named:
            del self.known[label]
        left = (1 << len(members)) - 1
        while left:
            part = int(self.first[left])
            self.known[self.new] = members[[place for place in range(len(members)) if part >> place & 1]]
            self.labels[self.known[self.new]] = self.new
            self.new, left = self.new + 1, left ^ part
        return True

    def pairs(self) -> int:
        """Split pairs of near classes anew until none is split better; return how many were."""
        better, again = 0, True
        while again:
            again = False
            for label in list(self.known):
                for other in self.around(label) if label in self.known else []:
                    if self.improve(label, other):
                        better, again = better + 1, True
                        break
        return better

    def triples(self) -> int:
        """Split some triples of near classes anew; return how many were split better."""
        drawn, better = np.random.default_rng(0), 0
        for _ in range(TRIPLES):
            label = list(self.known)[int(drawn.integers(len(self.known)))]
            around = self.around(label)
            if len(around) > 1:
                better += self.improve(label, *drawn.choice(around, 2, replace=False).tolist())
        return better

    def cost(self, problem: Problem) -> float:
        """Return the cost of the classes as they are."""
        found = np.empty(len(self.labels), np.int64)
        found[self.rows] = self.labels
        return problem.cost_of(Partition.of(found))


def main(rows: str = "3000") -> None:
    if not ADULT.is_file():
        return
    frame = pl.read_csv(ADULT, separator=";").sample(int(rows), seed=1)
    asked = Request(list(SEVEN), f"k={K}", leave_out="rest", recoding="range")
    problem = prepare(Table.of(frame), asked).problem
    ordered, lines = Ordered.kept(problem, NEIGHBOURS, LOOKED, Deadline()), list[list[object]]()
    found: Partition | None = None
    for effort in ("quick", "normal"):
        began = process_time()
        method = Anneal(effort=effort, start=found, again=found is not None)
        found = method.solve(problem, seed=0, deadline=Deadline(), progress=silent).partition
        lines.append([f"annealed, {effort}", problem.cost_of(found), None, process_time() - began])
        splits = Resplits(problem, ordered, found)
        for name, step in (("pairs", splits.pairs), ("triples", splits.triples)):
            began = process_time()
            better = step()
            lines.append([f"then {name} split anew", splits.cost(problem), better, process_time() - began])
    show(f"Adult, {int(rows):,} rows, k={K}", ("what", "NCP", "splits that save", "CPU s"), lines)


if __name__ == "__main__":
    main(*sys.argv[1:])
