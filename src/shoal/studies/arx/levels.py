"""The hierarchies of a project, written as files that shoal reads."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from pathlib import Path
from xml.etree.ElementTree import Element

from shoal.core.errors import HierarchyError
from shoal.hierarchies.files import write_hierarchy
from shoal.hierarchies.taxonomy import Taxonomy
from shoal.studies.arx.archive import Archive

FOLDER, STARS = "hierarchies", "stars"


def write_hierarchies(
    archive: Archive, columns: Iterable[Element], separator: str, folder: Path, left_out: list[str]
) -> dict[str, str]:
    """Write the hierarchies; return each column's file, or `stars` where there are no levels but the values."""
    (folder / FOLDER).mkdir()
    found: dict[str, str] = {}
    for column in columns:
        name, ref = column.findtext("name") or "", column.findtext("ref")
        if ref is None:
            continue
        rows = _rows(archive, f"input/{ref}", separator)
        top = len(rows[0]) - 1
        found[name] = f"{FOLDER}/{_file_name(name, found.values())}" if top else STARS
        if top:
            _write(archive, ref, rows, folder / found[name])
        if len({row[-1] for row in rows}) > 1:
            left_out.append(f"column {name!r}: its hierarchy in ARX has no level of one value; shoal adds one of stars")
        if {column.findtext("min") or "All", column.findtext("max") or "All"} - {"All", "0", str(top)}:
            left_out.append(f"column {name!r}: the least or the highest level that it may be published at")
    return found


def _rows(archive: Archive, entry: str, separator: str) -> list[list[str]]:
    """Return the rows of a hierarchy as ARX has them, a value and its labels."""
    try:
        rows = [row for row in csv.reader(io.StringIO(archive.text(entry), newline=""), delimiter=separator) if row]
    except csv.Error as error:
        archive.refuse(f"has no CSV in {entry!r}", error)
    if not rows or len({len(row) for row in rows}) > 1:
        archive.refuse(f"has no rows, or rows of different lengths, in {entry!r}")
    return rows


def _write(archive: Archive, ref: str, rows: list[list[str]], path: Path) -> None:
    try:
        write_hierarchy(Taxonomy.from_rows((row[0], tuple(row[1:])) for row in rows), path)
    except HierarchyError as error:
        raise HierarchyError(f"{ref!r} of {archive.name!r}: {error}") from error


def _file_name(column: str, taken: Iterable[str]) -> str:
    """Return a name for a column's file that is a plain name in any folder, whatever the column is called.

    >>> _file_name("../home town", []), _file_name("home town", ["hierarchies/home_town.csv"])
    ('home_town.csv', 'home_town-2.csv')
    """
    plain = re.sub(r"[^\w-]+", "_", column).strip("_")[:80] or "column"
    used, number, name = {Path(file).name.lower() for file in taken}, 1, f"{plain}.csv"
    while name.lower() in used:
        number += 1
        name = f"{plain}-{number}.csv"
    return name
