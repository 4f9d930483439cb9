"""A hierarchy for a column that was given none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from shoal.core.arrays import Ints
from shoal.core.errors import HierarchyError
from shoal.hierarchies.bands import Bands
from shoal.hierarchies.base import Builder, Hierarchy, Topic, Topics
from shoal.hierarchies.common import Common
from shoal.hierarchies.dates import Dates, days_in
from shoal.hierarchies.icd9 import Icd9
from shoal.hierarchies.icd10 import Icd10
from shoal.hierarchies.intervals import Intervals
from shoal.hierarchies.isco import Isco
from shoal.hierarchies.nace import Nace
from shoal.hierarchies.postcodes import Postcodes
from shoal.hierarchies.prefixes import Prefixes
from shoal.hierarchies.stars import StarsOnly
from shoal.hierarchies.top_coding import TopCoding
from shoal.hierarchies.words import Words
from shoal.tables.column_names import words
from shoal.tables.name_rules import (
    AREA_CODES,
    CODES,
    COUNTS,
    DIAGNOSIS_CODES,
    INDUSTRY_CODES,
    OCCUPATION_CODES,
    POSTCODES,
    POSTCODES_ABROAD,
)

KINDS: tuple[type[Builder], ...] = (
    Dates,
    Icd10,
    Icd9,
    Nace,
    Isco,
    Postcodes,
    Bands,
    Prefixes,
    TopCoding,
    Intervals,
    Words,
    Common,
)
"""The kinds of structure that are looked for, in this order."""
RULES = {
    Topic.CODE: (CODES,),
    Topic.COUNT: (COUNTS,),
    Topic.DIAGNOSIS: (DIAGNOSIS_CODES,),
    Topic.INDUSTRY: (INDUSTRY_CODES,),
    Topic.OCCUPATION: (OCCUPATION_CODES,),
    Topic.AREA: (AREA_CODES,),
    Topic.POSTCODE: (POSTCODES, *POSTCODES_ABROAD),
}
"""The names of columns that speak of a topic."""


@dataclass(frozen=True)
class Automatic(Builder):
    """Guarantees a hierarchy for any column: of the first of `KINDS` that fits its values, else stars only.

    Dates get the calendar, known codes their classification, other codes of one format prefixes, bands wider bands,
    counts a top, other numbers round intervals. Numbers that crowd so much that more than half of them would fall in
    one round interval get intervals of equally many rows. Other texts are grouped by words that they share, and rare
    values joined.

    >>> Automatic().chosen(pl.Series(range(17, 91))) == Intervals(width=(5, 10, 20))
    True
    >>> Automatic().chosen(pl.Series(["01234", "98765"]))
    Prefixes(lengths=(), sign='')
    """

    name: ClassVar[str] = "auto"
    meaning: ClassVar[str] = "chosen from the column's values"

    def build(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Bind what `chosen` picks."""
        return self.chosen(values, counts).build(values, counts)

    def resolved(self, values: pl.Series, counts: Ints | None = None) -> Builder:
        """Return what `chosen` picks, with nothing left to the data."""
        return self.chosen(values, counts).resolved(values, counts)

    def chosen(self, values: pl.Series, counts: Ints | None = None) -> Builder:
        """Return the builder picked for these distinct values, so many rows of each."""
        if values.null_count() == len(values):
            return StarsOnly()
        topics = _topics(values.name)
        found = (kind.fitting(values, counts, topics) for kind in KINDS)
        fitting = (builder for builder in found if builder is not None and _builds(builder, values, counts))
        return next(fitting, StarsOnly())


def natural_order(values: pl.Series) -> tuple[str, ...] | None:
    """Return the order that the structure of distinct values gives them, where their type does not: the least first.

    Texts that are all dates are in the order of the days, bands in that of their ends; whole numbers that the column's
    name calls codes have no order, and get an empty one. None for any other column: it is as ordered as its type is.

    >>> natural_order(pl.Series(["31.12.2023", "1.2.2024"])), natural_order(pl.Series(["5-9", "65+", "10-64"]))
    (('31.12.2023', '1.2.2024'), ('5-9', '10-64', '65+'))
    >>> natural_order(pl.Series("discharge_id", [1, 7])), natural_order(pl.Series("age", [1, 7]))
    ((), None)
    """
    present = values.drop_nulls()
    if present.dtype.is_integer():
        return () if Topic.CODE in _topics(values.name) else None
    if present.dtype != pl.String or present.is_empty():
        return None
    if Dates.fitting(values) is not None:
        return tuple(text for _, text in sorted(zip(days_in(present), present, strict=True)))
    found = Bands().resolved(values) if Bands.fitting(values) is not None else None
    return found.bands if isinstance(found, Bands) and len(found.bands) == len(present) else None


def _topics(name: str) -> Topics:
    """Return what the name of a column says of its values.

    >>> sorted(_topics("discharge_id")), sorted(_topics("age"))
    ([<Topic.CODE: 'a code'>], [])
    """
    cut = words(name)
    return frozenset(topic for topic, rules in RULES.items() if any(rule.fits(cut) for rule in rules))


def _builds(builder: Builder, values: pl.Series, counts: Ints | None) -> bool:
    """Whether a builder makes a hierarchy: not where a value reads like one of its labels."""
    try:
        builder.build(values, counts)
    except HierarchyError:
        return False
    return True
