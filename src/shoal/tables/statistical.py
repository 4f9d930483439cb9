"""Files of statistics packages, read and written by pyreadstat: cells, and all that the files say of their columns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from shoal.core.errors import ParameterError, TableError, failing_as
from shoal.core.number_format import counted
from shoal.tables.column_types import as_whole, tidy
from shoal.tables.columns import Columns, Held
from shoal.tables.labels import Code, Labels, Variable, as_codes, as_words, reads_as_words
from shoal.tables.readers.base import Contents, Origin, Reader, ReadOptions, other_format
from shoal.tables.signatures import unreadable
from shoal.tables.spelling import spelling_notes
from shoal.tables.writers.base import LabelWriter, storable

NEEDS, EXTRA = "pyreadstat", "shoal[files]"
TEMPORAL = re.compile(r"%-?t|.*(DATE|TIME|MONTH|WKDAY|YR|YMD|YYMM|MMDD|DDMM|MMYY|HHMM|MTIME|TOD)", re.IGNORECASE)
"""The display formats of dates and times; those of text begin with A or $, or end in s after %."""
TEXTUAL = re.compile(r"A\d|\$|%.*s$", re.IGNORECASE)


class StatisticalReader(Reader):
    """Reads all columns at once. Codes that are declared as missing are missing values, and so are empty strings."""

    needs: ClassVar[str] = NEEDS
    extra: ClassVar[str] = EXTRA
    options: ClassVar[tuple[str, ...]] = ("encoding",)
    typed: ClassVar[bool] = False
    empty_strings: ClassVar[bool] = False
    functions: ClassVar[Mapping[str, str]]
    """The function of pyreadstat for each suffix."""
    writes: ClassVar[Mapping[str, str]]
    """The format of a release for each suffix."""
    densest: ClassVar[Mapping[str, int]] = {}
    """For each suffix the most cells that a byte of a file can stand for, where it is compressed; else 1."""
    declares_missing: ClassVar[bool] = False
    """Whether its files declare ordinary values as missing."""

    def read(self, path: Path, options: ReadOptions) -> Contents:
        """Return the columns, with what the file says of them."""
        frame, found, told = self._found(path, options)
        format = self.writes[path.suffix.lower()]
        told = (*told, *other_format(path, format))
        columns = Held(tidy(frame), spelling_notes(frame.iter_columns()))
        return Contents(columns, origin=Origin(format, found, told=told))

    def as_written(self, path: Path) -> Columns:
        """Return the cells of a published table."""
        return Held(self._found(path, ReadOptions())[0])

    def _found(self, path: Path, options: ReadOptions) -> tuple[pl.DataFrame, Labels, tuple[str, ...]]:
        """Return the cells, what the file says of the columns, and how many cells are declared as missing."""
        frame, stated = self._parsed(path, options)
        labels = replace(_labels(stated), family=self.name)
        columns, told = [], []
        for column in frame.iter_columns():
            plain = _without_declared(column, labels.of(column.name).missing)
            if hidden := plain.null_count() - column.null_count():
                told.append(f"{counted(hidden, 'cell')} of {column.name!r}")
            columns.append(as_whole(_nothing_is_missing(plain)))
        words = {column.name for column in columns if reads_as_words(column, labels.of(column.name))}
        read = [as_words(one, labels.of(one.name)) if one.name in words else one for one in columns]
        known = {name: replace(one, words=name in words) for name, one in labels.variables.items()}
        said = f"{path.name}: {', '.join(told)} hold codes declared as missing; they are read as missing values"
        return pl.DataFrame(read), replace(labels, variables=known), (said,) if told else ()

    def _parsed(self, path: Path, options: ReadOptions) -> tuple[pl.DataFrame, Any]:
        """Return what pyreadstat finds; a file that it cannot read is said in words without a cell."""
        function = getattr(self.module(), self.functions[path.suffix.lower()])
        asked: dict[str, Any] = {"output_format": "polars"}
        asked |= {"encoding": options.encoding} if options.encoding else {}
        asked |= {"user_missing": True} if self.declares_missing and path.suffix.lower() != ".por" else {}
        with failing_as(lambda: unreadable(path, self.title)):
            try:
                self._check_stated(path, function(path, **asked, metadataonly=True)[1])
                frame, stated = function(path, **asked)
            except LookupError as error:
                if not options.encoding:
                    raise
                raise ParameterError(
                    f"unknown encoding {options.encoding!r}", expected="a name such as utf-8"
                ) from error
        return frame, stated

    def _check_stated(self, path: Path, stated: Any) -> None:
        """Refuse a file that states no column, or more cells than its bytes can hold: pyreadstat believes it."""
        cells = (stated.number_rows or 0) * stated.number_columns
        if not stated.number_columns or cells > path.stat().st_size * self.densest.get(path.suffix.lower(), 1):
            raise unreadable(path, self.title)


def _labels(stated: Any) -> Labels:
    """Return what pyreadstat says of a file, as plain data."""
    described = {
        name: Variable(
            label=stated.column_names_to_labels.get(name) or "",
            values={_plain(code): text for code, text in stated.variable_value_labels.get(name, {}).items()},
            missing=tuple((one["lo"], one["hi"]) for one in stated.missing_ranges.get(name, ())),
            format=stated.original_variable_types.get(name) or "",
            measure=_known(stated.variable_measure.get(name)),
            width=stated.variable_display_width.get(name) or 0,
        )
        for name in stated.column_names
    }
    return Labels(described, stated.file_label or "")


def _known(measure: str | None) -> str:
    return measure if measure and measure != "unknown" else ""


def _without_declared(column: pl.Series, missing: Any) -> pl.Series:
    """Return a column without the values that are declared as missing."""
    for low, high in missing:
        if column.dtype.is_numeric() != isinstance(low, str):
            column = column.set(column.is_between(low, high).fill_null(value=False), None)
    return column


def _nothing_is_missing(column: pl.Series) -> pl.Series:
    """Return a column in which an empty string is missing, which files of statistics do not tell apart."""
    if column.dtype == pl.String:
        return column.set((column == "").fill_null(value=False), None)
    return column.cast(pl.String) if column.dtype == pl.Null else column


class StatisticalWriter(LabelWriter):
    """Writes with the labels of the original; what the format cannot hold exactly is refused."""

    needs: ClassVar[str] = NEEDS
    extra: ClassVar[str] = EXTRA
    empty_strings: ClassVar[bool] = False
    function: ClassVar[str]
    """The function of pyreadstat."""
    family: ClassVar[str]
    """The name of the reader of its files."""
    longest: ClassVar[int] = 0
    """Bytes of the longest label of a value; 0 where values have none."""
    longest_title: ClassVar[int] = 255
    """Characters of the longest label of a column or file; longer ones are cut."""
    labels_text: ClassVar[bool] = False
    """Whether values of columns of text may have labels."""
    plain_number: ClassVar[str] = ""
    """The display format of a column of numbers that gets labels it did not have."""

    def put(self, frame: pl.DataFrame, path: Path, labels: Labels) -> None:
        """Write a frame; nothing in the file says when."""
        labels = labels.for_family(self.family)
        made = {name: self._made(frame[name], labels.of(name)) for name in labels.in_order(frame.columns)}
        table = pl.DataFrame([column.alias(name) for name, (column, _) in made.items()])
        values = {name: found for name, (_, found) in made.items() if found}
        described = {name: self._variable(frame[name], labels.of(name), values) for name in made}
        try:
            getattr(self.module(), self.function)(
                table,
                path,
                file_label=labels.title[: self.longest_title],
                column_labels={name: text[: self.longest_title] for name in made if (text := labels.of(name).label)},
                **self.options(replace(labels, variables=described), values),
            )
        except (OSError, MemoryError):
            raise
        except Exception as error:  # its own errors have no base class, and their words may repeat cells
            raise _unwritten(frame, self.title, error) from error
        self.undate(path)

    def options(self, labels: Labels, values: dict[str, dict[Code, str]]) -> dict[str, Any]:
        """Return what the function of pyreadstat takes besides the cells and the labels of columns."""
        return {"variable_format": {name: one.format for name, one in labels.variables.items() if one.format}}

    def undate(self, path: Path) -> None:
        """Take the time of writing out of a file, so that the same table is the same bytes."""

    def _made(self, column: pl.Series, variable: Variable) -> tuple[pl.Series, dict[Code, str]]:
        """Return a column as the format holds it, and the labels of its values."""
        if self.longest and variable.words and column.dtype in (pl.String, pl.Enum):
            codes, labels = as_codes(column, variable)
            if all(len(text.encode()) <= self.longest for text in labels.values()) and len(labels) <= 2**15:
                return codes, labels
        cells = _numbers(storable(column))
        if cells.dtype == pl.String:
            return cells, self._labels_of_text(cells, variable)
        keeps = self.longest and cells.dtype.is_numeric() and not reads_as_words(cells, variable)
        return _numbers_alike(cells, variable.values) if keeps and variable.values else (cells, {})

    def _labels_of_text(self, cells: pl.Series, variable: Variable) -> dict[Code, str]:
        """Return the labels of the texts among the cells that are codes of the original."""
        found = set(cells.drop_nulls().unique().to_list()) if self.labels_text else set()
        texts = {str(code): label for code, label in variable.values.items()}
        return {text: label for text, label in texts.items() if text in found}

    def _variable(self, column: pl.Series, variable: Variable, values: Mapping[str, Any]) -> Variable:
        """Return what is said of a column that is written: only what fits the cells that it has now."""
        if variable.words and column.name in values:
            added = len(values[column.name]) > len(variable.values)
            return replace(variable, format=self.plain_number) if added else variable
        text, temporal = bool(TEXTUAL.match(variable.format)), bool(TEMPORAL.match(variable.format))
        if text and column.dtype == pl.String:
            return replace(variable, format="")
        fits = column.dtype.is_temporal() if temporal else column.dtype.is_numeric()
        return variable if fits and not text else Variable(variable.label)


def _plain(code: Code) -> Code:
    """Return a code as the cells of a column of numbers have it.

    >>> _plain(1.0), _plain(1.5), _plain("a")
    (1, 1.5, 'a')
    """
    return int(code) if isinstance(code, float) and code.is_integer() else code


def _numbers_alike(cells: pl.Series, labels: Mapping[Code, str]) -> tuple[pl.Series, dict[Code, str]]:
    """Return cells and labels whose numbers are of one type, which pyreadstat asks for."""
    if cells.dtype.is_float() or any(isinstance(code, float) for code in labels):
        return cells.cast(pl.Float64), {c if isinstance(c, str) else float(c): text for c, text in labels.items()}
    return cells, dict(labels)


def _numbers(column: pl.Series) -> pl.Series:
    """Return a column whose numbers are of a type that pyreadstat writes as it should."""
    if column.dtype == pl.Boolean:
        return column.cast(pl.Int8)
    if column.dtype.is_integer() and column.count() and bool((column.cast(pl.Float64).abs() < 2**31 - 100).all()):
        return column.cast(pl.Int32)
    return column.cast(pl.Float64) if column.dtype.is_numeric() else column


def _unwritten(frame: pl.DataFrame, title: str, error: Exception) -> TableError:
    """Return the error of a table that pyreadstat refuses, most often for its names."""
    wrong = [name for name in frame.columns if not re.fullmatch(r"[^\W\d]\w*", name) or len(name.encode()) > 32]
    if wrong:
        return TableError(
            f"{title} files cannot have a column {wrong[0]!r}",
            expected="letters, digits and _, up to 32 characters, a letter first",
            hint="rename the column, or name another --format",
        )
    return TableError(f"the table does not fit a {title} file ({type(error).__name__})", hint="name another --format")
