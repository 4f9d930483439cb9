"""Nearest neighbour: a row pays for the k - 1 rows it is published with (Aggarwal et al. 2005, section 4)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.arrays import Codes, Floats, Ints
from shoal.bounds.base import Bound
from shoal.cells import HierarchyCells
from shoal.costs import CellCost
from shoal.hierarchies import Hierarchy, StarsOnly
from shoal.microdata import Coded
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
        if problem.recoding == "range":
            reasons.append("it measures distances along hierarchies only")
        elif _work(problem) > MOST_WORK:
            reasons.append("there are too many distinct rows to be compared in passing")
        return reasons

    def of(self, problem: Problem) -> float:
        """Return the sum over all rows of their distances."""
        cost, counts = problem.cost, problem.microdata.counts
        assert isinstance(cost, CellCost)
        return float((counts * distances(problem)).sum()) / cost.per(problem.rows)


def _lonely(problem: Problem) -> Ints:
    """Return the distinct tuples of fewer rows than a class needs; the other rows are at no distance."""
    return np.flatnonzero(problem.microdata.counts < problem.models.least_rows)


def _work(problem: Problem) -> int:
    levels = sum(hierarchy.height for hierarchy in _hierarchies(problem))
    return len(_lonely(problem)) * len(problem.microdata.counts) * levels


def distances(problem: Problem) -> Floats:
    """Return, for a row of each distinct tuple, the distance to its (k-1)-th nearest other row."""
    counts, k = problem.microdata.counts, problem.models.least_rows
    ladders, full = _ladders(problem)
    least: Floats = np.sum([start for _, start, _ in ladders], axis=0)
    if problem.rows < k:
        return np.full(len(counts), full)
    lonely = _lonely(problem)
    step = max(CHUNK // len(counts), 1)
    for first in range(0, len(lonely), step):
        some = lonely[first : first + step]
        least[some] += _kth(_pairs(ladders, some), counts, k)
    return np.minimum(least, full)


def _pairs(ladders: list[tuple[Codes, Floats, Floats]], some: Ints) -> Floats:
    """Return how far each distinct tuple is from some of them, row by row, above what a row pays by itself."""
    apart = np.zeros((len(some), ladders[0][0].shape[1]))
    for up, _, rungs in ladders:
        for blocks, rung in zip(up, rungs, strict=False):
            apart += np.where(blocks[some, None] == blocks, 0.0, rung[some, None])
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


def _ladders(problem: Problem) -> tuple[list[tuple[Codes, Floats, Floats]], float]:
    """Return, attribute by attribute, blocks, least loss and rungs of the tuples; and what a row of stars pays.

    Rung h is how much more the cheapest block costs that holds the value and is above level h. So the distance of
    two values is the least loss and the rungs of all levels at which they lie in different blocks.
    """
    microdata, cost = problem.microdata, problem.cost
    assert isinstance(cost, CellCost)
    hierarchies = _hierarchies(problem)
    cells = [_every_block(*pair) for pair in zip(microdata.quasi, hierarchies, strict=True)]
    share, ladders = cost.share(cells), []
    for codes, hierarchy, every in zip(microdata.tuples.T, hierarchies, cells, strict=True):
        start = np.concatenate([[0], np.cumsum([len(labels) for labels in hierarchy.labels])[:-1]])
        losses = cost.cell_losses(every)[hierarchy.up[:, codes] + start[:, None]] / share
        cheapest = np.minimum.accumulate(losses[::-1], axis=0)[::-1]
        ladders.append((hierarchy.up[:, codes], cheapest[0], np.diff(cheapest, axis=0)))
    return ladders, cost.full_loss(cells)


def _every_block(column: Coded, hierarchy: Hierarchy) -> HierarchyCells:
    """Return every block of every level as a cell."""
    levels = np.repeat(np.arange(hierarchy.height + 1), [len(labels) for labels in hierarchy.labels])
    blocks = np.concatenate([np.arange(len(labels)) for labels in hierarchy.labels])
    return HierarchyCells(column, np.arange(len(levels)), hierarchy, levels, blocks)


def _hierarchies(problem: Problem) -> tuple[Hierarchy, ...]:
    """Return the hierarchies whose blocks cells can be: with suppression, the value and the star."""
    if problem.recoding == "suppress":
        return tuple(StarsOnly().build(column.values) for column in problem.microdata.quasi)
    return problem.microdata.hierarchies
