"""A covering: which pattern every row is published with, pieces of row types and not rows; the state of the search.

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
    """Pieces, each of some rows of one type in one class; every class at a node of the cube."""

    cube: Cube
    types: Ints
    """The type of each piece, in rising order."""
    classes: Ints
    """The class of each piece."""
    copies: Ints
    """The number of rows of each piece."""
    nodes: Ints
    """The node of each class."""

    @classmethod
    def of(cls, cube: Cube, pieces: Ints, nodes: Ints) -> Covering:
        """Return the covering made of (type, class, copies) pieces."""
        types, classes, copies = pieces[pieces[:, 2] > 0].T
        order = order_by(types)
        return cls(cube, types[order], classes[order], copies[order], nodes).merged()

    @classmethod
    def of_rows(cls, cube: Cube, types: Ints, classes: Ints, nodes: Ints) -> Covering:
        """Return the covering of rows, each of a type and in a class."""
        _, example, copies = distinct_rows([types, classes], [cube.types, len(nodes)])
        return cls.of(cube, np.column_stack([types[example], classes[example], copies]), nodes)

    @classmethod
    def shown(cls, problem: Problem, cube: Cube, partition: Partition) -> Covering:
        """Return the covering that a partition is published as; a class at a node that is not walked is all stars."""
        published = problem.publish(partition)
        levels = [cells.levels[cells.of_group] for cells in published.cells if isinstance(cells, HierarchyCells)]
        order = order_by(published.partition.class_of_row, cube.type_of_row)  # whatever order the rows have
        of_row = published.partition.class_of_row[order]
        return cls.of_rows(cube, cube.type_of_row[order], of_row, cube.numbers_at(levels))

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
        """What a row of each piece pays, in units."""
        number = len(self.nodes)
        examples = np.zeros(number, np.int64)
        examples[self.classes] = self.types
        paid = self.cube.grid.paid_at(self.cube.levels[self.nodes], examples)
        return paid[self.classes]

    @property
    def cost(self) -> int:
        """What all rows pay, in units."""
        return int(self.costs @ self.copies)

    @property
    def rows(self) -> tuple[Ints, Ints]:
        """The type of each row, in rising order, and its class."""
        return np.repeat(self.types, self.copies), np.repeat(self.classes, self.copies)

    def without(self, chosen: Ints) -> tuple[Ints, Ints]:
        """Return the distinct types of the rows in some classes, and how many rows of each."""
        inside = np.isin(self.classes, chosen)
        counts = np.bincount(self.types[inside], weights=self.copies[inside]).astype(np.int64)
        types = np.flatnonzero(counts)
        return types, counts[types]

    def replaced(self, changes: list[tuple[Ints, Ints, Ints]]) -> Covering:
        """Return the covering with some classes replaced by others.

        Each change names the classes that go, and those that come as (type, class, copies) pieces and their nodes.
        """
        gone = np.concatenate([chosen for chosen, _, _ in changes])
        kept = ~np.isin(self.classes, gone)
        pieces, nodes = [np.column_stack([self.types, self.classes, self.copies])[kept]], self.nodes
        for _, new, at in changes:
            pieces.append(new + np.array([0, len(nodes), 0]))
            nodes = np.concatenate([nodes, at])
        return Covering.of(self.cube, np.concatenate(pieces), nodes)

    def partition(self, problem: Problem) -> Partition:
        """Give the rows of each type to its classes; which row goes where depends on published cells alone."""
        order = order_by(problem.microdata.identity, self.cube.type_of_row)
        labels = np.empty(problem.rows, dtype=np.int64)
        labels[order] = self.rows[1]
        return Partition.of(labels)
