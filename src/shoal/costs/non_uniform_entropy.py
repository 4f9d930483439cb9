"""Non-uniform entropy (Gionis and Tassa 2009): how surprising each value is once its published cell is known."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.core.arrays import Floats
from shoal.costs.base import Cost
from shoal.recoding.recode import Published


class NonUniformEntropy(Cost):
    """Adds up `-log2(count of the original value / count of the values its cell covers)`, as a share of the maximum.

    Counts are those of the original columns. Unlike the entropy-based loss, hiding a rare value behind a common one
    costs more than the other way round. A dropped row counts as fully starred.
    """

    name: ClassVar[str] = "non-uniform-entropy"
    title: ClassVar[str] = "non-uniform entropy"
    meaning: ClassVar[str] = "information content of the original values given the cells, as a share of its maximum"

    def of(self, published: Published) -> float:
        """Measure a release."""
        lost, most = lost_bits(published).sum(axis=0)
        return max(float(lost / most), 0.0) if most else 0.0


def lost_bits(published: Published) -> Floats:
    """Return for every column the bits that a release loses of it, and the bits that there are to lose."""
    class_of_row, bits = published.partition.class_of_row, []
    for cells in published.cells:
        counts = np.bincount(cells.column.codes, minlength=cells.column.size).astype(np.float64)
        covered = np.append(cells.weigh(counts)[cells.of_group], counts.sum())  # a dropped row is class -1
        own = np.log2(counts[cells.column.codes])
        bits.append([(np.log2(covered[class_of_row]) - own).sum(), (np.log2(counts.sum()) - own).sum()])
    return np.array(bits, dtype=np.float64)
