"""Stata files, as Stata 14 and later read them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from shoal.tables.labels import Code, Labels, Variable
from shoal.tables.statistical import StatisticalWriter

VERSION = 14
"""The oldest Stata that knows Unicode; files of 15 are for a variant of it only."""
HEADER = 1 << 16
"""The header, which has the time of writing, is within so many bytes."""
CREATED = re.compile(rb"<timestamp>\x11(.{17})</timestamp>", re.DOTALL)
FIRST = b"01 Jan 1970 00:00"


class Stata(StatisticalWriter):
    """Writes labels and formats with the cells."""

    name: ClassVar[str] = "dta"
    title: ClassVar[str] = "Stata"
    suffixes: ClassVar[tuple[str, ...]] = (".dta",)
    family: ClassVar[str] = "stata"
    function: ClassVar[str] = "write_dta"
    longest: ClassVar[int] = 32_000
    longest_title: ClassVar[int] = 80
    plain_number: ClassVar[str] = "%12.0g"

    def options(self, labels: Labels, values: dict[str, dict[Code, str]]) -> dict[str, Any]:
        """Return what is said of the columns besides their labels."""
        letters = {name: [code for code in codes if isinstance(code, str)] for name, codes in values.items()}
        return {
            **super().options(labels, values),
            "version": VERSION,
            "variable_value_labels": values,
            "missing_user_values": {name: codes for name, codes in letters.items() if codes},
        }

    def _made(self, column: pl.Series, variable: Variable) -> tuple[pl.Series, dict[Code, str]]:
        """Return a column and its labels; where a letter has a label, as objects, which pyreadstat needs for that."""
        cells, labels = super()._made(column, variable)
        if any(isinstance(code, float) and not code.is_integer() for code in labels):
            return cells, {}  # only whole numbers have labels in Stata
        if any(isinstance(code, str) for code in labels):
            cells = pl.Series(cells.name, cells.to_list(), dtype=pl.Object)
        return cells, labels

    def undate(self, path: Path) -> None:
        """Set the time of writing to the first of 1970."""
        with path.open("r+b") as file:
            found = CREATED.search(file.read(HEADER))
            if found is not None:
                file.seek(found.start(1))
                file.write(FIRST)
