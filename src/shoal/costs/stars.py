"""Stars: the number of suppressed cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.costs.base import RowCost
from shoal.recode import Cells


class Stars(RowCost):
    """Counts the cells published as `*`: `sum |G| a(G)`, a(G) the number of starred columns of class G."""

    name: ClassVar[str] = "stars"
    title: ClassVar[str] = "stars"
    meaning: ClassVar[str] = "number of suppressed cells"

    def row_losses(self, cells: Sequence[Cells]) -> Floats:
        """Return the number of stars in a row of each group."""
        stars: Ints = np.sum([column.stars[column.of_group] for column in cells], axis=0)
        return stars.astype(np.float64)

    def full_loss(self, cells: Sequence[Cells]) -> float:
        """Return the number of quasi-identifiers."""
        return float(len(cells))
