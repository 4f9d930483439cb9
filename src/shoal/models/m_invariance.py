"""m-invariance groups (Xiao and Tao 2007): exactly m rows with m different sensitive values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Bools, Floats
from shoal.core.parameters import Number, Numeral
from shoal.microdata.histogram import Attributes, Histogram
from shoal.models.base import SensitiveModel


@dataclass(frozen=True)
class MInvariance(SensitiveModel):
    """Guarantees that every class has exactly `m` rows, all with different sensitive values, missing being one.

    Such classes can be re-released after inserts and deletes with the same set of values. Merging two of them gives a
    class that is none. The level of a class is its number of rows if their values all differ, else 0.

    >>> str(MInvariance(3, "disease"))
    'm(disease)=3'
    """

    name: ClassVar[str] = "m"
    title: ClassVar[str] = "m-invariance group"
    meaning: ClassVar[str] = "every class has exactly m rows, with m different sensitive values"
    parameters: ClassVar[tuple[Number, ...]] = (Number("m", "rows and different values in a class", 1, whole=True),)
    monotone: ClassVar[bool] = False
    larger_is_stricter: ClassVar[bool] = True
    nested: ClassVar[bool] = False
    measured_unasked: ClassVar[bool] = False

    m: Numeral
    attribute: str | Attributes
    others: str | Attributes = ()

    def measure(self, histogram: Histogram) -> Floats:
        """Return the number of rows where all values differ, else 0."""
        return np.where(np.diff(histogram.starts) == histogram.sizes, histogram.sizes, 0).astype(np.float64)

    def _decided(self, histogram: Histogram) -> Bools:
        return np.equal(self.measure(histogram), int(self.limit))

    def decide(self, histogram: Histogram, index: int) -> bool:
        """Decide by counting."""
        counts = histogram.one(index)
        return len(counts) == sum(counts.values()) == self.limit

    @property
    def least_rows(self) -> int:
        """A number of rows below which no class is admitted."""
        return int(self.limit)
