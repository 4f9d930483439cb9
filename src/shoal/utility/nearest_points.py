"""Nearest points: how far the nearest of many points is from each of others, and how many are as near.

A balanced kd tree (Bentley 1975; Friedman, Bentley and Finkel 1977) whose levels are arrays, so that many points are
looked up together. Every node is cut across its longest side in two halves of equal size. A point is first compared
with the points of one leaf. Then the tree is gone through level by level: those nodes are kept whose boxes are no
farther than the nearest point found so far.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.core.arrays import Floats, Ints

LEAF = 16
"""Points of a leaf at most."""
TOGETHER = 512
"""Points that are looked up together."""
PAIRS = 20_000
"""Pairs of a point and a leaf whose distances are laid out together."""


@dataclass(frozen=True, eq=False)
class KdTree:
    """Different points and how often each is there; the boxes of the nodes, level by level."""

    leaves: Floats
    """Leaf by place by coordinate; places that no point takes are at infinity."""
    weights: Ints
    """Leaf by place: how often the point is there."""
    low: tuple[Floats, ...]
    high: tuple[Floats, ...]

    @classmethod
    def of(cls, points: Floats) -> KdTree:
        """Build the tree of some points, at least one; equal ones are one with a weight."""
        distinct, counts = np.unique(points, axis=0, return_counts=True)
        depth = max((len(distinct) - 1) // LEAF, 0).bit_length()
        places = 2**depth * -(-len(distinct) // 2**depth)
        filled = np.full((1, places, points.shape[1]), np.inf)
        filled[0, : len(distinct)] = distinct
        weights = np.zeros((1, places), dtype=np.int64)
        weights[0, : len(distinct)] = counts
        low, high = [], []
        for level in range(depth + 1):
            low.append(filled.min(axis=1))
            high.append(np.where(np.isinf(filled), -np.inf, filled).max(axis=1))
            if level < depth:
                filled, weights = _halved(filled, weights, np.argmax(_sides(low[-1], high[-1]), axis=1))
        return cls(filled, weights, tuple(low), tuple(high))

    def nearest(self, points: Floats, *, near: float, within: Floats) -> tuple[Floats, Ints]:
        """Return how far the nearest point is from each of these, and how many are at most `near` times as far.

        `within` are distances that the nearest points are known to be at most at; infinite where none is known.
        """
        parts = [slice(start, start + TOGETHER) for start in range(0, len(points), TOGETHER)]
        found = [self._nearest(points[part], near, within[part]) for part in parts]
        return np.concatenate([far for far, _ in found]), np.concatenate([many for _, many in found])

    def _nearest(self, points: Floats, near: float, within: Floats) -> tuple[Floats, Ints]:
        everybody = np.arange(len(points))
        first = self._distances(points, everybody, self._own_leaf(points)).min(axis=1)
        bound = np.minimum(first, within**2 * (1 + 1e-9)) * near**2
        asked, leaf = everybody, np.zeros(len(points), dtype=np.int64)
        for low, high in zip(self.low[1:], self.high[1:], strict=True):
            asked, leaf = np.repeat(asked, 2), np.repeat(2 * leaf, 2)
            leaf[1::2] += 1
            kept = _from_box(points[asked], low[leaf], high[leaf]) <= bound[asked]
            asked, leaf = asked[kept], leaf[kept]
        return self._within_leaves(points, asked, leaf, first, near)

    def _within_leaves(
        self, points: Floats, asked: Ints, leaf: Ints, first: Floats, near: float
    ) -> tuple[Floats, Ints]:
        """Return distances and numbers from all points of the leaves that are left, a few leaves at a time."""
        parts = [slice(start, start + PAIRS) for start in range(0, len(asked), PAIRS)]
        nearest = first.copy()
        for part in parts:
            np.minimum.at(nearest, asked[part], self._distances(points, asked[part], leaf[part]).min(axis=1))
        many = np.zeros(len(points), dtype=np.int64)
        for part in parts:
            close = self._distances(points, asked[part], leaf[part]) <= (nearest * near**2)[asked[part], None]
            np.add.at(many, asked[part], (close * self.weights[leaf[part]]).sum(axis=1))
        return np.sqrt(nearest), many

    def _own_leaf(self, points: Floats) -> Ints:
        """Return a leaf that each point is in or near: from the root on the nearer one of two nodes."""
        leaf = np.zeros(len(points), dtype=np.int64)
        for low, high in zip(self.low[1:], self.high[1:], strict=True):
            left, right = (_from_box(points, low[node], high[node]) for node in (2 * leaf, 2 * leaf + 1))
            leaf = 2 * leaf + (right < left)
        return leaf

    def _distances(self, points: Floats, asked: Ints, leaf: Ints) -> Floats:
        """Return the squared distances of points to the points of one leaf each."""
        squares: Floats = ((self.leaves[leaf] - points[asked, None]) ** 2).sum(axis=2)
        return squares


def _halved(filled: Floats, weights: Ints, side: Ints) -> tuple[Floats, Ints]:
    """Return the points of the two halves of each node, cut across a side."""
    number, places, sides = filled.shape
    along = np.take_along_axis(filled, side[:, None, None], axis=2)[:, :, 0]
    order = np.argpartition(along, places // 2, axis=1)
    filled = np.take_along_axis(filled, order[:, :, None], axis=1)
    weights = np.take_along_axis(weights, order, axis=1)
    return filled.reshape(2 * number, places // 2, sides), weights.reshape(2 * number, places // 2)


def _sides(low: Floats, high: Floats) -> Floats:
    """Return how long the sides of boxes are; 0 where no point is in one."""
    empty = low > high
    return np.where(empty, 0.0, high - np.where(empty, 0.0, low))


def _from_box(points: Floats, low: Floats, high: Floats) -> Floats:
    """Return the squared distance of points to a box each, 0 inside; infinite where no point is in the box."""
    squares: Floats = (np.maximum(np.maximum(low - points, points - high), 0.0) ** 2).sum(axis=1)
    return squares
