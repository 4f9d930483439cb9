"""(k, e)-anonymity (Zhang et al. 2007), its e: the numbers of a class are spread over a range of at least e."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.errors import ParameterError
from shoal.core.parameters import Number, Numeral
from shoal.microdata.histogram import Attributes, Histogram, Values
from shoal.models.base import Counting, SensitiveModel
from shoal.tables.spelling import infer


@dataclass(frozen=True)
class RangeDiversity(SensitiveModel):
    """Guarantees `greatest - least >= e` of a numeric sensitive attribute in every class; ask for k beside it.

    Dates count in days. Missing values have no place on the line and are left out; a class with fewer than two
    numbers has range 0.

    >>> str(RangeDiversity(500, "salary"))
    'e(salary)=500'
    """

    name: ClassVar[str] = "e"
    title: ClassVar[str] = "(k,e)-anonymity"
    meaning: ClassVar[str] = "the numbers of a class span a range of at least e"
    parameters: ClassVar[tuple[Number, ...]] = (Number("e", "smallest range in a class", 0),)
    monotone: ClassVar[bool] = True
    larger_is_stricter: ClassVar[bool] = True
    by_people: ClassVar[Counting] = "same"
    least_asked: ClassVar[tuple[int, ...]] = (0,)

    e: Numeral
    attribute: str | Attributes
    others: str | Attributes = ()

    @classmethod
    def applies_to(cls, column: pl.Series) -> bool:
        """Require numbers or dates."""
        dtype = infer(column).dtype
        return dtype.is_numeric() or dtype.is_temporal()

    def _ends(self, histogram: Histogram) -> tuple[Ints, Ints, Bools]:
        """Return the codes of the least and the greatest number of every slice, and whether it has a number at all."""
        known = len(histogram.values.domain) - histogram.values.domain.null_count()
        numbers = histogram.codes < known
        low = np.minimum.reduceat(np.where(numbers, histogram.codes, known), histogram.starts[:-1])
        high = np.maximum.reduceat(np.where(numbers, histogram.codes, -1), histogram.starts[:-1])
        return low, high, high >= 0

    def measure(self, histogram: Histogram) -> Floats:
        """Return greatest - least."""
        places = np.array([float(place) for place in self._places(histogram.values)] + [0.0])
        low, high, some = self._ends(histogram)
        ranges: Floats = np.where(some, places[high] - places[low], 0.0)
        return ranges

    def _places(self, values: Values) -> list[Fraction]:
        domain = values.typed
        if not self.applies_to(domain):  # as combinations of several columns never are
            raise ParameterError(
                f"{self}: {'+'.join(self.attributes)!r} is not a column of numbers or dates",
                hint="use distinct-l for it",
            )
        moments = domain.dtype == pl.Datetime
        places = domain.drop_nulls().cast(pl.Datetime("us")) if moments else domain.drop_nulls()
        day = 86_400_000_000 if moments else 1
        return [Fraction(str(place)) / day for place in places.to_physical().to_list()]

    def decide(self, histogram: Histogram, index: int) -> bool:
        """Decide in fractions."""
        return self.exact(histogram, index) >= self.limit

    def exact(self, histogram: Histogram, index: int) -> Fraction:
        """Return greatest - least as a fraction."""
        places = self._places(histogram.values)
        numbers = [places[value] for value in histogram.one(index) if value < len(places)]
        return max(numbers) - min(numbers) if numbers else Fraction(0)

    def largest(self, counts: Ints) -> Ints | None:
        """Return None: leaving out rows never widens a range."""
        return None
