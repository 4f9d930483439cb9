"""SPSS files: system files, plain or compressed, and portable files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from shoal.tables.statistical import StatisticalReader


class Spss(StatisticalReader):
    """Reads labels, codes declared as missing, formats and measures with the cells."""

    name: ClassVar[str] = "spss"
    title: ClassVar[str] = "SPSS"
    suffixes: ClassVar[tuple[str, ...]] = (".sav", ".zsav", ".por")
    functions: ClassVar[Mapping[str, str]] = {".sav": "read_sav", ".zsav": "read_sav", ".por": "read_por"}
    writes: ClassVar[Mapping[str, str]] = {".sav": "sav", ".zsav": "zsav", ".por": "sav"}
    densest: ClassVar[Mapping[str, int]] = {
        ".zsav": 1_032
    }  # a byte is a number of a .sav file, and deflate packs so many
    declares_missing: ClassVar[bool] = True
