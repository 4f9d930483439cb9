"""Columns of small integers packed into few words: what Spark groups, joins and sorts by instead of many texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.core.arrays import AnyInts, Ints

SPAN = 2**62
"""What a word may tell apart."""


@dataclass(frozen=True)
class Packing:
    """How columns of codes below `sizes` share words: sorting by the words is sorting by the columns, one by one.

    >>> packing = Packing((3, 4))
    >>> words = packing.pack([np.array([2, 0]), np.array([1, 3])])
    >>> [word.tolist() for word in words], [codes.tolist() for codes in packing.unpack(words)]
    ([[9, 3]], [[2, 0], [1, 3]])
    """

    sizes: tuple[int, ...]

    @cached_property
    def words(self) -> tuple[tuple[int, ...], ...]:
        """The sizes of the columns in each word."""
        found: list[list[int]] = []
        span = 1
        for size in self.sizes:
            if not found or span * size > SPAN:
                found.append([])
                span = 1
            found[-1].append(size)
            span *= size
        return tuple(map(tuple, found))

    def names(self, letter: str) -> list[str]:
        """Return what the words are called as columns."""
        return [f"{letter}{place}" for place in range(len(self.words))]

    def pack(self, columns: Sequence[AnyInts]) -> list[Ints]:
        """Return the words of some columns of codes."""
        left, packed = iter(columns), []
        for sizes in self.words:
            word = np.zeros(len(columns[0]), dtype=np.int64)
            for size in sizes:
                word *= size
                word += next(left)
            packed.append(word)
        return packed

    def unpack(self, words: Sequence[Ints]) -> list[Ints]:
        """Return the columns of codes that some words hold."""
        columns: list[Ints] = []
        for word, sizes in zip(words, self.words, strict=True):
            found, left = [], word
            for size in sizes[::-1]:
                left, codes = np.divmod(left, size)
                found.append(codes)
            columns += found[::-1]
        return columns
