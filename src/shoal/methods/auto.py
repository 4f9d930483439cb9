"""Choosing a method: by name, or the best of those that can take the problem."""

from __future__ import annotations

from dataclasses import replace

import shoal.methods
from shoal.methods.base import Deadline, Method, Progress
from shoal.methods.m_approx import MApprox
from shoal.methods.mondrian import Mondrian
from shoal.methods.subset_dp import SubsetDP
from shoal.problem import Problem, Solution
from shoal.registry import discover, lookup

EXACT_UP_TO = 12
"""Rows up to which the exact optimum is found at once."""


def methods() -> dict[str, type[Method]]:
    """Return every known method by its name."""
    return discover(shoal.methods, Method)


def choose(problem: Problem, name: str, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
    """Solve with the method of that name; `auto` takes the cheapest of what fits, and says in the notes what it did.

    A table of at most 12 rows is solved exactly. Otherwise Mondrian runs, and beside it, where it can, the
    m-approximation: what is proved of a dearer release holds for a cheaper one.
    """
    if name != "auto":
        return lookup(shoal.methods, Method, name, "method")().run(
            problem, seed=seed, deadline=deadline, progress=progress
        )
    fitting = [method for method in _candidates(problem) if not method.accepts(problem)]
    if not fitting:
        return Mondrian().run(problem, seed=seed, deadline=deadline, progress=progress)
    found = [method.run(problem, seed=seed, deadline=deadline, progress=progress) for method in fitting]
    best = min(found, key=lambda solution: solution.cost)
    return replace(best, **_inherited(best, found), notes=(*best.notes, _said(found)))  # type: ignore[arg-type]


def _candidates(problem: Problem) -> list[Method]:
    return [SubsetDP()] if problem.rows <= EXACT_UP_TO and not SubsetDP().accepts(problem) else [Mondrian(), MApprox()]


def _inherited(best: Solution, found: list[Solution]) -> dict[str, object]:
    """Return the guarantee that carries over to a cheaper solution, where the best has none of its own."""
    proved = [solution for solution in found if solution.guarantee is not None]
    if best.guarantee is not None or not proved:
        return {}
    return {
        "guarantee": proved[0].guarantee,
        "status": best.status if best.status == "optimal" else "within_bound",
    }


def _said(found: list[Solution]) -> str:
    return "auto tried " + ", ".join(f"{solution.method} (cost {solution.cost:.6g})" for solution in found)
