"""What each quasi-identifier of a release lost, in a measure that fits its recoding: the codebook states it."""

from __future__ import annotations

from shoal.costs.attribute_loss import mean_penalty
from shoal.costs.centroid_error import centroid_loss
from shoal.recoding.centroid import CentroidCells
from shoal.recoding.recode import Anatomized, Published


def column_losses(published: Published) -> dict[str, float]:
    """Return the loss of each quasi-identifier; nothing for two tables, in which they are published as they are."""
    if isinstance(published, Anatomized):
        return {}
    partition = published.partition
    return {
        cells.column.name: centroid_loss(cells, partition)
        if isinstance(cells, CentroidCells)
        else mean_penalty(cells, partition)
        for cells in published.cells
    }
