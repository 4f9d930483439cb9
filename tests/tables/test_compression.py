"""Compressed text is read as the text itself; what is damaged or no text is said in words."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import polars as pl
import pytest

from shoal.core.errors import TableError
from shoal.tables.compression import BLOCK
from shoal.tables.readers.csv import Csv
from shoal.tables.table import read, read_by_disk
from shoal.tables.writing import write

FRAME = pl.DataFrame({"age": range(2_000), "town": [f"town {row * 7919 % 1000}" for row in range(2_000)]})
PACKED = [".csv.gz", ".csv.bz2", ".csv.zst", ".csv.zip"]


@pytest.mark.parametrize("suffix", PACKED)
@pytest.mark.parametrize("reads", [read, read_by_disk])
def test_a_file_that_is_cut_off_is_damaged(tmp_path: Path, suffix: str, reads: type) -> None:
    path = tmp_path / f"t{suffix}"
    write(FRAME, path)
    assert reads(path).frame.equals(FRAME)
    whole = path.read_bytes()
    for length in (len(whole) - 1, len(whole) // 2):
        path.write_bytes(whole[:length])
        with pytest.raises(TableError, match=r"'t\.csv\.[a-z0-9]+' is a damaged .* file; fetch or compress it again"):
            reads(path)


def test_zstandard_frames_one_after_the_other_are_one_text(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    text = FRAME.write_csv().encode()
    half = len(text) // 2
    packed = b"".join(zstandard.compress(part) for part in (text[:half], text[half:]))
    (tmp_path / "t.csv.zst").write_bytes(packed)
    assert read(tmp_path / "t.csv.zst").frame.equals(FRAME)
    assert len(text) < BLOCK


@pytest.mark.parametrize(
    ("inside", "problem"),
    [
        ({"folder/": ""}, "holds 0 files, 0 of them CSV"),
        ({"a.csv": "x\n1\n", "b.csv": "x\n1\n"}, "holds 2 files, 2 of them CSV; expected one CSV file alone"),
        ({"a.sav": "x"}, "holds 1 files, 0 of them CSV"),
    ],
)
def test_a_zip_file_holds_one_text_alone(tmp_path: Path, inside: dict[str, str], problem: str) -> None:
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as made:
        for name, text in inside.items():
            made.writestr(name, text)
    with pytest.raises(TableError, match=problem):
        read(tmp_path / "t.zip")


def test_what_systems_add_to_a_zip_file_is_left_out(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as made:
        made.writestr("data/", "")
        made.writestr("data/people.csv", "age\n30\n")
        made.writestr("__MACOSX/data/._people.csv", "x")
        made.writestr("data/.DS_Store", "x")
    assert read(tmp_path / "t.zip").frame.rows() == [(30,)]


def test_a_zip_file_with_a_password_is_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        made.writestr("t.csv", "age\n30\n")
    content = bytearray(buffer.getvalue())
    content[6] |= 1  # the flag of the file itself
    content[content.index(b"PK\x01\x02") + 8] |= 1  # and that in the directory
    (tmp_path / "t.zip").write_bytes(content)
    with pytest.raises(TableError, match="is protected by a password"):
        read(tmp_path / "t.zip")


def test_every_compressed_suffix_is_read(tmp_path: Path) -> None:
    packed = {suffix: suffix.rpartition(".")[2] for suffix in Csv.suffixes if suffix.count(".") == 2}
    for suffix, kind in packed.items():
        write(FRAME, tmp_path / f"one.csv.{kind}")
        (tmp_path / f"one.csv.{kind}").rename(tmp_path / f"other{suffix}")
        assert read(tmp_path / f"other{suffix}").frame.equals(FRAME)
