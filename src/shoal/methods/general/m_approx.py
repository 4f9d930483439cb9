"""The m-approximation of k-anonymity by suppression (Liang and Yuan 2013, Theorem 10, its third case repaired)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.core.arrays import Bools, Ints
from shoal.methods.base import Deadline, Method, Progress
from shoal.microdata.partition import Partition
from shoal.models import Rule
from shoal.problem import Problem, Solution, Status


class MApprox(Method):
    """Guarantees `stars <= m * optimum` for m quasi-identifiers; optimal for m = 1, and for starred rows.

    So where every row must be published; where rows may be dropped nothing is promised.

    Let C_1, ..., C_R be the classes of rows with equal quasi-identifiers, by size; L of them have fewer than k rows,
    A rows in all. Each of those rows pays in every release.

    - Case 1, A >= k: the small classes together are one class.
    - Case 2, the larger classes can spare k - A rows without falling below k: they do, and one class of k rows pays.
    - Case 3, otherwise: the small classes join the smallest class of at least k rows. (Any would do for the feasible
      release; the smallest is what the bound charges.)

    At most one class pays, at most m stars a row, and the lower bound `small-classes` is its number of rows.
    """

    name: ClassVar[str] = "m-approx"
    title: ClassVar[str] = "m-approximation"
    guarantee: ClassVar[str | None] = "stars <= m * optimum (m quasi-identifiers); starred rows = optimum"
    condition: ClassVar[str] = "where no row may be dropped"
    running_time: ClassVar[str] = "O(n m + R log R) for R distinct tuples"
    paper: ClassVar[str] = "Liang, Yuan: On the complexity of t-closeness anonymization and related problems, 2013"
    models: ClassVar[str] = "k-anonymity alone"
    about_stars: ClassVar[bool] = True

    def promise(self, problem: Problem) -> str | None:
        """Return the half of the guarantee that is about the problem's cost."""
        m = len(problem.microdata.quasi)
        return f"stars <= {m} * optimum" if problem.cost.name == "stars" else "starred rows = optimum"

    def accepts(self, problem: Problem) -> list[str]:
        """Require k-anonymity alone, by suppression, counted in stars or starred rows."""
        reasons = [f"{model} is not k-anonymity" for model in problem.models if model.rule is not Rule.ROWS]
        if not problem.counts_stars:
            reasons.append("its guarantee is for suppression, counted in stars or starred rows")
        return reasons

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Put the rows that must pay into one class."""
        counts, k = problem.microdata.counts, problem.models.least_rows
        class_of_row = problem.microdata.tuple_of_row.copy()
        small = counts < k
        short = int(counts[small].sum())
        if short > 0:
            paying, case = _paying(problem, small, short, k)
            class_of_row[paying] = len(counts)
            notes = (f"case {case} of the theorem",)
        else:
            notes = ("no row has to pay",)
        status: Status = "feasible" if problem.may_drop else "within_bound"  # dropping rows may be cheaper
        return self.solution(problem, Partition.of(class_of_row), status, notes=notes)


def _paying(problem: Problem, small: Bools, short: int, k: int) -> tuple[Ints, int]:
    """Return the rows that form the one class that pays, and the case of the theorem."""
    counts, tuple_of_row = problem.microdata.counts, problem.microdata.tuple_of_row
    rows = np.flatnonzero(small[tuple_of_row])
    if short >= k:
        return rows, 1
    spare = np.where(small, 0, counts - k)
    if short + int(spare.sum()) >= k:
        return np.concatenate([rows, _lent(problem, spare, k - short)]), 2
    smallest = int(np.argmin(np.where(small, counts.sum() + 1, counts)))
    return np.concatenate([rows, np.flatnonzero(tuple_of_row == smallest)]), 3


def _lent(problem: Problem, spare: Ints, wanted: int) -> Ints:
    """Return `wanted` rows that the larger classes can spare, from the classes with the most to spare."""
    microdata = problem.microdata
    lenders = np.argsort(-spare, kind="stable")
    before = np.concatenate([[0], np.cumsum(spare[lenders])[:-1]])
    lend = np.zeros_like(spare)
    lend[lenders] = np.clip(wanted - before, 0, spare[lenders])
    order = np.lexsort((microdata.identity, microdata.tuple_of_row))
    starts = np.concatenate([[0], np.cumsum(microdata.counts)])
    tuples = microdata.tuple_of_row[order]
    lent: Ints = order[np.arange(len(order)) - starts[tuples] < lend[tuples]]
    return lent
