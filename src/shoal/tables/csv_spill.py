"""CSV files larger than memory: their cells are put into a Parquet file, in passes that hold a few megabytes of them.

The file is in a private temporary folder, which is removed with the table, or by the next process where one was killed.
What comes of it is what `csv_text.parse` makes of the same file in memory.
"""

from __future__ import annotations

import codecs
import csv
import errno
import io
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path

import polars as pl

from shoal.core.atomic_files import undisturbed
from shoal.core.errors import ParameterError, TableError
from shoal.core.private_folders import make_private, remove_own, remove_private, sweep_up
from shoal.tables.column_types import tidy_column
from shoal.tables.columns import Stored
from shoal.tables.compression import opened
from shoal.tables.csv_text import (
    COMPRESSED,
    HEAD,
    LONGEST,
    Form,
    marked_encoding,
    separators_outside,
    without_blank_lines,
)
from shoal.tables.readers.base import ReadOptions

BLOCK = 2**23
"""Characters that are looked at together."""
PREFIX, FILES = "shoal-", {"cells.csv", "cells.parquet"}
"""How the name of a temporary folder begins, and what is in it."""
PACKED = 8
"""How many times larger a packed file is taken to be once unpacked, at least."""
COUNTED = 2**26
"""Bytes of a packed text that are counted: more of them do not fit in the memory that a small file may take."""


def spill(path: Path, options: ReadOptions) -> tuple[Stored, Form]:
    """Return the columns of a CSV file, put on the disk, and its form; what is not given is guessed."""
    encoding = options.encoding or _encoding(path)
    blocks = _blocks(path, encoding)
    first = _head(blocks)
    form = Form.of(path.name, first, encoding, options)
    names = form.names(first)
    sweep_up(PREFIX, FILES.__contains__)
    made: list[tuple[Path, int]] = []
    try:
        with undisturbed():
            made.append(make_private(PREFIX))
        ((folder, held),) = made
        stored = _put(chain([first], blocks), form, names, folder)
    except BaseException:
        with undisturbed():
            for one in made:
                remove_private(*one)
        raise
    weakref.finalize(stored, remove_own, os.getpid(), folder, held)
    return stored, form


def text_size(path: Path) -> int:
    """Return how many bytes of text a file holds; of a packed one about how many, or more than are counted."""
    size = path.stat().st_size
    if not _is_packed(path):
        return size
    return size * PACKED if size * PACKED > COUNTED else max(size * PACKED, _counted(path))


def _counted(path: Path) -> int:
    """Return how many bytes of text a packed file holds, counted up to a limit: a few may stand for very many."""
    counted = 0
    with opened(path) as text:
        while counted <= COUNTED and (block := text.read(BLOCK)):
            counted += len(block)
    return counted


def has_room(path: Path) -> bool:
    """Whether the temporary folder has room for the cells of a file: as text, and once more as columns."""
    try:
        with undisturbed():  # it is tried by writing a file
            temporary = tempfile.gettempdir()
        return shutil.disk_usage(temporary).free > 2 * text_size(path)
    except OSError:
        return False


def _put(blocks: Iterable[str], form: Form, names: list[str], folder: Path) -> Stored:
    """Put the rows of some blocks into a Parquet file, all cells as text."""
    text, cells = (folder / name for name in sorted(FILES))
    separators = _copy(blocks, form, text, blank_is_nobody=len(names) > 1)
    try:
        whole = pl.scan_csv(text, separator=form.separator, infer_schema=False, new_columns=names, glob=False)
        whole.sink_parquet(cells)
    except pl.exceptions.PolarsError as error:
        if shutil.disk_usage(folder).free < BLOCK:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
        raise form.irregular() from error
    stored = Stored(
        cells, partial(pl.scan_parquet, glob=False), lambda column: tidy_column(form.typed(column)), form.noted
    )
    if separators != (stored.rows + 1) * (len(names) - 1):
        try:
            form.check_short(_short(text, form.separator, len(names)))
        except csv.Error as error:
            raise form.irregular() from error
    text.unlink()
    return stored


def _copy(blocks: Iterable[str], form: Form, path: Path, *, blank_is_nobody: bool) -> int:
    """Write blocks of whole rows as UTF-8, without blank lines, and count the separators outside quotes."""
    count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        for block in blocks:
            form.check_text(block)
            count += separators_outside(block, form.separator)
            file.write(without_blank_lines("\n" + block)[1:] if blank_is_nobody else block)
    return count


def _blocks(path: Path, encoding: str) -> Iterator[str]:
    """Yield the text of a file in blocks of whole rows; a last row without a line end goes with those before it."""
    held = ""
    with opened(path) as file:
        try:
            text = io.TextIOWrapper(file, encoding=encoding, newline="")
            piece = text.read(BLOCK).removeprefix("\ufeff")
            while piece:
                held, piece = held + piece, text.read(BLOCK)
                if not piece:
                    break
                end = _last_row_end(held)
                if end:
                    yield held[:end]
                    held = held[end:]
                elif len(held) > LONGEST:
                    raise TableError(
                        f"{path.name!r} has a row of more than {LONGEST:,} characters",
                        hint="look for unbalanced quotes",
                    )
        except UnicodeDecodeError as error:
            raise TableError(f"{path.name!r} is not {encoding} text", hint="name another --encoding") from error
        except LookupError as error:
            raise ParameterError(f"unknown encoding {encoding!r}", expected="a name such as utf-8 or cp1252") from error
    if held:
        yield held


def _head(blocks: Iterator[str]) -> str:
    """Take the first blocks, as many as the form of a file is guessed from."""
    head = ""
    for block in blocks:
        head += block
        if len(head) >= HEAD:
            break
    return head


def _last_row_end(text: str) -> int:
    """Return the place after the last line end that is outside quotes; 0 where there is none.

    >>> [_last_row_end(text) for text in ('a,b\\n1,2\\n3', 'a\\n"x\\ny', "a")]
    [8, 2, 0]
    """
    parts, end = text.split('"'), len(text)
    for place in range(len(parts) - 1, -1, -1):
        begin = end - len(parts[place])
        if place % 2 == 0 and "\n" in parts[place]:
            return begin + parts[place].rindex("\n") + 1
        end = begin - 1
    return 0


def _encoding(path: Path) -> str:
    """Return the encoding of a byte-order mark, else UTF-8 if the bytes are, else Windows-1252."""
    with opened(path) as file:
        piece = file.read(4)
        known = marked_encoding(piece)
        if known:
            return known
        decoder = codecs.getincrementaldecoder("utf-8")()
        try:
            while piece:
                decoder.decode(piece)
                piece = file.read(BLOCK)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return "cp1252"
    return "utf-8"


def _is_packed(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4).startswith(COMPRESSED)


def _short(path: Path, separator: str, width: int) -> int:
    """Count the rows that have fewer cells than the header."""
    with path.open(encoding="utf-8", newline="") as file:
        return sum(0 < len(row) < width for row in csv.reader(file, delimiter=separator))
