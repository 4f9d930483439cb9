"""Datafly (Sweeney 1997): raise the column with the most different values until few enough rows are left over."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import ClassVar

import numpy as np

from shoal.methods.base import Deadline, Method, Progress
from shoal.methods.full_domain.full_domain import lattice_refusals, said, unreached
from shoal.methods.full_domain.lattice import Ground, Lattice, Levels, Verdicts
from shoal.problem import Problem, Solution


class Datafly(Method):
    """A heuristic: one path up the lattice, whatever its size; no bound on the cost.

    From the least levels (the table as it is, if none are given), the column that shows the most different cells goes
    up one level, of equals the first, until the rows of failing classes may be suppressed; at the latest at the top.
    """

    name: ClassVar[str] = "datafly"
    title: ClassVar[str] = "Datafly"
    guarantee: ClassVar[str | None] = None
    running_time: ClassVar[str] = "O(d m) for each of at most as many steps as there are levels, d distinct tuples"
    paper: ClassVar[str] = "Sweeney: Guaranteeing anonymity when sharing medical data, the Datafly system, AMIA 1997"
    models: ClassVar[str] = "any model and conjunction that the whole table meets"
    always_finishes: ClassVar[bool] = True
    recoding: ClassVar[str | None] = "full-domain"

    def accepts(self, problem: Problem) -> list[str]:
        """Require full-domain recoding and a top that is admitted."""
        return lattice_refusals(problem) or unreached(problem)

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Go up; out of time, to the top at once."""
        ground, lattice = Ground(problem), Lattice.of(problem.microdata)
        verdicts, cells, top = Verdicts(ground), _cell_counter(ground), lattice.heights
        seen, steps = verdicts.at(lattice.bottom), 0
        while not seen.admitted:
            progress(1 - (sum(top) - sum(seen.grouping.levels)) / lattice.span, "raising levels")
            seen = verdicts.at(top if deadline.passed else _raised(seen.grouping.levels, top, cells))
            steps += 1
        notes = (f"{steps:,} steps up the lattice", *said(problem, seen))
        return self.solution(problem, verdicts.partition(seen), "feasible", notes=notes)


def _cell_counter(ground: Ground) -> Callable[[int, int], int]:
    """Return what counts the different cells that a column shows at a level, once each."""
    trees = ground.problem.microdata.hierarchies
    return cache(lambda j, level: len(np.unique(trees[j].up[level][ground.codes[j]])))


def _raised(levels: Levels, top: Levels, cells: Callable[[int, int], int]) -> Levels:
    """Return the levels with that of the column raised that shows the most different cells.

    >>> _raised((0, 0), (1, 1), lambda column, level: [5, 7][column])
    (0, 1)
    """
    open_columns = [j for j, level in enumerate(levels) if level < top[j]]
    highest = max(open_columns, key=lambda j: (cells(j, levels[j]), -j))
    return (*levels[:highest], levels[highest] + 1, *levels[highest + 1 :])
