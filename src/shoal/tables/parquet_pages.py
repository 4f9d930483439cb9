"""The numbers that a Parquet file states of its pages, read before a library that believes them.

A page that states a number of values below 0, or more than its column has, makes the reader ask for so much memory that
the whole process is aborted. So does a file of a hundred bytes that states billions of rows, values of a gigabyte each,
or pages that unpack to gigabytes. The numbers are stored in Thrift's compact protocol.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from io import SEEK_END
from os import fstat
from pathlib import Path
from struct import unpack
from typing import Any, BinaryIO

import polars as pl

from shoal.core.errors import TableError, failing_as
from shoal.core.memory import ADDRESSES, OF_CORE
from shoal.tables.signatures import unreadable

try:
    import resource as limits
except ImportError:  # Windows
    limits = None  # type: ignore[assignment]

Struct = dict[int, Any]
"""The fields of a Thrift struct by number; what is not a number, a list or a struct is left out."""
MAGIC, TAIL = b"PAR1", 8
SCHEMA, ROW_GROUPS, CHUNKS, META, ROWS = 2, 4, 1, 3, 3
TYPE, LENGTH, REPETITION, CHILDREN = 1, 2, 3, 5
OF_A_LENGTH, REPEATED = 7, 2
"""A type whose values all have the length that is stated; a column of which a row may have any number of values."""
VALUES, FIRST_PAGE, DICTIONARY = 5, 9, 11
UNPACKED, PACKED, HEADERS = 2, 3, {0: 5, 2: 7, 3: 8}
"""Of a page: its bytes unpacked and packed; by type, the header of a data page, a dictionary, a newer data page."""
OF_DICTIONARY = 7
WIDEST = 16
"""Bytes that polars holds for a value of every other type, at most; of a text, beside the text itself."""
FREE, PER_BYTE = 2**28, 2**14
"""Bytes of memory that any file may take, and how many more for each of its own. Where all rows are the same, polars,
pyarrow and DuckDB write 300 to 600 values per byte, each of which takes up to 16."""
ENCODING, PREFIXES = {5: 2, 8: 4}, 7
"""Where the header of a data page says how its values are written, and one way: of each text, how many characters it
shares with the one before, and the others. A few bytes of it can be texts of any length."""
TRIED = "import sys; sys.path[:] = {path!r}; from shoal.tables.parquet_pages import try_file; try_file(*sys.argv[1:])"
LARGE = 2**32
"""Bytes of memory from which on a file may take them without being tried."""
DEEPEST = 32
"""Structs within structs; a Parquet file has fewer than ten."""


def read_parquet(path: Path) -> pl.DataFrame:
    """Return the rows of a file whose pages are looked at first; `TableError` where it is damaged."""
    with failing_as(partial(unreadable, path, "Parquet")):
        check_pages(path)
        return pl.read_parquet(path, glob=False)


def check_pages(path: Path) -> None:
    """Raise ValueError where a page of a Parquet file states sizes that it cannot have.

    `TableError` where the file would take far more memory than it has bytes.
    """
    with path.open("rb") as file:
        most = FREE + PER_BYTE * file.seek(0, SEEK_END)
        held = unpacked = repeated = 0
        for chunk, width in _chunks(file):
            held += chunk[VALUES] * width
            for page, kind in _pages(file, chunk):
                unpacked += page[UNPACKED]
                repeated += page[UNPACKED] * page[kind][1] if page[kind].get(ENCODING.get(kind)) == PREFIXES else 0
            if max(held, unpacked) > most:
                raise _too_much(path)
    if most < min(LARGE, repeated) and not _fits(path, most):
        raise _too_much(path)


def _too_much(path: Path) -> TableError:
    return TableError(
        f"{path.name!r} is small, and states so many or so long values that they would not fit in memory",
        expected=f"at most {FREE:,} bytes of them, and {PER_BYTE:,} more for each byte of the file",
    )


def _fits(path: Path, most: int) -> bool:
    """Whether a file can be read within some bytes of memory, which is tried in a process of its own."""
    if limits is None:
        return True
    asked = [sys.executable, "-c", TRIED.format(path=sys.path), str(path), str(most)]
    quiet = {**os.environ, "RUST_BACKTRACE": "0", "POLARS_MAX_THREADS": "1"}
    return not subprocess.run(asked, capture_output=True, check=False, env=quiet).returncode


def try_file(path: str, most: str) -> None:
    """Read a file with limited memory; the process ends with it."""
    addresses = ADDRESSES + OF_CORE * (os.cpu_count() or 1) + int(most)
    limits.setrlimit(limits.RLIMIT_AS, (addresses, addresses))
    pl.scan_parquet([path], glob=False).collect()


def _chunks(file: BinaryIO) -> Iterator[tuple[Struct, int]]:
    """Yield what the end of a file says of each column of each group of rows, with the bytes that a value takes."""
    size = file.seek(0, SEEK_END)
    file.seek(max(size - TAIL, 0))
    length, magic = unpack("<I4s", file.read(TAIL))
    if magic != MAGIC or length > size - TAIL:
        raise ValueError("no Parquet file")
    file.seek(size - TAIL - length)
    whole = _Thrift(file).struct()
    groups = whole.get(ROW_GROUPS, [])
    if sum(group[ROWS] for group in groups) != whole[ROWS]:
        raise ValueError("another number of rows than that of its groups")
    has_lists = any(element.get(REPETITION) == REPEATED for element in whole[SCHEMA])
    columns = [element for element in whole[SCHEMA] if CHILDREN not in element]
    for group in groups:
        for chunk, column in zip((chunk[META] for chunk in group[CHUNKS]), columns, strict=True):
            if min(group[ROWS], chunk[VALUES]) < 0 or (chunk[VALUES] != group[ROWS] and not has_lists):
                raise ValueError("a column of another length than its rows")
            yield chunk, max(WIDEST, column.get(LENGTH, 0) if column[TYPE] == OF_A_LENGTH else 0)


def _pages(file: BinaryIO, chunk: Struct) -> Iterator[tuple[Struct, int]]:
    """Yield what the pages of a column of a group of rows say, which lie one after the other, and the kind of each."""
    left = chunk[VALUES]
    file.seek(chunk[DICTIONARY if DICTIONARY in chunk else FIRST_PAGE])  # where polars begins, too
    while left > 0:
        page = _Thrift(file).struct()
        kind = HEADERS.get(page[TYPE])
        if kind is None or not page.keys() & set(HEADERS.values()) == {kind}:
            raise ValueError("a page without the header of its kind, or with several")
        header = page[kind]
        if min(page[UNPACKED], page[PACKED], *(number for number in header.values() if type(number) is int)) < 0:
            raise ValueError("a size below 0")
        if header[1] > (page[UNPACKED] if kind == OF_DICTIONARY else left):
            raise ValueError("more values than there can be")
        left -= 0 if kind == OF_DICTIONARY else header[1]
        file.seek(page[PACKED], 1)
        yield page, kind


class _Thrift:
    """Reads values of Thrift's compact protocol from a file."""

    def __init__(self, file: BinaryIO, depth: int = 0) -> None:
        self.file, self.depth = file, depth

    def struct(self) -> Struct:
        """Read the fields of a struct up to its end."""
        if self.depth > DEEPEST:
            raise ValueError("too deep")
        inside, found, number = _Thrift(self.file, self.depth + 1), Struct(), 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self.integer()
            if number in found:  # other readers may take the first where this one takes the last
                raise ValueError("a field that is there twice")
            found[number] = inside.value(head & 15)
        return found

    def value(self, kind: int) -> Any:
        """Read a value of a kind: a truth value, a byte, an integer, a fraction, a text, a list or a struct."""
        match kind:
            case 1 | 2:
                return kind == 1
            case 3:
                return self._byte()
            case 4 | 5 | 6:
                return self.integer()
            case 7:
                return self._skipped(8)
            case 8:
                return self._skipped(self._unsigned())
            case 9 | 10:
                return self._list()
            case 12:
                return self.struct()
        raise ValueError("an unknown type")

    def integer(self) -> int:
        """Read a whole number, written as 0, -1, 1, -2, ..."""
        found = self._unsigned()
        return found >> 1 ^ -(found & 1)

    def _list(self) -> list[Any]:
        head = self._byte()
        length = head >> 4 if head >> 4 < 15 else self._unsigned()
        return [self._element(head & 15) for _ in range(length)]

    def _element(self, kind: int) -> Any:
        return self._byte() == 1 if kind in (1, 2) else self.value(kind)

    def _unsigned(self) -> int:
        found, shift = 0, 0
        while (byte := self._byte()) > 127:
            found, shift = found | (byte & 127) << shift, shift + 7
        return found | byte << shift

    def _skipped(self, length: int) -> None:
        if self.file.seek(length, 1) > fstat(self.file.fileno()).st_size:
            raise ValueError("a value that ends behind its file")

    def _byte(self) -> int:
        return self.file.read(1)[0]
