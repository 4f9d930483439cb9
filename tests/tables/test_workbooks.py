"""Workbooks: sheets and header rows are found, and what is no table is refused with a line that says why."""

from __future__ import annotations

import zipfile
from datetime import date, datetime, time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thorough import examples

import shoal
from shoal.core.errors import ParameterError, TableError
from shoal.tables.labels import Labels
from shoal.tables.signatures import OLE
from shoal.tables.table import read
from shoal.tables.writers import excel
from shoal.tables.writers.base import LabelWriter, writer_of
from shoal.tables.writing import write

PEOPLE: list[list[Any]] = [["age", "town"], [30, "Oslo"], [31, "Rome"], [40, None]]
FRAME = pl.DataFrame(
    {
        "age": [30, None, 41],
        "town": ["Oslo", "", None],
        "born": [date(1980, 1, 2), None, date(2000, 1, 1)],
        "seen": [datetime(1980, 1, 2, 3, 4, 5), None, datetime(1980, 1, 2)],
        "hour": [time(1, 2), None, time(3, 4, 5)],
        "well": [True, None, False],
        "pay": [1.0, 2.0, None],
        "share": [0.1 + 0.2, 1 / 3, 1e300],
        "code": ["007", "=1+1", "*"],
        "large": [2**60, None, -(2**60)],
        "tiny": pl.Series([1, None, -3], dtype=pl.Int8),
        "note": ["two  spaces ", "two\nlines", "<&>"],
    }
)
ODS = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2"><office:body>'
    '<office:spreadsheet><table:table table:name="people">{rows}</table:table></office:spreadsheet></office:body>'
    "</office:document-content>"
)


def book(path: Path, *sheets: list[list[Any]], first: int = 0) -> Path:
    """Write sheets of cells, from a row on."""
    with xlsxwriter.Workbook(path) as made:
        for rows in sheets:
            sheet = made.add_worksheet()
            for row, cells in enumerate(rows, first):
                for place, cell in enumerate(cells):
                    if cell is not None:
                        sheet.write(row, place, cell)
    return path


def ods(path: Path, rows: str) -> Path:
    """Write an OpenDocument sheet from the text of its rows."""
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("mimetype", kind)
        made.writestr("content.xml", ODS.format(rows=rows))
        made.writestr(
            "META-INF/manifest.xml",
            '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
            f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>',
        )
    return path


def ods_row(*cells: object, more: str = "") -> str:
    """Return the text of a row."""
    made = (
        f'<table:table-cell office:value-type="float" office:value="{cell}"{more}/>'
        if isinstance(cell, int)
        else f'<table:table-cell office:value-type="string"{more}><text:p>{cell}</text:p></table:table-cell>'
        for cell in cells
    )
    return f"<table:table-row>{''.join(made)}</table:table-row>"


def test_a_release_has_the_sheet_the_order_and_the_types_of_the_original(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(tmp_path / "people.xlsx") as made:
        sheet = made.add_worksheet("2024")
        for place, name in enumerate(("pay", "name", "age")):
            sheet.write_string(0, place, name)
        for row in range(1, 13):
            for place, cell in enumerate((row * 1.5, f"p{row}", 20 + row // 4)):
                sheet.write(row, place, cell)
    file = tmp_path / "people.xlsx"
    roles: dict[str, Any] = {"quasi": ["age"], "identifiers": ["name"], "sensitive": ["pay"], "allow": ["pay"]}
    release = shoal.anonymize(file, require="k=3", **roles)
    folder = release.save(tmp_path / "out")
    assert shoal.verify(folder, original=file).failures == []
    back = read(folder / "public" / "table.xlsx")
    assert back.columns == ("pay", "age")
    assert back.origin.labels is not None
    assert back.origin.labels.title == "2024"
    assert release.save(tmp_path / "csv", format="csv").joinpath("public", "table.csv").is_file()


@pytest.mark.parametrize("format", ["xlsx", "ods"])
def test_every_type_comes_back_by_the_codebook(tmp_path: Path, format: str) -> None:
    roles: dict[str, Any] = {"quasi": ["well"], "other": "rest", "allow": [n for n in FRAME.columns if n != "well"]}
    people = pl.concat([FRAME] * 3)
    folder = shoal.anonymize(people, require="k=2", **roles).save(tmp_path / "out", format=format)
    assert shoal.verify(folder, original=people).failures == []


@pytest.mark.parametrize("suffix", [".xlsx", ".ods"])
def test_the_same_table_is_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    paths = [tmp_path / f"one{suffix}", tmp_path / f"other{suffix}"]
    for path in paths:
        write(FRAME, path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    with zipfile.ZipFile(paths[0]) as made:
        assert {one.date_time[0] for one in made.infolist()} == {1980}
        times = made.read("docProps/core.xml") if suffix == ".xlsx" else b"1970-01-01T00:00:00Z"
        assert b"1970-01-01T00:00:00Z" in times


def test_a_text_that_looks_like_a_formula_is_a_text(tmp_path: Path) -> None:
    write(FRAME, tmp_path / "t.xlsx")
    with zipfile.ZipFile(tmp_path / "t.xlsx") as made:
        assert b"<f>" not in made.read("xl/worksheets/sheet1.xml")


def test_more_rows_than_a_sheet_holds_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(excel, "ROWS", 2)
    with pytest.raises(TableError, match="a sheet holds 2 rows, not 3"):
        write(FRAME, tmp_path / "t.xlsx")


def test_a_sheet_is_chosen_by_name_or_number(tmp_path: Path) -> None:
    file = book(tmp_path / "p.xlsx", PEOPLE, [["x"], [1]])
    assert read(file).columns == ("age", "town")
    assert read(file).notes == ("p.xlsx: sheet 'Sheet1' is read, the first of 2; name another with --sheet",)
    for sheet in ("Sheet2", 2, "2"):
        assert read(file, sheet=sheet).columns == ("x",)
    with pytest.raises(ParameterError, match=r"'p.xlsx' has no sheet 'Sheet3'; expected 'Sheet1' or 'Sheet2'"):
        read(file, sheet="Sheet3")


def test_the_header_row_is_the_first_that_is_not_empty_or_the_one_named(tmp_path: Path) -> None:
    assert read(book(tmp_path / "low.xlsx", PEOPLE, first=3)).frame.rows() == [(30, "Oslo"), (31, "Rome"), (40, None)]
    titled = book(tmp_path / "titled.xlsx", [["People of 2024"], [], *PEOPLE])
    with pytest.raises(TableError, match=r"has 1 columns without a name in row 1; .*--header-row"):
        read(titled)
    assert read(titled, header_row=3).columns == ("age", "town")
    with pytest.raises(ParameterError, match="the header row is 'x'"):
        read(titled, header_row="x")


def test_a_row_without_any_value_is_nobody(tmp_path: Path) -> None:
    found = read(book(tmp_path / "p.xlsx", [*PEOPLE, [None, None], [50, "Rome"]]))
    assert found["age"].to_list() == [30, 31, 40, 50]
    assert found.notes == ("p.xlsx: 1 row without any value left out",)


def test_columns_of_the_same_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="columns of the same name: 'age'"):
        read(book(tmp_path / "p.xlsx", [["age", "age"], [1, 2]]))


def test_two_header_rows_are_refused(tmp_path: Path) -> None:
    file = book(tmp_path / "p.xlsx", [["age", "town"], ["years", "name"], [30, "Oslo"], [31, "Rome"]])
    with pytest.raises(TableError, match="'Sheet1' seems to have two header rows"):
        read(file)
    assert read(file, header_row=2).columns == ("years", "name")


def test_merged_cells_are_refused_unless_they_are_above_the_header(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(tmp_path / "p.xlsx") as made:
        sheet = made.add_worksheet()
        sheet.merge_range("A1:B1", "People")
        for row, cells in enumerate(PEOPLE, 1):
            sheet.write_row(row, 0, cells)
    with pytest.raises(TableError, match="'Sheet1' has 1 range of merged cells, such as A1:B1"):
        read(tmp_path / "p.xlsx")
    assert read(tmp_path / "p.xlsx", header_row=2).columns == ("age", "town")


def test_formulas_are_read_by_their_results(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(tmp_path / "p.xlsx") as made:
        sheet = made.add_worksheet()
        sheet.write_row(0, 0, ["age", "next"])
        sheet.write_number(1, 0, 30)
        sheet.write_formula(1, 1, "=A2+1", None, 31)
    found = read(tmp_path / "p.xlsx")
    assert found.frame.rows() == [(30, 31)]
    assert found.notes == ("p.xlsx: of 1 formula cells the results are read that were last computed",)


@pytest.mark.parametrize(
    ("cell", "problem"),
    [
        ('<c r="B2"><f>A2+1</f></c>', "has 1 formula cell without a result"),
        ('<c r="B2" t="e"><f>1/0</f><v>#DIV/0!</v></c>', "has 1 cell that show an error"),
    ],
)
def test_formulas_without_a_result_and_errors_are_refused(tmp_path: Path, cell: str, problem: str) -> None:
    book(tmp_path / "whole.xlsx", [["age", "next"], [30, 31]])
    with zipfile.ZipFile(tmp_path / "whole.xlsx") as made, zipfile.ZipFile(tmp_path / "p.xlsx", "w") as other:
        for name in made.namelist():
            text = made.read(name).decode()
            other.writestr(name, text.replace('<c r="B2"><v>31</v></c>', cell))
    with pytest.raises(TableError, match=problem):
        read(tmp_path / "p.xlsx")


@pytest.mark.parametrize("suffix", [".xlsx", ".xls"])
def test_a_workbook_with_a_password_is_refused(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"p{suffix}").write_bytes(OLE + bytes(500) + "EncryptedPackage".encode("utf-16-le") + bytes(500))
    with pytest.raises(TableError, match=f"'p{suffix}' is protected by a password"):
        read(tmp_path / f"p{suffix}")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is empty"),
        (b"age,town\n30,Oslo\n", r"is a text file, not a Excel file; if it is CSV"),
        (OLE + bytes(600), r"is a workbook of Excel 97 to 2003, .*; expected a name that ends in \.xls"),
        (b"PK\x03\x04" + bytes(100), "is not a readable Excel file"),
    ],
)
def test_what_is_no_workbook_is_said_in_words(tmp_path: Path, content: bytes, problem: str) -> None:
    (tmp_path / "p.xlsx").write_bytes(content)
    with pytest.raises(TableError, match=problem):
        read(tmp_path / "p.xlsx")


def test_an_opendocument_sheet_comes_back_as_one(tmp_path: Path) -> None:
    rows = "".join(ods_row(*cells) for cells in (("age", "town"), (30, "Oslo"), (30, "Rome"), (41, "Rome")))
    found = read(ods(tmp_path / "p.ods", rows))
    assert found.frame.rows() == [(30, "Oslo"), (30, "Rome"), (41, "Rome")]
    assert found.notes == ()
    folder = shoal.anonymize(tmp_path / "p.ods", quasi=["age", "town"], require="k=3").save(tmp_path / "out")
    assert shoal.verify(folder, original=tmp_path / "p.ods").failures == []
    back = read(folder / "public" / "table.ods")
    assert back.origin.labels is not None
    assert (back.columns, back.origin.labels.title) == (("age", "town"), "people")


def test_merged_cells_and_passwords_of_opendocument_are_refused(tmp_path: Path) -> None:
    merged = ods_row("People", "x", more=' table:number-columns-spanned="2"')
    with pytest.raises(TableError, match="'people' has 2 ranges of merged cells"):
        read(ods(tmp_path / "p.ods", merged + ods_row(1, 2)))
    with zipfile.ZipFile(tmp_path / "locked.ods", "w") as made:
        made.writestr("META-INF/manifest.xml", "<manifest:encryption-data/>")
    with pytest.raises(TableError, match=r"'locked.ods' is protected by a password"):
        read(tmp_path / "locked.ods")


def test_a_workbook_of_excel_97_is_read_and_released_as_a_new_one(tmp_path: Path) -> None:
    xlwt = pytest.importorskip("xlwt", reason="only xlwt writes .xls files, and it is not installed")
    made = xlwt.Workbook()
    sheet = made.add_sheet("people")
    for row, cells in enumerate(PEOPLE):
        for place, cell in enumerate(cells):
            if cell is not None:
                sheet.write(row, place, cell)
    made.save(str(tmp_path / "p.xls"))
    found = read(tmp_path / "p.xls")
    assert found.frame.rows() == [(30, "Oslo"), (31, "Rome"), (40, None)]
    assert found.notes == ("p.xls: .xls files cannot be written; without --format the release is a .xlsx file",)


@pytest.mark.parametrize("title", ["A survey: 2024/25", "x" * 32, "'quoted'", ""])
def test_a_label_that_no_sheet_may_have_is_left_out(tmp_path: Path, title: str) -> None:
    writer = writer_of(tmp_path / "t.xlsx")
    assert isinstance(writer, LabelWriter)
    writer.write_labelled(pl.DataFrame({"x": [1]}), tmp_path / "t.xlsx", Labels(title=title))
    assert read(tmp_path / "t.xlsx").frame.rows() == [(1,)]


@pytest.mark.parametrize("suffix", [".xlsx", ".ods", ".sav", ".dta", ".xpt", ".zsav"])
@given(texts=st.lists(st.none() | st.text(max_size=5), min_size=1, max_size=4))
@settings(max_examples=examples(6), deadline=None)
def test_any_text_comes_back_or_is_refused_and_leaves_nothing(suffix: str, texts: list[str | None]) -> None:
    frame = pl.DataFrame({"x": pl.Series(texts, dtype=pl.String), "n": range(len(texts))})
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"t{suffix}"
        try:
            write(frame, path)
        except TableError:
            assert list(Path(folder).iterdir()) == []
        else:
            assert read(path)["x"].cast(pl.String).to_list() == texts
