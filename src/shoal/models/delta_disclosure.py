"""delta-disclosure privacy (Brickell and Shmatikov 2008): no value is much more or less likely in a class."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Floats
from shoal.core.parameters import Number, Numeral
from shoal.microdata.histogram import Attributes, Histogram, Values
from shoal.models.base import Counting, SensitiveModel, ShareSet
from shoal.models.share_set import above_power_of_two, table_shares


@dataclass(frozen=True)
class DeltaDisclosure(SensitiveModel):
    """Guarantees `|log2(q / p)| < delta` for every value of the table, q its share in the class, p in the table.

    A value that is absent from a class makes the level infinite: its absence is a disclosure too, and leaving absent
    values out would not survive merging classes. Missing is a value.

    >>> str(DeltaDisclosure(1.5, "disease"))
    'delta(disease)=1.5'
    """

    name: ClassVar[str] = "delta"
    title: ClassVar[str] = "delta-disclosure privacy"
    meaning: ClassVar[str] = "the share of every value in a class is within a factor 2^delta of its share in the table"
    parameters: ClassVar[tuple[Number, ...]] = (Number("delta", "largest |log2(q/p)|, excluded", 0, above=True),)
    monotone: ClassVar[bool] = True
    larger_is_stricter: ClassVar[bool] = False
    by_people: ClassVar[Counting] = "counted"
    least_asked: ClassVar[tuple[int, ...]] = (10**9,)

    delta: Numeral
    attribute: str | Attributes
    others: str | Attributes = ()

    def _logs(self, histogram: Histogram) -> Floats:
        share = histogram.counts / histogram.members[histogram.slice_of_entry]
        logs: Floats = np.abs(np.log2(share * histogram.all_members / histogram.values.totals[histogram.codes]))
        return logs

    def measure(self, histogram: Histogram) -> Floats:
        """Return the largest |log2(q / p)|, infinite where a value of the table is absent."""
        worst = np.maximum.reduceat(self._logs(histogram), histogram.starts[:-1])
        present = np.diff(histogram.starts)
        return np.where(present < np.count_nonzero(histogram.values.totals), np.inf, worst)

    def decide(self, histogram: Histogram, index: int) -> bool:
        """Decide by comparing q / p and p / q with 2^delta."""
        counts = histogram.one(index)
        rows = int(histogram.members[index])
        if len(counts) < np.count_nonzero(histogram.values.totals):
            return False
        total = histogram.all_members
        shares = [Fraction(n * total, rows * int(histogram.values.totals[v])) for v, n in counts.items()]
        return all(below_power_of_two(max(share, 1 / share), self.limit) for share in shares)

    def shares(self, values: Values) -> ShareSet | None:
        """No share is above 2^delta times the table's; that none is too small either is left out."""
        most = above_power_of_two(min(self.limit, Fraction(64)))
        caps = tuple(min(share * most, Fraction(1)) for share in table_shares(values.totals))
        return ShareSet(caps=caps, of_table=True)

    def also(self, histogram: Histogram) -> dict[str, float]:
        """Return the other convention: natural logarithms of the values present only."""
        return {
            "natural logarithm, absent values left out, as pycanon reports it": float(
                self._logs(histogram).max() * np.log(2)
            )
        }


def below_power_of_two(ratio: Fraction, exponent: Fraction) -> bool:
    """Whether `ratio < 2^exponent`. Equality needs a whole exponent; otherwise fifty digits decide.

    >>> below_power_of_two(Fraction(2), Fraction(1)), below_power_of_two(Fraction(2), Fraction(11, 10))
    (False, True)
    """
    if exponent.denominator == 1 and abs(exponent) < 10_000:
        return ratio < Fraction(2) ** int(exponent)
    with localcontext() as context:
        context.prec = 50
        logarithm = (Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln() / Decimal(2).ln()
        return logarithm < Decimal(exponent.numerator) / Decimal(exponent.denominator)
