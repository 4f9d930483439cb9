"""The table of a draft in memory: read once as long as its file stays as it is, encoded column by column."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock

import polars as pl

from shoal.core.errors import RoleError, ShoalError, TableError, nearest
from shoal.tables.column_types import tidy
from shoal.tables.encoded_column import Coded
from shoal.tables.table import BINARY, Table, read, read_csv
from shoal.web.desk.draft import Draft

HEAD = 1 << 20
"""Bytes from which the first rows of a larger file are read."""

_ONE = Lock()


@dataclass(frozen=True)
class Stamp:
    """Which file is read how, and when it was last changed."""

    file: str
    changed: int
    size: int
    separator: str | None
    encoding: str | None
    decimal: str | None

    @classmethod
    def of(cls, draft: Draft) -> Stamp:
        """Look at the file of a draft."""
        if draft.file is None:
            raise TableError("no table is chosen", hint="choose a file first")
        try:
            said = Path(draft.file).stat()
        except OSError as error:
            raise TableError(f"the file {draft.name!r} is gone", hint="choose it again") from error
        return cls(draft.file, said.st_mtime_ns, said.st_size, draft.separator, draft.encoding, draft.decimal)

    @property
    def reading(self) -> dict[str, str | None]:
        """How the file is read."""
        return {"separator": self.separator, "encoding": self.encoding, "decimal": self.decimal}


def table(draft: Draft) -> Table:
    """Return the table of a draft."""
    return stamped(Stamp.of(draft))


def stamped(stamp: Stamp) -> Table:
    """Read a table; the last two are kept. Of two who ask at once, one reads and the other waits."""
    with _ONE:
        return _read(stamp)


@lru_cache(maxsize=2)
def _read(stamp: Stamp) -> Table:
    return read(stamp.file, **stamp.reading)


def column(draft: Draft, name: str) -> Coded:
    """Return a column as integers."""
    return encoded(Stamp.of(draft), name)


@lru_cache(maxsize=64)
def encoded(stamp: Stamp, name: str) -> Coded:
    """Encode a column; the last ones are kept."""
    frame = stamped(stamp).frame
    if name not in frame.columns:
        raise RoleError(f"the table has no column {name!r}", hint=nearest(name, frame.columns))
    return Coded.of(frame[name])


def first_rows(draft: Draft, rows: int) -> pl.DataFrame:
    """Return the first rows; of a large file only its beginning is read, where that can be told from the rest."""
    stamp = Stamp.of(draft)
    path = Path(stamp.file)
    if path.suffix.lower() in BINARY or stamp.size <= HEAD:
        return _binary(path, rows) if path.suffix.lower() in BINARY else stamped(stamp).frame.head(rows)
    try:
        return read_csv(_beginning(path), path.name, **stamp.reading).frame.head(rows)
    except ShoalError:
        return stamped(stamp).frame.head(rows)


def _binary(path: Path, rows: int) -> pl.DataFrame:
    reader = pl.read_parquet if path.suffix.lower() == ".parquet" else pl.read_ipc
    try:
        return tidy(reader(path, n_rows=rows))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise TableError(f"{path.name!r} is not a readable {path.suffix} file", hint="is it complete?") from error


def _beginning(path: Path) -> bytes:
    """Return the first bytes up to the end of a record: a line's end outside quotes."""
    with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
        content: bytes = file.read(HEAD)
    end = content.rfind(b"\n") + 1
    while end and content.count(b'"', 0, end) % 2:
        end = content.rfind(b"\n", 0, end - 1) + 1
    return content[:end]
