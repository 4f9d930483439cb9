"""CSV text: separator, encoding, decimal sign and types are guessed where they are not given."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from shoal.core.errors import ParameterError, TableError
from shoal.tables.column_types import check_names
from shoal.tables.readers.base import ReadOptions
from shoal.tables.spelling import infer_file, one_spelling, spelling_notes

SEPARATORS = ",;\t|"
COMPRESSED = (b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd", b"PK\x03\x04")
"""How files begin that are compressed: by gzip, bzip2, Zstandard, or in a zip file."""
HEAD = 100_000
"""Characters at the beginning of a text that its form is guessed from."""
LONGEST = 2**26
"""Characters of the longest cell that is read, and of the longest row of a large file."""

csv.field_size_limit(max(csv.field_size_limit(), LONGEST))  # Python's own limit is 131,072


@dataclass(frozen=True)
class Form:
    """How a CSV file is written: what was said of it, or guessed from its first lines."""

    name: str
    encoding: str
    separator: str
    decimal: str | None = None

    @classmethod
    def of(cls, name: str, head: str, encoding: str, options: ReadOptions) -> Form:
        """Check what is said of a file that begins so, and guess the separator where it is not."""
        lines = head[:HEAD].splitlines()[:50]
        if not lines or not lines[0].strip():
            raise TableError(
                f"{name!r} is empty", expected="a header line with the names of the columns, then a row per person"
            )
        separator, decimal = options.separator or guess_separator(lines), options.decimal
        if len(separator.encode()) != 1:
            raise ParameterError(f"the separator is {separator!r}", expected="one plain character such as , or ;")
        if decimal not in (None, ".", ","):
            raise ParameterError(f"the decimal sign is {decimal!r}", expected="'.' or ','")
        return cls(name, encoding, separator, decimal)

    @property
    def said(self) -> str:
        """The form in words."""
        return f"{self.name}: separator {self.separator!r}, encoding {self.encoding}"

    def names(self, head: str) -> list[str]:
        """Return the names of the columns of a file that begins so."""
        found = next(csv.reader(io.StringIO(head, newline=""), delimiter=self.separator))
        check_names(found)
        return found

    def typed(self, column: pl.Series) -> pl.Series:
        """Give a column of text the type of its values; in text, numbers with a comma are spelt in one way."""
        typed = infer_file(column, commas=self._commas)
        return one_spelling(column, commas=True) if typed.dtype == pl.String and self._commas else typed

    def noted(self, columns: Iterable[pl.Series]) -> dict[str, tuple[str, ...]]:
        """Say which columns of text spell values in several ways."""
        return spelling_notes(columns, commas=self._commas)

    @property
    def _commas(self) -> bool:
        """Whether numbers may have a decimal comma."""
        return self.decimal == "," or (self.decimal is None and self.separator != ",")

    def check_text(self, text: str) -> None:
        """Refuse what is no text: a picture, say, whose name ends in .csv."""
        if "\0" in text:
            raise TableError(f"{self.name!r} is not a text file", hint="give a file of another format its own suffix")

    def irregular(self) -> TableError:
        """Return the error of a file whose rows cannot be told apart."""
        return TableError(
            f"{self.name!r} is not a regular table with separator {self.separator!r}",
            expected="the same number of cells in every row",
            hint="check the separator and unbalanced quotes",
        )

    def check_short(self, rows: int) -> None:
        """Refuse a file in which some rows are too short: the parser would fill them up as missing."""
        if rows:
            raise TableError(
                f"{self.name!r} has {rows:,} rows with fewer cells than the header",
                expected="the same number of cells in every row",
                hint="end them with as many separators as the header has",
            )


def parse(content: bytes, name: str, options: ReadOptions) -> tuple[pl.DataFrame, Form, dict[str, tuple[str, ...]]]:
    """Return the columns of a CSV file by their types, its form, and where it spells values in several ways."""
    content = unpacked_bytes(content, name)
    encoding = options.encoding or guess_encoding(content)
    text = _decoded(content, encoding, name)
    form = Form.of(name, text, encoding, options)
    form.check_text(text)
    try:
        frame = texts(text, form.separator)
        short = _short_rows(text, form.separator, frame)
    except (pl.exceptions.PolarsError, csv.Error) as error:
        raise form.irregular() from error
    form.check_short(short)
    notes = form.noted(frame.iter_columns())
    return frame.select(form.typed(column) for column in frame.iter_columns()), form, notes


def texts(text: str, separator: str = ",") -> pl.DataFrame:
    """Return the cells of a CSV text, all as text; a missing value is an empty cell, an empty string is `""`."""
    names = next(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    check_names(names)
    if len(names) > 1:  # of an only column, a blank line is a missing value
        text = without_blank_lines(text)
    return pl.read_csv(io.StringIO(text), separator=separator, infer_schema=False, new_columns=names)


def without_blank_lines(text: str) -> str:
    """Return a text without its blank lines, but for those in quotes: a blank line is no row.

    >>> without_blank_lines('a,b\\n\\n1,"x\\n\\ny"\\n\\n')
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
    if separators_outside(text, separator) == (frame.height + 1) * (frame.width - 1):
        return 0
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    return sum(0 < len(row) < frame.width for row in rows)


def separators_outside(text: str, separator: str) -> int:
    """Count the separators that are outside quotes."""
    return sum(outside.count(separator) for outside in text.split('"')[::2])


def guess_encoding(content: bytes) -> str:
    """Return the encoding of a byte-order mark, else UTF-8 if the bytes are, else Windows-1252.

    >>> guess_encoding("å".encode()), guess_encoding("å".encode("latin-1")), guess_encoding("å".encode("utf-16"))
    ('utf-8', 'cp1252', 'utf-16')
    """
    marked = marked_encoding(content)
    if marked:
        return marked
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def marked_encoding(content: bytes) -> str | None:
    """Return the encoding of a byte-order mark; None where there is none."""
    if content.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig"
    return "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else None


def guess_separator(lines: list[str]) -> str:
    """Return the separator that cuts the most lines into as many cells as the header, more cells winning ties.

    >>> guess_separator(["a;b;c", "1,5;2,5;x", "2,5;3,5;y"])
    ';'
    """

    def regularity(separator: str) -> tuple[int, int]:
        widths = [len(row) for row in csv.reader(lines, delimiter=separator) if row]
        return (sum(width == widths[0] for width in widths), widths[0]) if widths and widths[0] > 1 else (0, 0)

    return max(SEPARATORS, key=regularity)


def unpacked_bytes(content: bytes, name: str) -> bytes:
    """Return the bytes of a text, whether they are compressed or not."""
    if not content.startswith(COMPRESSED):
        return content
    from shoal.tables.compression import text_of  # loaded only where a file is compressed

    return text_of(content, name)


def _decoded(content: bytes, encoding: str, name: str) -> str:
    try:
        return content.decode(encoding).removeprefix("\ufeff")
    except LookupError as error:
        raise ParameterError(f"unknown encoding {encoding!r}", expected="a name such as utf-8 or cp1252") from error
    except UnicodeDecodeError as error:
        raise TableError(
            f"{name!r} is not {encoding} text (byte {error.start:,})", hint="name another --encoding"
        ) from error
