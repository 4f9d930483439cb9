"""Peeling the cube: the three-phase algorithm of Xiao, Yi and Tao (2010), carried over to every pattern and model."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import ClassVar

import numpy as np

from shoal.bounds.prices import Ascent, Pricing
from shoal.core.arrays import Floats, Ints
from shoal.core.interruptible import watched
from shoal.methods.base import Deadline, Method, Progress
from shoal.methods.general.repair import repair
from shoal.patterns import Cube, pattern_hierarchies, refusals
from shoal.patterns.checks import Checks
from shoal.patterns.covering import Covering
from shoal.patterns.peeling import peel_types
from shoal.problem import Problem, Solution

WALKS = 60_000_000
"""Nodes times types times thresholds that are walked."""
PATTERNS_UP_TO = 400_000_000
"""Distinct tuples times nodes of the lattice up to which the cube is walked without being asked for."""


class Peel(Method):
    """A heuristic with a proof: no bound on the cost in general, but a lower bound that can be re-checked.

    Walk the patterns from the cheapest to the all-star one. Of the uncovered rows that match a pattern, take the
    largest part that meets the models, and pass the rest on to coarser patterns; but only if what remains uncovered
    would itself be admitted: so it can always be published as the all-star class. A pattern waits as long as it costs
    its rows more than they are charged (the support bound) by some threshold, which rises. Classes that a model
    refuses after all, where the compiled loops do not know it, are merged into their best neighbours. Mondrian's
    release is returned if it is cheaper.
    """

    name: ClassVar[str] = "peel"
    title: ClassVar[str] = "peeling the cube"
    guarantee: ClassVar[str | None] = None
    running_time: ClassVar[str] = "O(N d) for each of a few thresholds, N nodes of the lattice, d distinct tuples"
    paper: ClassVar[str] = "after Xiao, Yi, Tao: The hardness and approximation algorithms for l-diversity, EDBT 2010"
    models: ClassVar[str] = "any conjunction that the whole table meets"
    anytime: ClassVar[bool] = True

    def accepts(self, problem: Problem) -> list[str]:
        """Require a cube, and that the table as one class meets the models."""
        return [*refusals(problem), *unmet(problem)]

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Charge, peel, repair."""
        progress(0.0, "laying out the cube (compiled at the first use)")
        pricing = Pricing.of(problem, Cube.of(problem, deadline.check))
        ascent = Ascent.of(pricing)
        progress(0.3, "peeling")
        found = peeled(pricing.cube, Checks.of(pricing.cube, problem.models), ascent.best.prices, deadline)
        return concluded(self, problem, found, ascent, deadline, progress)


def takes_minutes(problem: Problem, tuples: int) -> bool:
    """Whether so many distinct tuples times the patterns are too many to be walked without being asked for."""
    return tuples * prod(hierarchy.height + 1 for hierarchy in pattern_hierarchies(problem)) > PATTERNS_UP_TO


def unmet(problem: Problem) -> list[str]:
    """Return why merging classes may not end well: models that the whole table does not meet, two tables, one level."""
    if problem.full_domain_refusal:
        return [problem.full_domain_refusal]
    if problem.recoding_kind.two_tables:
        return ["it merges classes where it must, and groups of two tables are not merged"]
    return problem.refused_as_one()


def peeled(cube: Cube, checks: Checks, prices: Ints, deadline: Deadline) -> Covering:
    """Cover all rows by patterns, small regret to the prices first; what is left becomes the all-star class."""
    prices = np.zeros_like(prices) if checks.close else prices
    pieces, nodes, left = watched(
        peel_types, cube.layout, cube.counts, prices, thresholds(cube, checks), checks.rules, deadline=deadline
    )
    rest = np.flatnonzero(left)
    others = np.column_stack([rest, np.full(len(rest), len(nodes)), left[rest]])
    return Covering.of(cube, np.concatenate([pieces, others]), np.append(nodes, cube.number - 1))


def thresholds(cube: Cube, checks: Checks) -> Floats:
    """Return rising limits of regret; fewer where the cube is large, the last without limit."""
    if checks.close:
        return np.append(np.linspace(0.05, 1, 5) * cube.full, np.inf)
    steps = int(np.clip(WALKS // (cube.number * cube.types + 1), 1, 40))
    return np.append(np.linspace(0, 0.7, steps) * cube.full if steps > 1 else [], np.inf)


def concluded(
    method: Method, problem: Problem, found: Covering, ascent: Ascent, deadline: Deadline, progress: Progress
) -> Solution:
    """Return a covering as a solution: decided by the models themselves, repaired where they refuse a class."""
    partition = problem.publish(found.partition(problem)).partition
    notes: tuple[str, ...] = ()
    refused = int((~problem.models.admits(problem.classes(partition))).sum())
    if refused:
        partition = repair(problem, partition, deadline=deadline, progress=progress)
        notes = (f"{refused:,} classes were merged into their best neighbours",)
    solution = method.solution(problem, partition, "feasible", notes=notes)
    pricing = ascent.pricing
    bound, prices = pricing.stated(ascent.best), pricing.proof(ascent.best)
    return replace(solution, lower_bound=bound, prices=prices, merged=refused > 0)
