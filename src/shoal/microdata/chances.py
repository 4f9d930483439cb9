"""Bounds on the chance that a person of a population is in a published table, from all its classes together.

Every published row stands for a person whose values its cells cover, and no two rows stand for the same one. Who knows
the population and the published cells takes each such assignment of rows to people as equally likely: the chance of a
person is the share of the assignments that use the person. F(u) are the classes whose cells cover person u.

*Exchange*: if F(u) is a part of F(v), the chance of u is at most that of v. In an assignment that uses u and not v,
give the row of u to v: its class covers v, too. Different assignments stay different, so at least as many use v as u.

*Above*: let A be people of whom each is covered by all of F(u), u among them. Their chances add up to the rows that are
given to them, at most the rows of all classes that cover one of them, and that of u is the least:
`chance(u) <= rows of the classes that cover somebody of A / people of A`, and 1.

*Below*: let B be people covered by classes of F(u) alone, u among them, each by one at least. The rows of the classes
that cover nobody else are given to them, and the chance of u is the largest:
`chance(u) >= rows of the classes that cover only people of B / people of B`.

Both sets are taken once as the people with exactly F(u), once as all who qualify, and the better bound counts; where
comparing everybody would take too much memory, the first alone. Where no two classes cover the same person, both bounds
are the rows of the class / the people that it covers. Whom no class covers has chance 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.relation import Relation

MOST_PAIRS = 20_000_000
"""Pairs of people and classes beyond which the larger sets of people are not looked at."""


@dataclass(frozen=True, eq=False)
class Chances:
    """What is known of the chances of the people that some class covers, by kind: one kind has the same classes F.

    >>> fits = np.array([[True, False], [True, True], [False, False]])
    >>> found = Chances.of([fits], np.array([1, 2, 4]), np.array([1, 1]))
    >>> found.upper.tolist(), found.lower.tolist(), found.uncovered
    ([0.6666666666666666, 1.0], [0.0, 0.6666666666666666], 4)
    """

    kinds: Relation
    """Which classes cover the people of each kind."""
    people: Ints
    """The people of each kind."""
    sizes: Ints
    """The rows of each class."""
    uncovered: int
    """The people that no class covers."""

    @classmethod
    def of(cls, fits: Iterable[Bools], people: Ints, sizes: Ints) -> Chances:
        """Build from which class covers which people alike (people by class, in parts), and how many of them there are.

        The sets F(u) are compared as packed bits, so that people covered by the same classes are counted together.
        """
        numbers: dict[bytes, int] = {}
        place = [
            numbers.setdefault(line.tobytes(), len(numbers)) for part in fits for line in np.packbits(part, axis=1)
        ]
        counts = np.bincount(np.array(place, dtype=np.int64), weights=people, minlength=len(numbers)).astype(np.int64)
        kinds = _unpacked(list(numbers), len(sizes))
        covered = kinds.degrees > 0
        return cls(kinds.lines(covered), counts[covered], sizes, int(counts[~covered].sum()))

    @cached_property
    def above(self) -> tuple[Ints, Ints]:
        """Rows and people of each kind: the chance is at most their ratio."""
        found = [self._touching(family) for family in self._larger]
        rows, people = found[0]
        for more_rows, more_people in found[1:]:
            better = more_rows * people < rows * more_people
            rows, people = np.where(better, more_rows, rows), np.where(better, more_people, people)
        return np.minimum(rows, people), people

    @cached_property
    def below(self) -> tuple[Ints, Ints]:
        """Rows and people of each kind: the chance is at least their ratio; above 1 where the rows cannot be people."""
        found = [self._inside(family.inverse) for family in self._larger]
        rows, people = found[0]
        for more_rows, more_people in found[1:]:
            better = more_rows * people > rows * more_people
            rows, people = np.where(better, more_rows, rows), np.where(better, more_people, people)
        return rows, people

    @property
    def upper(self) -> Floats:
        """The largest chance of each kind."""
        return self.above[0] / self.above[1]

    @property
    def lower(self) -> Floats:
        """The smallest chance of each kind."""
        return self.below[0] / self.below[1]

    @cached_property
    def possible(self) -> Bools:
        """Which classes can be about the population: no more rows than people, as far as the bounds tell."""
        rows, people = self.below
        return np.asarray(
            (self.sizes <= self.kinds.inverse.sums(self.people)) & self.all_of(rows <= people), dtype=bool
        )

    def all_of(self, kinds: Bools) -> Bools:
        """Return the classes all of whose kinds are among these."""
        return np.asarray(self.kinds.inverse.sums((~kinds).astype(np.int64)) == 0, dtype=bool)

    def largest(self) -> Floats:
        """Return the largest upper bound of each class; infinite where it cannot be about the population."""
        largest = np.zeros(len(self.sizes))
        np.maximum.at(largest, self.kinds.others, self.upper[self.kinds.owners])
        return np.where(self.possible, largest, np.inf)

    @cached_property
    def _larger(self) -> list[Relation]:
        """Families of kinds, kind by kind: those with exactly its classes, and those that have all of its classes."""
        each, of_class, own = Relation.identity(len(self.people)), self.kinds.inverse.degrees, self.kinds.degrees
        if int((of_class * of_class).sum()) > MOST_PAIRS:
            return [each]
        shared, ways = self.kinds.then(self.kinds.inverse)
        shared = shared.pairs(ways == own[shared.owners])
        wide = int(own[shared.others].sum()) > MOST_PAIRS or int(own[shared.owners].sum()) > MOST_PAIRS
        return [each] if wide else [each, shared]

    def _touching(self, family: Relation) -> tuple[Ints, Ints]:
        """Return the rows of the classes that cover somebody of each family, and its people."""
        met, _ = family.then(self.kinds)
        return met.sums(self.sizes), family.sums(self.people)

    def _inside(self, family: Relation) -> tuple[Ints, Ints]:
        """Return the rows of the classes that cover nobody but people of each family, and its people."""
        met, ways = family.then(self.kinds)
        inside = met.pairs(ways == self.kinds.inverse.degrees[met.others])
        return inside.sums(self.sizes), family.sums(self.people)


def _unpacked(lines: list[bytes], width: int) -> Relation:
    """Return packed bits as a relation, line by line."""
    found = [np.flatnonzero(np.unpackbits(np.frombuffer(line, dtype=np.uint8), count=width)) for line in lines]
    starts = np.concatenate([[0], np.cumsum([len(places) for places in found])]).astype(np.int64)
    return Relation(starts, np.concatenate([np.zeros(0, dtype=np.int64), *found]), width)
