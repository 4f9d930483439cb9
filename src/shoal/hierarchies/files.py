"""Hierarchies as files: a row per value, level by level, as ARX and other tools read them."""

from __future__ import annotations

import csv
from pathlib import Path

from shoal.hierarchies.base import Hierarchy


def write_hierarchy(hierarchy: Hierarchy, path: Path, separator: str = ";") -> None:
    """Write the rows `value;level 1;...;*`; `Taxonomy.from_csv` reads the same groups back."""
    levels = [
        [labels[block] for block in up] for up, labels in zip(hierarchy.up.tolist(), hierarchy.labels, strict=True)
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=separator, lineterminator="\n").writerows(zip(*levels, strict=True))
