"""The distinct tuples of a table as boxes for compiled loops: what unions of them cost, and which are near each other.

Loops know nothing of columns: they join boxes and ask what a row pays for one. So this is all that a recoding has to
say for rows to be moved between its classes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.core.arrays import Codes, Floats, Ints
from shoal.core.interruptible import watched
from shoal.methods.base import Deadline
from shoal.methods.general.boxes_kernel import NOWHERE
from shoal.methods.general.hilbert_curve import leaf_ranks
from shoal.methods.general.kd_tree_kernel import kd_tree, nearest, node_boxes
from shoal.problem import Problem
from shoal.tables.encoded_column import Coded

UNIT = 1 << 30
"""What a cell costs that covers its whole column, of mean weight: costs are whole numbers, the same on any machine."""
MOST_BITS = 256
"""Bits of a set: of a column with more values some share a bit, and their sets are taken to be a little smaller."""


class Shape(NamedTuple):
    """How boxes are laid out, and what they cost; see `boxes_kernel`."""

    head: Ints
    pieces: Ints
    numbers: Ints


class Space(NamedTuple):
    """Tuples and rows in the order of a kd tree, as loops read them."""

    shape: Shape
    points: Ints
    near: Codes
    """For each tuple the nearest others, nearest first, -1 where there are no more."""
    tuple_of_row: Codes
    first_row: Codes


@dataclass
class Layout:
    """Columns laid out one after the other: sets and missing values take bits, numbers two words."""

    tuples: int
    words: list[Ints] = field(default_factory=list)
    places: list[Ints] = field(default_factory=list)
    pieces: list[tuple[int, int, int]] = field(default_factory=list)
    numbers: list[tuple[int, int, int, int]] = field(default_factory=list)
    columns: list[tuple[int, int]] = field(default_factory=list)
    """For each column which number it is, and its first piece."""
    _left: int = 0

    def add(self, column: Coded, codes: Codes, weight: float) -> None:
        """Lay out a column, which counts so much."""
        ordered = column.is_ordered and column.values.dtype != pl.Boolean
        self.columns.append((len(self.numbers) if ordered else -1, len(self.pieces)))
        if ordered:
            self._add_number(column, codes, weight)
        else:
            self._add_set(column, codes, weight)

    def _add_number(self, column: Coded, codes: Codes, weight: float) -> None:
        known = column.size - (column.missing is not None)
        place = column.positions[:known]
        span = float(place[-1] - place[0]) if known else 0.0
        whole = np.rint((place - place[0]) / (span or 1.0) * weight * UNIT) if known else place
        places = np.append(whole, NOWHERE).astype(np.int64)
        self.places.append(places[np.minimum(codes, known)])
        word, first = self._bits(1) if column.missing is not None else (0, 0)
        mask = 1 << first if column.missing is not None else 0
        if column.missing is not None:
            self.words[word] |= np.where(codes == column.missing, _signed(mask), 0)
        extra = round(weight * UNIT / max(column.size - 1, 1))
        self.numbers.append((word, _signed(mask), extra, round(weight * UNIT)))

    def _add_set(self, column: Coded, codes: Codes, weight: float) -> None:
        bits, unit = min(column.size, MOST_BITS), round(weight * UNIT / max(column.size - 1, 1))
        code = codes % bits
        for start in range(0, bits, 64):
            many = min(64, bits - start)
            word, first = self._bits(many)
            here = (code >= start) & (code < start + many)
            shifts = np.where(here, code - start + first, 0).astype(np.uint64)
            self.words[word] |= np.where(here, np.uint64(1) << shifts, np.uint64(0)).view(np.int64)
            self.pieces.append((word, _signed(((1 << many) - 1) << first), unit))

    def _bits(self, many: int) -> tuple[int, int]:
        """Return a word with room for so many bits, and the first of them."""
        if self._left < many:
            self.words.append(np.zeros(self.tuples, np.int64))
            self._left = 64
        first = 64 - self._left
        self._left -= many
        return len(self.words) - 1, first

    @property
    def points(self) -> Ints:
        """The tuples as boxes."""
        turned = [np.where(place == NOWHERE, NOWHERE, -place) for place in self.places]
        return np.column_stack([*(self.words or [np.zeros(self.tuples, np.int64)]), *self.places, *turned])

    @property
    def shape(self) -> Shape:
        """What loops read of the layout."""
        words, pieces = max(len(self.words), 1), np.array(self.pieces, np.int64).reshape(-1, 3)
        firsts = pieces[[first for number, first in self.columns if number < 0], 2]
        head = np.array([words, words + 2 * len(self.numbers), firsts.sum()])
        return Shape(head, pieces, np.array(self.numbers, np.int64).reshape(-1, 4))


def _signed(word: int) -> int:
    """Return 64 bits as a number with a sign."""
    return word - (1 << 64) if word >> 63 else word


@dataclass(frozen=True, eq=False)
class Ordered:
    """The rows of a problem in the order of a kd tree; what comes out does not depend on the order they had."""

    space: Space
    rows: Ints
    """The numbers of the rows, in that order."""

    @classmethod
    def of(cls, problem: Problem, neighbours: int, looked: int, deadline: Deadline) -> Ordered:
        """Lay out the tuples of a problem, order them, and find the nearest of each."""
        microdata = problem.microdata
        weights = _weights(problem)
        layout = Layout(len(microdata.counts))
        for column, codes, weight in zip(microdata.quasi, microdata.tuples.T, weights.tolist(), strict=True):
            layout.add(column, codes, weight)
        shape, points = layout.shape, layout.points
        pairs = zip(microdata.quasi, microdata.hierarchies, microdata.tuples.T, strict=True)
        along = np.column_stack([leaf_ranks(column, tree)[codes] for column, tree, codes in pairs])
        columns = np.array([*layout.columns, (-1, len(layout.pieces))])
        order, nodes = watched(kd_tree, points, along, columns, shape, deadline=deadline)
        deadline.check()
        points = points[order]
        boxes, most = node_boxes(points, nodes, shape.head), min(neighbours, max(len(points) - 1, 1))
        near, _ = watched(nearest, points, nodes, boxes, shape, most, looked, deadline=deadline)
        deadline.check()
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        of_row = place[microdata.tuple_of_row]
        rows = np.lexsort((microdata.identity, of_row))
        first = np.concatenate([[0], np.cumsum(microdata.counts[order])]).astype(np.int32)
        return cls(Space(shape, points, near, of_row[rows].astype(np.int32), first), rows)


def _weights(problem: Problem) -> Floats:
    """Return how much each column counts, 1 on average."""
    weights = np.array([problem.cost.weight(column.name) for column in problem.microdata.quasi])
    return np.asarray(weights / weights.mean())
