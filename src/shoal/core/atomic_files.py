"""Files and folders written beside their place and moved there in one step.

A crash leaves the old content or the new, never a half of one.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a name beside `path` that nobody else has; the file or folder written there then replaces `path`.

    Nothing is replaced where writing failed, and nothing is left beside it.
    """
    beside = beside_of(path)
    try:
        yield beside
        beside.replace(path)
    finally:
        remove(beside)


def beside_of(path: Path) -> Path:
    """Return a hidden name in the folder of `path` that says which process it is of, another one on each call."""
    return path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.partial")


def remove(path: Path) -> None:
    """Remove a file or a folder, where it is there and may be removed."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()


def put_text(path: Path, text: str) -> None:
    """Write a text in UTF-8; it is on the disk when this returns."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
