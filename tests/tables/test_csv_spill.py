"""CSV files by way of the disk: what is read is what is read in memory, or refused in the same words."""

from __future__ import annotations

import errno
import gc
import gzip
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thorough import examples

import shoal
from shoal.core.errors import ShoalError
from shoal.core.private_folders import sweep_up
from shoal.studies.synth import write_census
from shoal.tables import csv_spill
from shoal.tables.columns import Stored
from shoal.tables.readers import csv as csv_reader
from shoal.tables.table import Table, read, read_by_disk
from shoal.tables.writing import write

CONTENTS = {
    "plain": b'age,city\n30,Oslo\n40,\n50,""\n',
    "blank lines": b"\n\nage,city\n\n30,Oslo\n\r\n40,Bergen\n\n",
    "quotes": b'age,city\n30,"Os\n\nlo, ""x"""\n40,y\n',
    "windows line ends": b"age;height\r\n30;1,75\r\n40;1,80\r\n",
    "no line end": b"age,city\n30,Oslo",
    "a separator in the last row": b"1;,;\n,",
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
    monkeypatch.setattr(csv_spill, "BLOCK", block)
    path = tmp_path / "people.csv"
    path.write_bytes(CONTENTS[case])
    assert outcome(read_by_disk, path) == outcome(read, path)


@pytest.mark.parametrize("how", [{"separator": "xx"}, {"encoding": "klingon"}, {"decimal": ";"}, {"separator": ";"}])
def test_what_is_said_of_the_file_counts_and_is_checked(tmp_path: Path, how: dict[str, str]) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(b"age,pay\n30,1\n40,2\n")
    assert outcome(read_by_disk, path, **how) == outcome(read, path, **how)


@settings(max_examples=examples(40), deadline=None)
@given(st.text(alphabet='a1,;"\n\r é', max_size=60))
def test_any_text_is_read_alike_or_refused(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.csv"
        path.write_bytes(text.encode())
        assert outcome(read_by_disk, path) == outcome(read, path)


def test_a_row_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_spill, "BLOCK", 100)
    monkeypatch.setattr(csv_spill, "LONGEST", 1_000)
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
    monkeypatch.setattr(csv_spill, "BLOCK", 1)
    path = tmp_path / "people.csv"
    path.write_bytes("age,city\n1,a\n2,\ufeffz\n\ufeff3,b\n".encode())
    assert outcome(read_by_disk, path) == outcome(read, path)


# --- large files go by way of the disk by themselves -----------------------------------------------------------------


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.parametrize("case", CONTENTS)
def test_from_a_size_on_a_file_goes_by_way_of_the_disk_and_reads_the_same(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(CONTENTS[case])
    meant = outcome(read, path)
    monkeypatch.setattr(csv_reader, "LARGE", 0)
    monkeypatch.setattr(csv_reader, "contents", None)
    assert outcome(read, path) == meant


@pytest.mark.parametrize("packed", [False, True], ids=["csv", "csv.gz"])
def test_a_release_of_a_large_file_is_that_of_a_small_one(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    path = tmp_path / ("census.csv.gz" if packed else "census.csv")
    write_census(path, 300)
    asked: dict[str, Any] = {"quasi": ["age", "marital"], "sensitive": ["occupation"], "require": "k=3"}
    asked |= {"leave_out": "rest"}
    monkeypatch.setattr(secrets, "token_hex", lambda size: "0" * 2 * size)
    folders = []
    for name, large in (("memory", 2**40), ("disk", 0)):
        monkeypatch.setattr(csv_reader, "LARGE", large)
        release = shoal.anonymize(path, **asked)
        assert len(list(temporary.iterdir())) == (name == "disk")
        folders.append(release.save(tmp_path / name))
        assert shoal.verify(folders[-1], original=path).passed
        del release
        gc.collect()
    assert list(temporary.iterdir()) == []
    files = [{file.relative_to(one): file.read_bytes() for file in one.rglob("*.*")} for one in folders]
    assert files[0] == files[1]


def test_some_rows_of_a_stored_table_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(CONTENTS["plain"])
    table = read_by_disk(path)
    first = table.part(slice(0, 2))
    assert first.equals(read(path).frame[:2])
    monkeypatch.setattr(Stored, "column", None)
    assert table.part(np.array([2, 0])).equals(read(path).frame[[2, 0]])


def test_without_room_for_it_a_large_file_is_read_in_memory(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(CONTENTS["plain"])
    meant = outcome(read, path)
    monkeypatch.setattr(csv_reader, "LARGE", 0)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1))
    monkeypatch.setattr(csv_spill, "spill", None)
    assert outcome(read, path) == meant


def test_a_disk_that_fills_up_meanwhile_is_left_for_memory_or_said_in_words(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(CONTENTS["plain"])
    meant = outcome(read, path)

    def full(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(csv_reader, "LARGE", 0)
    monkeypatch.setattr(csv_spill, "_copy", full)
    assert outcome(read, path) == meant
    with pytest.raises(ShoalError, match="cannot be put into the temporary folder: No space left"):
        read_by_disk(path)
    assert list(temporary.iterdir()) == []


def test_a_packed_file_counts_as_what_it_unpacks_to(tmp_path: Path) -> None:
    path = tmp_path / "people.csv.gz"
    path.write_bytes(gzip.compress(b"age\n30\n"))
    assert csv_spill.text_size(path) == csv_spill.PACKED * path.stat().st_size


SPILLING = """
import sys, time
from shoal.cli.interrupt import ending_tidily
from shoal.tables.table import read_by_disk
with ending_tidily():
    table = read_by_disk(sys.argv[1])
    print("there", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_however_a_process_ends_its_cells_are_removed(tmp_path: Path, temporary: Path, by: signal.Signals) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(CONTENTS["plain"])
    said = {**os.environ, "TMPDIR": str(temporary)}
    command = [sys.executable, "-c", SPILLING, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=said) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"there\n"
        (held,) = temporary.iterdir()
        table = read_by_disk(path)
        assert held.is_dir()  # of a process that lives
        running.send_signal(by)
        running.wait()
    assert held.is_dir() == (by == signal.SIGKILL)
    del table
    (temporary / "shoal-mine").mkdir()
    (temporary / "shoal-mine" / "notes.txt").write_text("mine")
    sweep_up(csv_spill.PREFIX, csv_spill.FILES.__contains__)
    assert [one.name for one in temporary.iterdir()] == ["shoal-mine"]
