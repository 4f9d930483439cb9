"""Three-dimensional matching, as t-closeness: one table for t below 1/3, another for t from 1/3 to below 1/2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np
import polars as pl

from shoal.core.errors import ParameterError
from shoal.models import Model, TCloseness
from shoal.models.metric import Metric
from shoal.studies.hardness.base import Size, Sizes
from shoal.studies.hardness.matching import COUNT, DECOYS, MatchingQuestion, check, chosen, membership
from shoal.studies.hardness.sources import Tuples, planted_tuples

THIRD = Fraction(1, 3)
SIDES = ("x", "y", "z", "none")
METRIC = Metric.of(
    SIDES, [[0, 1, 1, "1/2"], [1, 0, 1, "1/2"], [1, 1, 0, "1/2"], ["1/2", "1/2", "1/2", 0]], "middle.csv"
)
"""The three sides far from each other, and `none` halfway between all."""


@dataclass(frozen=True)
class MatchingCloseness(MatchingQuestion):
    """A row per element, its side sensitive: classes must hold all three sides, and only tuples keep a column.

    Below 1/3, a class of one or two rows is too far from (1/3, 1/3, 1/3). From 1/3 on, 2 t n' further rows with values
    of their own and a fourth side, halfway between the others, allow that: a class of the three sides without the
    fourth is at distance exactly t, the fourth alone at 1/2 - t, one or two sides alone farther than t.
    """

    name: ClassVar[str] = "matching-closeness"
    source: ClassVar[str] = "triples that hold every element of three sides exactly once"
    target: ClassVar[str] = "t-closeness, t < 1/3 with the equal distance, 1/3 <= t < 1/2 with a metric"
    paper: ClassVar[str] = (
        "Liang, Yuan: On the complexity of t-closeness anonymization and related problems, 2013, Theorems 6 and 7"
    )
    sizes: ClassVar[tuple[Size, ...]] = (COUNT, DECOYS, Size("t", "largest distance, below 1/2", 0, default=0))
    sensitive: ClassVar[tuple[str, ...]] = ("side",)

    tuples: Tuples
    t: Fraction = Fraction(0)
    solution: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if self.tuples.sides != 3 or not 0 <= self.t < Fraction(1, 2) or self.rows.denominator != 1:
            raise ParameterError(
                f"{self.name}: {self.tuples.sides} sides, t = {self.t} for {3 * self.tuples.count} elements",
                expected="three sides and t below 1/2; from 1/3 on, 1 - 2t goes into the elements without rest",
            )
        check(type(self), self.tuples, self.solution)

    @classmethod
    def planted(cls, sizes: Sizes, rng: np.random.Generator) -> Self:
        """Plant a matching among other triples."""
        tuples, solution = planted_tuples(3, int(sizes["count"]), int(sizes["decoys"]), rng)
        return cls(tuples, sizes["t"], solution)

    @property
    def rows(self) -> Fraction:
        """How many rows the table has."""
        return 3 * self.tuples.count / (1 - 2 * self.t if self.t >= THIRD else Fraction(1))

    @property
    def frame(self) -> pl.DataFrame:
        """A column for every triple, and `side`."""
        old, rows = 3 * self.tuples.count, int(self.rows)
        columns = [f"t{index}" for index in range(len(self.tuples.tuples))]
        new = np.tile(np.arange(old + 1, rows + 1)[:, None], len(columns))
        cells = np.vstack([membership(self.tuples, range(1, old + 1)), new])
        sides = [SIDES[side] for side, _ in self.tuples.elements] + ["none"] * (rows - old)
        return pl.DataFrame(cells, schema=columns, orient="row").with_columns(pl.Series("side", sides))

    @property
    def require(self) -> Model:
        """t-closeness, with the metric where t needs it."""
        return TCloseness(self.t, "side", distance=METRIC if self.t >= THIRD else "equal")

    def read(self, classes: Sequence[Sequence[int]], cost: int) -> tuple[int, ...]:
        """Return which triples match."""
        return chosen(type(self), self.tuples, [rows for rows in classes if max(rows) < 3 * self.tuples.count])
