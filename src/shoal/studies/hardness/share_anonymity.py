"""Minimum bisection, as k-anonymity where k is a third of the rows or any smaller share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np
import polars as pl

from shoal.core.errors import ParameterError
from shoal.models import KAnonymity, Model
from shoal.studies.hardness.base import Reduction, Size, Sizes
from shoal.studies.hardness.minimum_bisection import CROSSING, HALF, MinimumBisection


@dataclass(frozen=True)
class ShareAnonymity(Reduction):
    """A table for k = n/2, with rows and columns that keep the old rows among themselves at no cost.

    The old rows get n·m columns `A`; n/(2c) - n new rows are `B` everywhere, at least k of them because c <= 1/3. A
    class of old and new rows loses the new columns of at least two rows, more than everything old costs.
    """

    name: ClassVar[str] = "share-anonymity"
    source: ClassVar[str] = "(n/2)-anonymity of a table, here that of a minimum bisection"
    target: ClassVar[str] = "k-anonymity, k = c n', 0 < c <= 1/3"
    paper: ClassVar[str] = (
        "Liang, Yuan: On the complexity of t-closeness anonymization and related problems, 2013, Theorem 4"
    )
    sizes: ClassVar[tuple[Size, ...]] = (
        HALF,
        CROSSING,
        Size("share", "k as a share of the rows", 0, Fraction(1, 3), above=True, default="1/3"),
    )

    base: MinimumBisection
    share: Fraction = Fraction(1, 3)

    def __post_init__(self) -> None:
        if not 0 < self.share <= Fraction(1, 3) or self.rows.denominator != 1:
            raise ParameterError(
                f"{self.name}: a share of {self.share} for {self.base.graph.vertices} old rows",
                expected="a share of at most 1/3 of which twice goes into the old rows without rest",
            )

    @classmethod
    def planted(cls, sizes: Sizes, rng: np.random.Generator) -> Self:
        """Plant a bisection."""
        return cls(MinimumBisection.planted(sizes, rng), sizes["share"])

    @property
    def rows(self) -> Fraction:
        """How many rows the table has."""
        return self.base.graph.vertices / (2 * self.share)

    @property
    def frame(self) -> pl.DataFrame:
        """The old table in the corner; `A` to its right, `B` below."""
        old = self.base.frame
        new = int(self.rows) - old.height
        wide = [f"a{number}" for number in range(old.height * old.width)]
        cells = np.full((old.height + new, old.width + len(wide)), "B", dtype=object)
        cells[: old.height] = "A"
        cells[: old.height, : old.width] = old.to_numpy().astype(str)
        return pl.DataFrame(cells.tolist(), schema=[*old.columns, *wide], orient="row")

    @property
    def require(self) -> Model:
        """The share of the rows: half of the old ones."""
        return KAnonymity(int(self.rows * self.share))

    @property
    def optimum(self) -> int | None:
        """That of the old table."""
        return self.base.optimum

    def read(self, classes: Sequence[Sequence[int]], cost: int) -> frozenset[int] | None:
        """Return what the classes of old rows say of the old table; None where old and new rows are mixed."""
        old = self.base.graph.vertices
        kept = [rows for rows in classes if min(rows) < old]
        return None if any(max(rows) >= old for rows in kept) else self.base.read(kept, cost)
