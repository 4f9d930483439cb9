"""Anatomy (Xiao and Tao 2006): groups of rows that all differ in their sensitive value, for two tables."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.bounds.residue import diversity
from shoal.core.arrays import Ints
from shoal.methods.base import Deadline, Method, Progress
from shoal.microdata.partition import Partition
from shoal.models import Rule
from shoal.problem import Problem, Solution

SERVED = (Rule.SHARE, Rule.VALUES, Rule.ENTROPY)
"""Models that every group meets whose rows all differ and that has as many of them as a model asks for values."""


class Anatomy(Method):
    """Guarantees `cost = optimum` in reconstruction error for l-diversity by frequency, l a whole number.

    Where no value has more than n/l of the n rows, the method makes floor(n/l) groups of at least l rows, and no two
    rows of a group have the same value. A group G of different values costs |G| - 1, so the release costs
    `n - floor(n/l)`: what the bound `capped-share` says no release can go below. (The paper proves
    `cost <= (1 + 1/n) * optimum`, by a bound that is n/l - floor(n/l) < 1 lower.)

    Rows are sorted by their value, those of one value shuffled, and dealt out to the groups in turn. A value has at
    most as many rows as there are groups, and they are dealt one after the other, so no group gets two. The paper
    takes a random row of each of the l largest values until fewer than l are left, then finds a group for each row
    left over; dealing makes as many groups of different values without anything left over, and where values have an
    order it spreads them: each group has a row from each l-th part of them.

    Several models of one attribute are met with the largest l, rounded up; the guarantee is for the largest l of a
    model that caps the share of a value.
    """

    name: ClassVar[str] = "anatomy"
    title: ClassVar[str] = "Anatomy"
    guarantee: ClassVar[str | None] = "cost = optimum (in reconstruction error, for whole l)"
    condition: ClassVar[str] = "where no row has to be dropped"
    running_time: ClassVar[str] = "O(n log n)"
    paper: ClassVar[str] = "Xiao, Tao: Anatomy: simple and effective privacy preservation, VLDB 2006"
    models: ClassVar[str] = "l, alpha, distinct-l and entropy-l of one sensitive attribute, for two tables"
    recoding: ClassVar[str | None] = "anatomy"

    def promise(self, problem: Problem) -> str | None:
        """Return the guarantee where a model caps the share of a value at one over a whole number."""
        return self.guarantee if _is_capped(problem) else None

    def accepts(self, problem: Problem) -> list[str]:
        """Require two tables, and models of one attribute that different values meet."""
        if not problem.recoding_kind.two_tables:
            return [f"it makes two tables, not one: that is the recoding {self.recoding!r}"]
        reasons = [
            f"{model} is not met by any rows of different values"
            for model in problem.models
            if model.rule not in SERVED or model.given
        ]
        if len({model.attributes for model in problem.models}) > 1:
            reasons.append("it knows one sensitive attribute, or several read jointly as one")
        return reasons or _too_common(problem)

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Deal the rows out."""
        progress(0.0, "dealing rows to groups")
        number = problem.rows // _values(problem)
        class_of_row = np.empty(problem.rows, dtype=np.int64)
        class_of_row[shuffled_by_value(problem, seed)] = np.arange(problem.rows) % number
        return self.solution(problem, Partition(class_of_row), "optimal" if _is_capped(problem) else "feasible")


def _values(problem: Problem) -> int:
    """Return how many different values a group must have."""
    return max(model.least_values for model in problem.models)


def _is_capped(problem: Problem) -> bool:
    """Whether a model asks that no value fills more than one part in so many: then l is whole, and is that number."""
    return any(diversity(model) == _values(problem) for model in problem.models)


def _commonest(problem: Problem) -> int:
    (attributes,) = {model.attributes for model in problem.models}
    return int(problem.values[attributes].totals.max())


def _too_common(problem: Problem) -> list[str]:
    """Return why there are no such groups although a release may exist: where l was rounded up, or is another's."""
    needed = _values(problem)
    if _is_capped(problem) or needed * _commonest(problem) <= problem.rows:
        return []
    return [f"one value fills more than 1/{needed} of the rows, so groups of {needed} different values are too few"]


def shuffled_by_value(problem: Problem, seed: int) -> Ints:
    """Return the rows sorted by sensitive value, those of one value at random, whatever order they came in."""
    (attributes,) = {model.attributes for model in problem.models}
    by_content = np.argsort(problem.microdata.identity, kind="stable")
    shuffled = by_content[np.random.default_rng(seed).permutation(problem.rows)]
    return shuffled[np.argsort(problem.values[attributes].codes[shuffled], kind="stable")]
