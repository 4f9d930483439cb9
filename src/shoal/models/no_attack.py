"""No-attack profitability (Wan et al. 2015): an attack on any row costs at least what it brings."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Bools, Floats
from shoal.core.parameters import Number, Numeral
from shoal.microdata.histogram import Classes
from shoal.models.base import Counting, Model, Rule
from shoal.models.presence import covered


@dataclass(frozen=True)
class NoAttack(Model):
    """Guarantees `gain / (rows of the class) <= cost` for every class: nobody attacks who knows that a person is in it.

    `gain` is what an attacker gets who picks the right row, `cost` what an attempt costs, in any currency. The chance
    is that of the prosecutor, who knows that the person is in the table: so it is k-anonymity with k = gain / cost,
    rounded up, and the level is the expected gain of the best attack.

    >>> str(NoAttack(100, 30)), NoAttack(100, 30).least_rows
    ('no-attack=(100,30)', 4)
    """

    name: ClassVar[str] = "no-attack"
    title: ClassVar[str] = "no-attack profitability"
    meaning: ClassVar[str] = (
        "an attack on a row brings no more than it takes: gain / (rows of the class) is at most cost"
    )
    parameters: ClassVar[tuple[Number, ...]] = (
        Number("gain", "what the right row of a person is worth to an attacker", 0),
        Number("cost", "what an attempt costs", 0, above=True),
    )
    monotone: ClassVar[bool] = True
    larger_is_stricter: ClassVar[bool] = False
    reads_attribute: ClassVar[bool] = False
    measured_unasked: ClassVar[bool] = False
    least_asked: ClassVar[tuple[int, ...]] = (0, 1)
    by_people: ClassVar[Counting] = "counted"
    rule: ClassVar[Rule | None] = Rule.ROWS

    gain: Numeral
    cost: Numeral

    @property
    def limit(self) -> Fraction:
        """The cost."""
        return self.asked[1]

    @property
    def rule_numbers(self) -> tuple[Fraction, ...]:
        """The rows that a class must have."""
        return (Fraction(self.least_rows),)

    @property
    def is_trivial(self) -> bool:
        """Whether a single row is worth no more than an attempt costs."""
        return self.least_rows == 1

    @property
    def least_rows(self) -> int:
        """A number of rows below which no class is admitted."""
        gain, cost = self.asked
        return max(ceil(gain / cost), 1)

    def level(self, classes: Classes) -> Floats:
        """Return what an attack on a row of each class brings."""
        gains: Floats = float(self.asked[0]) / classes.sizes
        return gains

    def admits(self, classes: Classes) -> Bools:
        """Decide in whole numbers of rows."""
        enough: Bools = classes.sizes >= self.least_rows
        return enough

    def reached(self, classes: Classes) -> float:
        """Return what the best attack brings."""
        return float(self.asked[0] / int(classes.sizes.min()))

    def reading(self, reached: float) -> float | list[float]:
        """Return the gain asked about and the expected gain reached."""
        return [float(self.asked[0]), reached]


@dataclass(frozen=True)
class NoAttackJournalist(Model):
    """Guarantees `gain / (people of the population that the cells fit) <= cost` for every class.

    The attacker does not know that the person is in the table: everybody of the population whom the cells of a row fit
    is a candidate. So it is k-map with k = gain / cost, rounded up, and the level is the expected gain of the best
    attack; infinite where the cells of a class fit nobody.

    >>> str(NoAttackJournalist(100, 30)), NoAttackJournalist(100, 30).least_people
    ('no-attack-journalist=(100,30)', 4)
    """

    name: ClassVar[str] = "no-attack-journalist"
    title: ClassVar[str] = "no-attack profitability, journalist"
    meaning: ClassVar[str] = (
        "an attack brings no more than it takes: gain / (people whom the cells fit) is at most cost"
    )
    parameters: ClassVar[tuple[Number, ...]] = NoAttack.parameters
    monotone: ClassVar[bool] = True
    larger_is_stricter: ClassVar[bool] = False
    reads_attribute: ClassVar[bool] = False
    needs_population: ClassVar[bool] = True
    measured_unasked: ClassVar[bool] = False
    least_asked: ClassVar[tuple[int, ...]] = (0, 1)
    by_people: ClassVar[Counting] = "same"

    gain: Numeral
    cost: Numeral

    @property
    def limit(self) -> Fraction:
        """The cost."""
        return self.asked[1]

    @property
    def least_people(self) -> int:
        """The people of the population whom the cells of a class must fit."""
        return max(ceil(self.asked[0] / self.asked[1]), 1)

    def level(self, classes: Classes) -> Floats:
        """Return what an attack on a row of each class brings."""
        people = covered(self, classes)
        gains: Floats = np.divide(float(self.asked[0]), people, out=np.full(len(people), np.inf), where=people > 0)
        return gains

    def admits(self, classes: Classes) -> Bools:
        """Decide in whole numbers of people."""
        return np.greater_equal(covered(self, classes), self.least_people)

    def reached(self, classes: Classes) -> float:
        """Return what the best attack brings."""
        return float(self.level(classes).max())

    def reading(self, reached: float) -> float | list[float]:
        """Return the gain asked about and the expected gain reached."""
        return [float(self.asked[0]), reached]
