"""Hierarchies as ARX writes them: a CSV file for each column, its name in the file's name, the separator `;`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from shoal.core.errors import HierarchyError
from shoal.hierarchies.taxonomy import Taxonomy

MARK = "_hierarchy_"
"""What stands before the column in names such as `adult_hierarchy_age.csv`."""

PROJECT = ".deid"
"""How the names of ARX's projects end."""


def column_of(path: Path) -> str:
    """Return the column that a file is for, by its name.

    >>> column_of(Path("adult_hierarchy_marital-status.csv")), column_of(Path("age.csv.gz"))
    ('marital-status', 'age')
    """
    name = path.name.removesuffix(".gz").removesuffix(".csv")
    return name.partition(MARK)[2] or name


def read_arx(paths: Iterable[Path]) -> dict[str, Taxonomy]:
    """Return the hierarchies of some files by column, or raise `HierarchyError`."""
    found: dict[str, Taxonomy] = {}
    for path in paths:
        if path.suffix == PROJECT:
            raise HierarchyError(
                f"{path.name!r} is an ARX project, and other files are given with it",
                expected="one project alone, or hierarchies as CSV files",
            )
        column = column_of(path)
        if column in found:
            raise HierarchyError(f"two files are for the column {column!r}", hint="rename one of them")
        found[column] = Taxonomy.from_csv(path, separator=";")
    return found
