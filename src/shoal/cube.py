"""The cube: every pattern that rows can be published with, for bounds and methods alike.

A *pattern* keeps each attribute at some level of its hierarchy (with suppression: the value or a star). The patterns
at one level vector, a *node*, are the groups of a group-by; the nodes together are the data cube. Rows that agree in
everything that matters are one *row type* with a count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

import numpy as np

from shoal.arrays import Codes, Floats, Ints
from shoal.costs import CellCost
from shoal.hierarchies import Hierarchy, StarsOnly
from shoal.microdata import Coded, distinct_rows
from shoal.problem import Problem
from shoal.recode import HierarchyCells

MOST_NODES = 200_000
"""Lattices beyond this are not walked."""


@dataclass(frozen=True, eq=False)
class Cube:
    """The row types of a problem and their blocks and losses at every level of every attribute.

    `blocks[r, t]` and `losses[r, t]` are the block of type t and what one of its rows pays, at level row r: the levels
    of the attributes stacked, attribute j from row `first[j]` on.
    """

    counts: Ints
    type_of_row: Ints
    example: Ints
    """One row of each type."""
    blocks: Codes
    losses: Floats
    first: Ints
    heights: tuple[int, ...]

    @classmethod
    def of(cls, problem: Problem) -> Cube:
        """Lay out the cube of a problem whose cells are blocks and whose cost adds over cells."""
        microdata = problem.microdata
        hierarchies = pattern_hierarchies(problem)
        read = sorted({name for model in problem.models for name in (*model.attributes, *model.given)})
        columns = [*microdata.quasi, *(microdata.attribute(name) for name in read)]
        labels, example, counts = distinct_rows([c.codes for c in columns], [c.size for c in columns])
        blocks = [h.up[:, c.codes[example]] for c, h in zip(microdata.quasi, hierarchies, strict=True)]
        losses = list(_losses(problem, hierarchies, example))
        first = np.concatenate([[0], np.cumsum([h.height + 1 for h in hierarchies])[:-1]])
        heights = tuple(h.height for h in hierarchies)
        return cls(counts, labels, example, np.concatenate(blocks), np.concatenate(losses), first, heights)

    @property
    def number(self) -> int:
        """How many nodes there are."""
        return prod(height + 1 for height in self.heights)

    @cached_property
    def nodes(self) -> Ints:
        """All nodes as level rows, node by attribute, those that cost least on average first."""
        levels = np.array(list(product(*(range(height + 1) for height in self.heights))), dtype=np.int64)
        rows = levels + self.first
        mean = self.losses @ self.counts / self.counts.sum()
        return rows[np.argsort(mean[rows].sum(axis=1), kind="stable")]

    def paid(self, node: Ints, types: Ints) -> Floats:
        """Return what one row of each type pays at a node."""
        paid: Floats = self.losses[node][:, types].sum(axis=0)
        return paid


def pattern_hierarchies(problem: Problem) -> tuple[Hierarchy, ...]:
    """Return the hierarchies whose blocks cells can be: with suppression, the value and the star."""
    if problem.recoding == "suppress":
        return tuple(StarsOnly().build(column.values) for column in problem.microdata.quasi)
    return problem.microdata.hierarchies


def refuses(problem: Problem) -> list[str]:
    """Return the reasons why a problem has no cube that can be walked; none if it has."""
    reasons = []
    if problem.recoding == "range":
        reasons.append("ranges and sets are not patterns of a hierarchy")
    elif prod(h.height + 1 for h in pattern_hierarchies(problem)) > MOST_NODES:
        reasons.append(f"the lattice has more than {MOST_NODES:,} nodes")
    if not isinstance(problem.cost, CellCost):
        reasons.append(f"cost {problem.cost.name!r} does not add over cells")
    return reasons


def _losses(problem: Problem, hierarchies: tuple[Hierarchy, ...], example: Ints) -> Iterator[Floats]:
    """Return, attribute by attribute, what a row of each type pays at each level."""
    cost = problem.cost
    assert isinstance(cost, CellCost)
    cells = [_all_cells(c, h) for c, h in zip(problem.microdata.quasi, hierarchies, strict=True)]
    share = cost.share(cells)
    for column, hierarchy, every in zip(problem.microdata.quasi, hierarchies, cells, strict=True):
        start = np.concatenate([[0], np.cumsum([len(labels) for labels in hierarchy.labels])[:-1]])
        yield cost.cell_losses(every)[hierarchy.up[:, column.codes[example]] + start[:, None]] / share


def _all_cells(column: Coded, hierarchy: Hierarchy) -> HierarchyCells:
    """Return every block of every level as a cell."""
    levels = np.repeat(np.arange(hierarchy.height + 1), [len(labels) for labels in hierarchy.labels])
    blocks = np.concatenate([np.arange(len(labels)) for labels in hierarchy.labels])
    return HierarchyCells(column, np.arange(len(levels)), hierarchy, levels, blocks)
