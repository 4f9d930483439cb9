"""Locks on files that live as long as the file stays open: when a process ends, however it ends, its locks are free.

On POSIX systems a lock is `flock`, which a child that inherits the open file shares. Windows locks a byte of the file
for one process; a child can only take the lock once its parent has let it go, which `keep_lock` waits for.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from threading import Thread
from typing import Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]
try:
    import msvcrt as _msvcrt
except ImportError:  # every other system
    _msvcrt = None  # type: ignore[assignment]
msvcrt: Any = _msvcrt

TRIES = 10
"""On Windows, how often a lock is tried: whoever only looks at it has it for a moment."""
PAUSE = 0.02
"""Seconds between two tries."""


def lock(path: Path) -> int | None:
    """Take a lock that lives as long as the file stays open; return the open file, or None if somebody has the lock."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    if _taken(handle):
        return handle
    os.close(handle)
    return None


def locked(path: Path) -> bool:
    """Whether somebody has the lock; looking at it takes it from nobody."""
    try:
        handle = os.open(path, os.O_RDONLY if fcntl is not None else os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        return not _taken(handle, shared=True)
    finally:
        os.close(handle)


def inherited(handle: int) -> dict[str, Any]:
    """Return the options of `subprocess.Popen` with which a child shares a lock; none where it cannot."""
    return {"pass_fds": [handle]} if fcntl is not None else {}


def keep_lock(path: Path) -> None:
    """In a child that could not inherit its parent's lock: take it as soon as the parent is gone, and hold it."""
    if fcntl is None:
        Thread(target=_wait_for, args=(path,), daemon=True).start()


def _wait_for(path: Path) -> None:
    while path.parent.exists() and lock(path) is None:
        time.sleep(PAUSE)


def _taken(handle: int, *, shared: bool = False) -> bool:
    """Whether the lock could be taken at once."""
    if fcntl is not None:
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
    for _ in range(TRIES):
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            time.sleep(PAUSE)
        else:
            return True
    return False
