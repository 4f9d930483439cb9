"""Support: what a row pays at least, wherever it is published."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import ClassVar

import numpy as np

from shoal.arrays import Bools, Codes, Floats, Ints
from shoal.bounds.base import Bound
from shoal.cells import HierarchyCells
from shoal.costs import CellCost
from shoal.hierarchies import Hierarchy, StarsOnly
from shoal.microdata import Coded, distinct_rows
from shoal.problem import Problem

MOST_WORK = 4_000_000
"""Lattice nodes times distinct tuples beyond which it is not computed: a release does not wait for it."""


class Support(Bound):
    """Holds for costs that add over cells, and for every model.

    A *pattern* keeps every attribute at some level of its hierarchy (with suppression: the value or a star). In any
    release the class of a row consists of rows that match the row's pattern, so at least as many rows match it as any
    admitted class has, and they show at least as many different sensitive values. A row therefore pays at least the
    least cost of such a pattern; add over the rows. A dropped row pays what the all-star pattern costs, which is no
    less. It dominates the distance to the (k-1)-th nearest neighbour.
    """

    name: ClassVar[str] = "support"
    title: ClassVar[str] = "support"
    meaning: ClassVar[str] = "each row pays at least the cheapest pattern that matches enough rows and enough values"

    def accepts(self, problem: Problem) -> list[str]:
        """Require cells that are blocks of hierarchies, a cost that adds over them, and a lattice soon walked."""
        reasons = []
        if not isinstance(problem.cost, CellCost):
            reasons.append(f"cost {problem.cost.name!r} does not add over cells")
        if problem.recoding == "range":
            reasons.append("ranges and sets are not patterns of a hierarchy")
        elif prod(h.height + 1 for h in _hierarchies(problem)) * len(problem.microdata.counts) > MOST_WORK:
            reasons.append("the lattice of patterns is too large to be walked in passing")
        return reasons

    def of(self, problem: Problem) -> float:
        """Return the sum over all rows of what each pays at least."""
        cost = problem.cost
        assert isinstance(cost, CellCost)
        return float(charges(problem).sum()) / cost.per(problem.rows)


def charges(problem: Problem) -> Floats:
    """Return what each row pays at least."""
    microdata, hierarchies = problem.microdata, _hierarchies(problem)
    blocks = [h.up[:, column] for h, column in zip(hierarchies, microdata.tuples.T, strict=True)]
    losses = list(_losses(problem, hierarchies))
    least = np.full(len(microdata.counts), sum(loss[-1].max() for loss in losses))
    for node in product(*(range(h.height + 1) for h in hierarchies)):
        paid: Floats = np.sum([loss[level] for loss, level in zip(losses, node, strict=True)], axis=0)
        if (paid < least).any():
            enough = _enough(problem, [block[level] for block, level in zip(blocks, node, strict=True)])
            least = np.where(enough & (paid < least), paid, least)
    return least[microdata.tuple_of_row]


def _enough(problem: Problem, blocks: list[Codes]) -> Bools:
    """Return for each distinct tuple whether the rows of its group could contain an admitted class."""
    microdata = problem.microdata
    group, first, _ = distinct_rows(blocks, [int(block.max()) + 1 for block in blocks])
    rows = np.bincount(group, weights=microdata.counts, minlength=len(first))
    enough = rows >= problem.models.least_rows
    for model in problem.models:
        if model.least_values > 1 and len(model.attributes) == 1:
            enough &= _different(problem, group, model.attributes[0]) >= model.least_values
    return enough[group]


def _different(problem: Problem, group: Ints, attribute: str) -> Ints:
    """Return how many different values of an attribute the rows of each group have."""
    values = problem.microdata.attribute(attribute)
    pairs = np.unique(group[problem.microdata.tuple_of_row] * values.size + values.codes)
    return np.bincount(pairs // values.size, minlength=int(group.max()) + 1)


def _hierarchies(problem: Problem) -> tuple[Hierarchy, ...]:
    """Return the hierarchies whose blocks cells can be: with suppression, the value and the star."""
    if problem.recoding == "suppress":
        return tuple(StarsOnly().build(column.values) for column in problem.microdata.quasi)
    return problem.microdata.hierarchies


def _losses(problem: Problem, hierarchies: tuple[Hierarchy, ...]) -> Iterator[Floats]:
    """Return, attribute by attribute, what a row of each distinct tuple pays at each level."""
    cost, microdata = problem.cost, problem.microdata
    assert isinstance(cost, CellCost)
    cells = [_all_cells(column, h) for column, h in zip(microdata.quasi, hierarchies, strict=True)]
    share = cost.share(cells)
    for codes, hierarchy, every in zip(microdata.tuples.T, hierarchies, cells, strict=True):
        start = np.concatenate([[0], np.cumsum([len(labels) for labels in hierarchy.labels])[:-1]])
        yield cost.cell_losses(every)[hierarchy.up[:, codes] + start[:, None]] / share


def _all_cells(column: Coded, hierarchy: Hierarchy) -> HierarchyCells:
    """Return every block of every level as a cell."""
    levels = np.repeat(np.arange(hierarchy.height + 1), [len(labels) for labels in hierarchy.labels])
    blocks = np.concatenate([np.arange(len(labels)) for labels in hierarchy.labels])
    return HierarchyCells(column, np.arange(len(levels)), hierarchy, levels, blocks)
