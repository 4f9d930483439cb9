"""(n, t)-closeness (Li, Li and Venkatasubramanian 2010): every class looks like some large natural superset of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import ClassVar, Self

import numpy as np

from shoal.arrays import Bools, Floats, Ints
from shoal.emd import GroundDistance, ground_distance
from shoal.errors import Infeasible, Unsupported
from shoal.histogram import Attributes, Classes, Histogram
from shoal.metric import Metric
from shoal.microdata import distinct_rows
from shoal.models.base import DOUBT, AttributeModel, Model
from shoal.models.t_closeness import TCloseness, spelled_distance
from shoal.parameters import Number, Numeral


@dataclass(frozen=True)
class NTCloseness(AttributeModel):
    """Guarantees that every class is within distance `t` of a natural superset of at least `n` rows.

    The natural supersets of a class, seen from published cells, are the rows that agree with its cells on some of the
    quasi-identifiers: all of them (the class itself) down to none (the table). With n the number of rows it is
    t-closeness. Merging classes can break it, so methods work with t-closeness instead, which implies it for every n
    up to the number of rows; the audit measures (n, t) itself.

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
    def wants_order(self) -> bool:
        """Whether the distance counts steps between values."""
        return self.distance == "ordered"

    @classmethod
    def parse(
        cls, attributes: Attributes, given: Attributes, option: str | Metric | None, numbers: Sequence[str]
    ) -> Self:
        """Build from `nt(attribute:distance)=(n,t)`."""
        cls.expect(numbers)
        distance = TCloseness.parse(attributes, given, option, numbers[1:]).distance
        return cls(numbers[0], numbers[1], attributes if len(attributes) > 1 else attributes[0], given, distance)

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
            raise Unsupported(f"{self} counts other attributes as known", hint="leave out what stands after |")
        if rows is not None and self.asked[0] > rows:
            raise Infeasible(str(self), reached=f"{rows:,} rows", rows=range(rows), hint="ask for a smaller n")
        return TCloseness(self.t, self.attribute, (), self.distance)

    def level(self, classes: Classes) -> Floats:
        """Return the smallest distance to a superset of at least n rows; infinite if there is none."""
        histogram = classes.histogram(self.attributes)
        ground = ground_distance(self.distance, histogram.values, "+".join(self.attributes))
        shares = _dense(histogram)
        best = np.full(classes.number, np.inf)
        for superset in _supersets(classes):
            sums = np.zeros((int(superset.max()) + 1, shares.shape[1]))
            np.add.at(sums, superset, shares)
            large = (sums.sum(axis=1) >= self.asked[0])[superset]
            found = ground.between(shares[large], sums[superset[large]])
            best[large] = np.minimum(best[large], found)
        return best

    def admits(self, classes: Classes) -> Bools:
        """Decide every class; near t in fractions."""
        levels = self.level(classes)
        admitted = levels <= float(self.limit)
        for index in np.flatnonzero(np.abs(levels - float(self.limit)) <= DOUBT).tolist():
            admitted[index] = self._exactly(classes, index) <= self.limit
        return admitted

    def reached(self, classes: Classes) -> float:
        """Return the largest of the classes' distances."""
        levels = self.level(classes)
        worst = int(np.argmax(levels))
        return float(self._exactly(classes, worst)) if np.isfinite(levels[worst]) else float("inf")

    def _exactly(self, classes: Classes, index: int) -> Fraction:
        histogram = classes.histogram(self.attributes)
        ground: GroundDistance = ground_distance(self.distance, histogram.values, "+".join(self.attributes))
        counts = _dense(histogram).astype(np.int64)
        own = {value: int(count) for value, count in enumerate(counts[index].tolist()) if count}
        found = []
        for superset in _supersets(classes):
            totals = counts[superset == superset[index]].sum(axis=0)
            if totals.sum() >= self.asked[0]:
                found.append(ground.one(own, totals))
        return min(found)

    def _option(self) -> str:
        return spelled_distance(self.distance)


def _supersets(classes: Classes) -> Iterator[Ints]:
    """Yield, for every set of quasi-identifiers that may be known, which superset each class belongs to."""
    if classes.cells is None:
        raise Unsupported("(n,t)-closeness is measured on published cells only", hint="audit the published table")
    columns = classes.cells.T
    for kept in range(len(columns) + 1):
        for chosen in combinations(range(len(columns)), kept):
            if not chosen:
                yield np.zeros(classes.number, dtype=np.int64)
                continue
            yield distinct_rows([columns[c] for c in chosen], [int(columns[c].max()) + 1 for c in chosen])[0]


def _dense(histogram: Histogram) -> Floats:
    """Return the counts, class by value."""
    counts = np.zeros((len(histogram.sizes), len(histogram.values.totals)))
    counts[histogram.slice_of_entry, histogram.codes] = histogram.counts
    return counts
