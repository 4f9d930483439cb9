"""A hierarchy for a column that was given none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from shoal.core.arrays import Ints
from shoal.core.errors import HierarchyError
from shoal.hierarchies.bands import Bands
from shoal.hierarchies.base import Builder, Hierarchy
from shoal.hierarchies.common import Common
from shoal.hierarchies.dates import Dates
from shoal.hierarchies.icd9 import Icd9
from shoal.hierarchies.icd10 import Icd10
from shoal.hierarchies.intervals import Intervals
from shoal.hierarchies.isco import Isco
from shoal.hierarchies.nace import Nace
from shoal.hierarchies.postcodes import Postcodes
from shoal.hierarchies.prefixes import Prefixes
from shoal.hierarchies.stars import StarsOnly
from shoal.hierarchies.top_coding import TopCoding
from shoal.hierarchies.topics import topics_of
from shoal.hierarchies.words import Words

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
        topics = topics_of(values.name)
        found = (kind.fitting(values, counts, topics) for kind in KINDS)
        fitting = (builder for builder in found if builder is not None and _builds(builder, values, counts))
        return next(fitting, StarsOnly())


def _builds(builder: Builder, values: pl.Series, counts: Ints | None) -> bool:
    """Whether a builder makes a hierarchy: not where a value reads like one of its labels."""
    try:
        builder.build(values, counts)
    except HierarchyError:
        return False
    return True
