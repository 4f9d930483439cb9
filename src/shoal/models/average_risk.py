"""Average re-identification risk: the mean chance to pick the right row of a person is limited."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Bools, Floats
from shoal.core.parameters import Number, Numeral
from shoal.microdata.histogram import Classes
from shoal.models.base import Model
from shoal.models.k_anonymity import KAnonymity


@dataclass(frozen=True)
class AverageRisk(Model):
    """Guarantees that the mean over the rows of 1 / (rows of the class) is at most `risk`.

    That mean is the number of classes / the number of rows, so all classes are admitted together, or none. Merging two
    classes lowers it. It limits no single class: a row that is alone can be found for certain. Methods form classes
    of at least 1 / risk rows instead, which implies it, and is met by one class of all rows wherever it is met at all.

    >>> str(AverageRisk(0.05)), str(AverageRisk(0.03).surrogate(None))
    ('average-risk=0.05', 'k=34')
    """

    name: ClassVar[str] = "average-risk"
    title: ClassVar[str] = "average re-identification risk"
    meaning: ClassVar[str] = "the mean over the rows of 1 / (rows of the class) is at most the risk"
    parameters: ClassVar[tuple[Number, ...]] = (Number("risk", "largest mean chance", 0, 1, above=True),)
    monotone: ClassVar[bool] = True
    larger_is_stricter: ClassVar[bool] = False
    reads_attribute: ClassVar[bool] = False
    measured_unasked: ClassVar[bool] = False
    of_release: ClassVar[bool] = True

    risk: Numeral

    def surrogate(self, rows: int | None) -> Model:
        """Return k-anonymity with k = 1 / risk, rounded up."""
        return KAnonymity(ceil(1 / self.limit))

    def level(self, classes: Classes) -> Floats:
        """Return the mean, which is that of all classes."""
        return np.full(classes.number, self.reached(classes))

    def admits(self, classes: Classes) -> Bools:
        """Decide all classes together, in fractions."""
        return np.full(classes.number, mean_risk(classes) <= self.limit)

    def reached(self, classes: Classes) -> float:
        """Return the mean."""
        return float(mean_risk(classes))


def mean_risk(classes: Classes) -> Fraction:
    """Return the number of classes that have rows / the number of rows."""
    return Fraction(int(np.count_nonzero(classes.sizes)), int(classes.sizes.sum()))
