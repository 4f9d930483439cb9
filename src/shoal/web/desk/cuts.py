"""Cut points of a column of numbers: how its values are distributed, and where the ranges of each level begin."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np
import polars as pl

from shoal.core.parameters import spelled
from shoal.hierarchies import Intervals
from shoal.web.desk.draft import Draft
from shoal.web.desk.draft_table import column
from shoal.web.desk.trees import builder_of, rows_of

BARS = 60
MOST = 60
"""Cut points of a level at most; a level that has more is left out."""


@dataclass(frozen=True)
class Cuts:
    """The distribution of a column over its range, and its cut points; the ends of the range are cells."""

    low: str
    high: str
    heights: tuple[float, ...]
    """Rows in parts of equal width, as shares of the fullest."""
    text: str
    """Where ranges begin, levels with / between, the finest first."""


def cuts(draft: Draft, name: str) -> Cuts | None:
    """Return where a column of numbers is cut by the hierarchy that it has; None for any other column."""
    coded = column(draft, name)
    values = coded.values.drop_nulls()
    if not values.dtype.is_numeric() or len(values) < 2:
        return None
    numbers, counts = values.cast(pl.Float64).to_numpy(), rows_of(coded)[: len(coded.values)]
    held = counts[~coded.values.is_null().to_numpy()]
    rows = np.histogram(numbers, bins=BARS, weights=held)[0]
    low, high = Fraction(str(values.min())), Fraction(str(values.max()))
    builder = builder_of(draft, name, None, coded).resolved(coded.values, rows_of(coded))
    levels = _levels(builder, low, high) if isinstance(builder, Intervals) else []
    text = " / ".join(", ".join(map(spelled, level)) for level in levels if 0 < len(level) <= MOST)
    return Cuts(spelled(low), spelled(high), tuple((rows / rows.max()).round(3).tolist()), text)


def _levels(builder: Intervals, low: Fraction, high: Fraction) -> list[list[Fraction]]:
    """Return where the ranges of every level begin, inside the range of the values.

    >>> [[int(cut) for cut in level] for level in _levels(Intervals(width=(5, 10)), Fraction(17), Fraction(31))]
    [[20, 25, 30], [20, 30]]
    """
    if builder.edges:
        return [[Fraction(str(edge)) for edge in level] for level in builder.edges]
    origin = Fraction(str(builder.origin))
    found = []
    for width in builder.width:
        first = ceil((low - origin) / width) * width + origin
        many = int((high - first) // width) + 1
        found.append([first + place * width for place in range(many) if first + place * width > low])
    return found
