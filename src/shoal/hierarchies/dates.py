"""Dates by the calendar: day, month, quarter, year, decade."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from shoal.core.arrays import Ints
from shoal.core.errors import HierarchyError, ParameterError, nearest
from shoal.hierarchies.base import Builder, Hierarchy, hierarchy_from_labels
from shoal.hierarchies.specs import listed
from shoal.tables.star_marks import cell_text

LEVELS = ("day", "month", "quarter", "year", "decade")
"""Finest first; each nests in the next. Weeks are not here: they cut through months and years."""

ISO = r"^([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ][0-9]{2}:[0-9]{2}.*)?$"

_LABEL: dict[str, Callable[[int, int, int], str]] = {
    "day": lambda year, month, day: f"{year:04d}-{month:02d}-{day:02d}",
    "month": lambda year, month, day: f"{year:04d}-{month:02d}",
    "quarter": lambda year, month, day: f"{year:04d}-Q{(month + 2) // 3}",
    "year": lambda year, month, day: f"{year:04d}",
    "decade": lambda year, month, day: f"{year // 10 * 10:04d}s",
}


@dataclass(frozen=True, init=False)
class Dates(Builder):
    """Guarantees calendar blocks that contain their dates, each whole inside one block of the next level.

    For dates, dates with a time (in their own time zone) and texts that are ISO dates. Where the values are
    plain days, the level `day` would repeat them and is left out.

    >>> hierarchy = Dates("month,year").build(pl.Series(["1899-12-31", "2024-03-07"]))
    >>> hierarchy.labels[1:]
    (('1899-12', '2024-03'), ('1899', '2024'), ('*',))
    """

    name: ClassVar[str] = "dates"
    meaning: ClassVar[str] = "days, months, quarters, years, decades"

    levels: tuple[str, ...] = LEVELS

    def __init__(self, levels: object = LEVELS) -> None:
        object.__setattr__(self, "levels", _read_levels(levels))

    def build(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Bind to a column of dates, or raise `HierarchyError` with the number of values that are none."""
        present = values.drop_nulls()
        days = _days(present)
        parts = list(zip(days.dt.year(), days.dt.month(), days.dt.day(), strict=True))
        rows = {level: [_LABEL[level](*part) for part in parts] for level in self.levels}
        if rows.get("day") == cell_text(present).to_list():
            del rows["day"]
        return hierarchy_from_labels(values, list(rows.values()))


def _read_levels(given: object) -> tuple[str, ...]:
    levels = tuple(str(level).strip() for level in listed(given))
    for level in levels:
        if level not in LEVELS:
            hint = "weeks cut through months" if level == "week" else nearest(level, LEVELS)
            raise ParameterError(f"dates: unknown level {level!r}", hint=hint)
    if not levels or list(levels) != [level for level in LEVELS if level in levels]:
        raise ParameterError(
            f"dates: levels are {', '.join(levels) or 'none'}",
            expected=f"some of {', '.join(LEVELS)}, each once and in this order",
        )
    return levels


def days_in(texts: pl.Series) -> pl.Series:
    """Return the days that texts begin with, missing where a text is no ISO date or moment.

    >>> days_in(pl.Series(["2024-03-07", "2024-03-07T10:00", "2024-02-30", "March"])).null_count()
    2
    """
    days = texts.str.extract(ISO)
    return days.str.to_date("%Y-%m-%d", strict=False)


def _days(present: pl.Series) -> pl.Series:
    if present.dtype in (pl.Date, pl.Datetime):
        return present
    if present.dtype not in (pl.String, pl.Enum, pl.Categorical):
        raise HierarchyError(
            f"a column of {present.dtype} for a hierarchy of dates",
            expected="dates, or texts such as 2024-03-07",
            hint="choose another hierarchy, such as intervals",
        )
    days = days_in(present.cast(pl.String))
    if days.null_count():
        raise HierarchyError(
            f"{days.null_count():,} of {len(days):,} values are not dates",
            expected="ISO dates such as 2024-03-07",
            hint="rewrite the column or choose another hierarchy",
        )
    return days
