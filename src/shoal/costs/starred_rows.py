"""Starred rows: the number of records that lost anything to suppression (Xiao, Yi and Tao's tuple minimization)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Bools, Floats
from shoal.costs.base import RowCost
from shoal.recoding.cells import Cells


class StarredRows(RowCost):
    """Counts the rows with at least one `*`: `starred rows <= stars <= columns * starred rows`."""

    name: ClassVar[str] = "starred-rows"
    title: ClassVar[str] = "starred rows"
    meaning: ClassVar[str] = "number of rows with at least one suppressed cell"

    def row_losses(self, cells: Sequence[Cells]) -> Floats:
        """Return 1 for the groups that show a star."""
        starred: Bools = np.any([column.stars[column.of_group] for column in cells], axis=0)
        return starred.astype(np.float64)

    def full_loss(self, cells: Sequence[Cells]) -> float:
        """Return 1."""
        return 1.0
