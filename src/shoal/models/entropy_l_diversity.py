"""Entropy l-diversity (Machanavajjhala et al. 2006): the entropy of every class is at least that of l equal shares."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import gcd, prod
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.core.parameters import Number, Numeral
from shoal.microdata.histogram import Attributes, Histogram, Values
from shoal.models.base import Counting, DiversityModel, Rule, ShareSet, cap


@dataclass(frozen=True)
class EntropyLDiversity(DiversityModel):
    """Guarantees `-sum p ln p >= ln l` in every class, p the shares of the sensitive values, missing one of them.

    The level of a class is exp(entropy), its effective number of values. Near the limit the decision is taken in
    integers: with counts c of a class of g rows, `g^g >= l^g * prod c^c`. So a class with three values in equal
    shares has exactly level 3.

    >>> str(EntropyLDiversity(2.5, "disease"))
    'entropy-l(disease)=2.5'
    """

    name: ClassVar[str] = "entropy-l"
    title: ClassVar[str] = "entropy l-diversity"
    meaning: ClassVar[str] = "the entropy of the sensitive values in a class is at least ln l"
    parameters: ClassVar[tuple[Number, ...]] = (Number("l", "effective number of values in a class", 1),)
    monotone: ClassVar[bool] = True
    larger_is_stricter: ClassVar[bool] = True
    by_people: ClassVar[Counting] = "counted"
    rule: ClassVar[Rule | None] = Rule.ENTROPY

    l: Numeral  # noqa: E741 - the paper's name
    attribute: str | Attributes
    others: str | Attributes = ()

    def measure(self, histogram: Histogram) -> Floats:
        """Return exp(entropy) = rows / prod count^(count / rows)."""
        sums = np.add.reduceat(histogram.counts * np.log(histogram.counts), histogram.starts[:-1])
        return np.exp(np.log(histogram.sizes) - sums / histogram.sizes)

    def decide(self, histogram: Histogram, index: int) -> bool:
        """Decide in integers."""
        return _at_least(histogram.one(index).values(), self.limit)

    def exact(self, histogram: Histogram, index: int) -> Fraction | float:
        """Return the level: the number of values where all are equally common, else to machine precision."""
        counts = histogram.one(index).values()
        if len(set(counts)) == 1:
            return Fraction(len(counts))
        rows = sum(counts)
        return float(np.exp(np.log(rows) - sum(c * np.log(c) for c in counts) / rows))

    def shares(self, values: Values) -> ShareSet | None:
        """The model itself."""
        return ShareSet(diversity=self.limit) if self.limit > 1 else None

    def largest(self, counts: Ints) -> Ints | None:
        """Cut the tallest values until the entropy is reached, then give back to one after the other while it holds.

        Of all sub-classes of a size, the one cut so evenly has the most entropy; and cutting the tallest raises it.
        """
        found = cap(counts, lambda capped: _at_least([int(c) for c in capped if c], self.limit))
        for value in np.flatnonzero(counts > found) if found is not None else ():
            more = found + (np.arange(len(counts)) == value)
            if not _at_least([int(c) for c in more if c], self.limit):
                break
            found = more
        return found


def _at_least(counts: Iterable[int], level: Fraction) -> bool:
    """Whether exp(entropy) of these counts is at least `level`.

    Decided by its logarithm, in floating point and then to sixty digits; in integers only where both leave a doubt,
    which is where the two are equal. Shares alone matter, so the counts are divided by their gcd first.
    """
    values = [int(count) for count in counts]
    rough = np.log(sum(values)) - sum(c * np.log(c) for c in values) / sum(values) - np.log(float(level))
    if abs(rough) > 1e-9:
        return bool(rough > 0)
    values = [count // gcd(*values) for count in values]
    rows = sum(values)
    with localcontext(prec=60):
        logarithms = rows * Decimal(rows).ln() - sum(c * Decimal(c).ln() for c in values)
        fine = logarithms / rows - Decimal(level.numerator).ln() + Decimal(level.denominator).ln()
    if abs(fine) > Decimal("1e-45"):
        return fine > 0
    return bool((rows * level.denominator) ** rows >= level.numerator**rows * prod(c**c for c in values))
