"""(alpha, k)-anonymity (Wong et al. 2006), its alpha: no sensitive value fills more than a share alpha of a class."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.parameters import Number, Numeral
from shoal.microdata.histogram import Attributes, Histogram, Values
from shoal.models.base import Counting, Rule, SensitiveModel, ShareSet, cap, ratio_at_least


@dataclass(frozen=True)
class Alpha(SensitiveModel):
    """Guarantees `count of the commonest value <= alpha * rows` in every class; ask for k beside it.

    The same as frequency l-diversity with l = 1 / alpha. The missing value counts as a value of its own.

    >>> str(Alpha(0.5, "disease"))
    'alpha(disease)=0.5'
    """

    name: ClassVar[str] = "alpha"
    title: ClassVar[str] = "(alpha,k)-anonymity"
    meaning: ClassVar[str] = "no sensitive value fills more than a share alpha of a class"
    parameters: ClassVar[tuple[Number, ...]] = (Number("alpha", "largest share of one value", 0, 1, above=True),)
    monotone: ClassVar[bool] = True
    larger_is_stricter: ClassVar[bool] = False
    by_people: ClassVar[Counting] = "counted"
    rule: ClassVar[Rule | None] = Rule.SHARE

    alpha: Numeral
    attribute: str | Attributes
    others: str | Attributes = ()

    @property
    def rule_numbers(self) -> tuple[Fraction, ...]:
        """The l of frequency l-diversity that it is the same as."""
        return (1 / self.limit,)

    def _tallest(self, histogram: Histogram) -> Ints:
        return np.maximum.reduceat(histogram.counts, histogram.starts[:-1])

    def measure(self, histogram: Histogram) -> Floats:
        """Return the share of the commonest value."""
        return np.divide(self._tallest(histogram), histogram.members)

    def _decided(self, histogram: Histogram) -> Bools:
        return ratio_at_least(histogram.members, self._tallest(histogram), 1 / self.limit)

    def decide(self, histogram: Histogram, index: int) -> bool:
        """Decide in integers."""
        return self.exact(histogram, index) <= self.limit

    def exact(self, histogram: Histogram, index: int) -> Fraction:
        """Return the share of the commonest value as a fraction."""
        return Fraction(max(histogram.one(index).values()), int(histogram.members[index]))

    @property
    def least_rows(self) -> int:
        """A number of rows below which no class is admitted."""
        return ceil(1 / self.limit)

    @property
    def least_values(self) -> int:
        """A number of different values below which no class is admitted."""
        return self.least_rows

    def shares(self, values: Values) -> ShareSet | None:
        """No share is above alpha."""
        return ShareSet(caps=(self.limit,) * len(values.totals)) if self.limit < 1 else None

    def largest(self, counts: Ints) -> Ints | None:
        """Cut the tallest values to the largest height at which their share is small enough."""
        return cap(counts, lambda capped: int(capped.max()) <= self.limit * int(capped.sum()))
