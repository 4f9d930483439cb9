"""The rows that are in no group yet, and the order in which MDAV takes seeds for groups from them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.methods.microaggregation.clusters.points import Points, in_order
from shoal.problem import Problem


class Remaining:
    """Rows that are left, at points. Of points equally far the first one counts, of rows at a point the first ones.

    Points are in the order of their values, rows at a point in that of their other cells: so what is chosen does not
    depend on the order of rows.
    """

    def __init__(self, points: Points, counts: Ints, order: Ints) -> None:
        self.points, self.order = points, order
        self.next = np.concatenate([[0], np.cumsum(counts)[:-1]])
        """Where the next row at each point stands in `order`."""
        self.left = counts.copy()
        self.some = np.arange(len(counts))
        """The points where rows are left."""
        self.rows = int(counts.sum())

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Return all rows of a problem, equal ones at one point."""
        return cls(Points.of(problem), problem.microdata.counts, in_order(problem))

    @classmethod
    def one_by_one(cls, problem: Problem) -> Self:
        """Return all rows of a problem, each at a point of its own."""
        order = in_order(problem)
        points = Points.of(problem).at(problem.microdata.tuple_of_row[order])
        return cls(points, np.ones(len(order), dtype=np.int64), order)

    def farthest_from_mean(self) -> int:
        """Return the point farthest from the mean of the rows left."""
        return int(self.some[np.argmax(self.points.from_mean(self.some, self.left[self.some], self.some))])

    def farthest_from(self, one: int) -> int:
        """Return the point farthest from one."""
        return int(self.some[np.argmax(self.points.from_point(one, self.some))])

    def away(self, seed: int) -> Floats:
        """Return how far the points left are from one of them, which is nearer than any other."""
        away = self.points.from_point(seed, self.some)
        away[np.searchsorted(self.some, seed)] = -1.0
        return away

    def nearest(self, seed: int, rows: int) -> Ints:
        """Return the points nearest to one of them, itself first, as many as it takes to have so many rows."""
        away = self.away(seed)
        most = min(rows, len(away)) - 1
        near = np.flatnonzero(away <= np.partition(away, most)[most])
        near = near[np.argsort(away[near], kind="stable")]
        enough = int(np.searchsorted(np.cumsum(self.left[self.some[near]]), rows)) + 1
        return self.some[near[:enough]]

    def take(self, points: Ints, rows: int) -> Ints:
        """Take so many rows at some points, those at the first points first."""
        found: list[Ints] = []
        self.rows -= rows
        for point in points.tolist():
            taken = min(int(self.left[point]), rows)
            rows -= taken
            found.append(self.order[self.next[point] : self.next[point] + taken])
            self.next[point] += taken
            self.left[point] -= taken
        self.some = self.some[self.left[self.some] > 0]
        return np.concatenate(found)

    def take_rest(self) -> Ints:
        """Take all rows that are left, in their order."""
        return self.take(self.some, self.rows)


def seeds(remaining: Remaining, least: int) -> Iterator[int]:
    """Yield points for groups to form around, as long as so many rows are left; the caller takes the groups' rows.

    One is farthest from the mean of the rows left, the next farthest from it, and so on.
    """
    while remaining.rows >= least:
        first = remaining.farthest_from_mean()
        yield first
        if remaining.rows >= least:
            yield remaining.farthest_from(first)
