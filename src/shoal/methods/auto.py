"""Choosing a method: by name, or the best of those that can take the problem."""

from __future__ import annotations

from dataclasses import replace

import shoal.methods
from shoal.fragments.axes import closeness
from shoal.methods.anatomy import Anatomy
from shoal.methods.base import Deadline, Method, Progress, Standing
from shoal.methods.cube import CubeSearch
from shoal.methods.fragments import Fragments
from shoal.methods.full_domain import FullDomain
from shoal.methods.m_approx import MApprox
from shoal.methods.microaggregation import Microaggregation
from shoal.methods.microaggregation_tfirst import MicroaggregationTFirst
from shoal.methods.mondrian import Mondrian
from shoal.methods.peel import Peel, takes_minutes
from shoal.methods.subset_dp import SubsetDP
from shoal.methods.t_mondrian import TMondrian
from shoal.methods.top_down_greedy import TopDownGreedy
from shoal.methods.tp_plus import TPPlus
from shoal.problem import Problem, Solution
from shoal.registry import discover, lookup

GROUPS_UP_TO = 50_000
"""Rows up to which groups of near rows are formed without being asked for: time grows with the square."""
EXACT_UP_TO = 12
"""Rows up to which the exact optimum is found at once."""
PATTERNS_FROM = 20_000
"""Rows from which it is worth waiting for the compiled loops of the cube."""
SECONDS_FOR_CUBE = 10
"""A time limit from which the cube method has time to search."""


def methods() -> dict[str, type[Method]]:
    """Return every known method by its name."""
    return discover(shoal.methods, Method)


def recoding_for(name: str) -> str:
    """Return the recoding that is taken where none is named: the one that a method is for, else suppression.

    >>> recoding_for("auto"), recoding_for("anatomy")
    ('suppress', 'anatomy')
    """
    kind = methods().get(name)
    return (None if kind is None else kind.recoding) or "suppress"


def choose(problem: Problem, name: str, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
    """Solve with the method of that name; `auto` takes the cheapest of what fits, and says what it tried, and why.

    Two tables are made by anatomy, where it can, full-domain recodings by the search of their lattice. Else a table of
    at most 12 rows is solved exactly. Otherwise Mondrian runs, and beside it, where they can, the m-approximation
    (microaggregation, where centroids are published), methods that are made for what is asked, and a method with a
    proof: peeling for large tables, the cube method where a time limit leaves it time to search. What is proved of a
    dearer release holds for a cheaper one.
    """
    if name != "auto":
        return lookup(shoal.methods, Method, name, "method")().run(
            problem, seed=seed, deadline=deadline, progress=progress
        )
    fitting = [method for method in _candidates(problem, deadline) if not method.accepts(problem)]
    if not fitting:
        return Mondrian().run(problem, seed=seed, deadline=deadline, progress=progress)
    exact = any(isinstance(method, SubsetDP | Anatomy | FullDomain | TopDownGreedy) for method in fitting)
    proving, why_not = (None, "") if exact else _proving(problem, deadline)
    if proving is not None:
        fitting.append(proving)
    found: list[Solution] = []
    for place, method in enumerate(fitting):
        part = _part(progress, place, len(fitting))
        found.append(method.run(problem, seed=seed, deadline=deadline, progress=part))
        part(1.0, _standing(found))
    best = min(found, key=lambda solution: solution.cost)
    chosen = (_said(found), *_reasons(problem, found), *([why_not] if why_not else []))
    notes = (*best.notes, *chosen)
    return replace(best, **_inherited(best, found), notes=notes, chosen=chosen)  # type: ignore[arg-type]


def _part(progress: Progress, place: int, number: int) -> Progress:
    """Return the progress of one method as a part of the whole."""
    return lambda share, doing: progress((place + share) / number, doing)


def _standing(found: list[Solution]) -> Standing:
    """Say what the methods that are done reached: the cheapest release, and the best bound."""
    bounds = [solution.lower_bound for solution in found if solution.lower_bound is not None]
    return Standing(f"{found[-1].method} is done", min(one.cost for one in found), max(bounds, default=None))


def _candidates(problem: Problem, deadline: Deadline) -> list[Method]:
    if problem.recoding == Anatomy.recoding and not Anatomy().accepts(problem):
        return [Anatomy()]
    if problem.recoding == FullDomain.recoding:
        return [FullDomain()] if not FullDomain().accepts(problem) else [TopDownGreedy()]
    if problem.rows <= EXACT_UP_TO and not SubsetDP().accepts(problem):
        return [SubsetDP(), *_natives(problem)]
    by_groups = problem.recoding == "centroid" and problem.rows <= GROUPS_UP_TO
    return [Mondrian(), Microaggregation() if by_groups else MApprox(), *_specialists(problem, deadline)]


def _specialists(problem: Problem, deadline: Deadline) -> list[Method]:
    """Return methods that are made for what is asked; without compiled loops where those are not worth waiting for."""
    timed = (deadline.left or 0) >= SECONDS_FOR_CUBE
    waits = problem.rows >= PATTERNS_FROM or timed
    found: list[Method] = [TPPlus()] if waits else []
    if closeness(problem.models):
        found.append(Fragments(swaps=waits))
        if timed and problem.rows <= PATTERNS_FROM and not problem.cells_are_blocks:
            found.append(MicroaggregationTFirst())
    return [*found, *_natives(problem)]


def _natives(problem: Problem) -> list[Method]:
    """Return methods that know a model which the others replace by a stricter one."""
    return [TMondrian()] if TMondrian.is_native(problem) else []


def _reasons(problem: Problem, found: list[Solution]) -> list[str]:
    """Say why methods were tried that are made for what is asked: what `benchmarks/tcloseness.py` shows of them."""
    tried = {solution.method for solution in found}
    if Fragments.name not in tried or not closeness(problem.models):
        return []
    if MicroaggregationTFirst.name in tried:
        return ["auto tries fragments and groups with t-closeness first: which is cheaper depends on the table"]
    if not problem.cells_are_blocks:
        return ["auto tries fragments for t-closeness: mostly the cheapest where cells are not blocks of hierarchies"]
    if tried & {Peel.name, CubeSearch.name}:
        return ["auto tries patterns and fragments for t-closeness of blocks: which is cheaper depends on the table"]
    return ["auto tries fragments for t-closeness: mostly the cheapest where the patterns of blocks are not searched"]


def _proving(problem: Problem, deadline: Deadline) -> tuple[Method | None, str]:
    """Return the method of patterns and prices that fits the table and the time; else why there is none."""
    left = deadline.left
    method: Method = Peel() if left is None else CubeSearch()
    reasons = method.accepts(problem)
    if not reasons and left is None and problem.rows < PATTERNS_FROM:
        reasons = [
            f"a table of fewer than {PATTERNS_FROM:,} rows need not wait for it; ask for it, or set a time limit"
        ]
    if not reasons and left is not None and left < SECONDS_FOR_CUBE:
        reasons = [f"it needs a time limit of {SECONDS_FOR_CUBE} seconds or more"]
    if not reasons and takes_minutes(problem, problem.rows):
        reasons = ["the lattice times the rows is so large that it would take minutes; ask for it to have it"]
    return (None, f"auto did not use {method.name}: {'; '.join(reasons)}") if reasons else (method, "")


def _inherited(best: Solution, found: list[Solution]) -> dict[str, object]:
    """Return what carries over to the cheapest solution: a guarantee, where it has none, the best bound and prices."""
    inherited: dict[str, object] = {}
    proved = [solution for solution in found if solution.guarantee is not None]
    if best.guarantee is None and proved:
        status = best.status if best.status == "optimal" else "within_bound"
        inherited = {"guarantee": proved[0].guarantee, "status": status}
    bounds = [solution.lower_bound for solution in found if solution.lower_bound is not None]
    priced = [solution.prices for solution in found if solution.prices is not None]
    if bounds:
        inherited["lower_bound"] = max(bounds)
        if best.cost <= max(bounds):
            inherited["status"] = "optimal"
    if priced:
        inherited["prices"] = max(priced, key=lambda prices: prices.bound)
    return inherited


def _said(found: list[Solution]) -> str:
    tried = ", ".join(f"{solution.method} (cost {solution.cost:.6g})" for solution in found)
    best = min(found, key=lambda solution: solution.cost)
    return f"auto tried {tried}" + (f" and took the cheapest, {best.method}" if len(found) > 1 else "")
