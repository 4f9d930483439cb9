"""Distances along hierarchies: what the cells cost a row that cover it and another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Codes, Floats, Ints
from shoal.cells import HierarchyCells
from shoal.costs import CellCost
from shoal.cube import pattern_hierarchies
from shoal.hierarchies import Hierarchy
from shoal.microdata import Coded
from shoal.problem import Problem


@dataclass(frozen=True, eq=False)
class Ladder:
    """What the blocks above each value of an attribute cost a row.

    The distance of two values is `cheapest` at the lowest level at which they lie in one block: the least that a cell
    costs that covers both.
    """

    up: Codes
    """By level and value: the block."""
    losses: Floats
    """By level and value: what the block costs."""

    @property
    def cheapest(self) -> Floats:
        """By level and value: what the cheapest block costs that holds the value, from this level on."""
        return np.minimum.accumulate(self.losses[::-1], axis=0)[::-1]

    @property
    def rungs(self) -> Floats:
        """By level and value: how much more the cheapest block costs above the level than from it on."""
        return np.diff(self.cheapest, axis=0)

    @property
    def rises(self) -> bool:
        """Whether a block never costs less than one inside it."""
        return bool((np.diff(self.losses, axis=0) >= 0).all())


def ladders_of(problem: Problem) -> tuple[list[Ladder], float]:
    """Return the ladder of each attribute, and what a row of stars pays, for a cost that adds over cells."""
    cost = problem.cost
    assert isinstance(cost, CellCost)
    hierarchies = pattern_hierarchies(problem)
    cells = [_every_block(*pair) for pair in zip(problem.microdata.quasi, hierarchies, strict=True)]
    share, ladders = cost.share(cells), []
    for hierarchy, every in zip(hierarchies, cells, strict=True):
        start = np.concatenate([[0], np.cumsum([len(labels) for labels in hierarchy.labels])[:-1]])
        losses = cost.cell_losses(every)[hierarchy.up + start[:, None]] / share
        ladders.append(Ladder(hierarchy.up, losses))
    return ladders, cost.full_loss(cells)


def flattened(ladders: list[Ladder]) -> tuple[Ints, Ints, Codes, Floats]:
    """Return the ladders one after the other: numbers of values, where each begins, blocks, losses."""
    sizes = np.array([ladder.up.shape[1] for ladder in ladders])
    starts = np.concatenate([[0], np.cumsum([ladder.up.size for ladder in ladders])[:-1]])
    blocks = np.concatenate([ladder.up.ravel() for ladder in ladders])
    return sizes, starts, blocks, np.concatenate([ladder.losses.ravel() for ladder in ladders])


def _every_block(column: Coded, hierarchy: Hierarchy) -> HierarchyCells:
    """Return every block of every level as a cell."""
    levels = np.repeat(np.arange(hierarchy.height + 1), [len(labels) for labels in hierarchy.labels])
    blocks = np.concatenate([np.arange(len(labels)) for labels in hierarchy.labels])
    return HierarchyCells(column, np.arange(len(levels)), hierarchy, levels, blocks)
