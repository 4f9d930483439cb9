"""Peeling by sorting: many rows cut into l-diverse classes by patterns of stars, few stars first.

`peel` weighs every pattern by prices, which takes a cube. Here a row is one word of 64 bits: the rows of a group are
neighbours once the starred attributes are blanked out and the words are sorted, which takes processors some ten
nanoseconds a row. Most rows have a class after a few patterns, so what is sorted soon gets shorter.
"""

# ruff: noqa: E741 - l is the papers' name

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import product
from math import prod
from operator import or_

import numpy as np

from shoal.core.arrays import AnyInts, Codes, Ints
from shoal.methods.base import Deadline
from shoal.methods.l_diversity.sorted_peel_kernel import take_groups, without_class
from shoal.microdata.histogram import Attributes
from shoal.microdata.partition import Partition
from shoal.problem import Problem

WORD = 62
"""Bits of a word that may be filled."""
COLUMNS = 12
"""Attributes up to which all patterns are walked."""
WALKED = 4_000_000_000
"""Rows times patterns up to which they are walked; few rows are left at most of the patterns."""


def fits(problem: Problem, rows: int, attributes: Attributes) -> bool:
    """Whether cells are stars or values, and so many rows fit into words and are not too many to be walked."""
    columns = problem.microdata.quasi
    bits = sum(_bits(column.size) for column in columns) + _bits(len(problem.values[attributes].totals)) + _bits(rows)
    walked = len(columns) <= COLUMNS and rows << len(columns) <= WALKED
    return problem.recoding_kind.stars_only and walked and bits <= WORD


def sorted_peel(problem: Problem, tuples: Ints, values: AnyInts, l: int, deadline: Deadline) -> Partition:
    """Return l-diverse classes of rows with these tuples and sensitive values, which together are l-diverse.

    Every pattern makes a class of each group that has an l-diverse part which leaves all other rows l-diverse: so these
    can be a class at any moment, and are once time is over. Of equal rows the first ones are taken.
    """
    left, rest = Words.of(problem, tuples, values), np.bincount(values).astype(np.int64)
    class_of_row, classes = np.full(len(values), -1, dtype=np.int32), 0
    for stars in _patterns(problem):
        if deadline.passed or not len(left.words):
            break
        classes = take_groups(left.sorted_at(stars), left.low, left.width, l, rest, class_of_row, classes)
        left.leave(class_of_row)
    labels = class_of_row.astype(np.int64)
    labels[labels < 0] = classes
    return Partition(labels)


def _patterns(problem: Problem) -> list[tuple[int, ...]]:
    """Return which attributes each pattern stars: those of little weight first, then those that put many values aside.

    One star on the attribute of the most values brings the most rows together.
    """
    sizes = [column.size for column in problem.microdata.quasi]
    weights = [problem.cost.weight(column.name) for column in problem.microdata.quasi]
    every = [tuple(np.flatnonzero(stars).tolist()) for stars in product((False, True), repeat=len(sizes))]
    return sorted(every, key=lambda stars: (sum(weights[j] for j in stars), -prod(sizes[j] for j in stars)))


@dataclass
class Words:
    """Rows without a class as words: the code of every attribute, the sensitive value, the place among all rows."""

    words: Ints
    masks: list[int]
    """The bits of each attribute."""
    width: int
    """Bits of the value."""
    low: int
    """Bits of the place."""

    @classmethod
    def of(cls, problem: Problem, tuples: Ints, values: AnyInts) -> Words:
        """Pack rows."""
        width, low = _bits(int(values.max()) + 1), _bits(len(values))
        packed = np.zeros(len(problem.microdata.tuples), dtype=np.int64)
        masks: list[int] = []
        for column, codes in zip(problem.microdata.quasi, problem.microdata.tuples.T, strict=True):
            bits = _bits(column.size)
            packed <<= bits
            packed |= codes
            masks = [*(mask << bits for mask in masks), (1 << bits) - 1]
        words: Ints = packed[tuples]
        words <<= width
        words |= values
        words <<= low
        words |= np.arange(len(values))
        return cls(words, [mask << (width + low) for mask in masks], width, low)

    def sorted_at(self, stars: tuple[int, ...]) -> Ints:
        """Return the rows by their groups at a pattern, by values and by places."""
        found = self.words & ~reduce(or_, (self.masks[j] for j in stars), 0)
        found.sort()
        return found

    def leave(self, class_of_row: Codes) -> None:
        """Let the rows go that have a class."""
        self.words = without_class(self.words, self.low, class_of_row)


def _bits(number: int) -> int:
    """Return how many bits tell so many apart."""
    return max((number - 1).bit_length(), 1)
