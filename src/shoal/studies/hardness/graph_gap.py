"""Two tables that no weighted graph tells apart: all distances are the same, the costs are not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import polars as pl

from shoal.core.errors import ParameterError
from shoal.models import KAnonymity, Model
from shoal.studies.hardness.base import Reduction, Size, Sizes

MOST = 16
"""The largest k: the table has 2^k columns or more."""


@dataclass(frozen=True)
class GraphGap(Reduction):
    """k rows of bits, any two of which differ in 2^(k-1) columns; all of them are the only class.

    `spread`: row i has ones in the i-th of k blocks of 2^(k-2) columns, so every column is lost. Otherwise row i has
    blocks of 2^(k-i) columns, ones and zeros by turns, and all rows agree in the first and the last column. The spread
    table costs about k/4 times as much, so what knows distances alone cannot be better than that.
    """

    name: ClassVar[str] = "graph-gap"
    source: ClassVar[str] = "what pairwise distances of rows do not tell: not a reduction, a gap"
    target: ClassVar[str] = "k-anonymity, two symbols"
    paper: ClassVar[str] = "Aggarwal et al.: Approximation algorithms for k-anonymity, 2005, section 4"
    sizes: ClassVar[tuple[Size, ...]] = (
        Size("k", "rows", 2, MOST, whole=True, default=5),
        Size("spread", "1 for the expensive table, 0 for the cheap one", 0, 1, whole=True, default=1),
    )

    k: int
    spread: bool = True

    def __post_init__(self) -> None:
        if not 2 <= self.k <= MOST:
            raise ParameterError(f"{self.name}: k is {self.k}", expected=f"a whole number from 2 to {MOST}")

    @classmethod
    def planted(cls, sizes: Sizes, rng: np.random.Generator) -> Self:
        """Return the table; nothing in it is random."""
        return cls(int(sizes["k"]), bool(sizes["spread"]))

    @property
    def frame(self) -> pl.DataFrame:
        """A column for every bit."""
        block = 1 << self.k - 2
        if self.spread:
            cells = np.repeat(np.eye(self.k, dtype=np.int64), block, axis=1)
        else:
            columns = np.arange(2**self.k)
            cells = np.array([1 - (columns >> (self.k - row) & 1) for row in range(1, self.k + 1)])
        return pl.DataFrame(cells, schema=[f"b{index}" for index in range(cells.shape[1])], orient="row")

    @property
    def require(self) -> Model:
        """All rows."""
        return KAnonymity(self.k)

    @property
    def optimum(self) -> int:
        """The cost of the only class."""
        return self.k**2 * (1 << self.k - 2) if self.spread else self.k * ((1 << self.k) - 2)

    def read(self, classes: Sequence[Sequence[int]], cost: int) -> int:
        """Return the distance that any two rows have, which both tables share."""
        cells = self.frame.to_numpy()
        apart = {int((cells[a] != cells[b]).sum()) for a in range(self.k) for b in range(a)}
        if apart != {2 ** (self.k - 1)}:
            raise ParameterError(f"{self.name}: the rows are at {len(apart)} different distances", expected="one")
        return apart.pop()
