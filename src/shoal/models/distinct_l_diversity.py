"""Distinct l-diversity (Machanavajjhala et al. 2006): at least l different sensitive values in every class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.core.parameters import Number, Numeral
from shoal.microdata.histogram import Attributes, Histogram
from shoal.models.base import Counting, DiversityModel, Rule


@dataclass(frozen=True)
class DistinctLDiversity(DiversityModel):
    """Guarantees that every class holds at least `l` different values; the missing value counts as one.

    >>> str(DistinctLDiversity(3, "disease"))
    'distinct-l(disease)=3'
    """

    name: ClassVar[str] = "distinct-l"
    title: ClassVar[str] = "distinct l-diversity"
    meaning: ClassVar[str] = "every class has at least l different sensitive values"
    parameters: ClassVar[tuple[Number, ...]] = (Number("l", "different values in a class", 1, whole=True),)
    monotone: ClassVar[bool] = True
    larger_is_stricter: ClassVar[bool] = True
    by_people: ClassVar[Counting] = "counted"
    rule: ClassVar[Rule | None] = Rule.VALUES

    l: Numeral  # noqa: E741 - the paper's name
    attribute: str | Attributes
    others: str | Attributes = ()

    def measure(self, histogram: Histogram) -> Floats:
        """Return the number of different values."""
        return np.diff(histogram.starts).astype(np.float64)

    def decide(self, histogram: Histogram, index: int) -> bool:
        """Decide by counting."""
        return len(histogram.one(index)) >= self.limit

    def largest(self, counts: Ints) -> Ints | None:
        """Return all of it, if it has at least l values."""
        return counts if np.count_nonzero(counts) >= self.limit else None
