"""Microaggregation with swaps for t-closeness: k-anonymity first (Soria-Comas et al. 2015, algorithm 2)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.core.arrays import Ints
from shoal.methods.base import Deadline, Growth, Progress
from shoal.methods.microaggregation.clusters import Closeness, Remaining, seeds
from shoal.methods.microaggregation.microaggregation import LATE, cut_in_order
from shoal.methods.microaggregation.ranked_microaggregation import Formed, RankedMicroaggregation
from shoal.models import Model
from shoal.problem import Problem


class MicroaggregationSwap(RankedMicroaggregation):
    """A heuristic: classes within distance t of the table; no bound on the cost.

    Groups are formed as by MDAV. A group farther than t from the table looks at the rows in no group, those nearest to
    its mean first: each takes the place of the member whose exchange brings the group closest to the table, if that is
    closer than it was; until the group is within t, or no row is left to look at. Groups that still fail are merged.
    """

    name: ClassVar[str] = "microaggregation-swap"
    title: ClassVar[str] = "microaggregation with swaps"
    running_time: ClassVar[str] = "O(n^2 k + n^2 m / k), and merging"
    growth: ClassVar[Growth] = "quadratic"

    def form(self, problem: Problem, model: Model, deadline: Deadline, progress: Progress) -> Formed:
        """Form groups and exchange their rows; what is left is the last group."""
        k, remaining = problem.models.least_rows, Remaining.one_by_one(problem)
        closeness = Closeness.of(problem, model, remaining.order)
        groups: list[Ints] = []
        for one in seeds(remaining, 2 * k):
            if deadline.passed:
                return [*groups, *cut_in_order(remaining.take_rest(), k)], (LATE,)
            progress(1 - remaining.rows / problem.rows, "forming groups")
            near = remaining.nearest(one, k)
            if not closeness.within(near):
                near = closeness.swapped(near, _others(remaining, near), deadline)
            groups.append(remaining.take(near, k))
        return [*groups, remaining.take_rest()], ()


def _others(remaining: Remaining, members: Ints) -> Ints:
    """Return the points in no group, those nearest to the mean of the members first."""
    others = np.setdiff1d(remaining.some, members, assume_unique=True)
    away = remaining.points.from_mean(members, np.ones(len(members), dtype=np.int64), others)
    return others[np.argsort(away, kind="stable")]
