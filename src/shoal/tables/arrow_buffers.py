"""The sizes that an Arrow file states of its buffers, read before a library that believes them.

A reader asks for as much memory as a buffer is said to have, and the whole process is aborted where it cannot be had. A
packed buffer begins with its size unpacked, or with -1 where it is not packed after all. What describes the buffers is
stored as FlatBuffers.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import SEEK_END
from pathlib import Path
from struct import unpack_from
from typing import BinaryIO, Self

MAGIC, LENGTH = b"ARROW1", 4
DICTIONARIES, BATCHES, BLOCK = 2, 3, 24
"""Of the footer: the blocks of dictionaries and of rows, each so many bytes."""
HEADER_KIND, HEADER, OF_DICTIONARY, DATA = 1, 2, 2, 1
"""Of a message: the kind of its header, its header; that of a dictionary has its rows inside."""
BUFFERS, COMPRESSION, BUFFER = 2, 3, 16
"""Of rows: their buffers, each described by so many bytes, and how they are packed."""
NOT_PACKED = -1
MOST_PACKED = 2**16
"""How many times smaller a buffer can get: LZ4 and Zstandard stay below."""


def check_buffers(path: Path) -> None:
    """Raise ValueError where a buffer of an Arrow file is said to have a size that it cannot have."""
    with path.open("rb") as file:
        for start, length in _blocks(file):
            _check_block(file, start, length)


def _blocks(file: BinaryIO) -> Iterator[tuple[int, int]]:
    """Yield where each block of rows or of a dictionary begins, and the bytes that describe it."""
    end = file.seek(0, SEEK_END) - len(MAGIC) - LENGTH
    length, magic = unpack_from("<i6s", _bytes(file, max(end, 0), LENGTH + len(MAGIC)))
    if magic != MAGIC or not 0 < length <= end:
        raise ValueError("no Arrow file")
    footer = _Table.root(_bytes(file, end - length, length))
    for field in (DICTIONARIES, BATCHES):
        for place in footer.structs(field, BLOCK):
            yield unpack_from("<qi", footer.data, place)


def _check_block(file: BinaryIO, start: int, length: int) -> None:
    data = _bytes(file, start, length)
    message = _Table.root(data[8 if data[:4] == b"\xff" * 4 else 4 :])
    rows = message.table(HEADER)
    if rows is not None and message.byte(HEADER_KIND) == OF_DICTIONARY:
        rows = rows.table(DATA)
    if rows is None:
        return
    is_packed, end = rows.table(COMPRESSION) is not None, file.seek(0, SEEK_END)
    for place in rows.structs(BUFFERS, BUFFER):
        offset, size = unpack_from("<qq", rows.data, place)
        if min(offset, size) < 0 or start + length + offset + size > end:
            raise ValueError("a buffer that ends behind its file")
        if is_packed and size:
            _check_packed(_bytes(file, start + length + offset, 8), size)


def _check_packed(begin: bytes, size: int) -> None:
    unpacked: int = unpack_from("<q", begin)[0]
    if unpacked != NOT_PACKED and not 0 <= unpacked <= size * MOST_PACKED:
        raise ValueError("a buffer of a size that it cannot have")


def _bytes(file: BinaryIO, start: int, length: int) -> bytes:
    if min(start, length) < 0:
        raise ValueError("a place below 0")
    file.seek(start)
    return file.read(length)


class _Table:
    """A table of FlatBuffers: its fields are found by number."""

    def __init__(self, data: bytes, place: int) -> None:
        self.data, self.place = data, place
        self.fields = place - self._number("<i", place)

    @classmethod
    def root(cls, data: bytes) -> Self:
        """Return the table that the others are in."""
        return cls(data, unpack_from("<I", data)[0])

    def table(self, field: int) -> Self | None:
        """Return a table inside, None where there is none."""
        place = self._field(field)
        return None if place is None else type(self)(self.data, place + self._number("<I", place))

    def byte(self, field: int) -> int:
        """Return a small number, 0 where there is none."""
        place = self._field(field)
        return 0 if place is None else self.data[place]

    def structs(self, field: int, size: int) -> range:
        """Return where the structs of a list begin."""
        place = self._field(field)
        if place is None:
            return range(0)
        first = place + self._number("<I", place)
        end = first + 4 + size * self._number("<I", first)
        if end > len(self.data):
            raise ValueError("a list that ends behind its file")
        return range(first + 4, end, size)

    def _field(self, number: int) -> int | None:
        slot = 4 + 2 * number
        inside = slot < self._number("<H", self.fields)
        offset = self._number("<H", self.fields + slot) if inside else 0
        return self.place + offset if offset else None

    def _number(self, kind: str, place: int) -> int:
        if place < 0:
            raise ValueError("a place below 0")
        found: int = unpack_from(kind, self.data, place)[0]
        return found
