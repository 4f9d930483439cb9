"""m-invariance (Xiao and Tao 2007): groups of m different values that can be published again and again.

The set of the values in a person's group is their signature. Who is in several releases has the same signature in all
of them, so all releases together say no more of a person's value than one: that it is one of m.

Four steps, as in the paper: *division* of those who were published before by their signature; *balancing*, so that each
value of a signature has as many rows, with rows that are new, else with counterfeits; *assignment* of the rows that are
left, all new, to groups of m different values; *split* of the buckets into groups with one row of each value.

In the paper groups of new rows may have more than m values; here all have m, so that up to m - 1 new rows must wait for
the next release. Chance says who waits, never the values: who waits for their value would give it away. For the same
reason new rows of which one value is too common are refused, not filled up.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import TypeAlias

import numpy as np

from shoal.core.arrays import Ints
from shoal.core.errors import Unsupported

Signature: TypeAlias = tuple[int, ...]
"""The values of a group, rising."""


WAITS = -1


@dataclass(frozen=True, eq=False)
class Grouping:
    """The group of every row, or that it waits; and the counterfeits: in which group each is, and with which value."""

    group_of_row: Ints
    fake_groups: Ints
    fake_values: Ints


def invariant_groups(
    values: Ints, signatures: Sequence[Signature | None], m: int, domain: int, rng: np.random.Generator
) -> Grouping:
    """Guarantees groups of m different values each, one row or counterfeit of each, that keep every signature given.

    `values` are numbers below `domain`; a row with a signature has one of its values. Every group has a row that is no
    counterfeit; fewer than m rows wait, none with a signature. Rows are taken in random order.

    >>> signatures = [(0, 1), (0, 1), (0, 1), None, None]
    >>> found = invariant_groups(np.array([0, 1, 1, 2, 1]), signatures, 2, 3, np.random.default_rng(0))
    >>> sorted(np.bincount(found.group_of_row).tolist()), found.fake_values.tolist()
    ([1, 2, 2], [0])
    """
    made, new = _Groups(len(values)), _New(domain, m)
    buckets: dict[Signature, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row in rng.permutation(len(values)).tolist():  # division
        signature = signatures[row]
        held = new.rows if signature is None else buckets[signature]
        held[int(values[row])].append(row)
    new.count()
    for signature, bucket in sorted(buckets.items()):
        made.split(signature, _balanced(signature, bucket, new))
    made.assign(new.without_rest(rng), m)
    fakes = (np.array(numbers, dtype=np.int64) for numbers in (made.fake_groups, made.fake_values))
    return Grouping(made.group_of_row, *fakes)


def _balanced(signature: Signature, bucket: dict[int, list[int]], new: _New) -> list[list[int]]:
    """Fill up the values that have fewer rows than others with new rows, where the other new ones can do without."""
    rows = [bucket[value] for value in signature]
    height = max(map(len, rows))
    for value, held in zip(signature, rows, strict=True):
        while len(held) < height and new.can_spare(value):
            held.append(new.take(value))
    return rows


class _New:
    """The new rows by value, and how far the commonest value is from being too common for groups of m."""

    def __init__(self, domain: int, m: int) -> None:
        self.m = m
        self.rows: dict[int, list[int]] = {value: [] for value in range(domain)}

    def count(self) -> None:
        """Count how many values have each number of rows."""
        self.total = sum(map(len, self.rows.values()))
        self.sizes = Counter(map(len, self.rows.values()))
        self.most = max(self.sizes, default=0)

    def can_spare(self, value: int) -> bool:
        """Whether a row can be taken so that the commonest value is no more too common than with it."""
        size = len(self.rows[value])
        if size == 0:
            return False
        alone = size == self.most and self.sizes[size] == 1
        before, after = self.m * self.most - self.total, self.m * (self.most - alone) - (self.total - 1)
        return max(after, 0) <= max(before, 0)

    def take(self, value: int) -> int:
        """Take a row."""
        size = len(self.rows[value])
        self.sizes[size] -= 1
        self.sizes[size - 1] += 1
        self.total -= 1
        if size == self.most and not self.sizes[size]:
            self.most -= 1
        return self.rows[value].pop()

    def without_rest(self, rng: np.random.Generator) -> dict[int, list[int]]:
        """Return the rows without those who wait, so many that the others make groups of m; raise where they cannot."""
        everyone = sorted(row for rows in self.rows.values() for row in rows)
        waiting = set(rng.permutation(everyone)[: len(everyone) % self.m].tolist())
        left = {value: [row for row in rows if row not in waiting] for value, rows in self.rows.items()}
        most = max(map(len, left.values()), default=0)
        if self.m * most > len(everyone) - len(waiting):
            raise Unsupported(
                f"of {len(everyone):,} new people, more than 1 in {self.m} have the same sensitive value",
                hint="ask for a smaller m, or wait for more people",
            )
        return left


class _Groups:
    """Groups in the making."""

    def __init__(self, rows: int) -> None:
        self.group_of_row = np.full(rows, WAITS, dtype=np.int64)
        self.number = 0
        self.fake_groups: list[int] = []
        self.fake_values: list[int] = []

    def add(self, signature: Sequence[int], rows: Sequence[int | None]) -> None:
        """Make a group of a row for each value; None is a counterfeit."""
        for value, row in zip(signature, rows, strict=True):
            if row is None:
                self.fake_groups.append(self.number)
                self.fake_values.append(value)
            else:
                self.group_of_row[row] = self.number
        self.number += 1

    def split(self, signature: Signature, rows: list[list[int]]) -> None:
        """Make groups of a bucket, one row of each value in each; rows that are missing are counterfeits."""
        for place in range(max(map(len, rows))):
            self.add(signature, [held[place] if place < len(held) else None for held in rows])

    def assign(self, new: dict[int, list[int]], m: int) -> None:
        """Make groups of the new rows: each has a row of the m values that most rows are left of."""
        heap = [(-len(rows), value) for value, rows in new.items() if rows]
        heapify(heap)
        while heap:
            taken = [heappop(heap) for _ in range(m)]
            self.add([value for _, value in taken], [new[value].pop() for _, value in taken])
            for left, value in taken:
                if left + 1:
                    heappush(heap, (left + 1, value))
