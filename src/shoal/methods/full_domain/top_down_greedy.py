"""Top-down greedy: lower the level of one column at a time, the one that saves most, as long as it is admitted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from shoal.methods.base import Deadline, Method, Progress
from shoal.methods.full_domain.full_domain import lattice_refusals, said, unreached
from shoal.methods.full_domain.lattice import Ground, Lattice, Levels, Verdicts, measure_of
from shoal.problem import Problem, Solution


class TopDownGreedy(Method):
    """A heuristic for lattices that are too large to be searched; no bound on the cost, but never above all stars.

    From the highest node of the lattice, of those one level below in one column the cheapest admitted one is taken, of
    equals that of the first column, as long as it is cheaper. Where merging keeps admitted classes admitted and no row
    is suppressed, the levels it ends at are minimal: none can be lowered any more. A lower bound holds for it as for
    every method.
    """

    name: ClassVar[str] = "top-down-greedy"
    title: ClassVar[str] = "top-down greedy"
    guarantee: ClassVar[str | None] = None
    running_time: ClassVar[str] = "O(d m) for each of m nodes a step, at most as many steps as there are levels"
    paper: ClassVar[str] = (
        "after Fung, Wang, Yu: Top-down specialization for information and privacy preservation, ICDE 2005, "
        "with one level for a column"
    )
    models: ClassVar[str] = "any model and conjunction that the whole table meets"
    recoding: ClassVar[str | None] = "full-domain"

    def accepts(self, problem: Problem) -> list[str]:
        """Require full-domain recoding and a top that is admitted."""
        return lattice_refusals(problem) or unreached(problem)

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Go down as long as it saves."""
        ground, lattice = Ground(problem), Lattice.of(problem.microdata)
        verdicts, measure = Verdicts(ground), measure_of(ground, lattice)
        best, looked = verdicts.at(lattice.heights), 1
        order, moved = measure.order(best), True
        while moved and not deadline.passed:
            lower = list(_lowered(best.grouping.levels, lattice.bottom))
            progress(1 - (sum(best.grouping.levels) - sum(lattice.bottom)) / max(lattice.span, 1), "lowering levels")
            moved = False
            for levels in lower:
                if deadline.passed:
                    break
                seen = verdicts.at(levels)
                looked += 1
                if seen.admitted and (lower_order := measure.order(seen)) < order:
                    best, order, moved = seen, lower_order, True
        notes = (f"{looked:,} of {lattice.nodes:,} nodes of the lattice were looked at", *said(problem, best))
        return self.solution(problem, verdicts.partition(best), "feasible", notes=notes)


def _lowered(levels: Levels, least: Levels) -> Iterator[Levels]:
    """Go one level down in one column, not below the least.

    >>> list(_lowered((1, 0, 2), (0, 0, 0)))
    [(0, 0, 2), (1, 0, 1)]
    """
    for j, level in enumerate(levels):
        if level > least[j]:
            yield (*levels[:j], level - 1, *levels[j + 1 :])
