"""No levels between the value and the star: a value is published or it is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from shoal.core.arrays import Ints
from shoal.hierarchies.base import Builder, Hierarchy, hierarchy_from_labels


@dataclass(frozen=True)
class StarsOnly(Builder):
    """Guarantees two levels for any column: the value itself, and `*`.

    >>> StarsOnly().build(pl.Series(["F", "M"])).labels
    (('F', 'M'), ('*',))
    """

    name: ClassVar[str] = "stars"
    meaning: ClassVar[str] = "the value or a star, nothing between"

    @property
    def description(self) -> str:
        """That there is nothing between."""
        return "the value or a star"

    def build(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Bind to any column."""
        return hierarchy_from_labels(values, [])
