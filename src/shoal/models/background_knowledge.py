"""Models of an attacker who knows facts about people, and how facts about people of several classes work together.

Every way to hand out the sensitive values of a class to its people is as probable as any other, and classes are
independent. The attacker wants to be sure of a value of one person, the target. What they know multiplies the odds
against it by a factor for each class that the facts speak of. A number of facts of some kinds may be spread over the
classes in any way, so what is left of the odds at least is a product, over classes, of the least factors of parts of
these facts: `least_products` finds it. Arrays hold floating-point numbers for all classes, or fractions for a few.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate, product
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.errors import Unsupported
from shoal.microdata.histogram import Classes, Histogram
from shoal.models.base import DOUBT, AttributeModel, Model

Numbers: TypeAlias = npt.NDArray[Any]
"""Floating-point numbers, or fractions."""
TIED = 1 + 1e-12
"""Factors that differ by less may be equal."""


class KnowledgeModel(AttributeModel):
    """Guarantees that an attacker is less than c sure of every value of everybody, whatever facts they choose to know.

    Subclasses say how many facts of which kinds (`facts`), put the people whom facts may be about in rows of whole
    numbers (`targets`), and give the odds against the target's value where facts speak of the own class (`own`), and
    the factor where they speak of another (`other`). Both are arrays, row by number of facts of each kind.
    """

    monotone: ClassVar[bool] = True
    larger_is_stricter: ClassVar[bool] = False
    measured_unasked: ClassVar[bool] = False
    of_release: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.given:
            raise Unsupported(
                f"{self} is not defined where other attributes are known", hint="leave out | and what follows it"
            )

    @property
    def is_trivial(self) -> bool:
        """Whether every table meets it: none, as a class with one value is refused whatever c is."""
        return False

    @property
    @abstractmethod
    def facts(self) -> tuple[int, ...]:
        """How many facts of each kind the attacker knows that can be spread over classes."""

    @abstractmethod
    def targets(self, histogram: Histogram) -> Iterator[tuple[Ints, Ints]]:
        """Yield classes and what decides the odds of a target in each, a row for each class.

        Facts about the other classes of the same array make the target's value more certain, those about others not.
        """

    @abstractmethod
    def own(self, rows: Numbers) -> Numbers:
        """Return the odds against the target's value, by row and number of facts about the own class."""

    @abstractmethod
    def other(self, rows: Numbers) -> Numbers:
        """Return the factor of the odds by row and number of facts about a class that is not the target's."""

    def level(self, classes: Classes) -> Floats:
        """Return how sure the attacker can be of somebody in each class."""
        self._check_whole(classes)
        sure = np.zeros(classes.number)
        for some, rows in self.targets(classes.histogram(self.attributes)):
            kinds, of, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
            odds = self._odds(kinds, counts)[of.ravel()]
            np.maximum.at(sure, some, 1 / (1 + odds))
        return sure

    def admits(self, classes: Classes) -> Bools:
        """Decide every class; near c in fractions."""
        self._check_whole(classes)
        admitted = np.ones(classes.number, dtype=bool)
        for some, rows in self.targets(classes.histogram(self.attributes)):
            kinds, of, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
            sure = 1 / (1 + self._odds(kinds, counts))
            unsure: Bools = sure < float(self.limit)
            near = np.flatnonzero(np.abs(sure - float(self.limit)) <= DOUBT)
            if len(near):
                exact = self._exactly(kinds, counts, near)
                unsure[near] = [1 / (1 + odds) < self.limit for odds in exact]
            admitted[some[~unsure[of.ravel()]]] = False
        return admitted

    def reached(self, classes: Classes) -> float:
        """Return how sure the attacker can be of anybody."""
        return float(self.level(classes).max())

    def _check_whole(self, classes: Classes) -> None:
        """Refuse classes that are not all those of a release, where facts may be about others."""
        if self.of_release and int(classes.sizes.sum()) != int(classes.attributes[self.attributes].totals.sum()):
            raise Unsupported(f"{self} is decided for all classes of a release together")

    def _odds(self, kinds: Ints, counts: Ints) -> Floats:
        """Return the least odds of each kind of row, of which there are so many."""
        factors = self.other(kinds.astype(np.float64))
        pool = candidates(factors, counts) if self.of_release else np.zeros(len(counts), dtype=np.int64)
        odds: Floats = self._least(self.own(kinds.astype(np.float64)), factors, pool, np.arange(len(kinds)))
        return odds.astype(np.float64)

    def _exactly(self, kinds: Ints, counts: Ints, near: Ints) -> Numbers:
        """Return the least odds of some kinds of rows, as fractions."""
        pool = np.zeros(len(counts), dtype=np.int64)
        if self.of_release:
            pool = candidates(self.other(kinds.astype(np.float64)), counts)
        used = np.union1d(near, np.flatnonzero(pool))
        exact = np.array([[Fraction(int(number)) for number in kinds[row]] for row in used.tolist()], dtype=object)
        return self._least(self.own(exact), self.other(exact), pool[used], np.searchsorted(used, near))

    def _least(self, own: Numbers, factors: Numbers, pool: Ints, wanted: Ints) -> Numbers:
        """Return the least odds of the rows wanted: facts about the own class, the rest about others of the pool."""
        rest = least_products(factors, pool)
        found = []
        for row in wanted.tolist():
            found.append(combine(own[row], rest[row])[self.facts])
        return np.array(found)

    def reading(self, reached: float) -> float | list[float]:
        """Return the numbers as the grammar has them, the confidence that is reached in place of c."""
        place = [parameter.name for parameter in self.parameters].index("c")
        return [reached if index == place else float(number) for index, number in enumerate(self.asked)]

    @property
    def limit(self) -> Fraction:
        """The parameter c."""
        return self.asked[[parameter.name for parameter in self.parameters].index("c")]


def by_class(model: KnowledgeModel, kind: type[KnowledgeModel]) -> Model:
    """Return the model of an attacker whose facts are about the target's class alone."""
    return kind(*model.asked, model.attribute)  # type: ignore[call-arg]


def combine(one: Numbers, other: Numbers) -> Numbers:
    """Return the least product for each number of facts, some of them spent on one array and the rest on the other.

    >>> combine(np.array([1.0, 0.5, 0.4]), np.array([1.0, 0.6, 0.1])).tolist()
    [1.0, 0.5, 0.1]
    """
    found: Numbers = one * other[(0,) * other.ndim]
    for spent in product(*map(range, other.shape)):
        if any(spent):
            above = tuple(slice(number, None) for number in spent)
            below = tuple(slice(None, size - number) for number, size in zip(spent, other.shape, strict=True))
            found[above] = np.minimum(found[above], one[below] * other[spent])
    return found


def candidates(factors: Floats, counts: Ints) -> Ints:
    """Return of how many classes of each kind facts are worth knowing: those with the least factors.

    Facts are about no more classes than there are facts. If a class is used for some of them that is not among the
    least for that many, one of those is not used, and is no worse. One more is kept, as the target's own is left out.
    """
    most = sum(factors.shape[1:]) - (factors.ndim - 1) + 1
    chosen = np.zeros(len(counts), dtype=bool)
    for spent in product(*map(range, factors.shape[1:])):
        if any(spent):
            values: Floats = np.moveaxis(factors, 0, -1)[spent]
            order = np.argsort(values, kind="stable")
            enough = min(int(np.searchsorted(np.cumsum(counts[order]), most)), len(order) - 1)
            chosen |= values <= values[order[enough]] * TIED
    return np.where(chosen, np.minimum(counts, most), 0)


def least_products(factors: Numbers, pool: Ints) -> list[Numbers]:
    """Return, for a target in a class of each kind, the least product of factors over the other classes of the pool."""
    nothing = factors[0] * 0 + 1
    members = np.repeat(np.arange(len(pool)), pool).tolist()
    ahead = list(accumulate((factors[row] for row in members), combine, initial=nothing))
    behind = list(accumulate((factors[row] for row in reversed(members)), combine, initial=nothing))[::-1]
    found = [ahead[-1]] * len(pool)
    for place, row in enumerate(members):
        found[row] = combine(ahead[place], behind[place + 1])
    return found
