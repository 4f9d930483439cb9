"""Reading what people write down: a row per leaf from a CSV file, groups within groups from a tree or JSON.

Every reader returns rows of one length, a leaf and its labels; the leaf of the missing value is None.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import polars as pl

from shoal.core.errors import HierarchyError
from shoal.tables.csv_text import guess_encoding, guess_separator
from shoal.tables.readers.base import names_file
from shoal.tables.star_marks import cell_text

LONGEST = 2**28
"""Bytes of text of a hierarchy, at most: those of ten million values; a few packed ones may stand for any number."""
Row: TypeAlias = tuple[str | None, tuple[str, ...]]
"""A leaf (None: the missing value) and its labels, finest first."""


def csv_rows(path: str | Path, separator: str | None = None) -> list[Row]:
    """Return the rows of a CSV file; an empty first cell is the missing value, `""` is the empty text.

    Raises `HierarchyError` with the number of the line that has more or fewer cells than the first or no
    label.
    """
    name = Path(path).name
    lines = list(io.StringIO(_content(path), newline=""))
    separator = separator or guess_separator([line.rstrip("\r\n") for line in lines[:50]])
    reader = csv.reader(lines, delimiter=separator)
    rows: list[Row] = []
    start = 0
    try:
        for cells in reader:
            line, start = start, reader.line_num
            if not cells:
                continue
            leaf = None if cells[0] == "" and not lines[line].startswith('""') else cells[0]
            rows.append((leaf, tuple(cells[1:])))
            _check_row(rows[-1], len(rows[0][1]), f"{name!r}, line {line + 1:,}")
    except csv.Error as error:
        raise HierarchyError(f"{name!r}, line {start + 1:,} cannot be read", hint="check the quotes") from error
    return rows


def json_rows(path: str | Path) -> list[Row]:
    """Return the rows of the tree in a JSON file."""
    name = Path(path).name
    try:
        tree = json.loads(_content(path), object_pairs_hook=_no_twins)
    except json.JSONDecodeError as error:
        place = f"{name!r}, line {error.lineno:,}"
        raise HierarchyError(f"{place} is not JSON", expected="a nested object") from error
    except RecursionError as error:
        raise HierarchyError(f"{name!r} has groups nested too deeply", expected="at most 200 levels") from error
    return tree_rows(tree)


def tree_rows(tree: object) -> list[Row]:
    """Return the rows of groups within groups; a leaf less deep than others is repeated upward.

    >>> tree_rows({"Europe": {"North": ["Sweden"]}, "Nowhere": [None]})
    [('Sweden', ('North', 'Europe')), (None, ('', 'Nowhere'))]
    """
    leaves = list(_walk(tree, ()))
    depth = max((len(groups) for _, groups in leaves), default=0)
    return [(leaf, (_published(leaf),) * (depth - len(groups)) + groups) for leaf, groups in leaves]


def _walk(tree: object, groups: tuple[str, ...]) -> Iterator[Row]:
    if isinstance(tree, Mapping | Sequence) and not isinstance(tree, str) and not tree:
        raise HierarchyError(f"a group at depth {len(groups)} is empty", hint="list its values or leave it out")
    if isinstance(tree, Mapping):
        for name, below in tree.items():
            yield from _walk(below, (str(name), *groups))
    elif isinstance(tree, Sequence) and not isinstance(tree, str):
        for item in tree:
            yield from _walk(item, groups)
    else:
        yield (str(tree).lower() if isinstance(tree, bool) else None if tree is None else str(tree)), groups


def _published(leaf: str | None) -> str:
    return "" if leaf is None else str(cell_text(pl.Series([leaf]))[0])


def _check_row(row: Row, levels: int, place: str) -> None:
    leaf, labels = row
    if len(labels) != levels:
        raise HierarchyError(
            f"{place} has {len(labels) + 1:,} cells, the first row has {levels + 1:,}",
            expected="a leaf and a label for every level in every row",
            hint="repeat the last label in rows that are too short, or name the separator",
        )
    if leaf and "" in labels:  # the empty text may repeat itself upward, as the missing value may
        raise HierarchyError(f"{place} has no label at level {labels.index('') + 1}", expected="one for every level")


def _no_twins(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(dict(pairs)) < len(pairs):
        raise HierarchyError("a JSON object names a group twice", hint="merge the two groups")
    return dict(pairs)


def _content(path: str | Path) -> str:
    path = Path(path)
    if not names_file(path):
        raise HierarchyError(f"there is no file {path.name!r} in {str(path.parent)!r}", hint="check the path")
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(path) if packed else path.open("rb") as file:
            content = file.read(LONGEST + 1)
        if len(content) <= LONGEST:
            return content.decode(guess_encoding(content))
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise HierarchyError(f"{path.name!r} is damaged", hint="fetch or write it again") from error
    raise HierarchyError(
        f"{path.name!r} holds more than {LONGEST:,} bytes of text", expected="a row for each value of a column"
    )
