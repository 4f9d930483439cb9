"""Codes by their last characters: `12345`, `**345`, `****5`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from shoal.core.arrays import Ints
from shoal.hierarchies.base import Builder, Hierarchy
from shoal.hierarchies.prefixes import masked, read_lengths, read_sign


@dataclass(frozen=True, init=False)
class Suffixes(Builder):
    """Guarantees that values with one label end alike, and that no label can be taken for another's.

    `lengths` are the numbers of characters kept, longest first; none given means every length down to 1. The others are
    masked from the left by `sign`, up to the length of the longest value, as `prefixes` masks them from the right.

    >>> Suffixes((3, 1)).build(pl.Series(["345", "12345", "99345"])).labels
    (('345', '12345', '99345'), ('345', '**345'), ('****5',), ('*',))
    >>> Suffixes("2", sign="#").build(pl.Series(["1234"])).labels[1]
    ('##34',)
    """

    name: ClassVar[str] = "suffixes"
    meaning: ClassVar[str] = "the last characters, the others masked"

    lengths: tuple[int, ...] = ()
    sign: str = ""

    def __init__(self, lengths: object = (), sign: object = "") -> None:
        object.__setattr__(self, "lengths", read_lengths(lengths, self.name))
        object.__setattr__(self, "sign", read_sign(sign, self.name))

    @property
    def description(self) -> str:
        """How many characters are kept."""
        return f"the last {', '.join(map(str, self.lengths))} characters" if self.lengths else "the last characters"

    def build(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Bind to a column of texts or whole numbers; lengths that mask nothing are left out."""
        return masked(values, self.lengths, self.sign, last=True)
