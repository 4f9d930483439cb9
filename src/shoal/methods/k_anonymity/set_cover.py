"""The greedy set cover of k-anonymity (Park and Shim 2007; Meyerson and Williams 2004 for the way back)."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import ClassVar

import numpy as np

from shoal.bounds.hierarchy_losses import graph_refusals, hierarchy_losses
from shoal.core.arrays import Codes, Floats, Ints
from shoal.methods.base import Deadline, Method, Progress
from shoal.microdata.partition import Partition
from shoal.patterns import Cube, refusals
from shoal.problem import Problem, Solution

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
    condition: ClassVar[str] = (
        "if all rows are covered in time, over a lattice that is walked in full, where no row may be dropped"
    )
    running_time: ClassVar[str] = "O(N d log(N d) + N n + n d / k) for N nodes of the lattice and d distinct tuples"
    paper: ClassVar[str] = "Park, Shim: Approximate algorithms for k-anonymity, SIGMOD 2007"
    models: ClassVar[str] = "k-anonymity alone"

    def promise(self, problem: Problem) -> str | None:
        """Return the guarantee for the problem's k; there is none where a release may drop rows."""
        return None if problem.may_drop else f"cost <= {factor(problem.models.least_rows):.6f} * optimum"

    def accepts(self, problem: Problem) -> list[str]:
        """Require k-anonymity alone, a cube, and a cost that rises along hierarchies."""
        reasons = graph_refusals(problem) or refusals(problem)
        if not reasons and _members(problem) > MOST_MEMBERS:
            reasons.append(f"{_members(problem):,} rows of patterns are too many to be laid out")
        return reasons

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Cover the rows, then take the sets apart."""
        k = problem.models.least_rows
        patterns = Patterns.of(Cube.of(problem, deadline.check), k, deadline)
        sets, chosen = patterns.cover(deadline, progress)
        missed = set(range(problem.rows)).difference(*sets)
        apart = Apart([*sets, *_filled(missed, k, problem.rows)], [*patterns.costs[chosen].tolist(), 0], k)
        labels = np.empty(problem.rows, dtype=np.int64)
        labels[np.lexsort((problem.microdata.identity, patterns.cube.type_of_row))] = apart.labels(problem.rows)
        proved = patterns.cube.is_whole and not problem.may_drop and not missed
        return self.solution(problem, Partition.of(labels), "within_bound" if proved else "feasible")


def _filled(rows: set[int], k: int, total: int) -> list[set[int]]:
    """Return the rows as one set of at least k, if there are any."""
    others = [row for row in range(total) if row not in rows]
    return [rows | set(others[: max(k - len(rows), 0)])] if rows else []


def factor(k: int) -> float:
    """Return how many times the optimum the cover costs at most, rounded up.

    >>> factor(1), factor(2)
    (1.0, 2.75)
    """
    harmonic = sum(1 / size for size in range(1, 2 * k))
    return float(np.ceil((2 * k - 1) / k * harmonic * 1e6) / 1e6)


def _members(problem: Problem) -> int:
    nodes = int(np.prod([len(hierarchy.up) for hierarchy in hierarchy_losses(problem)[0]], dtype=np.float64))
    return nodes * len(problem.microdata.counts)


@dataclass(eq=False)
class Patterns:
    """Every pattern of the lattice, what a row pays there, and how many of its rows are uncovered.

    Rows are numbered type by type. The first `left` rows of each type are uncovered.
    """

    cube: Cube
    k: int
    of_type: Codes
    """Node by type: the number of the pattern."""
    first_of_node: Ints
    """The first pattern of each node; they rise."""
    costs: Ints
    uncovered: Ints
    left: Ints
    starts: Ints

    @classmethod
    def of(cls, cube: Cube, k: int, deadline: Deadline) -> Patterns:
        """Number the patterns of all nodes, or of the first, once time is over."""
        first, second, widths, paid, paid_too, nodes = cube.layout
        of_type = np.empty((len(nodes), cube.types), dtype=np.int32)
        costs, rows, first_of_node, number = [], [], [], 0
        for place, (one, other) in enumerate(nodes.tolist()):
            if place and deadline.passed:
                break
            groups = first[one].astype(np.int64) * widths[other] + second[other]
            _, example, inverse = np.unique(groups, return_index=True, return_inverse=True)
            of_type[place] = number + inverse
            first_of_node.append(number)
            costs.append((paid[one] + paid_too[other])[example])
            rows.append(np.bincount(inverse, weights=cube.counts).astype(np.int64))
            number += len(example)
        starts = np.concatenate([[0], np.cumsum(cube.counts)])
        firsts, every, uncovered = np.array(first_of_node), np.concatenate(costs), np.concatenate(rows)
        return cls(cube, k, of_type, firsts, every, uncovered, cube.counts.copy(), starts)

    def cover(self, deadline: Deadline, progress: Progress) -> tuple[list[set[int]], list[int]]:
        """Return sets of k to 2k - 1 rows, the greedy choice each, and the pattern of each; all rows, if there is time.

        What a pattern offers only gets dearer, so it is worked out anew when it comes first.
        """
        total, left = len(self.cube.type_of_row), len(self.cube.type_of_row)
        patterns = np.flatnonzero(self.uncovered >= self.k)
        waiting = Waiting(patterns, self.costs[patterns] / np.minimum(self.uncovered[patterns], 2 * self.k - 1))
        sets: list[set[int]] = []
        chosen: list[int] = []
        while left > 0 and not deadline.passed:
            weight, pattern = waiting.pop()
            if self.uncovered[pattern] == 0:
                continue
            waiting.push(now := self._weight(pattern), pattern)
            if now <= weight:
                rows, new = self._take(pattern)
                sets.append(rows)
                chosen.append(pattern)
                left -= new
                progress(0.9 * (1 - left / total), "covering rows")
        return sets, chosen

    def _weight(self, pattern: int) -> float:
        return float(self.costs[pattern]) / min(int(self.uncovered[pattern]), 2 * self.k - 1)

    def _take(self, pattern: int) -> tuple[set[int], int]:
        """Cover as many rows as may be, and fill up with covered ones to k; return them, and how many are new."""
        node = int(np.searchsorted(self.first_of_node, pattern, side="right")) - 1
        types = np.flatnonzero(self.of_type[node] == pattern)
        rows: set[int] = set()
        for kind in types[self.left[types] > 0][: 2 * self.k - 1].tolist():
            rows.update(self._cover(kind, 2 * self.k - 1 - len(rows)))
        new = len(rows)
        for kind in types:
            if len(rows) >= self.k:
                break
            covered = range(self.starts[kind] + self.left[kind], self.starts[kind + 1])
            rows.update([row for row in covered if row not in rows][: self.k - len(rows)])
        return rows, new

    def _cover(self, kind: int, most: int) -> range:
        """Cover the last uncovered rows of a type."""
        number = min(int(self.left[kind]), most)
        self.left[kind] -= number
        self.uncovered[self.of_type[:, kind]] -= number
        end = int(self.starts[kind] + self.left[kind])
        return range(end, end + number)


class Waiting:
    """Patterns by weight, of equals by number. Those never looked at are sorted once, the others are in a heap."""

    def __init__(self, patterns: Ints, weights: Floats) -> None:
        order = np.argsort(weights, kind="stable")
        self.weights, self.patterns, self.next = weights[order], patterns[order], 0
        self.again: list[tuple[float, int]] = []

    def pop(self) -> tuple[float, int]:
        """Take out the first one."""
        if self.next < len(self.patterns):
            first = float(self.weights[self.next]), int(self.patterns[self.next])
            if not self.again or first < self.again[0]:
                self.next += 1
                return first
        return heappop(self.again)

    def push(self, weight: float, pattern: int) -> None:
        """Put one back."""
        heappush(self.again, (weight, pattern))


class Apart:
    """Sets that cover all rows, made disjoint without going below k rows; their weights do not grow in sum."""

    def __init__(self, sets: list[set[int]], weights: list[int], k: int) -> None:
        self.sets, self.weights, self.k = sets, weights, k
        self.of_row: dict[int, set[int]] = {}
        for number, rows in enumerate(sets):
            for row in rows:
                self.of_row.setdefault(row, set()).add(number)

    def labels(self, total: int) -> list[int]:
        """Return the set of every row."""
        for row in range(total):
            while len(numbers := self.of_row[row]) > 1:
                large = [number for number in numbers if len(self.sets[number]) > self.k]
                if large:
                    self._leave(row, max(large, key=lambda number: (self.weights[number], number)))
                else:
                    self._merge(*sorted(numbers)[:2])
        return [next(iter(self.of_row[row])) for row in range(total)]

    def _leave(self, row: int, number: int) -> None:
        self.sets[number].remove(row)
        self.of_row[row].remove(number)

    def _merge(self, one: int, other: int) -> None:
        for row in self.sets[other]:
            self.of_row[row] = (self.of_row[row] - {other}) | {one}
        self.sets[one] |= self.sets[other]
        self.sets[other] = set()
        self.weights[one] += self.weights[other]
