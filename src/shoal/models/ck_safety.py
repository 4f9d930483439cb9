"""(c,k)-safety (Martin, Kifer, Machanavajjhala, Gehrke and Halpern 2007): k implications make nothing sure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import floor
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Ints
from shoal.core.parameters import Number, Numeral
from shoal.microdata.histogram import Attributes, Histogram, Values
from shoal.models.background_knowledge import KnowledgeModel, Numbers, by_class
from shoal.models.base import Model, ShareSet

MOST_FACTS = 10
"""Implications up to which they are gone through."""


@dataclass(frozen=True)
class CKSafety(KnowledgeModel):
    """Guarantees that who knows `k` implications is less than `c` sure of every value of everybody.

    An implication says: if this person has this value, then that person has that value. k of them make an attacker
    surest where all end in the same A: then Pr(A | all of them) = 1 / (1 + Pr(A and all k premises are false) / Pr(A)).
    Within a class of n people with value counts c_1 >= c_2 >= ..., premises are best about the commonest values: where
    k_0 >= k_1 >= ... of them are about one person each,

        Pr(all false) = product over i of (n - i - c_1 - ... - c_(k_i)) / (n - i).

    Premises may be about people of other classes, which are independent; so a release is decided as a whole. Methods
    form classes with `CKSafetyByClass`, where all premises are about the target's class: that is necessary. What then
    fails is merged. Merging classes never makes an attacker surer. The missing value counts as a value.

    >>> str(CKSafety("2/3", 1, "disease"))
    'ck(disease)=(2/3,1)'
    """

    name: ClassVar[str] = "ck"
    title: ClassVar[str] = "(c,k)-safety"
    meaning: ClassVar[str] = (
        "an attacker who knows k implications between people's values is less than c sure of any value"
    )
    parameters: ClassVar[tuple[Number, ...]] = (
        Number("c", "how sure an attacker may nearly be", 0, 1, above=True),
        Number("k", "implications that an attacker knows", 0, MOST_FACTS, whole=True),
    )
    least_asked: ClassVar[tuple[int, ...]] = (1, 0)

    c: Numeral
    k: Numeral
    attribute: str | Attributes
    others: str | Attributes = ()

    def surrogate(self, rows: int | None) -> Model:
        """Return the model of an attacker whose implications are about the target's class alone."""
        return by_class(self, CKSafetyByClass)

    @property
    def facts(self) -> tuple[int, ...]:
        """The premises."""
        return (int(self.asked[1]),)

    def targets(self, histogram: Histogram) -> Iterator[tuple[Ints, Ints]]:
        """Yield, for each class, its people and the counts of its commonest values, falling."""
        atoms = self.facts[0] + 1
        order = np.lexsort((-histogram.counts, histogram.slice_of_entry))
        rank = np.arange(len(order)) - histogram.starts[histogram.slice_of_entry]
        tall = rank < atoms
        rows = np.zeros((len(histogram.sizes), atoms + 1), dtype=np.int64)
        rows[:, 0] = histogram.sizes
        rows[histogram.slice_of_entry[tall], 1 + rank[tall]] = histogram.counts[order][tall]
        yield np.arange(len(rows)), rows

    def own(self, rows: Numbers) -> Numbers:
        """Return Pr(A and premises are false) / Pr(A), for each number of premises about the class."""
        return self._all_false(rows)[:, 1:] * (rows[:, :1] / rows[:, 1:2])

    def other(self, rows: Numbers) -> Numbers:
        """Return the least Pr(premises are false) for each number of them about the class."""
        return self._all_false(rows)[:, :-1]

    def _all_false(self, rows: Numbers) -> Numbers:
        """Return the least chance that atoms about a class are all false, for each number of them up to k + 1."""
        people, tallest = rows[:, 0], np.cumsum(rows[:, 1:], axis=1)
        found = np.repeat(rows[:, :1] * 0 + 1, self.facts[0] + 2, axis=1)
        for atoms in range(1, found.shape[1]):
            for parts in _partitions(atoms, atoms):
                chance = found[:, 0]
                for person, about in enumerate(parts):
                    left = np.maximum(people - person - tallest[:, about - 1], 0)
                    chance = chance * left / np.maximum(people - person, 1)
                found[:, atoms] = np.minimum(found[:, atoms], chance)
        return found

    @property
    def least_rows(self) -> int:
        """A number of rows below which no class is admitted: at best all values differ, and the odds are n - k - 1."""
        return floor(self.asked[1] + 1 / self.limit) + 1

    @property
    def least_values(self) -> int:
        """A number of different values below which no class is admitted, by the same argument for equal shares."""
        return self.least_rows

    def shares(self, values: Values) -> ShareSet | None:
        """Who knows nothing is as sure of a value as its share."""
        return ShareSet(caps=(self.limit,) * len(values.totals)) if self.limit < 1 else None


class CKSafetyByClass(CKSafety):
    """Guarantees the same where all implications are about people of the target's class: it is decided class by class.

    It is what (c,k)-safety asks of a release of one class, and part of what it asks of every release.
    """

    of_release: ClassVar[bool] = False

    def surrogate(self, rows: int | None) -> Model:
        """Return itself."""
        return self


def _partitions(number: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield the falling lists of numbers, none above `most`, that add up to a number.

    >>> list(_partitions(3, 3))
    [(3,), (2, 1), (1, 1, 1)]
    """
    if number == 0:
        yield ()
    for first in range(min(number, most), 0, -1):
        for rest in _partitions(number - first, first):
            yield (first, *rest)
