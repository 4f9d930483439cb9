"""What the blocks of hierarchies cost a row, and so the distance of two rows: the cost of the cells that cover both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np

from shoal.core.arrays import AnyInts, Codes, Floats, Ints
from shoal.costs import CellCost
from shoal.models import Rule
from shoal.patterns.cube import block_losses, every_block
from shoal.problem import Problem

FINEST = 2**30
"""How many units are 1 at most."""
FEW = 10_000
"""Denominators of losses up to which they are taken for the fractions that they look like."""


@dataclass(frozen=True, eq=False)
class HierarchyLosses:
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
    def steps(self) -> Floats:
        """By level and value: how much more the cheapest block costs above the level than from it on."""
        return np.diff(self.cheapest, axis=0)

    @property
    def rises(self) -> bool:
        """Whether a block never costs less than one inside it."""
        return bool((np.diff(self.losses, axis=0) >= 0).all())


def hierarchy_losses(problem: Problem) -> tuple[list[HierarchyLosses], float]:
    """Return the losses of each attribute, and what a row of stars pays, for a cost that adds over cells."""
    cost = problem.cost
    assert isinstance(cost, CellCost)
    cells = every_block(problem)
    pairs = zip(cells, block_losses(cost, cells), strict=True)
    return [HierarchyLosses(every.hierarchy.up, losses) for every, losses in pairs], cost.full_loss(cells)


class FlatLosses(NamedTuple):
    """The losses of all attributes one after the other, as compiled loops read them."""

    sizes: Ints
    """How many values each attribute has."""
    starts: Ints
    """Where each attribute begins in `blocks` and `losses`."""
    blocks: Codes
    """Level by level: the block of each value."""
    losses: Floats
    """Level by level: what the block of each value costs a row."""

    @classmethod
    def of(cls, problem: Problem) -> FlatLosses:
        """Return the losses of a problem whose cost adds over cells."""
        hierarchies, _ = hierarchy_losses(problem)
        sizes = np.array([hierarchy.up.shape[1] for hierarchy in hierarchies])
        starts = np.concatenate([[0], np.cumsum([hierarchy.up.size for hierarchy in hierarchies])[:-1]])
        blocks = np.concatenate([hierarchy.up.ravel() for hierarchy in hierarchies])
        return cls(sizes, starts, blocks, np.concatenate([hierarchy.losses.ravel() for hierarchy in hierarchies]))


def distance_refusals(problem: Problem) -> list[str]:
    """Return why distances of rows say nothing of a problem's cost; no reason where they do.

    It takes cells that are blocks of hierarchies, and a cost that adds over them and never falls from a block to one
    around it, nor from a row of stars to a dropped row.
    """
    if problem.global_recoding_refusal:
        return [problem.global_recoding_refusal]
    if not problem.cells_are_blocks:
        return ["it measures distances along hierarchies only"]
    if not isinstance(problem.cost, CellCost):
        return [f"cost {problem.cost.name!r} does not add over cells"]
    hierarchies, full = hierarchy_losses(problem)
    if not all(one.rises for one in hierarchies) or sum(one.losses[-1].max() for one in hierarchies) > full:
        return [f"by cost {problem.cost.name!r} a block may cost less than one inside it"]
    return []


def graph_refusals(problem: Problem) -> list[str]:
    """Return why the graph of rows and their distances proves nothing of a problem: it takes k-anonymity alone."""
    others = [f"{model} is not k-anonymity" for model in problem.bounding if model.rule is not Rule.ROWS]
    return [*others, *distance_refusals(problem)]


@dataclass(frozen=True)
class Units:
    """How losses become whole numbers: so many units are 1."""

    denominator: int
    exact: bool
    """Whether losses are whole numbers of units; if not, they are rounded down."""

    @classmethod
    def of(cls, losses: Iterable[Floats], most: float) -> Units:
        """Find a common denominator of losses of which no sum is above `most` units; else take as many as fit."""
        values = np.unique(np.concatenate([loss.ravel() for loss in losses]))
        room = max(int(min(most / max(float(values.max(initial=0.0)), 2.0**-30), FINEST)), 1)
        common = 1
        for value in values.tolist():
            common = lcm(common, Fraction(value).limit_denominator(FEW).denominator)
            if common > room:
                return cls(room, False)
        scaled = values * common
        exact = bool((np.abs(scaled - np.rint(scaled)) <= 1e-12 * np.maximum(scaled, 1)).all())
        return cls(common, True) if exact else cls(room, False)

    def whole(self, losses: Floats) -> Ints:
        """Return losses in units."""
        scaled = losses * self.denominator
        units = np.rint(scaled) if self.exact else np.floor(scaled * (1 - 2.0**-50))
        return units.astype(np.int64)

    def hierarchy(self, hierarchy: HierarchyLosses) -> WholeLosses:
        """Return the losses of a hierarchy in units."""
        return WholeLosses(hierarchy.up, self.whole(hierarchy.losses))


@dataclass(frozen=True, eq=False)
class WholeLosses:
    """What the blocks above each value of an attribute cost a row, in whole units."""

    up: Codes
    """By level and value: the block."""
    losses: Ints
    """By level and value: what the block costs."""

    def between(self, some: AnyInts, others: AnyInts) -> Ints:
        """Return what the least block costs that holds both of two values, of arrays that fit each other.

        Level by level from the top: so it needs no more memory than its result, however many values there are.
        """
        found = np.zeros(np.broadcast_shapes(some.shape, others.shape), dtype=np.int64)
        for blocks, losses in zip(self.up[::-1], self.losses[::-1], strict=True):
            found = np.where(blocks[some] == blocks[others], losses[some], found)
        return found

    @property
    def finest(self) -> int:
        """The least above 0 that a block costs which holds two values and no smaller one does; 0 if there is none."""
        sizes = np.array([np.bincount(blocks)[blocks] for blocks in self.up])
        grown = np.diff(sizes, axis=0, prepend=0) > 0
        paid = self.losses[grown & (self.losses > 0)]
        return int(paid.min()) if len(paid) else 0
