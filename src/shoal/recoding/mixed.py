"""Mixed recoding: each column is published in its own way, some as ranges, some as groups of their hierarchies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import polars as pl

from shoal.core.errors import ParameterError, RoleError, nearest
from shoal.microdata.microdata import Microdata
from shoal.recoding.base import ColumnRecoding
from shoal.recoding.cells import Cells, Groups
from shoal.recoding.generalize import Generalize
from shoal.recoding.range import Range
from shoal.recoding.suppress import Suppress

PARTS: Mapping[str, ColumnRecoding] = {one.name: one for one in (Suppress(), Generalize(), Range())}
"""The recodings that columns may have beside each other: a class has cells of its own, which cover its values."""


class Mixed(ColumnRecoding):
    """Publishes each column as it is asked for: where nothing is said, ranges of ordered columns and blocks of others.

    Guarantees what its parts do: a cell covers every value it hides, and classes with equal cells show them together.
    """

    name: ClassVar[str] = "mixed"
    meaning: ClassVar[str] = "cells become ranges in some columns, groups of hierarchies or stars in others"
    no_patterns: ClassVar[str] = "its columns are recoded in different ways, not all by patterns of a hierarchy"
    along_hierarchies: ClassVar[bool] = True
    repeatable: ClassVar[bool] = True

    def of_column(self, microdata: Microdata, index: int) -> ColumnRecoding:
        """Return the recoding that was asked for, else that of ordered columns or of others."""
        column = microdata.quasi[index]
        ordered = column.is_ordered and column.values.dtype != pl.Boolean
        return PARTS[microdata.column_recodings.get(column.name, Range.name if ordered else Generalize.name)]

    def column(self, microdata: Microdata, index: int, groups: Groups) -> Cells:
        """Publish a column by its own recoding."""
        return self.of_column(microdata, index).column(microdata, index, groups)


def column_recodings(quasi: tuple[str, ...], recoding: str, asked: Mapping[str, str]) -> dict[str, str]:
    """Return the recoding of each column for which one is known: as asked, the others by the recoding of the table."""
    for name, given in asked.items():
        if name not in quasi:
            raise RoleError(
                f"a recoding is given for {name!r}", expected="a quasi-identifier", hint=nearest(name, quasi)
            )
        if given not in PARTS:
            raise ParameterError(f"the recoding of {name!r} is {given!r}", expected=" or ".join(PARTS))
    if recoding not in (*PARTS, Mixed.name):
        raise ParameterError(
            f"recodings are given for columns, but that of the others is {recoding!r}",
            expected=" or ".join((*PARTS, Mixed.name)),
        )
    return {**({} if recoding == Mixed.name else dict.fromkeys(quasi, recoding)), **asked}
