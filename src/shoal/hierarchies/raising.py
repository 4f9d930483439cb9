"""Raising columns: every value replaced by its block at one level of a hierarchy, before anything else is done.

What a release says then, it says of the raised table: nothing finer was there to be published. The blocks in order are
the column's new values, and the levels above are their hierarchy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from shoal.core.errors import HierarchyError
from shoal.hierarchies import Builder, Hierarchy, StarsOnly, Taxonomy, as_builder, spec_of
from shoal.tables.encoded_column import Coded
from shoal.tables.star_marks import unescaped
from shoal.tables.table import Table


@dataclass(frozen=True)
class Raised:
    """A hierarchy, and the level that the values of a column are raised to: above the values, below `*`."""

    builder: Builder
    level: int

    def of(self, column: pl.Series) -> tuple[pl.Series, Builder]:
        """Return the raised column, and what builds the hierarchy of its new values.

        >>> from shoal.hierarchies import Prefixes
        >>> column, above = Raised(Prefixes((3, 1)), 1).of(pl.Series("town", ["12345", "12399", None, "15000"]))
        >>> column.to_list(), above.build(pl.Series(["123**", "150**"])).labels[1]
        (['123**', '123**', None, '150**'], ('1****',))
        """
        coded = Coded.of(column)
        hierarchy = self.builder.build(coded.values, np.bincount(coded.codes, minlength=coded.size))
        return raised_to(coded, hierarchy, self.level)

    @property
    def said(self) -> dict[str, Any]:
        """The same as plain data, for the configuration."""
        return {"level": self.level, "hierarchy": spec_of(self.builder)}


def raised_to(column: Coded, hierarchy: Hierarchy, level: int) -> tuple[pl.Series, Builder]:
    """Return a column raised to a level, its blocks in order where its values are, and the builder of what is above."""
    top = hierarchy.star_level
    if not 0 < level < top:
        raise HierarchyError(
            f"column {column.name!r} is to be raised to level {level}",
            expected=f"a level from 1 to {top - 1}: 0 is the value, {top} is '*'"
            if top > 1
            else "a hierarchy with more levels",
            hint="see `shoal hierarchy show`",
        )
    texts = unescaped(pl.Series(column.name, hierarchy.labels[level], dtype=pl.String))
    raised = texts.gather(hierarchy.up[level][column.codes])
    if column.is_ordered:
        raised = raised.cast(pl.Enum(texts.drop_nulls()))
    return raised, _above(hierarchy, level, texts)


def _above(hierarchy: Hierarchy, level: int, texts: pl.Series) -> Builder:
    """Return the builder of the levels above one."""
    higher = range(level + 1, hierarchy.star_level)
    if not higher:
        return StarsOnly()
    blocks, member = np.unique(hierarchy.up[level], return_index=True)
    rows = {
        texts[int(block)]: [hierarchy.labels[h][hierarchy.up[h][code]] or "" for h in higher]
        for block, code in zip(blocks, member, strict=True)
    }
    missing = rows.pop(None, [])
    if not rows:
        return StarsOnly()
    return Taxonomy([(text, *labels) for text, labels in rows.items()], missing if any(missing) else ())


def raised_table(table: Table, columns: Mapping[str, Raised]) -> tuple[Table, dict[str, Builder]]:
    """Return the table with some columns raised, and the builders of their hierarchies."""
    found = {name: raised.of(table[name]) for name, raised in columns.items()}
    shown = table.with_columns(column for column, _ in found.values())
    return shown, {name: builder for name, (_, builder) in found.items()}


def seen(column: pl.Series, columns: Mapping[str, Raised]) -> pl.Series:
    """Return a column of the original as a method saw it."""
    return columns[column.name].of(column)[0] if column.name in columns else column


def as_raised(said: Mapping[str, Mapping[str, Any]]) -> dict[str, Raised]:
    """Return what a configuration says was raised."""
    return {name: Raised(as_builder(one["hierarchy"]), int(one["level"])) for name, one in said.items()}
