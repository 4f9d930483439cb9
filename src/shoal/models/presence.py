"""delta-presence and k-map (Nergiz et al. 2007; k-map after Sweeney): who of a population may be in the table."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.errors import Infeasible, Unsupported
from shoal.core.parameters import Number, Numeral
from shoal.microdata.histogram import Classes
from shoal.models.base import Counting, Model, ratio_at_least


def covered(model: Model, classes: Classes) -> Ints:
    """Return how many rows of the population the cells of each class cover, or say that there is no population."""
    if classes.population is None:
        raise Unsupported(
            f"{model} needs a population to compare with", hint="give the population's table with --population FILE"
        )
    return classes.population()


@dataclass(frozen=True)
class KMap(Model):
    """Guarantees that the published cells of every class fit at least `k` people of the population.

    That is said of each row by itself: cells of other classes may fit the same people, and who counts all rows together
    can rule some of them out. delta-presence bounds what such counting tells.

    >>> str(KMap(5))
    'kmap=5'
    """

    name: ClassVar[str] = "kmap"
    title: ClassVar[str] = "k-map"
    meaning: ClassVar[str] = "the cells of every class fit at least k rows of the population"
    parameters: ClassVar[tuple[Number, ...]] = (Number("k", "rows of the population", 1, whole=True),)
    monotone: ClassVar[bool] = True
    larger_is_stricter: ClassVar[bool] = True
    by_people: ClassVar[Counting] = "same"
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
    """Guarantees that the chance of every person of the population to be in the table is from `dmin` to `dmax`.

    The chance is what follows from all published classes together: `shoal.microdata.chances` says how it is defined and
    bounded. Only these bounds admit, so a release is refused where they cannot tell. The level of a class is the
    largest bound of the people that its cells fit; it is infinite where the class fits fewer people than it has rows,
    for then the table is not about that population. Where dmin is above 0, people who fit no class make every class
    fail.

    A class is admitted or not by what the others are. Methods form classes with `PresenceByClass` instead, which does
    not imply it; the whole release is decided afterwards, and classes that fail are merged. Merging can break it.

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
    needs_cells: ClassVar[bool] = True
    measured_unasked: ClassVar[bool] = False
    least_asked: ClassVar[tuple[int, ...]] = (0, 1)

    dmin: Numeral
    dmax: Numeral

    @property
    def limit(self) -> Fraction:
        """The parameter dmax."""
        return self.asked[1]

    def surrogate(self, rows: int | None) -> Model:
        """Return the ratio of every class by itself, which decides nothing of the release."""
        return PresenceByClass(self.dmin, self.dmax)

    def check_population(self, fewest: int, most: int, people: int) -> None:
        """Raise `Infeasible` where the mean chance, rows / people, is outside the limits in every release."""
        dmin, dmax = self.asked
        if fewest > dmax * people or most < dmin * people:
            raise Infeasible(
                str(self),
                reached=f"{most:,} rows of {people:,} people",
                rows=range(most),
                hint="the mean chance is rows / people: ask for less, or give the whole population",
            )

    def level(self, classes: Classes) -> Floats:
        """Return the largest chance that a person may have who fits the class."""
        return classes.chances.largest()

    def admits(self, classes: Classes) -> Bools:
        """Decide the classes of a release in integers."""
        chances, (dmin, dmax) = classes.chances, self.asked
        if dmin and chances.uncovered:
            return np.zeros(classes.number, dtype=bool)
        fair = ratio_at_least(*chances.below, dmin) & ~_above(*chances.above, dmax)
        return chances.possible & chances.all_of(fair)

    def reached(self, classes: Classes) -> float:
        """Return the largest chance."""
        return float(self.level(classes).max())

    def reading(self, reached: float) -> float | list[float]:
        """Return the range asked for below and the chance reached above."""
        return [float(self.asked[0]), reached]


class PresenceByClass(DeltaPresence):
    """Asks for `dmin <= rows of the class / people of the population that its cells fit <= dmax`.

    This is the chance where no other class fits the same people. Methods work with it, class by class.
    """

    needs_cells: ClassVar[bool] = False

    def surrogate(self, rows: int | None) -> Model:
        """Return itself."""
        return self

    def level(self, classes: Classes) -> Floats:
        """Return rows / people that fit; infinite where nobody does."""
        fitting = covered(self, classes)
        ratio: Floats = np.divide(classes.sizes, fitting, out=np.full(classes.number, np.inf), where=fitting > 0)
        return ratio

    def admits(self, classes: Classes) -> Bools:
        """Decide in integers."""
        fitting, (dmin, dmax) = covered(self, classes), self.asked
        enough = ratio_at_least(classes.sizes, fitting, dmin)
        return np.asarray(enough & ~_above(classes.sizes, fitting, dmax), dtype=bool)


def _above(rows: Ints, fitting: Ints, share: Fraction) -> Bools:
    """Whether rows / fitting > share, as it always is where nobody fits."""
    return ~ratio_at_least(fitting, rows, 1 / share) if share else rows > 0
