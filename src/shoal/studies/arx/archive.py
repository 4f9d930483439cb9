"""The file of a project: a ZIP archive of XML, CSV and serialised Java objects, which are left alone.

The file may come from anybody. No entry is unpacked by the name it has in the archive, none is read beyond a size, and
XML that declares a document type, and with it could declare entities, is refused.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from shoal.core.errors import ParameterError

LARGEST = 64 * 2**20
"""Bytes that an entry may have; only the table itself may have more."""
LARGEST_TABLE = 16 * 2**30
STEP = 2**20
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)
"""What the library raises for archives that are damaged, encrypted or packed in an unknown way."""


@dataclass(frozen=True, eq=False)
class Archive:
    """An open project file."""

    name: str
    zipped: zipfile.ZipFile

    def __contains__(self, entry: str) -> bool:
        return entry in self.zipped.NameToInfo

    def chunks(self, entry: str, largest: int = LARGEST) -> Iterator[bytes]:
        """Yield what an entry holds, or raise `ParameterError`: it is missing, damaged or too large."""
        if entry not in self:
            self.refuse(f"has no {entry!r}")
        left = largest
        try:
            with self.zipped.open(entry) as stream:
                while chunk := stream.read(STEP):
                    left -= len(chunk)
                    if left < 0:
                        self.refuse(f"has more than {largest:,} bytes in {entry!r}")
                    yield chunk
        except BROKEN as error:
            self.refuse(f"is damaged at {entry!r}", error)

    def text(self, entry: str) -> str:
        """Return an entry as text: UTF-8, or what older versions wrote on Windows."""
        content = b"".join(self.chunks(entry))
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError:
            return content.decode("cp1252", errors="replace")

    def xml(self, entry: str) -> Element:
        """Return the root element of an entry."""
        builder, parser = TreeBuilder(), expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.StartElementHandler = builder.start
        parser.EndElementHandler = builder.end
        parser.CharacterDataHandler = builder.data
        parser.StartDoctypeDeclHandler = lambda *_: self.refuse(f"declares a document type in {entry!r}")
        try:
            parser.Parse(self.text(entry).encode(), True)
        except expat.ExpatError as error:
            self.refuse(f"has no XML in {entry!r}", error)
        return builder.close()

    def refuse(self, why: str, error: Exception | None = None) -> NoReturn:
        """Say what is wrong with the file."""
        raise ParameterError(
            f"{self.name!r} {why}",
            expected="a project as ARX saves it",
            hint="save it again with ARX, or export the hierarchies as CSV",
        ) from error


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """Open a project file, or raise `ParameterError`."""
    try:
        zipped = zipfile.ZipFile(path)
    except FileNotFoundError as error:
        raise ParameterError(f"there is no file {str(path)!r}", hint="check the path") from error
    except BROKEN as error:
        raise ParameterError(f"{path.name!r} is not a ZIP archive", expected="a project as ARX saves it") from error
    with zipped:
        yield Archive(path.name, zipped)
