"""A relation between two kinds of numbers, such as classes and the people they cover: a sparse matrix of ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.core.arrays import Bools, Ints


@dataclass(frozen=True, eq=False)
class Relation:
    """The pairs (i, j) of a relation, i from 0 on, j below `width`: those of i are `others[starts[i]:starts[i + 1]]`.

    >>> covers = Relation.of(np.array([0, 0, 2]), np.array([1, 0, 1]), (3, 2))
    >>> covers.starts.tolist(), covers.others.tolist(), covers.inverse.others.tolist()
    ([0, 2, 2, 3], [0, 1, 1], [0, 0, 2])
    """

    starts: Ints
    others: Ints
    width: int

    @classmethod
    def of(cls, first: Ints, second: Ints, shape: tuple[int, int]) -> Relation:
        """Build from pairs in any order, none of them twice."""
        pairs = np.sort(first.astype(np.int64) * shape[1] + second)
        return cls._sorted(pairs // max(shape[1], 1), pairs % max(shape[1], 1), shape)

    @classmethod
    def identity(cls, number: int) -> Relation:
        """Return the relation of every number below `number` to itself."""
        return cls(np.arange(number + 1), np.arange(number), number)

    @classmethod
    def _sorted(cls, first: Ints, second: Ints, shape: tuple[int, int]) -> Relation:
        return cls(np.searchsorted(first, np.arange(shape[0] + 1)), second, shape[1])

    @cached_property
    def degrees(self) -> Ints:
        """How many numbers each is related to."""
        return np.diff(self.starts)

    @cached_property
    def owners(self) -> Ints:
        """The first number of each pair; the second ones are `others`."""
        return np.repeat(np.arange(len(self.degrees)), self.degrees)

    @cached_property
    def inverse(self) -> Relation:
        """The same pairs, turned round."""
        return Relation.of(self.others, self.owners, (self.width, len(self.degrees)))

    def lines(self, kept: Bools) -> Relation:
        """Return the relation of those first numbers that are kept, numbered anew."""
        return Relation(
            np.concatenate([[0], np.cumsum(self.degrees[kept])]), self.others[kept[self.owners]], self.width
        )

    def pairs(self, kept: Bools) -> Relation:
        """Return the relation of those pairs that are kept."""
        return Relation._sorted(self.owners[kept], self.others[kept], (len(self.degrees), self.width))

    def sums(self, values: Ints) -> Ints:
        """Return for each number the sum of the values of those it is related to.

        >>> Relation.of(np.array([0, 0, 2]), np.array([1, 0, 1]), (3, 2)).sums(np.array([5, 7])).tolist()
        [12, 0, 7]
        """
        added = np.concatenate([[0], np.cumsum(values[self.others])])
        sums: Ints = added[self.starts[1:]] - added[self.starts[:-1]]
        return sums

    def then(self, after: Relation) -> tuple[Relation, Ints]:
        """Return which numbers are related by way of a number in between, and by how many such ways each pair is.

        The product of the two matrices; it takes memory for every way.

        >>> covers = Relation.of(np.array([0, 0, 2]), np.array([1, 0, 1]), (3, 2))
        >>> common, ways = covers.then(covers.inverse)
        >>> list(zip(common.owners.tolist(), common.others.tolist(), ways.tolist()))
        [(0, 0, 2), (0, 2, 1), (2, 0, 1), (2, 2, 1)]
        """
        ways = after.degrees[self.others]
        before = np.cumsum(ways) - ways
        places = np.repeat(after.starts[self.others] - before, ways) + np.arange(int(ways.sum()))
        keys = np.repeat(self.owners, ways) * after.width + after.others[places]
        keys.sort()
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        shape = (len(self.degrees), after.width)
        found = Relation._sorted(keys[first] // max(after.width, 1), keys[first] % max(after.width, 1), shape)
        return found, np.diff(first, append=len(keys))
