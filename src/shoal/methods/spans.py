"""What the classes of a partition span, column by column, and what unions of them would be published with.

The cells of a union follow from the cells of its parts: the lowest block above both, the range around both, the set
of both. So one class is joined with thousands of others, one by one, without a look at their rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from shoal.arrays import AnyInts, Bools, Ints
from shoal.cells import Cells, HierarchyCells, RangeCells, SetCells
from shoal.microdata import distinct_rows
from shoal.recode import Published


class Spans(ABC):
    """The spans of all classes in one column. `grow` changes them; nothing else does."""

    @abstractmethod
    def joined(self, one: int, others: Ints) -> Cells:
        """Return the cells that a class would be published with together with each of the others."""

    @abstractmethod
    def grow(self, one: int, others: Ints) -> None:
        """Let a class take in all of the others."""

    @abstractmethod
    def same(self, one: int, others: Ints) -> Bools:
        """Return which of the others show the same cell as a class."""


class HierarchySpans(Spans):
    """Blocks of a hierarchy: a level, and any value of the class."""

    def __init__(self, cells: HierarchyCells, values: AnyInts) -> None:
        self.column, self.hierarchy, self.values = cells.column, cells.hierarchy, values
        self.levels = cells.levels[cells.of_group]

    def _levels(self, one: int, others: Ints) -> Ints:
        """Return the lowest levels that hold both: levels are nested, so values differ below it and nowhere above."""
        up = self.hierarchy.up
        apart = (up[:, self.values[others]] != up[:, [self.values[one]]]).sum(axis=0)
        levels: Ints = np.maximum(np.maximum(self.levels[others], self.levels[one]), apart)
        return levels

    def joined(self, one: int, others: Ints) -> Cells:
        """Return the lowest blocks above both."""
        levels = self._levels(one, others)
        blocks = self.hierarchy.up[levels, self.values[one]].astype(np.int64)
        of_group, first, _ = distinct_rows([levels, blocks], [self.hierarchy.height + 1, self.column.size + 1])
        return HierarchyCells(self.column, of_group, self.hierarchy, levels[first], blocks[first])

    def grow(self, one: int, others: Ints) -> None:
        """Rise to the lowest level that holds all."""
        self.levels[one] = self._levels(one, others).max()

    def same(self, one: int, others: Ints) -> Bools:
        """Compare levels, and the blocks there."""
        blocks = self.hierarchy.up[self.levels[one]]
        same: Bools = (self.levels[others] == self.levels[one]) & (
            blocks[self.values[others]] == blocks[self.values[one]]
        )
        return same


class RangeSpans(Spans):
    """Ranges of an ordered column, and whether the missing value is covered too."""

    def __init__(self, cells: RangeCells) -> None:
        self.column = cells.column
        self.low, self.high = cells.low[cells.of_group], cells.high[cells.of_group]
        self.missing = cells.missing[cells.of_group]

    def joined(self, one: int, others: Ints) -> Cells:
        """Return the ranges around both."""
        low = np.minimum(self.low[others], self.low[one])
        high = np.maximum(self.high[others], self.high[one])
        missing = self.missing[others] | self.missing[one]
        of_group, first, _ = distinct_rows([low, high + 1, missing], [self.column.size + 1, self.column.size + 1, 2])
        return RangeCells(self.column, of_group, low[first], high[first], missing[first])

    def grow(self, one: int, others: Ints) -> None:
        """Widen to the range around all."""
        self.low[one] = min(self.low[one], self.low[others].min())
        self.high[one] = max(self.high[one], self.high[others].max())
        self.missing[one] |= self.missing[others].any()

    def same(self, one: int, others: Ints) -> Bools:
        """Compare the ends."""
        ends = (self.low[others] == self.low[one]) & (self.high[others] == self.high[one])
        same: Bools = ends & (self.missing[others] == self.missing[one])
        return same


class SetSpans(Spans):
    """Sets of values, a bit for each value of the column, 64 to a word."""

    def __init__(self, cells: SetCells) -> None:
        self.column = cells.column
        member = np.zeros((len(cells.volume), -(-self.column.size // 64) * 64), dtype=bool)
        member[np.repeat(np.arange(len(cells.volume)), cells.volume), cells.members] = True
        self.words: Ints = np.packbits(member, axis=1, bitorder="little").view(np.int64)[cells.of_group]

    def joined(self, one: int, others: Ints) -> Cells:
        """Return the sets of both."""
        words = self.words[others] | self.words[one]
        dense = [np.unique(word, return_inverse=True)[1] for word in words.T]
        of_group, first, _ = distinct_rows(dense, [int(word.max()) + 1 for word in dense])
        sets, members = np.nonzero(np.unpackbits(words[first].view(np.uint8), axis=1, bitorder="little"))
        starts = np.searchsorted(sets, np.arange(len(first) + 1))
        return SetCells(self.column, of_group, members.astype(np.int64), starts.astype(np.int64))

    def grow(self, one: int, others: Ints) -> None:
        """Take in the members of all."""
        self.words[one] |= np.bitwise_or.reduce(self.words[others], axis=0)

    def same(self, one: int, others: Ints) -> Bools:
        """Compare the members."""
        same: Bools = (self.words[others] == self.words[one]).all(axis=1)
        return same


def spans_of(published: Published) -> list[Spans]:
    """Return what the classes of a release span, column by column."""
    partition = published.partition
    some_row = partition.order[partition.starts[:-1]]
    return [_spans(cells, cells.column.codes[some_row]) for cells in published.cells]


def _spans(cells: Cells, values: AnyInts) -> Spans:
    if isinstance(cells, HierarchyCells):
        return HierarchySpans(cells, values)
    if isinstance(cells, RangeCells):
        return RangeSpans(cells)
    assert isinstance(cells, SetCells)
    return SetSpans(cells)
