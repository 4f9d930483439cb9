"""Tables that something else published, costed as releases of the same request are.

Only cells are known of such a table: a label is looked up in the hierarchy of its column, a row that is missing counts
as dropped. Which row was which is not known, so the costs are those that classes and their cells decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.core.arrays import Bools
from shoal.core.errors import Unsupported
from shoal.core.sorting import distinct_rows
from shoal.hierarchies import Hierarchy
from shoal.microdata.partition import DROPPED, Partition
from shoal.patterns.cube import pattern_hierarchies
from shoal.problem import Problem
from shoal.recoding.cells import HierarchyCells
from shoal.recoding.recode import Published
from shoal.tables.encoded_column import Coded
from shoal.tables.table import Table


@dataclass(frozen=True, eq=False)
class Peer:
    """A published table, measured: its classes and cells, and what of the request it does not keep to."""

    published: Published
    cost: float
    outside: tuple[str, ...]
    """Why it is no release of the request, apart from models; a bound on such releases says nothing of it then."""

    @property
    def dropped(self) -> int:
        """How many rows are not published."""
        return self.published.partition.dropped


def measured(problem: Problem, table: Table) -> Peer:
    """Return what a published table costs; raise `Unsupported` where its cells do not say."""
    _check(problem, table)
    columns = [_found(table[column.name], column, tree) for column, tree in _trees(problem)]
    groups, first, _ = distinct_rows([cells.of_group for cells in columns], [len(cells.levels) for cells in columns])
    labels = np.full(problem.rows, DROPPED, dtype=np.int64)
    labels[: len(groups)] = groups
    cells = tuple(
        HierarchyCells(one.column, one.of_group[first], one.hierarchy, one.levels, one.blocks) for one in columns
    )
    published = Published(problem.microdata, problem.recoding, Partition(labels), cells)
    return Peer(published, problem.cost.of(published), tuple(_outside(problem, columns, published.partition)))


def _check(problem: Problem, table: Table) -> None:
    cost = problem.cost
    if not problem.cells_are_blocks:
        raise Unsupported(
            f"cells of the recoding {problem.recoding!r} are not labels of a hierarchy",
            expected="suppress, generalize, single-dimensional or full-domain",
        )
    if not cost.of_classes:
        raise Unsupported(
            f"the cost {cost.name} asks which row became which, and a published table does not say",
            hint="use a cost such as ncp",
        )
    if table.frame.height > problem.rows:
        raise Unsupported(f"it has {table.frame.height:,} rows, more than the {problem.rows:,} of the table")


def _trees(problem: Problem) -> Sequence[tuple[Coded, Hierarchy]]:
    """Return the columns, each with the hierarchy that its cells are blocks of."""
    return list(zip(problem.microdata.quasi, pattern_hierarchies(problem), strict=True))


def _found(shown: pl.Series, column: Coded, tree: Hierarchy) -> HierarchyCells:
    """Return the cells of every row, each as a block of the hierarchy."""
    texts = shown.cast(pl.String)
    distinct = texts.unique(maintain_order=True)
    of_row = texts.replace_strict(distinct, pl.Series(range(len(distinct))), return_dtype=pl.Int64).to_numpy()
    places = {label: (level, block) for level, labels in _upwards(tree) for block, label in enumerate(labels)}
    found = [places.get(label) for label in distinct]
    unknown = sum(place is None for place in found)
    if unknown:
        raise Unsupported(
            f"{unknown:,} of {len(found):,} different cells in {column.name!r} are not labels of its hierarchy",
            hint="give the hierarchies that the table was made with",
        )
    levels, blocks = np.array([place for place in found if place is not None], dtype=np.int64).T
    return HierarchyCells(column, of_row, tree, levels, blocks)


def _upwards(tree: Hierarchy) -> list[tuple[int, tuple[str | None, ...]]]:
    """Return the labels of every level, the lowest last: a label that several levels have means the same on each."""
    return list(enumerate(tree.labels))[::-1]


def _outside(problem: Problem, columns: Sequence[HierarchyCells], partition: Partition) -> list[str]:
    reasons = []
    if partition.dropped > problem.may_drop:
        reasons.append(f"{partition.dropped:,} rows are missing, more than max_dropped allows")
    false = [cells.column.name for cells in columns if not _may_be_true(cells)]
    if false:
        reasons.append(f"more rows show a value or block than have it in the table: {', '.join(false)}")
    if problem.recoding_kind.one_level:
        reasons += _uneven(problem, columns)
    elif problem.global_recoding_refusal and (torn := [one.column.name for one in columns if _overlap(one)]):
        reasons.append(f"columns show a value in several blocks: {', '.join(torn)}")
    return reasons


def _overlap(cells: HierarchyCells) -> bool:
    """Whether two different blocks that are shown have a value in common."""
    shown = zip(cells.levels.tolist(), cells.blocks.tolist(), strict=True)
    holding = np.sum([cells.hierarchy.up[level] == block for level, block in shown], axis=0)
    return bool((holding > 1).any())


def _may_be_true(cells: HierarchyCells) -> bool:
    """Whether as many different rows of the table as show a block, or one inside it, have values in it."""
    tree, codes = cells.hierarchy, cells.column.codes
    some = [np.unique(up, return_index=True)[1] for up in tree.up]  # a value of each block
    member = np.array([some[level][block] for level, block in zip(cells.levels, cells.blocks, strict=True)])
    for level, up in enumerate(tree.up):
        inside = cells.of_group[cells.levels[cells.of_group] <= level]
        if (np.bincount(up[member[inside]], minlength=int(up.max()) + 1) > np.bincount(up[codes])).any():
            return False
    return True


def _uneven(problem: Problem, columns: Sequence[HierarchyCells]) -> list[str]:
    """Say which columns have more than one level, or whether more rows are stars than may be."""
    stars = np.all([cells.stars[cells.of_group] for cells in columns], axis=0)
    several = [cells.column.name for cells in columns if not _even(cells, ~stars)]
    if several:
        return [f"columns are published at several levels: {', '.join(several)}"]
    if problem.may_suppress < stars.sum() < len(stars):
        return [f"{int(stars.sum()):,} rows are stars, more than max_suppressed allows"]
    return []


def _even(cells: HierarchyCells, some: Bools) -> bool:
    """Whether there is a level that has the labels of some rows, all of them."""
    shown = {cells.labels[cell] for cell in np.unique(cells.of_group[some]).tolist()}
    return any(shown.issubset(labels) for labels in cells.hierarchy.labels)
