"""What each column adds to what singles people out: columns one after the other, the worst first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.core.arrays import Ints
from shoal.core.sorting import numbered_runs
from shoal.tables.table import Table

CROWD = 5
"""Groups below so many rows are counted."""
ROWS = 20_000
"""Rows that the order is chosen by, at most; the shares are of all rows."""
COLUMNS = 30
"""Columns ranked at most."""


@dataclass(frozen=True)
class Step:
    """A column that is added to those before it, and what an attacker who knows them all finds."""

    column: str
    unique: float
    """Share of the rows that no other row is like."""
    below: float
    """Share of the rows that fewer than four others are like."""


def ranking(table: Table, *groups: Sequence[str]) -> tuple[Step, ...]:
    """Return the columns of each group in turn: next comes what leaves the most rows in small groups.

    >>> people = {"sex": ["f", "m"] * 4, "age": [1, 1, 2, 2, 3, 3, 4, 4], "one": [1] * 8}
    >>> [(step.column, step.unique, step.below) for step in ranking(Table.of(people), ["one", "sex", "age"])]
    [('age', 0.0, 1.0), ('sex', 1.0, 1.0), ('one', 1.0, 1.0)]
    """
    taken = [list(group) for group in _first(groups, COLUMNS)]
    return tuple(_steps(table, [name for group in taken for name in _ordered(table, group)]))


def _first(groups: Sequence[Sequence[str]], most: int) -> Iterator[Sequence[str]]:
    """Yield the groups up to so many columns in all."""
    for group in groups:
        yield group[:most]
        most = max(most - len(group), 0)


def _ordered(table: Table, columns: Sequence[str]) -> list[str]:
    """Return the columns in the order in which each adds most, judged on some rows."""
    drawn = np.sort(np.random.default_rng(0).choice(table.rows, min(table.rows, ROWS), replace=False))
    codes = {name: numbered_runs(table.coded(name).codes[drawn].astype(np.int64))[0] for name in columns}
    labels, order = np.zeros(len(drawn), dtype=np.int64), list[str]()
    while codes:
        joined = {name: _joined(labels, one) for name, one in codes.items()}
        best = max(joined, key=lambda name: _exposed(joined[name][1]))
        labels = joined[best][0]
        order.append(best)
        del codes[best]
    return order


def _joined(labels: Ints, codes: Ints) -> tuple[Ints, Ints]:
    """Return the groups of rows that are equal in both, and their sizes."""
    numbers, _, sizes = numbered_runs(labels * (int(codes.max()) + 1) + codes)
    return numbers, sizes


def _exposed(sizes: Ints) -> tuple[int, int, int]:
    """Return what is worse the larger it is: rows in small groups, unique rows, groups."""
    return int(sizes[sizes < CROWD].sum()), int((sizes == 1).sum()), len(sizes)


def _steps(table: Table, columns: Sequence[str]) -> Iterator[Step]:
    """Yield the shares of all rows as the columns are added."""
    labels = np.zeros(table.rows, dtype=np.int64)
    for name in columns:
        labels, sizes = _joined(labels, table.coded(name).codes.astype(np.int64))
        small, unique, _ = _exposed(sizes)
        yield Step(name, unique / table.rows, small / table.rows)
