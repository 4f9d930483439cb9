"""Average t-closeness: the distance to the table, averaged over the rows of a release."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Bools, Floats
from shoal.core.errors import Unsupported
from shoal.microdata.histogram import Classes, Values
from shoal.models.base import DOUBT, Counting, Model, Rule, ShareSet
from shoal.models.t_closeness import TCloseness


@dataclass(frozen=True)
class AverageTCloseness(TCloseness):
    """Guarantees `sum over classes of rows / all rows * distance to the table <= t`.

    A class may be farther than t if others are nearer: what an attacker learns about the average person is bounded, not
    what they learn about everyone. It speaks of all classes of a release together. Where the average is above t, the
    classes that are farther than t themselves fail. Merging never raises the average, as the distance is convex, and
    all rows as one class are at 0. t-closeness implies it, and methods work with that; `t-mondrian` also cuts as long
    as the average allows. The distances are those of t-closeness.

    >>> str(AverageTCloseness(0.2, "salary", distance="ordered"))
    'average-t(salary:ordered)=0.2'
    """

    name: ClassVar[str] = "average-t"
    title: ClassVar[str] = "average t-closeness"
    meaning: ClassVar[str] = "over all rows, the distance from their class's distribution to the table's averages to t"
    by_people: ClassVar[Counting] = "refused"
    rule: ClassVar[Rule | None] = None
    measured_unasked: ClassVar[bool] = False
    of_release: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.given:
            raise Unsupported(
                f"{self} is not defined where other attributes are known", hint="leave out | and what follows it"
            )

    def surrogate(self, rows: int | None) -> Model:
        """Return t-closeness, which implies this."""
        return TCloseness(self.t, self.attribute, (), self.distance)

    def shares(self, values: Values) -> ShareSet | None:
        """Nothing is known of a class by itself."""
        return None

    def level(self, classes: Classes) -> Floats:
        """Return the average for every class: it is one number for a release."""
        return np.full(classes.number, self._mean(classes))

    def admits(self, classes: Classes) -> Bools:
        """Decide the release; where it is refused, the classes that are farther than t fail."""
        if self._holds(classes):
            return np.ones(classes.number, dtype=bool)
        return super().admits(classes)

    def reached(self, classes: Classes) -> float:
        """Return the average."""
        return self._mean(classes)

    def _holds(self, classes: Classes) -> bool:
        mean, limit = self._mean(classes), float(self.limit)
        return self._exactly(classes) <= self.limit if abs(mean - limit) <= DOUBT else mean <= limit

    def _mean(self, classes: Classes) -> float:
        histogram = self.slices(classes)
        if int(histogram.sizes.sum()) != histogram.total:
            raise Unsupported(f"{self} is decided for all classes of a release together")
        return float(histogram.sizes @ self.measure(histogram)) / histogram.total

    def _exactly(self, classes: Classes) -> Fraction:
        histogram = self.slices(classes)
        moved = (size * self.exact(histogram, index) for index, size in enumerate(histogram.sizes.tolist()))
        return sum(moved, Fraction(0)) / histogram.total
