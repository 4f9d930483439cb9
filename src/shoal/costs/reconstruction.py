"""Reconstruction error of two tables (Xiao and Tao 2006)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.costs.base import ClassCost
from shoal.recoding import Recoding
from shoal.recoding.anatomy import CountedCells
from shoal.recoding.cells import Cells


class Reconstruction(ClassCost):
    """Returns the mean over rows of the squared distance between what a row is and what the tables say of it.

    A row is the point of its own sensitive value v; the tables put it at each value w of its group G with probability
    `c(w) / |G|`. The squared distance is `1 - 2 c(v) / |G| + sum c^2 / |G|^2`; over the rows of a group it adds up to
    `|G| - sum c^2 / |G|`. From 0, where every group has one value, to 1, which a dropped row pays: the tables put it
    nowhere. Several sensitive columns are read jointly.
    """

    name: ClassVar[str] = "reconstruction"
    reads_sensitive: ClassVar[bool] = True
    title: ClassVar[str] = "reconstruction error"
    meaning: ClassVar[str] = "mean squared distance of a row's sensitive value from what its group says of it"

    @classmethod
    def measures(cls, recoding: type[Recoding]) -> bool:
        """Whether a release is two tables."""
        return recoding.two_tables

    def class_losses(self, cells: Sequence[Cells], sizes: Ints) -> Floats:
        """Return `|G| - sum c^2 / |G|` for each group."""
        (counted,) = cells
        assert isinstance(counted, CountedCells)
        squares = np.add.reduceat(counted.counts.astype(np.float64) ** 2, counted.starts[:-1])
        return sizes - squares[counted.of_group] / sizes

    def drop_loss(self, cells: Sequence[Cells], rows: int) -> float:
        """Return 1: nothing is said of a dropped row."""
        return 1.0

    def per(self, rows: int) -> float:
        """Return the number of rows: it is a mean."""
        return float(rows)
