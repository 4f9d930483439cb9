"""Files that are made to hurt, or merely odd: each ends in a table or in words, with bounded memory."""

from __future__ import annotations

import gzip
import pickle
import random
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

import shoal
from shoal.cli.app import app
from shoal.config import read_config
from shoal.core.errors import ParameterError, ShoalError, TableError
from shoal.tables import compression
from shoal.tables.csv_spill import COUNTED, text_size
from shoal.tables.readers.base import ReadOptions
from shoal.tables.readers.csv import LARGE, Csv
from shoal.tables.table import read


def test_a_packed_file_is_as_large_as_its_text(tmp_path: Path) -> None:
    """A few kilobytes may stand for gigabytes: they go by the disk, like any large file, and meet its limits."""
    path = tmp_path / "people.csv.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"age,town\n")
        for _ in range(80):
            file.write(b"1" * 1_000_000)
    assert path.stat().st_size < 1_000_000
    assert LARGE <= COUNTED < text_size(path)
    with pytest.raises(TableError, match="a row of more than"):
        read(path)


def test_a_packed_text_that_does_not_fit_in_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "people.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("people.csv", "age\n" + "20\n" * 1_000)
    assert read(path).rows == 1_000
    monkeypatch.setattr(compression, "MOST_HELD", 2_000)
    with pytest.raises(TableError, match="holds more than 2,000 bytes of text"):
        read(path)


@pytest.mark.parametrize("by", ["read", "read_by_disk"])
def test_a_cell_may_be_as_long_as_a_letter(tmp_path: Path, by: str) -> None:
    path = tmp_path / "letters.csv"
    letter = "x" * 200_000
    path.write_text(f'age,letter\n20,"{letter}"\n21,short\n')
    found = getattr(Csv(), by)(path, ReadOptions()).columns.frame()
    assert found["letter"].to_list() == [letter, "short"]
    path.write_text(f'age,letter\n20,"{letter}"\n21\n')
    with pytest.raises(TableError, match="1 rows with fewer cells than the header"):
        getattr(Csv(), by)(path, ReadOptions())


@pytest.mark.parametrize("content", ["quasi = " + "[" * 3_000 + "]" * 3_000, "time_limit = " + "9" * 5_000])
def test_settings_beyond_all_bounds_are_no_toml(tmp_path: Path, content: str) -> None:
    path = tmp_path / "shoal.toml"
    path.write_text(content)
    with pytest.raises(ParameterError, match="is not a TOML file"):
        read_config(path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("nested.json", '{"a":' * 30_000 + "1" + "}" * 30_000),
        ("cycle.csv", "20;a;b\n21;b;a\n22;a;c\n23;a;b\n"),
    ],
)
def test_a_hierarchy_without_end_or_order_is_refused(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    people = {"age": [20, 21, 22, 23] * 3}
    with pytest.raises(ShoalError):
        shoal.anonymize(people, quasi=["age"], require="k=2", hierarchies={"age": str(tmp_path / name)})


@pytest.mark.parametrize("suffix", [".arrow", ".parquet", ".feather", ".csv.gz", ".zip", ".pkl"])
def test_bytes_that_are_no_table_are_refused_in_words(tmp_path: Path, suffix: str) -> None:
    starts = {".arrow": b"ARROW1\0\0", ".parquet": b"PAR1", ".csv.gz": b"\x1f\x8b", ".zip": b"PK\x03\x04"}
    path = tmp_path / f"people{suffix}"
    path.write_bytes(starts.get(suffix, b"") + random.Random(0).randbytes(4_000) + starts.get(suffix, b""))
    if suffix == ".pkl":
        path.write_bytes(pickle.dumps({"age": [20, 21]}))
    with pytest.raises(ShoalError):
        read(path)


def test_names_do_not_steer_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    rows = "".join(f"{i % 3},{i % 2},{i % 5},{i}\n" for i in range(40))
    path.write_text(f'"a\x1b[31mred","\u202eevil","b\nc",d\n{rows}')
    printed = CliRunner().invoke(app, ["inspect", str(path)]).output
    assert r"\u202e" in printed
    assert "\x1b[31m" not in printed
    assert "\u202e" not in printed
