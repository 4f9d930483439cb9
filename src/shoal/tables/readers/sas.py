"""SAS files: transport files and data sets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from shoal.tables.readers.base import ReadOptions
from shoal.tables.signatures import unreadable
from shoal.tables.statistical import StatisticalReader

RECORD = 80
"""Bytes of a record: a transport file is records, the last one filled up."""


class Sas(StatisticalReader):
    """Reads the labels and formats of columns with the cells; SAS keeps labels of values in other files.

    A transport file does not say how many rows it has; one that ends within a record was cut off.
    """

    name: ClassVar[str] = "sas"
    title: ClassVar[str] = "SAS"
    suffixes: ClassVar[tuple[str, ...]] = (".xpt", ".sas7bdat")
    functions: ClassVar[Mapping[str, str]] = {".xpt": "read_xport", ".sas7bdat": "read_sas7bdat"}
    densest: ClassVar[Mapping[str, int]] = {".sas7bdat": 4_112}  # two bytes are so many blanks
    writes: ClassVar[Mapping[str, str]] = {".xpt": "xpt", ".sas7bdat": "xpt"}

    def _parsed(self, path: Path, options: ReadOptions) -> tuple[pl.DataFrame, Any]:
        """Return what pyreadstat finds in a whole file."""
        if path.suffix.lower() == ".xpt" and path.stat().st_size % RECORD:
            raise unreadable(path, self.title)
        return super()._parsed(path, options)
