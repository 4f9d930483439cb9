"""NCP, the normalized certainty penalty (Xu et al. 2006)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from shoal.core.arrays import Floats
from shoal.costs.base import CellCost
from shoal.recoding.cells import Cells


class NCP(CellCost):
    """Averages over all cells how much of its column a published cell covers, from 0 (the value itself) to 1 (`*`).

    Under a hierarchy (leaves under the cell - 1) / (leaves - 1), leaves as declared; a range (high - low) / (range of
    the column); a set (values - 1) / (distinct values - 1). With weights, the weighted mean over the attributes.
    """

    name: ClassVar[str] = "ncp"
    title: ClassVar[str] = "normalized certainty penalty"
    meaning: ClassVar[str] = "mean share of its column that a published cell covers, 0 to 1"
    takes_weights: ClassVar[bool] = True

    def cell_losses(self, cells: Cells) -> Floats:
        """Return the weighted penalty."""
        return self.weight(cells.column.name) * cells.ncp

    def full_losses(self, cells: Sequence[Cells]) -> list[float]:
        """Return the weights."""
        return [self.weight(column.column.name) for column in cells]

    def share(self, cells: Sequence[Cells]) -> float:
        """Return the sum of the weights."""
        return sum(self.full_losses(cells))

    def per(self, rows: int) -> float:
        """Return the number of rows: NCP is a mean."""
        return float(rows)
