"""The patterns that rows can be published as, walked depth first, and the rows that match each.

A pattern keeps every quasi-identifier at some level of its hierarchy; with suppression, at the value or the star. The
rows that match the patterns of one choice of levels are groups. Numbers are whole. Where 64 bits might not hold them
the arrays hold Python's integers, and the same lines compute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from shoal.core.arrays import Bools, Ints
from shoal.hierarchies import Hierarchy
from shoal.tables.star_marks import STAR

Numbers: TypeAlias = npt.NDArray[Any]
"""Whole numbers, of 64 bits or of any size."""
BATCH = 50_000
"""Members from which groups are looked at together."""


@dataclass(frozen=True, eq=False)
class Members:
    """Groups of rows, equal rows stored once with their count; in each group the dearest come first."""

    kind: Ints
    """Which kind of row each member is."""
    starts: Ints
    """Where each group begins; none is empty."""
    count: Ints
    gain: Numbers
    """Price minus cost."""

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def sizes(self) -> Ints:
        """The number of members of each group."""
        return np.diff(self.starts, append=len(self.kind))

    @cached_property
    def group(self) -> Ints:
        """The group of each member."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @cached_property
    def rows(self) -> Ints:
        """The number of rows in each group."""
        return self.sum(self.count)

    @cached_property
    def most(self) -> Numbers:
        """What all rows of a group that gain anything gain together: no class gains more."""
        return self.sum(self.count * np.maximum(self.gain, 0))

    def sum(self, numbers: Numbers) -> Numbers:
        """Add up over each group."""
        return np.add.reduceat(numbers, self.starts)

    def largest(self, numbers: Numbers) -> Numbers:
        """Return the largest in each group."""
        return np.maximum.reduceat(numbers, self.starts)

    def before(self, numbers: Numbers) -> Numbers:
        """Add up, for each member, over those that stand before it in its group."""
        rising: Numbers = np.cumsum(numbers) - numbers
        ahead: Numbers = rising - np.repeat(rising[self.starts], self.sizes)
        return ahead

    def only(self, groups: Bools) -> Members:
        """Return some of the groups."""
        return self if groups.all() else self._kept(np.repeat(groups, self.sizes), np.flatnonzero(groups))

    def part(self, members: Bools) -> Members:
        """Return some of the members, at least one of every group."""
        return self._kept(members, np.arange(len(self)))

    def _kept(self, members: Bools, groups: Ints) -> Members:
        place: Ints = np.cumsum(members) - members
        return Members(self.kind[members], place[self.starts[groups]], self.count[members], self.gain[members])

    def split(self, blocks: Ints, gain: Numbers) -> Members:
        """Return the groups of those members of a group that share a block, with new gains."""
        order, starts = self._apart(blocks)
        return Members(self.kind[order], starts, self.count[order], gain[order])

    def alike_before(self, values: Ints) -> Ints:
        """Return how many rows of the same value stand before each member in its group."""
        order, starts = self._apart(values)
        alike = Members(self.kind[order], starts, self.count[order], self.gain[order])
        result = np.empty_like(self.count)
        result[order] = alike.before(alike.count)
        return result

    def _apart(self, codes: Ints) -> tuple[Ints, Ints]:
        """Return the members by group and code, otherwise as they stand, and where each group and code begins."""
        key, size = self.group * (int(codes.max()) + 1) + codes, len(codes)
        packs = (int(key.max()) + 1) * size < 2**62  # sorting numbers is much faster than sorting places
        order = np.sort(key * size + np.arange(size)) % size if packs else np.argsort(key, kind="stable")
        key = key[order]
        return order, np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))


def batches(found: Iterable[Members], size: int = BATCH) -> Iterator[Members]:
    """Join groups that come a few at a time: lines of NumPy take as long for ten members as for a thousand."""
    waiting: list[Members] = []
    for members in found:
        waiting.append(members)
        if sum(len(one.kind) for one in waiting) >= size:
            yield _joined(waiting)
            waiting = []
    if waiting:
        yield _joined(waiting)


def _joined(several: Sequence[Members]) -> Members:
    """Return the groups of several, one after the other."""
    if len(several) == 1:
        return several[0]
    begins = np.cumsum([0, *(len(one.kind) for one in several[:-1])])
    return Members(
        np.concatenate([one.kind for one in several]),
        np.concatenate([one.starts + begin for one, begin in zip(several, begins, strict=True)]),
        np.concatenate([one.count for one in several]),
        np.concatenate([one.gain for one in several]),
    )


# What a cell loses

Losses: TypeAlias = list[list[Fraction]]
"""What each block of each level loses."""


def _stars(hierarchy: Hierarchy) -> Losses:
    return [[Fraction(label == STAR) for label in labels] for labels in hierarchy.labels]


def _heights(hierarchy: Hierarchy) -> Losses:
    return [[Fraction(level, hierarchy.height)] * len(labels) for level, labels in enumerate(hierarchy.labels)]


def _penalties(hierarchy: Hierarchy) -> Losses:
    others = max(int(hierarchy.leaves[-1][0]) - 1, 1)
    return [*([Fraction(n - 1, others) for n in leaves.tolist()] for leaves in hierarchy.leaves[:-1]), [Fraction(1)]]


LOSSES: Mapping[str, Callable[[Hierarchy], Losses]] = {
    "stars": _stars,
    "height": _heights,
    "ncp": _penalties,
    "precision": _heights,
}
"""The costs that add over cells, by name: what a cell loses, before weights."""
WEIGHTED = ("height", "ncp")
MEANS = ("ncp", "precision")
"""Costs that are means over attributes and over rows."""


@dataclass(frozen=True, eq=False)
class Column:
    """A quasi-identifier: the value of each row; and at each level, for each value, its block and what that loses."""

    codes: Ints
    blocks: Ints
    losses: Numbers
    """In whole units of 1 / denominator, rounded down."""

    @classmethod
    def of(cls, codes: Ints, hierarchy: Hierarchy, cost: str, share: Fraction, denominator: int) -> Column:
        """Work out the losses; `share` is what the column's losses count."""
        lost = [[floored(loss * share, denominator) for loss in level] for level in LOSSES[cost](hierarchy)]
        losses = [[level[block] for block in up] for level, up in zip(lost, hierarchy.up.tolist(), strict=True)]
        return cls(codes, hierarchy.up.astype(np.int64), np.array(losses, dtype=object))


def floored(number: Fraction, denominator: int) -> int:
    """Return a number in whole units of 1 / denominator, rounded down."""
    return number.numerator * denominator // number.denominator


# Walking


@dataclass(frozen=True, eq=False)
class Kinds:
    """The rows of a table by kind: quasi-identifiers, what models read, and price; the dearest kinds first."""

    columns: tuple[Column, ...]
    read: tuple[Ints, ...]
    count: Ints
    price: Numbers

    @classmethod
    def of(cls, columns: Sequence[Column], read: Sequence[Ints], prices: Ints, exact: np.dtype[Any]) -> Kinds:
        """Store equal rows once; prices and losses become numbers of the type `exact`."""
        columns = sorted(columns, key=lambda column: (len(column.blocks), -column.blocks.shape[1]))
        codes = [prices, *(column.codes for column in columns), *read]
        frame = pl.DataFrame([pl.Series(str(place), column) for place, column in enumerate(codes)])
        kinds = frame.group_by(frame.columns).len("count").sort(frame.columns, descending=True)
        price, *found, count = (column.cast(pl.Int64).to_numpy() for column in kinds)
        own = [
            Column(codes, column.blocks, column.losses.astype(exact))
            for codes, column in zip(found, columns, strict=False)
        ]
        return cls(tuple(own), tuple(found[len(own) :]), count, price.astype(exact))

    def patterns(self, least_rows: int, *, closed: bool = False) -> Iterator[Members]:
        """Return the groups of rows of all patterns that could gain anything with that many rows.

        Fewer rows match a pattern than any of its coarser ones, and no row pays less than the least of what is still
        to be chosen: a branch without enough rows, or without any row dearer than that, is not walked. `closed`: of
        patterns that the same rows match the cheapest are enough.
        """
        everyone = Members(np.arange(len(self.count)), np.zeros(1, dtype=np.int64), self.count, self.price)
        for members, levels in self._below(everyone, (), least_rows):
            found = self._closed(members, levels) if closed else members
            if len(found):
                yield found

    def _closed(self, members: Members, levels: Sequence[int]) -> Members:
        """Return the groups of a node that no pattern one level finer in one column has too, and no dearer.

        Among patterns that the same rows match, going on to such a finer one ends: where it ends, the group stays.
        """
        for column, level in zip(self.columns, levels, strict=True):
            if level and len(members):
                values = column.codes[members.kind]
                block, first = column.blocks[level - 1][values], members.starts
                apart = np.maximum.reduceat(block != np.repeat(block[first], members.sizes), first)
                lost = column.losses[:, values[first]]
                members = members.only(np.asarray(apart | (lost[level - 1] > lost[level]), dtype=bool))
        return members

    def _below(
        self, members: Members, levels: tuple[int, ...], least_rows: int
    ) -> Iterator[tuple[Members, tuple[int, ...]]]:
        depth = len(levels)
        if depth == len(self.columns):
            yield members, levels
            return
        column, still = self.columns[depth], self._still[depth]
        values = column.codes[members.kind]
        for level, (blocks, losses) in enumerate(zip(column.blocks, column.losses, strict=True)):
            gain = members.gain - losses[values]
            if not (gain > still[members.kind]).any():
                continue
            finer = members.split(blocks[values], gain)
            hopeful = finer.largest(finer.gain - still[finer.kind]) > 0
            finer = finer.only(hopeful & (finer.rows >= least_rows))
            if len(finer):
                yield from self._below(finer, (*levels, level), least_rows)

    @cached_property
    def _still(self) -> list[Numbers]:
        """For each column, the least that every kind of row pays for the columns after it."""
        least = [column.losses.min(axis=0)[column.codes] for column in self.columns]
        return [sum(least[depth + 1 :], np.zeros_like(self.price)) for depth in range(len(least))]
