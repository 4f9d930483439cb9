"""What is wrong with a workbook, from its own files: passwords, merged cells, formulas without a result, errors."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from shoal.core.errors import TableError
from shoal.core.number_format import counted
from shoal.tables.signatures import OLE

_MERGED = re.compile(rb'<mergeCell\s[^>]*?ref="([A-Z]+\d+:[A-Z]+(\d+))"')
_FORMULA = re.compile(rb"<f[\s>/].*?</c>", re.DOTALL)
_ERROR = re.compile(rb'<c\s[^>]*?\bt="e"')
_SPANNED = re.compile(rb'table:number-(?:columns|rows)-spanned="(?!1")\d+"')
_ODS_FORMULA = re.compile(rb"table:formula=")
_OF_SHEETS = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


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
        )

    @classmethod
    def _of_ods(cls, path: Path, name: str) -> Sheet:
        text = next(_texts(path, "content.xml"), b"")
        merged = tuple(("in an OpenDocument sheet", 2**20) for _ in _SPANNED.finditer(text))
        return cls(name, merged, len(_ODS_FORMULA.findall(text)))

    def check(self, header_row: int) -> None:
        """Refuse a sheet whose cells are not those of a table."""
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
    """Yield a file inside a zip file, if both can be read."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive.read(member)
    except (zipfile.BadZipFile, KeyError, OSError):
        return


def _place(path: Path, name: str) -> str:
    """Return where a workbook keeps a sheet."""
    sheets = [ElementTree.fromstring(text) for text in _texts(path, "xl/workbook.xml")]
    targets = [ElementTree.fromstring(text) for text in _texts(path, "xl/_rels/workbook.xml.rels")]
    known = {one.get("Id"): one.get("Target", "") for tree in targets for one in tree}
    key = next((one.get(_OF_SHEETS) for tree in sheets for one in tree.iter() if one.get("name") == name), None)
    target = known.get(key, "")
    return target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
