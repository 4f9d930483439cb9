"""l-diversity by frequency (Xiao and Tao 2006): no sensitive value fills more than 1/l of a class."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.parameters import Number, Numeral
from shoal.microdata.histogram import Attributes, Histogram, Values
from shoal.models.base import Counting, DiversityModel, Rule, ShareSet, cap, ratio_at_least


@dataclass(frozen=True)
class LDiversity(DiversityModel):
    """Guarantees `l * (count of the commonest value) <= rows` in every class ("the class is l-eligible").

    Implies distinct l-diversity and l-anonymity. The missing value counts as a value of its own. `l` may be any
    number of at least 1: 1.5 means that no value fills more than two thirds.

    >>> str(LDiversity(3, "disease")), str(LDiversity(2, ("disease", "drug"))), str(LDiversity(2, "drug", "disease"))
    ('l(disease)=3', 'l(disease+drug)=2', 'l(drug|disease)=2')
    """

    name: ClassVar[str] = "l"
    title: ClassVar[str] = "l-diversity (frequency)"
    meaning: ClassVar[str] = "no sensitive value fills more than 1/l of a class"
    parameters: ClassVar[tuple[Number, ...]] = (Number("l", "inverse of the largest share of one value", 1),)
    monotone: ClassVar[bool] = True
    larger_is_stricter: ClassVar[bool] = True
    by_people: ClassVar[Counting] = "counted"
    rule: ClassVar[Rule | None] = Rule.SHARE

    l: Numeral  # noqa: E741 - the paper's name
    attribute: str | Attributes
    others: str | Attributes = ()

    def measure(self, histogram: Histogram) -> Floats:
        """Return rows / (count of the commonest value)."""
        return histogram.members / np.maximum.reduceat(histogram.counts, histogram.starts[:-1])

    def _decided(self, histogram: Histogram) -> Bools:
        tallest = np.maximum.reduceat(histogram.counts, histogram.starts[:-1])
        return ratio_at_least(histogram.members, tallest, self.limit)

    def decide(self, histogram: Histogram, index: int) -> bool:
        """Decide `l * max <= rows` in integers."""
        return self.exact(histogram, index) >= self.limit

    def exact(self, histogram: Histogram, index: int) -> Fraction:
        """Return rows / (count of the commonest value) as a fraction."""
        return Fraction(int(histogram.members[index]), max(histogram.one(index).values()))

    def shares(self, values: Values) -> ShareSet | None:
        """No share is above 1/l."""
        return ShareSet(caps=(1 / self.limit,) * len(values.totals)) if self.limit > 1 else None

    def largest(self, counts: Ints) -> Ints | None:
        """Cap every value at the largest height h with `sum min(count, h) >= l h`: the first phase of TP."""
        return cap(counts, lambda capped: self.limit * int(capped.max()) <= int(capped.sum()))
