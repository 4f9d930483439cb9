"""beta-likeness (Cao and Karras 2012): no sensitive value becomes much more likely in a class than in the table."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Floats
from shoal.core.parameters import Number, Numeral
from shoal.microdata.histogram import Attributes, Histogram, Values
from shoal.models.base import DOUBT, Counting, SensitiveModel, ShareSet
from shoal.models.share_set import above_log, table_shares


@dataclass(frozen=True)
class BetaLikeness(SensitiveModel):
    """Guarantees `(q - p) / p <= beta` for every value that is more frequent in the class (q) than in the table (p).

    The level of a class is its largest relative gain. Missing is a value; a value absent from a class gains nothing.

    >>> str(BetaLikeness(2, "disease"))
    'beta(disease)=2'
    """

    name: ClassVar[str] = "beta"
    title: ClassVar[str] = "basic beta-likeness"
    meaning: ClassVar[str] = "no sensitive value is more than 1 + beta times as frequent in a class as in the table"
    parameters: ClassVar[tuple[Number, ...]] = (Number("beta", "largest relative gain of a value", 0, above=True),)
    monotone: ClassVar[bool] = True
    larger_is_stricter: ClassVar[bool] = False
    by_people: ClassVar[Counting] = "counted"
    least_asked: ClassVar[tuple[int, ...]] = (10**9,)

    beta: Numeral
    attribute: str | Attributes
    others: str | Attributes = ()

    def gains(self, histogram: Histogram) -> Floats:
        """Return (q - p) / p of every entry."""
        share = histogram.counts / histogram.members[histogram.slice_of_entry]
        return share * histogram.all_members / histogram.values.totals[histogram.codes] - 1

    def measure(self, histogram: Histogram) -> Floats:
        """Return the largest gain of every slice, at least 0."""
        return np.maximum(np.maximum.reduceat(self.gains(histogram), histogram.starts[:-1]), 0.0)

    def decide(self, histogram: Histogram, index: int) -> bool:
        """Decide in fractions."""
        return self.exact(histogram, index) <= self.limit

    def exact(self, histogram: Histogram, index: int) -> Fraction:
        """Return the largest gain as a fraction."""
        return max(*(gain for _, gain in _gains(histogram, index)), Fraction(0))

    def shares(self, values: Values) -> ShareSet | None:
        """No share is above 1 + beta times the table's, or what else the model lets it gain."""
        caps = tuple(min(share * (1 + self._most_gain(share)), Fraction(1)) for share in table_shares(values.totals))
        return ShareSet(caps=caps, of_table=True)

    def _most_gain(self, share: Fraction) -> Fraction:
        """Return the most that a value with this share of the table may gain, or a little more."""
        return self.limit


class EnhancedBetaLikeness(BetaLikeness):
    """Guarantees `(q - p) / p <= min(beta, -ln p)` for every value with q > p, its shares in class and table.

    So a value that is common in the table may gain less. The level of a class is its largest gain, infinite if some
    gain is above -ln p whatever beta is.

    >>> str(EnhancedBetaLikeness(2, "disease"))
    'enhanced-beta(disease)=2'
    """

    name: ClassVar[str] = "enhanced-beta"
    title: ClassVar[str] = "enhanced beta-likeness"
    meaning: ClassVar[str] = (
        "no sensitive value gains more than min(beta, -ln of its frequency in the table) in a class"
    )

    def measure(self, histogram: Histogram) -> Floats:
        """Return the largest gain of every slice, infinite where one is above -ln p."""
        gains, free = self.gains(histogram), self._most(histogram)
        over = gains > free
        for entry in np.flatnonzero(np.abs(gains - free) <= DOUBT).tolist():
            over[entry] = self._over(histogram, entry)
        worst = np.maximum.reduceat(np.where(over, np.inf, gains), histogram.starts[:-1])
        return np.maximum(worst, 0.0)

    def _most(self, histogram: Histogram) -> Floats:
        """Return -ln p of every entry's value."""
        most: Floats = np.log(histogram.all_members / histogram.values.totals)[histogram.codes]
        return most

    def _most_gain(self, share: Fraction) -> Fraction:
        """Return the smaller of beta and -ln p, or a little more."""
        return min(self.limit, above_log(1 / share)) if share else self.limit

    def _over(self, histogram: Histogram, entry: int) -> bool:
        total, rows = histogram.all_members, int(histogram.members[histogram.slice_of_entry[entry]])
        held = int(histogram.values.totals[histogram.codes[entry]])
        return is_over_log(Fraction(int(histogram.counts[entry]) * total, rows * held) - 1, Fraction(total, held))

    def decide(self, histogram: Histogram, index: int) -> bool:
        """Decide in fractions and fifty digits."""
        return all(
            gain <= self.limit and not is_over_log(gain, Fraction(histogram.all_members, held))
            for held, gain in _gains(histogram, index)
        )

    def also(self, histogram: Histogram) -> dict[str, float]:
        """Return the other convention: the largest gain, cut at -ln of the rarest value; no class is out of bounds."""
        level = min(self.gains(histogram).max(), self._most(histogram).max())
        return {"min(largest gain, largest -ln p), as pycanon reports it": float(max(level, 0.0))}


def _gains(histogram: Histogram, index: int) -> list[tuple[int, Fraction]]:
    """Return for each value of a slice its count in the table and its gain, exactly."""
    counts = histogram.one(index)
    rows = int(histogram.members[index])
    held = {value: int(histogram.values.totals[value]) for value in counts}
    return [(held[v], Fraction(count * histogram.all_members, rows * held[v]) - 1) for v, count in counts.items()]


def is_over_log(number: Fraction, argument: Fraction) -> bool:
    """Whether `number > ln(argument)`; they are never equal unless number is 0 and argument 1, so digits decide.

    >>> is_over_log(Fraction(7, 10), Fraction(2)), is_over_log(Fraction(69, 100), Fraction(2))
    (True, False)
    """
    with localcontext() as context:
        context.prec = 50
        logarithm = (Decimal(argument.numerator) / Decimal(argument.denominator)).ln()
        return Decimal(number.numerator) / Decimal(number.denominator) > logarithm
