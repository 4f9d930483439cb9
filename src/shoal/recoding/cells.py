"""The cells of published columns: blocks of a hierarchy, ranges, sets; what each says and what it covers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import polars as pl

from shoal.core.arrays import AnyInts, Bools, Codes, Floats, Ints
from shoal.core.errors import Unsupported
from shoal.core.sorting import distinct_rows, order_by
from shoal.hierarchies import Hierarchy
from shoal.tables.encoded_column import Coded
from shoal.tables.star_marks import STAR, cell_text

CHUNK = 4_000_000
"""How many (point, group) pairs are compared at a time."""
BITS = 62
"""Sets of columns with at most so many values are kept as the bits of a number."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of rows, which may overlap: group g is `order[starts[g]:starts[g + 1]]`, never empty."""

    order: Ints
    starts: Ints
    starred: int | None = None
    """The group that full-domain recoding publishes as stars whatever its rows are."""

    @classmethod
    def of(cls, rows: Ints, group_of_row: Ints) -> Groups:
        """Return the groups that labels 0, 1, ... put some rows in."""
        sizes = np.bincount(group_of_row)
        return cls(rows[order_by(group_of_row)], np.concatenate([[0], np.cumsum(sizes)]))

    def spread(self, codes: Codes) -> tuple[Codes, Codes]:
        """Return the smallest and the largest code in every group."""
        taken = codes[self.order]
        return np.minimum.reduceat(taken, self.starts[:-1]), np.maximum.reduceat(taken, self.starts[:-1])


@dataclass(frozen=True, eq=False)
class Cells(ABC):
    """The cells of one published column: one per group, by number; and what each distinct cell says."""

    column: Coded
    of_group: Ints
    """The number of the cell that each group shows."""

    @property
    @abstractmethod
    def labels(self) -> Sequence[str | None]:
        """The published text of each distinct cell; None for the missing value."""

    @property
    @abstractmethod
    def ncp(self) -> Floats:
        """The normalized certainty penalty of each distinct cell, from 0 (the value itself) to 1 (`*`)."""

    @property
    @abstractmethod
    def volume(self) -> Ints:
        """How many values each distinct cell covers: declared leaves under a hierarchy, else the column's values."""

    @property
    @abstractmethod
    def singles(self) -> Codes:
        """The code of the one value that a cell shows unaltered; -1 for every other cell."""

    @property
    def typed(self) -> pl.Series | None:
        """The distinct cells as values of a type; None where they are text."""
        return None

    @property
    def height_share(self) -> Floats:
        """The level of each distinct cell as a share of its hierarchy's height; only where cells are blocks of one."""
        raise Unsupported("ranges and sets have no level in a hierarchy", hint="use another cost, such as ncp")

    @abstractmethod
    def weigh(self, weights: Floats) -> Floats:
        """Return, for each distinct cell, the sum of the weights of the values it covers."""

    @abstractmethod
    def covers(self, cells: Ints, codes: AnyInts) -> Bools:
        """Whether each cell covers the value beside it."""

    @cached_property
    def stars(self) -> Bools:
        """Which distinct cells are `*`."""
        return np.array([label == STAR for label in self.labels], dtype=bool)


@dataclass(frozen=True, eq=False)
class HierarchyCells(Cells):
    """Cells that are blocks of a hierarchy; suppression is the hierarchy of two levels."""

    hierarchy: Hierarchy
    levels: Ints
    blocks: Ints

    @classmethod
    def of(cls, column: Coded, hierarchy: Hierarchy, groups: Groups) -> HierarchyCells:
        """Publish each group at the lowest level at which its values fall into one block."""
        level, block = hierarchy.lowest_common(column.codes[groups.order], groups.starts[:-1])
        widths = [hierarchy.height + 1, column.size + 1]
        of_group, first, _ = distinct_rows([level, block], widths)
        return cls(column, of_group, hierarchy, level[first], block[first])

    @classmethod
    def at_one_level(cls, column: Coded, hierarchy: Hierarchy, groups: Groups, least: int = 0) -> HierarchyCells:
        """Publish every group at the lowest level, from the least one on, at which each falls into one block.

        The starred group is a star.
        """
        lowest, _ = hierarchy.lowest_common(column.codes[groups.order], groups.starts[:-1])
        shown = np.arange(len(lowest)) != (-1 if groups.starred is None else groups.starred)
        common = int(lowest[shown].max(initial=least))
        level = np.where(shown, common, hierarchy.star_level)
        block = hierarchy.up[level, column.codes[groups.order[groups.starts[:-1]]]]
        of_group, first, _ = distinct_rows([level, block], [hierarchy.height + 1, column.size + 1])
        return cls(column, of_group, hierarchy, level[first], block[first].astype(np.int64))

    @classmethod
    def by_one_cut(cls, column: Coded, hierarchy: Hierarchy, groups: Groups) -> HierarchyCells:
        """Publish disjoint blocks: of those that hold a group, the ones that lie in no larger one.

        A block that has the same leaves on several levels is named on the highest of them up to the highest level that
        the column is published at, so that the parts of a domain look alike.
        """
        lowest, _ = hierarchy.lowest_common(column.codes[groups.order], groups.starts[:-1])
        member = column.codes[groups.order[groups.starts[:-1]]]
        level = np.zeros(column.size, dtype=np.int64)
        for height, up in enumerate(hierarchy.up):
            level[np.isin(up, up[member[lowest == height]])] = height
        level = _named(hierarchy, level, int(level.max()))[member]
        block = hierarchy.up[level, member].astype(np.int64)
        of_group, first, _ = distinct_rows([level, block], [hierarchy.height + 1, column.size + 1])
        return cls(column, of_group, hierarchy, level[first], block[first])

    @cached_property
    def labels(self) -> Sequence[str | None]:
        """The blocks' labels."""
        return [self.hierarchy.labels[h][b] for h, b in zip(self.levels.tolist(), self.blocks.tolist(), strict=True)]

    @property
    def height_share(self) -> Floats:
        """The level of each distinct cell as a share of the hierarchy's height."""
        return self.levels / self.hierarchy.height

    @property
    def ncp(self) -> Floats:
        """(leaves under the block - 1) / (leaves - 1)."""
        return np.array(
            [self.hierarchy.ncp[h][b] for h, b in zip(self.levels.tolist(), self.blocks.tolist(), strict=True)]
        )

    @property
    def volume(self) -> Ints:
        """Declared leaves under the block."""
        return np.array(
            [self.hierarchy.leaves[h][b] for h, b in zip(self.levels.tolist(), self.blocks.tolist(), strict=True)]
        )

    @property
    def singles(self) -> Codes:
        """The values of level 0."""
        return np.where(self.levels == 0, self.blocks, -1).astype(np.int32)

    def weigh(self, weights: Floats) -> Floats:
        """Add up the weights in each block."""
        sums = [np.bincount(up, weights=weights) for up in self.hierarchy.up]
        return np.array([sums[h][b] for h, b in zip(self.levels.tolist(), self.blocks.tolist(), strict=True)])

    def covers(self, cells: Ints, codes: AnyInts) -> Bools:
        """Whether the value falls into the block."""
        return np.equal(self.hierarchy.up[self.levels[cells], codes], self.blocks[cells])


def _named(hierarchy: Hierarchy, level: Ints, highest: int) -> Ints:
    """Return, for each value, the level that its block is named on: the highest one with the same leaves.

    Of levels with the same label it is the lowest.
    """
    named = level.copy()
    for value, start in enumerate(level.tolist()):
        blocks = hierarchy.up[:, value].tolist()
        leaves = [int(hierarchy.leaves[h][blocks[h]]) for h in range(highest + 1)]
        top = max(h for h in range(start, highest + 1) if leaves[h] == leaves[start])
        label = hierarchy.labels[top][blocks[top]]
        named[value] = next(h for h in range(start, top + 1) if hierarchy.labels[h][blocks[h]] == label)
    return named


@dataclass(frozen=True, eq=False)
class RangeCells(Cells):
    """Closed ranges of an ordered column; a class with missing values besides says `[20, 29] | missing`."""

    low: Ints
    high: Ints
    missing: Bools
    """Whether the cell covers the missing value (if low > high, nothing else)."""

    @classmethod
    def of(cls, column: Coded, groups: Groups) -> RangeCells:
        """Publish each group as the range from its least to its greatest value."""
        gone = column.size if column.missing is None else column.missing
        missing = groups.spread((column.codes == gone).astype(np.int32))[1].astype(bool)
        low, _ = groups.spread(column.codes)
        _, high = groups.spread(np.where(column.codes == gone, -1, column.codes).astype(np.int32))
        of_group, first, _ = distinct_rows([low, high + 1, missing], [column.size + 1, column.size + 1, 2])
        return cls(column, of_group, low[first].astype(np.int64), high[first].astype(np.int64), missing[first])

    @property
    def _known(self) -> int:
        return self.column.size - (self.column.missing is not None)

    @cached_property
    def labels(self) -> Sequence[str | None]:
        """The ranges as text: the value itself, `[low, high]`, or `*` for the whole column."""
        text = cell_text(self.column.values).to_list()
        return [
            self._label(text, *cell)
            for cell in zip(self.low.tolist(), self.high.tolist(), self.missing.tolist(), strict=True)
        ]

    def _label(self, text: list[str], low: int, high: int, missing: bool) -> str | None:
        if low > high:
            return None
        if (
            low == 0
            and high == self._known - 1
            and self.column.size > 1
            and missing == (self.column.missing is not None)
        ):
            return STAR
        label = _alone(text[low]) if low == high else f"[{_member(text[low])}, {_member(text[high])}]"
        return f"{label} | missing" if missing else label

    @property
    def ncp(self) -> Floats:
        """(high - low) / (range of the column); a missing value besides adds one value's worth."""
        place = self.column.positions
        span = max(float(place[self._known - 1] - place[0]), 0.0) if self._known else 0.0
        alone = self.low > self.high
        width = np.where(alone, 0.0, place[np.maximum(self.high, 0)] - place[np.where(alone, 0, self.low)])
        extra = (self.missing & ~alone) / max(self.column.size - 1, 1)
        ncp = np.minimum(np.divide(width, span, out=np.zeros(len(width)), where=span > 0) + extra, 1.0)
        return np.where(self.stars, 1.0, ncp)

    @property
    def volume(self) -> Ints:
        """The column's values inside the range."""
        volume: Ints = np.maximum(self.high - self.low + 1, 0) + self.missing
        return volume

    @property
    def singles(self) -> Codes:
        """The ranges of one value."""
        one = np.where((self.low == self.high) & ~self.missing, self.low, -1)
        return np.where((self.low > self.high) & self.missing, self._known, one).astype(np.int32)

    def weigh(self, weights: Floats) -> Floats:
        """Add up the weights in each range, and of the missing value where it is covered."""
        rising = np.concatenate([[0.0], np.cumsum(weights)])
        inside = np.where(
            self.low <= self.high, rising[self.high + 1] - rising[np.minimum(self.low, self.high + 1)], 0.0
        )
        gone = 0.0 if self.column.missing is None else float(weights[self.column.missing])
        sums: Floats = inside + self.missing * gone
        return sums

    def covers(self, cells: Ints, codes: AnyInts) -> Bools:
        """Whether the value lies in the range, or is the missing value and the cell says so."""
        inside = (self.low[cells] <= codes) & (codes <= self.high[cells])
        return (
            inside
            if self.column.missing is None
            else np.where(codes == self.column.missing, self.missing[cells], inside)
        )


@dataclass(frozen=True, eq=False)
class SetCells(Cells):
    """Sets of values of an unordered column: distinct cell c is `members[starts[c]:starts[c + 1]]`."""

    members: Ints
    starts: Ints

    @classmethod
    def of(cls, column: Coded, groups: Groups) -> SetCells:
        """Publish each group as the set of its values."""
        if column.size <= BITS:
            return cls._of_few(column, groups)
        number = len(groups.starts) - 1
        group = np.repeat(np.arange(number), np.diff(groups.starts))
        entries = np.unique(group * column.size + column.codes[groups.order])
        owner, member = entries // column.size, entries % column.size
        edges = np.searchsorted(owner, np.arange(number + 1))
        texts = [member[a:b].tobytes() for a, b in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)]
        known = {
            text: place
            for place, text in enumerate(sorted(set(texts), key=lambda t: np.frombuffer(t, np.int64).tolist()))
        }
        sets = [np.frombuffer(text, dtype=np.int64) for text in known]
        starts = np.concatenate([[0], np.cumsum([len(one) for one in sets])]).astype(np.int64)
        return cls(column, np.array([known[text] for text in texts], dtype=np.int64), np.concatenate(sets), starts)

    @classmethod
    def _of_few(cls, column: Coded, groups: Groups) -> SetCells:
        """Publish sets of a column with few values, each set as the bits of a number."""
        bits = (np.int64(1) << np.arange(column.size))[column.codes[groups.order]]
        masks, of_group = np.unique(np.bitwise_or.reduceat(bits, groups.starts[:-1]), return_inverse=True)
        order = _as_lists(masks, column.size)
        inside = (masks[order, None] >> np.arange(column.size)) & 1
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        starts = np.concatenate([[0], np.cumsum(inside.sum(axis=1))]).astype(np.int64)
        return cls(column, rank[of_group], np.nonzero(inside)[1], starts)

    @cached_property
    def labels(self) -> Sequence[str | None]:
        """The sets as text: the value itself, `{a, b}`, or `*` for the whole column."""
        text = cell_text(self.column.values).to_list()
        members, starts = self.members.tolist(), self.starts.tolist()
        return [self._label(text, members[a:b]) for a, b in pairwise(starts)]

    def _label(self, text: list[str | None], members: list[int]) -> str | None:
        names = [text[member] for member in members]
        known = [name for name in names if name is not None]
        if not known:
            return None
        if len(names) == self.column.size > 1:
            return STAR
        if len(names) == 1:
            return _alone(known[0])
        return "{" + ", ".join(map(_member, known)) + "}" + (" | missing" if len(names) > len(known) else "")

    @property
    def ncp(self) -> Floats:
        """(values in the set - 1) / (values of the column - 1)."""
        return (self.volume - 1) / max(self.column.size - 1, 1)

    @property
    def volume(self) -> Ints:
        """The number of values in the set."""
        return np.diff(self.starts)

    @property
    def singles(self) -> Codes:
        """The sets of one value."""
        return np.where(self.volume == 1, self.members[self.starts[:-1]], -1).astype(np.int32)

    def weigh(self, weights: Floats) -> Floats:
        """Add up the weights of the members."""
        return np.add.reduceat(weights[self.members], self.starts[:-1])

    def covers(self, cells: Ints, codes: AnyInts) -> Bools:
        """Whether the value is in the set."""
        keys = np.repeat(np.arange(len(self.volume)), self.volume) * self.column.size + self.members
        wanted = cells * self.column.size + codes
        found: Bools = keys[np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)] == wanted
        return found


def _as_lists(masks: Ints, size: int) -> Ints:
    """Return the order of sets of bits as lists of rising numbers: a list comes before those that it begins.

    >>> _as_lists(np.array([0b10, 0b11, 0b1, 0b101]), 3).tolist()
    [2, 1, 3, 0]
    """
    keys: list[Ints] = []
    for first in range(0, size, 30):
        key = np.zeros(len(masks), dtype=np.int64)
        for bit in range(first, min(first + 30, size)):
            rest = masks >> bit
            key = key * 3 + np.where(rest & 1, 1, np.where(rest > 0, 2, 0))
        keys.append(key)
    return np.lexsort(keys[::-1])


def _alone(name: str) -> str:
    """Write a value by itself; one that reads like a range or a set is written as a set of one."""
    return "{" + _member(name) + "}" if name.startswith(("{", "[")) or name.endswith(" | missing") else name


def _member(name: str) -> str:
    """Quote a member of a set, or an end of a range, where it could be misread."""
    plain = not any(character in name for character in ',[]{}"') and name == name.strip() and name
    return name if plain else '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def covering(cells: Sequence[Cells], points: Codes) -> Bools:
    """Return which groups' cells cover which points (rows of codes), point by group."""
    covered = np.ones((len(points), len(cells[0].of_group)), dtype=bool)
    for index, column in enumerate(cells):
        shown = np.arange(len(column.labels))
        codes, place = np.unique(points[:, index], return_inverse=True)
        table = column.covers(np.tile(shown, len(codes)), np.repeat(codes, len(shown))).reshape(len(codes), len(shown))
        covered &= table[place][:, column.of_group]
    return covered


def count_covered(cells: Sequence[Cells], points: Codes, weights: Ints) -> Ints:
    """Return the weight of the points that the cells of each group cover."""
    total, start = np.zeros(len(cells[0].of_group), dtype=np.int64), 0
    for covered in covering_parts(cells, points):
        total += weights[start : start + len(covered)] @ covered
        start += len(covered)
    return total


def covering_parts(cells: Sequence[Cells], points: Codes) -> Iterator[Bools]:
    """Yield what `covering` returns, some points at a time."""
    step = max(CHUNK // len(cells[0].of_group), 1)
    for start in range(0, len(points), step):
        yield covering(cells, points[start : start + step])
