"""k households: the members of one household, who are found together, count once in a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Bools, Floats
from shoal.core.parameters import Number, Numeral
from shoal.microdata.histogram import Classes
from shoal.models.base import Counting, Model
from shoal.models.k_anonymity import KAnonymity


@dataclass(frozen=True)
class KHouseholds(Model):
    """Guarantees that every class has members of at least `k` different households.

    Whoever finds one member of a household finds the others: k rows of one home are one crowd. Merging two classes
    loses no household, so the union of two admitted classes is admitted.

    >>> str(KHouseholds(3)), str(KHouseholds(3).of_rows)
    ('k-households=3', 'k=3')
    """

    name: ClassVar[str] = "k-households"
    title: ClassVar[str] = "k households"
    meaning: ClassVar[str] = "every class has members of at least k households"
    parameters: ClassVar[tuple[Number, ...]] = (
        Number("k", "households in the class that has the fewest", 1, whole=True),
    )
    monotone: ClassVar[bool] = True
    larger_is_stricter: ClassVar[bool] = True
    reads_attribute: ClassVar[bool] = False
    needs_households: ClassVar[bool] = True
    by_people: ClassVar[Counting] = "same"

    k: Numeral

    @property
    def of_rows(self) -> Model:
        """What it implies of rows: k households are k rows."""
        return KAnonymity(self.least_rows)

    @property
    def least_rows(self) -> int:
        """A number of rows below which no class is admitted: there are no fewer rows than households."""
        return int(self.limit)

    def level(self, classes: Classes) -> Floats:
        """Return the number of households of every class."""
        return classes.households_in.astype(np.float64)

    def admits(self, classes: Classes) -> Bools:
        """Return which classes have enough households."""
        return np.greater_equal(classes.households_in, int(self.limit))

    def reached(self, classes: Classes) -> float:
        """Return the fewest households of a class."""
        return float(classes.households_in.min())
