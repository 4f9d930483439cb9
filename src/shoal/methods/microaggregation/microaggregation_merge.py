"""Microaggregation, then merging for t-closeness (Soria-Comas et al. 2015, algorithm 1)."""

from __future__ import annotations

from typing import ClassVar

from shoal.methods.base import Deadline, Growth, Progress
from shoal.methods.microaggregation.microaggregation import mdav
from shoal.methods.microaggregation.ranked_microaggregation import Formed, RankedMicroaggregation
from shoal.models import Model
from shoal.problem import Problem


class MicroaggregationMerge(RankedMicroaggregation):
    """A heuristic: classes within distance t of the table; no bound on the cost.

    MDAV forms groups of k to 2k - 1 near rows. As long as one is farther than t from the table, the farthest of them
    takes in the group whose mean is nearest. It ends, at the latest with all rows as one class, at distance 0.
    """

    name: ClassVar[str] = "microaggregation-merge"
    title: ClassVar[str] = "microaggregation and merging"
    running_time: ClassVar[str] = "O(n d m / k + n m r), r the number of merges"
    growth: ClassVar[Growth] = "quadratic"

    def form(self, problem: Problem, model: Model, deadline: Deadline, progress: Progress) -> Formed:
        """Form the groups of MDAV."""
        return mdav(problem, deadline, progress)
