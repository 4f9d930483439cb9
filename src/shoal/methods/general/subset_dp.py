"""Subset dynamic programming: the exact optimum for up to 20 rows (in place of Liang and Yuan 2013, Theorem 8)."""

from __future__ import annotations

from itertools import chain, combinations
from math import comb
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.core.loops import fitting
from shoal.costs import ClassCost, RowCost
from shoal.methods.base import Deadline, Growth, Method, Progress
from shoal.microdata.partition import Partition
from shoal.problem import Problem, Solution
from shoal.recoding.cells import Groups
from shoal.recoding.recode import cells_of

MOST_ROWS = 20
MOST_DROPS = 500
"""How many choices of rows to drop are tried at most."""
CHUNK = 14
"""Groups are measured 2^CHUNK at a time."""


class SubsetDP(Method):
    """Guarantees `cost = optimum`, for any monotone model and any cost that adds over rows.

    Where rows may be dropped, so if there is time for every choice of them.

    best[S] is the least cost of publishing the rows of S: `best[S] = min cost(G) + best[S - G]` over the admitted
    groups G in S that hold the first row of S. Where rows may be dropped, every choice of rows to drop is tried, each
    with its own distribution P. For a cost that adds over classes only (discernibility) the result is merged where two
    classes show equal cells, and the unmerged value is the lower bound.
    """

    name: ClassVar[str] = "subset-dp"
    title: ClassVar[str] = "subset dynamic programming"
    guarantee: ClassVar[str | None] = "cost = optimum"
    condition: ClassVar[str] = (
        f"up to {MOST_ROWS} rows, if every choice of rows to drop is tried in time, for a cost that adds over rows"
    )
    running_time: ClassVar[str] = "O(3^n): up to 20 rows"
    growth: ClassVar[Growth] = "exponential"
    paper: ClassVar[str] = (
        "in place of Liang, Yuan: On the complexity of t-closeness anonymization and related problems, 2013, Theorem 8"
    )
    models: ClassVar[str] = "any monotone model and conjunction"
    anytime: ClassVar[bool] = True
    drops_rows: ClassVar[bool] = True

    def accepts(self, problem: Problem) -> list[str]:
        """Require few rows, monotone models and a cost that adds over classes."""
        reasons = [f"{model} is not monotone" for model in problem.models if not model.monotone]
        if problem.global_recoding_refusal:
            reasons.append(problem.global_recoding_refusal)
        if problem.rows > MOST_ROWS:
            reasons.append(f"the table has {problem.rows:,} rows, more than {MOST_ROWS}")
        elif _choices(problem) > MOST_DROPS:
            reasons.append(f"there are more than {MOST_DROPS} ways to drop {problem.may_drop} of {problem.rows} rows")
        if not isinstance(problem.cost, ClassCost):
            reasons.append(f"cost {problem.cost.name!r} does not add over classes")
        return reasons

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Try every admissible set of dropped rows, each by dynamic programming over the rest."""
        if problem.may_drop == 0:
            problem.check_feasible()
        best: tuple[float, Partition] | None = None
        out_of_time = False
        for tried, dropped in enumerate(_drops(problem)):
            if best is not None and deadline.passed:
                out_of_time = True
                break
            progress(tried / _choices(problem), "trying every partition")
            found = _least(problem, dropped)
            if found is not None and (best is None or found[0] < best[0] - 1e-12):
                best = found
        if best is None:
            problem.check_feasible()
            raise AssertionError("a feasible table has a partition")
        if out_of_time:
            return self.solution(problem, best[1], "feasible", notes=("time ran out before every drop was tried",))
        found_cost = problem.cost_of(best[1])
        exact = isinstance(problem.cost, RowCost) or abs(found_cost - best[0]) < 1e-9
        bound = found_cost if exact else best[0]
        return self.solution(problem, best[1], "optimal" if exact else "feasible", bound=bound)


def _choices(problem: Problem) -> int:
    return sum(comb(problem.rows, dropped) for dropped in range(problem.may_drop + 1))


def _drops(problem: Problem) -> chain[tuple[int, ...]]:
    sizes = range(min(problem.may_drop, problem.rows - 1) + 1)
    return chain.from_iterable(combinations(range(problem.rows), size) for size in sizes)


def _least(problem: Problem, dropped: tuple[int, ...]) -> tuple[float, Partition] | None:
    """Return the least cost of publishing all rows but the dropped ones, and how; None if it cannot be done.

    Rows are taken in the order of their cells, so that which of several optima is found does not depend on theirs.
    """
    cost = problem.cost
    assert isinstance(cost, ClassCost)
    kept = np.delete(np.argsort(problem.microdata.identity, kind="stable"), np.array(dropped, dtype=np.int64))
    part = problem.of_rows(kept)
    losses, drop_loss = _measure(problem, cost, part, kept)
    best, choice = fitting(best_partitions, 3**part.rows)(losses)
    if not np.isfinite(best[-1]):
        return None
    labels = np.full(problem.rows, -1, dtype=np.int64)
    rest = (1 << part.rows) - 1
    while rest:
        group = int(choice[rest])
        labels[kept[[row for row in range(part.rows) if group >> row & 1]]] = rest
        rest &= ~group
    return (float(best[-1]) + len(dropped) * drop_loss) / cost.per(problem.rows), Partition.of(labels)


def _measure(problem: Problem, cost: ClassCost, part: Problem, kept: Ints) -> tuple[Floats, float]:
    """Return the cost of every set of kept rows as one class, infinite where a model refuses it; and of a dropped row.

    What a cell costs may depend on all rows of the table, also on those that are dropped.
    """
    losses = np.full(1 << part.rows, np.inf)
    drop_loss = 0.0
    for start in range(0, len(losses), 1 << CHUNK):
        sets = np.arange(max(start, 1), min(start + (1 << CHUNK), len(losses)))
        groups = _groups(sets, part.rows)
        sizes = np.diff(groups.starts)
        owner = np.repeat(np.arange(len(sets)), sizes)
        admitted = part.models.admits(part.candidates(groups.order, owner, len(sets)))
        cells = cells_of(problem.microdata, problem.recoding, Groups(kept[groups.order], groups.starts))
        losses[sets] = np.where(admitted, cost.class_losses(cells, sizes), np.inf)
        drop_loss = cost.drop_loss(cells, problem.rows)
    return losses, drop_loss


def _groups(sets: Ints, rows: int) -> Groups:
    """Return the sets of rows that the bits of some integers name."""
    members = sets[:, None] >> np.arange(rows) & 1
    return Groups(np.nonzero(members)[1], np.concatenate([[0], np.cumsum(members.sum(axis=1))]))


def best_partitions(losses: Floats) -> tuple[Floats, Ints]:
    """Return for every set of rows the least cost of partitioning it, and the group of its first row."""
    best = np.full(len(losses), np.inf)
    best[0] = 0.0
    choice = np.zeros(len(losses), dtype=np.int64)
    for whole in range(1, len(losses)):
        first = whole & -whole
        others = whole ^ first
        subset = others
        while True:
            group = subset | first
            cost = losses[group] + best[whole ^ group]
            if cost < best[whole]:
                best[whole] = cost
                choice[whole] = group
            if subset == 0:
                break
            subset = (subset - 1) & others
    return best, choice
