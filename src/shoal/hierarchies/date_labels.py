"""Dates by labels of one's own: `March 2024`, `2024`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from shoal.core.arrays import Ints
from shoal.core.errors import ParameterError
from shoal.hierarchies.base import Builder, Hierarchy, hierarchy_from_labels
from shoal.hierarchies.dates import FORMS, days_of, form_of
from shoal.hierarchies.specs import listed

CODES = "YymBbdjHMSAaVG"
"""What may stand after a percent sign: parts of a date or a time, as in strftime."""


@dataclass(frozen=True, init=False)
class DateLabels(Builder):
    """Guarantees blocks of dates that read alike in a format, level by level, each inside one block of the next.

    `formats` are strftime formats, finest first, such as `%B %Y` and `%Y`; formats that cut through each other's blocks
    are refused. For the columns that `dates` takes; `form` is that of dates with slashes, as there.

    >>> DateLabels("%b %Y,%Y").build(pl.Series(["2024-03-07", "2024-05-01"])).labels[1:]
    (('Mar 2024', 'May 2024'), ('2024',), ('*',))
    """

    name: ClassVar[str] = "date-labels"
    meaning: ClassVar[str] = "dates in formats of your own"

    formats: tuple[str, ...] = ("%Y-%m", "%Y")
    form: str = ""

    def __init__(self, formats: object = ("%Y-%m", "%Y"), form: object = "") -> None:
        read = tuple(str(one) for one in listed(formats))
        wrong = [one for one in read if not re.fullmatch(rf"(?:[^%]|%[{CODES}])*%[{CODES}](?:[^%]|%[{CODES}])*", one)]
        if not read or wrong:
            raise ParameterError(
                f"{self.name}: formats are {', '.join(map(repr, read)) or 'none'}",
                expected=f"formats such as %B %Y, with one of {', '.join('%' + code for code in CODES)} in each",
            )
        if form not in ("", *FORMS):
            raise ParameterError(f"{self.name}: form is {form!r}", expected=f"{' or '.join(FORMS)}, or none")
        object.__setattr__(self, "formats", read)
        object.__setattr__(self, "form", str(form))

    @property
    def description(self) -> str:
        """The formats."""
        return f"dates as {', '.join(self.formats)}"

    def resolved(self, values: pl.Series, counts: Ints | None = None) -> Builder:
        """Return the builder with the form of the dates said, where one date alone does not show it."""
        present = values.drop_nulls()
        texts = present.dtype in (pl.String, pl.Enum, pl.Categorical)
        form = form_of(present.cast(pl.String)) if texts and not self.form else ""
        return DateLabels(self.formats, form) if form else self

    def build(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Bind to a column of dates, or raise `HierarchyError` with the number of values that are none."""
        days = days_of(values.drop_nulls(), self.form)
        days = days.cast(pl.Datetime("us")) if days.dtype == pl.Date else days
        return hierarchy_from_labels(values, [days.dt.strftime(one).to_list() for one in self.formats])
