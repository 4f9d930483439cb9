"""Files that are made to hurt, each a few kilobytes: what a reader does not check asks for gigabytes, or lies."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import polars as pl
from tests.fuzz.targets import CORPUS
from tests.tables.handmade_parquet import OF_A_LENGTH, Handmade

from shoal.tables.writing import write

PEOPLE = pl.DataFrame(
    {"age": [20, 21, 30, 31, 40, 41], "town": ["Oslo is far", "Rome", "Oslo is far", "Rome", "Bern", "Bern"]}
)
FAR = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'


def _written(folder: Path, suffix: str) -> bytes:
    path = folder / f"made{suffix}"
    write(PEOPLE, path)
    content = path.read_bytes()
    path.unlink()
    return content


def _repacked(content: bytes, member: str, change: Callable[[bytes], bytes]) -> bytes:
    """A zip file in which one file is another."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(old.read(name)) if name == member else old.read(name))
    return made.getvalue()


def far_cell(folder: Path) -> bytes:
    """A sheet with a cell in its last corner: 17 billion cells lie before it."""
    return _repacked(
        _written(folder, ".xlsx"), "xl/worksheets/sheet1.xml", lambda text: text.replace(b"</sheetData>", FAR)
    )


def long_sheet(folder: Path) -> bytes:
    """A sheet that unpacks to 40 megabytes from 40 kilobytes."""
    return _repacked(_written(folder, ".xlsx"), "xl/worksheets/sheet1.xml", lambda text: text + b" " * 40_000_000)


def repeated_cells(folder: Path) -> bytes:
    """A sheet whose cells, which are few, are repeated until there are 17 billion."""

    def repeated(text: bytes) -> bytes:
        head, _, rest = text.rpartition(b"<table:table-row")
        again = b' table:number-rows-repeated="1048000"'
        more = b' table:number-columns-repeated="16000"'
        return head + b"<table:table-row" + again + rest.replace(b"<table:table-cell", b"<table:table-cell" + more, 1)

    return _repacked(_written(folder, ".ods"), "content.xml", repeated)


def old_workbook(_: Path) -> bytes:
    """A workbook of Excel 97 that asks for more memory than there is; found by fuzzing."""
    return (CORPUS / "read.xls" / "memory").read_bytes()


def lying_rows(folder: Path) -> bytes:
    """A Parquet file that says of its only group of rows that it has one row; it has six."""
    content = _written(folder, ".parquet")
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    place = content.rindex(b"\x16\x0c", start)
    return content[: place + 1] + b"\x02" + content[place + 2 :]


def values_below_0(_: Path) -> bytes:
    """A Parquet file with a page of fewer than no values, for which polars ends the process; found by fuzzing."""
    return (CORPUS / "read.parquet" / "values-below-0").read_bytes()


def long_values(_: Path) -> bytes:
    """A Parquet file of a hundred bytes whose values take 2 GB each; all twenty are missing."""
    return Handmade(kind=OF_A_LENGTH, length=2**31 - 1).file()


def many_rows(_: Path) -> bytes:
    """An SPSS file of 710 bytes that says it has a hundred million rows; found by fuzzing."""
    return (CORPUS / "read.sav" / "rows").read_bytes()


def no_columns(_: Path) -> bytes:
    """A Stata file without columns, which takes forever to read; found by fuzzing."""
    return (CORPUS / "read.dta" / "no-columns").read_bytes()


def broken_offsets(folder: Path) -> bytes:
    """An Arrow file in which a text ends far beyond all texts."""
    path = folder / "made.arrow"
    PEOPLE.write_ipc(path, compat_level=pl.CompatLevel.oldest())
    content = path.read_bytes()
    path.unlink()
    ends = struct.pack("<3q", 0, 11, 15)
    assert content.count(ends) == 1
    return content.replace(ends, struct.pack("<3q", 0, 2**40, 15))


def deep_json(_: Path) -> bytes:
    """Lists within lists, a hundred thousand of them."""
    return b'{"age": 20}\n{"age": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"


def endless_line(_: Path) -> bytes:
    """One line, two hundred thousand characters of one name, no end."""
    return b"a" * 200_000


def open_quotes(_: Path) -> bytes:
    """A cell that begins and does not end."""
    return b'age,town\n20,"' + b"x" * 300_000


REFUSED: dict[str, Callable[[Path], bytes]] = {
    "far cell.xlsx": far_cell,
    "long sheet.xlsx": long_sheet,
    "repeated.ods": repeated_cells,
    "old.xls": old_workbook,
    "rows.parquet": lying_rows,
    "values.parquet": values_below_0,
    "long.parquet": long_values,
    "rows.sav": many_rows,
    "columns.dta": no_columns,
    "offsets.arrow": broken_offsets,
    "deep.jsonl": deep_json,
    "endless.csv": endless_line,
    "quotes.csv": open_quotes,
}
"""By the name of the file."""
