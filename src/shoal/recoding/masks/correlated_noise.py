"""Correlated noise: columns of numbers get noise that is correlated as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.core.arrays import Floats
from shoal.core.parameters import Numeral
from shoal.recoding.masks.base import KeyedMask, column_like, varied_numbers
from shoal.recoding.masks.draws import Draws
from shoal.recoding.masks.noise import SHARE
from shoal.tables.table import Table


@dataclass(frozen=True)
class CorrelatedNoise(KeyedMask):
    """Guarantees normal noise whose covariance matrix is share^2 times that of the columns that have this same mask.

    Means and correlations are kept on average, covariances grow by the factor 1 + share^2. Covariances are those of
    the rows in which none of these columns is missing.
    """

    name: ClassVar[str] = "correlated-noise"
    meaning: ClassVar[str] = "normal noise is added to numbers, correlated as the columns with this mask are"
    joint: ClassVar[bool] = True

    share: Numeral = "0.1"
    key: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", SHARE.read(self.share, self.name))

    def masked(self, names: Sequence[str], table: Table, person: Sequence[str]) -> list[pl.Series]:
        """Add noise to some columns of numbers."""
        columns = [table[name] for name in names]
        numbers = [varied_numbers(column, self.name) for column in columns]
        draws = Draws(self.key, " ".join(names)).normal(table.rows * len(names)).reshape(table.rows, len(names))
        noise = float(self.share) * draws @ _root(columns).T
        return [
            column_like(column, known + noise[present, place], present)
            for place, (column, (known, present)) in enumerate(zip(columns, numbers, strict=True))
        ]


def _root(columns: Sequence[pl.Series]) -> Floats:
    """Return a matrix R such that R R^T is the covariance matrix of some columns."""
    whole = pl.DataFrame(list(columns)).drop_nulls().cast(pl.Float64).to_numpy()
    covariance = np.atleast_2d(np.cov(whole, rowvar=False)) if len(whole) > 1 else np.zeros((len(columns),) * 2)
    values, vectors = np.linalg.eigh(covariance)
    root: Floats = vectors * np.sqrt(np.maximum(values, 0))
    return root
