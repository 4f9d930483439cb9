"""Writers: each writes tables as files of one format. The end of a file's name says which one it asks for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path

import polars as pl
from polars.io.plugins import register_io_source

from shoal.core.errors import ParameterError, TableError
from shoal.tables import writers
from shoal.tables.readers.base import Format, checked, installed, named


class Writer(Format):
    """Writes the same table as the same bytes; a missing value and an empty string stay apart."""

    @abstractmethod
    def write(self, frame: pl.DataFrame, path: Path) -> None:
        """Write a frame."""

    def write_parts(self, parts: Iterable[pl.DataFrame], schema: pl.Schema, path: Path) -> None:
        """Write frames one below the other; all are held at once, unless a writer knows better."""
        self.write(pl.concat([schema.to_frame(), *parts]), path)


class SinkWriter(Writer):
    """A format that polars writes some rows at a time."""

    @abstractmethod
    def sink(self, rows: pl.LazyFrame, path: Path) -> None:
        """Write rows as they come."""

    def write_parts(self, parts: Iterable[pl.DataFrame], schema: pl.Schema, path: Path) -> None:
        """Write frames one below the other, each made when the one before is written."""
        try:
            self.sink(_lazy(parts, schema), path)
        except pl.exceptions.PolarsError as error:  # whatever kept the disk from taking it
            raise OSError(f"{path.name!r} could not be written ({type(error).__name__})") from None


def _lazy(parts: Iterable[pl.DataFrame], schema: pl.Schema) -> pl.LazyFrame:
    """Return parts as a frame that polars asks for them one by one."""

    def source(
        columns: list[str] | None, predicate: pl.Expr | None, rows: int | None, size: int | None
    ) -> Iterator[pl.DataFrame]:
        yield from parts

    return register_io_source(source, schema=schema)


def writer_of(path: Path) -> Writer:
    """Return the writer of a file by the end of its name, or raise `TableError` that lists the ends there are."""
    kind = named(writers, Writer, path)
    if kind is None:
        ends = " or ".join(suffix for one in installed(writers, Writer) for suffix in one.suffixes)
        raise TableError(f"cannot write {path.name!r}", expected=f"a name that ends in {ends}")
    return checked(kind)()


def formats() -> tuple[str, ...]:
    """Return the formats that a release may have."""
    return tuple(kind.name for kind in installed(writers, Writer))


def suffix_of(format: str) -> str:
    """Return how the files of a format end, or raise `ParameterError` that lists the formats."""
    known = {kind.name: kind for kind in installed(writers, Writer)}
    if format not in known:
        raise ParameterError(f"unknown format {format!r}", expected=" or ".join(known))
    return known[format].suffixes[0]
