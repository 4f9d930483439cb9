"""Ways to cut classes in parts, all classes at once: at the median of an attribute, or along its hierarchy.

A `Cuts` answers two questions for many classes in one go: how widely the rows of each class are spread in each
attribute, and into which part each row goes if its class is cut along a chosen attribute.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import polars as pl

from shoal.core.arrays import Bools, Codes, Floats, Ints
from shoal.core.sorting import order_by
from shoal.hierarchies import Hierarchy
from shoal.methods.general.hilbert_curve import leaf_ranks
from shoal.problem import Problem
from shoal.recoding import BlockRecoding
from shoal.tables.encoded_column import Coded

MIDDLE = Fraction(1, 2)


@dataclass(frozen=True, eq=False)
class Open:
    """Classes that may still be cut: their rows sorted by class, and where each class begins."""

    rows: Ints
    class_of_row: Ints
    """Dense and rising, one entry per row of `rows`."""
    copies: Ints | None = None
    """How many rows each of `rows` stands for, with one tuple of quasi-identifiers; None where it is one."""

    @property
    def number(self) -> int:
        """How many classes there are."""
        return int(self.class_of_row[-1]) + 1 if len(self.rows) else 0

    @property
    def starts(self) -> Ints:
        """Where each class begins."""
        return np.flatnonzero(np.diff(self.class_of_row, prepend=-1))

    def only(self, chosen: Bools) -> Open:
        """Return some of the classes, numbered anew."""
        number = np.cumsum(chosen) - 1
        taken = chosen[self.class_of_row]
        copies = None if self.copies is None else self.copies[taken]
        return Open(self.rows[taken], number[self.class_of_row[taken]], copies)

    def sizes(self, label: Ints, number: int) -> Ints:
        """Count the rows of each of `number` groups, `label` saying which group an entry is in."""
        if self.copies is None:
            return np.bincount(label, minlength=number)
        return np.bincount(label, self.copies, minlength=number).astype(np.int64)

    def rows_before(self, order: Ints) -> Ints:
        """Return how many rows come before each entry in an order, and in the end how many there are."""
        if self.copies is None:
            return np.arange(len(order) + 1)
        return np.concatenate([[0], np.cumsum(self.copies[order])])


class Cuts(ABC):
    """How the classes of a problem can be cut."""

    @abstractmethod
    def widths(self, classes: Open) -> Floats:
        """Return how widely each class is spread in each attribute, class by attribute; 0 where it cannot be cut."""

    @abstractmethod
    def parts(self, classes: Open, axis: Ints, share: Fraction = MIDDLE) -> Ints:
        """Return the part (0, 1, ...) of each row when class c is cut along attribute `axis[c]`.

        About so large a `share` of its rows lie below the cut.
        """


class MedianCuts(Cuts):
    """Cuts in two at the median, or at another quantile.

    *Strict*: between two different values, at the boundary nearest to it. *Relaxed*: exactly there; rows that equal
    the median go to either side, ordered by all their cells.
    """

    def __init__(self, problem: Problem, *, relaxed: bool) -> None:
        microdata = problem.microdata
        self.relaxed, self.suppresses = relaxed, problem.recoding_kind.stars_only
        self.columns = microdata.quasi
        self.ranks = [leaf_ranks(*pair) for pair in zip(microdata.quasi, microdata.hierarchies, strict=True)]
        self.sizes = np.array([column.size for column in microdata.quasi])
        self.places = [_places(column) for column in microdata.quasi]
        self.identity = microdata.identity if relaxed else np.zeros(microdata.rows, dtype=np.int64)

    @cached_property
    def codes(self) -> Codes:
        """Where each row lies along each attribute, row by attribute."""
        return np.column_stack(list(self.along()))

    def along(self) -> Iterator[Codes]:
        """Yield where each row lies along an attribute, one attribute after the other."""
        for rank, column in zip(self.ranks, self.columns, strict=True):
            yield rank[column.codes]

    def widths(self, classes: Open) -> Floats:
        """Return the share of the column's range, or of its values, that each class spans."""
        codes, starts = self.codes[classes.rows], classes.starts
        low, high = np.minimum.reduceat(codes, starts), np.maximum.reduceat(codes, starts)
        widths = np.zeros(low.shape)
        for axis, place in enumerate(self.places):
            if place is None or self.suppresses:
                widths[:, axis] = self._distinct(classes, axis) - 1
                widths[:, axis] /= max(self.sizes[axis] - 1, 1)
            else:
                widths[:, axis] = place[high[:, axis]] - place[low[:, axis]]
        if self.suppresses:  # a column is saved only by cutting it down to one value: few values first
            spans = widths * np.maximum(self.sizes - 1, 1)
            widths = np.divide(1.0, spans, out=np.zeros_like(spans), where=spans > 0)
        return widths

    def _distinct(self, classes: Open, axis: int) -> Ints:
        keys = np.sort(classes.class_of_row * self.sizes[axis] + self.codes[classes.rows, axis])
        return np.bincount(keys[np.diff(keys, prepend=-1) != 0] // self.sizes[axis], minlength=classes.number)

    def parts(self, classes: Open, axis: Ints, share: Fraction = MIDDLE) -> Ints:
        """Return 0 for the rows below the cut and 1 for those above."""
        keys = classes.class_of_row * int(self.sizes.max()) + self.places_along(classes, axis)
        order = order_by(self.identity[classes.rows], keys) if self.relaxed else order_by(keys)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        boundaries = self._boundaries(keys[order], classes, classes.rows_before(order), share)
        return (rank >= boundaries[classes.class_of_row]).astype(np.int64)

    def places_along(self, classes: Open, axis: Ints) -> Ints:
        """Return where each row lies along the attribute its class is cut by."""
        return self.codes[classes.rows, axis[classes.class_of_row]].astype(np.int64)

    def _boundaries(self, keys: Ints, classes: Open, at: Ints, share: Fraction) -> Ints:
        """Return, for each class, the first sorted entry of its upper part; `at` counts the rows before each entry."""
        starts = classes.starts
        ends = np.append(starts[1:], len(keys))
        part, whole = share.numerator, share.denominator
        first, rows = at[starts], at[ends] - at[starts]
        middle: Ints = np.searchsorted(at, first + rows * part // whole, side="right") - 1
        if self.relaxed:
            return middle
        before = np.searchsorted(keys, keys[middle], side="left")
        after = np.searchsorted(keys, keys[middle], side="right")
        # Distances to the exact place, in parts of a row. The boundary before wins a tie, a class's own edge never.
        exact, far = whole * first + part * rows, whole * int(at[-1]) + 1
        off_before = np.where(before > starts, np.abs(whole * at[before] - exact), far)
        off_after = np.where(after < ends, np.abs(whole * at[after] - exact), far)
        boundaries: Ints = np.where(off_before <= off_after, before, after)
        return boundaries


class HierarchyCuts(MedianCuts):
    """Cuts in two between children of the lowest block that holds a class, at the boundary nearest to the middle.

    A class within one child is published more precisely; one that still spans several is cut again. A column whose
    cells are no blocks is cut between any two values.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem, relaxed=False)
        self.hierarchies = dict(_block_hierarchies(problem))
        self.first_of_block = {
            axis: _first_places(leaf_ranks(self.columns[axis], hierarchy), hierarchy)
            for axis, hierarchy in self.hierarchies.items()
        }

    def _common_level(self, classes: Open, axis: int) -> tuple[Ints, Ints]:
        """Return the lowest level at which each class falls into one block, and the block."""
        return self.hierarchies[axis].lowest_common(self.columns[axis].codes[classes.rows], classes.starts)

    def widths(self, classes: Open) -> Floats:
        """Return the share of its leaves that the lowest common block of each class holds."""
        some = len(self.hierarchies) < len(self.columns)
        widths = super().widths(classes) if some else np.zeros((classes.number, len(self.columns)))
        for axis, hierarchy in self.hierarchies.items():
            widths[:, axis] = 0
            level, block = self._common_level(classes, axis)
            for height in range(1, hierarchy.height + 1):
                here = level == height
                widths[here, axis] = np.maximum(hierarchy.ncp[height][block[here]], 1e-12)
        return widths

    def places_along(self, classes: Open, axis: Ints) -> Ints:
        """Return the place of the child block that each row falls in."""
        some = len(self.hierarchies) < len(self.columns)
        places = super().places_along(classes, axis) if some else np.zeros(len(classes.rows), dtype=np.int64)
        for one in np.intersect1d(axis, list(self.hierarchies)).tolist():
            chosen = classes.only(axis == one)
            level, _ = self._common_level(chosen, one)
            below = np.maximum(level - 1, 0)[chosen.class_of_row]
            places[(axis == one)[classes.class_of_row]] = self.first_of_block[one][
                below, self.columns[one].codes[chosen.rows]
            ]
        return places


def _block_hierarchies(problem: Problem) -> Iterator[tuple[int, Hierarchy]]:
    """Yield the number of each column whose cells are blocks, and the hierarchy that they are blocks of."""
    for axis in range(len(problem.microdata.quasi)):
        recoding = problem.recoding_kind.of_column(problem.microdata, axis)
        if isinstance(recoding, BlockRecoding):
            yield axis, recoding.hierarchy(problem.microdata, axis)


def _first_places(rank: Codes, hierarchy: Hierarchy) -> Ints:
    """Return, level by value, the least place along the cut order of the block that the value falls in."""
    first = np.full(hierarchy.up.shape, len(rank), dtype=np.int64)
    np.minimum.at(first, (np.arange(len(first))[:, None], hierarchy.up), rank)
    return np.take_along_axis(first, hierarchy.up.astype(np.int64), axis=1)


def _places(column: Coded) -> Floats | None:
    """Return where the values of an ordered column lie, from 0 to 1, a missing value beyond the last; else None."""
    if not column.is_ordered or column.values.dtype == pl.Boolean:
        return None
    known = column.positions[: column.size - (column.missing is not None)]
    if not len(known):
        return np.zeros(column.size)
    span = known[-1] - known[0] or 1.0
    places = (known - known[0]) / span
    return places if column.missing is None else np.append(places, 1 + 1 / max(column.size - 1, 1))
