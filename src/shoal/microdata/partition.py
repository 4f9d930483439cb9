"""Partitions: which class each row is in; and what a model may see of the classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.core.arrays import AnyInts, Ints
from shoal.core.sorting import order_by

DROPPED = -1


@dataclass(frozen=True, eq=False)
class Partition:
    """The class of every row, numbered 0, 1, 2, ...; -1 marks a dropped row.

    >>> partition = Partition.of(np.array([7, 3, 7, -1]))
    >>> len(partition), partition.sizes.tolist(), [rows.tolist() for rows in partition]
    (2, [1, 2], [[1], [0, 2]])
    """

    class_of_row: Ints
    starred: int | None = None
    """The class that is published as stars whatever its rows are, in full-domain recoding; None where there is none."""

    @classmethod
    def of(cls, labels: AnyInts) -> Partition:
        """Number any labels densely, in their own order; negative labels are dropped rows."""
        labels = np.asarray(labels, dtype=np.int64)
        if labels.max(initial=0) > 4 * len(labels) + 1_000:  # too far apart to be counted
            labels = np.where(labels < 0, DROPPED, np.unique(labels, return_inverse=True)[1])
        if labels.min(initial=0) < DROPPED:
            labels = np.maximum(labels, DROPPED)
        used = np.zeros(labels.max(initial=-1) + 2, dtype=np.int64)
        used[labels] = 1
        number = np.cumsum(used) - 1
        number[-1] = DROPPED  # where a dropped row looks it up
        return cls(number[labels])

    @classmethod
    def in_order(cls, order: Ints, starts: Ints) -> Partition:
        """Return the classes of rows that lie sorted by class: class c is `order[starts[c]:starts[c + 1]]`.

        >>> Partition.in_order(np.array([2, 0, 1]), np.array([0, 1, 3])).class_of_row.tolist()
        [1, 1, 0]
        """
        labels = np.empty(len(order), dtype=np.int64)
        labels[order] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        made = cls(labels)
        vars(made).update(order=order, starts=starts, sizes=np.diff(starts))
        return made

    @classmethod
    def whole(cls, rows: int) -> Partition:
        """Return the partition with one class."""
        return cls(np.zeros(rows, dtype=np.int64))

    @cached_property
    def kept(self) -> Ints:
        """The numbers of the rows that are published."""
        return np.flatnonzero(self.class_of_row >= 0)

    @cached_property
    def dropped(self) -> int:
        """How many rows are not published."""
        return int(np.count_nonzero(self.class_of_row < 0))

    @cached_property
    def sizes(self) -> Ints:
        """How many rows each class has."""
        return np.bincount(self.class_of_row[self.kept] if self.dropped else self.class_of_row).astype(np.int64)

    @cached_property
    def order(self) -> Ints:
        """The published rows sorted by class: class c is `order[starts[c]:starts[c + 1]]`."""
        if not self.dropped:
            return order_by(self.class_of_row)
        return self.kept[order_by(self.class_of_row[self.kept])]

    @cached_property
    def starts(self) -> Ints:
        """Where each class begins in `order`, and the end."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    def __len__(self) -> int:
        return len(self.sizes)

    def __iter__(self) -> Iterator[Ints]:
        return iter(np.split(self.order, self.starts[1:-1]))

    def forget(self) -> None:
        """Let go of what was worked out from the classes, which takes several times their memory."""
        for name in ("kept", "sizes", "order", "starts"):
            vars(self).pop(name, None)

    def with_dropped(self) -> Partition:
        """Return the partition in which the rows that were dropped are a class of their own.

        >>> Partition.of(np.array([0, -1, 1, -1])).with_dropped().class_of_row.tolist()
        [0, 2, 1, 2]
        """
        return Partition(np.where(self.class_of_row < 0, len(self), self.class_of_row), self.starred)

    def among(self, rows: Ints, total: int) -> Partition:
        """Return this partition of some rows as one of all `total` rows, the others dropped."""
        labels = np.full(total, DROPPED, dtype=np.int64)
        labels[rows] = self.class_of_row
        return Partition(labels, self.starred)
