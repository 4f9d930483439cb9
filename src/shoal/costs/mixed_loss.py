"""Mixed loss: one number for columns that are published as centroids and columns whose cells cover values."""

from __future__ import annotations

from typing import ClassVar

from shoal.costs.base import Cost
from shoal.costs.column_losses import column_losses
from shoal.recoding import Recoding
from shoal.recoding.recode import Published


class MixedLoss(Cost):
    """Averages over the quasi-identifiers what a column loses, from 0 (nothing) to 1 (all stars, or one centroid).

    A column whose cells cover values loses its mean normalized certainty penalty, one of centroids its centroid error:
    the distance of values to their class's centroid, as a share of that to the table's. A dropped row is starred, and
    as far off as the centroid of the table. With weights, the weighted mean over the attributes.
    """

    name: ClassVar[str] = "mixed-loss"
    title: ClassVar[str] = "loss of columns recoded in different ways"
    meaning: ClassVar[str] = "mean over columns of the certainty penalty, or of the distance to the centroids"
    takes_weights: ClassVar[bool] = True

    @classmethod
    def measures(cls, recoding: type[Recoding]) -> bool:
        """Whether some cells are blocks of hierarchies and others cover nothing."""
        return recoding.along_hierarchies and not recoding.covers

    def of(self, published: Published) -> float:
        """Measure a release."""
        losses = column_losses(published)
        weights = {name: self.weight(name) for name in losses}
        return sum(weights[name] * loss for name, loss in losses.items()) / sum(weights.values())
