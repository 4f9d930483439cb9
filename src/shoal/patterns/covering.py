"""A covering: which pattern every row is published with, row types and not rows; the state of the search.

It is improved step by step and turned into a partition at the end. Two classes at the same pattern are one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shoal.core.arrays import Ints
from shoal.core.sorting import distinct_rows, order_by
from shoal.microdata.partition import Partition
from shoal.patterns.cube import Cube
from shoal.problem import Problem
from shoal.recoding.cells import HierarchyCells


@dataclass(frozen=True, eq=False)
class Covering:
    """Copies of row types, each in a class; every class at a node of the cube."""

    cube: Cube
    types: Ints
    """The type of each copy, in rising order."""
    classes: Ints
    """The class of each copy."""
    nodes: Ints
    """The node of each class."""

    @classmethod
    def of(cls, cube: Cube, pieces: Ints, nodes: Ints) -> Covering:
        """Return the covering made of (type, class, copies) pieces."""
        order = order_by(pieces[:, 0])
        types, classes, copies = pieces[order].T
        return cls(cube, np.repeat(types, copies), np.repeat(classes, copies), nodes).merged()

    @classmethod
    def shown(cls, problem: Problem, cube: Cube, partition: Partition) -> Covering:
        """Return the covering that a partition is published as; a class at a node that is not walked is all stars."""
        published = problem.publish(partition)
        levels = [cells.levels[cells.of_group] for cells in published.cells if isinstance(cells, HierarchyCells)]
        order = order_by(published.partition.class_of_row, cube.type_of_row)  # whatever order the rows have
        of_row = published.partition.class_of_row[order]
        return cls(cube, cube.type_of_row[order], of_row, cube.numbers_at(levels)).merged()

    def merged(self) -> Covering:
        """Number the classes anew, in order of the first type in each, those at the same pattern as one."""
        cube = self.cube
        used, first, own = np.unique(self.classes, return_index=True, return_inverse=True)
        nodes, examples = self.nodes[used], self.types[first]
        blocks = cube.grid.blocks_at(cube.levels[nodes], examples)
        widths = [cube.number, *cube.grid.widths.max(axis=1).tolist()]
        classes, example, _ = distinct_rows([nodes, *blocks], widths)
        return replace(self, classes=classes[own.reshape(-1)], nodes=nodes[example])

    @property
    def costs(self) -> Ints:
        """What each copy pays, in units."""
        number = len(self.nodes)
        examples = np.zeros(number, np.int64)
        examples[self.classes] = self.types
        paid = self.cube.grid.paid_at(self.cube.levels[self.nodes], examples)
        return paid[self.classes]

    @property
    def cost(self) -> int:
        """What all copies pay, in units."""
        return int(self.costs.sum())

    def without(self, chosen: Ints) -> tuple[Ints, Ints]:
        """Return the distinct types of the copies in some classes, and how many copies of each."""
        types, counts = np.unique(self.types[np.isin(self.classes, chosen)], return_counts=True)
        return types, counts.astype(np.int64)

    def replaced(self, changes: list[tuple[Ints, Ints, Ints]]) -> Covering:
        """Return the covering with some classes replaced by others.

        Each change names the classes that go, and those that come as (type, class, copies) pieces and their nodes.
        """
        gone = np.concatenate([chosen for chosen, _, _ in changes])
        kept = ~np.isin(self.classes, gone)
        types, classes = self.types[kept], self.classes[kept]
        pieces, nodes = [np.column_stack([types, classes, np.ones(len(types), np.int64)])], self.nodes
        for _, new, at in changes:
            pieces.append(new + np.array([0, len(nodes), 0]))
            nodes = np.concatenate([nodes, at])
        return Covering.of(self.cube, np.concatenate(pieces), nodes)

    def partition(self, problem: Problem) -> Partition:
        """Give the rows of each type to its classes; which row goes where depends on published cells alone."""
        order = order_by(problem.microdata.identity, self.cube.type_of_row)
        labels = np.empty(problem.rows, dtype=np.int64)
        labels[order] = self.classes[order_by(self.types)]
        return Partition.of(labels)
