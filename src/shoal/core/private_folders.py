"""Temporary folders for cells: only their owner may look into them, and they go with the process that made them.

A folder that a killed process leaves is removed by the next one, which sees that nobody holds a lock on it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from shoal.core.atomic_files import undisturbed

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]


def make_private(prefix: str) -> tuple[Path, int]:
    """Make a folder that only its owner may look into; the lock on it is held as long as this process lives."""
    made = Path(tempfile.mkdtemp(prefix=f".{prefix}"))
    held = -1  # Windows opens no folders
    if fcntl is not None:
        held = os.open(made, os.O_RDONLY)
        fcntl.flock(held, fcntl.LOCK_SH)
    return made.rename(made.with_name(made.name[1:])), held  # from here on, others may ask for the lock


def remove_own(process: int, folder: Path, held: int) -> None:
    """Remove a folder in the process that made it: one that was forked from it has it in common."""
    if os.getpid() == process:
        with undisturbed(finalizer=True):
            remove_private(folder, held)


def remove_private(folder: Path, held: int) -> None:
    """Remove a folder and let go of its lock."""
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):
        os.close(held)


def sweep_up(prefix: str, is_ours: Callable[[str], bool]) -> None:
    """Remove the folders of killed processes: nobody holds a lock on them, and all that is in them is ours."""
    if fcntl is None:
        return
    for left in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        with suppress(OSError):
            handle = os.open(left, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.fstat(handle).st_uid == os.getuid() and all(is_ours(file.name) for file in left.iterdir()):
                    shutil.rmtree(left, ignore_errors=True)
            finally:
                os.close(handle)
