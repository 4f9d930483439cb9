"""What the classes of a partition span, column by column, and what unions of them would be published with.

The cells of a union follow from the cells of its parts: the lowest block above both, the range around both, the set
of both. So one class is joined with thousands of others, one by one, without a look at their rows; and since classes
show few different cells in a column, without a look at most of the classes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from shoal.core.arrays import AnyInts, Bools, Floats, Ints
from shoal.core.sorting import distinct_rows
from shoal.recoding.cells import Cells, HierarchyCells, RangeCells, SetCells
from shoal.recoding.recode import Published

MOST_KEPT = 4_000_000
"""How many losses are kept for a column in case they are asked for again."""


class Spans(ABC):
    """The cells of all classes in one column: which cell each class shows, and what the cells are.

    `grow` is the only way to change them: it adds a cell, unless the cell is known, and never takes one away.
    """

    def __init__(self, of_class: Ints) -> None:
        self.of_class = of_class.copy()
        self._kept: dict[int, Floats] = {}

    @property
    @abstractmethod
    def number(self) -> int:
        """How many cells are known."""

    @abstractmethod
    def above(self, cell: int) -> Cells:
        """Return the least cells that cover a cell and each of the known ones, in their order."""

    @abstractmethod
    def around(self, cells: Ints) -> int:
        """Return the number of the least cell that covers all of some cells; add it if it is not known."""

    def joined(self, one: int, others: Ints) -> Cells:
        """Return the cells that a class would be published with together with each of the others."""
        cells = self.above(int(self.of_class[one]))
        return replace(cells, of_group=cells.of_group[self.of_class[others]])

    def losses(self, one: int, others: Ints, measure: Callable[[Cells], Floats]) -> Floats:
        """Return what the cells of `joined` cost; `measure` must be the same each time."""
        cell = int(self.of_class[one])
        if len(self._kept.get(cell, ())) < self.number:
            if (len(self._kept) + 1) * self.number > MOST_KEPT:
                self._kept.clear()
            cells = self.above(cell)
            self._kept[cell] = measure(cells)[cells.of_group]
        return self._kept[cell][self.of_class[others]]

    def grow(self, one: int, others: Ints) -> None:
        """Let a class take in all of the others."""
        self.of_class[one] = self.around(np.unique(np.append(self.of_class[others], self.of_class[one])))

    def same(self, one: int, others: Ints) -> Bools:
        """Return which of the others show the same cell as a class."""
        same: Bools = self.of_class[others] == self.of_class[one]
        return same


class HierarchySpans(Spans):
    """Blocks of a hierarchy: a level, and any value in the block."""

    def __init__(self, cells: HierarchyCells, values: AnyInts) -> None:
        super().__init__(cells.of_group)
        self.column, self.hierarchy, self.levels = cells.column, cells.hierarchy, cells.levels
        self.values = np.zeros(len(self.levels), dtype=np.int64)
        self.values[cells.of_group] = values

    @property
    def number(self) -> int:
        """How many cells are known."""
        return len(self.levels)

    def _levels(self, cell: int, cells: Ints | slice) -> Ints:
        """Return the lowest levels that hold both: levels are nested, so values differ below it and nowhere above."""
        up = self.hierarchy.up
        apart = (up[:, self.values[cells]] != up[:, [self.values[cell]]]).sum(axis=0)
        levels: Ints = np.maximum(np.maximum(self.levels[cells], self.levels[cell]), apart)
        return levels

    def above(self, cell: int) -> Cells:
        """Return the lowest blocks above both."""
        levels = self._levels(cell, slice(None))
        shown, of_group = np.unique(levels, return_inverse=True)
        blocks = self.hierarchy.up[shown, self.values[cell]].astype(np.int64)
        return HierarchyCells(self.column, of_group, self.hierarchy, shown, blocks)

    def around(self, cells: Ints) -> int:
        """Rise to the lowest level that holds all."""
        level, value = int(self._levels(int(cells[0]), cells).max()), self.values[cells[0]]
        up = self.hierarchy.up[level]
        known = np.flatnonzero((self.levels == level) & (up[self.values] == up[value]))
        if not len(known):
            self.levels, self.values = np.append(self.levels, level), np.append(self.values, value)
        return int(known[0]) if len(known) else self.number - 1


class RangeSpans(Spans):
    """Ranges of an ordered column, and whether the missing value is covered too: low, high, missing."""

    def __init__(self, cells: RangeCells) -> None:
        super().__init__(cells.of_group)
        self.column = cells.column
        self.ends = np.column_stack([cells.low, -cells.high, -cells.missing.astype(np.int64)])  # covering is being less

    @property
    def number(self) -> int:
        """How many cells are known."""
        return len(self.ends)

    def above(self, cell: int) -> Cells:
        """Return the ranges around both."""
        low, high, missing = np.minimum(self.ends, self.ends[cell]).T * np.array([[1], [-1], [-1]])
        of_group, first, _ = distinct_rows([low, high + 1, missing], [self.column.size + 1, self.column.size + 1, 2])
        return RangeCells(self.column, of_group, low[first], high[first], missing[first].astype(bool))

    def around(self, cells: Ints) -> int:
        """Widen to the range around all."""
        ends = self.ends[cells].min(axis=0)
        known = np.flatnonzero((self.ends == ends).all(axis=1))
        if not len(known):
            self.ends = np.vstack([self.ends, ends])
        return int(known[0]) if len(known) else self.number - 1


class SetSpans(Spans):
    """Sets of values, a bit for each value of the column, 64 to a word."""

    def __init__(self, cells: SetCells) -> None:
        super().__init__(cells.of_group)
        self.column = cells.column
        octets = np.zeros((len(cells.volume), -(-self.column.size // 64) * 8), dtype=np.uint8)
        owner = np.repeat(np.arange(len(octets)), cells.volume)
        np.bitwise_or.at(octets, (owner, cells.members // 8), (1 << cells.members % 8).astype(np.uint8))
        self.words: Ints = octets.view(np.int64)

    @property
    def number(self) -> int:
        """How many cells are known."""
        return len(self.words)

    def above(self, cell: int) -> Cells:
        """Return the sets of both."""
        words = self.words | self.words[cell]
        owner, word = np.nonzero(words)
        octets = words[owner, word][:, None].view(np.uint8)
        place, bit = np.nonzero(np.unpackbits(octets, axis=1, bitorder="little"))
        starts = np.searchsorted(owner[place], np.arange(self.number + 1)).astype(np.int64)
        return SetCells(self.column, np.arange(self.number), word[place] * 64 + bit, starts)

    def around(self, cells: Ints) -> int:
        """Take in the members of all."""
        words = np.bitwise_or.reduce(self.words[cells], axis=0)
        known = np.flatnonzero((self.words == words).all(axis=1))
        if not len(known):
            self.words = np.vstack([self.words, words])
        return int(known[0]) if len(known) else self.number - 1


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
