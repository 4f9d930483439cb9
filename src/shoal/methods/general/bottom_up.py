"""Bottom-up generalization (Wang, Yu and Chakraborty 2004): raise values to their parents until all classes are met."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.sorting import distinct_rows
from shoal.hierarchies import Hierarchy
from shoal.methods.base import Deadline, Method, Progress
from shoal.methods.general.cut_points import single_dimensional_refusals
from shoal.microdata.partition import Partition
from shoal.patterns import pattern_hierarchies
from shoal.problem import Problem, Solution

DIGITS = 9
"""Scores are compared in so many decimal places."""


class BottomUpGeneralization(Method):
    """A heuristic; no bound on the cost, but never above all rows as one class where rows pay for their own cells.

    One cut for the whole table through each hierarchy: a value is in the same block in every row. It begins with the
    values themselves. As long as a class is refused, of all blocks right above one of the cut, the one takes the place
    of all below it that has the least

        information lost / anonymity gained.

    The information lost is what the rows under the block pay more, by the share of the leaves that it holds (NCP); the
    anonymity gained is the number of rows in refused classes that are then in admitted ones. Where nothing is gained,
    the block that loses least is taken, of those that change a refused class. The paper takes the entropy of a target
    and the size of the smallest class; these measures serve every model.

    Cells are then the lowest blocks that hold their class, which lie inside the blocks of the cuts.
    """

    name: ClassVar[str] = "bottom-up"
    title: ClassVar[str] = "bottom-up generalization"
    guarantee: ClassVar[str | None] = None
    running_time: ClassVar[str] = "O(n m) for each block that is tried, at most the square of the number of blocks"
    paper: ClassVar[str] = "Wang, Yu, Chakraborty: Bottom-up generalization: a data mining solution, ICDM 2004"
    models: ClassVar[str] = "any monotone model and conjunction"

    def accepts(self, problem: Problem) -> list[str]:
        """Require models that merging cannot break, and cells that are chosen class by class."""
        return single_dimensional_refusals(problem)

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Raise blocks until every class is admitted; out of time, raise all columns to the top."""
        made, raised = Generalization.of(problem), 0
        first = int(made.failing.sum())
        while made.failing.any():
            progress(1 - int(made.failing.sum()) / first, "raising values to their parents")
            best = None if deadline.passed else min(made.scored(), default=None)
            if best is None:
                return self.solution(problem, Partition.whole(problem.rows), "feasible")
            made = made.raised(best[1])
            raised += 1
        notes = (f"{raised:,} blocks took the place of those below",)
        return self.solution(problem, made.partition, "feasible", notes=notes)


Block = tuple[int, int, int]
"""A block: which attribute, level, and number there."""


@dataclass(frozen=True, eq=False)
class Generalization:
    """One cut through each hierarchy, as the level of each value; its classes, and which rows are in refused ones."""

    problem: Problem
    hierarchies: tuple[Hierarchy, ...]
    counts: list[Ints]
    """How many rows have each value."""
    levels: list[Ints]
    partition: Partition
    failing: Bools
    """Which rows are in classes that a model refuses."""

    @classmethod
    def of(cls, problem: Problem) -> Generalization:
        """Begin with the values themselves."""
        columns = problem.microdata.quasi
        counts = [np.bincount(column.codes, minlength=column.size) for column in columns]
        levels = [np.zeros(column.size, dtype=np.int64) for column in columns]
        hierarchies = tuple(pattern_hierarchies(problem))
        return cls(problem, hierarchies, counts, levels, *_classes(problem, hierarchies, levels))

    def scored(self) -> Iterator[tuple[tuple[float, float], Block]]:
        """Yield the blocks that can be raised to and change a refused class, each with its score, least first."""
        for block in self._parents():
            attribute, level, number = block
            under = self.hierarchies[attribute].up[level] == number
            if not self.failing[under[self.problem.microdata.quasi[attribute].codes]].any():
                continue
            gained = int(self.failing.sum()) - int(self.raised(block).failing.sum())
            lost = self._lost(attribute, under, level)
            yield ((round(lost / gained, DIGITS), 0.0) if gained else (np.inf, round(lost, DIGITS))), block

    def _parents(self) -> Iterator[Block]:
        """Yield the blocks right above the highest block of the cut that they hold, attribute by attribute."""
        for attribute, (hierarchy, levels) in enumerate(zip(self.hierarchies, self.levels, strict=True)):
            occurring = np.flatnonzero(self.counts[attribute])
            for level in range(1, hierarchy.height + 1):
                blocks = hierarchy.up[level, occurring]
                for number in np.unique(blocks).tolist():
                    if levels[occurring[blocks == number]].max() == level - 1:
                        yield attribute, level, number

    def _lost(self, attribute: int, under: Bools, level: int) -> float:
        """Return what the rows under a block pay more when it takes the place of all below it."""
        hierarchy, counts = self.hierarchies[attribute], self.counts[attribute]
        now, then = (_losses(hierarchy, at)[under] for at in (self.levels[attribute], np.full(len(under), level)))
        weight = self.problem.cost.weight(self.problem.microdata.quasi[attribute].name)
        return weight * float(counts[under] @ (then - now))

    def raised(self, block: Block) -> Generalization:
        """Return the cuts in which a block has taken the place of all below it."""
        attribute, level, number = block
        levels = list(self.levels)
        levels[attribute] = np.where(self.hierarchies[attribute].up[level] == number, level, levels[attribute])
        found = _classes(self.problem, self.hierarchies, levels)
        return Generalization(self.problem, self.hierarchies, self.counts, levels, *found)


def _losses(hierarchy: Hierarchy, levels: Ints) -> Floats:
    """Return the share of the leaves that the block of each value holds, at its level."""
    by_level = [hierarchy.ncp[level][hierarchy.up[level]] for level in range(hierarchy.height + 1)]
    losses: Floats = np.array(by_level)[levels, np.arange(len(levels))]
    return losses


def _classes(problem: Problem, hierarchies: tuple[Hierarchy, ...], levels: list[Ints]) -> tuple[Partition, Bools]:
    """Return the classes of rows whose values are in the same blocks, and which rows are in refused ones."""
    keys = []
    for hierarchy, of_value, codes in zip(hierarchies, levels, problem.microdata.tuples.T, strict=True):
        blocks = hierarchy.up[of_value, np.arange(len(of_value))].astype(np.int64)
        keys.append((of_value * hierarchy.up.shape[1] + blocks)[codes])
    labels, _, _ = distinct_rows(keys, [int(key.max()) + 1 for key in keys])
    partition = Partition.of(labels[problem.microdata.tuple_of_row])
    admitted = problem.deciding.admits(problem.classes(partition))
    return partition, ~admitted[partition.class_of_row]
