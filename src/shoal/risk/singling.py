"""The smallest sets of columns that single people out.

A set singles a row out if no other row has the same values in it, the missing value counted as a value. Its distinction
is the share of rows that would be left if of equal ones all but one went, its separation the share of pairs of rows
that differ in it (Motwani and Xu, Efficient algorithms for masking and finding quasi-identifiers, 2007). Equal rows are
stored once, with their count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from shoal.core.arrays import Ints
from shoal.core.sorting import distinct_rows
from shoal.tables.table import Table, TableLike

LARGEST = 3
"""Columns in a set at most."""
SHOWN = 5
"""Sets kept for each size."""
HALF = 0.5
"""The share of rows that the smallest set must single out."""
COLUMNS = 40
"""Columns looked at, at most."""
ROWS = 200_000
"""Different rows looked at, at most; of a larger table a sample."""
WORK = 100_000_000
"""Rows visited for the sets of one size, at most."""


@dataclass(frozen=True)
class SinglingSet:
    """Columns, and the share of the rows that are alone with their values in them."""

    columns: tuple[str, ...]
    share: float
    distinction: float
    """Different rows / rows."""
    separation: float
    """Pairs of rows that differ / pairs of rows; 1 where there is but one row."""


@dataclass(frozen=True)
class Search:
    """The sets found, best first within a size; `notes` says where the search was cut short."""

    sets: tuple[SinglingSet, ...] = ()
    smallest: SinglingSet | None = None
    """The set of fewest columns that singles out at least half of the rows; the best of those of its size."""
    together: SinglingSet | None = None
    """All columns looked at, as one set."""
    notes: tuple[str, ...] = ()

    def of_size(self, size: int) -> list[SinglingSet]:
        """Return the sets of so many columns, best first."""
        return [found for found in self.sets if len(found.columns) == size]


def search(data: TableLike, columns: Sequence[str], shown: int | None = None) -> Search:
    """Find the sets of one, two and three columns that single out the most rows, in bounded time.

    Guarantees exact shares and all sets, where `notes` is empty. Of each size, `shown` sets are kept.

    >>> people = {"age": [30, 30, 40, 40], "sex": ["f", "m", "f", "m"], "town": ["a", "a", "a", "b"]}
    >>> found = search(people, list(people))
    >>> found.smallest
    SinglingSet(columns=('age', 'sex'), share=1.0, distinction=1.0, separation=1.0)
    >>> found.of_size(1)[0]
    SinglingSet(columns=('town',), share=0.25, distinction=0.5, separation=0.5)
    """
    if not columns:
        return Search(notes=("no column is a quasi-identifier",))
    table, notes = Table.of(data), list[str]()
    taken = list(columns)
    if len(taken) > COLUMNS:
        notes.append(f"of {len(taken):,} quasi-identifiers only the {COLUMNS} with the most values were combined")
        taken = sorted(taken, key=lambda name: -table.coded(name).size)[:COLUMNS]
    people = _People.of(table, taken, notes)
    found: list[SinglingSet] = []
    for size in range(1, min(LARGEST, len(taken)) + 1):
        found += sorted(people.sets(size, notes), key=lambda one: -one.share)[: SHOWN if shown is None else shown]
    smallest = next((one for one in found if one.share >= HALF), None)
    return Search(tuple(found), smallest, people.judged(range(len(taken))), tuple(notes))


@dataclass(frozen=True, eq=False)
class _People:
    """The different rows as codes, and how many rows are equal to each."""

    columns: tuple[str, ...]
    codes: tuple[Ints, ...]
    sizes: tuple[int, ...]
    counts: Ints
    rows: int

    @classmethod
    def of(cls, table: Table, columns: Sequence[str], notes: list[str]) -> _People:
        coded = [table.coded(name) for name in columns]
        _, first, counts = distinct_rows([one.codes for one in coded], [one.size for one in coded])
        rows = table.rows
        if len(first) > ROWS:
            drawn = np.random.default_rng(0).choice(len(first), ROWS, replace=False)
            first, counts = first[drawn], counts[drawn]
            rows = int(counts.sum())
            notes.append(f"the sets were judged on a sample of {rows:,} rows; of all rows they single out fewer")
        dense = [one.codes[first].astype(np.int64) for one in coded]
        return cls(tuple(columns), tuple(dense), tuple(one.size for one in coded), counts, rows)

    def sets(self, size: int, notes: list[str]) -> Iterator[SinglingSet]:
        """Yield the sets of one size, of the columns that promise most where there are too many."""
        chosen = list(range(len(self.columns)))
        most = self._affordable(size)
        if most < len(chosen):
            notes.append(f"sets of {size} were searched among the {most} columns that single out the most alone")
            alone = [self.judged([index]).share for index in chosen]
            chosen = sorted(sorted(chosen, key=lambda index: (-alone[index], -self.sizes[index]))[:most])
        return (self.judged(some) for some in combinations(chosen, size))

    def _affordable(self, size: int) -> int:
        """Return among how many columns all sets of a size can be tried."""
        number = len(self.columns)
        while number > size and comb(number, size) * len(self.codes[0]) > WORK:
            number -= 1
        return number

    def judged(self, indices: Sequence[int]) -> SinglingSet:
        """Return a set with the share of rows it singles out, its distinction and its separation."""
        key, span = packed([self.codes[index] for index in indices], [self.sizes[index] for index in indices])
        crowds = crowd_sizes(key, span, self.counts)
        alike = float((crowds * (crowds - 1.0)).sum())
        pairs = self.rows * (self.rows - 1.0)
        return SinglingSet(
            columns=tuple(self.columns[index] for index in indices),
            share=int((crowds == 1).sum()) / self.rows,
            distinction=len(crowds) / self.rows,
            separation=1 - alike / pairs if pairs else 1.0,
        )


def packed(columns: Sequence[Ints], sizes: Sequence[int]) -> tuple[Ints, int]:
    """Return one number for each row's codes in some columns, and what all numbers are below.

    >>> packed([np.array([1, 0]), np.array([2, 2])], [2, 3])
    (array([5, 2]), 6)
    """
    key, span = np.zeros(len(columns[0]), dtype=np.int64), 1
    for codes, size in zip(columns, sizes, strict=True):
        if span * size >= 2**62:
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
            span = len(key)
        key, span = key * size + codes, span * size
    return key, span


def crowd_sizes(key: Ints, span: int, counts: Ints) -> Ints:
    """Return how many rows have each number that occurs, where `counts` rows have the number at a place.

    >>> some = np.array([3, 1, 3, 7]), np.array([1, 1, 2, 5])
    >>> crowd_sizes(some[0], 8, some[1]), crowd_sizes(some[0], 2**40, some[1])
    (array([1, 3, 5]), array([1, 3, 5]))
    """
    if span <= 8 * len(key) + 1024:
        held = np.bincount(key, weights=counts).astype(np.int64)
        return held[held > 0]
    most = int(counts.max()) + 1
    if span * most < 2**62:  # sorting the count along with the number is faster than sorting places
        both = np.sort(key * most + counts)
        key, counts = both // most, both % most
    else:
        order = np.argsort(key)
        key, counts = key[order], counts[order]
    starts = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
    return np.add.reduceat(counts, starts)
