"""Writers: formats of a release are found by discovery, and each writes what its reader reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import polars as pl
import pytest

from shoal.core.discovery import discover
from shoal.core.errors import ParameterError
from shoal.request import SETTINGS
from shoal.tables import writers
from shoal.tables.readers.base import readable
from shoal.tables.table import read
from shoal.tables.writers.base import Writer, formats, suffix_of

WRITERS = discover(writers, Writer)
FORMATS = (
    *("arrow", "csv", "csv.bz2", "csv.gz", "csv.zip", "csv.zst"),
    *("dta", "jsonl", "ods", "parquet", "sav", "xlsx", "xpt", "zsav"),
)
FRAME = pl.DataFrame({"age": [30, None, 41], "city": ["Oslo", "", None]})


class Whole(Writer):
    """A format that is written all at once."""

    name: ClassVar[str] = "whole"
    title: ClassVar[str] = "whole"
    suffixes: ClassVar[tuple[str, ...]] = (".whole",)

    def write(self, frame: pl.DataFrame, path: Path) -> None:
        frame.write_parquet(path)


def held(kind: type[Writer]) -> pl.DataFrame:
    """The frame, as far as a format can hold it."""
    return FRAME if kind.empty_strings else FRAME.with_columns(pl.col("city").replace("", None))


def test_formats_are_those_of_the_writers() -> None:
    assert formats() == tuple(WRITERS) == FORMATS
    assert SETTINGS["format"].help.startswith(", ".join(formats()))


@pytest.mark.parametrize("kind", WRITERS.values(), ids=WRITERS)
def test_what_is_written_can_be_read(kind: type[Writer], tmp_path: Path) -> None:
    assert set(kind.suffixes) <= set(readable())
    for suffix in kind.suffixes:
        kind().write(held(kind), tmp_path / f"people{suffix}")
        assert read(tmp_path / f"people{suffix}").frame.equals(held(kind))


@pytest.mark.parametrize("kind", [*WRITERS.values(), Whole], ids=lambda kind: kind.name)
def test_parts_are_written_one_below_the_other(kind: type[Writer], tmp_path: Path) -> None:
    path = tmp_path / f"people{kind.suffixes[0]}"

    def parts() -> Iterator[pl.DataFrame]:
        yield from (held(kind)[:1], held(kind)[1:])

    kind().write_parts(parts(), FRAME.schema, path)
    back = pl.read_parquet(path) if kind is Whole else read(path).frame
    assert back.equals(held(kind))


def test_an_unknown_format_is_refused_with_those_there_are() -> None:
    assert suffix_of("csv.gz") == ".csv.gz"
    with pytest.raises(ParameterError, match=r"unknown format 'pdf'; expected arrow or csv or csv\.bz2 or csv\.gz or "):
        suffix_of("pdf")
