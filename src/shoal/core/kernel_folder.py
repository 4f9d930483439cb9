"""Where compiled loops are kept: a folder of the user that nobody else can write to, because what it holds is run."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from shoal.core import processes

MOST_FOLDERS = 8
"""How many texts of the loops are kept; the oldest goes when another one comes."""


def own_folder(name: str) -> Path | None:
    """Return a folder for compiled loops in the user's cache; None where there is none that is the user's alone."""
    try:
        base = user_cache() / "shoal" / "kernels"
        base.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not _is_private(base):
            return None
        folder = base / name
        folder.mkdir(exist_ok=True)
    except (OSError, RuntimeError):  # no home, or no room
        return None
    with suppress(OSError):  # it may be read alone
        folder.touch()
        for old in sorted(base.iterdir(), key=lambda path: path.stat().st_mtime)[:-MOST_FOLDERS]:
            shutil.rmtree(old, ignore_errors=True)
    return folder


def user_cache() -> Path:
    """Return the folder of the user's caches: on Windows %LOCALAPPDATA%, elsewhere ~/.cache."""
    local = os.environ.get("LOCALAPPDATA") if processes.WINDOWS else None
    return Path(local) if local else Path.home() / ".cache"


def _is_private(folder: Path) -> bool:
    """Whether nobody else can write to it. On Windows a user's own folders are private."""
    if not hasattr(os, "getuid"):
        return True
    found = folder.stat()
    return found.st_uid == os.getuid() and not found.st_mode & 0o022
