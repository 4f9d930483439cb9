"""Clusters of rows with their means, on the way from many to few."""

from __future__ import annotations

import numpy as np

from shoal.core.arrays import Codes, Floats, Ints
from shoal.methods.microaggregation.clusters.points import Points, in_order
from shoal.microdata.partition import Partition
from shoal.problem import Problem

DIGITS = 12
"""Digits after the point in which distances of means are compared."""


class Clusters:
    """Clusters that take in the nearest others. Numbers stay; one that is taken in has no rows any more.

    The distance of two clusters is that of their means.
    """

    def __init__(self, problem: Problem, partition: Partition) -> None:
        self.order = in_order(problem)
        self.points = Points.of(problem).at(problem.microdata.tuple_of_row[self.order])
        self.of_row = partition.class_of_row[self.order]
        """The cluster of each row, in `order`: sums do not depend on the order of the table."""
        self.sizes = partition.sizes.copy()
        none = np.empty((len(self.sizes), 0))
        sums = [np.bincount(self.of_row, weights=column) for column in self.points.numbers.T]
        self.means = np.column_stack([none, *sums]) / self.sizes[:, None]
        self.squares = np.column_stack([none, *(_squares(self.of_row, codes) for codes in self.points.codes.T)])
        """For each cluster, level by level, the sum of the squares of its values' shares."""

    @property
    def alive(self) -> Ints:
        """The clusters that have rows."""
        return np.flatnonzero(self.sizes)

    @property
    def partition(self) -> Partition:
        """The clusters as they are now."""
        labels = np.empty_like(self.of_row)
        labels[self.order] = self.of_row
        return Partition.of(labels)

    def rows(self, one: int) -> Ints:
        """Return the rows of a cluster."""
        rows: Ints = self.order[self.of_row == one]
        return rows

    def nearest(self, one: int) -> int:
        """Return the other cluster whose mean is nearest; of several the first."""
        alive = self.alive
        others = alive[alive != one]
        return int(others[np.argmin(np.round(self.away(one)[others], DIGITS))])

    def away(self, one: int) -> Floats:
        """Return the squared distances of all means from one; at each level |p - q|^2 / 2 of the shares p and q."""
        mine = self.of_row == one
        away: Floats = ((self.means - self.means[one]) ** 2).sum(axis=1)
        for level, weight in enumerate(self.points.weights.tolist()):
            codes = self.points.codes[:, level]
            shares = np.bincount(codes[mine], minlength=int(codes.max()) + 1) / self.sizes[one]
            both = np.bincount(self.of_row, weights=shares[codes], minlength=len(self.sizes))
            products = both / np.maximum(self.sizes, 1)
            apart = (self.squares[one, level] + self.squares[:, level]) / 2 - products
            away += weight * np.maximum(apart, 0.0)
        return away

    def merge(self, one: int, other: int) -> None:
        """Let a cluster take in another."""
        together = self.sizes[one] + self.sizes[other]
        self.means[one] += (self.means[other] - self.means[one]) * (self.sizes[other] / together)
        self.of_row[self.of_row == other] = one
        self.sizes[one], self.sizes[other] = together, 0
        mine = self.of_row == one
        for level in range(self.squares.shape[1]):
            shares = np.bincount(self.points.codes[mine, level]) / together
            self.squares[one, level] = shares @ shares


def _squares(of_row: Ints, codes: Codes) -> Floats:
    """Return, for each cluster, the sum of the squares of its values' shares."""
    width = int(codes.max()) + 1
    pairs, counts = np.unique(of_row * width + codes, return_counts=True)
    squares: Floats = np.bincount(pairs // width, weights=counts**2) / np.bincount(of_row) ** 2
    return squares
