"""Where the cells of a table are: in memory, in a file, or as integers over the distinct ones. One column at a time.

A table is asked for columns, so nothing need hold all its cells at once: of a file, the columns that are worked on are
read one after the other and kept as integers; a published table is integers from the start, and only the rows that are
just being written are texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeAlias

import polars as pl

from shoal.core.arrays import Codes, Ints
from shoal.core.errors import TableError, failing_as
from shoal.tables.column_types import check_filled, check_names, tidy_column
from shoal.tables.encoded_column import Coded
from shoal.tables.spelling import spelling_notes

Notes: TypeAlias = Mapping[str, tuple[str, ...]]
"""What there is to say of columns, by name."""
Scan: TypeAlias = Callable[[list[Path]], pl.LazyFrame]
"""Returns the rows of some files, one file after the other."""


class Columns(Protocol):
    """Columns of one length, each of one type."""

    @property
    def names(self) -> tuple[str, ...]:
        """What they are called, in order."""

    @property
    def rows(self) -> int:
        """How long they are."""

    @property
    def spelling(self) -> Notes:
        """By column, where values are spelt in several ways; of the columns that were read so far."""

    def dtype(self, name: str) -> pl.DataType:
        """Return the type of a column."""

    def column(self, name: str) -> pl.Series:
        """Return one column."""

    def coded(self, name: str) -> Coded:
        """Return one column as integers."""

    def part(self, rows: Ints | slice) -> pl.DataFrame:
        """Return some rows of all columns."""

    def frame(self) -> pl.DataFrame:
        """Return everything."""


class Held:
    """A frame in memory; what was encoded once is not encoded again."""

    def __init__(self, frame: pl.DataFrame, spelling: Notes | None = None) -> None:
        self._frame, self.spelling = frame, spelling or {}
        self._coded: dict[str, Coded] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the frame."""
        return tuple(self._frame.columns)

    @property
    def rows(self) -> int:
        """The height of the frame."""
        return self._frame.height

    def dtype(self, name: str) -> pl.DataType:
        """Return the type of a column."""
        return self._frame[name].dtype

    def column(self, name: str) -> pl.Series:
        """Return one column."""
        return self._frame[name]

    def coded(self, name: str) -> Coded:
        """Return one column as integers."""
        if name not in self._coded:
            self._coded[name] = Coded.of(self._frame[name])
        return self._coded[name]

    def part(self, rows: Ints | slice) -> pl.DataFrame:
        """Return some rows."""
        return self._frame[rows]

    def frame(self) -> pl.DataFrame:
        """Return the frame."""
        return self._frame


Stamp: TypeAlias = list[tuple[Path, int, int, int]]
"""Of files, what changes when somebody writes to them."""


@contextmanager
def unchanged(path: Path, files: Callable[[Path], list[Path]], stamp: Stamp | None = None) -> Iterator[None]:
    """Guarantees that what is read inside is of one state of some files: that of the stamp, or of the beginning."""
    before = _state(files(path)) if stamp is None else stamp
    _check_state(path, files, before)
    try:
        yield
    except TableError:  # half of a file that is just being written is no table
        _check_state(path, files, before)
        raise
    _check_state(path, files, before)


def _check_state(path: Path, files: Callable[[Path], list[Path]], before: Stamp) -> None:
    if _state(files(path)) != before:
        raise TableError(f"{path.name!r} was changed or removed while it was read", hint="run it again")


def _state(files: list[Path]) -> Stamp:
    try:
        return [(file, one.st_size, one.st_mtime_ns, one.st_ino) for file in files for one in [file.stat()]]
    except OSError:
        return []


class Stored:
    """A file, or a folder of files, of which a column is read when it is asked for. Only integers are kept.

    `files` says which files they are; `typed` makes of a column as it stands in the file what it is in the table;
    `noted` says how it is spelt.
    """

    def __init__(
        self,
        path: Path,
        scan: Scan,
        typed: Callable[[pl.Series], pl.Series] = tidy_column,
        noted: Callable[[Iterable[pl.Series]], Notes] = spelling_notes,
        *,
        files: Callable[[Path], list[Path]] = lambda path: [path],
        empty: bool = False,
    ) -> None:
        self._path, self._files, self._typed, self._noted = path, files, typed, noted
        self._coded: dict[str, Coded] = {}
        self._looked_at: set[str] = set()
        self.spelling: dict[str, tuple[str, ...]] = {}
        self._stamp = _state(files(path))
        self._scan = scan(files(path))
        first = self._collected(self._scan.head(1))
        check_names(first.columns)
        self.names = tuple(first.columns)
        self.rows = int(self._collected(self._scan.select(pl.len())).item()) if first.height else 0
        if not empty:
            check_filled(self.rows, first.width)
        for column in first.clear().iter_columns():
            tidy_column(column)  # types that cannot be worked on are refused at once

    def dtype(self, name: str) -> pl.DataType:
        """Return the type of a column, which is known once the column is."""
        return self.coded(name).values.dtype

    def column(self, name: str) -> pl.Series:
        """Read one column."""
        return self._made(self._whole(self._scan.select(pl.col(name))).to_series())

    def _made(self, column: pl.Series) -> pl.Series:
        """Return a column of the file as it is in the table; how it is spelt is looked at once."""
        if column.name not in self._looked_at:
            self._looked_at.add(column.name)
            self.spelling.update(self._noted([column]))
        return self._typed(column)

    def coded(self, name: str) -> Coded:
        """Return one column as integers, which are kept."""
        if name not in self._coded:
            self._coded[name] = Coded.of(self.column(name))
        return self._coded[name]

    def part(self, rows: Ints | slice) -> pl.DataFrame:
        """Return some rows, of columns that are read once."""
        coded = map(self.coded, self.names)
        return pl.DataFrame([column.values.gather(column.codes[rows]) for column in coded])

    def head(self, rows: int) -> pl.DataFrame:
        """Read the first rows alone."""
        first = self._collected(self._scan.head(rows))
        return first.select(self._typed(column) for column in first.iter_columns())

    def frame(self) -> pl.DataFrame:
        """Read everything."""
        whole = self._whole(self._scan)
        return whole.select(self._made(column) for column in whole.iter_columns())

    def _whole(self, query: pl.LazyFrame) -> pl.DataFrame:
        """Return all rows; a file that says of itself that it has another number of them is damaged."""
        found = self._collected(query)
        if found.height != self.rows:
            raise self._unreadable()
        return found

    def _collected(self, query: pl.LazyFrame) -> pl.DataFrame:
        """Guarantees that what is read is of one file, and that a damaged one is said in words without a cell."""
        with unchanged(self._path, self._files, self._stamp), failing_as(self._unreadable):
            return query.collect()

    def _unreadable(self) -> TableError:
        suffix = next((file.suffix.lower() for file, *_ in self._stamp), self._path.suffix)
        return TableError(f"{self._path.name!r} is not a readable {suffix} file", hint="is it complete?")


class Replaced:
    """Columns of which some are others, of the same names."""

    def __init__(self, columns: Columns, others: Columns) -> None:
        self._columns, self._others = columns, others
        self.names, self.rows = columns.names, columns.rows

    @property
    def spelling(self) -> Notes:
        """By column, where values are spelt in several ways."""
        return {**self._columns.spelling, **self._others.spelling}

    def _of(self, name: str) -> Columns:
        return self._others if name in self._others.names else self._columns

    def dtype(self, name: str) -> pl.DataType:
        """Return the type of a column."""
        return self._of(name).dtype(name)

    def column(self, name: str) -> pl.Series:
        """Return one column."""
        return self._of(name).column(name)

    def coded(self, name: str) -> Coded:
        """Return one column as integers."""
        return self._of(name).coded(name)

    def part(self, rows: Ints | slice) -> pl.DataFrame:
        """Return some rows of all columns."""
        return self._columns.part(rows).with_columns(self._others.part(rows))

    def frame(self) -> pl.DataFrame:
        """Return everything."""
        return self._columns.frame().with_columns(self._others.frame())


class Encoded:
    """A published table as integers; cells are made when they are asked for.

    `of_groups` are columns that are the same in all rows of a group, so they have a code for each group; `of_rows` come
    after them. Both over the cells that occur, each once and in order.
    """

    def __init__(self, of_groups: Sequence[Coded], of_rows: Sequence[Coded], group_of_row: Codes) -> None:
        self._of_groups = {column.name: column for column in of_groups}
        self._columns = {**self._of_groups, **{column.name: column for column in of_rows}}
        self._group_of_row = group_of_row
        self.spelling: Notes = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The columns in order."""
        return tuple(self._columns)

    @property
    def rows(self) -> int:
        """How many rows are in a group."""
        return len(self._group_of_row)

    def dtype(self, name: str) -> pl.DataType:
        """Return the type of a column."""
        return self._columns[name].values.dtype

    def column(self, name: str) -> pl.Series:
        """Return one column."""
        return self._columns[name].values.gather(self._codes(name, slice(None)))

    def coded(self, name: str) -> Coded:
        """Return one column as integers."""
        return Coded(self._columns[name].values, self._codes(name, slice(None)))

    def part(self, rows: Ints | slice) -> pl.DataFrame:
        """Return some rows of all columns."""
        return pl.DataFrame([one.values.gather(self._codes(name, rows)) for name, one in self._columns.items()])

    def frame(self) -> pl.DataFrame:
        """Return all rows."""
        return self.part(slice(None))

    def _codes(self, name: str, rows: Ints | slice) -> Codes:
        codes = self._columns[name].codes
        return codes[self._group_of_row[rows]] if name in self._of_groups else codes[rows]
