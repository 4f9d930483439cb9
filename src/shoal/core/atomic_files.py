"""Files and folders written beside their place and moved there in one step.

A crash leaves the old content or the new, never a half of one.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer, current_thread, main_thread

WINDOWS = os.name == "nt"
TRIES, PAUSE = 20, 0.02
"""On Windows, how often a move is tried again, and the seconds between two tries."""


SOON = 0.05
"""Seconds until a finalizer is done for sure."""
ENDS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""The signals that end a program, of those that the system has."""


@contextmanager
def undisturbed(*, finalizer: bool = False) -> Iterator[None]:
    """Let signals that a program handles wait until the work inside is done: making, moving and removing a few files.

    Python handles signals in the main thread, so nothing disturbs the others. What a signal raises in a finalizer is
    lost; there it comes a moment later.
    """
    waiting: list[int] = []
    before = {}
    if current_thread() is main_thread():
        handled = [one for one in ENDS if callable(signal.getsignal(one))]
        before = {one: signal.signal(one, lambda number, frame: waiting.append(number)) for one in handled}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
        for number in waiting:
            if finalizer:
                _send_soon(number)
            else:
                signal.raise_signal(number)


def _send_soon(number: int) -> None:
    """Send this process a signal in a moment, unless it has come to its end by then."""
    sending = Timer(SOON, lambda: signal.raise_signal(number) if main_thread().is_alive() else None)
    sending.daemon = True
    with suppress(RuntimeError):  # it ends just now
        sending.start()


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a name beside `path` that nobody else has; the file or folder written there then replaces `path`.

    Nothing is replaced where writing failed, and nothing is left beside it.
    """
    beside = beside_of(path)
    try:
        yield beside
        _put_in_place(beside, path)
    finally:
        with undisturbed():
            remove(beside)


def _put_in_place(beside: Path, path: Path) -> None:
    """Move a file or folder over what was there; Windows refuses that while somebody reads it, so it is tried again."""
    for _ in range(TRIES if WINDOWS else 0):
        with suppress(PermissionError):
            beside.replace(path)
            return
        time.sleep(PAUSE)
    moved(beside, path)


def moved(source: Path, target: Path) -> None:
    """Move a file or folder over what was there.

    A network file system may report a failure although it moved the file, where its first answer was lost. So a source
    that is gone was moved: no other process uses its name.
    """
    try:
        source.replace(target)
    except OSError:
        if source.exists() or not target.exists():
            raise


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
