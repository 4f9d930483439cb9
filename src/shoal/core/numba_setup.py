"""numba, set up so that what it compiled is kept: beside the code, or in the user's own cache, or for this run."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any


def _kept() -> str:
    """Return a folder that nobody else can write to: what is read back from it is run."""
    try:
        folder = Path.home() / ".cache" / "shoal" / "kernels"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if os.access(folder, os.W_OK):
            return str(folder)
    except (OSError, RuntimeError):
        pass
    return tempfile.mkdtemp(prefix="shoal-kernels-")


if not os.access(Path(__file__).parent, os.W_OK) and "NUMBA_CACHE_DIR" not in os.environ:
    os.environ["NUMBA_CACHE_DIR"] = _kept()

from numba import njit  # noqa: E402 - it reads the setting when it is imported
from numba.core import caching, event  # noqa: E402

from shoal.core.clock import COMPILING  # noqa: E402

__all__ = ["njit"]


class _Watch(event.Listener):
    """Reports to the clock of time limits when the compiler is at work; loops read from the cache are not compiled."""

    def on_start(self, event: object) -> None:
        """Take note."""
        COMPILING.start()

    def on_end(self, event: object) -> None:
        """Take note."""
        COMPILING.end()


class _Index(caching.IndexDataCacheFile):
    """The index of what was compiled. One that names a class that is gone, as after an update, is read as empty."""

    def _load_index(self) -> Any:
        try:
            return super()._load_index()  # type: ignore[no-untyped-call]
        except (ImportError, AttributeError):
            return {}


caching.IndexDataCacheFile = _Index  # type: ignore[misc]
event.register("numba:compile", _Watch())  # type: ignore[no-untyped-call]
