"""The pages of a Parquet file are looked at before polars reads them: sizes that they cannot have are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest
from tests.fuzz.targets import CORPUS

from shoal.core.errors import TableError
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
