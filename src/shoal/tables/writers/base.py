"""Writers: each writes tables as files of one format. The end of a file's name says which one it asks for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path

import polars as pl
from polars.io.plugins import register_io_source

from shoal.core.errors import ParameterError, TableError
from shoal.tables import writers
from shoal.tables.column_types import EXACT, MOMENT, as_type
from shoal.tables.labels import Labels
from shoal.tables.readers.base import Format, checked, installed, named, reader_of


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


class LabelWriter(Writer):
    """A format with labels of its own, or with fewer types than a table: what is written is read back and compared."""

    @abstractmethod
    def put(self, frame: pl.DataFrame, path: Path, labels: Labels) -> None:
        """Write a frame with what the original says of its columns, which come in the order of the original."""

    def write(self, frame: pl.DataFrame, path: Path) -> None:
        """Write a frame without labels."""
        self.write_labelled(frame, path, Labels())

    def write_labelled(self, frame: pl.DataFrame, path: Path, labels: Labels) -> None:
        """Write a frame with labels; raise `TableError` if the file does not give back every cell."""
        try:
            self.put(frame, path, labels)
            changed = self._changed(frame, path)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        if changed:
            path.unlink()
            raise TableError(
                f"{self.title} files cannot hold column {changed[0]!r} exactly: {_lost(frame[changed[0]])}",
                hint="name another --format, such as parquet",
            )

    def _changed(self, frame: pl.DataFrame, path: Path) -> list[str]:
        """Return the columns that a file does not give back; all of them where it cannot be read."""
        try:
            back = reader_of(path).as_written(path).frame()
        except TableError:
            return frame.columns
        return [name for name in frame.columns if not _reads_back(frame[name], back)]


def storable(column: pl.Series) -> pl.Series:
    """Return a column as cells hold it that know numbers, texts, truth values, dates and moments: all else as text.

    >>> storable(pl.Series([2**60])).to_list()
    ['1152921504606846976']
    """
    if isinstance(column.dtype, pl.Datetime) and column.dtype.time_zone:
        return column.dt.strftime(MOMENT + "%z")
    if column.dtype in (pl.Enum, pl.Time, pl.Null):
        return column.cast(pl.String)
    if column.dtype.is_integer() and bool((column.cast(pl.Float64).abs() >= EXACT).any()):
        return column.cast(pl.String)
    return column


def _reads_back(column: pl.Series, frame: pl.DataFrame) -> bool:
    """Whether a column is in a frame that was read back, as far as types can say it."""
    if column.name not in frame.columns or frame.height != column.len():
        return False
    return column.equals(as_type(frame[column.name], column.dtype))


def _lost(column: pl.Series) -> str:
    """Say what a file cannot hold of a column, without a cell."""
    if column.dtype == pl.String and (empty := int((column == "").sum())):
        return f"{empty:,} empty strings would become missing values"
    if column.dtype == pl.String and (column != column.str.strip_chars_end()).any():
        return "spaces at the end of texts would be lost"
    return f"its {column.dtype} values would change"


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
