"""Matching in l dimensions, as l-diversity; in three dimensions the reduction of the paper's section 4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import polars as pl

from shoal.core.errors import ParameterError
from shoal.models import LDiversity, Model
from shoal.studies.hardness.base import Size, Sizes
from shoal.studies.hardness.matching import COUNT, DECOYS, MatchingQuestion, check, chosen, membership
from shoal.studies.hardness.sources import Tuples, planted_tuples


@dataclass(frozen=True)
class MatchingDiversity(MatchingQuestion):
    """A row per element; its sensitive value, which also fills its cells, is shared within its side alone.

    Rows of a class that agree in a column agree on 0, for they cannot all have one sensitive value: they are elements
    of one tuple, at least l of them, so all of it, and two different tuples share no class. `values` sensitive values
    are dealt out from the first side on, at least one for every side.
    """

    name: ClassVar[str] = "matching-diversity"
    source: ClassVar[str] = "tuples that hold every element of l sides exactly once"
    target: ClassVar[str] = "l-diversity by frequency, l >= 3"
    paper: ClassVar[str] = "Xiao, Yi, Tao: The hardness and approximation algorithms for l-diversity, 2010, section 4"
    sizes: ClassVar[tuple[Size, ...]] = (
        Size("l", "sides", 3, whole=True, default=3),
        COUNT,
        DECOYS,
        Size("values", "sensitive values, 0 for one per side", 0, whole=True, default=0),
    )
    sensitive: ClassVar[tuple[str, ...]] = ("value",)

    tuples: Tuples
    values: int = 0
    solution: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        sides, most = self.tuples.sides, self.tuples.sides * self.tuples.count
        if sides < 3 or (self.values and not sides <= self.values <= most):
            raise ParameterError(
                f"{self.name}: {sides} sides of {self.tuples.count}, values is {self.values}",
                expected=f"at least 3 sides, and from {sides} to {most} values, or 0",
            )
        check(type(self), self.tuples, self.solution)

    @classmethod
    def planted(cls, sizes: Sizes, rng: np.random.Generator) -> Self:
        """Plant a matching among other tuples."""
        tuples, solution = planted_tuples(int(sizes["l"]), int(sizes["count"]), int(sizes["decoys"]), rng)
        return cls(tuples, int(sizes["values"]), solution)

    @property
    def frame(self) -> pl.DataFrame:
        """A column for every tuple, and `value`."""
        values = self._values()
        columns = [f"p{index + 1}" for index in range(len(self.tuples.tuples))]
        table = pl.DataFrame(membership(self.tuples, values), schema=columns, orient="row")
        return table.with_columns(pl.Series("value", values))

    @property
    def require(self) -> Model:
        """l-diversity, one for a side."""
        return LDiversity(self.tuples.sides, "value")

    def read(self, classes: Sequence[Sequence[int]], cost: int) -> tuple[int, ...]:
        """Return which tuples match."""
        return chosen(type(self), self.tuples, classes)

    def _values(self) -> list[int]:
        """Return the sensitive value of every row."""
        left = (self.values or self.tuples.sides) - self.tuples.sides
        values: list[int] = []
        for _ in range(self.tuples.sides):
            more, start = min(left, self.tuples.count - 1), max(values, default=0) + 1
            values += [start + min(element, more) for element in range(self.tuples.count)]
            left -= more
        return values
