"""SAS files: transport files and data sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from shoal.tables.statistical import StatisticalReader


class Sas(StatisticalReader):
    """Reads the labels and formats of columns with the cells; SAS keeps labels of values in other files."""

    name: ClassVar[str] = "sas"
    title: ClassVar[str] = "SAS"
    suffixes: ClassVar[tuple[str, ...]] = (".xpt", ".sas7bdat")
    functions: ClassVar[Mapping[str, str]] = {".xpt": "read_xport", ".sas7bdat": "read_sas7bdat"}
    writes: ClassVar[Mapping[str, str]] = {".xpt": "xpt", ".sas7bdat": "xpt"}
