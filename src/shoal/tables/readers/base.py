"""Readers: each turns the files of one format into columns. The end of a file's name says which one it asks for.

Of the modules in this package only those are imported whose text has the suffix.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from os.path import isdir, isfile
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import polars as pl

from shoal.core.discovery import declaring, discover
from shoal.core.errors import ParameterError, TableError, Unsupported
from shoal.tables import readers
from shoal.tables.column_types import tidy_column
from shoal.tables.columns import Columns, Stored

if TYPE_CHECKING:
    from shoal.tables.labels import Labels


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How a file is written, as far as that was said; a reader guesses what is None."""

    separator: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    sheet: str | int | None = None
    header_row: str | int | None = None
    query: str | None = None


ELSEWHERE = {"sheet": "a workbook", "header_row": "a workbook", "query": "the URL of a database"}
"""Options that most files have no use for, and what has."""


@dataclass(frozen=True)
class Origin:
    """Where a table comes from, as far as a release of it depends on that."""

    format: str = "csv"
    """What a release is written as where no format is named."""
    labels: Labels | None = None
    """What the file says of its columns, where the format has a place for that."""
    kind: str = ""
    """The library of the frame that it was made from: `polars`, `polars.lazy`, `pandas` or `pyarrow`; else nothing."""
    types: Mapping[str, Any] = field(default_factory=dict)
    """By column, the type that the frame has for it, in the words of its library."""
    told: tuple[str, ...] = ()
    """What the person who asks for a release should know of the file, a line each."""


@dataclass(frozen=True)
class Contents:
    """What a reader found in a file."""

    columns: Columns
    notes: tuple[str, ...] = ()
    """What was guessed, in words, for the decision log."""
    origin: Origin = field(default_factory=Origin)
    """What a release in the same format takes over."""


class Format(ABC):
    """What readers and writers of files declare."""

    name: ClassVar[str]
    """Of a writer, the word for it in `--format`."""
    title: ClassVar[str]
    """What people call it."""
    suffixes: ClassVar[tuple[str, ...]]
    """How the names of its files end, in small letters, the usual ending first; `.csv.gz` is one suffix."""
    needs: ClassVar[str] = ""
    """A module that has to be installed for it, if any."""
    extra: ClassVar[str] = ""
    """What installs that module, such as `shoal[files]`."""
    empty_strings: ClassVar[bool] = True
    """Whether its files tell an empty string from a missing value; else a table that has one is not written."""

    @classmethod
    def is_installed(cls) -> bool:
        """Whether the module that it needs is installed."""
        return not cls.needs or find_spec(cls.needs) is not None

    @classmethod
    def module(cls) -> Any:
        """Return the module that it needs."""
        return import_module(cls.needs)  # an optional extra


class Reader(Format):
    """Turns the files of one format into columns. It refuses a file with a `TableError` that repeats no cell."""

    options: ClassVar[tuple[str, ...]] = ()
    """The `ReadOptions` that it takes; the others mean nothing in its files."""
    typed: ClassVar[bool] = True
    """Whether its files state the types of columns; else types are inferred, and a release is read by its codebook."""
    folders: ClassVar[bool] = False
    """Whether a folder of its files, side by side, is one table."""

    def taken(self, path: Path, options: ReadOptions) -> ReadOptions:
        """Return the options, or refuse a sheet, header row or query that a file does not have."""
        for name, other in ELSEWHERE.items():
            if getattr(options, name) is not None and name not in self.options:
                raise ParameterError(
                    f"{path.name!r} is a {self.title} file: it has no {name.replace('_', ' ')}",
                    hint=f"leave {name} out, or give {other}",
                )
        return options

    @abstractmethod
    def read(self, path: Path, options: ReadOptions) -> Contents:
        """Return the columns of a file, each of a plain type (`shoal.tables.column_types.tidy`)."""

    def read_by_disk(self, path: Path, options: ReadOptions) -> Contents:
        """Return the same of a file that may be larger than memory."""
        return self.read(path, options)

    def as_written(self, path: Path) -> Columns:
        """Return the cells of a published table, which may have no rows.

        A column of a format that is not typed is of text, or of any type that its values can be cast from.
        """
        return self.read(path, ReadOptions()).columns

    def first_rows(self, path: Path, rows: int, options: ReadOptions) -> pl.DataFrame | None:
        """Return the first rows if they can be read without the rest, else None."""
        return None

    def files(self, path: Path) -> list[Path]:
        """Return the files of a table: the file itself, or those of a folder in the order of their names.

        Files that Spark ignores are left out; folders inside a folder are refused.
        """
        if not names_folder(path):
            return [path]
        suffix = self.suffixes[0]
        inside = sorted({file.parent.name for file in path.glob(f"*/*{suffix}")})
        if inside:
            raise TableError(
                f"{path.name!r} has {self.title} files in folders inside it, such as {inside[0]!r}",
                expected="the files of one table, side by side",
            )
        return sorted(file for file in path.glob(f"*{suffix}") if not file.name.startswith((".", "_")))


class ScanReader(Reader):
    """A format of which polars reads one column without the others."""

    release_format: ClassVar[str] = "csv"
    """What a release of its files is written as where no format is named."""

    @abstractmethod
    def scan(self, files: list[Path]) -> pl.LazyFrame:
        """Return the rows of some files, one file after the other; a file name is never a pattern."""

    def column(self, column: pl.Series) -> pl.Series:
        """Return a column of a file as it is in the table."""
        return tidy_column(column)

    def read(self, path: Path, options: ReadOptions) -> Contents:
        """Return columns that are read when they are asked for."""
        return Contents(Stored(path, self.scan, self.column, files=self.files), origin=Origin(self.release_format))

    def as_written(self, path: Path) -> Columns:
        """Return the columns, which may have no rows."""
        return Stored(path, self.scan, files=self.files, empty=True)

    def first_rows(self, path: Path, rows: int, options: ReadOptions) -> pl.DataFrame | None:
        """Return the first rows, read without the rest."""
        return Stored(path, self.scan, self.column, files=self.files).head(rows)


def other_format(path: Path, format: str) -> tuple[str, ...]:
    """Say what a release of a file is written as where its own format cannot be; nothing where it can.

    >>> other_format(Path("people.xls"), "xlsx"), other_format(Path("people.XLSX"), "xlsx")
    (('people.xls: .xls files cannot be written; without --format the release is a .xlsx file',), ())
    """
    suffix = path.suffix.lower()
    said = f"{path.name}: {suffix} files cannot be written; without --format the release is a .{format} file"
    return () if suffix == f".{format}" else (said,)


def reader_of(path: Path) -> Reader:
    """Return the reader of a file, or of a folder whose files are one table; or say why there is none."""
    if str(path) == "-":
        raise TableError(
            "a table cannot be read from '-': it is read more than once, and standard input only once",
            hint="write it to a file first, or pass a frame in Python",
        )
    kind = reader_named(path) if names_file(path) else _of_folder(path) if names_folder(path) else None
    if kind is None and not names_file(path):
        raise TableError(f"there is no file {path.name!r} in {str(path.parent)!r}", hint="check the path")
    if kind is None:
        raise TableError(
            f"{path.name!r} has a suffix shoal does not read", expected=" or ".join(readable()), hint=_of_extras()
        )
    return checked(kind)()


def reader_named(path: Path) -> type[Reader] | None:
    """Return the reader that a file's name asks for; the file is not looked at."""
    return named(readers, Reader, path)


def readable() -> tuple[str, ...]:
    """Return the suffixes of the files that can be read."""
    return tuple(suffix for kind in installed(readers, Reader) for suffix in kind.suffixes)


def titles() -> str:
    """Return the formats that can be read, in words."""
    return ", ".join(sorted(kind.title for kind in installed(readers, Reader)))


def _of_folder(folder: Path) -> type[Reader] | None:
    """Return the reader of which a folder has files."""
    kinds = declaring(readers, Reader, "folders: ClassVar[bool] = True").values()
    return next((kind for kind in kinds if kind.folders and kind().files(folder)), None)


def _of_extras() -> str:
    """Say which files could be read if something were installed; nothing if all can be read."""
    others = [kind for kind in discover(readers, Reader).values() if not kind.is_installed()]
    return "; ".join(f"pip install {kind.extra!r} to read {' and '.join(kind.suffixes)}" for kind in others)


Kind = TypeVar("Kind", bound=Format)


def named(package: ModuleType, kind: type[Kind], path: Path) -> type[Kind] | None:
    """Return the format in a package that a file's name asks for, by the longest suffix that is known."""
    ends = _ends(path)

    def fitting(kinds: Iterable[type[Kind]]) -> type[Kind] | None:
        return next((one for end in ends for one in kinds if end in one.suffixes), None)

    near = {name: one for end in ends for name, one in declaring(package, kind, f'"{end}"').items()}
    return fitting(near.values()) or fitting(discover(package, kind).values())


def installed(package: ModuleType, kind: type[Kind]) -> list[type[Kind]]:
    """Return the formats in a package whose modules are here, by name."""
    return [one for one in discover(package, kind).values() if one.is_installed()]


def checked(kind: type[Kind]) -> type[Kind]:
    """Return a format, or raise `Unsupported` that names what has to be installed for it."""
    if not kind.is_installed():
        raise Unsupported(
            f"{kind.title} needs {kind.needs}, which is not installed", hint=f"pip install {kind.extra!r}"
        )
    return kind


def _ends(path: Path) -> list[str]:
    """Return the ends of a file's name that may be a suffix, the longest first.

    >>> _ends(Path("people.2024.CSV")), _ends(Path("people"))
    (['.2024.csv', '.csv'], [])
    """
    parts = [part.lower() for part in path.suffixes[-2:]]
    return ["".join(parts[place:]) for place in range(len(parts))]


def names_file(path: str | Path) -> bool:
    """Whether there is a file of this name; pathlib raises an error for a name that is too long.

    >>> names_file("x" * 5000)
    False
    """
    return isfile(path)  # noqa: PTH113


def names_folder(path: str | Path) -> bool:
    """Whether there is a folder of this name.

    >>> names_folder("."), names_folder("x" * 5000)
    (True, False)
    """
    return isdir(path)  # noqa: PTH112
