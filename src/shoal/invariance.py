"""m-invariance (Xiao and Tao 2007): groups of m different values that can be published again and again.

The set of the values in a person's group is their signature. Who is in several releases has the same signature in all
of them, so all releases together say no more of a person's value than one: that it is one of m.

Four steps, as in the paper: *division* of those who were published before by their signature; *balancing*, so that each
value of a signature has as many rows, with rows that are new, else with counterfeits; *assignment* of the rows that are
left, all new, to groups of m different values; *split* of the buckets into groups with one row of each value.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import TypeAlias

import numpy as np

from shoal.arrays import Ints
from shoal.errors import Unsupported

Signature: TypeAlias = tuple[int, ...]
"""The values of a group, rising."""


@dataclass(frozen=True, eq=False)
class Grouping:
    """The group of every row, and the counterfeits: in which group each is, and which value it has."""

    group_of_row: Ints
    fake_groups: Ints
    fake_values: Ints


def invariant_groups(
    values: Ints, signatures: Sequence[Signature | None], m: int, domain: int, rng: np.random.Generator
) -> Grouping:
    """Guarantees groups of m different values each, one row or counterfeit of each, that keep every signature given.

    `values` are numbers below `domain`; a row with a signature has one of its values. Every group has a row that is no
    counterfeit. Rows are taken in random order.

    >>> found = invariant_groups(np.array([0, 1, 1, 2]), [(0, 1), (0, 1), (0, 1), None], 2, 3, np.random.default_rng(0))
    >>> sorted(np.bincount(found.group_of_row).tolist()), found.fake_values.tolist()
    ([1, 1, 2], [0, 0])
    """
    if domain < m:
        raise Unsupported(f"there are {domain} different values", expected=f"at least m = {m}", hint="ask for less")
    made = _Groups(len(values))
    waiting: list[list[int]] = [[] for _ in range(domain)]
    buckets: dict[Signature, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row in rng.permutation(len(values)).tolist():  # division
        signature = signatures[row]
        place = waiting if signature is None else buckets[signature]
        place[int(values[row])].append(row)
    for signature, bucket in sorted(buckets.items()):
        made.split(signature, _balanced(signature, bucket, waiting, m))
    made.assign(waiting, m)
    fakes = (np.array(numbers, dtype=np.int64) for numbers in (made.fake_groups, made.fake_values))
    return Grouping(made.group_of_row, *fakes)


def _balanced(signature: Signature, bucket: dict[int, list[int]], waiting: list[list[int]], m: int) -> list[list[int]]:
    """Fill up the values that have fewer rows than others with new rows, where the other new ones can do without."""
    rows = [bucket[value] for value in signature]
    height = max(map(len, rows))
    for value, held in zip(signature, rows, strict=True):
        while len(held) < height and _can_spare(waiting, value, m):
            held.append(waiting[value].pop())
    return rows


def _can_spare(waiting: list[list[int]], value: int, m: int) -> bool:
    """Whether a new row can be taken so that no more counterfeits are needed for the others than with it."""
    if not waiting[value]:
        return False
    sizes = [len(rows) for rows in waiting]
    before = max(m * max(sizes) - sum(sizes), 0)
    sizes[value] -= 1
    return max(m * max(sizes) - sum(sizes), 0) <= before


class _Groups:
    """Groups in the making."""

    def __init__(self, rows: int) -> None:
        self.group_of_row = np.full(rows, -1, dtype=np.int64)
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

    def assign(self, waiting: list[list[int]], m: int) -> None:
        """Make groups of the new rows: each has a row of the m values that most rows are left of."""
        heap = [(-len(rows), value) for value, rows in enumerate(waiting) if rows]
        heapify(heap)
        while heap:
            taken = [heappop(heap) for _ in range(min(m, len(heap)))]
            values = [value for _, value in taken]
            others = [value for value in range(len(waiting)) if value not in values][: m - len(values)]
            self.add([*values, *others], [*(waiting[value].pop() for value in values), *[None] * len(others)])
            for left, value in taken:
                if left + 1:
                    heappush(heap, (left + 1, value))
