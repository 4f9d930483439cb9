"""Precision (Sweeney 2002), as a loss: how high in their hierarchies the published cells lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats
from shoal.costs.base import RowCost
from shoal.recode import Cells, HierarchyCells


class Precision(RowCost):
    """Averages level / height over all cells: 1 - Prec. 0 publishes every value, 1 is all stars."""

    name: ClassVar[str] = "precision"
    title: ClassVar[str] = "loss of precision"
    meaning: ClassVar[str] = "mean over cells of level / height of the hierarchy (1 - Prec)"
    recodings: ClassVar[tuple[str, ...]] = ("suppress", "generalize")

    def row_losses(self, cells: Sequence[Cells]) -> Floats:
        """Return the mean height of a row of each group."""
        heights: Floats = np.mean([c.height_share[c.of_group] for c in cells if isinstance(c, HierarchyCells)], axis=0)
        return heights

    def full_loss(self, cells: Sequence[Cells]) -> float:
        """Return 1."""
        return 1.0

    def per(self, rows: int) -> float:
        """Return the number of rows: it is a mean."""
        return float(rows)
