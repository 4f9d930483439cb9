"""Discernibility (Bayardo and Agrawal 2005)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.costs.base import ClassCost
from shoal.recoding import Recoding
from shoal.recoding.cells import Cells


class Discernibility(ClassCost):
    """Adds up, over all rows, how many rows a row cannot be told from: `sum |G|^2`, and n for a dropped row."""

    name: ClassVar[str] = "discernibility"
    title: ClassVar[str] = "discernibility"
    meaning: ClassVar[str] = "sum of the squared class sizes, and n for each dropped row"

    @classmethod
    def measures(cls, recoding: type[Recoding]) -> bool:
        """Whether a release is one table: classes are looked at, not cells."""
        return not recoding.two_tables

    def class_losses(self, cells: Sequence[Cells], sizes: Ints) -> Floats:
        """Return the squared sizes."""
        return sizes.astype(np.float64) ** 2

    def drop_loss(self, cells: Sequence[Cells], rows: int) -> float:
        """Return n: a dropped row cannot be told from any."""
        return float(rows)
