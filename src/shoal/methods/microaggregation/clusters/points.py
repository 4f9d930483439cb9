"""Quasi-identifiers as points in space, so that rows have distances and means.

A column with an order (numbers, dates, declared categories) is one coordinate, standardized: mean 0, variance 1; a
missing value lies at the mean. Any other column is a value at each level of its hierarchy below the star, and two rows
are as far apart as the share of the levels at which they differ: the level of the lowest block that holds both, as a
share of the height. That is a squared Euclidean distance, too: each value is a corner of a simplex. So the mean of rows
is a number for an ordered column, and the shares of its values for another.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import polars as pl

from shoal.core.arrays import Codes, Floats, Ints
from shoal.methods.microaggregation.clusters.kernels import away_from_mean, away_from_point, counted
from shoal.patterns import pattern_hierarchies
from shoal.problem import Problem
from shoal.tables.encoded_column import Coded

COMPILE_FROM = 2_000
"""Points from which it is worth waiting for the compiled loops."""
SPLIT = 2.0**20 + 1
"""Distances are compared in their first 33 bits."""


@dataclass(frozen=True, eq=False)
class Points:
    """Points with coordinates; squared distances are sums over attributes, each times the weight of the attribute."""

    numbers: Floats
    """Point by ordered attribute, times the root of its weight."""
    codes: Codes
    """Point by level of another attribute: the block of the value, numbered on from level to level."""
    weights: Floats
    """How much the levels count."""

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Return the distinct quasi-identifier tuples of a problem as points, in their order."""
        data = problem.microdata
        numbers: list[Floats] = []
        codes: list[Codes] = []
        weights: list[float] = []
        number = 0
        for place, (column, hierarchy) in enumerate(zip(data.quasi, pattern_hierarchies(problem), strict=True)):
            weight, values = problem.cost.weight(column.name), data.tuples[:, place]
            if column.is_ordered and column.values.dtype != pl.Boolean:
                numbers.append(np.sqrt(weight) * _standardized(column)[values])
            else:
                for blocks in hierarchy.up[:-1]:
                    codes.append(blocks[values] + number)
                    weights.append(weight / hierarchy.height)
                    number += int(blocks.max()) + 1
        none = data.tuples[:, :0]
        coordinates = np.column_stack([none, *numbers]).astype(np.float64)
        return cls(coordinates, np.column_stack([none, *codes]).astype(np.int32), np.array(weights))

    def at(self, some: Ints) -> Points:
        """Return some of the points, or one of them several times."""
        return Points(self.numbers[some], self.codes[some], self.weights)

    def __len__(self) -> int:
        return len(self.numbers)

    def from_point(self, one: int, some: Ints) -> Floats:
        """Return how far some points are from one of all."""
        if len(some) < COMPILE_FROM:
            apart = self.codes[some] != self.codes[one]
            return comparable(((self.numbers[some] - self.numbers[one]) ** 2).sum(axis=1) + apart @ self.weights)
        return comparable(away_from_point(self.numbers, self.codes, self.weights, some, one))

    def from_mean(self, of: Ints, counts: Ints, some: Ints) -> Floats:
        """Return how far some points are from the mean of others, each of which counts so often.

        All are too far by the same: what the values of other attributes differ among themselves.
        """
        centre = counts @ self.numbers[of] / counts.sum()
        if len(some) < COMPILE_FROM:
            held = np.bincount(self.codes[of].ravel(), np.repeat(counts, len(self.weights)), len(self.value_weights))
            lost = self.value_weights * (1 - held / counts.sum())
            return comparable(((self.numbers[some] - centre) ** 2).sum(axis=1) + lost[self.codes[some]].sum(axis=1))
        held = counted(self.codes, of, counts, len(self.value_weights))
        lost = self.value_weights * (1 - held / counts.sum())
        return comparable(away_from_mean(self.numbers, self.codes, lost, some, centre))

    @cached_property
    def value_weights(self) -> Floats:
        """How much each value of a level counts."""
        last = self.codes.max(axis=0, initial=-1)
        return np.repeat(self.weights, np.diff(last, prepend=-1))


def in_order(problem: Problem) -> Ints:
    """Return the rows by their quasi-identifiers, equal ones by their other cells."""
    data = problem.microdata
    return np.lexsort((data.identity, data.tuple_of_row)).astype(np.int64)


def comparable(distances: Floats) -> Floats:
    """Round distances to fewer digits, so that those equal but for the order of additions are equal.

    >>> float(comparable(np.array([0.1 + 0.2]))[0]) == float(comparable(np.array([0.3]))[0])
    True
    """
    scaled = distances * SPLIT
    rounded: Floats = scaled - (scaled - distances)
    return rounded


def _standardized(column: Coded) -> Floats:
    """Return the values of a column with mean 0 and variance 1 over its rows; a missing one lies at 0."""
    known = ~np.isnan(column.positions)
    counts = np.bincount(column.codes, minlength=column.size) * known
    base = column.positions[known][0] if known.any() else 0.0  # far from 0 digits would be lost
    values = np.where(known, column.positions, base) - base
    values = np.where(known, values - np.dot(counts, values) / max(counts.sum(), 1), 0.0)
    spread = np.sqrt(np.dot(counts, values**2) / max(counts.sum(), 1))
    return values / spread if spread > 0 else np.zeros(column.size)
