"""Tables in and out: files and frames become one `Table`, in which three things stay apart.

A *missing* value is a polars null, an *empty string* is `""`, and a *suppressed* cell is the string `*` of a published
table. A value of the original that looks like a star is published with a backslash in front (`\\*`), so the two are
never confused. Nothing here imports pandas.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import polars as pl

from shoal.arrays import Ints
from shoal.errors import ParameterError, TableError

STAR = "*"
SEPARATORS = ",;\t|"
BINARY = (".parquet", ".arrow", ".feather", ".ipc")
READABLE = (".csv", ".csv.gz", ".tsv", ".txt", *BINARY)

TableLike: TypeAlias = object
"""A path, a `Table`, or a polars, pandas, pyarrow or other frame that speaks the Arrow stream protocol."""


@dataclass(frozen=True)
class Table:
    """Rows are records, one person each; columns are attributes.

    >>> Table.of({"age": [30, None], "city": ["", "*"]}).frame.null_count().row(0)
    (1, 0)
    """

    frame: pl.DataFrame
    notes: tuple[str, ...] = ()
    """What was guessed on reading, in words, for the decision log."""

    @classmethod
    def of(cls, data: TableLike) -> Table:
        """Accept what people hold: a path, a polars, pandas or pyarrow frame, a mapping of columns."""
        if isinstance(data, Table):
            return data
        if isinstance(data, str | Path):
            return read(data)
        return cls(tidy(_as_polars(data)))

    @property
    def rows(self) -> int:
        """The number of records."""
        return self.frame.height

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the attributes."""
        return tuple(self.frame.columns)


def read(
    path: str | Path, *, separator: str | None = None, encoding: str | None = None, decimal: str | None = None
) -> Table:
    """Read CSV (plain or gzip), Parquet or Arrow IPC; what is not given is guessed from the file's first lines.

    A folder of Parquet files, as Spark writes them, is one table.
    """
    path = Path(path)
    if path.is_dir() and any(path.glob("*.parquet")):
        return Table(tidy(read_binary(path)))
    if not path.is_file():
        raise TableError(f"there is no file {path.name!r} in {str(path.parent)!r}", hint="check the path")
    suffix = "".join(path.suffixes[-2:]).lower() if path.suffix.lower() == ".gz" else path.suffix.lower()
    if suffix in BINARY:
        return Table(tidy(read_binary(path)))
    if suffix in (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz"):
        return read_csv(path.read_bytes(), path.name, separator=separator, encoding=encoding, decimal=decimal)
    raise TableError(f"{path.name!r} has a suffix shoal does not read", expected=" or ".join(READABLE))


def read_binary(path: Path) -> pl.DataFrame:
    """Read Parquet or Arrow IPC as it is; the files of a folder follow each other in the order of their names."""
    suffix = ".parquet" if path.is_dir() else path.suffix.lower()
    try:
        if path.is_dir():
            return pl.read_parquet(sorted(path.glob("*.parquet")))
        return pl.read_parquet(path) if suffix == ".parquet" else pl.read_ipc(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise TableError(f"{path.name!r} is not a readable {suffix} file", hint="is it complete?") from error


def read_csv(
    content: bytes,
    name: str,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
) -> Table:
    """Read the bytes of a CSV file; separator, encoding and decimal sign are guessed where not given.

    >>> table = read_csv(b"zip;height;note\\n01234;1,75;\\n98765;1,80;\\"\\"\\n", "people.csv")
    >>> table.frame.row(0), table.frame.row(1)
    (('01234', 1.75, None), ('98765', 1.8, ''))
    """
    content = _unzipped(content, name)
    encoding = encoding or guess_encoding(content)
    text = _decoded(content, encoding, name)
    lines = text[:100_000].splitlines()[:50]
    if not lines or not lines[0].strip():
        raise TableError(
            f"{name!r} is empty",
            expected="a header line with the names of the columns, then a row per person",
        )
    separator = separator or guess_separator(lines)
    if len(separator.encode()) != 1:
        raise ParameterError(f"the separator {separator!r}", expected="one plain character such as , or ;")
    try:
        frame = texts(text, separator)
        short = _short_rows(text, separator, frame)
    except (pl.exceptions.PolarsError, csv.Error) as error:
        raise TableError(
            f"{name!r} is not a regular table with separator {separator!r}",
            expected="the same number of cells in every row",
            hint="check the separator and unbalanced quotes",
        ) from error
    if short:
        raise TableError(
            f"{name!r} has {short:,} rows with fewer cells than the header",
            expected="the same number of cells in every row",
            hint="end them with as many separators as the header has",
        )
    if decimal not in (None, ".", ","):
        raise ParameterError(f"the decimal sign {decimal!r}", expected="'.' or ','")
    commas = decimal == "," or (decimal is None and separator != ",")
    notes = (f"{name}: separator {separator!r}, encoding {encoding}",)
    return Table(tidy(frame.select(infer(column, commas=commas) for column in frame.iter_columns())), notes)


def texts(text: str, separator: str = ",") -> pl.DataFrame:
    """Return the cells of a CSV text, all as text; a missing value is an empty cell, an empty string is `""`."""
    names = next(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    check_names(names)
    if len(names) > 1:  # of an only column, a blank line is a missing value
        text = _without_blank_lines(text)
    return pl.read_csv(io.StringIO(text), separator=separator, infer_schema=False, new_columns=names)


def _without_blank_lines(text: str) -> str:
    """Return a text without its blank lines, but for those in quotes: a blank line is nobody.

    >>> _without_blank_lines('a,b\\n\\n1,"x\\n\\ny"\\n\\n')
    'a,b\\n1,"x\\n\\ny"\\n'
    """
    if "\n\n" not in text and "\n\r\n" not in text:
        return text
    parts = text.split('"')
    parts[::2] = [re.sub(r"\n(?:\r?\n)+", "\n", outside) for outside in parts[::2]]
    return '"'.join(parts)


def _short_rows(text: str, separator: str, frame: pl.DataFrame) -> int:
    """Return how many rows have fewer cells than the header; the parser would fill them up as missing.

    >>> [_short_rows(text, ",", texts(text)) for text in ('a,b\\n1,2\\n\\n"3,4",\\n', "a,b\\n1\\n2,3\\n4\\n")]
    [0, 2]
    """
    separators = sum(outside.count(separator) for outside in text.split('"')[::2])
    if separators == (frame.height + 1) * (frame.width - 1):
        return 0
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    return sum(0 < len(row) < frame.width for row in rows)


def guess_encoding(content: bytes) -> str:
    """Return the encoding of a byte-order mark, else UTF-8 if the bytes are, else Windows-1252.

    >>> guess_encoding("å".encode()), guess_encoding("å".encode("latin-1")), guess_encoding("å".encode("utf-16"))
    ('utf-8', 'cp1252', 'utf-16')
    """
    if content.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig"
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def guess_separator(lines: list[str]) -> str:
    """Return the separator that cuts the most lines into as many cells as the header, more cells winning ties.

    >>> guess_separator(["a;b;c", "1,5;2,5;x", "2,5;3,5;y"])
    ';'
    """

    def regularity(separator: str) -> tuple[int, int]:
        widths = [len(row) for row in csv.reader(lines, delimiter=separator) if row]
        return (sum(width == widths[0] for width in widths), widths[0]) if widths and widths[0] > 1 else (0, 0)

    return max(SEPARATORS, key=regularity)


def infer(column: pl.Series, *, commas: bool = False) -> pl.Series:
    """Give a column of text the type its values have, if no two different texts would become one value.

    So `01234` stays text (a postcode), and so does a code list that has both `1.1` and `1.10`.

    >>> infer(pl.Series(["1", "2"])).dtype, infer(pl.Series(["01", "2"])).dtype, infer(pl.Series(["1.1", "1.10"])).dtype
    (Int64, String, String)
    >>> infer(pl.Series(["2024-02-29", None])).dtype, infer(pl.Series(["1,5"]), commas=True).dtype
    (Date, Float64)
    """
    distinct = column.unique().drop_nulls()
    if distinct.is_empty():
        return column
    if set(distinct.head(3)) <= {"true", "false"}:
        return column == "true"
    if distinct.str.contains(r"^[+-]?0[0-9]").any():
        return column
    for dtype in (pl.Int64, pl.Float64, pl.Date, pl.Datetime("us")):
        typed = _cast(distinct, dtype, commas)
        if typed.null_count() == 0 and typed.n_unique() == len(distinct) and not _blurred(distinct, typed):
            return _cast(column, dtype, commas)
    return column


def _blurred(written: pl.Series, typed: pl.Series) -> bool:
    """Whether floating-point numbers would say less than the texts: NaN, or whole numbers of too many digits."""
    return bool(typed.dtype.is_float() and (typed.is_nan().any() or written.str.contains(r"^[+-]?[0-9]{16,}$").any()))


def _cast(column: pl.Series, dtype: pl.DataType | type[pl.DataType], commas: bool) -> pl.Series:
    if dtype == pl.Float64 and commas:
        column = column.str.replace(r"^([+-]?[0-9]+),([0-9]+)$", "$1.$2")
    if dtype == pl.Date:
        return column.str.to_date("%Y-%m-%d", strict=False)
    if isinstance(dtype, pl.Datetime):
        spaced = column.str.replace(r"^([0-9]{4}-[0-9]{2}-[0-9]{2})T", "$1 ")
        return spaced.str.to_datetime("%Y-%m-%d %H:%M:%S%.f", time_unit=dtype.time_unit, strict=False)
    return column.cast(dtype, strict=False)


def tidy(frame: pl.DataFrame) -> pl.DataFrame:
    """Make a frame one shoal can work on: NaN is missing, categories are text, nested types are refused."""
    if frame.width == 0 or frame.height == 0:
        raise TableError(
            f"the table has {frame.height} rows and {frame.width} columns",
            expected="at least one row and one column",
        )
    check_names(frame.columns)
    return frame.select(_tidy_column(column) for column in frame.iter_columns())


def _tidy_column(column: pl.Series) -> pl.Series:
    if column.dtype.is_float():
        column = column.fill_nan(None)
        if column.is_infinite().any():
            raise TableError(
                f"column {column.name!r} has {column.is_infinite().sum():,} infinite values",
                expected="numbers or missing values",
                hint="replace them before anonymizing",
            )
        return column
    if column.dtype in (pl.Categorical, pl.Null):
        return column.cast(pl.String)
    if column.dtype == pl.Enum and count_literal_stars(column.cast(pl.String)):
        return column.cast(pl.String)  # a declared category * could not be escaped
    if column.dtype.is_nested() or column.dtype in (pl.Binary, pl.Object, pl.Duration):
        raise TableError(
            f"column {column.name!r} holds {column.dtype} values",
            expected="numbers, text, dates or booleans",
            hint="flatten or leave out the column",
        )
    return column


def cell_text(column: pl.Series) -> pl.Series:
    """Return the published text of unaltered values: missing stays missing, a literal star is escaped.

    >>> cell_text(pl.Series(["a", "*", None])).to_list()
    ['a', '\\\\*', None]
    """
    if column.dtype == pl.String:
        return escape_stars(column)
    return column.cast(pl.String)


def escape_stars(column: pl.Series) -> pl.Series:
    """Guarantees that no original value reads as a star: `*` becomes `\\*`, `\\*` becomes `\\\\*`, and so on."""
    if not column.str.ends_with(STAR).any():
        return column
    return column.str.replace(r"^(\\*\*)$", r"\${1}")


def unescaped(column: pl.Series) -> pl.Series:
    """Return published text as it was before `escape_stars`; a column that holds a plain star was never escaped."""
    if column.dtype != pl.String or not column.str.ends_with(STAR).any() or bool((column == STAR).any()):
        return column
    return column.str.replace(r"^\\(\\*\*)$", "${1}")


def count_literal_stars(column: pl.Series) -> int:
    """Return how many cells of a column would read as a (possibly escaped) star."""
    return int(literal_stars(column).sum()) if column.dtype == pl.String else 0


def literal_stars(column: pl.Series) -> pl.Series:
    """Return which texts would read as a (possibly escaped) star."""
    ending = column.str.ends_with(STAR)
    return column.str.contains(r"^\\*\*$") if ending.any() else ending


def is_ordered(column: pl.Series) -> bool:
    """Whether the values of a column have an order of their own: numbers, dates, declared categories, truth values."""
    dtype = column.dtype
    return dtype.is_numeric() or dtype.is_temporal() or dtype in (pl.Boolean, pl.Enum)


def distinct_sorted(column: pl.Series) -> pl.Series:
    """Return the distinct values in order, a missing value last; text that reads as numbers is ordered by number.

    >>> distinct_sorted(pl.Series(["10", "9", None, "10"])).to_list()
    ['9', '10', None]
    """
    values = column.unique().sort(nulls_last=True)
    if column.dtype != pl.String:
        return values
    numbers = _as_numbers(values)
    if numbers.null_count() > values.null_count() or numbers.is_empty():
        return values
    return values.gather(numbers.arg_sort(nulls_last=True))


def odd_texts(values: pl.Series) -> int:
    """Return how many distinct texts keep a column from being ordered by number: one, or up to a tenth; else 0.

    >>> [odd_texts(pl.Series(texts)) for texts in (["9", "10", "unknown"], ["9", "10"], ["a", "b"])]
    [1, 0, 0]
    """
    if values.dtype != pl.String:
        return 0
    known = values.drop_nulls()
    odd = _as_numbers(known).null_count()
    return odd if odd <= max(1, len(known) // 10) and len(known) - odd > 1 else 0


def _as_numbers(values: pl.Series) -> pl.Series:
    return values.cast(pl.Float64, strict=False).fill_nan(None)


def numbered(frame: pl.DataFrame, distinct: pl.DataFrame) -> Ints:
    """Return for each row of a frame its place among the distinct rows."""
    number = "".join(frame.columns) + "#"
    joined = frame.join(
        distinct.with_row_index(number), on=frame.columns, how="left", nulls_equal=True, maintain_order="left"
    )
    return joined[number].cast(pl.Int64).to_numpy()


def write(frame: pl.DataFrame, path: Path) -> None:
    """Write a frame as the suffix says: CSV (missing is an empty cell, an empty string is `""`), Parquet or Arrow."""
    suffix = "".join(path.suffixes).lower()
    if suffix.endswith(".parquet"):
        frame.write_parquet(path)
    elif suffix.endswith(".csv"):
        frame.write_csv(path)
    elif suffix.endswith(".csv.gz"):
        path.write_bytes(gzip.compress(frame.write_csv().encode(), mtime=0))
    elif suffix.endswith((".arrow", ".feather", ".ipc")):
        frame.write_ipc(path, compat_level=pl.CompatLevel.oldest())  # newer ones may write texts that no cell shows
    else:
        raise TableError(
            f"cannot write {path.name!r}", expected="a name that ends in .csv, .csv.gz, .parquet or .arrow"
        )


def _as_polars(data: object) -> pl.DataFrame:
    if isinstance(data, pl.LazyFrame):
        return data.collect()
    if isinstance(data, pl.DataFrame):
        return data
    reset = getattr(data, "reset_index", None)  # a pandas index is labels, not data: positions are what counts
    if callable(reset):
        data = reset(drop=True)
    if isinstance(data, dict) or hasattr(data, "__arrow_c_stream__"):
        try:
            frame = pl.DataFrame(data)
            return frame.select(pl.all().gather(pl.int_range(pl.len())))  # a copy: the caller may change what is theirs
        except Exception as error:  # of polars, pyarrow or pandas, and their words may repeat cells
            raise TableError(
                f"the {type(data).__name__} is not a regular table ({type(error).__name__})",
                expected="columns of different names and equal length, each of one type",
            ) from None
    raise TableError(
        f"cannot read a table from a {type(data).__name__}",
        expected="a path or a polars, pandas or pyarrow frame",
    )


def _unzipped(content: bytes, name: str) -> bytes:
    if not content.startswith(b"\x1f\x8b"):
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise TableError(f"{name!r} is a damaged gzip file", hint="fetch or compress it again") from error


def _decoded(content: bytes, encoding: str, name: str) -> str:
    try:
        return content.decode(encoding).removeprefix("\ufeff")
    except LookupError as error:
        raise ParameterError(f"unknown encoding {encoding!r}", expected="a name such as utf-8 or cp1252") from error
    except UnicodeDecodeError as error:
        raise TableError(
            f"{name!r} is not {encoding} text (byte {error.start:,})", hint="name another --encoding"
        ) from error


def check_names(names: list[str]) -> None:
    """Refuse columns of the same name, without a name, or named like a pattern."""
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise TableError(f"there are columns of the same name: {', '.join(map(repr, twice))}", hint="rename them")
    if any(not name.strip() for name in names):
        raise TableError("there is a column without a name", expected="a name for every column")
    patterns = [name for name in names if name == STAR or (name.startswith("^") and name.endswith("$"))]
    if patterns:
        raise TableError(f"the name {patterns[0]!r} reads as a pattern for columns", hint="rename the column")
