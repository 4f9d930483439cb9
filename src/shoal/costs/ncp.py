"""NCP, the normalized certainty penalty (Xu et al. 2006)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats
from shoal.costs.base import RowCost
from shoal.recode import Cells


class NCP(RowCost):
    """Averages over all cells how much of its column a published cell covers, from 0 (the value itself) to 1 (`*`).

    Under a hierarchy (leaves under the cell - 1) / (leaves - 1), leaves as declared; a range (high - low) / (range of
    the column); a set (values - 1) / (distinct values - 1). With weights, the weighted mean over the attributes.
    """

    name: ClassVar[str] = "ncp"
    title: ClassVar[str] = "normalized certainty penalty"
    meaning: ClassVar[str] = "mean share of its column that a published cell covers, 0 to 1"
    takes_weights: ClassVar[bool] = True

    def row_losses(self, cells: Sequence[Cells]) -> Floats:
        """Return the weighted mean penalty of a row of each group."""
        weights = np.array([self.weight(c.column.name) for c in cells])
        return weights @ np.stack([c.ncp[c.of_group] for c in cells]) / weights.sum()  # type: ignore[no-any-return]

    def full_loss(self, cells: Sequence[Cells]) -> float:
        """Return 1."""
        return 1.0

    def per(self, rows: int) -> float:
        """Return the number of rows: NCP is a mean."""
        return float(rows)
