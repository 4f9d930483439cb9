"""Uniform entropy: the bits that a cell leaves open if all values that it covers are equally likely."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Floats
from shoal.costs.ambiguity import domain_size
from shoal.costs.base import CellCost
from shoal.recoding.cells import Cells


class UniformEntropy(CellCost):
    """Averages `log2(values covered)` over all cells, as a share of its maximum, 0 to 1.

    A cell covers the declared leaves under a hierarchy, else the column's distinct values. It needs no frequencies; ARX
    calls the sum over the rows entropy-based information loss, after Wan et al. (2015).
    """

    name: ClassVar[str] = "uniform-entropy"
    title: ClassVar[str] = "uniform entropy"
    meaning: ClassVar[str] = "log2 of the number of values that a cell covers, as a share of its maximum"

    def cell_losses(self, cells: Cells) -> Floats:
        """Return the bits that each cell leaves open."""
        bits: Floats = np.log2(np.maximum(cells.volume, 1).astype(np.float64))
        return bits

    def full_losses(self, cells: Sequence[Cells]) -> list[float]:
        """Return the bits of each column."""
        return [float(np.log2(max(domain_size(column), 1))) for column in cells]

    def share(self, cells: Sequence[Cells]) -> float:
        """Return the bits of all columns together; 1 where every column is constant and nothing can be lost."""
        return sum(self.full_losses(cells)) or 1.0

    def per(self, rows: int) -> float:
        """Return the number of rows: it is a mean."""
        return float(rows)
