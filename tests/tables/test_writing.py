"""Tables written part by part are the tables that were asked for."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.tables.exact_formats import EXACT_FORMATS

from shoal.studies.synth import files, write_census
from shoal.tables import writing
from shoal.tables.table import Table, read
from shoal.tables.writing import write, write_rows

FRAME = pl.DataFrame(
    {
        "age": [30, None, 41, 30, 7, 52, 9],
        "city": ["Oslo", "", None, "a,b", 'say "x"', "*", "line\nend"],
        "born": [date(1990, 1, 2), None, date(1980, 5, 6), None, None, date(2001, 7, 8), None],
        "pay": [1.5, -2.25, None, 0.1, 1e300, 3.0, 4.0],
    }
)
ORDER = np.array([6, 2, 0, 1, 5, 4, 3, 3])


@pytest.mark.parametrize("suffix", EXACT_FORMATS)
@pytest.mark.parametrize("part", [1, 3, 8, 100])
def test_parts_make_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, part: int) -> None:
    monkeypatch.setattr(writing, "PART", part)
    one, other = tmp_path / f"one.{suffix}", tmp_path / f"other.{suffix}"
    write(FRAME[ORDER], one)
    write_rows(Table(FRAME), other, ORDER)
    assert read(other).frame.equals(read(one).frame)
    if suffix == "csv":
        assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("suffix", EXACT_FORMATS)
def test_the_same_rows_give_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    monkeypatch.setattr(writing, "PART", 3)
    paths = [tmp_path / f"{name}.{suffix}" for name in ("one", "other")]
    for path in paths:
        write_rows(Table(FRAME), path, ORDER)
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arrow"])
def test_a_full_disk_is_an_error_of_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    monkeypatch.setattr(writing, "PART", 3)
    path = tmp_path / f"table.{suffix}"
    path.symlink_to("/dev/full")
    with pytest.raises(OSError, match=r"."):
        write_rows(Table(FRAME), path, ORDER)


def test_a_census_of_several_parts_has_its_people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "PART", 40)
    write_census(tmp_path / "census.parquet", 100, seed=3)
    made = read(tmp_path / "census.parquet").frame
    assert made.height == 100
    assert not made[:40].equals(made[40:80])
