"""Normalised non-uniform entropy: each column's lost bits as a share of its own, so that columns count alike."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.costs.base import Cost
from shoal.costs.non_uniform_entropy import lost_bits
from shoal.recoding.recode import Published


class NormalizedEntropy(Cost):
    """Returns the mean over columns of the non-uniform entropy as a share of the column's maximum, from 0 to 1.

    A column with few values counts as much as one with many; of a constant column nothing is lost. ARX adds the shares
    up instead of taking their mean.
    """

    name: ClassVar[str] = "normalized-entropy"
    title: ClassVar[str] = "normalised non-uniform entropy"
    meaning: ClassVar[str] = "mean over columns of the lost information content as a share of the column's"

    def of(self, published: Published) -> float:
        """Measure a release."""
        lost, most = lost_bits(published).T
        return float((np.maximum(lost, 0.0) / np.where(most > 0, most, 1.0)).mean())
