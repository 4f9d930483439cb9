"""Entropy-based loss (Gionis and Tassa 2009): how uncertain a value is once its published cell is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Floats
from shoal.costs.base import CellCost
from shoal.recoding.cells import Cells


class EntropyLoss(CellCost):
    """Averages the conditional entropy H(value | published cell) over all cells, as a share of its maximum, 0 to 1.

    Frequencies are those of the original columns: a cell that covers the values v with counts c_v leaves
    `log2 c - sum c_v log2 c_v / c` bits open, c the sum of the c_v.
    """

    name: ClassVar[str] = "entropy"
    title: ClassVar[str] = "entropy-based loss"
    meaning: ClassVar[str] = "entropy of the original value given the published cell, as a share of its maximum"

    def cell_losses(self, cells: Cells) -> Floats:
        """Return the bits that each cell leaves open."""
        return _open_bits(cells)

    def full_losses(self, cells: Sequence[Cells]) -> list[float]:
        """Return the bits of each column."""
        return [_all_bits(column) for column in cells]

    def share(self, cells: Sequence[Cells]) -> float:
        """Return the bits of all columns together; 1 where every column is constant and nothing can be lost."""
        return sum(self.full_losses(cells)) or 1.0

    def per(self, rows: int) -> float:
        """Return the number of rows: it is a mean."""
        return float(rows)


def _open_bits(cells: Cells) -> Floats:
    """Return the entropy of the values that each distinct cell covers."""
    counts = np.bincount(cells.column.codes, minlength=cells.column.size).astype(np.float64)
    covered = np.maximum(cells.weigh(counts), 1.0)
    open_bits: Floats = np.log2(covered) - cells.weigh(_times_log(counts)) / covered
    return np.maximum(open_bits, 0.0)


def _all_bits(cells: Cells) -> float:
    """Return the entropy of the column."""
    counts = np.bincount(cells.column.codes, minlength=cells.column.size).astype(np.float64)
    return float(np.log2(counts.sum()) - _times_log(counts).sum() / counts.sum())


def _times_log(counts: Floats) -> Floats:
    return counts * np.log2(np.maximum(counts, 1.0))
