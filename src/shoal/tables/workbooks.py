"""What is wrong with a workbook, by its files: passwords, sizes, merged cells, formulas without results, errors."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from shoal.core.errors import TableError, failing_as
from shoal.core.number_format import counted
from shoal.tables.signatures import OLE, unreadable

_MERGED = re.compile(rb'<mergeCell\s[^>]*?ref="([A-Z]+\d+:[A-Z]+(\d+))"')
_FORMULA = re.compile(rb"<f[\s>/].*?</c>", re.DOTALL)
_ERROR = re.compile(rb'<c\s[^>]*?\bt="e"')
_SPANNED = re.compile(rb'table:number-(?:columns|rows)-spanned="(?!1")\d+"')
_ODS_FORMULA = re.compile(rb"table:formula=")
_CELL = re.compile(rb'\br="([A-Z]+)(\d+)"')
_LONG_COLUMN, _LONG_ROW = re.compile(rb'\br="[A-Z]{2,}\d'), re.compile(rb'\br="[A-Z]+\d{7}')
_ODS_CELL = re.compile(rb"<table:(table-row|table-cell|covered-table-cell)\b([^>]*?)(/?)>")
_ODS_REPEATED = re.compile(rb'table:number-(?:columns|rows)-repeated="(\d+)"')
_OF_SHEETS = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


MOST_UNPACKED = 2**31
"""Bytes that the parts of a workbook unpack to, at most: all of them are held in memory."""
MOST_CELLS = 10**8
"""Cells of the rectangle that holds all cells of a sheet, at most: empty ones between them take memory, too."""
DENSEST = 1_100
"""What deflate packs into a byte, at most: a file that is small enough need not be unpacked to know its size."""
BLOCK = 2**20


def check_unpacked(path: Path) -> None:
    """Refuse a workbook that holds far more than it seems to; what its directory says of that need not be true."""
    if path.stat().st_size * DENSEST <= MOST_UNPACKED or not zipfile.is_zipfile(path):
        return
    size = 0
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            with archive.open(member) as text:
                while size <= MOST_UNPACKED and (block := text.read(BLOCK)):
                    size += len(block)
    if size > MOST_UNPACKED:
        raise TableError(
            f"{path.name!r} unpacks to more than {MOST_UNPACKED:,} bytes, which do not fit in memory",
            hint="save the sheet as CSV",
        )


def check_password(path: Path) -> None:
    """Refuse a workbook that only its password opens."""
    if path.suffix.lower() == ".ods":
        locked = any(b"encryption-data" in text for text in _texts(path, "META-INF/manifest.xml"))
    else:
        content = path.read_bytes()
        locked = content.startswith(OLE) and "EncryptedPackage".encode("utf-16-le") in content
    if locked:
        raise TableError(f"{path.name!r} is protected by a password", hint="save a copy without one")


@dataclass(frozen=True)
class Sheet:
    """What the text of a sheet tells that its cells do not."""

    name: str
    merged: tuple[tuple[str, int], ...] = ()
    """Ranges of merged cells, and the last row of each."""
    formulas: int = 0
    uncomputed: int = 0
    """Formulas without a result, as programs leave them that do not compute."""
    errors: int = 0
    cells: int = 0
    """Cells of the rectangle that holds all cells, or more; 0 where that is not known."""

    @classmethod
    def of(cls, path: Path, name: str) -> Sheet:
        """Look at the sheet of a file; files of Excel 97 to 2003 tell nothing."""
        if path.suffix.lower() == ".ods":
            return cls._of_ods(path, name)
        text = next(_texts(path, _place(path, name)), b"") if path.suffix.lower() != ".xls" else b""
        formulas = _FORMULA.findall(text)
        return cls(
            name,
            tuple((found[1].decode(), int(found[2])) for found in _MERGED.finditer(text)),
            len(formulas),
            sum(b"<v>" not in formula for formula in formulas),
            len(_ERROR.findall(text)),
            _rectangle(text),
        )

    @classmethod
    def _of_ods(cls, path: Path, name: str) -> Sheet:
        text = next(_texts(path, "content.xml"), b"")
        merged = tuple(("in an OpenDocument sheet", 2**20) for _ in _SPANNED.finditer(text))
        return cls(name, merged, len(_ODS_FORMULA.findall(text)), cells=_ods_rectangle(text))

    def check(self, header_row: int) -> None:
        """Refuse a sheet whose cells are not those of a table."""
        if self.cells > MOST_CELLS:
            raise TableError(
                f"sheet {self.name!r} has cells so far apart that {self.cells:,} lie between the first and the last",
                expected=f"at most {MOST_CELLS:,}",
                hint="remove what is far from the table, or save the sheet as CSV",
            )
        merged = [place for place, last in self.merged if last >= header_row]
        if merged:
            raise TableError(
                f"sheet {self.name!r} has {counted(len(merged), 'range')} of merged cells, such as {merged[0]}",
                expected="one header row, and a cell for every value",
                hint="unmerge them, or name the row below them with --header-row",
            )
        if self.uncomputed:
            raise TableError(
                f"sheet {self.name!r} has {counted(self.uncomputed, 'formula cell')} without a result",
                hint="open the workbook in a spreadsheet program and save it, or paste the values",
            )
        if self.errors:
            raise TableError(
                f"sheet {self.name!r} has {counted(self.errors, 'cell')} that show an error such as #N/A",
                hint="correct or empty them",
            )


def _texts(path: Path, member: str) -> Iterator[bytes]:
    """Yield a file inside a zip file, if both are there; one that is damaged is said in words."""
    if not zipfile.is_zipfile(path):
        return
    with failing_as(lambda: unreadable(path, "workbook")), zipfile.ZipFile(path) as archive:
        if member in archive.namelist():
            yield archive.read(member)


def _rectangle(text: bytes) -> int:
    """Return how many cells lie between the first and the last of a sheet of Excel, or fewer than would matter.

    >>> _rectangle(b'<c r="A1"/><c r="XFD1048576"/>'), _rectangle(b'<c r="A1"/><c r="Z99999"/>')
    (17179869184, 0)
    """
    if not (_LONG_COLUMN.search(text) or _LONG_ROW.search(text)):
        return 0
    columns: set[bytes] = set()
    last = 0
    for found in _CELL.finditer(text):
        columns.add(found[1])
        last = max(last, int(found[2][:18]))
    return last * max(map(_number, columns))


def _number(column: bytes) -> int:
    """Return the number of a column of Excel, from 1: A, B, ..., Z, AA."""
    number = 0
    for letter in column[:6]:
        number = 26 * number + letter - 64
    return number


def _ods_rectangle(text: bytes) -> int:
    """Return how many cells lie up to the last one of an OpenDocument sheet: a cell or a row may be repeated often.

    >>> row = b'<table:table-row table:number-rows-repeated="%d">%s</table:table-row>'
    >>> full = b'<table:table-cell office:value="1">'
    >>> empty = b'<table:table-cell table:number-columns-repeated="9999"/>'
    >>> _ods_rectangle(row % (2000, full + empty)), _ods_rectangle(row % (2, full) + row % (2000, empty))
    (2000, 2)
    """
    if not any(int(found[1][:18]) > 1_000 for found in _ODS_REPEATED.finditer(text)):
        return 0
    height, width, rows, place, end = 0, 0, 0, 0, 0
    for found in (*_ODS_CELL.finditer(text), None):
        if found is None or found[1] == b"table-row":
            if end:
                height, width = height + rows + place, max(width, end)
                place = 0
            else:
                place += rows
            rows, column, end = (0 if found is None else _repeated(found[2])), 0, 0
            continue
        column += _repeated(found[2])
        if not found[3] or b"office:" in found[2]:
            end = column
    return height * width


def _repeated(attributes: bytes) -> int:
    found = _ODS_REPEATED.search(attributes)
    return int(found[1][:18]) if found else 1


def _place(path: Path, name: str) -> str:
    """Return where a workbook keeps a sheet."""
    sheets = [ElementTree.fromstring(text) for text in _texts(path, "xl/workbook.xml")]
    targets = [ElementTree.fromstring(text) for text in _texts(path, "xl/_rels/workbook.xml.rels")]
    known = {one.get("Id"): one.get("Target", "") for tree in targets for one in tree}
    key = next((one.get(_OF_SHEETS) for tree in sheets for one in tree.iter() if one.get("name") == name), None)
    target = known.get(key, "")
    return target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
