"""What rows are matched by: row types with their counts, and what two or three of them pay together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.bounds.hierarchy_losses import Units, WholeLosses, hierarchy_losses
from shoal.core.arrays import Bools, Ints
from shoal.core.sorting import distinct_rows
from shoal.problem import Problem

MOST_UNITS = 2.0**47
"""How many units all rows together pay at most: prices are finer still, and their sums must fit."""


@dataclass(frozen=True, eq=False)
class Points:
    """Row types: rows that agree in the quasi-identifiers and, where it matters, in the sensitive value."""

    counts: Ints
    type_of_row: Ints
    codes: Ints
    """Type by attribute: its value."""
    hierarchies: tuple[WholeLosses, ...]
    """By attribute: what a cell that covers two values costs a row, in units."""
    kinds: Ints | None
    """The sensitive value of each type, where the rows of a class must differ in it."""
    full: int
    """What a dropped row costs, in units."""
    may_drop: int
    units: Units

    @classmethod
    def of(cls, problem: Problem, *, sensitive: str | None = None) -> Points:
        """Gather the types of a problem; with `sensitive`, classes hold each of its values at most once."""
        microdata = problem.microdata
        columns = [*microdata.quasi, *([microdata.attribute(sensitive)] if sensitive else [])]
        type_of_row, example, counts = distinct_rows([c.codes for c in columns], [c.size for c in columns])
        hierarchies, star = hierarchy_losses(problem)
        units = Units.of([*(one.losses for one in hierarchies), np.array([star])], MOST_UNITS / problem.rows)
        full = int(units.whole(np.array([star]))[0])
        codes = np.column_stack([column.codes[example] for column in microdata.quasi]).astype(np.int64)
        kinds = columns[-1].codes[example].astype(np.int64) if sensitive else None
        may_drop = min(problem.may_drop, max(problem.rows - 2, 0))
        return cls(counts, type_of_row, codes, tuple(map(units.hierarchy, hierarchies)), kinds, full, may_drop, units)

    def __len__(self) -> int:
        return len(self.counts)

    @cached_property
    def pairs(self) -> Ints:
        """Type by type: what each of two rows pays in a class of both."""
        everything = np.arange(len(self))
        return self.between(everything, everything)

    def between(self, some: Ints, others: Ints) -> Ints:
        """Return what each of two rows pays in a class of both, for some types by others."""
        total = np.zeros((len(some), len(others)), dtype=np.int64)
        for hierarchy, codes in zip(self.hierarchies, self.codes.T, strict=True):
            total += hierarchy.between(codes[some, None], codes[others])
        return total

    @cached_property
    def allowed(self) -> Bools:
        """Type by type: whether two rows may be a class; two of one type only where there are two."""
        if self.kinds is not None:
            return np.not_equal.outer(self.kinds, self.kinds)
        allowed = np.ones((len(self), len(self)), dtype=bool)
        np.fill_diagonal(allowed, self.counts > 1)
        return allowed

    def triples(self, types: Ints) -> Ints:
        """Return what each row pays in classes of three: the blocks that hold one row lie in each other."""
        total = np.zeros(len(types), dtype=np.int64)
        for hierarchy, codes in zip(self.hierarchies, self.codes.T, strict=True):
            a, b, c = codes[types].T
            total += np.maximum(hierarchy.between(a, b), hierarchy.between(a, c))
        return total
