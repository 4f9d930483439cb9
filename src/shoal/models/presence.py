"""delta-presence and k-map (Nergiz et al. 2007; k-map after Sweeney): who of a population may be in the table."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from shoal.arrays import Bools, Floats, Ints
from shoal.errors import Unsupported
from shoal.histogram import Classes
from shoal.models.base import Model, ratio_at_least
from shoal.parameters import Number, Numeral


def covered(model: Model, classes: Classes) -> Ints:
    """Return how many rows of the population the cells of each class cover, or say that there is no population."""
    if classes.population is None:
        raise Unsupported(
            f"{model} compares with a population", hint="give the population's table with --population FILE"
        )
    return classes.population()


@dataclass(frozen=True)
class KMap(Model):
    """Guarantees that the published cells of every class fit at least `k` people of the population.

    >>> str(KMap(5))
    'kmap=5'
    """

    name: ClassVar[str] = "kmap"
    title: ClassVar[str] = "k-map"
    meaning: ClassVar[str] = "the cells of every class fit at least k rows of the population"
    parameters: ClassVar[tuple[Number, ...]] = (Number("k", "rows of the population", 1, whole=True),)
    monotone: ClassVar[bool] = True
    larger_is_stricter: ClassVar[bool] = True
    reads_attribute: ClassVar[bool] = False
    needs_population: ClassVar[bool] = True
    measured_unasked: ClassVar[bool] = False

    k: Numeral

    def level(self, classes: Classes) -> Floats:
        """Return the number of people of the population that fit."""
        return covered(self, classes).astype(np.float64)

    def admits(self, classes: Classes) -> Bools:
        """Decide by counting."""
        return np.greater_equal(covered(self, classes), int(self.limit))

    def reached(self, classes: Classes) -> float:
        """Return the smallest number."""
        return float(covered(self, classes).min())


@dataclass(frozen=True)
class DeltaPresence(Model):
    """Guarantees `dmin <= rows of the class / people of the population that its cells fit <= dmax`.

    So nobody who fits a class can be told to be in the table with more, or less, than these chances. (Who fits no class
    can be told not to be in it, whatever dmin is: hierarchies that cover the whole population prevent that.) Merging
    classes can break it. The level of a class is the ratio; a class that fits nobody has an infinite one.

    >>> str(DeltaPresence(0.1, 0.5))
    'presence=(0.1,0.5)'
    """

    name: ClassVar[str] = "presence"
    title: ClassVar[str] = "delta-presence"
    meaning: ClassVar[str] = "the chance that a person of the population is in the table lies between dmin and dmax"
    parameters: ClassVar[tuple[Number, ...]] = (
        Number("dmin", "smallest chance", 0, 1),
        Number("dmax", "largest chance", 0, 1),
    )
    monotone: ClassVar[bool] = False
    larger_is_stricter: ClassVar[bool] = False
    reads_attribute: ClassVar[bool] = False
    needs_population: ClassVar[bool] = True
    measured_unasked: ClassVar[bool] = False
    least_asked: ClassVar[tuple[int, ...]] = (0, 1)

    dmin: Numeral
    dmax: Numeral

    @property
    def limit(self) -> Fraction:
        """The parameter dmax."""
        return self.asked[1]

    def level(self, classes: Classes) -> Floats:
        """Return rows / people that fit."""
        fitting = covered(self, classes)
        ratio: Floats = np.divide(classes.sizes, fitting, out=np.full(classes.number, np.inf), where=fitting > 0)
        return ratio

    def admits(self, classes: Classes) -> Bools:
        """Decide in integers."""
        fitting, (dmin, dmax) = covered(self, classes), self.asked
        enough = ratio_at_least(classes.sizes, fitting, dmin)
        return np.asarray(enough & ~_above(classes.sizes, fitting, dmax) & (fitting > 0), dtype=bool)

    def reached(self, classes: Classes) -> float:
        """Return the largest ratio."""
        return float(self.level(classes).max())

    def reading(self, reached: float) -> float | list[float]:
        """Return the range asked for below and the ratio reached above."""
        return [float(self.asked[0]), reached]


def _above(rows: Ints, fitting: Ints, share: Fraction) -> Bools:
    """Whether rows / fitting > share."""
    return ~ratio_at_least(fitting, rows, 1 / share) if share else rows > 0
