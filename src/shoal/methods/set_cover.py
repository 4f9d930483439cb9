"""The greedy set cover of k-anonymity (Park and Shim 2007; Meyerson and Williams 2004 for the way back)."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.bounds.ladders import ladders_of
from shoal.cube import Cube
from shoal.cube import refusals as no_cube
from shoal.methods.base import Deadline, Method, Progress
from shoal.models import KAnonymity
from shoal.partition import Partition
from shoal.problem import Problem, Solution
from shoal.simplex import refusals

MOST_MEMBERS = 60_000_000
"""Nodes times distinct rows beyond which patterns are not laid out: memory."""


class SetCover(Method):
    """Guarantees `cost <= (2k - 1) / k * (1 + 1/2 + ... + 1/(2k - 1)) * optimum`, below `2 * (1 + ln 2k)` times.

    Let the weight of a set of k to 2k - 1 rows be what one of its rows pays.

    - Cover: as long as a row is uncovered, take the set with the least weight for each row that it newly covers. The
      best release is such a cover too, and each of its sets costs at least k times its weight. So
      `k * weights taken <= (1 + 1/2 + ... + 1/(2k - 1)) * optimum`, the greedy cover's theorem.
    - Apart: a row in two sets leaves one that has more than k. If both have k, they become one set of at most 2k - 1:
      its cells need no more than both sets' cells together, as they share a row. So weights do not grow in sum, and
      each of at most 2k - 1 rows pays its set's.

    The best set at each pattern is as many of its uncovered rows as may be, so patterns are looked at, not sets. For
    every cost that adds over cells and by which a block never costs less than one inside it.
    """

    name: ClassVar[str] = "set-cover"
    title: ClassVar[str] = "greedy set cover"
    guarantee: ClassVar[str | None] = "cost <= 2 * (1 + ln(2k)) * optimum"
    cost: ClassVar[str] = "O(N d log(N d) + N n) for N nodes of the lattice and d distinct tuples"
    paper: ClassVar[str] = "Park, Shim: Approximate algorithms for k-anonymity, SIGMOD 2007"
    models: ClassVar[str] = "k-anonymity alone"

    def promise(self, problem: Problem) -> str | None:
        """Return the guarantee for the problem's k; there is none where a release may drop rows."""
        return None if problem.may_drop else f"cost <= {factor(problem.models.least_rows):.6f} * optimum"

    def accepts(self, problem: Problem) -> list[str]:
        """Require k-anonymity alone, a cube, and a cost that rises along hierarchies."""
        reasons = [f"{model} is not k-anonymity" for model in problem.models if not isinstance(model, KAnonymity)]
        reasons += refusals(problem) or no_cube(problem)
        if not reasons and _members(problem) > MOST_MEMBERS:
            reasons.append(f"{_members(problem):,} rows of patterns are too many to be laid out")
        return reasons

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Cover the rows, then take the sets apart."""
        k = problem.models.least_rows
        patterns = Patterns.of(Cube.of(problem), k)
        rows = np.lexsort((problem.microdata.identity, patterns.cube.type_of_row))
        sets = patterns.cover(deadline, progress)
        apart = Apart(sets, [float(patterns.costs[pattern]) for pattern in patterns.chosen], k)
        labels = np.empty(problem.rows, dtype=np.int64)
        labels[rows] = apart.labels(problem.rows)
        proved = patterns.cube.is_whole and not problem.may_drop and not patterns.hurried
        return self.solution(problem, Partition.of(labels), "within_bound" if proved else "feasible")


def factor(k: int) -> float:
    """Return how many times the optimum the cover costs at most, rounded up.

    >>> factor(1), factor(2)
    (1.0, 2.75)
    """
    harmonic = sum(1 / size for size in range(1, 2 * k))
    return float(np.ceil((2 * k - 1) / k * harmonic * 1e6) / 1e6)


def _members(problem: Problem) -> int:
    nodes = int(np.prod([len(ladder.up) for ladder in ladders_of(problem)[0]], dtype=np.float64))
    return nodes * len(problem.microdata.counts)


@dataclass(eq=False)
class Patterns:
    """Every pattern that k rows match, what a row pays there, and how many of its rows are uncovered.

    Rows are numbered type by type; `left` says how many rows of each type, its first ones, are uncovered.
    """

    cube: Cube
    k: int
    of_type: Ints
    """Node by type: the number of the pattern."""
    costs: Floats
    uncovered: Ints
    left: Ints
    starts: Ints
    chosen: list[int]
    hurried: bool = False

    @classmethod
    def of(cls, cube: Cube, k: int) -> Patterns:
        """Number the patterns of all nodes."""
        first, second, widths, paid, paid_too, nodes = cube.layout
        of_type = np.empty((len(nodes), cube.types), dtype=np.int64)
        costs, rows, number = [], [], 0
        for place, (one, other) in enumerate(nodes.tolist()):
            groups = first[one].astype(np.int64) * widths[other] + second[other]
            _, example, inverse = np.unique(groups, return_index=True, return_inverse=True)
            of_type[place] = number + inverse
            costs.append((paid[one] + paid_too[other])[example])
            rows.append(np.bincount(inverse, weights=cube.counts).astype(np.int64))
            number += len(example)
        starts = np.concatenate([[0], np.cumsum(cube.counts)])
        every = np.concatenate(costs).astype(np.float64)
        return cls(cube, k, of_type, every, np.concatenate(rows), cube.counts.copy(), starts, [])

    def cover(self, deadline: Deadline, progress: Progress) -> list[list[int]]:
        """Return sets of k to 2k - 1 rows that cover all, the greedy choice each; `chosen` says at which pattern."""
        most, total = 2 * self.k - 1, int(self.left.sum())
        fits = np.flatnonzero(self.uncovered >= self.k)
        heap = [(self._weight(p, most), p) for p in fits.tolist()]
        heapify(heap)
        sets: list[list[int]] = []
        while (left := int(self.left.sum())) > 0:
            if deadline.passed:
                return [*sets, *self._in_order(left)]
            weight, pattern = heap[0]
            if self.uncovered[pattern] == 0:
                heappop(heap)
            elif (now := self._weight(pattern, most)) > weight:
                heapreplace(heap, (now, pattern))
            else:
                sets.append(self._take(pattern, most))
                self.chosen.append(pattern)
                progress(1 - left / total, "covering rows")
        return sets

    def _weight(self, pattern: int, most: int) -> float:
        return float(self.costs[pattern]) / max(1, min(int(self.uncovered[pattern]), most))

    def _take(self, pattern: int, most: int) -> list[int]:
        """Cover as many rows as may be; fill up with covered ones to k."""
        types = np.flatnonzero((self.of_type == pattern).any(axis=0))
        return [pattern, *types.tolist()][:most]
