"""What a release says about the values of the original's columns.

A published cell is read as spread evenly over the original column's values that it covers; a centroid as the value
nearest to it; of two tables, a sensitive value as those of the group, in their shares; one that suppressed rows do not
show as any value. All measures of use read a
release this way, and no other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.errors import RoleError, TableError
from shoal.hierarchies import as_builder
from shoal.hierarchies.cell_reader import Reader
from shoal.hierarchies.raising import seen
from shoal.models import Models
from shoal.release.release_view import Shown
from shoal.tables.encoded_column import Coded, distinct_sorted
from shoal.tables.roles import Roles
from shoal.tables.star_marks import STAR, cell_text, text_of
from shoal.tables.table import Table, TableLike, numbered

ANY = "any"
"""The recoding of a table of which nothing is known."""


def shown_table(
    table: TableLike, quasi: Sequence[str] | str, sensitive: Sequence[str] | str, hierarchies: Mapping[str, Any]
) -> Shown:
    """Read a table published by anyone: its cells are values, stars, ranges, sets, or blocks of the hierarchies."""
    frame = Table.of(table).frame
    roles = Roles.of(frame.columns, quasi=quasi, sensitive=sensitive)
    book = {"marks": {"star": STAR}, "columns": [], "cost": {"weights": {}, "k": 1}}
    return Shown({"table": frame}, book, hierarchies, roles.quasi, roles.sensitive, ANY, Models(()), None)


@dataclass(frozen=True, eq=False)
class Spread:
    """The cells of a published column over the values of the original's: pairs of a cell and a value, with shares."""

    values: pl.Series
    """The distinct values of the original, in order."""
    codes: Ints
    """Which of them each row of the original has."""
    of_row: Ints
    """The cell that each published row shows, or its group."""
    owner: Ints
    member: Ints
    weight: Floats
    """A share of 1 for each cell."""
    levels: Floats | None = None
    """Where the cells lie on the line of the values, if not where these do."""

    @cached_property
    def cells(self) -> int:
        """The number of cells."""
        return int(self.of_row.max()) + 1

    def shares(self, asked: Bools) -> Floats:
        """Return which share of each cell lies at the values asked for."""
        found: Floats = np.bincount(self.owner, weights=self.weight * asked[self.member], minlength=self.cells) / 1.0
        return found

    @property
    def before(self) -> Floats:
        """The share of the original's rows with each value."""
        return np.bincount(self.codes, minlength=len(self.values)) / len(self.codes)

    @cached_property
    def after(self) -> Floats:
        """The share of the published rows with each value, each cell spread over its own."""
        rows = np.bincount(self.of_row, minlength=self.cells)
        spread = np.bincount(self.member, weights=self.weight * rows[self.owner], minlength=len(self.values))
        return spread / len(self.of_row)

    @cached_property
    def positions(self) -> Floats:
        """Where each value lies on a line; a missing value nowhere."""
        return Coded(self.values, np.zeros(0, dtype=np.int32)).positions

    @cached_property
    def pair_positions(self) -> Floats:
        """Where each pair of a cell and a value lies: with the value, a centroid where it is itself."""
        if self.levels is None:
            return self.positions[self.member]
        level = self.levels[self.owner]
        return np.where(np.isnan(level), self.positions[self.member], level)

    @property
    def is_number(self) -> bool:
        """Whether the column holds numbers."""
        return self.values.dtype.is_numeric()

    def folded(self, bins: Ints, number: int) -> Floats:
        """Return which share of each cell lies in each of some bins of values."""
        key = self.owner * number + bins[self.member]
        held: Floats = np.bincount(key, weights=self.weight, minlength=self.cells * number) / 1.0
        return held.reshape(self.cells, number)


def _of_cells(shown: pl.Series, found: Shown, original: pl.Series, values: pl.Series) -> Spread:
    """Read the cells of a quasi-identifier."""
    missing = STAR if found.stars_are_null else None
    form, unknown = found.form_of(shown.name), found.recoding == ANY
    spec = found.hierarchies.get(shown.name, "auto" if form.along_hierarchies else None)
    builder = as_builder(spec) if spec is not None and (form.along_hierarchies or unknown) else None
    before = seen(original, found.raised)
    reader = Reader.of(before, builder, spans=form.spans or unknown)
    cells, of_row = _distinct(text_of(shown))
    members = [reader.covered(missing if cell is None else cell).tolist() for cell in cells]
    if found.raised:
        members = _below(members, before, original)
    levels = None
    if not form.covers and before.dtype.is_numeric():
        levels = pl.Series(cells, dtype=pl.String).cast(pl.Float64).fill_null(float("nan")).to_numpy()
        members = [some or [_nearest(values, level)] for some, level in zip(members, levels.tolist(), strict=True)]
    _check_read(shown.name, sum(not some for some in members), len(cells))
    owner = np.repeat(np.arange(len(cells)), [len(some) for some in members])
    member = np.concatenate([np.array(some, dtype=np.int64) for some in members])
    return _spread(original, values, of_row, owner, member, np.ones(len(owner)), levels)


def _below(members: Sequence[Sequence[int]], raised: pl.Series, original: pl.Series) -> list[list[int]]:
    """Return the values of the original that lie under values of the raised column."""
    pairs = pl.DataFrame({"above": Coded.of(raised).codes, "value": Coded.of(original).codes}).unique()
    under = dict(pairs.group_by("above").agg("value").iter_rows())
    return [sorted(value for one in some for value in under.get(one, ())) for some in members]


def _nearest(values: pl.Series, level: float) -> int:
    return int((values.cast(pl.Float64) - level).abs().arg_min() or 0)


def _of_values(shown: pl.Series, original: pl.Series, values: pl.Series, *, masked: bool) -> Spread:
    """Read a sensitive column that is published as it is; masked numbers lie where they are."""
    if masked and shown.dtype.is_numeric():
        numbers, of_row = _distinct(shown.cast(pl.Float64))
        levels = np.array([np.nan if number is None else number for number in numbers])
        missing = len(values) - 1
        members = [missing if np.isnan(level) else _nearest(values, level) for level in levels.tolist()]
        own = np.arange(len(levels))
        return _spread(original, values, of_row, own, np.array(members), np.ones(len(levels)), levels)
    cells, of_row = _distinct(text_of(shown))
    places = _places(pl.Series(cells, dtype=pl.String), values)
    return _spread(original, values, of_row, np.arange(len(cells)), places, np.ones(len(cells)))


def _of_groups(
    people: pl.DataFrame, counted: pl.DataFrame, original: pl.Series, values: pl.Series, *, group: str, count: str
) -> Spread:
    """Read a sensitive column that is counted by group."""
    groups, of_row = _distinct(people[group])
    known = pl.DataFrame({group: pl.Series(groups, dtype=people[group].dtype)})
    owner, counts = numbered(counted.select(group), known), counted[count].cast(pl.Float64).to_numpy()
    return _spread(original, values, of_row, owner, _places(counted[original.name], values), counts)


def _spread(
    original: pl.Series,
    values: pl.Series,
    of_row: Ints,
    owner: Ints,
    member: Ints,
    weights: Floats,
    levels: Floats | None = None,
) -> Spread:
    """Give every cell one share in all."""
    whole = np.bincount(owner, weights=weights)
    codes = numbered(original.to_frame(), values.to_frame())
    return Spread(values, codes, of_row, owner, member, weights / whole[owner], levels)


def _places(shown: pl.Series, values: pl.Series) -> Ints:
    """Return which value each published cell shows that was not altered."""
    cells, texts = text_of(shown).alias(""), cell_text(values).alias("")
    known = cells.is_in(texts.implode(), nulls_equal=True)
    _check_read(values.name, int((~known).sum()), len(cells))
    return numbered(cells.to_frame(), texts.to_frame())


def _check_read(name: str, unread: int, cells: int) -> None:
    """Refuse cells that cannot be of this original."""
    if unread:
        raise TableError(
            f"{unread:,} of {cells:,} published cells of {name!r} fit no value of the original",
            hint="is it the table the release was made from, and are its hierarchies here (internal/)?",
        )


def _distinct(column: pl.Series) -> tuple[Sequence[Any], Ints]:
    distinct = column.unique().sort(nulls_last=True)
    return distinct.to_list(), numbered(column.to_frame(), distinct.to_frame())


def spreads(shown: Shown, frame: pl.DataFrame) -> dict[str, Spread]:
    """Read all columns that are measured against those of the original."""
    names = (*shown.quasi, *shown.sensitive)
    missing = [name for name in names if name not in frame.columns]
    if missing:
        hint = "is it the table the release was made from?"
        raise RoleError(f"the original has no column {missing[0]!r}", hint=hint)
    return {name: _read(shown, name, frame[name]) for name in names if _is_comparable(shown, name, frame[name])}


def _is_comparable(shown: Shown, name: str, original: pl.Series) -> bool:
    """Whether cells can be read as values of the original: of a masked column numbers, and values that it has."""
    if name not in shown.masks:
        return True
    column = (shown.tables["sensitive"] if shown.is_two else shown.frame)[name]
    if column.dtype.is_numeric() and original.dtype.is_numeric():
        return not shown.is_two
    return bool(text_of(column).is_in(cell_text(original).implode(), nulls_equal=True).all())


def _read(shown: Shown, name: str, original: pl.Series) -> Spread:
    """Read a column against that of the original."""
    values = distinct_sorted(original)
    if name in shown.quasi:
        return _of_cells(shown.frame[name], shown, original, values)
    if shown.is_two:
        return _of_groups(shown.frame, shown.tables["sensitive"], original, values, **shown.codebook["names"])
    hidden = shown.hidden_rows
    read = _of_values(shown.frame[name].filter(~pl.Series(hidden)), original, values, masked=name in shown.masks)
    return _with_hidden(read, hidden) if hidden.any() else read


def _with_hidden(read: Spread, hidden: Bools) -> Spread:
    """Return a column with the rows that show no value of it: one cell that covers every value."""
    cell, number = read.cells, len(read.values)
    of_row = np.full(len(hidden), cell)
    of_row[~hidden] = read.of_row
    return replace(
        read,
        of_row=of_row,
        owner=np.append(read.owner, np.full(number, cell)),
        member=np.append(read.member, np.arange(number)),
        weight=np.append(read.weight, np.full(number, 1 / number)),
        levels=None if read.levels is None else np.append(read.levels, np.nan),
    )
