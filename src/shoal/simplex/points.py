"""What rows are matched by: row types with their counts, and what two or three of them pay together."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm, log2

import numpy as np

from shoal.arrays import Bools, Floats, Ints
from shoal.bounds.ladders import Ladder, ladders_of
from shoal.costs import CellCost
from shoal.microdata import distinct_rows
from shoal.problem import Problem

FEW = 5_000
"""Denominators of losses up to which they are taken for the fractions that they look like."""


@dataclass(frozen=True, eq=False)
class Points:
    """Row types: rows that agree in the quasi-identifiers and, where it matters, in the sensitive value."""

    counts: Ints
    type_of_row: Ints
    codes: Ints
    """Type by attribute: its value."""
    tables: tuple[Ints, ...]
    """By attribute, value by value: what a cell that covers both costs a row, in units of 1 / denominator."""
    kinds: Ints | None
    """The sensitive value of each type, where the rows of a class must differ in it."""
    full: int
    """What a dropped row costs, in units."""
    may_drop: int
    denominator: int
    exact: bool
    """Whether losses are whole numbers of units; if not, they are rounded down."""

    @classmethod
    def of(cls, problem: Problem, *, sensitive: str | None = None) -> Points:
        """Gather the types of a problem; with `sensitive`, classes hold each of its values at most once."""
        microdata = problem.microdata
        columns = [*microdata.quasi, *([microdata.attribute(sensitive)] if sensitive else [])]
        type_of_row, example, counts = distinct_rows([c.codes for c in columns], [c.size for c in columns])
        ladders, star = ladders_of(problem)
        denominator, exact = _units([*(ladder.losses for ladder in ladders), np.array([star])], problem.rows)
        tables = tuple(_table(ladder, denominator, exact) for ladder in ladders)
        full = int(_in_units(np.array([star]), denominator, exact)[0])
        codes = np.column_stack([column.codes[example] for column in microdata.quasi]).astype(np.int64)
        kinds = columns[-1].codes[example].astype(np.int64) if sensitive else None
        may_drop = min(problem.may_drop, max(problem.rows - 2, 0))
        return cls(counts, type_of_row, codes, tables, kinds, full, may_drop, denominator, exact)

    def __len__(self) -> int:
        return len(self.counts)

    @cached_property
    def pairs(self) -> Ints:
        """Type by type: what each of two rows pays in a class of both."""
        total = np.zeros((len(self), len(self)), dtype=np.int64)
        for table, codes in zip(self.tables, self.codes.T, strict=True):
            total += table[codes[:, None], codes]
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
        """Return what each row pays in classes of three: along each hierarchy, as much as the two farthest."""
        total = np.zeros(len(types), dtype=np.int64)
        for table, codes in zip(self.tables, self.codes.T, strict=True):
            a, b, c = codes[types].T
            total += np.maximum(np.maximum(table[a, b], table[b, c]), table[a, c])
        return total


def refusals(problem: Problem) -> list[str]:
    """Return the reasons why pairs and triples say nothing of a problem's cost; none if they do."""
    if problem.recoding not in ("suppress", "generalize"):
        return ["it measures distances along hierarchies only"]
    if not isinstance(problem.cost, CellCost):
        return [f"cost {problem.cost.name!r} does not add over cells"]
    ladders, _ = ladders_of(problem)
    if not all(ladder.rises for ladder in ladders):
        return [f"by cost {problem.cost.name!r} a block may cost less than one inside it"]
    return []


def _units(losses: list[Floats], rows: int) -> tuple[int, bool]:
    """Return a denominator of all losses, and whether it is one; if not, a power of two to round them down by."""
    values = np.unique(np.concatenate([loss.ravel() for loss in losses]))
    room = int(2.0 ** (50 - log2(max(rows * len(losses) * values.max(initial=1.0), 1.0))))
    common = 1
    for value in values.tolist():
        common = lcm(common, Fraction(value).limit_denominator(FEW).denominator)
        if common > room:
            return min(room, 2**20), False
    exact = bool((np.abs(values * common - np.rint(values * common)) <= 1e-9 * np.maximum(values * common, 1)).all())
    return (common, True) if exact else (min(room, 2**20), False)


def _in_units(losses: Floats, denominator: int, exact: bool) -> Ints:
    scaled = losses * denominator
    units = np.rint(scaled) if exact else np.floor(scaled * (1 - 2.0**-50))
    return units.astype(np.int64)


def _table(ladder: Ladder, denominator: int, exact: bool) -> Ints:
    """Return what a cell costs that covers two values: the lowest block that holds both."""
    losses = _in_units(ladder.losses, denominator, exact)
    table = np.broadcast_to(losses[-1][:, None], (losses.shape[1],) * 2)
    for up, loss in zip(ladder.up[-2::-1], losses[-2::-1], strict=True):
        table = np.where(up[:, None] == up, loss[:, None], table)
    return np.ascontiguousarray(table)
