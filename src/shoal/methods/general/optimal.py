"""The optimum: the pattern program (Chakaravarthy, Pandit and Sabharwal; Liang and Yuan 2013) solved to the end."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from shoal.bounds.linear_program import raise_by_program
from shoal.methods.base import Deadline, Growth, Method, Progress
from shoal.methods.general.cube import CoveringSearch
from shoal.methods.general.peel import unmet
from shoal.microdata.partition import DROPPED, Partition
from shoal.models import Rule
from shoal.patterns import refusals
from shoal.patterns.checks import is_complete, large_metrics
from shoal.patterns.cube import Cube
from shoal.patterns.pool import Pool
from shoal.patterns.program import Answer, Program
from shoal.problem import Problem, Solution

MOST_MEMBERS = 400_000
"""Entries of the program beyond which it is not tried: memory."""


class Optimal(Method):
    """`cost = optimum`, if the program is solved to the end: status `optimal`; else the gap says how far it may be.

    One class per pattern, as many copies of each row type as it takes; k-anonymity, distinct and frequency
    l-diversity and t-closeness for one or several attributes, each in any metric, as linear constraints, entropy and
    recursive l-diversity by cuts (see `shoal.patterns.program`). The search comes first: its release and its prices
    leave out every pattern that nothing cheaper can use, and the program need not know the others.
    """

    name: ClassVar[str] = "optimal"
    title: ClassVar[str] = "the pattern program, solved to the end"
    guarantee: ClassVar[str | None] = "cost = optimum"
    condition: ClassVar[str] = (
        f"if its program (up to {MOST_MEMBERS:,} entries) is solved to the end in time, over a lattice walked in full"
    )
    running_time: ClassVar[str] = "exponential at worst; seconds for thousands of distinct tuples and few attributes"
    growth: ClassVar[Growth] = "exponential"
    paper: ClassVar[str] = (
        "Chakaravarthy, Pandit, Sabharwal: On the complexity of the k-anonymization problem, section 4; "
        "Liang, Yuan: On the complexity of t-closeness anonymization and related problems, 2013, Theorem 9"
    )
    models: ClassVar[str] = "every l-diversity, alpha, k, t (in any metric), and conjunctions of them"
    anytime: ClassVar[bool] = True

    def accepts(self, problem: Problem) -> list[str]:
        """Require a cube, and models that the program knows."""
        reasons = [*refusals(problem), *unmet(problem)]
        if reasons:
            return reasons
        large = large_metrics(problem.models, problem.values)
        if problem.uses_surrogates or (not large and not is_complete(problem.models, problem.values)):
            reasons.append(f"the program over patterns knows k, l, alpha and t, but not all of {problem.models}")
        reasons += large
        if problem.may_drop and any(model.rule is Rule.CLOSENESS for model in problem.models):
            reasons.append("t-closeness compares with the published table, which dropping changes")
        return reasons

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Search, raise the prices, and solve what a cheaper release could use."""
        search = CoveringSearch.of(problem, seed, deadline, progress)
        search.price()
        search.peel()
        search.improve()
        if search.exhausted:
            return search.solution(self)
        if not search.closed:
            search.report(0.9, "raising the prices")
            raise_by_program(search.ascent, rounds=8, seconds=deadline.left)
        if problem.may_drop and search.covering.cube.is_whole:
            return self._with_dropping(search)
        search.finish(MOST_MEMBERS // max(search.checks.most_ways // 8, 1), to_the_end=True)
        return search.solution(self)

    def _with_dropping(self, search: CoveringSearch) -> Solution:
        """Solve with dropping as one more pattern, for so many rows as may be dropped."""
        problem, found = search.problem, search.solution(self)
        cube, best = search.covering.cube, search.ascent.best
        gap = max(search.covering.cost - best.bound, 0)
        everything = np.arange(cube.types)
        least = search.ascent.pricing.demands.rows
        pool = Pool.of(cube, everything, cube.counts, best.prices, rows=least, slack=gap, most=MOST_MEMBERS)
        if pool is None or search.deadline.passed:
            return found
        outlets = np.full(len(pool.types), cube.full, dtype=np.int64)
        program = Program(pool, search.checks, cube.denominator, outlets, problem.may_drop)
        answer = program.solve(deadline=search.deadline, seconds=search.deadline.left)
        if answer.copies is None:
            return found
        partition = _partition(problem, cube, pool, answer)
        partition = problem.publish(partition).partition
        rows = partition.kept
        if not problem.models.admits(problem.candidates(rows, partition.class_of_row[rows], len(partition))).all():
            return found
        better = self.solution(problem, partition, "feasible")
        kept = replace(better, lower_bound=found.lower_bound, prices=found.prices)
        kept = min(found, kept, key=lambda solution: solution.cost)
        if not answer.optimal or not cube.is_fine:
            return kept
        return replace(kept, status="optimal", lower_bound=kept.cost, guarantee=self.guarantee)


def _partition(problem: Problem, cube: Cube, pool: Pool, answer: Answer) -> Partition:
    """Give the rows of each type to their patterns, and drop those that went elsewhere."""
    assert answer.copies is not None
    types = np.concatenate([pool.types[pool.members], pool.types])
    labels = np.concatenate([pool.pattern_of_member, np.full(len(pool.types), DROPPED)])
    copies = np.repeat(np.arange(len(types)), answer.copies)
    copies = copies[np.lexsort((labels[copies], types[copies]))]
    order = np.lexsort((problem.microdata.identity, cube.type_of_row))
    of_row = np.empty(problem.rows, dtype=np.int64)
    of_row[order] = labels[copies]
    return Partition.of(of_row)
