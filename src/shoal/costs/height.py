"""Generalization height, weighted (Aggarwal et al. 2005, section 2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from shoal.core.arrays import Floats
from shoal.costs.base import CellCost
from shoal.recoding import Recoding
from shoal.recoding.cells import Cells


class Height(CellCost):
    """Adds up `weight * level / height` over all cells; with suppression, weighted stars."""

    name: ClassVar[str] = "height"
    title: ClassVar[str] = "generalization height"
    meaning: ClassVar[str] = "sum over cells of weight * level / height of the hierarchy"
    takes_weights: ClassVar[bool] = True

    @classmethod
    def measures(cls, recoding: type[Recoding]) -> bool:
        """Whether cells are blocks of hierarchies: others have no level."""
        return not recoding.no_patterns

    def cell_losses(self, cells: Cells) -> Floats:
        """Return the weighted height."""
        return self.weight(cells.column.name) * cells.height_share

    def full_losses(self, cells: Sequence[Cells]) -> list[float]:
        """Return the weights."""
        return [self.weight(column.column.name) for column in cells]
