"""Centroid error: how far values are from the centroids they are published as (SSE / SST for numbers)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from shoal.costs.base import Cost
from shoal.microdata.partition import Partition
from shoal.recoding import Recoding
from shoal.recoding.cells import Groups
from shoal.recoding.centroid import CentroidCells
from shoal.recoding.recode import Published


class CentroidError(Cost):
    """Averages over the quasi-identifiers what a column loses: 0 nothing, 1 as much as one centroid for all rows.

    A column of numbers loses SSE / SST: squared distances to the means of the classes, as a share of those to the mean
    of the table. Other ordered columns have distances to medians instead, the others the share of rows that show
    another value than their own. A dropped row, and a known value published as missing, is as far off as the centroid
    of the table; a missing number loses nothing. With weights, the weighted mean over the attributes.
    """

    name: ClassVar[str] = "centroid-error"
    title: ClassVar[str] = "distance to the centroids"
    meaning: ClassVar[str] = "distance of values to their class's centroid, as a share of that to the table's"
    takes_weights: ClassVar[bool] = True

    @classmethod
    def measures(cls, recoding: type[Recoding]) -> bool:
        """Whether all cells are centroids, which cover nothing."""
        return not (recoding.covers or recoding.along_hierarchies)

    def of(self, published: Published) -> float:
        """Measure a release."""
        losses = centroid_losses(published)
        weights = {name: self.weight(name) for name in losses}
        return sum(weights[name] * loss for name, loss in losses.items()) / sum(weights.values())


def centroid_losses(published: Published) -> dict[str, float]:
    """Return the loss of each quasi-identifier of a release by centroids."""
    cells: Sequence[CentroidCells] = [one for one in published.cells if isinstance(one, CentroidCells)]
    return {one.column.name: centroid_loss(one, published.partition) for one in cells}


def centroid_loss(cells: CentroidCells, partition: Partition) -> float:
    """Return the loss of one column of centroids."""
    codes, kept = cells.column.codes, partition.kept
    known = np.flatnonzero(~np.isnan(cells.column.positions[codes])) if cells.is_line else np.arange(len(codes))
    if not len(known):
        return 0.0
    table = CentroidCells.of(cells.column, Groups(known, np.array([0, len(known)])))
    most = table.errors(np.zeros(len(codes), dtype=np.int64), codes)
    errors = most.copy()
    errors[kept] = cells.errors(cells.of_group[partition.class_of_row[kept]], codes[kept])
    errors = np.where(np.isnan(errors), most, errors)
    lost, at_most = float(np.sort(errors).sum()), float(np.sort(most).sum())  # sorted: row order changes no digit
    return lost / at_most if at_most > 0 else 0.0
