"""Recursive (c,l)-diversity (Machanavajjhala et al. 2006): the commonest value is not too common."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.parameters import Number, Numeral
from shoal.microdata.histogram import Attributes, Histogram, Values
from shoal.models.base import Counting, Rule, SensitiveModel, ShareSet, cap, ratio_at_least


@dataclass(frozen=True)
class RecursiveLDiversity(SensitiveModel):
    """Guarantees `r_1 < c * (r_l + r_{l+1} + ...)` in every class, r_i the i-th largest count of a sensitive value.

    So even an attacker who can rule out l - 2 values is left in doubt. The level of a class is r_1 / (r_l + ...):
    it must stay strictly below c; with fewer than l values it is infinite. The missing value counts as a value.

    >>> str(RecursiveLDiversity(2, 3, "disease"))
    'recursive-l(disease)=(2,3)'
    """

    name: ClassVar[str] = "recursive-l"
    title: ClassVar[str] = "recursive (c,l)-diversity"
    meaning: ClassVar[str] = "the commonest value occurs less than c times as often as the l-th and rarer ones together"
    parameters: ClassVar[tuple[Number, ...]] = (
        Number("c", "how much more often the commonest value may occur", 0, above=True),
        Number("l", "rank from which values are added up", 1, whole=True),
    )
    monotone: ClassVar[bool] = True
    larger_is_stricter: ClassVar[bool] = False
    by_people: ClassVar[Counting] = "counted"
    rule: ClassVar[Rule | None] = Rule.RECURSIVE
    least_asked: ClassVar[tuple[int, ...]] = (10**9, 2)

    c: Numeral
    l: Numeral  # noqa: E741 - the paper's name
    attribute: str | Attributes
    others: str | Attributes = ()

    @property
    def rank(self) -> int:
        """The parameter l."""
        return int(self.asked[1])

    def reading(self, reached: float) -> float | list[float]:
        """Return the ratio reached, and l, as the grammar has them."""
        return [reached, float(self.rank)]

    def _parts(self, histogram: Histogram) -> tuple[Ints, Ints]:
        """Return r_1 and r_l + r_{l+1} + ... of every slice."""
        order = np.lexsort((-histogram.counts, histogram.slice_of_entry))
        falling = histogram.counts[order]
        rank = np.arange(len(falling)) - histogram.starts[histogram.slice_of_entry]
        tail = np.add.reduceat(np.where(rank >= self.rank - 1, falling, 0), histogram.starts[:-1])
        return falling[histogram.starts[:-1]], tail

    def measure(self, histogram: Histogram) -> Floats:
        """Return r_1 / (r_l + ...), infinite where there are fewer than l values."""
        head, tail = self._parts(histogram)
        ratio: Floats = np.divide(head, tail, out=np.full(len(head), np.inf), where=tail > 0)
        return ratio

    def _decided(self, histogram: Histogram) -> Bools:
        head, tail = self._parts(histogram)
        return ~ratio_at_least(head, tail, self.limit)

    def decide(self, histogram: Histogram, index: int) -> bool:
        """Decide `r_1 < c * tail` in integers."""
        return _is_recursive(list(histogram.one(index).values()), self.limit, self.rank)

    def exact(self, histogram: Histogram, index: int) -> Fraction:
        """Return r_1 / (r_l + ...) as a fraction."""
        counts = sorted(histogram.one(index).values(), reverse=True)
        return Fraction(counts[0], sum(counts[self.rank - 1 :]))

    @property
    def least_rows(self) -> int:
        """A number of rows below which no class is admitted."""
        return self.rank

    @property
    def least_values(self) -> int:
        """A number of different values below which no class is admitted."""
        return self.least_rows

    def shares(self, values: Values) -> ShareSet | None:
        """The largest share q is below c (1 - q), as the l-th and rarer values have at most what it leaves, for l >= 2.

        For l = 1 it is below c.
        """
        cap = self.limit / (1 + self.limit) if self.rank > 1 else self.limit
        return ShareSet(caps=(cap,) * len(values.totals)) if cap < 1 else None

    def largest(self, counts: Ints) -> Ints | None:
        """Cut the tallest values until the class is admitted; cutting them never undoes it."""
        return cap(counts, lambda capped: _is_recursive(capped.tolist(), self.limit, self.rank))


def _is_recursive(counts: list[int], c: Fraction, l: int) -> bool:  # noqa: E741 - the paper's name
    falling = sorted(counts, reverse=True)
    return falling[0] < c * sum(falling[l - 1 :])
