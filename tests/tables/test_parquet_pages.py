"""The pages of a Parquet file are looked at before polars reads them: sizes that they cannot have are refused."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest
from tests.fuzz.targets import CORPUS
from tests.tables.handmade_parquet import (
    GZIP,
    OF_A_LENGTH,
    PREFIXES,
    REPEATED,
    REQUIRED,
    TEXT,
    Handmade,
    Small,
    equal_texts,
    packed,
    run,
)

from shoal.core import memory
from shoal.core.errors import TableError
from shoal.tables import parquet_pages
from shoal.tables.parquet_pages import check_pages
from shoal.tables.table import read

PEOPLE = pl.DataFrame(
    {
        "age": [20, None, 30, 31] * 50,
        "town": ["Oslo", "Rome", None, "Bern"] * 50,
        "none": pl.Series([None] * 200, dtype=pl.Int64),
        "tall": [True, None, False, True] * 50,
    }
)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [True, False])
@pytest.mark.parametrize("packed", ["none", "zstd"])
def test_whole_files_pass(tmp_path: Path, version: str, dictionary: bool, packed: str) -> None:
    """Of several groups of rows, each of several pages."""
    path = tmp_path / "people.parquet"
    more: dict[str, Any] = {"data_page_version": version, "use_dictionary": dictionary, "compression": packed}
    pq.write_table(PEOPLE.to_arrow(), path, row_group_size=70, data_page_size=64, write_batch_size=8, **more)
    check_pages(path)
    assert read(path).frame.equals(PEOPLE)


def test_lists_and_no_rows_pass(tmp_path: Path) -> None:
    """What is no table for shoal is refused in other words."""
    for number, frame in enumerate([pl.DataFrame({"a": [[1, 2], [3], []]}), PEOPLE.clear()]):
        frame.write_parquet(tmp_path / f"{number}.parquet")
        check_pages(tmp_path / f"{number}.parquet")


def test_a_page_of_fewer_than_no_values_is_refused() -> None:
    with pytest.raises(ValueError, match="a size below 0"):
        check_pages(CORPUS / "read.parquet" / "values-below-0")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rows-without-groups", "another number of rows than that of its groups"),
        ("list-behind-the-file", "a value that ends behind its file"),
    ],
)
def test_a_file_that_contradicts_itself_is_refused(name: str, message: str) -> None:
    """The first one ended the process, the second one was read without end."""
    with pytest.raises(ValueError, match=message):
        check_pages(CORPUS / "read.parquet" / name)


def test_a_page_of_more_values_than_its_column_has_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    PEOPLE.select("age").head(20).write_parquet(path, compression="uncompressed")
    content = path.read_bytes()
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    pages = content[:start]
    assert pages.count(b"\x15\x28") == 1  # 20 values, in the header of the page of values
    path.write_bytes(pages.replace(b"\x15\x28", b"\x15\x2a") + content[start:])
    with pytest.raises(ValueError, match="more values than there can be"):
        check_pages(path)
    with pytest.raises(TableError, match="is not a readable Parquet file"):
        read(path)


@pytest.mark.parametrize("newer", [False, True])
@pytest.mark.parametrize(
    "levels",
    [run(20, 0), run(2**40, 0), run(2**62, 0), run(0, 1) + run(2**33, 0), packed(2**40, bytes(3))],
    ids=["true", "2**40", "2**62", "after another", "bit by bit"],
)
def test_runs_of_levels_end_with_the_values_of_their_page(tmp_path: Path, levels: bytes, newer: bool) -> None:
    """Whatever they state: polars takes no more of them than the page has, which is counted."""
    path = tmp_path / "runs.parquet"
    path.write_bytes(Handmade(levels=levels, newer=newer).file())
    before = memory.start_of_peak() or 0
    assert read(path).frame["a"].to_list() == [None] * 20
    assert (memory.peak() or 0) - before < 200 * 2**20


@pytest.mark.parametrize(
    "made",
    [
        Handmade(rows=2**31 - 1, levels=run(2**31 - 1, 0)),
        Handmade(rows=2**31 - 1, levels=run(2**31 - 1, 0), newer=True),
        Handmade(rows=2**31 - 1, levels=packed(1, b"\0")),
        Handmade(rows=2**31 - 1, repetition=REQUIRED),
        Handmade(rows=2**31 - 1, levels=run(2**31 - 1, 0), kind=TEXT),
        Handmade(rows=20, in_column=2**31 - 1, values=2**31 - 1, repetition=REPEATED),
        Handmade(length=2**31 - 1, kind=OF_A_LENGTH),
        Handmade(length=2**28, kind=OF_A_LENGTH),
        Handmade(unpacked=2**31 - 1, packing=GZIP, content=gzip.compress(bytes(100))),
    ],
    ids=["nulls", "newer", "few levels", "required", "texts", "lists", "longest", "long", "unpacked"],
)
def test_a_small_file_that_takes_gigabytes_is_refused(tmp_path: Path, made: Handmade) -> None:
    """Of a hundred bytes each: polars ends the process on most of them, or takes 2 GB and more."""
    path = tmp_path / "small.parquet"
    path.write_bytes(made.file())
    assert path.stat().st_size < 200
    with pytest.raises(TableError, match=r"'small.parquet' is small, and states so many or so long values"):
        read(path)


def test_the_limit_on_memory_is_exact(tmp_path: Path) -> None:
    path, rows = tmp_path / "rows.parquet", 2**24 + 1
    size = len(Handmade(rows=rows, levels=run(rows, 0)).file())
    for more, passes in [(0, True), (1, False)]:
        rows = (2**28 + 2**14 * size) // 16 + more
        path.write_bytes(Handmade(rows=rows, levels=run(rows, 0)).file())
        assert path.stat().st_size == size
        if passes:
            check_pages(path)
        else:
            with pytest.raises(TableError, match="is small"):
                check_pages(path)


@pytest.mark.parametrize(("columns", "passes"), [(3, True), (8, False)])
def test_the_limit_on_memory_is_for_all_columns_together(tmp_path: Path, columns: int, passes: bool) -> None:
    """2**28 bytes and 2**14 for each byte of the file; a value takes 16. Nulls alone are written with few bytes."""
    path, rows = tmp_path / "people.parquet", 2**22
    nulls = [pl.repeat(None, rows, dtype=pl.Int64).alias(f"a{number}") for number in range(columns)]
    pl.select(nulls).write_parquet(path, row_group_size=rows)
    assert (columns * rows * 16 <= 2**28 + 2**14 * path.stat().st_size) is passes
    if passes:
        check_pages(path)
        return
    with pytest.raises(TableError, match="expected at most 268,435,456 bytes of them, and 16,384 more for each byte"):
        check_pages(path)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not limit the memory of a process")
@pytest.mark.parametrize(("rows", "length", "passes"), [(100_000, 1_000, True), (1_000_000, 10_000, False)])
def test_texts_that_repeat_the_one_before_are_tried(tmp_path: Path, rows: int, length: int, passes: bool) -> None:
    """A hundred kilobytes of them may be ten gigabytes of texts, and nobody can tell before they are read."""
    path, content = tmp_path / "texts.parquet", equal_texts(rows, length)
    made = Handmade(rows=rows, kind=TEXT, repetition=REQUIRED, encoding=PREFIXES, content=content)
    path.write_bytes(made.file())
    assert path.stat().st_size < 100_000
    if passes:
        check_pages(path)
        assert pl.read_parquet(path)["a"].to_list() == [b"x" * length] * rows
        return
    before = memory.start_of_peak() or 0
    with pytest.raises(TableError, match="is small, and states so many or so long values"):
        read(path)
    assert (memory.peak() or 0) - before < 200 * 2**20


def test_where_memory_cannot_be_limited_such_texts_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_pages, "limits", None)
    path, content = tmp_path / "texts.parquet", equal_texts(1_000_000, 10_000)
    made = Handmade(rows=1_000_000, kind=TEXT, repetition=REQUIRED, encoding=PREFIXES, content=content)
    path.write_bytes(made.file())
    check_pages(path)


def test_tables_of_equal_rows_pass(tmp_path: Path) -> None:
    """No table is smaller for its rows: 20 million of one value, in groups as libraries make them."""
    frame, path = pl.select(pl.repeat("Norway", 20_000_000).alias("country")), tmp_path / "people.parquet"
    frame.write_parquet(path)
    check_pages(path)
    pq.write_table(frame.to_arrow(), path)
    check_pages(path)


def test_a_group_without_rows_passes(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    path.write_bytes(Handmade(rows=0, levels=b"").file())
    check_pages(path)


@pytest.mark.parametrize("end", [b"\x10\0\0\0PARE", b"\xff\xff\0\0PAR1", b"\0\0\0\x80PAR1"])
def test_a_file_with_another_end_is_no_parquet_file(tmp_path: Path, end: bytes) -> None:
    """The last bytes of one are a name, before it a number of bytes that the file has."""
    path = tmp_path / "people.parquet"
    path.write_bytes(Handmade().file()[:-8] + end)
    with pytest.raises(ValueError, match="no Parquet file"):
        check_pages(path)


@pytest.mark.parametrize("nested", [b"\x1c", b"\x19"], ids=["structs", "lists"])
def test_what_is_nested_without_end_is_refused(tmp_path: Path, nested: bytes) -> None:
    path = tmp_path / "people.parquet"
    for times in (33, 100_000):
        end = b"\x19" + nested * times
        path.write_bytes(b"PAR1" + end + len(end).to_bytes(4, "little") + b"PAR1")
        with pytest.raises(TableError, match="is not a readable Parquet file"):
            read(path)


@pytest.mark.parametrize("columns", [0, 2])
def test_columns_without_pages_are_refused(tmp_path: Path, columns: int) -> None:
    """And pages without a column: which type each has could not be told."""
    path = tmp_path / "people.parquet"
    path.write_bytes(Handmade(columns=columns).file())
    with pytest.raises(ValueError, match=r"is (shorter|longer) than argument 1"):
        check_pages(path)


def test_a_column_of_another_length_than_its_rows_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    for rows, in_column in [(20, 21), (20, 19), (-1, -1)]:
        path.write_bytes(Handmade(rows=rows, in_column=in_column, values=20).file())
        with pytest.raises(ValueError, match="a column of another length than its rows"):
            check_pages(path)


@pytest.mark.parametrize(
    "also",
    [{5: {1: Small(20), 2: Small(0), 3: Small(3), 4: Small(3)}}, {1: Small(1)}, {1: Small(0)}, {1: Small(9)}],
    ids=["two headers", "an index", "another version", "no type that there is"],
)
def test_a_page_has_the_header_of_its_kind_alone(tmp_path: Path, also: dict[int, Any]) -> None:
    """Else numbers of one header would be looked at here, and polars would believe those of the other."""
    path, huge = tmp_path / "pages.parquet", 2**31 - 1
    path.write_bytes(Handmade(newer=True, values=huge, levels=run(huge, 0), also=also).file())
    with pytest.raises(ValueError, match="a page without the header of its kind, or with several"):
        check_pages(path)


def test_pages_are_looked_for_where_polars_looks_for_them(tmp_path: Path) -> None:
    """It begins with the dictionary, be it at place 0, and reads whatever is there; the first bytes may be anything."""
    path = tmp_path / "places.parquet"
    path.write_bytes(Handmade(dictionary=4).file())
    assert read(path).frame["a"].to_list() == [None] * 20
    path.write_bytes(Handmade(dictionary=0).file())
    with pytest.raises(ValueError, match="an unknown type"):
        check_pages(path)
    with pytest.raises(TableError, match="is not a readable Parquet file"):
        read(path)


def test_every_file_that_is_cut_off_or_changed_ends_in_an_error_or_passes(tmp_path: Path) -> None:
    """The check itself reads any bytes to an end."""
    path = tmp_path / "people.parquet"
    PEOPLE.head(4).write_parquet(path)
    content = path.read_bytes()
    for place in range(0, len(content), 7):
        for byte in (0, 0x1C, 0x7F, 0xFF):
            path.write_bytes(content[:place] + bytes([byte]) + content[place + 1 :])
            try:
                check_pages(path)
            except (ValueError, KeyError, IndexError, TypeError, AttributeError, OSError, OverflowError, StopIteration):
                continue
