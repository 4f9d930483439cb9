"""Files that are made to hurt, or merely odd: each ends in a table or in words, with bounded memory."""

from __future__ import annotations

import gzip
import pickle
import random
import zipfile
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather
from tests.cli.command import shoal as command
from tests.tables.hostile import PEOPLE, REFUSED
from typer.testing import CliRunner

import shoal
from shoal.cli.app import app
from shoal.config import read_config
from shoal.core.errors import ParameterError, ShoalError, TableError
from shoal.core.memory import peak, start_of_peak
from shoal.hierarchies import Taxonomy
from shoal.models.requirement import parse_requirement
from shoal.tables import compression, workbooks
from shoal.tables.csv_spill import COUNTED, text_size
from shoal.tables.readers.base import ReadOptions
from shoal.tables.readers.csv import LARGE, Csv
from shoal.tables.table import read
from shoal.web.desk import Desk, queries

SLOW = ("old.xls",)
"""Files that take a process of their own, several times; the corpus of fuzzing has them for `make test`."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in REFUSED]
)
def test_a_file_that_is_made_to_hurt_is_refused_at_every_door(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Command line, library and page say one sentence, and no door takes more memory than a small table does."""
    monkeypatch.setattr(workbooks, "MOST_UNPACKED", 10_000_000)
    path = tmp_path / name
    path.write_bytes(REFUSED[name](tmp_path))
    assert path.stat().st_size < 500_000
    before = peak() or 0
    with pytest.raises(ShoalError):
        read(path).frame  # noqa: B018
    done = command("inspect", path)
    assert (done.code, done.err.count("\n"), done.out) == (2, 1, "")
    desk = Desk(tmp_path / "desk", root=tmp_path)
    with pytest.raises(ShoalError):
        queries.table(desk.upload(name, path.read_bytes())).frame  # noqa: B018
    desk.close()
    assert (peak() or 0) - before < 400 * 2**20


def test_what_statistics_of_a_file_say_is_not_believed(tmp_path: Path) -> None:
    """The smallest and the largest value of a column are written down in Parquet files; they may be any."""
    path = tmp_path / "people.parquet"
    PEOPLE.write_parquet(path, statistics=True)
    content = path.read_bytes()
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    assert content.count(b"Bern", start)
    path.write_bytes(content[:start] + content[start:].replace(b"Bern", b"zzzz").replace(b"Rome", b"aaaa"))
    assert read(path).frame.equals(PEOPLE)
    released = shoal.anonymize(path, quasi=["town"], other=["age"], require="k=2", recoding="suppress")
    assert set(released.table["town"]) == set(PEOPLE["town"])


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_a_text_that_many_rows_have_is_held_once(tmp_path: Path, suffix: str) -> None:
    """A hundred thousand rows of one letter of 60,000 characters: a file of kilobytes, with six gigabytes of texts."""
    letter, path = "x" * 60_000, tmp_path / f"letters{suffix}"
    codes = pa.array([0, None] + [0] * 100_000, pa.int32())
    table = pa.table({"letter": pa.DictionaryArray.from_arrays(codes, pa.array([letter]))})
    if suffix == ".parquet":
        pq.write_table(table, path)
    else:
        feather.write_feather(table, path, compression="zstd")
    assert path.stat().st_size < 100_000
    before = start_of_peak() or 0
    found = read(path).frame["letter"]
    assert (found.null_count(), found.drop_nulls().unique().to_list(), found.len()) == (1, [letter], 100_002)
    assert (peak() or 0) - before < 200 * 2**20


def test_a_packed_hierarchy_that_is_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "ages.csv.gz"
    path.write_bytes(gzip.compress(b"20;x\n" * 1_000_000))
    monkeypatch.setattr("shoal.hierarchies.trees.LONGEST", 1_000_000)
    with pytest.raises(ShoalError, match="holds more than 1,000,000 bytes of text"):
        shoal.anonymize({"age": [20, 20]}, quasi=["age"], require="k=2", hierarchies={"age": str(path)})


@pytest.mark.parametrize("number", ["1e99999999", "1e-99999999", "9" * 5_000, "nan", "1/0", "0x" + "f" * 5_000])
def test_numbers_beyond_all_bounds_are_refused_at_once(tmp_path: Path, number: str) -> None:
    people = {"age": [20, 20]}
    for more in ({"require": f"k={number}"}, {"require": "k=2", "max_dropped": number}):
        with pytest.raises(ShoalError):
            shoal.anonymize(people, quasi=["age"], **more)  # type: ignore[arg-type]
    (tmp_path / "shoal.toml").write_text(f'[privacy]\nrequire = "k=2"\nmax_dropped = "{number}"\n')
    with pytest.raises(ShoalError):
        shoal.anonymize(people, quasi=["age"], **read_config(tmp_path / "shoal.toml"))


@pytest.mark.slow
def test_ten_thousand_columns_are_a_table(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    pl.DataFrame({f"c{place}": [1, 2, 3, 4] * 5 for place in range(10_000)}).write_csv(path)
    released = shoal.anonymize(path, quasi=["c0", "c1"], leave_out="rest", require="k=2", method="mondrian")
    assert released.table.shape == (20, 2)


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


LONG = "x" * 300
"""A name that no file can have."""


@pytest.mark.parametrize(
    "reading",
    [
        lambda folder: read(folder / f"{LONG}.csv"),
        lambda folder: Taxonomy.from_csv(folder / f"{LONG}.csv"),
        lambda folder: Taxonomy.from_json(folder / f"{LONG}.json"),
        lambda folder: parse_requirement(f"t(pay:{LONG})=0.2"),
        lambda folder: shoal.verify(folder / LONG),
    ],
    ids=["table", "hierarchy", "tree", "metric", "release"],
)
def test_a_name_that_is_too_long_names_no_file(tmp_path: Path, reading: Callable[[Path], object]) -> None:
    with pytest.raises(ShoalError, match="there is no"):
        reading(tmp_path)


def test_settings_may_have_a_text_that_is_too_long_for_a_name(tmp_path: Path) -> None:
    path = tmp_path / "shoal.toml"
    path.write_text(f'[privacy]\nrequire = "t(pay:{LONG})=0.2"\n[hierarchies]\nage = "{LONG}"\n')
    assert read_config(path)["hierarchies"] == {"age": LONG}
