"""(n, t)-closeness (Li, Li and Venkatasubramanian 2010): every class looks like some large natural superset of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import ClassVar, Self

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.errors import Infeasible, Unsupported
from shoal.core.parameters import Number, Numeral
from shoal.core.sorting import distinct_rows
from shoal.hierarchies.containment import ShownCells
from shoal.microdata.histogram import Attributes, Classes, Histogram
from shoal.models.base import DOUBT, AttributeModel, Model
from shoal.models.emd import GroundDistance, ground_distance
from shoal.models.metric import Metric
from shoal.models.t_closeness import TCloseness, attributes_in_order, spelled_distance

MOST_PAIRS = 200_000_000
"""Pairs of different cells up to which classes are compared, each with each, where cells lie within others."""
CHUNK = 4_000_000
"""How many pairs are compared at a time."""


@dataclass(frozen=True)
class NTCloseness(AttributeModel):
    """Guarantees that every class is within distance `t` of a natural superset of at least `n` rows.

    The natural supersets of a class, seen from published cells, are the rows that its cells cover once any set of
    quasi-identifiers is starred in them: from none (the rows within its own cells) to all (the table). A row is covered
    if each of its cells is equal to the class's or lies within it (`shoal.hierarchies.containment`). Rows that merely
    show the same cells as the class in some columns are no such superset: others that its cells cover would be left
    out. With n the number of rows it is t-closeness. Merging classes can break it, so methods work with t-closeness
    instead, which implies it for every n up to the number of rows; the audit measures (n, t) itself.

    >>> str(NTCloseness(1000, 0.2, "salary"))
    'nt(salary)=(1000,0.2)'
    """

    name: ClassVar[str] = "nt"
    title: ClassVar[str] = "(n,t)-closeness"
    meaning: ClassVar[str] = "every class is distributed within t of some superset of at least n rows"
    parameters: ClassVar[tuple[Number, ...]] = (
        Number("n", "rows of a superset that is large enough", 1, whole=True),
        Number("t", "largest Earth Mover's Distance", 0, 1),
    )
    monotone: ClassVar[bool] = False
    larger_is_stricter: ClassVar[bool] = False
    measured_unasked: ClassVar[bool] = False
    needs_cells: ClassVar[bool] = True
    least_asked: ClassVar[tuple[int, ...]] = (1, 1)

    n: Numeral
    t: Numeral
    attribute: str | Attributes
    others: str | Attributes = ()
    distance: str | Metric = "auto"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.surrogate(None)

    @property
    def ordered_attributes(self) -> Attributes:
        """The attributes whose distance counts steps between values."""
        return attributes_in_order(self.distance, self.attributes)

    @classmethod
    def parse(
        cls, attributes: Attributes, given: Attributes, option: str | Metric | None, numbers: Sequence[str]
    ) -> Self:
        """Build from `nt(attribute:distance)=(n,t)`."""
        cls.expect(numbers)
        distance = TCloseness.parse(attributes, given, option, numbers[1:]).distance
        return cls(numbers[0], numbers[1], attributes, given, distance)

    @property
    def limit(self) -> Fraction:
        """The parameter t."""
        return self.asked[1]

    def reading(self, reached: float) -> float | list[float]:
        """Return n and the distance reached."""
        return [float(self.asked[0]), reached]

    def surrogate(self, rows: int | None) -> Model:
        """Return t-closeness, which implies this for every n up to the number of rows."""
        if self.given:
            raise Unsupported(
                f"{self} is not defined where other attributes are known", hint="leave out | and what follows it"
            )
        if rows is not None and self.asked[0] > rows:
            raise Infeasible(str(self), reached=f"{rows:,} rows", rows=range(rows), hint="ask for a smaller n")
        return TCloseness(self.t, self.attribute, (), self.distance)

    def level(self, classes: Classes) -> Floats:
        """Return the smallest distance to a superset of at least n rows; infinite if there is none."""
        counts, ground = self._read(classes)
        best = np.full(classes.number, np.inf)
        for some, sums in self._large(classes, counts):
            best[some] = np.minimum(best[some], ground.between(counts[some], sums))
        return best

    def admits(self, classes: Classes) -> Bools:
        """Decide every class; near t in fractions."""
        counts, ground = self._read(classes)
        admitted = np.zeros(classes.number, dtype=bool)
        for some, sums in self._large(classes, counts):
            admitted[some] |= self.near(ground, counts[some], sums)
        return admitted

    def near(self, ground: GroundDistance, counts: Floats, others: Floats) -> Bools:
        """Decide whether the counts in each row of one array are within t of those in the same row of the other."""
        apart = ground.between(counts, others)
        near = np.asarray(apart <= float(self.limit), dtype=bool)
        for index in np.flatnonzero(np.abs(apart - float(self.limit)) <= DOUBT).tolist():
            near[index] = _exactly(ground, counts[index], others[index]) <= self.limit
        return near

    def reached(self, classes: Classes) -> float:
        """Return the largest of the classes' distances."""
        levels = self.level(classes)
        worst = int(np.argmax(levels))
        if not np.isfinite(levels[worst]):
            return float("inf")
        counts, ground = self._read(classes)
        found = [
            _exactly(ground, counts[worst], sums[some == worst][0])
            for some, sums in self._large(classes, counts)
            if worst in some
        ]
        return float(min(found))

    def _read(self, classes: Classes) -> tuple[Floats, GroundDistance]:
        """Return the counts, class by value, and the distance between values."""
        histogram = classes.histogram(self.attributes)
        return dense(histogram), ground_distance(self.distance, histogram.values, "+".join(self.attributes))

    def _large(self, classes: Classes, counts: Floats) -> Iterator[tuple[Ints, Floats]]:
        """Yield classes and the counts of a superset of each of them that has n rows or more."""
        if classes.cells is None:
            raise Unsupported("(n,t)-closeness is measured on published cells only", hint="audit the published table")
        for some, sums in supersets(classes.cells, counts):
            large = sums.sum(axis=1) >= self.asked[0]
            if large.any():
                yield some[large], sums[large]

    def _option(self) -> str:
        return spelled_distance(self.distance)


def supersets(columns: Sequence[ShownCells], counts: Floats) -> Iterator[tuple[Ints, Floats]]:
    """Yield, for every set of columns that is not starred, some classes and the counts of the rows they then cover.

    Classes are left out that show a star in one of the columns: a smaller set of columns says the same of them. So are
    those of which it is not known what lies within their cells, and all where there are too many to be compared: fewer
    supersets never admit more.
    """
    for kept in range(len(columns) + 1):
        for chosen in combinations(columns, kept):
            if chosen:
                yield from _covered(chosen, counts)
            else:
                yield np.arange(len(counts)), np.broadcast_to(counts.sum(axis=0), counts.shape)


def _covered(columns: Sequence[ShownCells], counts: Floats) -> Iterator[tuple[Ints, Floats]]:
    """Yield the classes whose cells in some columns are known, and the counts of the rows that those cover."""
    named = np.all([(one.of_class != one.star) & one.known[one.of_class] for one in columns], axis=0)
    some = np.flatnonzero(named)
    nested = [one for one in columns if one.within is not None]
    alike, first, _ = distinct_rows([one.of_class for one in columns], [len(one.values) for one in columns])
    sums = np.zeros((len(first), counts.shape[1]))
    np.add.at(sums, alike, counts)
    if not nested:
        yield some, sums[alike[some]]
        return
    wanted = np.unique(alike[some])
    if len(wanted) * len(first) > MOST_PAIRS:
        return
    for part in np.array_split(wanted, max(len(wanted) * len(first) // CHUNK, 1)):
        place = np.full(len(first), -1)
        place[part] = np.arange(len(part))
        within = np.all([_holds(one, one.of_class[first[part]], one.of_class[first]) for one in columns], axis=0)
        of = some[place[alike[some]] >= 0]
        yield of, (within @ sums)[place[alike[of]]]


def _holds(column: ShownCells, outer: Ints, inner: Ints) -> Bools:
    """Return whether each of some cells holds each of others."""
    if column.within is None:
        return np.asarray(outer[:, None] == inner[None, :], dtype=bool)
    return np.asarray(column.within.T[outer][:, inner], dtype=bool)


def _exactly(ground: GroundDistance, counts: Floats, others: Floats) -> Fraction:
    """Return the distance between two lists of counts as a fraction."""
    own = {value: int(count) for value, count in enumerate(counts.tolist()) if count}
    return ground.one(own, others.astype(np.int64))


def dense(histogram: Histogram) -> Floats:
    """Return the counts, class by value."""
    counts = np.zeros((len(histogram.sizes), len(histogram.values.totals)))
    counts[histogram.slice_of_entry, histogram.codes] = histogram.counts
    return counts
