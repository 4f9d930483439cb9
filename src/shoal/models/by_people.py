"""Models where a person may have several rows: what is asked of rows is asked of people.

A person counts once in a class, however many rows they have there, and once for each different value: so the share of a
value is that of the people who have it, as an attacker sees it who knows that somebody is in the class. A diversity
model also asks that no value is held by everybody of a class, or of a slice of it: with one row for each person it says
that by itself. Distances between distributions count each different value of each person.

Merging two classes may break all of this but k: the same people may be in both.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal.core.arrays import Bools, Floats
from shoal.core.errors import Unsupported
from shoal.microdata.histogram import Attributes, Classes
from shoal.models.base import Model, Models, Rule
from shoal.models.distinct_l_diversity import DistinctLDiversity
from shoal.models.k_anonymity import KAnonymity

TAKEN_OVER = (
    "name",
    "title",
    "meaning",
    "parameters",
    "larger_is_stricter",
    "nested",
    "needs_cells",
    "reads_hierarchies",
    "needs_population",
    "needs_households",
    "reads_attribute",
    "least_asked",
    "measured_unasked",
)
"""What is declared of a model of people as of the model of rows; no rule: rules count rows."""


@dataclass(frozen=True)
class ByPeople(Model):
    """Guarantees of people what a model guarantees of rows, and that no value is certain where it asks for several.

    >>> from shoal.models import LDiversity
    >>> str(ByPeople(LDiversity(2, "illness"))), str(ByPeople(LDiversity(2, "illness")).of_rows)
    ('l(illness)=2', 'distinct-l(illness)=2')
    """

    model: Model

    def __post_init__(self) -> None:
        for name in TAKEN_OVER:
            object.__setattr__(self, name, getattr(self.model, name))
        object.__setattr__(self, "monotone", self.model.rule is Rule.ROWS)

    def __str__(self) -> str:
        return str(self.model)

    @property
    def attributes(self) -> Attributes:
        """The sensitive attribute measured."""
        return self.model.attributes

    @property
    def given(self) -> Attributes:
        """Sensitive attributes that the attacker is taken to know."""
        return self.model.given

    @property
    def asked(self) -> tuple[Fraction, ...]:
        """The parameters' values."""
        return self.model.asked

    @property
    def limit(self) -> Fraction:
        """The value that `level` is compared with."""
        return self.model.limit

    @property
    def ordered_attributes(self) -> Attributes:
        """The attributes in which it counts steps between values."""
        return self.model.ordered_attributes

    @property
    def least_rows(self) -> int:
        """A number of rows below which no class is admitted: there are no fewer rows than people."""
        return self.model.least_rows

    @property
    def least_values(self) -> int:
        """A number of different values below which no class is admitted: of fewer, one is too common."""
        return self.model.least_values

    @property
    def of_rows(self) -> Model:
        """The most that it implies of rows: k people are k rows, and what asks for l values has l different ones."""
        if self.model.rule is Rule.ROWS:
            return self.model
        if self.attributes and self.least_values > 1:
            return DistinctLDiversity(self.least_values, self.attributes, self.given)
        return KAnonymity(self.least_rows)

    def level(self, classes: Classes) -> Floats:
        """Measure every class by its people; one with a value that all of them have is at the worst level."""
        worst = 1.0 if self.larger_is_stricter else np.inf
        return np.where(self._has_certain_value(classes), worst, self.model.level(classes.of_people))

    def admits(self, classes: Classes) -> Bools:
        """Decide every class by its people, exactly."""
        return np.asarray(self.model.admits(classes.of_people) & ~self._has_certain_value(classes), dtype=bool)

    def reached(self, classes: Classes) -> float:
        """Return the level of the worst class."""
        if self._has_certain_value(classes).any():
            return 1.0 if self.larger_is_stricter else float("inf")
        return self.model.reached(classes.of_people)

    def reading(self, reached: float) -> float | list[float]:
        """Return the level reached in the form of the grammar."""
        return self.model.reading(reached)

    def _has_certain_value(self, classes: Classes) -> Bools:
        """Return which classes have a slice with a value that all its people have, though several are asked for."""
        found = np.zeros(classes.number, dtype=bool)
        if self.attributes and self.least_values > 1:
            histogram = classes.of_people.histogram(self.attributes, self.given)
            tallest = np.maximum.reduceat(histogram.counts, histogram.starts[:-1])
            found[histogram.class_of_slice[tallest == histogram.members]] = True
        return found


def by_people(models: Models) -> Models:
    """Guarantees that every model counts people, or `Unsupported`."""
    return Models(tuple(map(_by_people, models)))


def _by_people(model: Model) -> Model:
    if model.by_people == "refused":
        raise Unsupported(
            f"{model} is not defined for people with several rows",
            hint="ask for another model, or keep one row of each person",
        )
    return model if model.by_people == "same" else ByPeople(model)
