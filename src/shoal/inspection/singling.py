"""The smallest sets of columns that single people out.

A set singles a row out if no other row has the same values in it, the missing value counted as a value. Equal rows are
stored once: a row that has a double is alone in no set, and only stands in the way of others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import polars as pl

from shoal.arrays import Ints
from shoal.microdata import Coded, distinct_rows

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


def search(frame: pl.DataFrame, columns: Sequence[str]) -> Search:
    """Find the sets of one, two and three columns that single out the most rows, in bounded time.

    Guarantees exact shares and all sets, where `notes` is empty.

    >>> people = pl.DataFrame({"age": [30, 30, 40, 40], "sex": ["f", "m", "f", "m"], "town": ["a", "a", "a", "b"]})
    >>> found = search(people, people.columns)
    >>> found.smallest
    SinglingSet(columns=('age', 'sex'), share=1.0)
    >>> found.of_size(1)[0]
    SinglingSet(columns=('town',), share=0.25)
    """
    if not columns:
        return Search(notes=("no column is a quasi-identifier",))
    notes: list[str] = []
    taken = list(columns)
    if len(taken) > COLUMNS:
        notes.append(f"of {len(taken):,} quasi-identifiers only the {COLUMNS} with the most values were combined")
        taken = sorted(taken, key=lambda name: -frame[name].n_unique())[:COLUMNS]
    people = _People.of(frame.select(taken), notes)
    found: list[SinglingSet] = []
    for size in range(1, min(LARGEST, len(taken)) + 1):
        found += sorted(people.sets(size, notes), key=lambda one: -one.share)[:SHOWN]
    smallest = next((one for one in found if one.share >= HALF), None)
    return Search(tuple(found), smallest, people.judged(range(len(taken))), tuple(notes))


@dataclass(frozen=True, eq=False)
class _People:
    """The different rows as codes, those with doubles twice."""

    columns: tuple[str, ...]
    codes: tuple[Ints, ...]
    sizes: tuple[int, ...]
    rows: int

    @classmethod
    def of(cls, frame: pl.DataFrame, notes: list[str]) -> _People:
        coded = [Coded.of(column) for column in frame.iter_columns()]
        _, first, counts = distinct_rows([one.codes for one in coded], [one.size for one in coded])
        rows = frame.height
        if len(first) > ROWS:
            drawn = np.random.default_rng(0).choice(len(first), ROWS, replace=False)
            first, counts = first[drawn], counts[drawn]
            rows = int(counts.sum())
            notes.append(f"the sets were judged on a sample of {rows:,} rows; of all rows they single out fewer")
        kept = np.concatenate([first, first[counts > 1]])
        dense = [one.codes[kept].astype(np.int64) for one in coded]
        return cls(tuple(frame.columns), tuple(dense), tuple(one.size for one in coded), rows)

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
        """Return a set with the share of rows it singles out."""
        key, span = np.zeros(len(self.codes[0]), dtype=np.int64), 1
        for index in indices:
            if span * self.sizes[index] >= 2**62:
                key = np.unique(key, return_inverse=True)[1].astype(np.int64)
                span = len(key)
            key, span = key * self.sizes[index] + self.codes[index], span * self.sizes[index]
        return SinglingSet(tuple(self.columns[index] for index in indices), _alone(key, span) / self.rows)


def _alone(key: Ints, span: int) -> int:
    """Return how many keys occur once.

    >>> _alone(np.array([3, 1, 3, 7]), 8), _alone(np.array([3, 1, 3, 7]), 2**40)
    (2, 2)
    """
    if span <= 8 * len(key) + 1024:
        return int(np.count_nonzero(np.bincount(key) == 1))
    key = np.sort(key)
    edge = np.concatenate([[True], key[1:] != key[:-1], [True]])
    return int(np.count_nonzero(edge[1:] & edge[:-1]))
