"""k-map with an estimated population (El Emam and Dankar 2008): enough rows to be sure of k people."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from math import exp, expm1
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Bools, Floats
from shoal.core.numerics.brent import root
from shoal.core.numerics.poisson_tail import log_poisson_tail, poisson_mean
from shoal.core.parameters import Number, Numeral
from shoal.microdata.histogram import Classes
from shoal.models.base import Counting, Model, Rule


@dataclass(frozen=True)
class PoissonKMap(Model):
    """Guarantees classes of so many rows that fewer than `k` people of the population would rarely give them.

    The rows are taken for a random sample of the population, of which they are the `fraction`: of K people who share
    cells, a Poisson number with mean fraction * K is in the table. The rows n that a class must have are the fewest
    with P(n rows or more | k people) <= `error`. Fewer people give n rows less often still; so whatever K < k is, such
    a class is admitted with a probability of at most `error`. k rows are always enough.

    It is k-anonymity with k = n, and rests on the sampling, not on the table: a class that is all of its people is
    admitted as others are.

    >>> str(PoissonKMap(20, 0.1, 0.01)), PoissonKMap(20, 0.1, 0.01).least_rows
    ('kmap-poisson=(20,0.1,0.01)', 7)
    """

    name: ClassVar[str] = "kmap-poisson"
    title: ClassVar[str] = "k-map by a Poisson estimate"
    meaning: ClassVar[str] = (
        "a class has so many rows that fewer than k people of the population would rarely give them"
    )
    parameters: ClassVar[tuple[Number, ...]] = (
        Number("k", "people of the population", 1, whole=True),
        Number("fraction", "rows / people of the population", 0, 1, above=True),
        Number("error", "largest probability to admit a class of fewer people", 0, 1, above=True),
    )
    monotone: ClassVar[bool] = True
    larger_is_stricter: ClassVar[bool] = True
    reads_attribute: ClassVar[bool] = False
    measured_unasked: ClassVar[bool] = False
    least_asked: ClassVar[tuple[int, ...]] = (1, 1, 1)
    by_people: ClassVar[Counting] = "counted"
    rule: ClassVar[Rule | None] = Rule.ROWS
    truncated: ClassVar[bool] = False
    """Whether classes that no row is of are left out: the probability is that of a class that has a row."""

    k: Numeral
    fraction: Numeral
    error: Numeral

    @property
    def rule_numbers(self) -> tuple[Fraction, ...]:
        """The rows that a class must have."""
        return (Fraction(self.least_rows),)

    @property
    def is_trivial(self) -> bool:
        """Whether a single row is enough."""
        return self.least_rows == 1

    @property
    def least_rows(self) -> int:
        """A number of rows below which no class is admitted."""
        return self._rows

    @cached_property
    def _rows(self) -> int:
        """The fewest rows n >= 1 with P(n or more | mean fraction * k) <= error; k where that is fewer."""
        k, fraction, error = self.asked
        with localcontext(prec=60):
            mean = Decimal((fraction * k).numerator) / (fraction * k).denominator
            none = (-mean).exp()
            allowed = Decimal(error.numerator) / error.denominator * (1 - none if self.truncated else 1)
            term, left, rows = none, 1 - none, 1
            while rows < k and left > allowed:
                term = term * mean / rows
                left -= term
                rows += 1
        return rows

    def level(self, classes: Classes) -> Floats:
        """Return the people whom each class would be enough for: the largest k."""
        sizes, place = np.unique(classes.sizes, return_inverse=True)
        means = np.array([self._most(int(rows)) for rows in sizes])
        people: Floats = np.maximum(np.floor(means / float(self.asked[1])), sizes)
        return people[place]

    def _most(self, rows: int) -> float:
        """Return the largest mean at which so many rows or more have at most the probability asked for."""
        error = float(self.asked[2])
        if error == 1:
            return float("inf")
        high = poisson_mean(rows, error) if error else 0.0
        if not self.truncated:
            return high
        if rows == 1:
            return 0.0

        def missed(mean: float) -> float:
            return exp(log_poisson_tail(rows, mean)) - error * -expm1(-mean)

        return root(missed, high * 1e-12, high) if missed(high * 1e-12) < 0 else 0.0

    def admits(self, classes: Classes) -> Bools:
        """Decide in whole numbers of rows."""
        enough: Bools = classes.sizes >= self.least_rows
        return enough

    def reached(self, classes: Classes) -> float:
        """Return the people whom the smallest class would be enough for."""
        return float(self.level(classes).min())

    def reading(self, reached: float) -> float | list[float]:
        """Return the people reached, and the fraction and the error asked about."""
        return [reached, *map(float, self.asked[1:])]


@dataclass(frozen=True)
class TruncatedPoissonKMap(PoissonKMap):
    """Guarantees the same of the classes that have rows: the Poisson number is given to be at least 1.

    Classes without a row are not seen, so this is the probability of a class that is; it asks for as many rows, or
    for more.

    >>> str(TruncatedPoissonKMap(20, 0.1, 0.01)), TruncatedPoissonKMap(3, 0.0001, 0.01).least_rows
    ('kmap-truncated=(20,0.1,0.01)', 2)
    """

    name: ClassVar[str] = "kmap-truncated"
    title: ClassVar[str] = "k-map by a zero-truncated Poisson estimate"
    meaning: ClassVar[str] = "the same, where only classes that have a row count"
    truncated: ClassVar[bool] = True
