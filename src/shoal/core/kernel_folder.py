"""Where compiled loops are kept: a folder of the user that nobody else can write to, because what it holds is run."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from shoal.core import processes

SOURCE = Path(__file__).parents[1]
"""The code of shoal."""
MOST_FOLDERS = 8
"""How many texts of the loops are kept; the oldest goes when another one comes."""


@cache
def text_of_loops() -> str:
    """Return a short hash of all files with loops: what a loop calls is compiled into it."""
    texts = (path.read_bytes() for path in sorted(SOURCE.rglob("*.py")))
    return sha256(b"".join(text for text in texts if b"core.compiler import" in text)).hexdigest()[:16]


@cache
def loops_folder() -> Path | None:
    """Return the folder of the loops of this text; None where there is none."""
    return own_folder(f"{version('numba')}-{text_of_loops()}")


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
