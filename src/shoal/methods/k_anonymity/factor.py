"""What the methods by factors share: distances in whole units, blocks of rows, what a factor's weight proves."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar

import numpy as np

from shoal.bounds.hierarchy_losses import Units, WholeLosses, graph_refusals, hierarchy_losses
from shoal.core.arrays import Codes, Ints
from shoal.costs import CellCost
from shoal.methods.base import Deadline, Method, Progress
from shoal.methods.k_anonymity.blocks import blocks_of
from shoal.microdata.partition import Partition
from shoal.problem import Problem, Solution

FINEST = 2.0**30
"""How many units a row pays at most."""
FEW = 200
"""How many units a row pays at most where distances are few."""


@dataclass(frozen=True, eq=False)
class Distances:
    """How far the rows of a block are from each other, attribute by attribute, in whole units."""

    hierarchies: tuple[WholeLosses, ...]
    codes: Codes
    """Row by attribute: its value."""

    @property
    def apart(self) -> Ints:
        """The distance of every two rows: the sum over the attributes."""
        apart = np.zeros((len(self.codes), len(self.codes)), dtype=np.int64)
        for hierarchy, codes in zip(self.hierarchies, self.codes.T, strict=True):
            apart += hierarchy.between(codes[:, None], codes)
        return apart

    def spread(self, groups: Ints) -> Ints:
        """Return what a row of each group pays, given the rows of each: by attribute, the farthest from the first.

        The blocks that hold a row lie in each other, so the one that reaches farthest from the first holds all.
        """
        paid = np.zeros(len(groups), dtype=np.int64)
        for hierarchy, codes in zip(self.hierarchies, self.codes.T, strict=True):
            paid += hierarchy.between(codes[groups[:, :1]], codes[groups]).max(axis=1)
        return paid


class Factor(Method):
    """Classes from a least factor of the graph of rows, block by block.

    What a subclass's factor weighs bounds the optimum from below, and its classes cost at most three times that.
    """

    k: ClassVar[int]
    proved: ClassVar[tuple[float, float, float]]
    """How often the weight goes into the optimum: where columns have two values, in general, where rows may go."""
    most_rows: ClassVar[tuple[int, int]]
    """Rows of a block where rows are at few different distances, as stars are, and where at many, as by NCP.

    Larger tables are cut in halves until blocks have no more."""

    def promise(self, problem: Problem) -> str | None:
        """Return the guarantee for the problem: three times the weight, over how often it goes into the optimum."""
        return f"cost <= {3 / self.times(problem):g} * optimum"

    def times(self, problem: Problem) -> float:
        """Return how often the weight of a least factor of all rows goes into the optimum."""
        return self.proved[2 if problem.may_drop else 1 - _is_binary(problem)]

    def accepts(self, problem: Problem) -> list[str]:
        """Require the k that the factor is for, and what the graph of rows can prove."""
        least = problem.models.least_rows
        return [*graph_refusals(problem), *([f"it is for k={self.k}, not for k={least}"] if least != self.k else [])]

    @abstractmethod
    def parts(self, distances: Distances) -> tuple[int, list[list[int]]]:
        """Return the weight of a least factor of some rows, and classes made of it."""

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Find the factor of each block; rows of blocks that time does not allow for are classes in their order."""
        hierarchies, _ = hierarchy_losses(problem)
        units = Units.of((hierarchy.losses for hierarchy in hierarchies), FINEST / len(hierarchies))
        whole = tuple(map(units.hierarchy, hierarchies))
        many = units.denominator * sum(float(hierarchy.losses.max()) for hierarchy in hierarchies) > FEW
        blocks, labels = blocks_of(problem, self.most_rows[many]), np.empty(problem.rows, dtype=np.int64)
        number = done = weight = 0
        for place, rows in enumerate(blocks):
            progress(place / len(blocks), "looking for a least factor")
            if deadline.passed:
                parts = in_order(len(rows), self.k)
            else:
                weight, parts = self.parts(Distances(whole, problem.microdata.codes[rows]))
                done += 1
            for part in parts:
                labels[rows[part]] = number
                number += 1
        found = self._stated(problem, Partition.of(labels), [len(rows) for rows in blocks], done)
        if done < len(blocks) or len(blocks) > 1:
            return found
        return replace(found, lower_bound=self.bound(problem, Fraction(weight, units.denominator)))

    def bound(self, problem: Problem, weight: Fraction) -> float:
        """Return what the weight of a least factor of all rows proves, never above it."""
        assert isinstance(problem.cost, CellCost)
        return float(weight) * self.times(problem) / problem.cost.per(problem.rows) * (1 - 2.0**-50)

    def _stated(self, problem: Problem, partition: Partition, sizes: list[int], done: int) -> Solution:
        """Say what is proved: of the whole where one block holds it, else of each block."""
        if len(sizes) == done == 1:
            return self.solution(problem, partition, "within_bound")
        factor = 3 / self.times(replace(problem, max_dropped=Fraction(0)))
        notes = [f"{len(sizes):,} blocks of at most {max(sizes):,} rows"]
        if done:
            notes[0] += f"; within each the cost is at most {factor:g} times the block's optimum"
        if done < len(sizes):
            notes.append(f"time ran out after {done:,} blocks: the other rows were joined in their order")
        return self.solution(problem, partition, "feasible", notes=tuple(notes))


def _is_binary(problem: Problem) -> bool:
    """Whether no column has more than two values, which cost nothing as they are: of three rows two then agree."""
    hierarchies, _ = hierarchy_losses(problem)
    values = [np.unique(column) for column in problem.microdata.tuples.T]
    return all(
        len(some) <= 2 and not hierarchy.losses[0, some].any()
        for hierarchy, some in zip(hierarchies, values, strict=True)
    )


def in_order(rows: int, k: int) -> list[list[int]]:
    """Return classes of k rows that follow each other, the last of up to 2k - 1.

    >>> in_order(7, 2)
    [[0, 1], [2, 3], [4, 5, 6]]
    """
    starts = [*range(0, max(rows - k, 0) + 1, k)]
    return [list(range(*ends)) for ends in pairwise([*starts, rows])]
