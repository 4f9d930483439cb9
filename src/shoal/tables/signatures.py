"""What a file is by its first bytes, whatever its name says."""

from __future__ import annotations

from pathlib import Path

from shoal.core.errors import TableError

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""Workbooks of the old kind, and new ones with a password."""
_SIGNATURES: tuple[tuple[bytes, str, tuple[str, ...]], ...] = (
    (b"$FL2", "an SPSS file", (".sav", ".zsav")),
    (b"$FL3", "an SPSS file", (".zsav", ".sav")),
    (b"<stata_dta>", "a Stata file", (".dta",)),
    (b"HEADER RECORD*******L", "a SAS transport file", (".xpt",)),
    (bytes(12) + b"\xc2\xea\x81\x60", "a SAS file", (".sas7bdat",)),
    (b"PAR1", "a Parquet file", (".parquet",)),
    (b"ARROW1", "an Arrow file", (".arrow", ".feather", ".ipc")),
    (OLE, "a workbook of Excel 97 to 2003, or one with a password", (".xls",)),
)
TEXT = set(range(0x20, 0x100)) | {0x09, 0x0A, 0x0D}


def unreadable(path: Path, title: str) -> TableError:
    """Return the error of a file that is not what its name says: what it is instead, or that it is damaged."""
    with path.open("rb") as file:
        head = file.read(512)
    if not head:
        return TableError(f"{path.name!r} is empty", expected=f"a {title} file")
    known = [(what, suffixes) for start, what, suffixes in _SIGNATURES if head.startswith(start)]
    for what, suffixes in known:
        if not path.name.lower().endswith(suffixes):
            return TableError(
                f"{path.name!r} is {what}, by its first bytes", expected=f"a name that ends in {suffixes[0]}"
            )
    if not known and path.suffix.lower() != ".por" and set(head) <= TEXT:
        return TableError(
            f"{path.name!r} is a text file, not a {title} file", hint="if it is CSV, give it a name that ends in .csv"
        )
    return TableError(f"{path.name!r} is not a readable {title} file", hint="is it complete?")
