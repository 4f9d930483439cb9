"""Sample uniqueness: the share of the rows that no other row equals is limited."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Bools, Floats
from shoal.core.parameters import Number, Numeral
from shoal.microdata.histogram import Classes
from shoal.models.base import Model
from shoal.models.k_anonymity import KAnonymity


@dataclass(frozen=True)
class SampleUniqueness(Model):
    """Guarantees that at most the `share` of the rows are alone in their class.

    All classes are admitted together, or none; merging two classes makes no row unique. The rows that are unique can be
    found for certain by who knows their quasi-identifiers. Methods form classes of at least two rows instead, which
    implies it; with a share of 1 nothing is asked.

    >>> str(SampleUniqueness(0.01)), str(SampleUniqueness(0.01).surrogate(None))
    ('sample-uniques=0.01', 'k=2')
    """

    name: ClassVar[str] = "sample-uniques"
    title: ClassVar[str] = "sample uniqueness"
    meaning: ClassVar[str] = "at most a share of the rows are unique"
    parameters: ClassVar[tuple[Number, ...]] = (Number("share", "largest share of unique rows", 0, 1),)
    monotone: ClassVar[bool] = True
    larger_is_stricter: ClassVar[bool] = False
    reads_attribute: ClassVar[bool] = False
    measured_unasked: ClassVar[bool] = False
    of_release: ClassVar[bool] = True

    share: Numeral

    def surrogate(self, rows: int | None) -> Model:
        """Return k-anonymity with k = 2; with k = 1 where all rows may be unique."""
        return KAnonymity(1 if self.limit == 1 else 2)

    def level(self, classes: Classes) -> Floats:
        """Return the share, which is that of all classes."""
        return np.full(classes.number, self.reached(classes))

    def admits(self, classes: Classes) -> Bools:
        """Decide all classes together, in fractions."""
        return np.full(classes.number, unique_share(classes) <= self.limit)

    def reached(self, classes: Classes) -> float:
        """Return the share."""
        return float(unique_share(classes))


def unique_share(classes: Classes) -> Fraction:
    """Return the share of the rows that are alone in their class."""
    return Fraction(int((classes.sizes == 1).sum()), int(classes.sizes.sum()))
