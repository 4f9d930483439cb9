"""K-Optimize (Bayardo and Agrawal 2005): the best cuts of whole columns, by set enumeration with pruning."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Bools
from shoal.costs import RowCost
from shoal.costs.discernibility import Discernibility
from shoal.methods.base import Deadline, Growth, Method, Progress
from shoal.methods.general.cut_points import CutPoints, single_dimensional_refusals
from shoal.microdata.partition import Partition
from shoal.problem import Problem, Solution

MOST_LOOKED = 20_000
"""Sets of cut points that are looked at before the best so far is taken."""
ROUNDED = 1 - 1e-12
"""Costs that differ by less are equal."""


class KOptimize(Method):
    """Guarantees the least cost of all cuts of whole columns, if the search ends; for other releases a heuristic.

    The values of every attribute are in an order, and cut into intervals that are the same in every row. Sets of cut
    points are enumerated, each once: a node has chosen some (its head) and may choose others (its tail); the children
    add one of the tail, each with what comes after it. Two rules save most of them:

    - where the head with one more cut point is refused, so is every larger set, because merging keeps admitted classes
      admitted: the cut point leaves the tail;
    - no descendant costs less than the rows pay when cut at the whole tail. Where a row pays for its own cells, that is
      what finer classes would cost; for discernibility, each row pays at least for the rows that every class must have.
      A node that can be no cheaper than the best known is left.

    A cost that is neither has no such bound: only the first rule helps. Cells are as tight as their class allows, so
    they may lie inside the intervals. No row is suppressed. What other releases cost, of classes that are no product of
    intervals, is not bounded.
    """

    name: ClassVar[str] = "k-optimize"
    title: ClassVar[str] = "K-Optimize"
    guarantee: ClassVar[str | None] = None
    running_time: ClassVar[str] = f"O(n m) for each of at most {MOST_LOOKED:,} sets of cut points that are looked at"
    growth: ClassVar[Growth] = "exponential"
    paper: ClassVar[str] = "Bayardo, Agrawal: Data privacy through optimal k-anonymization, ICDE 2005"
    models: ClassVar[str] = "any monotone model and conjunction"

    def accepts(self, problem: Problem) -> list[str]:
        """Require models that merging cannot break, and cells that are chosen class by class."""
        return single_dimensional_refusals(problem)

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Search from no cut point at all; at the limit, or out of time, take the best so far."""
        points = CutPoints.of(problem)
        search = Search(points, deadline, progress, np.zeros(len(points), dtype=bool))
        search.descend(search.best, list(range(len(points))))
        ended = "ended early" if search.over else "searched to the end: the least cost of all cuts of whole columns"
        notes = (f"{search.looked:,} sets of {len(points):,} cut points were looked at; {ended}",)
        return self.solution(problem, points.partition(search.best), "feasible", notes=notes)


@dataclass(eq=False)
class Search:
    """The set enumeration; `best` is the cheapest set of cut points known."""

    points: CutPoints
    deadline: Deadline
    progress: Progress
    best: Bools
    cost: float = field(init=False)
    looked: int = 0

    def __post_init__(self) -> None:
        self.cost = self.points.cost(self.best)

    @property
    def over(self) -> bool:
        """Whether nothing more is looked at."""
        return self.looked >= MOST_LOOKED or self.deadline.passed

    def descend(self, head: Bools, tail: list[int]) -> None:
        """Look at all sets that add some of the tail to the head, but those that the two rules leave out."""
        self.progress(self.looked / MOST_LOOKED, "enumerating sets of cut points")
        tail = self._promising(head, tail)
        for place, added in enumerate(tail):
            if self.over or self.floor(_with(head, *tail[place:])) >= self.cost * ROUNDED:
                return
            self.descend(_with(head, added), tail[place + 1 :])

    def _promising(self, head: Bools, tail: list[int]) -> list[int]:
        """Return the cut points that can be added to the head, the cheapest set first; keep the best set."""
        found: list[tuple[float, int]] = []
        for added in tail:
            if self.over:
                break
            self.looked += 1
            larger = _with(head, added)
            if self.points.admits(larger):
                cost = self.points.cost(larger)
                found.append((cost, added))
                if cost < self.cost * ROUNDED:
                    self.best, self.cost = larger, cost
        return [added for _, added in sorted(found)]

    def floor(self, chosen: Bools) -> float:
        """Return what no set of cut points that is part of this one costs less than."""
        cost = self.points.problem.cost
        if isinstance(cost, RowCost):
            return self.points.cost(chosen)
        return self._least_squares(self.points.partition(chosen)) if isinstance(cost, Discernibility) else 0.0

    def _least_squares(self, partition: Partition) -> float:
        """Return what discernibility is at least: a row is alike those of its class, and as many as a class needs."""
        least = self.points.problem.models.least_rows
        return float((partition.sizes * np.maximum(partition.sizes, least)).sum())


def _with(head: Bools, *added: int) -> Bools:
    """Return a set with some more."""
    larger = head.copy()
    larger[list(added)] = True
    return larger
