"""Tables in and out: files and frames become one `Table`, in which three things stay apart.

A *missing* value is a polars null, an *empty string* is `""`, and a *suppressed* cell is the string `*` of a published
table. A value of the original that looks like a star is published with a backslash in front (`\\*`), so the two are
never confused. Nothing here imports pandas.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl

from shoal.core.arrays import Ints
from shoal.core.errors import TableError
from shoal.tables.column_types import tidy
from shoal.tables.columns import Columns, Held, Notes, Replaced, unchanged
from shoal.tables.encoded_column import Coded
from shoal.tables.readers.base import Contents, Origin, ReadOptions, reader_of
from shoal.tables.spelling import spelling_notes

TABLE = "table"
"""What the table of the people is called, in every release."""

TableLike: TypeAlias = object
"""A path, a `Table`, or a polars, pandas, pyarrow or other frame that speaks the Arrow stream protocol."""


class Table:
    """Rows are records, one person each; columns are attributes.

    >>> Table.of({"age": [30, None], "city": ["", "*"]}).frame.null_count().row(0)
    (1, 0)
    """

    def __init__(
        self, cells: pl.DataFrame | Columns, notes: tuple[str, ...] = (), origin: Origin | None = None
    ) -> None:
        self._cells: Columns = Held(cells) if isinstance(cells, pl.DataFrame) else cells
        self._guessed = notes
        self.origin = origin or Origin()

    @property
    def notes(self) -> tuple[str, ...]:
        """What was guessed on reading and how values are spelt, in words, for the decision log."""
        return (*self._guessed, *self.spelling)

    @property
    def spelling(self) -> tuple[str, ...]:
        """Where values are spelt in several ways, of the columns that were read so far; names and counts."""
        return tuple(note for notes in self._cells.spelling.values() for note in notes)

    @classmethod
    def of(cls, data: TableLike) -> Table:
        """Accept what people hold: a path, a polars, pandas or pyarrow frame, a mapping of columns."""
        if isinstance(data, Table):
            return data
        if isinstance(data, str | Path):
            return read(data)
        frame = _as_polars(data)
        return cls(Held(tidy(frame), spelling_notes(frame.iter_columns())), origin=_origin(data))

    @property
    def rows(self) -> int:
        """The number of records."""
        return self._cells.rows

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the attributes."""
        return self._cells.names

    def __getitem__(self, name: str) -> pl.Series:
        """Return one column."""
        return self._cells.column(name)

    def dtype(self, name: str) -> pl.DataType:
        """Return the type of a column."""
        return self._cells.dtype(name)

    def coded(self, name: str) -> Coded:
        """Return one column as integers."""
        return self._cells.coded(name)

    def part(self, rows: Ints | slice) -> pl.DataFrame:
        """Return some rows of all columns."""
        return self._cells.part(rows)

    def with_columns(self, columns: Iterable[pl.Series], spelling: Notes | None = None) -> Table:
        """Return the same table with some columns replaced, and what there is to say of their spelling."""
        others = pl.DataFrame(list(columns))
        if not others.width:
            return self
        return Table(Replaced(self._cells, Held(others, spelling)), self._guessed, self.origin)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """All cells at once; of a large table rather ask for columns."""
        return self._cells.frame()


def read(path: str | Path, **options: Any) -> Table:
    """Read a file of any format that has a reader, or a query of a database; what the options do not say is guessed.

    A folder of Parquet files, as Spark writes them, is one table. The cells of a large CSV file are put into a
    temporary file, if there is room for it: the table is the same, and takes a tenth of the memory.
    """
    database = _of_database(path, options)
    if database is not None:
        return database
    reader = reader_of(Path(path))
    with unchanged(Path(path), reader.files), _readable(Path(path)):
        return _of_file(reader.read(Path(path), reader.taken(Path(path), ReadOptions(**options))))


def read_by_disk(path: str | Path, **options: Any) -> Table:
    """Read the same from a file that may be larger than memory: of CSV, cells are put into a temporary file."""
    database = _of_database(path, options)
    if database is not None:
        return database
    reader = reader_of(Path(path))
    with unchanged(Path(path), reader.files), _readable(Path(path)):
        return _of_file(reader.read_by_disk(Path(path), reader.taken(Path(path), ReadOptions(**options))))


def _of_database(path: str | Path, options: Mapping[str, Any]) -> Table | None:
    """Return the rows of a query if a URL is given, else None."""
    if ":/" not in str(path):
        return None
    from shoal.tables.databases import is_database, read_database  # loaded only where a URL is given

    return read_database(str(path), options.get("query")) if is_database(path) else None


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Say in words what the system has against reading a file."""
    try:
        yield
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise TableError(
            f"{path.name!r} cannot be read: {why}", hint="check who may read it, and the disk it is on"
        ) from error


def _of_file(found: Contents) -> Table:
    return Table(found.columns, (*found.notes, *found.origin.told), found.origin)


def numbered(frame: pl.DataFrame, distinct: pl.DataFrame) -> Ints:
    """Return for each row of a frame its place among the distinct rows."""
    number = "".join(frame.columns) + "#"
    joined = frame.join(
        distinct.with_row_index(number), on=frame.columns, how="left", nulls_equal=True, maintain_order="left"
    )
    return joined[number].cast(pl.Int64).to_numpy()


def _with_orders(frame: pl.DataFrame, data: Any) -> pl.DataFrame:
    """Return a frame whose ordered categories, of pandas or Arrow, keep their order; polars itself takes them as words.

    >>> import pyarrow as pa
    >>> words = pa.DictionaryArray.from_arrays([1, 0], ["low", "high"], ordered=True)
    >>> Table.of(pa.table({"s": words})).dtype("s").categories.to_list()
    ['low', 'high']
    """
    return frame.with_columns(
        frame[name].cast(pl.String).cast(pl.Enum(words))
        for name in frame.columns
        if frame[name].dtype == pl.Categorical and (words := _ordered_words(data[name]))
    )


def _ordered_words(column: Any) -> list[str]:
    """Return the categories of a column of pandas or Arrow in their order; none where they have none, or no texts."""
    words: list[Any] = []
    if getattr(getattr(column, "dtype", None), "ordered", False):
        words = column.dtype.categories.tolist()
    elif getattr(getattr(column, "type", None), "ordered", False):
        arrays = column.unify_dictionaries().chunks if hasattr(column, "chunks") else [column]
        words = arrays[0].dictionary.to_pylist() if arrays else []
    return words if all(isinstance(word, str) for word in words) else []


def _origin(data: Any) -> Origin:
    """Say which library a frame is of, and which types it has."""
    library = type(data).__module__.partition(".")[0]
    if isinstance(data, pl.LazyFrame | pl.DataFrame):
        lazy = isinstance(data, pl.LazyFrame)
        return Origin(kind="polars.lazy" if lazy else "polars", types=dict(data.collect_schema()))
    if library == "pandas" and hasattr(data, "dtypes"):
        return Origin(kind=library, types={str(name): data.dtypes[name] for name in data.columns})
    if library == "pyarrow" and hasattr(data, "schema"):
        return Origin(kind=library, types={one.name: one.type for one in data.schema})
    return Origin()


def _with_spans_as_texts(data: Any) -> Any:
    """Return a frame of pandas whose periods and intervals, which polars has no types for, are texts.

    What `pandas.cut` returns keeps its order.

    >>> import pandas as pd
    >>> Table.of(pd.DataFrame({"age": pd.cut([23, 45, 61], [0, 30, 50, 70])}))["age"].to_list()
    ['(0, 30]', '(30, 50]', '(50, 70]']
    """
    if not _is_pandas(data):
        return data
    spans = {name: kind for name, kind in data.dtypes.items() if _is_span(getattr(kind, "categories", kind))}
    if not spans:
        return data
    made = data.copy(deep=False)
    for name, kind in spans.items():
        column = made[name]
        if hasattr(kind, "categories"):
            made[name] = column.cat.rename_categories([str(one) for one in kind.categories])
        else:
            made[name] = column.astype(object).map(str, na_action="ignore")
    return made


def _is_pandas(data: Any) -> bool:
    """Whether this is a frame of pandas, or of a library that builds on it."""
    pandas = sys.modules.get("pandas")  # whoever has a frame of it has loaded it
    return pandas is not None and isinstance(data, pandas.DataFrame)


def _is_span(kind: Any) -> bool:
    """Whether a type of pandas, or of some categories, is one of periods or of intervals."""
    return str(getattr(kind, "dtype", kind)).startswith(("period", "interval"))


def _mixed_columns(data: Any) -> list[str]:
    """Return the columns of a frame of pandas, or of a mapping, that no column of one type can hold."""
    found = []
    for name in data if isinstance(data, dict) or _is_pandas(data) else ():
        try:
            pl.DataFrame({"column": data[name]})
        except Exception:
            found.append(str(name))
    return found


def _as_polars(data: Any) -> pl.DataFrame:
    if isinstance(data, pl.LazyFrame):
        return data.collect()
    if isinstance(data, pl.DataFrame):
        return data
    reset = getattr(data, "reset_index", None)  # a pandas index is labels, not data: positions are what counts
    if callable(reset):
        data = reset(drop=True)
    if isinstance(data, dict) or hasattr(data, "__arrow_c_stream__"):
        try:
            data = _with_spans_as_texts(data)
            frame = _with_orders(pl.DataFrame(data), data)
            return frame.select(pl.all().gather(pl.int_range(pl.len())))  # a copy: the caller may change what is theirs
        except Exception as error:  # of polars, pyarrow or pandas, and their words may repeat cells
            if mixed := _mixed_columns(data):
                raise TableError(
                    f"{'column' if len(mixed) == 1 else 'columns'} {', '.join(map(repr, mixed))}:"
                    " values of several types, such as numbers and texts",
                    expected="values of one type in each column",
                    hint="turn them into texts",
                ) from None
            raise TableError(
                f"the {type(data).__name__} is not a regular table ({type(error).__name__})",
                expected="columns of different names and equal length, each of one type",
            ) from None
    raise TableError(
        f"cannot read a table from a {type(data).__name__}",
        expected="a path or a polars, pandas or pyarrow frame",
    )
