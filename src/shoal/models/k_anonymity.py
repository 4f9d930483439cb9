"""k-anonymity (Samarati and Sweeney 1998): every record hides among at least k, itself included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.parameters import Number, Numeral
from shoal.microdata.histogram import Classes
from shoal.models.base import Counting, Model, Rule


@dataclass(frozen=True)
class KAnonymity(Model):
    """Guarantees that every class has at least `k` rows.

    Missing values are values of their own, and a star equals only a star: no row is left out of a count.

    >>> str(KAnonymity(5))
    'k=5'
    """

    name: ClassVar[str] = "k"
    title: ClassVar[str] = "k-anonymity"
    meaning: ClassVar[str] = "every class has at least k rows"
    parameters: ClassVar[tuple[Number, ...]] = (Number("k", "rows in the smallest class", 1, whole=True),)
    monotone: ClassVar[bool] = True
    larger_is_stricter: ClassVar[bool] = True
    reads_attribute: ClassVar[bool] = False
    by_people: ClassVar[Counting] = "counted"
    rule: ClassVar[Rule | None] = Rule.ROWS

    k: Numeral

    def level(self, classes: Classes) -> Floats:
        """Return the size of every class."""
        return classes.sizes.astype(np.float64)

    def admits(self, classes: Classes) -> Bools:
        """Return which classes have at least k rows."""
        return np.greater_equal(classes.sizes, int(self.limit))

    def reached(self, classes: Classes) -> float:
        """Return the size of the smallest class."""
        return float(classes.sizes.min())

    @property
    def least_rows(self) -> int:
        """A number of rows below which no class is admitted."""
        return int(self.limit)

    def largest(self, counts: Ints) -> Ints | None:
        """Return all of it, if it has at least k rows."""
        return counts if counts.sum() >= self.limit else None
