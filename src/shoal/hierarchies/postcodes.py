"""Postcodes that are no texts of one format: numbers without their leading zeros, and those of the United Kingdom."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from shoal.core.arrays import Ints
from shoal.core.errors import HierarchyError
from shoal.core.parameters import Number
from shoal.hierarchies.base import NO_TOPICS, Builder, Hierarchy, Topic, Topics, hierarchy_from_labels

DIGITS = Number("digits", "digits of a postcode", 0, 10, whole=True)
BRITISH = re.compile(r"([A-Z]{1,2})([0-9][0-9A-Z]?) ?([0-9])[A-Z]{2}")
SHORTEST, LONGEST = 4, 6
"""Digits of the postcodes that are known by the name of their column."""


@dataclass(frozen=True, init=False)
class Postcodes(Builder):
    """Guarantees that a block holds the postcodes that begin alike.

    Whole numbers are filled up with zeros in front to `digits` digits, of which fewer are kept level by level; those of
    the United Kingdom, where `digits` is 0, become sectors, districts and areas.

    >>> Postcodes(5).build(pl.Series([2139, 98765])).labels[2:4]
    (('021**', '987**'), ('02***', '98***'))
    >>> Postcodes().build(pl.Series(["SW1A 1AA", "SW1A 2AB"])).labels[1:]
    (('SW1A 1**', 'SW1A 2**'), ('SW1A ***',), ('SW** ***',), ('*',))
    """

    name: ClassVar[str] = "postcodes"
    meaning: ClassVar[str] = "postcodes as numbers, or of the United Kingdom"

    digits: int = 0

    def __init__(self, digits: object = 0) -> None:
        object.__setattr__(self, "digits", int(DIGITS.read(digits, self.name)))

    @classmethod
    def fitting(cls, values: pl.Series, counts: Ints | None = None, topics: Topics = NO_TOPICS) -> Builder | None:
        """Fit texts that are all British postcodes, and whole numbers that the column's name says are postcodes."""
        present = values.drop_nulls()
        if len(present) < 2:
            return None
        if present.dtype == pl.String:
            return cls() if all(BRITISH.fullmatch(text) for text in present) else None
        if not present.dtype.is_integer() or Topic.POSTCODE not in topics or not (present >= 0).all():
            return None
        longest = int(present.cast(pl.String).str.len_chars().to_numpy().max())
        return cls(longest) if SHORTEST <= longest <= LONGEST else None

    @property
    def description(self) -> str:
        """What is kept of a postcode."""
        kept = range(self.digits - 1, 0, -1)
        return f"the first {', '.join(map(str, kept))} digits" if self.digits else "sectors, districts, areas"

    def build(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Bind to a column of postcodes, or raise `HierarchyError` with the number of values that are none."""
        texts = values.drop_nulls().cast(pl.String).to_list()
        if self.digits:
            found = [text.zfill(self.digits) for text in texts]
            wrong = sum(not text.isdecimal() or len(text) > self.digits for text in found)
        else:
            wrong = sum(BRITISH.fullmatch(text) is None for text in texts)
        if wrong:
            kind = f"whole numbers of at most {self.digits} digits" if self.digits else "postcodes such as SW1A 1AA"
            raise HierarchyError(f"{wrong:,} of {len(texts):,} values are not postcodes", expected=kind)
        if self.digits:
            kept = range(self.digits - 1, 0, -1)
            levels = [[text[:length] + "*" * (self.digits - length) for text in found] for length in kept]
        else:
            levels = [list(level) for level in zip(*map(_british, texts), strict=True)]
        return hierarchy_from_labels(values, levels)


def _british(text: str) -> tuple[str, str, str]:
    """Return sector, district and area of a postcode; `fitting` and `build` say that it is one."""
    found = BRITISH.fullmatch(text)
    assert found is not None
    area, district, sector = found.groups()
    return f"{area}{district} {sector}**", f"{area}{district} ***", f"{area}** ***"
