"""What a hierarchy is, and the contract of everything that builds one.

A `Builder` is a frozen dataclass of parameters that knows nothing of a table; `build` binds it to the distinct values
of one column and returns a `Hierarchy`: a small integer array `level x value -> block`, a label for every block, and
the number of declared leaves under it. Every hierarchy is checked once, on construction: strictly nested, covering,
one root.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import ClassVar, TypeAlias

import numpy as np
import polars as pl

from shoal.core.arrays import AnyInts, Codes, Floats, Ints
from shoal.core.errors import HierarchyError
from shoal.core.number_format import counted
from shoal.tables.star_marks import STAR, cell_text


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Levels of ever coarser values for one attribute: level 0 is the value itself, the last level is `*`.

    `up[h, v]` is the block that value `v` falls in at level `h`; `labels[h][b]` is what block `b` of level `h` is
    published as (None for the missing value); `leaves[h][b]` is how many declared leaves lie under it.
    """

    up: Codes
    labels: tuple[tuple[str | None, ...], ...]
    leaves: tuple[Ints, ...]

    def __post_init__(self) -> None:
        if len(self.labels) != len(self.up) or len(self.leaves) != len(self.up):
            raise HierarchyError("labels or leaves are missing for some level", expected="one tuple per level")
        if self.up.shape[1] == 0:
            raise HierarchyError("the column has no values", expected="at least one, which may be the missing one")
        for level in range(1, len(self.up)):
            torn = _torn_blocks(self.up[level - 1], self.up[level])
            if torn:
                raise HierarchyError(
                    f"level {level} splits {torn:,} groups of level {level - 1}",
                    expected="every group to lie in one group of the next level",
                )
        if self.labels[-1] != (STAR,):
            raise HierarchyError(
                f"the last level has {len(self.labels[-1]):,} groups",
                expected=f"one root that covers everything, {STAR!r}",
            )
        self._check_labels()

    def _check_labels(self) -> None:
        """Guarantees that a published label means one set of values, whatever level it is published from."""
        for level, labels in enumerate(self.labels):
            if len(set(labels)) < len(labels):
                raise HierarchyError(
                    f"level {level} gives {len(labels) - len(set(labels)):,} labels to more than one group",
                    hint="give each group of a level its own label",
                )
        meaning: dict[str | None, tuple[int, int, int]] = {}
        for level, labels in enumerate(self.labels):
            first, size = _extents(self.up[level], len(labels))
            for label, *members in zip(labels, first, size, self.leaves[level].tolist(), strict=True):
                key = (members[0], members[1], members[2])  # of nested sets, these say which
                if meaning.setdefault(label, key) != key:
                    raise HierarchyError(
                        f"level {level} has a label that means a different set of values on another level",
                        hint="make labels of different levels different",
                    )

    @property
    def height(self) -> int:
        """The number of the last level; a hierarchy of stars only has height 1."""
        return len(self.up) - 1

    @property
    def star_level(self) -> int:
        """The lowest level that is published as `*` throughout."""
        return self.labels.index((STAR,))

    def lowest_common(self, codes: AnyInts, starts: Ints) -> tuple[Ints, Ints]:
        """Return the lowest level at which each group of values falls into one block, and the block.

        Group g is `codes[starts[g]:starts[g + 1]]`, the last one to the end; none is empty.
        """
        level = np.full(len(starts), -1, dtype=np.int64)
        block = np.zeros(len(starts), dtype=np.int64)
        for height, up in enumerate(self.up):
            low, high = np.minimum.reduceat(up[codes], starts), np.maximum.reduceat(up[codes], starts)
            agree = (low == high) & (level < 0)
            level[agree], block[agree] = height, low[agree]
        return level, block

    @cached_property
    def by_height(self) -> Codes:
        """By height, below the root's, and value: the largest block around the value that is no higher.

        A leaf has height 0, any other block one more than its highest child. A block that repeats the label of the one
        inside it is the same block, so leaves may lie at different depths: two values are first in one block at the
        height of their lowest common ancestor. Where all leaves lie equally deep this is `up` without the root.
        """
        heights = np.zeros(self.up.shape, dtype=np.int64)
        for level in range(1, len(self.up)):
            inside, around = (np.array(self.labels[h], dtype=object)[self.up[h]] for h in (level - 1, level))
            highest = np.zeros(len(self.labels[level]), dtype=np.int64)
            np.maximum.at(highest, self.up[level], heights[level - 1] + (inside != around))
            heights[level] = highest[self.up[level]]
        shown = []
        for height in range(int(heights[-1, 0])):
            level = (heights <= height).sum(axis=0) - 1
            keys = level * self.up.shape[1] + self.up[level, np.arange(self.up.shape[1])]
            shown.append(np.unique(keys, return_inverse=True)[1].astype(np.int32))
        return np.stack(shown)

    @cached_property
    def ncp(self) -> tuple[Floats, ...]:
        """Per level and block (leaves under it - 1) / (leaves - 1): the certainty lost by publishing it."""
        total = int(self.leaves[-1][0])
        return (*((leaves - 1) / max(total - 1, 1) for leaves in self.leaves[:-1]), np.ones(1))


def hierarchy_from_labels(
    values: pl.Series, levels: Sequence[Sequence[str]], leaves: Sequence[dict[str, int]] | None = None
) -> Hierarchy:
    """Return the hierarchy in which value i has label `levels[h][i]` at level h + 1; `*` is put on top.

    `values` are the distinct values of the column; a missing value among them (given last) is a block of its own
    up to the top, and `levels` speak of the others only. `leaves[h]` may give, per label, the number of *declared*
    leaves under it at level h (level 0 included, by published text); without it the column's own values are counted.

    >>> h = hierarchy_from_labels(pl.Series([1, 2, 30, None]), [["0-9", "0-9", "30-39"]])
    >>> h.labels
    (('1', '2', '30', None), ('0-9', '30-39', None), ('*',))
    >>> h.up.tolist()
    [[0, 1, 2, 3], [0, 0, 1, 2], [0, 0, 0, 0]]
    """
    texts = cell_text(values).to_list()
    missing = [None] if values.null_count() else []
    rows: list[list[str | None]] = [texts] + [[*level, *missing] for level in levels] + [[STAR] * len(texts)]
    ups, labels, counts = [], [], []
    for level, row in enumerate(rows):
        if len(row) != len(texts):
            raise HierarchyError(
                f"level {level} has labels for {len(row) - len(missing):,} of {len(texts) - len(missing):,} values",
                expected="a label for every value",
            )
        blocks = {label: block for block, label in enumerate(dict.fromkeys(row))}
        up = np.array([blocks[label] for label in row], dtype=np.int32)
        ups.append(up)
        labels.append(tuple(blocks))
        own = np.bincount(up, minlength=len(blocks)).astype(np.int64)
        counts.append(_declared(leaves[level], blocks, own) if leaves else own)
    return Hierarchy(np.stack(ups), tuple(labels), tuple(counts))


def _declared(leaves: dict[str, int], blocks: dict[str | None, int], own: Ints) -> Ints:
    return np.array(
        [leaves.get(label, own[b]) if label is not None else own[b] for label, b in blocks.items()],
        dtype=np.int64,
    )


def _extents(up: Codes, blocks: int) -> tuple[list[int], list[int]]:
    """Return each block's first value and number of values."""
    first = np.full(blocks, -1)
    first[up[::-1]] = np.arange(len(up))[::-1]
    return first.tolist(), np.bincount(up, minlength=blocks).tolist()


def _torn_blocks(finer: Codes, coarser: Codes) -> int:
    """Return how many blocks of the finer level lie in more than one block of the coarser."""
    pairs = np.unique(finer.astype(np.int64) * (int(coarser.max()) + 1) + coarser)
    return len(pairs) - len(np.unique(finer))


class Topic(StrEnum):
    """What the name of a column may say of its values, for the choice of a hierarchy."""

    CODE = "a code"
    COUNT = "a count"
    DIAGNOSIS = "a coded diagnosis"
    INDUSTRY = "a coded industry"
    OCCUPATION = "a coded occupation"
    AREA = "a coded area"
    POSTCODE = "a postcode"


Topics: TypeAlias = frozenset[Topic]
NO_TOPICS: Topics = frozenset()


class Builder(ABC):
    """The contract of everything that builds hierarchies: a frozen dataclass with a `name`, found by discovery.

    Subclasses set `name` (the word in configurations), `meaning` (one line for people) and `build`; `fitting`, where
    they can be chosen for a column by its values.
    """

    name: ClassVar[str]
    meaning: ClassVar[str]

    @classmethod
    def fitting(cls, values: pl.Series, counts: Ints | None = None, topics: Topics = NO_TOPICS) -> Builder | None:
        """Return the builder of this kind that fits a column; None where the kind does not.

        The column is known by its distinct values, the rows of each, and what its name speaks of.
        """
        return None

    @property
    def description(self) -> str:
        """What the levels are, in a few words, with no cell of the table; the meaning, unless there is more to say."""
        return self.meaning

    def resolved(self, values: pl.Series, counts: Ints | None = None) -> Builder:
        """Return the builder of the same hierarchy that leaves nothing to the data; usually itself."""
        return self

    @property
    def leaves(self) -> tuple[str, ...]:
        """The values that are listed, in their order; none where the values are left to the column."""
        return tuple(leaf for leaf, *_ in self.declared)

    @property
    def declared(self) -> tuple[tuple[str, ...], ...]:
        """The leaves that are listed, each with its labels; none where the values are left to the column."""
        return ()

    def levels_of(self, hierarchy: Hierarchy) -> str:
        """Say how many levels a hierarchy has that it built, and what they are: `5 levels, ranges of 5, 10, 20, 40`."""
        return f"{counted(hierarchy.star_level, 'level')}, {self.description}"

    @abstractmethod
    def build(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Bind to a column's distinct values (sorted, a missing value last), or raise `HierarchyError`.

        `counts` say how many rows have each value, for builders that go by frequency; without them, one each.
        """
