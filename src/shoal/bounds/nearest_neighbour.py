"""Nearest neighbour: a row pays for the k - 1 rows it is published with (Aggarwal et al. 2005, section 4)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.bounds.base import Bound
from shoal.bounds.hierarchy_losses import hierarchy_losses
from shoal.core.arrays import Codes, Floats, Ints
from shoal.costs import CellCost
from shoal.patterns import pattern_hierarchies
from shoal.problem import Problem

MOST_WORK = 60_000_000
"""Pairs of distinct tuples, times levels, beyond which it is not computed: a release does not wait for it."""
CHUNK = 2_000_000
"""How many pairs are measured at a time."""


class NearestNeighbour(Bound):
    """Holds for costs that add over cells, and for every model that admits no class below k rows.

    The distance of two rows is the least cost of cells that cover both: of blocks of the hierarchies that hold both
    values, attribute by attribute. The class of a row has k - 1 other rows at least, the farthest of them no nearer
    than the row's (k-1)-th nearest, and its cells cover both: the row pays that distance at least. Add over the rows.
    A dropped row pays for a row of stars, which cover everything; were they cheaper than the distance, they count.

    The bound `support` is never below it, but walks a lattice that doubles with every attribute; this one compares
    tuples in pairs.
    """

    name: ClassVar[str] = "nearest-neighbour"
    title: ClassVar[str] = "nearest neighbour"
    meaning: ClassVar[str] = "each row pays at least its distance to the (k-1)-th nearest other row"

    def accepts(self, problem: Problem) -> list[str]:
        """Require cells that are blocks of hierarchies, a cost that adds over them, and few pairs to compare."""
        reasons = []
        if not isinstance(problem.cost, CellCost):
            reasons.append(f"cost {problem.cost.name!r} does not add over cells")
        if not problem.cells_are_blocks:
            reasons.append("it measures distances along hierarchies only")
        elif _work(problem) > MOST_WORK:
            reasons.append("there are too many distinct rows for a quick comparison")
        return reasons

    def of(self, problem: Problem) -> float:
        """Return the sum over all rows of their distances."""
        cost, counts = problem.cost, problem.microdata.counts
        assert isinstance(cost, CellCost)
        return float((counts * distances(problem)).sum()) / cost.per(problem.rows)


def _lonely(problem: Problem) -> Ints:
    """Return the distinct tuples of fewer rows than a class needs; the other rows are at no distance."""
    return np.flatnonzero(problem.microdata.counts < problem.bounding.least_rows)


def _work(problem: Problem) -> int:
    levels = sum(hierarchy.height for hierarchy in pattern_hierarchies(problem))
    return len(_lonely(problem)) * len(problem.microdata.counts) * levels


def distances(problem: Problem) -> Floats:
    """Return, for a row of each distinct tuple, the distance to its (k-1)-th nearest other row."""
    counts, k, tuples = problem.microdata.counts, problem.bounding.least_rows, problem.microdata.tuples
    hierarchies, full = hierarchy_losses(problem)
    pairs = list(zip(hierarchies, tuples.T, strict=True))
    least: Floats = np.sum([hierarchy.cheapest[0, codes] for hierarchy, codes in pairs], axis=0)
    if problem.rows < k:
        return np.full(len(counts), full)
    lonely = _lonely(problem)
    steps = [(hierarchy.up[:, codes], hierarchy.steps[:, codes]) for hierarchy, codes in pairs]
    step = max(CHUNK // len(counts), 1)
    for first in range(0, len(lonely), step):
        some = lonely[first : first + step]
        least[some] += _kth(_pairs(steps, some), counts, k)
    return np.minimum(least, full)


def _pairs(hierarchies: list[tuple[Codes, Floats]], some: Ints) -> Floats:
    """Return how far each distinct tuple is from some of them, row by row, above what a row pays by itself."""
    apart = np.zeros((len(some), hierarchies[0][0].shape[1]))
    for up, steps in hierarchies:
        for blocks, step in zip(up, steps, strict=False):
            apart += np.where(blocks[some, None] == blocks, 0.0, step[some, None])
    return apart


def _kth(apart: Floats, counts: Ints, k: int) -> Floats:
    """Return the distance within which each row has k rows, itself among them; the k nearest tuples have so many."""
    within = min(k, len(counts))
    near = np.argpartition(apart, within - 1, axis=1)[:, :within]
    away = np.take_along_axis(apart, near, axis=1)
    order = np.argsort(away, axis=1, kind="stable")
    rows = np.cumsum(counts[np.take_along_axis(near, order, axis=1)], axis=1)
    place = np.argmax(rows >= k, axis=1)[:, None]
    return np.take_along_axis(np.take_along_axis(away, order, axis=1), place, axis=1)[:, 0]
