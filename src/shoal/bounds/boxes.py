"""The distinct tuples of a table as boxes for compiled loops: ranges of numbers, sets of other values.

Loops know nothing of columns: they join boxes and ask what a row pays for one. So this is all that a recoding has to
say for rows to be moved between its classes, and for the distance between rows to be measured.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import polars as pl

from shoal.bounds.boxes_kernel import NOWHERE
from shoal.core.arrays import Codes, Floats, Ints
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

    @classmethod
    def of(cls, problem: Problem) -> Layout:
        """Lay out the distinct tuples of a problem by NCP, with the weights of its cost."""
        microdata = problem.microdata
        layout = cls(len(microdata.counts))
        for column, codes, weight in zip(
            microdata.quasi, microdata.tuples.T, column_weights(problem).tolist(), strict=True
        ):
            layout.add(column, codes, weight)
        return layout

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
    def pieces_of_columns(self) -> Ints:
        """For each column which number it is, -1 for a set, and its first piece; and the end of the pieces."""
        return np.array([*self.columns, (-1, len(self.pieces))])

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


def column_weights(problem: Problem) -> Floats:
    """Return how much each column counts, 1 on average."""
    weights = np.array([problem.cost.weight(column.name) for column in problem.microdata.quasi])
    return np.asarray(weights / weights.mean())
