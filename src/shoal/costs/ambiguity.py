"""Ambiguity (Goldberger and Tassa 2010): how many records a published record may stand for."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.costs.base import Cost
from shoal.recoding.cells import Cells, HierarchyCells
from shoal.recoding.recode import Published


class Ambiguity(Cost):
    """Averages over the rows how many combinations of values their cells cover: 1 for a row that shows all its values.

    A cell covers the declared leaves under a hierarchy, else the column's distinct values. A dropped row covers
    everything.
    """

    name: ClassVar[str] = "ambiguity"
    title: ClassVar[str] = "ambiguity"
    meaning: ClassVar[str] = "mean number of combinations of values that the cells of a row cover, at least 1"
    of_classes: ClassVar[bool] = True

    def of(self, published: Published) -> float:
        """Measure a release."""
        partition, cells = published.partition, published.cells
        covered = np.prod([column.volume[column.of_group].astype(np.float64) for column in cells], axis=0)
        total = float(partition.sizes @ covered) + partition.dropped * everything(published)
        return total / len(partition.class_of_row)


def everything(published: Published) -> float:
    """Return how many combinations of values there are."""
    return float(np.prod(np.array([domain_size(cells) for cells in published.cells], dtype=np.float64)))


def domain_size(cells: Cells) -> int:
    """Return how many values a column has: declared leaves under a hierarchy, else distinct values."""
    return int(cells.hierarchy.leaves[-1][0]) if isinstance(cells, HierarchyCells) else cells.column.size
