"""Squared error: what microaggregation loses when each number is replaced by the mean of its class."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.costs.base import Cost
from shoal.recoding import Recoding
from shoal.recoding.recode import Published


class SquaredError(Cost):
    """Returns SSE / SST of the numeric quasi-identifiers, each standardized: 0 loses nothing, 1 leaves only the means.

    SSE adds the squared distances of the rows to the mean of their class, SST to the mean of the table. Columns that
    are not numeric do not count (0 where none is), nor do missing values; a dropped row is as far off as the mean of
    the table.
    """

    name: ClassVar[str] = "squared-error"
    title: ClassVar[str] = "squared error (SSE / SST)"
    meaning: ClassVar[str] = "squared distance of numbers to their class means, as a share of that to the table's"

    @classmethod
    def measures(cls, recoding: type[Recoding]) -> bool:
        """Whether a release is one table: classes are looked at, not cells."""
        return not recoding.two_tables

    def of(self, published: Published) -> float:
        """Measure a release."""
        numeric = [c.column for c in published.cells if c.column.values.dtype.is_numeric()]
        ratios = [_ratio(column.positions[column.codes], published.partition.class_of_row) for column in numeric]
        return float(np.mean(ratios)) if ratios else 0.0


def _ratio(values: Floats, class_of_row: Ints) -> float:
    """Return SSE / SST of one column."""
    known = ~np.isnan(values)
    values, labels = values[known], class_of_row[known] + 1
    total = float(((values - values.mean()) ** 2).sum()) if len(values) else 0.0
    if total == 0:
        return 0.0
    sizes = np.bincount(labels)
    means = np.bincount(labels, weights=values) / np.maximum(sizes, 1)
    means[0] = values.mean()  # dropped rows
    return float(((values - means[labels]) ** 2).sum()) / total
