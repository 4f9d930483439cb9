"""Stars: the number of suppressed cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Floats
from shoal.costs.base import CellCost
from shoal.recoding.cells import Cells


class Stars(CellCost):
    """Counts the cells published as `*`: `sum |G| a(G)`, a(G) the number of starred columns of class G."""

    name: ClassVar[str] = "stars"
    title: ClassVar[str] = "stars"
    meaning: ClassVar[str] = "number of suppressed cells"

    def cell_losses(self, cells: Cells) -> Floats:
        """Return 1 for a star."""
        return cells.stars.astype(np.float64)

    def full_losses(self, cells: Sequence[Cells]) -> list[float]:
        """Return 1 for each quasi-identifier."""
        return [1.0] * len(cells)
