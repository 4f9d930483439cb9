"""Recoding: how a class becomes published cells. The published cell always covers every value it hides.

- `suppress`: the common value, or `*` where the rows of a class differ;
- `generalize`: the block of the lowest hierarchy level that holds all values of the class;
- `range`: the closed range `[20, 29]` of numbers and dates, the set `{a, b}` of other values.

Groups of rows with equal published cells are one class, whatever the method thought: `recode` merges them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from shoal.arrays import AnyInts, Bools, Codes, Floats, Ints
from shoal.errors import Unsupported
from shoal.hierarchies import Hierarchy, StarsOnly
from shoal.microdata import Coded, Microdata, distinct_rows
from shoal.partition import DROPPED, Partition
from shoal.table import STAR, cell_text, escape_stars

CHUNK = 4_000_000
"""How many (point, group) pairs are compared at a time."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of rows, which may overlap: group g is `order[starts[g]:starts[g + 1]]`, never empty."""

    order: Ints
    starts: Ints

    @classmethod
    def of(cls, rows: Ints, group_of_row: Ints) -> Groups:
        """Return the groups that labels 0, 1, ... put some rows in."""
        sizes = np.bincount(group_of_row)
        return cls(rows[np.argsort(group_of_row, kind="stable")], np.concatenate([[0], np.cumsum(sizes)]))

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
        number = len(groups.starts) - 1
        level = np.full(number, -1, dtype=np.int64)
        block = np.zeros(number, dtype=np.int64)
        for height, up in enumerate(hierarchy.up):
            least, most = groups.spread(up[column.codes])
            agree = (least == most) & (level < 0)
            level[agree], block[agree] = height, least[agree]
        widths = [hierarchy.height + 1, column.size + 1]
        of_group, first, _ = distinct_rows([level, block], widths)
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

    @cached_property
    def labels(self) -> Sequence[str | None]:
        """The sets as text: the value itself, `{a, b}`, or `*` for the whole column."""
        text = cell_text(self.column.values).to_list()
        return [self._label(text, members.tolist()) for members in np.split(self.members, self.starts[1:-1])]

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


def _alone(name: str) -> str:
    """Write a value by itself; one that reads like a range or a set is written as a set of one."""
    return "{" + _member(name) + "}" if name.startswith(("{", "[")) or name.endswith(" | missing") else name


def _member(name: str) -> str:
    """Quote a member of a set, or an end of a range, where it could be misread."""
    plain = not any(character in name for character in ',[]{}"') and name == name.strip() and name
    return name if plain else '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def suppress(microdata: Microdata, index: int, groups: Groups) -> Cells:
    """Publish the common value, or a star."""
    column = microdata.quasi[index]
    return HierarchyCells.of(column, StarsOnly().build(column.values), groups)


def generalize(microdata: Microdata, index: int, groups: Groups) -> Cells:
    """Publish the lowest block of the column's hierarchy that holds the class."""
    return HierarchyCells.of(microdata.quasi[index], microdata.hierarchies[index], groups)


def range_or_set(microdata: Microdata, index: int, groups: Groups) -> Cells:
    """Publish the range of an ordered column, the set of values of another."""
    column = microdata.quasi[index]
    ordered = column.is_ordered and column.values.dtype != pl.Boolean
    return RangeCells.of(column, groups) if ordered else SetCells.of(column, groups)


RECODINGS: dict[str, Callable[[Microdata, int, Groups], Cells]] = {
    "suppress": suppress,
    "generalize": generalize,
    "range": range_or_set,
}


@dataclass(frozen=True, eq=False)
class Published:
    """A release before it is written: the classes that its cells induce, and the cells of every quasi-identifier."""

    microdata: Microdata
    recoding: str
    partition: Partition
    cells: tuple[Cells, ...]

    def frame(self, *, star: str = STAR) -> pl.DataFrame:
        """Return the published rows in input order; a column nobody altered keeps its type.

        `star="null"` writes stars as missing, for readers that know no other mark; suppressed columns then keep
        their type.
        """
        source = self.microdata.table.frame[self.partition.kept]
        class_of_row = self.partition.class_of_row[self.partition.kept]
        quasi = [_published(cells, cells.of_group[class_of_row], star) for cells in self.cells]
        rest = [_as_shown(source[name]) for name in self.microdata.roles.published[len(quasi) :]]
        return pl.DataFrame([*quasi, *rest])


def _published(cells: Cells, cell_of_row: Ints, star: str) -> pl.Series:
    name, values = cells.column.name, cells.column.values
    single = cells.singles[cell_of_row]
    shown = (single >= 0) | (cells.stars[cell_of_row] & (star == "null"))
    if values.dtype != pl.String and shown.all():
        return _as_shown(values.gather(pl.Series(single).replace(-1, None)).alias(name))
    labels = pl.Series(
        name, [None if label == STAR and star == "null" else label for label in cells.labels], dtype=pl.String
    )
    return labels.gather(cell_of_row)


def _as_shown(column: pl.Series) -> pl.Series:
    """Return a column as it is published: literal stars escaped, no category declared but those that occur."""
    if column.dtype == pl.Enum:
        return column.cast(pl.String).cast(pl.Enum(column.unique().drop_nulls().sort().cast(pl.String)))
    return escape_stars(column) if column.dtype == pl.String else column


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
    total = np.zeros(len(cells[0].of_group), dtype=np.int64)
    step = max(CHUNK // len(total), 1)
    for start in range(0, len(points), step):
        part = slice(start, start + step)
        total += weights[part] @ covering(cells, points[part])
    return total


def cells_of(microdata: Microdata, recoding: str, groups: Groups) -> tuple[Cells, ...]:
    """Return the cells that some groups of rows would be published with, attribute by attribute."""
    return tuple(RECODINGS[recoding](microdata, index, groups) for index in range(len(microdata.quasi)))


def recode(microdata: Microdata, partition: Partition, recoding: str) -> Published:
    """Publish a partition: cells for every class, classes with equal cells merged into one."""
    cells = cells_of(microdata, recoding, Groups(partition.order, partition.starts))
    merged, first, _ = distinct_rows([c.of_group for c in cells], [int(c.of_group.max()) + 1 for c in cells])
    labels = np.where(partition.class_of_row < 0, DROPPED, merged[partition.class_of_row])
    cells = tuple(replace(c, of_group=c.of_group[first]) for c in cells)
    return Published(microdata, recoding, Partition(labels), cells)
