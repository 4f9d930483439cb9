"""Generalization height, weighted (Aggarwal et al. 2005, section 2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats
from shoal.costs.base import RowCost
from shoal.recode import Cells, HierarchyCells


class Height(RowCost):
    """Adds up `weight * level / height` over all cells; with suppression, weighted stars."""

    name: ClassVar[str] = "height"
    title: ClassVar[str] = "generalization height"
    meaning: ClassVar[str] = "sum over cells of weight * level / height of the hierarchy"
    recodings: ClassVar[tuple[str, ...]] = ("suppress", "generalize")
    takes_weights: ClassVar[bool] = True

    def row_losses(self, cells: Sequence[Cells]) -> Floats:
        """Return the weighted height of a row of each group."""
        blocks = [c for c in cells if isinstance(c, HierarchyCells)]
        heights: Floats = np.sum([self.weight(c.column.name) * c.height_share[c.of_group] for c in blocks], axis=0)
        return heights

    def full_loss(self, cells: Sequence[Cells]) -> float:
        """Return the sum of the weights."""
        return sum(self.weight(c.column.name) for c in cells)
