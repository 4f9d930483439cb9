"""Dates by the week (ISO 8601): `2024-W10`, and the year that the week belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from shoal.core.arrays import Ints
from shoal.hierarchies.base import Builder, Hierarchy, hierarchy_from_labels
from shoal.hierarchies.dates import days_of


@dataclass(frozen=True)
class Weeks(Builder):
    """Guarantees weeks from Monday to Sunday that contain their dates, each inside the year of its Thursday.

    For the columns that `dates` takes; weeks cut through months and calendar years, so they have levels of their own.

    >>> Weeks().build(pl.Series(["2023-12-31", "2024-01-01", "2024-12-30"])).labels[1:]
    (('2023-W52', '2024-W01', '2025-W01'), ('weeks of 2023', 'weeks of 2024', 'weeks of 2025'), ('*',))
    """

    name: ClassVar[str] = "weeks"
    meaning: ClassVar[str] = "weeks, and the years that they belong to"

    def build(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Bind to a column of dates."""
        days = days_of(values.drop_nulls())
        parts = list(zip(days.dt.iso_year().to_list(), days.dt.week().to_list(), strict=True))
        weeks = [f"{year:04d}-W{week:02d}" for year, week in parts]
        return hierarchy_from_labels(values, [weeks, [f"weeks of {year:04d}" for year, _ in parts]])
