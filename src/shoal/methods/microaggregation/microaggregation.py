"""MDAV microaggregation (Domingo-Ferrer and Torra 2005): small groups of near rows, the farthest rows first."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.core.arrays import Ints
from shoal.methods.base import Deadline, Growth, Method, Progress
from shoal.methods.general.peel import unmet
from shoal.methods.general.repair import repair
from shoal.methods.microaggregation.clusters import Remaining, seeds
from shoal.microdata.partition import Partition
from shoal.problem import Problem, Solution

GROUPS_UP_TO = 50_000
"""Rows up to which groups of near rows are formed without being asked for: time grows with the square."""
LATE = "time ran out before all groups were formed: the other rows were grouped in their order"


class Microaggregation(Method):
    """A heuristic: groups of k to 2k - 1 near rows; no bound on the cost.

    As long as 3k rows are left, the row r farthest from their mean and its k - 1 nearest are a group, then the row s
    farthest from r and its k - 1 nearest. Of 2k to 3k - 1 rows the one farthest from the mean and its k - 1 nearest are
    a group, and what is left is the last one. k is the least number of rows that the models ask of a class.

    Ordered columns are standardized; other columns are as far apart as their lowest common block is high. Attribute
    weights multiply the squared distances. Groups that the models refuse are merged with their best neighbours.
    """

    name: ClassVar[str] = "microaggregation"
    title: ClassVar[str] = "MDAV microaggregation"
    guarantee: ClassVar[str | None] = None
    running_time: ClassVar[str] = "O(n d m / k) for d distinct tuples"
    growth: ClassVar[Growth] = "quadratic"
    paper: ClassVar[str] = (
        "Domingo-Ferrer, Torra: Ordinal, continuous and heterogeneous k-anonymity through microaggregation, 2005"
    )
    models: ClassVar[str] = "any conjunction that the whole table meets"

    def accepts(self, problem: Problem) -> list[str]:
        """Require that the table as one class meets the models: merging may end there."""
        return unmet(problem)

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Form groups, merge those that the models refuse."""
        groups, notes = mdav(problem, deadline, progress)
        partition = repair(problem, as_partition(groups, problem.rows), deadline=deadline, progress=progress)
        return self.solution(problem, partition, "feasible", notes=notes)


def mdav(problem: Problem, deadline: Deadline, progress: Progress) -> tuple[list[Ints], tuple[str, ...]]:
    """Return the rows in groups of k to 2k - 1, fewer only if there are fewer rows; and what is to be said of it."""
    k, remaining = problem.models.least_rows, Remaining.of(problem)
    groups: list[Ints] = []
    for one in seeds(remaining, 2 * k):
        if deadline.passed:
            return [*groups, *cut_in_order(remaining.take_rest(), k)], (LATE,)
        progress(1 - remaining.rows / problem.rows, "forming groups")
        groups.append(remaining.take(remaining.nearest(one, k), k))
    return [*groups, remaining.take_rest()], ()


def cut_in_order(rows: Ints, k: int) -> list[Ints]:
    """Cut rows into groups of k, the last of up to 2k - 1.

    >>> [len(group) for group in cut_in_order(np.arange(8), 3)]
    [3, 5]
    """
    return np.split(rows, np.arange(k, len(rows) - k + 1, k))


def as_partition(groups: list[Ints], rows: int) -> Partition:
    """Return groups of all rows as a partition, numbered in their order."""
    labels = np.empty(rows, dtype=np.int64)
    for number, group in enumerate(groups):
        labels[group] = number
    return Partition(labels)
