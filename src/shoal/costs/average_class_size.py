"""Normalized average class size, C_avg (LeFevre et al. 2006)."""

from __future__ import annotations

from typing import ClassVar

from shoal.costs.base import Cost
from shoal.recoding import Recoding
from shoal.recoding.recode import Published


class AverageClassSize(Cost):
    """Returns `n / (r k)` for n published rows in r classes: 1 when every class has exactly the k rows asked for."""

    name: ClassVar[str] = "average-class-size"
    title: ClassVar[str] = "normalized average class size"
    meaning: ClassVar[str] = "rows / (classes * k), k = 1 where neither k nor no-attack is asked for"
    of_classes: ClassVar[bool] = True

    @classmethod
    def measures(cls, recoding: type[Recoding]) -> bool:
        """Whether a release is one table: classes are looked at, not cells."""
        return not recoding.two_tables

    def of(self, published: Published) -> float:
        """Measure a release."""
        partition = published.partition
        return len(partition.kept) / (len(partition) * self.k)
