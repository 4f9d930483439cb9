"""Optimal 2-diversity with two sensitive values: bipartite matching (Xiao, Yi and Tao 2010, section 4)."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Ints
from shoal.core.interruptible import Unlimited, watched
from shoal.methods.base import Deadline, Growth, Method, Progress
from shoal.methods.l_diversity.assignment_kernel import least_assignment
from shoal.methods.l_diversity.two_diversity import TwoDiversity
from shoal.microdata.partition import Partition
from shoal.problem import Problem, Solution

MOST_ROWS = 12_000
"""Rows up to which a table of one half by the other is laid out: 290 MB, and as much again while it is filled."""

WATCHED_FROM = 1_000
"""Rows of a value from which matching takes seconds, and a deadline can end it."""


class Bipartite(Method):
    """Guarantees `cost = optimum` for 2-diversity of an attribute with two values, where no row may be dropped.

    Both values have half of the rows, else no release exists. Every class then has as many rows of one as of the
    other, and can be cut into pairs of one each, in which no row pays more. So the best release is a perfect matching
    of the rows of one value with those of the other, at least cost.
    """

    name: ClassVar[str] = "bipartite"
    title: ClassVar[str] = "bipartite matching"
    guarantee: ClassVar[str | None] = "cost = optimum"
    condition: ClassVar[str] = (
        f"if matched in time, up to {MOST_ROWS:,} rows, none of which may be dropped, and for a cost in whole units"
    )
    running_time: ClassVar[str] = "O(n^3)"
    growth: ClassVar[Growth] = "quadratic"
    paper: ClassVar[str] = "Xiao, Yi, Tao: The hardness and approximation algorithms for l-diversity, EDBT 2010"
    models: ClassVar[str] = "2-diversity by frequency of one sensitive attribute with two values, with k up to 2"
    about_stars: ClassVar[bool] = True

    def accepts(self, problem: Problem) -> list[str]:
        """Require 2-diversity of an attribute with two values, and a cost that rises along hierarchies."""
        reasons = TwoDiversity().refused(problem)
        if reasons:
            return reasons
        (attributes,) = {model.attributes for model in problem.models if model.attributes}
        values = int((problem.values[attributes].totals > 0).sum())
        if values != 2:
            reasons.append(f"there are {values:,} sensitive values, not two")
        if problem.rows > MOST_ROWS:
            reasons.append(f"{problem.rows:,} rows are more than {MOST_ROWS:,}")
        return reasons

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Match the rows of one value with those of the other."""
        progress(0.0, "matching pairs")
        points = TwoDiversity().points(problem)
        assert points.kinds is not None
        rows = np.lexsort((problem.microdata.identity, points.type_of_row))
        of_row = points.type_of_row[rows]
        sides = [np.flatnonzero(points.kinds[of_row] == kind) for kind in np.unique(points.kinds)]
        partner = _partners(points.between(of_row[sides[0]], of_row[sides[1]]), deadline)
        in_time = bool((partner >= 0).all())
        partner[partner < 0] = np.setdiff1d(np.arange(len(partner)), partner)
        labels = np.empty(problem.rows, dtype=np.int64)
        labels[rows[sides[0]]] = labels[rows[sides[1][partner]]] = np.arange(len(partner))
        found = self.solution(problem, Partition.of(labels), "optimal")
        if points.units.exact and not problem.may_drop and in_time:
            return replace(found, lower_bound=found.cost)
        return replace(found, status="feasible", guarantee=None)


def _partners(costs: Ints, deadline: Deadline) -> Ints:
    """Return the row of the other value that each row of one is matched with; -1 where time was over before."""
    partner: Ints = watched(least_assignment, costs, deadline=deadline if len(costs) >= WATCHED_FROM else Unlimited())
    return partner
