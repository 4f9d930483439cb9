"""Entropy l-diversity by Grassberger's estimate of the entropy (2003), which corrects what small classes hide."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Floats
from shoal.core.parameters import Number, Numeral
from shoal.microdata.histogram import Attributes, Histogram
from shoal.models.base import DiversityModel

GAMMA = Decimal(
    "0.5772156649015328606065120900824024310421593359399235988057672348848677267776646709369470632917467495"
)
"""Euler's constant."""


@dataclass(frozen=True)
class GrassbergerLDiversity(DiversityModel):
    """Guarantees in every class at least l different values and `H >= ln l`, H Grassberger's estimate of the entropy.

    With counts c of a class of g rows, `H = ln g - sum c G(c) / g`, where `G(c) = digamma(c) + (-1)**c / 2 *
    (digamma((c + 1) / 2) - digamma(c / 2))`. It takes the class for a sample: values that are not seen raise it, so
    small classes get more than their entropy, a single row 3.56 values. The level of a class is exp(H), and never above
    the number of different values that it has. Merging two classes can lower it below both.

    G(1) is -Euler's constant - ln 2, G(2m) = G(2m + 1) is 2/1 + 2/3 + ... + 2/(2m - 1) more. So near the limit the
    decision is taken to ninety digits; where even these leave a doubt the class is refused.

    >>> str(GrassbergerLDiversity(2.5, "disease"))
    'grassberger-l(disease)=2.5'
    """

    name: ClassVar[str] = "grassberger-l"
    title: ClassVar[str] = "entropy l-diversity by Grassberger's estimate"
    meaning: ClassVar[str] = (
        "l different values in a class, and Grassberger's estimate of their entropy is at least ln l"
    )
    parameters: ClassVar[tuple[Number, ...]] = (Number("l", "effective number of values in a class", 1),)
    monotone: ClassVar[bool] = False
    larger_is_stricter: ClassVar[bool] = True
    measured_unasked: ClassVar[bool] = False

    l: Numeral  # noqa: E741 - the paper's name
    attribute: str | Attributes
    others: str | Attributes = ()

    def measure(self, histogram: Histogram) -> Floats:
        """Return exp(H), at most the number of different values."""
        odd = 2.0 / (2.0 * np.arange(int(histogram.counts.max(initial=0)) // 2) + 1.0)
        above = np.concatenate([[0.0], np.cumsum(odd)])[histogram.counts // 2]
        sums = np.add.reduceat(histogram.counts * above, histogram.starts[:-1])
        estimate: Floats = np.exp(np.log(2.0 * histogram.sizes) + float(GAMMA) - sums / histogram.sizes)
        return np.minimum(estimate, np.diff(histogram.starts))

    def decide(self, histogram: Histogram, index: int) -> bool:
        """Decide to ninety digits."""
        counts = histogram.one(index).values()
        return len(counts) >= self.limit and _at_least(counts, self.limit)


def _at_least(counts: Iterable[int], level: Fraction) -> bool:
    """Whether exp(H) of these counts is surely at least `level`: `ln(2 rows / level) + gamma >= sum c R(c) / rows`.

    R(c) is 2/1 + 2/3 + ... up to 2/(2m - 1), m = c // 2.
    """
    values = list(counts)
    rows = sum(values)
    with localcontext(prec=100):
        rises = {c: sum((Decimal(2) / (2 * j + 1) for j in range(c // 2)), Decimal(0)) for c in set(values)}
        paid = sum((c * rises[c] for c in values), Decimal(0)) / rows
        logarithm = (Decimal(2 * rows * level.denominator) / level.numerator).ln()
        return logarithm + GAMMA - paid > Decimal("1e-90")
