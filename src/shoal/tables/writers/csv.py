"""CSV files, plain or compressed: a missing value is an empty cell, an empty string is `""`."""

from __future__ import annotations

import bz2
import gzip
import zipfile
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, ClassVar, cast

import polars as pl

from shoal.tables.compression import zstandard
from shoal.tables.writers.base import SinkWriter, Writer


class Csv(SinkWriter):
    """Writes a header line with the names of the columns, then a line per person."""

    name: ClassVar[str] = "csv"
    title: ClassVar[str] = "CSV"
    suffixes: ClassVar[tuple[str, ...]] = (".csv",)

    def write(self, frame: pl.DataFrame, path: Path) -> None:
        """Write a frame."""
        frame.write_csv(path)

    def sink(self, rows: pl.LazyFrame, path: Path) -> None:
        """Write rows as they come."""
        rows.sink_csv(path)


class PackedCsv(Writer):
    """Writes the same, compressed; no time is in the file."""

    @abstractmethod
    def packed(self, file: IO[bytes]) -> AbstractContextManager[IO[bytes]]:
        """Return what compresses into a file."""

    def write(self, frame: pl.DataFrame, path: Path) -> None:
        """Write a frame."""
        self.write_parts([frame], frame.schema, path)

    def write_parts(self, parts: Iterable[pl.DataFrame], schema: pl.Schema, path: Path) -> None:
        """Write frames one below the other, each made when the one before is written."""
        with path.open("wb") as file, self.packed(file) as text:
            for place, part in enumerate(parts):
                text.write(part.write_csv(include_header=place == 0).encode())


class GzipCsv(PackedCsv):
    """Writes CSV compressed by gzip."""

    name: ClassVar[str] = "csv.gz"
    title: ClassVar[str] = "CSV (gzip)"
    suffixes: ClassVar[tuple[str, ...]] = (".csv.gz",)

    def packed(self, file: IO[bytes]) -> AbstractContextManager[IO[bytes]]:
        """Return what compresses into a file."""
        return cast("AbstractContextManager[IO[bytes]]", gzip.GzipFile("", "wb", fileobj=file, mtime=0))


class Bzip2Csv(PackedCsv):
    """Writes CSV compressed by bzip2."""

    name: ClassVar[str] = "csv.bz2"
    title: ClassVar[str] = "CSV (bzip2)"
    suffixes: ClassVar[tuple[str, ...]] = (".csv.bz2",)

    def packed(self, file: IO[bytes]) -> AbstractContextManager[IO[bytes]]:
        """Return what compresses into a file."""
        return cast("AbstractContextManager[IO[bytes]]", bz2.open(file, "wb"))


class ZstandardCsv(PackedCsv):
    """Writes CSV compressed by Zstandard."""

    name: ClassVar[str] = "csv.zst"
    title: ClassVar[str] = "CSV (Zstandard)"
    suffixes: ClassVar[tuple[str, ...]] = (".csv.zst",)
    needs: ClassVar[str] = "zstandard"
    extra: ClassVar[str] = "shoal[files]"

    def packed(self, file: IO[bytes]) -> AbstractContextManager[IO[bytes]]:
        """Return what compresses into a file."""
        return cast("AbstractContextManager[IO[bytes]]", zstandard().ZstdCompressor().stream_writer(file))


class ZipCsv(PackedCsv):
    """Writes a zip file with one CSV file in it."""

    name: ClassVar[str] = "csv.zip"
    title: ClassVar[str] = "CSV (zip)"
    suffixes: ClassVar[tuple[str, ...]] = (".csv.zip",)

    @contextmanager
    def packed(self, file: IO[bytes]) -> Iterator[IO[bytes]]:
        """Return what compresses into a file."""
        with zipfile.ZipFile(file, "w") as archive:
            inside = zipfile.ZipInfo("table.csv")
            inside.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(inside, "w", force_zip64=True) as text:
                yield text
