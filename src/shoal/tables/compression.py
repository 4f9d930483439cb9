"""Compressed text: gzip, bzip2, Zstandard, and zip files with one text in them. The first bytes say which it is."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import IO, Any, cast

from shoal.core.errors import ShoalError, TableError, Unsupported
from shoal.tables.csv_text import COMPRESSED

GZIP, BZIP2, ZSTANDARD, ZIP = COMPRESSED
EXTRA = "shoal[files]"
BLOCK = 2**17
"""Compressed bytes that are read together."""
TEXTS = (".csv", ".tsv", ".txt")
"""How the name of the text in a zip file ends."""
MOST_HELD = 2**31
"""Bytes of text that are unpacked in memory; a few packed ones may stand for any number."""


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading its text, whether it is compressed or not; a damaged one is said in words."""
    with path.open("rb") as file, unpacked(file, path.name) as text:
        yield text


@contextmanager
def unpacked(file: IO[bytes], name: str) -> Iterator[IO[bytes]]:
    """Let the text of a file be read."""
    head = file.read(4)
    file.seek(0)
    known: dict[bytes, Callable[[IO[bytes], str], Any]] = {
        GZIP: lambda packed, _: gzip.GzipFile(fileobj=packed),
        BZIP2: lambda packed, _: bz2.BZ2File(packed),
        ZSTANDARD: lambda packed, _: _Zstandard(packed),
        ZIP: _member,
    }
    start = next((start for start in known if head.startswith(start)), None)
    if start is None:
        yield file
        return
    kind = {GZIP: "gzip", BZIP2: "bzip2", ZSTANDARD: "Zstandard", ZIP: "zip"}[start]
    damaged = TableError(f"{name!r} is a damaged {kind} file", hint="fetch or compress it again")
    try:
        packed = known[start](file, name)
    except (ShoalError, MemoryError):
        raise
    except Exception as error:  # a directory of a zip file that makes no sense ends in errors of any kind
        if _is_of_the_disk(error):
            raise
        raise damaged from error
    try:
        with packed as text:
            yield cast("IO[bytes]", io.BufferedReader(text))
    except Exception as error:
        if not _is_damage(error):
            raise
        raise damaged from error


def text_of(content: bytes, name: str) -> bytes:
    """Return the text of a file from its bytes; one that is too long to be held is refused."""
    with unpacked(io.BytesIO(content), name) as text:
        found = text.read(MOST_HELD + 1)
    if len(found) > MOST_HELD:
        raise TableError(
            f"{name!r} holds more than {MOST_HELD:,} bytes of text, which do not fit in memory",
            hint="unpack it, and make room in the temporary folder (TMPDIR)",
        )
    return found


def zstandard() -> Any:
    """Return the module that knows Zstandard, or say what installs it."""
    try:
        return import_module("zstandard")  # an optional extra
    except ImportError:
        raise Unsupported("Zstandard needs zstandard, which is not installed", hint=f"pip install {EXTRA!r}") from None


class _Zstandard(io.RawIOBase):
    """The text of a Zstandard file; one that ends too early is an error, which the module itself does not say."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._text = file, b""
        self._frame = zstandard().ZstdDecompressor().decompressobj()

    def readable(self) -> bool:
        """Whether it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes of text; none at the end of the last frame."""
        while not self._text:
            packed = (self._frame.unused_data if self._frame.eof else b"") or self._file.read(BLOCK)
            if not packed and self._frame.eof:
                return 0
            if not packed:
                raise EOFError("the last frame ends too early")
            if self._frame.eof:
                self._frame = zstandard().ZstdDecompressor().decompressobj()
            self._text = self._frame.decompress(packed)
        size = min(len(buffer), len(self._text))
        buffer[:size], self._text = self._text[:size], self._text[size:]
        return size


def _is_damage(error: Exception) -> bool:
    """Whether an error says that compressed bytes are not what they should be, and not that a disk failed."""
    if isinstance(error, OSError):
        return not _is_of_the_disk(error)
    known = EOFError | zlib.error | zipfile.BadZipFile | lzma.LZMAError | NotImplementedError
    return isinstance(error, known) or type(error).__name__ == "ZstdError"


def _is_of_the_disk(error: Exception) -> bool:
    """Whether a disk failed; a place in a file that cannot be is no fault of the disk."""
    return isinstance(error, OSError) and error.errno not in (None, errno.EINVAL)


def _member(file: IO[bytes], name: str) -> Any:
    """Open the only text in a zip file."""
    archive = zipfile.ZipFile(file)
    inside = [one for one in archive.infolist() if not one.is_dir() and not _is_hidden(one.filename)]
    texts = [one for one in inside if one.filename.lower().endswith(TEXTS)]
    if len(texts) != 1 or len(inside) != 1:
        raise TableError(
            f"the zip file {name!r} holds {len(inside)} files, {len(texts)} of them CSV", expected="one CSV file alone"
        )
    if texts[0].flag_bits & 1:
        raise TableError(f"the zip file {name!r} is protected by a password", hint="unpack it first")
    return archive.open(texts[0])


def _is_hidden(name: str) -> bool:
    """Whether a file in a zip file is one that systems add."""
    return name.startswith("__MACOSX/") or Path(name).name.startswith(".")
