"""Keys of published cells: what a cell is, in a form that means the same on every worker.

A block of a hierarchy is a number made of its level and its number, a range one made of its ends, a set the codes of
its members. Cells of different regions are equal exactly if their keys are; and keys are in the order in which cells of
one table are numbered, so that it does not matter who numbers them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import polars as pl

from shoal.core.arrays import Ints
from shoal.hierarchies import Hierarchy, StarsOnly
from shoal.recoding.cells import Cells, HierarchyCells, RangeCells, SetCells
from shoal.tables.encoded_column import Coded

RECODINGS = ("suppress", "generalize", "range")
"""The recodings whose cells have keys."""

Keys: TypeAlias = pl.Series
"""Whole numbers, or bytes."""


def keys_of(cells: Cells) -> Keys:
    """Return the key of each distinct cell."""
    size = cells.column.size + 1
    if isinstance(cells, HierarchyCells):
        return pl.Series(cells.levels * size + cells.blocks)
    if isinstance(cells, RangeCells):
        return pl.Series((cells.low * size + cells.high + 1) * 2 + cells.missing)
    assert isinstance(cells, SetCells)
    members = cells.members.astype(">u4")
    ends = zip(cells.starts[:-1].tolist(), cells.starts[1:].tolist(), strict=True)
    return pl.Series([members[a:b].tobytes() for a, b in ends], dtype=pl.Binary)


def cells_with(keys: Keys, of_group: Ints, column: Coded, hierarchy: Hierarchy, recoding: str) -> Cells:
    """Return the cells that have some different keys in order; `of_group` says which of them each group shows."""
    size = column.size + 1
    if recoding in ("suppress", "generalize"):
        levels, blocks = np.divmod(keys.to_numpy(), size)
        used = StarsOnly().build(column.values) if recoding == "suppress" else hierarchy
        return HierarchyCells(column, of_group, used, levels, blocks)
    if keys.dtype != pl.Binary:
        ends, missing = np.divmod(keys.to_numpy(), 2)
        low, high = np.divmod(ends, size)
        return RangeCells(column, of_group, low, high - 1, missing.astype(bool))
    return _sets(column, of_group, [np.frombuffer(key, dtype=">u4").astype(np.int64) for key in keys])


def are_bytes(column: Coded, recoding: str) -> bool:
    """Whether the keys of a column are bytes: those of sets are."""
    return recoding == "range" and (not column.is_ordered or column.values.dtype == pl.Boolean)


def _sets(column: Coded, of_group: Ints, members: Sequence[Ints]) -> SetCells:
    starts = np.concatenate([[0], np.cumsum([len(one) for one in members])]).astype(np.int64)
    return SetCells(column, of_group, np.concatenate(members), starts)
