"""A metric on the values of a sensitive attribute, given as a matrix."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from shoal.core.arrays import Floats
from shoal.core.errors import ParameterError
from shoal.core.parameters import Numeral, as_fraction
from shoal.tables.csv_text import guess_separator
from shoal.tables.readers.base import names_file


@dataclass(frozen=True)
class Metric:
    """Distances between named values: zero to itself, symmetric, the triangle inequality, none above 1.

    >>> Metric.of(["low", "mid", "high"], [[0, 0.5, 1], [0.5, 0, 0.5], [1, 0.5, 0]]).between("low", "mid")
    Fraction(1, 2)
    """

    labels: tuple[str, ...]
    distances: tuple[tuple[Fraction, ...], ...]
    source: str = "metric"

    @classmethod
    def of(cls, labels: Sequence[str], distances: Sequence[Sequence[Numeral]], source: str = "metric") -> Metric:
        """Check and keep a matrix of distances, each exactly as written."""
        rows = [[as_fraction(cell) for cell in row] for row in distances]
        size = len(set(labels))
        if not size or size < len(labels) or len(rows) != size or any(len(row) != size for row in rows):
            raise ParameterError(
                f"the metric {source!r} has {len(rows)} rows for {size} different values",
                expected="a square matrix with each value named once",
            )
        if any(cell is None for row in rows for cell in row):
            raise ParameterError(
                f"the metric {source!r} has cells that are not numbers", expected="numbers from 0 to 1"
            )
        metric = cls(tuple(labels), tuple(tuple(cell or Fraction(0) for cell in row) for row in rows), source)
        metric._check()
        return metric

    @classmethod
    def read(cls, path: Path) -> Metric:
        """Read a CSV file: a header with the values, then a line of distances for each (its name first, or not)."""
        if not names_file(path):
            raise ParameterError(
                f"there is no distance and no file called {path.name!r}", expected="a CSV file with a metric"
            )
        text = path.read_text(encoding="utf-8-sig").splitlines()
        rows = [row for row in csv.reader(text, delimiter=guess_separator(text)) if row]
        labels = [cell for cell in rows[0] if cell] if rows else []
        return cls.of(labels, [row[-len(labels) :] for row in rows[1:]] if labels else [], path.name)

    def _check(self) -> None:
        matrix = self.array
        size = len(self.labels)
        exact = self.distances
        broken = any(exact[i][i] != 0 for i in range(size)) or any(
            exact[i][j] != exact[j][i] or not 0 < exact[i][j] <= 1 for i in range(size) for j in range(i)
        )
        if broken:
            raise ParameterError(
                f"the matrix {self.source!r} is not a metric",
                expected="0 on the diagonal, the same above and below it, all others above 0 and at most 1",
                hint="divide all distances by the largest",
            )
        short = np.array([(matrix[:, [via]] + matrix[[via], :] < matrix - 1e-12).any() for via in range(size)])
        if short.any():
            raise ParameterError(
                f"the matrix {self.source!r} breaks the triangle inequality via {int(short.sum())} values",
                expected="no way via a third value shorter than the direct distance",
            )

    @property
    def array(self) -> Floats:
        """The distances as floating-point numbers."""
        return np.array([[float(cell) for cell in row] for row in self.distances])

    def between(self, one: str, other: str) -> Fraction:
        """Return the distance of two named values."""
        return self.distances[self.labels.index(one)][self.labels.index(other)]

    def restricted(self, labels: Sequence[str | None]) -> Metric:
        """Return the metric on some of its values, or raise where it says nothing of a value."""
        unknown = sum(label not in self.labels for label in labels)
        if unknown:
            raise ParameterError(
                f"the metric {self.source!r} has no distances for {unknown} of {len(labels)} values",
                expected="every value of the column",
            )
        at = [self.labels.index(str(label)) for label in labels]
        return Metric(
            tuple(str(label) for label in labels),
            tuple(tuple(self.distances[i][j] for j in at) for i in at),
            self.source,
        )
