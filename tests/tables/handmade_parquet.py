"""Parquet files of one column and one page, written byte by byte: they may state what no library would write."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

PLAIN, RLE, PREFIXES = 0, 3, 7
REQUIRED, OPTIONAL, REPEATED = 0, 1, 2
INT32, TEXT, OF_A_LENGTH = 1, 6, 7
NONE, GZIP = 0, 2


class Small(int):
    """A number that the format stores in 32 bits."""


def unsigned(number: int) -> bytes:
    """Return a number in groups of seven bits, the smallest first."""
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def run(length: int, value: int) -> bytes:
    """Return a run of levels: so many times a value."""
    return unsigned(length << 1) + bytes([value])


def packed(groups: int, levels: bytes) -> bytes:
    """Return levels bit by bit, said to be so many groups of eight."""
    return unsigned(groups << 1 | 1) + levels


def equal_texts(count: int, length: int) -> bytes:
    """Return texts of a letter, each but the first of which has all characters of the one before and no other."""
    shared = _differences(count, 0, [length] + [0] * 127)
    others = _differences(count, length, [-length] + [0] * 127)
    return shared + others + b"x" * length


def _differences(count: int, first: int, then: list[int]) -> bytes:
    """Return whole numbers by their differences, in blocks of 128; after the first block there are none."""
    least = min(then)
    block = _signed(least) + bytes([32] * 4) + struct.pack("<128I", *(one - least for one in then))
    head = unsigned(128) + unsigned(4) + unsigned(count) + _signed(first)
    return head + block + (_signed(0) + bytes(4)) * -(-(count - 129) // 128)


def _signed(number: int) -> bytes:
    return unsigned(number << 1 if number >= 0 else -number * 2 - 1)


def _value(value: Any) -> tuple[int, bytes]:
    """Return the type of a value in Thrift's compact protocol, and its bytes."""
    match value:
        case bool():
            return 1 if value else 2, b""
        case int():
            return 5 if isinstance(value, Small) else 6, _signed(value)
        case str():
            return 8, unsigned(len(value)) + value.encode()
        case list():
            kind = _value(value[0])[0]
            return 9, bytes([len(value) << 4 | kind]) + b"".join(_value(one)[1] for one in value)
    found, last = b"", 0
    for number, one in sorted(value.items()):
        kind, content = _value(one)
        found += bytes([number - last << 4 | kind]) + content
        last = number
    return 12, found + b"\0"


@dataclass(frozen=True)
class Handmade:
    """What a file says of itself, and what its page has."""

    rows: int = 20
    values: int | None = None
    """Values that the page states; as many as rows if it is not said."""
    in_column: int | None = None
    """Values that the column states."""
    levels: bytes = field(default_factory=lambda: run(20, 0))
    content: bytes = b""
    kind: int = INT32
    length: int = 0
    repetition: int = OPTIONAL
    packing: int = NONE
    unpacked: int | None = None
    """Bytes that the page states to have unpacked."""
    encoding: int = PLAIN
    newer: bool = False
    """Whether the page is of the second version of data pages."""
    also: Mapping[int, Any] | None = None
    """What else the header of the page has, by number."""
    columns: int = 1
    """Columns that are named; there are pages of one."""
    dictionary: int | None = None
    """Where the page of the dictionary is said to be; there is none."""

    def file(self) -> bytes:
        """Return the bytes of the file."""
        page = self._page()
        header = self._header(page)
        pages = _value(header)[1] + page
        whole = {1: Small(1), 2: self._schema(), 3: self.rows, 4: [self._group(len(pages))]}
        end = _value(whole)[1]
        return b"PAR1" + pages + end + struct.pack("<I", len(end)) + b"PAR1"

    def _page(self) -> bytes:
        if self.packing != NONE:
            return self.content
        before = struct.pack("<I", len(self.levels)) + self.levels
        return self.content if self.repetition == REQUIRED else (self.levels if self.newer else before) + self.content

    def _header(self, page: bytes) -> dict[int, Any]:
        values = Small(self.rows if self.values is None else self.values)
        sizes = {2: Small(len(page) if self.unpacked is None else self.unpacked), 3: Small(len(page))}
        if not self.newer:
            older = {1: values, 2: Small(self.encoding), 3: Small(RLE), 4: Small(RLE)}
            return {1: Small(0), **sizes, 5: older, **(self.also or {})}
        levels = {5: Small(len(self.levels)), 6: Small(0), 7: False}
        return {
            1: Small(3),
            **sizes,
            8: {1: values, 2: values, 3: Small(self.rows), 4: Small(self.encoding), **levels},
            **(self.also or {}),
        }

    def _schema(self) -> list[dict[int, Any]]:
        column = {1: Small(self.kind), 2: Small(self.length), 3: Small(self.repetition), 4: "a"}
        return [{4: "schema", 5: Small(self.columns)}, *([column] * self.columns)]

    def _group(self, size: int) -> dict[int, Any]:
        values = self.rows if self.in_column is None else self.in_column
        chunk = {1: Small(self.kind), 2: [Small(self.encoding)], 3: ["a"], 4: Small(self.packing), 5: values}
        place = {} if self.dictionary is None else {11: self.dictionary}
        return {1: [{2: 4, 3: {**chunk, 6: size, 7: size, 9: 4, **place}}], 2: size, 3: self.rows}
