"""Stata files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from shoal.tables.statistical import StatisticalReader


class Stata(StatisticalReader):
    """Reads labels and formats with the cells; `.a` to `.z` are missing values."""

    name: ClassVar[str] = "stata"
    title: ClassVar[str] = "Stata"
    suffixes: ClassVar[tuple[str, ...]] = (".dta",)
    functions: ClassVar[Mapping[str, str]] = {".dta": "read_dta"}
    writes: ClassVar[Mapping[str, str]] = {".dta": "dta"}
