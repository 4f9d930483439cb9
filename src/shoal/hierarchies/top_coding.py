"""Top coding: small numbers stay, from a top on they are joined, as statistical offices do it with counts: `>= 5`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar

import numpy as np
import polars as pl

import shoal.hierarchies
from shoal.core.arrays import Ints
from shoal.core.errors import HierarchyError, ParameterError
from shoal.core.parameters import Number, spelled
from shoal.hierarchies.axis import Axis
from shoal.hierarchies.base import NO_TOPICS, Builder, Hierarchy, Topic, Topics, hierarchy_from_labels
from shoal.hierarchies.specs import listed
from shoal.tables.star_marks import cell_text

TOP = Number("tops", "number from which on values are joined")
SHARES = (Fraction(1, 100), Fraction(1, 20), Fraction(1, 5), Fraction(1, 2))
"""The shares of the rows that are joined on each level, at least, where no tops are given."""
FEWEST, MOST = 4, 20
"""Different numbers that a column of counts has: with fewer there is little to join, with more ranges are better."""


@dataclass(frozen=True, init=False)
class TopCoding(Builder):
    """Guarantees that on each level numbers below its top are published as they are, and all others as `>= top`.

    `tops` are the tops, the highest first. Without them they are read from the column: on each level, the highest
    number that at least a hundredth of the rows reach, a twentieth, a fifth, a half.

    >>> TopCoding("5,3").build(pl.Series([1, 2, 3, 4, 5, 8])).labels[1:]
    (('1', '2', '3', '4', '>= 5'), ('1', '2', '>= 3'), ('*',))
    """

    name: ClassVar[str] = "top-coding"
    meaning: ClassVar[str] = "small numbers stay, large ones are joined"

    tops: tuple[Fraction, ...] = ()

    def __init__(self, tops: object = ()) -> None:
        object.__setattr__(self, "tops", tuple(TOP.read(one, self.name) for one in listed(tops)))
        if any(after >= before for before, after in pairwise(self.tops)):
            raise ParameterError(f"{self.name}: the tops do not decrease", expected="the highest first, such as 5,3")

    @classmethod
    def fitting(cls, values: pl.Series, counts: Ints | None = None, topics: Topics = NO_TOPICS) -> Builder | None:
        """Fit few whole numbers, none below zero, of a column whose name says that something is counted."""
        present = values.drop_nulls()
        named = Topic.COUNT in topics and Topic.CODE not in topics
        if not (named and present.dtype.is_integer() and FEWEST <= len(present) <= MOST and present.min() in (0, 1)):
            return None
        return cls() if cls().resolved(values, counts) != shoal.hierarchies.StarsOnly() else None

    @property
    def description(self) -> str:
        """From where on numbers are joined."""
        return f"numbers from {' or '.join(map(spelled, self.tops))} on as one" if self.tops else self.meaning

    def resolved(self, values: pl.Series, counts: Ints | None = None) -> Builder:
        """Return the builder with the tops said; stars only where nothing is joined."""
        if self.tops:
            return self
        tops = _tops(_axis(values), counts)
        return TopCoding(tops) if tops else shoal.hierarchies.StarsOnly()

    def build(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Bind to a column of numbers."""
        present = values.drop_nulls()
        axis, texts = _axis(values), cell_text(present).to_list()
        tops = self.tops or _tops(axis, counts)
        return hierarchy_from_labels(values, [_joined(axis, texts, top) for top in tops])


def _axis(values: pl.Series) -> Axis:
    """Return the numbers of a column, or raise `HierarchyError`."""
    axis = Axis.of(values.drop_nulls())
    if axis.unit:
        raise HierarchyError(
            f"top coding is given for a column of {values.dtype}",
            expected="numbers",
            hint="choose another hierarchy, such as dates",
        )
    return axis


def _tops(axis: Axis, counts: Ints | None) -> tuple[Fraction, ...]:
    """Return the highest numbers that these shares of the rows reach, where that joins some numbers and not all."""
    order = axis.order()
    rows = np.ones(len(order), np.int64) if counts is None else counts[order]
    reaching = np.cumsum(rows[::-1])[::-1]
    places = [int(np.flatnonzero(reaching >= float(share) * reaching[0])[-1]) for share in SHARES] if order else []
    joining = [axis.exact(order[place]) for place in places if 0 < place < len(order) - 1]
    return tuple(dict.fromkeys(joining))


def _joined(axis: Axis, texts: Sequence[str], top: Fraction) -> list[str]:
    """Return each number's text below the top, and one label for all others."""
    label = f">= {spelled(top)}"
    return [text if axis.exact(place) < top else label for place, text in enumerate(texts)]
