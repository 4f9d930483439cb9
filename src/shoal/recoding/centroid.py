"""Centroids: a class is published with one value per column that lies in the middle of its own.

- a column of numbers: the mean;
- another ordered column (dates, times, declared categories): the median, the lower one of two;
- any other column: the commonest value, the first in the order of the values where several are.

A missing value is a value like any other where the commonest is published. A mean or a median is that of the known
values, or missing where more than half of the rows lack a value. A centroid covers nothing: it need not be the value of
any row. Two groups with the same centroid have it together, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.core.arrays import AnyInts, Bools, Codes, Floats, Ints
from shoal.core.errors import Unsupported
from shoal.microdata.microdata import Microdata
from shoal.recoding.base import ColumnRecoding
from shoal.recoding.cells import Cells, Groups
from shoal.tables.encoded_column import Coded
from shoal.tables.star_marks import cell_text


class Centroid(ColumnRecoding):
    """Publishes the centroid of the class."""

    name: ClassVar[str] = "centroid"
    meaning: ClassVar[str] = "cells become means, medians or the commonest value of their class"
    default_cost: ClassVar[str] = "centroid-error"
    no_patterns: ClassVar[str] = "centroids are not patterns of a hierarchy"
    covers: ClassVar[bool] = False

    def column(self, microdata: Microdata, index: int, groups: Groups) -> Cells:
        """Publish the centroid of each group."""
        return CentroidCells.of(microdata.quasi[index], groups)


@dataclass(frozen=True, eq=False)
class CentroidCells(Cells):
    """Cells that are centroids: a value of the column each, or a number between values."""

    codes: Codes
    """The value that each distinct cell is; -1 where it is none."""
    means: Floats
    """Where each distinct cell lies in an ordered column; NaN for the missing value."""

    @classmethod
    def of(cls, column: Coded, groups: Groups) -> CentroidCells:
        """Publish each group with its centroid."""
        counted = _Counted.of(column, groups)
        if not _is_line(column):
            return cls._of_codes(column, counted.commonest())
        if not column.values.dtype.is_numeric():
            return cls._of_codes(column, counted.medians())
        means, of_group = np.unique(counted.means(), return_inverse=True)
        return cls(column, of_group.astype(np.int64), _values_at(column, means), means)

    @classmethod
    def _of_codes(cls, column: Coded, code_of_group: Ints) -> CentroidCells:
        codes, of_group = np.unique(code_of_group, return_inverse=True)
        return cls(column, of_group.astype(np.int64), codes.astype(np.int32), column.positions[codes])

    @property
    def is_line(self) -> bool:
        """Whether the values lie on a line, so that they have distances."""
        return _is_line(self.column)

    @cached_property
    def typed(self) -> pl.Series:
        """The distinct cells as a column: of its own type if each is a value of it, else of floating-point numbers."""
        if (self.codes >= 0).all():
            return self.column.values.gather(self.codes)
        return pl.Series(self.column.name, self.means).fill_nan(None)

    @cached_property
    def labels(self) -> Sequence[str | None]:
        """The centroids as text."""
        return cell_text(self.typed).to_list()

    @property
    def singles(self) -> Codes:
        """The centroids that are values of the column."""
        return self.codes

    def errors(self, cells: Ints, codes: AnyInts) -> Floats:
        """Return how far each value is from the cell beside it, by the measure that the centroid keeps least.

        Squared for means, absolute for medians, 0 or 1 for commonest values. In an ordered column the missing value is
        no distance from anything, and NaN from a known one that it is published for.
        """
        if not self.is_line:
            return np.not_equal(self.codes[cells], codes).astype(np.float64)
        apart = self.column.positions[codes] - self.means[cells]
        errors = apart**2 if self.column.values.dtype.is_numeric() else np.abs(apart)
        return np.where(np.isnan(self.column.positions[codes]), 0.0, errors)

    @property
    def ncp(self) -> Floats:
        """Refused: a centroid covers nothing."""
        raise _uncovering()

    @property
    def volume(self) -> Ints:
        """Refused: a centroid covers nothing."""
        raise _uncovering()

    def weigh(self, weights: Floats) -> Floats:
        """Refuse: a centroid covers nothing."""
        raise _uncovering()

    def covers(self, cells: Ints, codes: AnyInts) -> Bools:
        """Refuse: a centroid covers nothing."""
        raise _uncovering()


@dataclass(frozen=True, eq=False)
class _Counted:
    """How often each value occurs in each group: the distinct pairs by group and value, and counts."""

    column: Coded
    owner: Ints
    codes: Ints
    counts: Ints
    number: int

    @classmethod
    def of(cls, column: Coded, groups: Groups) -> _Counted:
        number = len(groups.starts) - 1
        group = np.repeat(np.arange(number), np.diff(groups.starts))
        pairs, counts = np.unique(group * column.size + column.codes[groups.order], return_counts=True)
        return cls(column, pairs // column.size, pairs % column.size, counts, number)

    def commonest(self) -> Ints:
        """Return the commonest value of each group; of several the first."""
        order = np.lexsort((self.codes, -self.counts, self.owner))
        return self.codes[order[np.searchsorted(self.owner[order], np.arange(self.number))]]

    def known(self) -> tuple[_Counted, Ints]:
        """Return the pairs with a known value, and how many known values each group has; 0 where most are missing."""
        gone = self.codes == (self.column.size if self.column.missing is None else self.column.missing)
        missing = np.bincount(self.owner, weights=self.counts * gone, minlength=self.number)
        rows = np.bincount(self.owner, weights=self.counts, minlength=self.number)
        kept = ~gone & (2 * missing <= rows)[self.owner]
        part = _Counted(self.column, self.owner[kept], self.codes[kept], self.counts[kept], self.number)
        sizes = np.bincount(part.owner, weights=part.counts, minlength=self.number)
        return part, sizes.astype(np.int64)

    def medians(self) -> Ints:
        """Return the lower median of the known values of each group; the missing value where most are missing."""
        known, sizes = self.known()
        if not len(known.codes):
            return np.full(self.number, self.column.size - 1)
        rising = np.cumsum(known.counts)
        middle = np.cumsum(sizes) - sizes + (sizes + 1) // 2
        place = np.minimum(np.searchsorted(rising, middle), len(known.codes) - 1)
        return np.where(sizes > 0, known.codes[place], self.column.size - 1)

    def means(self) -> Floats:
        """Return the mean of the known values of each group; NaN where most are missing."""
        known, sizes = self.known()
        places = self.column.positions[known.codes]
        sums = np.bincount(known.owner, weights=known.counts * places, minlength=self.number)
        means: Floats = np.divide(sums, sizes, out=np.full(self.number, np.nan), where=sizes > 0) + 0.0
        alone = np.bincount(known.owner, minlength=self.number)[known.owner] == 1
        means[known.owner[alone]] = places[alone]  # of equal values the value itself, to the last digit
        return means


def _is_line(column: Coded) -> bool:
    return column.is_ordered and column.values.dtype != pl.Boolean


def _values_at(column: Coded, means: Floats) -> Codes:
    """Return the value of a column that each mean is, -1 where it is none; NaN is the missing value.

    Refuses numbers that floating point cannot tell apart.
    """
    places = column.positions[: column.size - (column.missing is not None)]
    if not (np.diff(places) > 0).all():
        raise Unsupported(
            f"the numbers of {column.name!r} have too many digits for exact means",
            hint="use another recoding, or give the column as text",
        )
    codes = np.minimum(np.searchsorted(places, means), column.size - 1)
    same = (column.positions[codes] == means) | np.isnan(means)
    return np.where(same, codes, -1).astype(np.int32)


def _uncovering() -> Unsupported:
    return Unsupported("a centroid covers no values", hint="use another cost, such as centroid-error")
