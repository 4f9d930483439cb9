"""Geometric loss: the columns' penalties by their geometric mean, as ARX adds them up when nothing else is asked."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.core.arrays import Floats
from shoal.costs.attribute_loss import ColumnCost


class GeometricLoss(ColumnCost):
    """Returns `(product of (1 + loss of a column)) ** (1 / columns) - 1`, from 0 to 1.

    The loss of a column is its mean normalized certainty penalty; a dropped row counts as starred. Of two releases of
    equal NCP the one is better that loses unevenly. It is the number that ARX calls Loss; with ARX's other ways to add
    up columns that is `ncp` (arithmetic mean; the sum is so many times it) or `attribute-loss` (maximum).
    """

    name: ClassVar[str] = "geometric-loss"
    title: ClassVar[str] = "geometric loss"
    meaning: ClassVar[str] = "geometric mean of the columns' normalized certainty penalties, each raised by 1, less 1"

    def combined(self, losses: Floats) -> Floats:
        """Return the geometric mean of the losses, each raised by 1, less 1."""
        return np.asarray(np.expm1(np.log1p(losses).mean(axis=-1)))
