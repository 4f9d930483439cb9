"""Per-attribute loss: the normalized certainty penalty of each column, and of the one that lost most."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Floats
from shoal.costs.base import Cost
from shoal.microdata.partition import Partition
from shoal.recoding.cells import Cells
from shoal.recoding.recode import Published


class ColumnCost(Cost):
    """A cost worked out of the mean penalty of each column; it never falls where one of them rises."""

    of_classes: ClassVar[bool] = True

    @abstractmethod
    def combined(self, losses: Floats) -> Floats:
        """Return the cost of releases from the penalties of their columns, which lie along the last axis."""

    def of(self, published: Published) -> float:
        """Measure a release."""
        return float(self.combined(np.array(list(attribute_losses(published).values()))))


class AttributeLoss(ColumnCost):
    """Returns the mean penalty of the quasi-identifier that lost most, from 0 to 1: no column is worse off.

    The codebook of a release states the loss of every column. ARX calls it Loss with the aggregate function Maximum.
    """

    name: ClassVar[str] = "attribute-loss"
    title: ClassVar[str] = "largest loss of an attribute"
    meaning: ClassVar[str] = "normalized certainty penalty of the column that lost most"

    def combined(self, losses: Floats) -> Floats:
        """Return the largest."""
        return np.asarray(losses.max(axis=-1))


def attribute_losses(published: Published) -> dict[str, float]:
    """Return the mean penalty of each quasi-identifier."""
    return {cells.column.name: mean_penalty(cells, published.partition) for cells in published.cells}


def mean_penalty(cells: Cells, partition: Partition) -> float:
    """Return the mean penalty of one column; a dropped row counts as starred."""
    paid = float(np.dot(partition.sizes, cells.ncp[cells.of_group]) + partition.dropped)
    return paid / len(partition.class_of_row)
