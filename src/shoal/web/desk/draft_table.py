"""The table of a draft in memory: read once as long as its file and its codes for missing values stay as they are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock

import polars as pl

from shoal.core.errors import RoleError, TableError, nearest
from shoal.models.orders import read_as_asked
from shoal.tables.encoded_column import Coded
from shoal.tables.missing_codes import listed_codes
from shoal.tables.readers.base import ReadOptions, reader_of
from shoal.tables.table import Table, read
from shoal.web.desk.draft import Draft

_ONE = Lock()


@dataclass(frozen=True)
class Stamp:
    """Which file is read how, with which codes for missing values, and when it was last changed."""

    file: str
    changed: int
    size: int
    options: ReadOptions
    missing: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """For columns the codes that stand for missing values."""

    @classmethod
    def of(cls, draft: Draft) -> Stamp:
        """Look at the file of a draft."""
        if draft.file is None:
            raise TableError("no table is chosen", hint="choose a file first")
        try:
            said = Path(draft.file).stat()
        except OSError as error:
            raise TableError(f"the file {draft.name!r} is gone", hint="choose it again") from error
        missing = tuple((name, tuple(listed_codes(codes))) for name, codes in draft.missing.items())
        return cls(str(draft.file), said.st_mtime_ns, said.st_size, ReadOptions(**draft.reading), missing)

    def as_declared(self, found: Table) -> Table:
        """Return a table of these columns without the codes for missing values."""
        return read_as_asked(found, missing=dict(self.missing))


def table(draft: Draft) -> Table:
    """Return the table of a draft."""
    return stamped(Stamp.of(draft))


def stamped(stamp: Stamp) -> Table:
    """Read a table; the last two are kept. Of two who ask at once, one reads and the other waits."""
    with _ONE:
        return _read(stamp)


@lru_cache(maxsize=2)
def _read(stamp: Stamp) -> Table:
    return stamp.as_declared(read(stamp.file, **vars(stamp.options)))


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
    found = reader_of(path).first_rows(path, rows, stamp.options)
    return stamped(stamp).frame.head(rows) if found is None else stamp.as_declared(Table(found)).frame
