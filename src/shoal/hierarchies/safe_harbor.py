"""The levels of the HIPAA Safe Harbor rule: years, three digits of a postcode, ages up to 89."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from shoal.core.arrays import Ints
from shoal.core.errors import HierarchyError, ParameterError, nearest
from shoal.hierarchies.base import Builder, Hierarchy, hierarchy_from_labels
from shoal.hierarchies.dates import Dates, days_in
from shoal.tables.star_marks import cell_text

SPARSE = (
    *("036", "059", "063", "102", "203", "556", "692", "790", "821"),
    *("823", "830", "831", "878", "879", "884", "890", "893"),
)
"""Three digits that at most 20,000 people shared in the census of 2000, as those who made the rule list them."""
ZIP = r"^([0-9]{3})[0-9]{2}(-?[0-9]{4})?$"
OLDEST = 89
"""Ages above are one value."""


@dataclass(frozen=True, init=False)
class SafeHarbor(Builder):
    """Guarantees that level 1 is what 45 CFR 164.514(b)(2) lets stand of a date, a postcode or an age.

    - `date`: the year; then the decade.
    - `zip`: the first three digits, 000 where few people live behind them.
    - `age`: the age itself up to 89, `90+` above; then tens of years.

    Without `kind`, the values decide: dates; texts of five or nine digits are postcodes; numbers are ages. A year of
    birth can give an age above 89 away: that the builder does not see.

    >>> SafeHarbor().build(pl.Series(["02139", "02142", "03601"])).labels[1]
    ('021**', '000**')
    >>> SafeHarbor("age").build(pl.Series([34, 38, 91, 97])).labels[1:]
    (('34', '38', '90+'), ('30-39', '90+'), ('*',))
    """

    name: ClassVar[str] = "safe-harbor"
    meaning: ClassVar[str] = "the HIPAA rule: years, three digits of a postcode, ages up to 89"

    kind: str = ""

    def __init__(self, kind: object = "") -> None:
        if kind not in ("", *KINDS):
            raise ParameterError(f"safe-harbor: kind is {kind!r}", hint=nearest(str(kind), list(KINDS)))
        object.__setattr__(self, "kind", str(kind))

    def build(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Bind to a column of its kind, or raise `HierarchyError` with the number of values that are not."""
        return KINDS[self.kind or kind_of(values)](values)

    def resolved(self, values: pl.Series, counts: Ints | None = None) -> Builder:
        """Return the builder with its kind said."""
        return SafeHarbor(self.kind or kind_of(values))


def kind_of(values: pl.Series) -> str:
    """Return what the distinct values are by their looks: `date`, `zip`, or else `age`."""
    present = values.drop_nulls()
    if present.dtype.is_temporal():
        return "date"
    if present.dtype == pl.String and len(present):
        if days_in(present).null_count() == 0:
            return "date"
        if present.str.contains(ZIP).all():
            return "zip"
    return "age"


def _dates(values: pl.Series) -> Hierarchy:
    return Dates("year,decade").build(values)


def _postcodes(values: pl.Series) -> Hierarchy:
    """Keep three digits; whole numbers have lost their leading zeros."""
    present = values.drop_nulls()
    texts = present.cast(pl.String)
    if present.dtype.is_integer():
        texts = texts.str.zfill(5)
    digits = texts.str.extract(ZIP)
    _only(digits, "postcodes of five or nine digits", present.dtype)
    return hierarchy_from_labels(values, [["000**" if text in SPARSE else f"{text}**" for text in digits]])


def _ages(values: pl.Series) -> Hierarchy:
    present = values.drop_nulls()
    years = present.cast(pl.String).cast(pl.Float64, strict=False).floor()
    _only(years, "ages", present.dtype)
    texts = cell_text(present).to_list()
    exact = [text if year <= OLDEST else f"{OLDEST + 1}+" for text, year in zip(texts, years, strict=True)]
    tens = [f"{int(y) // 10 * 10}-{int(y) // 10 * 10 + 9}" if y <= OLDEST else f"{OLDEST + 1}+" for y in years]
    return hierarchy_from_labels(values, [exact, tens])


def _only(read: pl.Series, what: str, dtype: pl.DataType) -> None:
    wrong = read.null_count() + (int((read.is_nan() | read.is_infinite()).sum()) if read.dtype.is_float() else 0)
    if wrong:
        raise HierarchyError(
            f"{wrong:,} of {len(read):,} values of {dtype} are not {what}",
            expected=what,
            hint=f"say which kind it is, safe-harbor:kind= and {' or '.join(KINDS)}; or choose another hierarchy",
        )


KINDS: dict[str, Callable[[pl.Series], Hierarchy]] = {"date": _dates, "zip": _postcodes, "age": _ages}
