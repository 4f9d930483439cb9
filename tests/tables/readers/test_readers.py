"""Readers: the name of a file is enough to find its own, and whoever has none is told which there are."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import polars as pl
import pytest
from tests.house import loaded

from shoal.core.discovery import discover
from shoal.core.errors import TableError, Unsupported
from shoal.request import READING, SETTINGS, declared
from shoal.tables import readers
from shoal.tables.readers.base import Reader, ReadOptions, readable, reader_named, reader_of, titles
from shoal.tables.table import read
from shoal.tables.writing import write

READERS = discover(readers, Reader)
MINITAB = """
from typing import ClassVar

import polars as pl

from shoal.tables.readers.base import ScanReader


class Minitab(ScanReader):
    name: ClassVar[str] = "minitab"
    title: ClassVar[str] = "Minitab"
    suffixes: ClassVar[tuple[str, ...]] = (".mtw", ".mtw.gz")
    needs: ClassVar[str] = "{needs}"
    extra: ClassVar[str] = "shoal[files]"

    def scan(self, files):
        return pl.scan_csv(files)
"""
"""A reader whose files hold the text of a CSV file."""
TITLES = "Arrow, CSV (plain or compressed), Excel, JSON lines, Parquet, SAS, SPSS, Stata"
ONE_FILE = """
import sys
from shoal.tables.table import read
read(sys.argv[1])
print(*(name for name in sys.modules if name.startswith("shoal.tables.readers.")))
"""


@pytest.fixture
def minitab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[None]:
    """A reader that needs a module, among the others, and gone again afterwards."""
    folder = tmp_path / "more_readers"
    folder.mkdir()
    (folder / "minitab.py").write_text(MINITAB.replace("{needs}", request.param))
    monkeypatch.setattr(readers, "__path__", [*readers.__path__, str(folder)])
    importlib.invalidate_caches()
    yield
    sys.modules.pop("shoal.tables.readers.minitab", None)
    vars(readers).pop("minitab", None)


missing = pytest.mark.parametrize("minitab", ["no_such_module"], indirect=True)
present = pytest.mark.parametrize("minitab", ["polars"], indirect=True)


def test_formats_do_not_share_suffixes() -> None:
    every = readable()
    assert len(set(every)) == len(every)
    assert all(suffix == suffix.lower() and suffix.startswith(".") for suffix in every)


@pytest.mark.parametrize("kind", READERS.values(), ids=READERS)
def test_a_reader_takes_options_that_there_are(kind: type[Reader]) -> None:
    assert set(kind.options) <= {one.name for one in fields(ReadOptions)}
    assert bool(kind.needs) == bool(kind.extra)


def test_the_settings_of_reading_are_the_options_of_readers() -> None:
    assert set(READING) == {one.name for one in fields(ReadOptions)}


def test_help_lists_the_formats_from_the_text_of_their_modules() -> None:
    assert declared("readers", "title") == titles() == TITLES
    assert titles() in SETTINGS["file"].help


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("people.csv", "csv"),
        ("people.2024.CSV", "csv"),
        ("people.parquet.csv.gz", "csv"),
        ("people.TSV.gz", "csv"),
        ("people.csv.parquet", "parquet"),
        ("people.feather", "arrow"),
        (".csv", None),
        ("people", None),
        ("people.gz", None),
        ("people.csv.zst", "csv"),
        ("people.zip", "csv"),
        ("people.JSONL", "json-lines"),
        ("people.ods", "excel"),
        ("people.2024.sas7bdat", "sas"),
        ("people.zsav", "spss"),
        ("people.sav.gz", None),
        ("people.parquet.gz", None),
        ("peoplecsv", None),
    ],
)
def test_the_end_of_a_name_says_the_format(name: str, format: str | None) -> None:
    kind = reader_named(Path(name))
    assert (kind and kind.name) == format


@pytest.mark.parametrize(("suffix", "module"), [(".csv", "csv"), (".parquet", "parquet"), (".feather", "arrow")])
def test_the_other_readers_are_not_imported(tmp_path: Path, suffix: str, module: str) -> None:
    path = tmp_path / f"people{suffix}"
    write(pl.DataFrame({"age": [1, 2]}), path)
    assert set(loaded(ONE_FILE, str(path))) == {"shoal.tables.readers.base", f"shoal.tables.readers.{module}"}


def test_a_suffix_that_nobody_reads_is_refused_with_those_that_are_read(tmp_path: Path) -> None:
    (tmp_path / "people.mtw").touch()
    with pytest.raises(TableError) as caught:
        read(tmp_path / "people.mtw")
    assert caught.value.expected == " or ".join(readable())
    assert caught.value.hint == ""


@missing
@pytest.mark.usefixtures("minitab")
def test_an_error_says_what_an_extra_would_add(tmp_path: Path) -> None:
    (tmp_path / "people.por2").touch()
    with pytest.raises(TableError, match=r"pip install 'shoal\[files\]' to read \.mtw and \.mtw\.gz"):
        read(tmp_path / "people.por2")
    assert ".mtw" not in readable()


@missing
@pytest.mark.usefixtures("minitab")
def test_a_reader_whose_module_is_missing_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "people.mtw").touch()
    with pytest.raises(Unsupported, match=r"Minitab needs no_such_module, .*; pip install 'shoal\[files\]'"):
        read(tmp_path / "people.mtw")


@present
@pytest.mark.usefixtures("minitab")
def test_a_file_more_is_a_format_more(tmp_path: Path) -> None:
    path = tmp_path / "people.mtw"
    path.write_text("age\n30\n")
    assert reader_of(path).name == "minitab"
    assert read(path).frame.to_dict(as_series=False) == {"age": [30]}
    assert ".mtw" in readable()
    assert "Minitab" in titles()


def test_a_format_that_reads_nothing_of_a_folder_is_not_asked(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age\n1\n")
    with pytest.raises(TableError, match="there is no file"):
        read(tmp_path)


def test_first_rows_of_columns_are_read_without_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    frame = pl.DataFrame({"age": [1, 2, 3], "pay": [-0.0, float("nan"), 2.0]})
    write(frame, path)
    first = reader_of(path).first_rows(path, 2, ReadOptions())
    assert first is not None
    assert first.rows() == [(1, 0.0), (2, None)]
