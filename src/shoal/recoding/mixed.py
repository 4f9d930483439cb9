"""Mixed recodings: each column is published in its own way, as groups of its hierarchy, ranges, means or stars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import ClassVar

import polars as pl

from shoal.core.errors import ParameterError, RoleError, nearest
from shoal.microdata.microdata import Microdata
from shoal.recoding.base import ColumnRecoding
from shoal.recoding.cells import Cells, Groups
from shoal.recoding.centroid import Centroid
from shoal.recoding.generalize import Generalize
from shoal.recoding.range import Range
from shoal.recoding.suppress import Suppress

PARTS: Mapping[str, ColumnRecoding] = {one.name: one for one in (Suppress(), Generalize(), Range(), Centroid())}
"""The recodings that columns may have beside each other: those that give a class cells of its own."""


class Mixed(ColumnRecoding):
    """Publishes each column as it is asked for: where nothing is said, ranges of ordered columns and blocks of others.

    Guarantees what its parts do: a cell covers every value it hides, and classes with equal cells show them together.
    """

    name: ClassVar[str] = "mixed"
    meaning: ClassVar[str] = "cells become ranges in some columns, groups of hierarchies or stars in others"
    no_patterns: ClassVar[str] = "its columns are recoded in different ways, not all by patterns of a hierarchy"
    along_hierarchies: ClassVar[bool] = True
    repeatable: ClassVar[bool] = True
    ordered: ClassVar[str] = Range.name
    """How a column with an order is recoded, where nothing is said of it."""

    def of_column(self, microdata: Microdata, index: int) -> ColumnRecoding:
        """Return the recoding that was asked for, else that of ordered columns or of others."""
        column = microdata.quasi[index]
        ordered = column.is_ordered and column.values.dtype != pl.Boolean
        return PARTS[microdata.column_recodings.get(column.name, self.ordered if ordered else Generalize.name)]

    def column(self, microdata: Microdata, index: int, groups: Groups) -> Cells:
        """Publish a column by its own recoding."""
        return self.of_column(microdata, index).column(microdata, index, groups)


class MixedCentroid(Mixed):
    """Publishes some columns as centroids beside cells that cover values: where nothing is said, ordered columns."""

    name: ClassVar[str] = "mixed-centroid"
    meaning: ClassVar[str] = "numbers become means or medians of their class, other columns groups of hierarchies"
    default_cost: ClassVar[str] = "mixed-loss"
    covers: ClassVar[bool] = False
    repeatable: ClassVar[bool] = False
    ordered: ClassVar[str] = Centroid.name


MIXTURES: Mapping[str, Mixed] = {one.name: one for one in (Mixed(), MixedCentroid())}


def with_column_recodings(microdata: Microdata, recoding: str, asked: Mapping[str, str]) -> tuple[Microdata, str]:
    """Return a table that knows how each column is recoded, and the recoding that they make together.

    Columns for which none is asked have the recoding of the table.
    """
    quasi = microdata.roles.quasi
    check_column_recodings(asked, quasi)
    if recoding not in (*PARTS, *MIXTURES):
        raise ParameterError(
            f"recodings are given for columns, but the recoding of the other columns is {recoding!r}",
            expected=" or ".join((*PARTS, *MIXTURES)),
        )
    others = {} if recoding in MIXTURES else dict.fromkeys(quasi, recoding)
    microdata = replace(microdata, column_recodings={**others, **asked})
    usual = MIXTURES.get(recoding, MIXTURES[Mixed.name])
    each = {name: usual.of_column(microdata, index).name for index, name in enumerate(quasi)}
    mixture = MixedCentroid.name if Centroid.name in each.values() else Mixed.name
    return replace(microdata, column_recodings=each), mixture


def check_column_recodings(asked: Mapping[str, str], quasi: Iterable[str]) -> None:
    """Refuse recodings of columns that are no quasi-identifiers, and those that cannot be mixed."""
    for name, given in asked.items():
        if name not in quasi:
            raise RoleError(
                f"a recoding is given for {name!r}", expected="a quasi-identifier", hint=nearest(name, quasi)
            )
        if given not in PARTS:
            raise ParameterError(f"the recoding of {name!r} is {given!r}", expected=" or ".join(PARTS))
