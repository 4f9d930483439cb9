"""ARX's Loss with its gs factor: generalization charged against suppression."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Bools, Floats
from shoal.core.errors import ParameterError
from shoal.core.parameters import Number, Numeral
from shoal.costs.base import Cost
from shoal.recoding import Recoding
from shoal.recoding.cells import Cells, HierarchyCells
from shoal.recoding.recode import Published

RANK = "rank"
"""The aggregate that compares the columns' losses one after the other, the largest first."""
AGGREGATES: Mapping[str, Callable[[Floats], float]] = {
    "geometric": lambda losses: float(np.expm1(np.log1p(losses).mean())),
    "arithmetic": lambda losses: float(losses.mean()),
    "maximum": lambda losses: float(losses.max()),
    RANK: lambda losses: _ranked(losses)[0],
}
"""How the losses of columns become one number."""
PLACES = 10
"""Decimal places that losses are compared to where they are ranked, so that rounding errors decide nothing."""


@dataclass(frozen=True)
class ArxLoss(Cost):
    """Returns the columns' losses as one number, from 0 to 1, `gs` weighing suppression and generalization.

    With gs = 0.5 the loss of a column is its mean normalized certainty penalty (NCP), a suppressed row paying 1. Below,
    suppressed rows cost less: with gs = 0 no more than the cells that they would have at the column's level. Above,
    generalization costs less: the share of the domain that a cell covers is multiplied by 2 - 2 gs, and the sum scaled
    to 0 to 1 again; with gs = 1 suppressed rows alone are charged. Suppressed are the rows that show nothing, and
    dropped ones. `aggregate` is geometric, as with ARX where nothing else is asked, arithmetic, maximum or rank.

    With rank releases are compared by their columns' losses from the largest to the smallest: by the largest, where
    these are equal by the next, and so on. The cost is the largest, which is what bounds and gaps speak of; the others
    break ties. All are rounded to ten places.
    """

    name: ClassVar[str] = "arx-loss"
    title: ClassVar[str] = "ARX's loss"
    meaning: ClassVar[str] = "the columns' penalties, generalization charged against suppression by the factor gs"
    parameters: ClassVar[tuple[Number, ...]] = (Number("gs", "generalization against suppression", 0, 1),)

    gs: Numeral = "1/2"
    aggregate: str = "geometric"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.aggregate not in AGGREGATES:
            raise ParameterError(f"{self.name}: aggregate is {self.aggregate!r}", expected=" or ".join(AGGREGATES))

    @classmethod
    def measures(cls, recoding: type[Recoding]) -> bool:
        """Whether a column has one level, so that it is known what a suppressed row would show."""
        return recoding.one_level

    def of(self, published: Published) -> float:
        """Measure a release."""
        return AGGREGATES[self.aggregate](self._losses(published))

    def tie_break(self, published: Published) -> tuple[float, ...]:
        """Return the losses below the largest, in falling order, where losses are ranked."""
        return _ranked(self._losses(published))[1:] if self.aggregate == RANK else ()

    def _losses(self, published: Published) -> Floats:
        """Return the losses of the columns."""
        of_class = np.append(_shows_nothing(published), True)  # a dropped row is class -1
        hidden = of_class[published.partition.class_of_row]
        return np.array([self._loss(cells, hidden) for cells in published.cells])

    def _loss(self, cells: Cells, hidden: Bools) -> float:
        """Return the loss of a column."""
        assert isinstance(cells, HierarchyCells)
        tree, gs = cells.hierarchy, float(self.gs)
        shown = cells.levels[cells.levels < tree.star_level]
        level = int(shown[0]) if len(shown) else tree.star_level
        at_level = np.asarray(tree.ncp[level])[tree.up[level]][cells.column.codes]
        kept = float(np.where(hidden, 1.0, at_level).mean())
        if gs <= 0.5:
            whole = float(at_level.mean())
            return whole + 2 * gs * (kept - whole)
        leaves, factor, gone = int(tree.leaves[-1][0]), 2 - 2 * gs, float(hidden.mean())
        covered = kept * (1 - 1 / leaves) - gone
        return max((factor * covered + gone) / (1 - factor / leaves), 0.0) if leaves > 1 else gone


def _ranked(losses: Floats) -> tuple[float, ...]:
    """Return losses in falling order, rounded.

    >>> _ranked(np.array([0.25, 0.1 + 0.2, 0.3]))
    (0.3, 0.3, 0.25)
    """
    return tuple(sorted((round(loss, PLACES) for loss in losses.tolist()), reverse=True))


def _shows_nothing(published: Published) -> Bools:
    """Return which classes show stars alone."""
    starred: Bools = np.logical_and.reduce([cells.stars[cells.of_group] for cells in published.cells])
    return starred
