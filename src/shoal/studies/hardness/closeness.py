"""k-anonymity, as t-closeness with the equal distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl

from shoal.core.errors import ParameterError
from shoal.models import Model, Rule, TCloseness
from shoal.studies.hardness.base import Reduction, Size, Sizes
from shoal.studies.hardness.clique_partition import CliquePartition


@dataclass(frozen=True)
class Closeness(Reduction):
    """Every row gets a sensitive value of its own: a class of r rows is then at distance 1 - r/n from the table.

    So it is (1 - k/n)-close if and only if it has k rows. The quasi-identifiers stay as they are, and so do all costs.
    """

    name: ClassVar[str] = "closeness"
    source: ClassVar[str] = "k-anonymity of a table, here that of an edge partition into cliques"
    target: ClassVar[str] = "t-closeness, equal distance, t = 1 - k/n"
    paper: ClassVar[str] = (
        "Liang, Yuan: On the complexity of t-closeness anonymization and related problems, 2013, Lemma 1"
    )
    sizes: ClassVar[tuple[Size, ...]] = CliquePartition.sizes
    sensitive: ClassVar[tuple[str, ...]] = ("own",)

    base: Reduction

    def __post_init__(self) -> None:
        if self.base.require.rule is not Rule.ROWS or "own" in self.base.frame.columns:
            raise ParameterError(
                f"{self.name}: a table for {self.base.require}", expected="one for k-anonymity, without a column 'own'"
            )

    @classmethod
    def planted(cls, sizes: Sizes, rng: np.random.Generator) -> Self:
        """Plant a partition into cliques."""
        return cls(CliquePartition.planted(sizes, rng))

    @property
    def frame(self) -> pl.DataFrame:
        """The table, and a column `own` of values that come once."""
        table = self.base.frame
        return table.with_columns(pl.Series("own", [f"p{row}" for row in range(table.height)]))

    @property
    def require(self) -> Model:
        """So close as k rows are."""
        k = self.base.require.least_rows
        return TCloseness(1 - Fraction(k, self.base.frame.height), "own", distance="equal")

    @property
    def threshold(self) -> int | None:
        """That of the table."""
        return self.base.threshold

    @property
    def optimum(self) -> int | None:
        """That of the table."""
        return self.base.optimum

    def read(self, classes: Sequence[Sequence[int]], cost: int) -> Any:
        """Return what the classes say of the table."""
        return self.base.read(classes, cost)
