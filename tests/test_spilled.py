"""CSV files by way of the disk: what is read is what is read in memory, or refused in the same words."""

from __future__ import annotations

import gzip
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import spilled
from shoal.errors import ShoalError
from shoal.table import Table, read, read_by_disk
from shoal.writing import write

CONTENTS = {
    "plain": b'age,city\n30,Oslo\n40,\n50,""\n',
    "blank lines": b"\n\nage,city\n\n30,Oslo\n\r\n40,Bergen\n\n",
    "quotes": b'age,city\n30,"Os\n\nlo, ""x"""\n40,y\n',
    "windows line ends": b"age;height\r\n30;1,75\r\n40;1,80\r\n",
    "no line end": b"age,city\n30,Oslo",
    "latin": "age,city\n30,Å\n".encode("latin-1"),
    "byte-order mark": "age,city\n30,Å\n".encode("utf-8-sig"),
    "utf-16": "age,city\n30,Å\n".encode("utf-16"),
    "gzip": gzip.compress(b"age,city\n30,Oslo\n"),
    "one column": b"age\n30\n\n40\n",
    "postcodes": b"zip,ok\n01234,true\n98765,false\n",
    "header only": b"age,city\n",
    "empty": b"",
    "short row": b"age,city\n30\n40,Oslo\n",
    "long row": b"age,city\n30,Oslo,x\n",
    "open quote": b'age,city\n30,"Oslo\n',
    "names twice": b"age,age\n1,2\n",
    "cut gzip": gzip.compress(b"age,city\n30,Oslo\n" * 99)[:-12],
    "infinite": b"pay,city\ninf,a\n2.5,b\n",
    "nul": b"age,city\n3\x000,Oslo\n",
}


def outcome(reader: object, path: Path, **how: str) -> object:
    """The cells and types of a file, or the kind of its refusal."""
    try:
        table: Table = reader(path, **how)  # type: ignore[operator]
        return [(name, table.dtype(name), table[name].to_list()) for name in table.columns], table.notes
    except ShoalError as error:
        return type(error)


@pytest.mark.parametrize("case", CONTENTS)
@pytest.mark.parametrize("block", [1, 7, 2**20])
def test_what_is_read_is_what_is_read_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str, block: int
) -> None:
    monkeypatch.setattr(spilled, "BLOCK", block)
    path = tmp_path / "people.csv"
    path.write_bytes(CONTENTS[case])
    assert outcome(read_by_disk, path) == outcome(read, path)


@pytest.mark.parametrize("how", [{"separator": "xx"}, {"encoding": "klingon"}, {"decimal": ";"}, {"separator": ";"}])
def test_what_is_said_of_the_file_counts_and_is_checked(tmp_path: Path, how: dict[str, str]) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(b"age,pay\n30,1\n40,2\n")
    assert outcome(read_by_disk, path, **how) == outcome(read, path, **how)


@settings(max_examples=40, deadline=None)
@given(st.text(alphabet='a1,;"\n\r é', max_size=60))
def test_any_text_is_read_alike_or_refused(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.csv"
        path.write_bytes(text.encode())
        assert outcome(read_by_disk, path) == outcome(read, path)


def test_a_row_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spilled, "BLOCK", 100)
    monkeypatch.setattr(spilled, "LONGEST", 1_000)
    path = tmp_path / "people.csv"
    path.write_bytes(b'age,city\n30,"' + b"x" * 5_000)
    with pytest.raises(ShoalError, match="a row of more than 1,000 characters"):
        read_by_disk(path)


def test_the_cells_on_the_disk_are_private_and_go_with_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    path = tmp_path / "people.csv"
    path.write_bytes(CONTENTS["plain"])
    table = read_by_disk(path)
    (folder,) = (tmp_path / "temporary").iterdir()
    assert folder.stat().st_mode & 0o077 == 0
    assert [file.name for file in folder.iterdir()] == ["cells.parquet"]
    assert table.rows == 3
    del table
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    Table.of({"age": [1, 2, 3]}).frame.write_parquet(path)
    table = read(path)
    Table.of({"age": [1, 2, 4]}).frame.write_parquet(path)
    os.utime(path, ns=(1, 1))
    with pytest.raises(ShoalError, match="was changed or removed while it was read"):
        table.coded("age")
    path.unlink()
    with pytest.raises(ShoalError, match="was changed or removed while it was read"):
        table["age"]


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_a_name_is_no_pattern(tmp_path: Path, suffix: str) -> None:
    for name, age in (("people[1]", 1), ("people1", 7)):
        write(Table.of({"age": [age]}).frame, tmp_path / f"{name}.{suffix}")
    assert read(tmp_path / f"people[1].{suffix}")["age"].to_list() == [1]


def test_a_folder_of_files_is_one_table_without_what_spark_leaves_out(tmp_path: Path) -> None:
    for name in ("part-0", "part-1", ".part-0", "_part"):
        Table.of({"age": [1, 2]}).frame.write_parquet(tmp_path / f"{name}.parquet")
    assert read(tmp_path).rows == 4
    (tmp_path / "y=1").mkdir()
    Table.of({"age": [1, 2]}).frame.write_parquet(tmp_path / "y=1" / "part-0.parquet")
    with pytest.raises(ShoalError, match="in folders inside it"):
        read(tmp_path)


def test_a_mark_inside_the_file_is_a_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spilled, "BLOCK", 1)
    path = tmp_path / "people.csv"
    path.write_bytes("age,city\n1,a\n2,\ufeffz\n\ufeff3,b\n".encode())
    assert outcome(read_by_disk, path) == outcome(read, path)
