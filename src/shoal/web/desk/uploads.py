"""Uploads: files that people hand over, in a private folder, of limited size, deleted when the desk is closed."""

from __future__ import annotations

import os
import secrets
import shutil
import zipfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from shoal.core.errors import ShoalError, TableError
from shoal.core.number_format import counted
from shoal.hierarchies import Taxonomy
from shoal.hierarchies.files import write_hierarchy
from shoal.studies.checkpoint import fingerprint
from shoal.tables.compression import opened
from shoal.web.desk.atomic_files import private_folder, written

LIMIT = 2 * 1024**3
"""Bytes of one upload, at most."""
CHUNK = 1 << 20
NAME = 200
"""Bytes of a file's name; of a longer one the end is kept."""
SLACK, RATIO = 64 << 20, 100
"""A packed upload may unpack to so many bytes, or to so many times its size where that is more."""

PACKED, BOOKS = (".gz", ".bz2", ".zst", ".zip"), (".xlsx", ".xlsm", ".ods")
"""How the names of packed texts, and of workbooks, which are packed too, end."""


@dataclass(frozen=True)
class Uploads:
    """The folder of uploads; each file has a folder of its own, so that names never meet."""

    folder: Path
    limit: int = LIMIT

    def keep(self, name: str, stream: IO[bytes] | Iterable[bytes] | bytes) -> Path:
        """Write a stream to a file of that name; of a name with folders in it, the last part is taken."""
        plain = Path(name.replace("\\", "/")).name
        if not plain or plain.startswith(".") or not plain.isprintable():
            raise TableError("the file has no plain name", hint="rename it, and try again")
        folder = private_folder(private_folder(self.folder) / secrets.token_hex(8))
        target = folder / os.fsencode(plain)[-NAME:].decode(errors="ignore")
        try:
            self._write(target, stream)
            self._check_unpacked(target)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return target

    def _write(self, target: Path, stream: IO[bytes] | Iterable[bytes] | bytes) -> None:
        size = 0
        with written(target), target.open("xb") as file:
            for chunk in _chunks(stream):
                size += len(chunk)
                if size > self.limit:
                    raise TableError(
                        f"{target.name!r} is larger than {counted(self.limit >> 20, 'megabyte')}",
                        hint="name its path instead of uploading it",
                    )
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())

    def _check_unpacked(self, target: Path) -> None:
        """Refuse a packed file that is far larger than it looks; what cannot be unpacked is told by who reads it."""
        most = min(self.limit, max(SLACK, RATIO * target.stat().st_size))
        size = _unpacked_size(target, most)
        if size > most:
            raise TableError(
                f"{target.name!r} unpacks to more than {counted(most >> 20, 'megabyte')}",
                hint="unpack it, and name its path instead of uploading it",
            )

    def tree(self, taxonomy: Taxonomy) -> Path:
        """Write a tree of values to a file; the same tree is the same file."""
        folder = private_folder(private_folder(self.folder) / fingerprint(taxonomy)[:16])
        target = folder / "hierarchy.json"
        if not target.is_file():
            write_hierarchy(taxonomy, target)
        return target

    def holds(self, path: str | Path) -> bool:
        """Whether a path is that of an upload."""
        return Path(path).is_relative_to(self.folder)

    def forget(self, path: Path) -> None:
        """Delete one upload."""
        if self.holds(path):
            shutil.rmtree(path.parent, ignore_errors=True)

    def clear(self, but: Iterable[Path] = ()) -> None:
        """Delete every upload but those."""
        kept = {path.parent for path in but}
        for folder in self.folder.iterdir() if self.folder.is_dir() else ():
            if folder not in kept:
                shutil.rmtree(folder, ignore_errors=True)


def _chunks(stream: IO[bytes] | Iterable[bytes] | bytes) -> Iterable[bytes]:
    if isinstance(stream, bytes):
        return (stream,)
    read = getattr(stream, "read", None)
    return iter(lambda: read(CHUNK), b"") if read is not None else stream


def _unpacked_size(path: Path, most: int) -> int:
    """Return how many bytes a packed file unpacks to, or any number above `most`; 0 where it is not packed."""
    size = 0
    if path.suffix.lower() in BOOKS:
        with suppress(OSError, zipfile.BadZipFile), zipfile.ZipFile(path) as archive:
            size = sum(one.file_size for one in archive.infolist())
    elif path.suffix.lower() in PACKED:
        with suppress(OSError, ShoalError), opened(path) as file:
            while size <= most and (chunk := file.read(CHUNK)):
                size += len(chunk)
    return size
