"""Texts in groups of neighbours in their order: `Bergen to Oslo`."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import polars as pl

from shoal.core.arrays import Ints
from shoal.core.errors import ParameterError
from shoal.core.parameters import Number
from shoal.hierarchies.base import Builder, Hierarchy, hierarchy_from_labels
from shoal.hierarchies.specs import listed
from shoal.hierarchies.stars import StarsOnly
from shoal.hierarchies.taxonomy import Taxonomy
from shoal.tables.star_marks import cell_text

SIZES = (5, 25, 125)
SIZE = Number("sizes", "values of a group", 2, whole=True)


@dataclass(frozen=True, init=False)
class Groups(Builder):
    """Guarantees groups of `sizes` neighbours in the order of the values, each group inside one of the next size.

    Texts are in the order of the alphabet, others in their own; words for which an order is stated in that. The last
    group may be smaller. A group is called by its first and last value, so these two are published with it, as those of
    a range are. A size that all values fit in is left out.

    >>> Groups("2,4").build(pl.Series(["a", "b", "c", "d", "e"])).labels[1:]
    (('a to b', 'c to d', 'e'), ('a to d', 'e'), ('*',))
    """

    name: ClassVar[str] = "groups"
    meaning: ClassVar[str] = "groups of neighbours in the order of the values"

    sizes: tuple[int, ...] = SIZES

    def __init__(self, sizes: object = SIZES) -> None:
        read = tuple(int(SIZE.read(size, self.name)) for size in listed(sizes))
        if not read or any(above % below or above == below for below, above in pairwise(read)):
            raise ParameterError(
                f"{self.name}: sizes are {', '.join(map(str, read)) or 'none'}",
                expected="increasing numbers, each a multiple of the one before",
            )
        object.__setattr__(self, "sizes", read)

    @property
    def description(self) -> str:
        """How many values are joined."""
        return f"groups of {', '.join(map(str, self.sizes))} neighbours"

    def resolved(self, values: pl.Series, counts: Ints | None = None) -> Builder:
        """Return the groups of these values, written down."""
        leaves = values.drop_nulls().cast(pl.String).to_list()
        if not leaves:
            return StarsOnly()
        return Taxonomy(zip(leaves, *self._labels(values), strict=True))

    def build(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Bind to any column."""
        return hierarchy_from_labels(values, self._labels(values))

    def _labels(self, values: pl.Series) -> list[list[str]]:
        """Return the labels of the values, level by level."""
        texts = cell_text(values.drop_nulls()).to_list()
        sizes = [size for size in self.sizes if size < len(texts)]
        return [[_label(texts, place, size) for place in range(len(texts))] for size in sizes]


def _label(texts: list[str], place: int, size: int) -> str:
    """Return what the group of so many neighbours is called that a value is in."""
    start = place // size * size
    first, last = texts[start], texts[min(start + size, len(texts)) - 1]
    return first if first == last else f"{first} to {last}"
