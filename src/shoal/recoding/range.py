"""Ranges and sets: the closed range `[20, 29]` of numbers and dates, the set `{a, b}` of other values."""

from __future__ import annotations

from typing import ClassVar

import polars as pl

from shoal.microdata.microdata import Microdata
from shoal.recoding.base import ColumnRecoding
from shoal.recoding.cells import Cells, Groups, RangeCells, SetCells


class Range(ColumnRecoding):
    """Publishes the range of an ordered column, the set of values of another."""

    name: ClassVar[str] = "range"
    meaning: ClassVar[str] = "cells become ranges and sets of values"
    no_patterns: ClassVar[str] = "ranges and sets are not patterns of a hierarchy"
    spans: ClassVar[bool] = True
    repeatable: ClassVar[bool] = True

    def column(self, microdata: Microdata, index: int, groups: Groups) -> Cells:
        """Publish the range, or the set, of the values of a group."""
        column = microdata.quasi[index]
        ordered = column.is_ordered and column.values.dtype != pl.Boolean
        return RangeCells.of(column, groups) if ordered else SetCells.of(column, groups)
