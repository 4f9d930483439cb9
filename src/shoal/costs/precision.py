"""Precision (Sweeney 2002), as a loss: how high in their hierarchies the published cells lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from shoal.core.arrays import Floats
from shoal.costs.base import CellCost
from shoal.recoding import Recoding
from shoal.recoding.cells import Cells


class Precision(CellCost):
    """Averages level / height over all cells: 1 - Prec. 0 publishes every value, 1 is all stars."""

    name: ClassVar[str] = "precision"
    title: ClassVar[str] = "loss of precision"
    meaning: ClassVar[str] = "mean over cells of level / height of the hierarchy (1 - Prec)"

    @classmethod
    def measures(cls, recoding: type[Recoding]) -> bool:
        """Whether cells are blocks of hierarchies: others have no level."""
        return not recoding.no_patterns

    def cell_losses(self, cells: Cells) -> Floats:
        """Return the height."""
        return cells.height_share

    def full_losses(self, cells: Sequence[Cells]) -> list[float]:
        """Return 1 for each quasi-identifier."""
        return [1.0] * len(cells)

    def share(self, cells: Sequence[Cells]) -> float:
        """Return the number of quasi-identifiers."""
        return float(len(cells))

    def per(self, rows: int) -> float:
        """Return the number of rows: it is a mean."""
        return float(rows)
