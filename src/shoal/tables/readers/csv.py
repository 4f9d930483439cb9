"""CSV files, plain or compressed: separator, encoding, decimal sign and types are guessed where they are not given.

The cells of a large file are put into a temporary file, if there is room for it: the table is the same, and takes a
tenth of the memory.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import ClassVar

import polars as pl

from shoal.core.errors import ShoalError, TableError
from shoal.tables.column_types import tidy
from shoal.tables.columns import Columns, Held
from shoal.tables.csv_text import parse, texts, unpacked_bytes
from shoal.tables.readers.base import Contents, Reader, ReadOptions

LARGE = 64 * 2**20
"""Bytes of text from which on a file goes by the disk: in about the same time, with far less memory (docs/large.md)."""
HEAD = 1 << 20
"""Bytes from which the first rows of a larger file are read."""


class Csv(Reader):
    """Reads a header line with the names of the columns, then a line per person."""

    name: ClassVar[str] = "csv"
    title: ClassVar[str] = "CSV (plain or compressed)"
    suffixes: ClassVar[tuple[str, ...]] = (
        *(".csv", ".csv.gz", ".csv.bz2", ".csv.zst", ".csv.zip"),
        *(".tsv", ".tsv.gz", ".tsv.bz2", ".tsv.zst", ".tsv.zip"),
        *(".txt", ".txt.gz", ".txt.bz2", ".txt.zst", ".txt.zip"),
        ".zip",
    )
    options: ClassVar[tuple[str, ...]] = ("separator", "encoding", "decimal")
    typed: ClassVar[bool] = False

    def read(self, path: Path, options: ReadOptions) -> Contents:
        """Return the columns, in memory or, of a large file, on the disk."""
        if _is_large(path):
            with suppress(OSError):  # the disk filled up meanwhile
                return _spilled(path, options)
        return contents(path.read_bytes(), path.name, options)

    def read_by_disk(self, path: Path, options: ReadOptions) -> Contents:
        """Return the columns on the disk, or say that there is no room for them."""
        try:
            return _spilled(path, options)
        except OSError as error:
            raise TableError(
                f"the cells of {path.name!r} cannot be put into the temporary folder: {error.strerror}",
                hint="make room there, or name another with TMPDIR",
            ) from error

    def as_written(self, path: Path) -> Columns:
        """Return the cells that shoal wrote, all as text."""
        return Held(texts(unpacked_bytes(path.read_bytes(), path.name).decode()))

    def first_rows(self, path: Path, rows: int, options: ReadOptions) -> pl.DataFrame | None:
        """Return the first rows of a large file, if its beginning can be read without the rest."""
        if path.stat().st_size <= HEAD:
            return None
        with suppress(ShoalError):
            return contents(_beginning(path), path.name, options).columns.frame().head(rows)
        return None


def contents(content: bytes, name: str, options: ReadOptions) -> Contents:
    """Return the columns of a CSV file from its bytes.

    >>> found = contents(b"zip;height;note\\n01234;1,75;\\n98765;1,80;\\"\\"\\n", "people.csv", ReadOptions())
    >>> found.columns.frame().rows(), found.notes
    ([('01234', 1.75, None), ('98765', 1.8, '')], ("people.csv: separator ';', encoding utf-8",))
    """
    frame, form, spelling = parse(content, name, options)
    return Contents(Held(tidy(frame), spelling), (form.said,))


def _is_large(path: Path) -> bool:
    """Whether the cells of a file go by the disk, and there is room for them."""
    from shoal.tables.csv_spill import has_room, text_size  # loaded only where an original is read

    return text_size(path) >= LARGE and has_room(path)


def _spilled(path: Path, options: ReadOptions) -> Contents:
    from shoal.tables.csv_spill import spill  # loaded only where an original is read

    columns, form = spill(path, options)
    return Contents(columns, (form.said,))


def _beginning(path: Path) -> bytes:
    """Return the first bytes up to the end of a record: a line's end outside quotes."""
    from shoal.tables.compression import opened  # loaded only where an original is read

    with opened(path) as file:
        content = file.read(HEAD)
    end = content.rfind(b"\n") + 1
    while end and content.count(b'"', 0, end) % 2:
        end = content.rfind(b"\n", 0, end - 1) + 1
    return content[:end]
