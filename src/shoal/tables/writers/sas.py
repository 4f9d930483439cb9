"""SAS transport files, version 8."""

from __future__ import annotations

import re
from pathlib import Path
from typing import ClassVar

from shoal.tables.statistical import StatisticalWriter

CREATED = re.compile(rb"\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d")
HEADER = 640
"""Bytes at the beginning that hold the times of writing."""


class Xpt(StatisticalWriter):
    """Writes the labels and formats of columns with the cells."""

    name: ClassVar[str] = "xpt"
    title: ClassVar[str] = "SAS transport"
    suffixes: ClassVar[tuple[str, ...]] = (".xpt",)
    family: ClassVar[str] = "sas"
    function: ClassVar[str] = "write_xport"

    def undate(self, path: Path) -> None:
        """Set the times of writing to the first of 1970."""
        with path.open("r+b") as file:
            head = file.read(HEADER)
            file.seek(0)
            file.write(CREATED.sub(b"01JAN70:00:00:00", head))
