"""The buffers of an Arrow file are looked at before polars reads them: sizes that they cannot have are refused."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from struct import error, pack, unpack_from
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather
from tests.fuzz.targets import CORPUS

from shoal.core.errors import TableError
from shoal.tables.arrow_buffers import check_buffers
from shoal.tables.table import read

PEOPLE = pl.DataFrame(
    {
        "age": [20, None, 30, 31] * 50,
        "town": ["Oslo", "Rome", None, "Bern"] * 50,
        "tall": [True, None, False, True] * 50,
    }
)


@pytest.mark.parametrize("packed", ["uncompressed", "lz4", "zstd"])
@pytest.mark.parametrize("level", [pl.CompatLevel.oldest(), pl.CompatLevel.newest()])
def test_whole_files_of_polars_pass(tmp_path: Path, packed: Any, level: pl.CompatLevel) -> None:
    path = tmp_path / "people.arrow"
    PEOPLE.write_ipc(path, compression=packed, compat_level=level, record_batch_size=70)
    check_buffers(path)
    assert read(path).frame.equals(PEOPLE)


@pytest.mark.parametrize("packed", ["uncompressed", "lz4", "zstd"])
def test_whole_files_of_pyarrow_with_dictionaries_pass(tmp_path: Path, packed: Any) -> None:
    """Of several blocks of rows."""
    path, table = tmp_path / "people.feather", PEOPLE.to_arrow()
    town = table["town"].combine_chunks().dictionary_encode()
    feather.write_feather(table.set_column(1, "town", pa.chunked_array([town])), path, packed, chunksize=70)
    check_buffers(path)
    assert read(path).frame.height == PEOPLE.height


@pytest.mark.parametrize("frame", [PEOPLE.clear(), PEOPLE.select(pl.lit(None).alias("none")), pl.DataFrame()])
def test_no_rows_no_values_and_no_columns_pass(tmp_path: Path, frame: pl.DataFrame) -> None:
    frame.write_ipc(tmp_path / "people.arrow")
    check_buffers(tmp_path / "people.arrow")


def test_a_buffer_that_ends_behind_its_file_is_refused() -> None:
    """It ended the process: polars asked for four petabytes."""
    path = CORPUS / "read.arrow" / "buffer-behind-the-file"
    with pytest.raises(ValueError, match="ends behind its file"):
        check_buffers(path)


@pytest.mark.parametrize("size", [-2, 2**50])
def test_a_packed_buffer_of_a_size_that_it_cannot_have_is_refused(tmp_path: Path, size: int) -> None:
    path = tmp_path / "people.arrow"
    PEOPLE.select("age").write_ipc(path, compression="zstd", record_batch_size=200)
    content = bytearray(path.read_bytes())
    places = [place for place in range(0, len(content) - 8, 8) if unpack_from("<q", content, place)[0] == 8 * 200]
    for place in places:  # what the numbers take unpacked
        content[place : place + 8] = pack("<q", size)
    path.write_bytes(content)
    with pytest.raises(ValueError, match="size that it cannot have"):
        check_buffers(path)
    with pytest.raises(TableError, match="is not a readable Arrow file"):
        read(path)


def test_every_file_that_is_cut_off_or_changed_ends_in_an_error_or_passes(tmp_path: Path) -> None:
    """The check itself reads any bytes to an end."""
    path = tmp_path / "people.arrow"
    PEOPLE.head(4).write_ipc(path, compression="lz4")
    content = path.read_bytes()
    for place in range(0, len(content), 3):
        for byte in (0, 0x1C, 0x7F, 0xFF):
            path.write_bytes(content[:place] + bytes([byte]) + content[place + 1 :])
            _looked_at(path)
        path.write_bytes(content[:place])
        _looked_at(path)


def _looked_at(path: Path) -> None:
    with suppress(ValueError, IndexError, OSError, OverflowError, error):
        check_buffers(path)
