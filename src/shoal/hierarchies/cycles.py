"""Dates by what comes again: the day of the week, or the hour of the day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from shoal.core.arrays import Ints
from shoal.core.errors import HierarchyError, ParameterError
from shoal.hierarchies.base import Builder, Hierarchy, hierarchy_from_labels
from shoal.hierarchies.dates import days_of

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
PARTS = ("night", "morning", "afternoon", "evening")
"""Six hours each, from midnight on."""
OF = ("weekday", "hour")


@dataclass(frozen=True, init=False)
class Cycles(Builder):
    """Guarantees blocks of dates with the same day of the week, or of times with the same hour of the day.

    `of` is `weekday`: the day, then `working day` or `weekend`; or `hour`: the hour, then six hours of the day. When it
    was is lost on the first level. Weekdays are for the columns that `dates` takes, hours for dates with a time.

    >>> Cycles("weekday").build(pl.Series(["2024-03-07", "2024-03-09"])).labels[1:]
    (('Thursday', 'Saturday'), ('working day', 'weekend'), ('*',))
    """

    name: ClassVar[str] = "cycles"
    meaning: ClassVar[str] = "the day of the week, or the hour of the day"

    of: str = OF[0]

    def __init__(self, of: object = OF[0]) -> None:
        if of not in OF:
            raise ParameterError(f"{self.name}: of is {of!r}", expected=" or ".join(OF))
        object.__setattr__(self, "of", str(of))

    @property
    def description(self) -> str:
        """What comes again."""
        return "the hour of the day" if self.of == "hour" else "the day of the week"

    def build(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Bind to a column of dates, or of dates with a time."""
        present = values.drop_nulls()
        if self.of == "weekday":
            days = days_of(present).dt.weekday().to_list()
            rest = ["weekend" if day > 5 else "working day" for day in days]
            return hierarchy_from_labels(values, [[WEEKDAYS[day - 1] for day in days], rest])
        if present.dtype.base_type() not in (pl.Datetime, pl.Time):
            raise HierarchyError(
                f"a hierarchy of hours is given for a column of {present.dtype}", expected="dates with a time, or times"
            )
        hours = present.dt.hour().to_list()
        return hierarchy_from_labels(
            values, [[f"{hour:02d}:00 to {hour:02d}:59" for hour in hours], [PARTS[hour // 6] for hour in hours]]
        )
