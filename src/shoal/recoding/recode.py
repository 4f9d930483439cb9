"""A partition becomes a release: cells for every class by a recoding, classes with equal cells merged into one.

Groups of rows with equal published cells are one class, whatever the method thought. In two tables a group has a number
of its own, so groups stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
import polars as pl

import shoal.recoding
from shoal.core.arrays import Ints
from shoal.core.discovery import discover, lookup
from shoal.core.sorting import distinct_rows
from shoal.microdata.microdata import Microdata
from shoal.microdata.partition import DROPPED, Partition
from shoal.recoding.anatomy import SENSITIVE_TABLE, Names, group_numbers, sensitive_table
from shoal.recoding.base import Recoding
from shoal.recoding.cells import Cells, Groups
from shoal.tables.columns import Encoded
from shoal.tables.encoded_column import Coded
from shoal.tables.star_marks import STAR, escape_stars
from shoal.tables.table import TABLE, Table


@dataclass(frozen=True, eq=False)
class Published:
    """A release before it is written: the classes that its cells induce, and the cells of every quasi-identifier.

    In anatomy the one entry of `cells` is what is said of the sensitive values of each group.
    """

    microdata: Microdata
    recoding: str
    partition: Partition
    cells: tuple[Cells, ...]

    def shown(self, star: str = STAR) -> dict[str, Table]:
        """Return every published table by its name, that of the people first; rows are in input order.

        A column nobody altered keeps its type. `star="null"` writes stars as missing, for readers that know no other
        mark; suppressed columns then keep their type.
        """
        partition = self.partition
        group_of_row = partition.class_of_row[partition.kept] if partition.dropped else partition.class_of_row
        quasi = [Coded(published_cells(cells, star), cells.of_group.astype(np.int32)).settled() for cells in self.cells]
        rest = [self._rest(name) for name in self.microdata.roles.published[len(quasi) :]]
        return {TABLE: Table(Encoded(quasi, rest, group_of_row.astype(np.int32)))}

    def _rest(self, name: str) -> Coded:
        """Return a column that is published as it is."""
        column = self.microdata.table.coded(name)
        if self.partition.dropped:
            column = Coded(column.values, column.codes[self.partition.kept]).settled()
        values = _as_shown(column.values)
        return column if values is column.values else Coded(values, column.codes).settled()

    def frame(self, *, star: str = STAR) -> pl.DataFrame:
        """Return the table of the people as a frame."""
        return self.shown(star)[TABLE].frame

    def tables(self, *, star: str = STAR) -> dict[str, pl.DataFrame]:
        """Return every published table as a frame."""
        return {name: table.frame for name, table in self.shown(star).items()}


class Anatomized(Published):
    """A release of two tables: the people with the number of their group, and the sensitive values of each group."""

    @property
    def names(self) -> Names:
        """What the columns are called that the original has not."""
        return Names.free(self.microdata.table.columns)

    def shown(self, star: str = STAR) -> dict[str, Table]:
        """Return the people, and the sensitive values of each group, how often each occurs; nothing is starred."""
        roles = self.microdata.roles
        people = self._frame((*roles.quasi, *roles.other))
        people = people.with_columns(pl.Series(self.names.group, self._group_of_row))
        secrets = sensitive_table(self._frame(roles.sensitive), self._group_of_row, self.names)
        return {TABLE: Table(people), SENSITIVE_TABLE: Table(secrets)}

    @cached_property
    def _group_of_row(self) -> Ints:
        partition = self.partition
        return group_numbers(self.microdata, partition)[partition.class_of_row[partition.kept]]

    def _frame(self, names: tuple[str, ...]) -> pl.DataFrame:
        kept = self.partition.kept
        return pl.DataFrame([_as_shown(self.microdata.table[name].gather(kept)) for name in names])


def published_cells(cells: Cells, star: str) -> pl.Series:
    """Return the distinct cells of a column as they are published."""
    if cells.typed is not None:
        return _as_shown(cells.typed)
    name, values = cells.column.name, cells.column.values
    shown = (cells.singles >= 0) | (cells.stars & (star == "null"))
    if values.dtype != pl.String and shown.all() and _reads_as_it_is(cells):
        single = pl.Series(cells.singles).replace(-1, None)
        return _as_shown(values.gather(single).alias(name))
    return pl.Series(
        name, [None if label == STAR and star == "null" else label for label in cells.labels], dtype=pl.String
    )


def _reads_as_it_is(cells: Cells) -> bool:
    """Whether no category needs quotes as a cell: `[20, 30)` alone would read as a range."""
    if cells.column.values.dtype != pl.Enum:
        return True
    texts = [*cells.column.values.cast(pl.String), None]
    singles = zip(cells.singles.tolist(), cells.labels, strict=True)
    return all(single < 0 or texts[single] == label for single, label in singles)


def _as_shown(column: pl.Series) -> pl.Series:
    """Return a column as it is published: literal stars escaped, no category declared but those that occur."""
    if column.dtype == pl.Enum:
        return column.cast(pl.String).cast(pl.Enum(column.unique().drop_nulls().sort().cast(pl.String)))
    return escape_stars(column) if column.dtype == pl.String else column


def recodings() -> dict[str, type[Recoding]]:
    """Return every recoding by its name, plain ones first.

    >>> [name for name in recodings() if not name.startswith("mixed")]
    ['suppress', 'generalize', 'single-dimensional', 'full-domain', 'range', 'centroid', 'anatomy']
    >>> [name for name in recodings() if name.startswith("mixed")]
    ['mixed', 'mixed-centroid']
    """
    return dict(sorted(discover(shoal.recoding, Recoding).items(), key=lambda found: _plainness(found[1])))


def _plainness(kind: type[Recoding]) -> tuple[bool, ...]:
    return (
        kind.two_tables,
        not kind.covers,
        kind.spans,
        kind.one_level,
        bool(kind.alike_in_all),
        kind.along_hierarchies,
    )


@cache
def recoding_named(name: str) -> Recoding:
    """Return the recoding of that name, or raise `ParameterError` that names the nearest one."""
    return lookup(shoal.recoding, Recoding, name, "recoding")()


def cells_of(microdata: Microdata, recoding: str, groups: Groups) -> tuple[Cells, ...]:
    """Return the cells that some groups of rows would be published with, attribute by attribute."""
    return recoding_named(recoding).cells(microdata, groups)


def recode(microdata: Microdata, partition: Partition, recoding: str) -> Published:
    """Publish a partition: cells for every class, classes with equal cells merged into one."""
    cells = cells_of(microdata, recoding, Groups(partition.order, partition.starts, partition.starred))
    merged, first, _ = distinct_rows([c.of_group for c in cells], [int(c.of_group.max()) + 1 for c in cells])
    labels = np.where(partition.class_of_row < 0, DROPPED, merged[partition.class_of_row])
    cells = tuple(replace(c, of_group=c.of_group[first]) for c in cells)
    kind = Anatomized if recoding_named(recoding).two_tables else Published
    starred = None if partition.starred is None else int(merged[partition.starred])
    return kind(microdata, recoding, Partition(labels, starred), cells)
