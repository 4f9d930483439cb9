"""Skyline privacy (Chen, LeFevre and Ramakrishnan 2007): three kinds of knowledge make nothing sure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import floor
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Ints
from shoal.core.parameters import Number, Numeral
from shoal.microdata.histogram import Attributes, Histogram, Values
from shoal.models.background_knowledge import KnowledgeModel, Numbers, by_class
from shoal.models.base import Model, ShareSet

MOST_FACTS = 10
"""Facts of a kind up to which they are gone through."""


@dataclass(frozen=True)
class Skyline(KnowledgeModel):
    """Guarantees less than `c` confidence in every value of everybody for who knows three kinds of facts.

    Of a target t and a value s the attacker knows `l` values other than s that t does not have; the values of `k` other
    people; and `m` further people of whom each has s only if t has it too. (All these people differ.) One requirement
    is one point; a skyline is several, `skyline(disease)=(1,2,1,0.8) skyline(disease)=(0,0,3,0.9)`.

    In a class of n people, a of whom have s, with T the sum of the l largest counts of other values, the best k_0 known
    people have none of those; with m_0 of the m people in the class the odds against s are, with N = n - k_0,

        (n - a - T - k_0) / a * product over i < m_0 of (N - 1 - a - i) / (N - 1 - i),

    none where that is not above 0. In another class known people and people who would share s multiply the odds by
    product over i < m_1 of (n - k_1 - a - i) / (n - k_1 - i). So a release is decided as a whole; methods form classes
    with `SkylineByClass`, where everybody known is of the target's class, and what then fails is merged. Merging
    classes never makes an attacker surer. The missing value counts as a value.

    >>> str(Skyline(1, 2, 0, "3/4", "disease"))
    'skyline(disease)=(1,2,0,0.75)'
    """

    name: ClassVar[str] = "skyline"
    title: ClassVar[str] = "skyline privacy"
    meaning: ClassVar[str] = (
        "an attacker who knows l values not had, k people and m sharers is less than c sure of any value"
    )
    parameters: ClassVar[tuple[Number, ...]] = (
        Number("l", "values that the target is known not to have", 0, MOST_FACTS, whole=True),
        Number("k", "other people whose values are known", 0, MOST_FACTS, whole=True),
        Number("m", "people who have the value only if the target has it", 0, MOST_FACTS, whole=True),
        Number("c", "how sure an attacker may nearly be", 0, 1, above=True),
    )
    least_asked: ClassVar[tuple[int, ...]] = (0, 0, 0, 1)

    l: Numeral  # noqa: E741 - the paper's name
    k: Numeral
    m: Numeral
    c: Numeral
    attribute: str | Attributes
    others: str | Attributes = ()

    def surrogate(self, rows: int | None) -> Model:
        """Return the model of an attacker whose facts are about the target's class alone."""
        return by_class(self, SkylineByClass)

    @property
    def facts(self) -> tuple[int, ...]:
        """The people whose values are known, and those who would share the value."""
        return int(self.asked[1]), int(self.asked[2])

    def targets(self, histogram: Histogram) -> Iterator[tuple[Ints, Ints]]:
        """Yield, value by value, the classes that have it: people, those with the value, the l commonest others."""
        owner, l = histogram.slice_of_entry, int(self.asked[0])  # noqa: E741 - the paper's name
        order = np.lexsort((-histogram.counts, owner))
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order)) - histogram.starts[owner]
        upto = np.bincount(owner, np.where(rank < l, histogram.counts, 0), len(histogram.sizes)).astype(np.int64)
        further = np.bincount(owner, np.where(rank == l, histogram.counts, 0), len(histogram.sizes)).astype(np.int64)
        others = np.where(rank < l, upto[owner] - histogram.counts + further[owner], upto[owner])
        rows = np.column_stack([histogram.sizes[owner], histogram.counts, others])
        by_value = np.argsort(histogram.codes, kind="stable")
        for entries in np.split(by_value, np.flatnonzero(np.diff(histogram.codes[by_value])) + 1):
            yield owner[entries], rows[entries]

    def own(self, rows: Numbers) -> Numbers:
        """Return the odds against the value by the known people and the sharers in the class."""
        people, having, others = rows.T
        known, sharers = self.facts
        found = np.empty((len(rows), known + 1, sharers + 1), dtype=rows.dtype)
        for k, m in product(range(known + 1), range(sharers + 1)):
            doubt = np.maximum(people - having - others - k, 0) / having
            found[:, k, m] = doubt * _unlike(people - k - 1, having, m)
        return found

    def other(self, rows: Numbers) -> Numbers:
        """Return the chance that no sharer in the class has the value, by the known people and the sharers in it."""
        people, having, _ = rows.T
        known, sharers = self.facts
        found = np.empty((len(rows), known + 1, sharers + 1), dtype=rows.dtype)
        for k, m in product(range(known + 1), range(sharers + 1)):
            found[:, k, m] = _unlike(people - k, having, m)
        return found

    @property
    def least_rows(self) -> int:
        """A number of rows below which no class is admitted: at best all values differ; odds are at most n-1-l-k."""
        return floor(self.asked[0] + self.asked[1] + 1 / self.limit) + 1

    @property
    def least_values(self) -> int:
        """A number of different values below which no class is admitted: the value, l others, one more."""
        return int(self.asked[0]) + 2

    def shares(self, values: Values) -> ShareSet | None:
        """Who knows nothing is as sure of a value as its share."""
        return ShareSet(caps=(self.limit,) * len(values.totals)) if self.limit < 1 else None


class SkylineByClass(Skyline):
    """Guarantees the same where everybody known is of the target's class: it is decided class by class.

    It is what skyline privacy asks of a release of one class, and part of what it asks of every release.
    """

    of_release: ClassVar[bool] = False

    def surrogate(self, rows: int | None) -> Model:
        """Return itself."""
        return self


def _unlike(people: Numbers, having: Numbers, sharers: int) -> Numbers:
    """Return the chance that so many of some people all do not have a value; 0 where fewer than that do not have it."""
    chance = people * 0 + 1
    for person in range(sharers):
        chance = chance * np.maximum(people - having - person, 0) / np.maximum(people - person, 1)
    return chance
