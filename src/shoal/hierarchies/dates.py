"""Dates by the calendar: day, month, quarter, year, decade."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from shoal.core.arrays import Ints
from shoal.core.errors import HierarchyError, ParameterError
from shoal.hierarchies.base import NO_TOPICS, Builder, Hierarchy, Topics, hierarchy_from_labels
from shoal.hierarchies.specs import listed, read_levels
from shoal.tables.star_marks import cell_text

LEVELS = ("day", "month", "quarter", "year", "decade")
"""Finest first; each nests in the next. Weeks are not here: they cut through months and years."""

ISO = r"^([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ][0-9]{2}:[0-9]{2}.*)?$"
DOTTED = r"^([0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4})(?: [0-9]{1,2}:[0-9]{2}.*)?$"
SLASHED = r"^([0-9]{1,2}(?:/[0-9]{1,2}/|-[0-9]{1,2}-)[0-9]{4})(?: [0-9]{1,2}:[0-9]{2}.*)?$"
FORMS = {"dmy": "%d/%m/%Y", "mdy": "%m/%d/%Y"}
"""What comes first in dates with slashes or hyphens, as polars writes it."""

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

    For dates, dates with a time (in their own time zone) and texts that are dates: `2024-03-07`, `7.3.2024`, and
    `07/03/2024` or `07-03-2024` where some value shows whether days or months come first, or `form` says it: `dmy` or
    `mdy`. Where the values are plain days, the level `day` would repeat them and is left out.

    >>> hierarchy = Dates("month,year").build(pl.Series(["1899-12-31", "2024-03-07"]))
    >>> hierarchy.labels[1:]
    (('1899-12', '2024-03'), ('1899', '2024'), ('*',))
    >>> Dates("month").build(pl.Series(["03/07/2024", "03/31/2024"])).labels[1]
    ('2024-03',)
    """

    name: ClassVar[str] = "dates"
    meaning: ClassVar[str] = "days, months, quarters, years, decades"

    levels: tuple[str, ...] = LEVELS
    form: str = ""

    def __init__(self, levels: object = LEVELS, form: object = "") -> None:
        if form not in ("", *FORMS):
            raise ParameterError(f"dates: form is {form!r}", expected=f"{' or '.join(FORMS)}, or none")
        hint = "weeks cut through months: take the hierarchy weeks" if "week" in listed(levels) else ""
        object.__setattr__(self, "levels", read_levels(levels, LEVELS, self.name, hint))
        object.__setattr__(self, "form", str(form))

    @classmethod
    def fitting(cls, values: pl.Series, counts: Ints | None = None, topics: Topics = NO_TOPICS) -> Builder | None:
        """Fit dates, and texts that are all dates."""
        present = values.drop_nulls()
        if present.dtype == pl.String:
            days = days_in(present)
            other_form = not present.str.contains(ISO).any() and days.n_unique() == len(days)
            return None if days.null_count() else cls(LEVELS[1:]) if other_form else cls()
        return cls() if present.dtype in (pl.Date, pl.Datetime) else None

    @property
    def description(self) -> str:
        """The levels, in words."""
        return f"dates by {', '.join(self.levels)}"

    def resolved(self, values: pl.Series, counts: Ints | None = None) -> Builder:
        """Return the builder with the form of the dates said, where one date alone does not show it."""
        present = values.drop_nulls()
        texts = present.dtype in (pl.String, pl.Enum, pl.Categorical)
        form = form_of(present.cast(pl.String)) if texts and not self.form else ""
        return Dates(self.levels, form) if form else self

    def build(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Bind to a column of dates, or raise `HierarchyError` with the number of values that are none."""
        present = values.drop_nulls()
        days = days_of(present, self.form)
        parts = list(zip(days.dt.year(), days.dt.month(), days.dt.day(), strict=True))
        rows = {level: [_LABEL[level](*part) for part in parts] for level in self.levels}
        if rows.get("day") == cell_text(present).to_list():
            del rows["day"]
        return hierarchy_from_labels(values, list(rows.values()))


def form_of(texts: pl.Series) -> str:
    """Return which form the dates of a column with slashes or hyphens have; nothing where none fits, or both do.

    >>> form_of(pl.Series(["31/01/2024", "01/02/2024"])), form_of(pl.Series(["01/02/2024"]))
    ('dmy', '')
    """
    fits = [form for form in FORMS if not _in_form(texts, form).null_count()]
    return fits[0] if len(fits) == 1 else ""


def days_in(texts: pl.Series, form: str = "") -> pl.Series:
    """Return the days that texts begin with, missing where a text is no date.

    >>> days_in(pl.Series(["2024-03-07", "2024-03-07T10:00", "2024-02-30", "March"])).null_count()
    2
    """
    known = form or form_of(texts)
    if known:
        return _in_form(texts, known)
    iso = texts.str.extract(ISO).str.to_date("%Y-%m-%d", strict=False)
    return iso.fill_null(texts.str.extract(DOTTED).str.to_date("%d.%m.%Y", strict=False))


def _in_form(texts: pl.Series, form: str) -> pl.Series:
    """Return the days of texts with slashes or hyphens in one form."""
    return texts.str.extract(SLASHED).str.replace_all("-", "/", literal=True).str.to_date(FORMS[form], strict=False)


def days_of(present: pl.Series, form: str = "") -> pl.Series:
    """Return the dates of a column that has no missing value, or raise `HierarchyError` where some are none."""
    if present.dtype in (pl.Date, pl.Datetime):
        return present
    if present.dtype not in (pl.String, pl.Enum, pl.Categorical):
        raise HierarchyError(
            f"a hierarchy of dates is given for a column of {present.dtype}",
            expected="dates, or texts such as 2024-03-07",
            hint="choose another hierarchy, such as intervals",
        )
    days = days_in(present.cast(pl.String), form)
    if days.null_count():
        raise HierarchyError(
            f"{days.null_count():,} of {len(days):,} values are not dates",
            expected="dates such as 2024-03-07, or of one form throughout",
            hint="rewrite the column, say the form (dates:form=dmy) or choose another hierarchy",
        )
    return days
