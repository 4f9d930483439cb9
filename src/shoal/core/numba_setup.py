"""numba, set up so that what it compiled is kept, and found by the next process and the next virtual environment.

The loops of shoal are kept in the user's cache, in a folder named by the text of all of them: an installation with the
same text reads what another one compiled, and one with another text never does. Where there is no such folder, they are
kept beside the code, as numba does it, or else not at all: then every run compiles what it needs. A folder that may
only be read serves as it is; what cannot be written there, or is damaged, is compiled again.

What only loops call is optimized and translated where it is linked in, not for itself as well: that saves numba two
fifths of its time.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba import njit
from numba.core import caching, codegen, config, event

from shoal.core.clock import COMPILING
from shoal.core.compiler import INNER
from shoal.core.kernel_folder import SOURCE, loops_folder, text_of_loops

__all__ = ["njit"]

NOWHERE = Path(os.devnull) / "kernels"
"""A folder that cannot be: what would be kept there is for this run."""


def _place() -> Path | None:
    """Return where the loops of shoal are kept; where nothing can be written, no folder; None where numba decides."""
    return loops_folder() or (None if os.access(SOURCE, os.W_OK) else NOWHERE)


class _Locator(caching._CacheLocator):
    """Keeps the loops of shoal, and no others, in the user's cache, a folder for each module."""

    def __init__(self, loop: Callable[..., Any], folder: Path) -> None:
        self._place = str(loop.__code__.co_firstlineno)
        self._folder = folder / loop.__module__

    @classmethod
    def from_function(cls, loop: Callable[..., Any], file: str) -> _Locator | None:
        """Return where a loop is kept; None where numba decides."""
        folder = _place() if Path(file).is_relative_to(SOURCE) else None
        return None if folder is None else cls(loop, folder)

    def get_cache_path(self) -> str:
        """Return the folder."""
        return str(self._folder)

    def ensure_cache_path(self) -> None:
        """Make the folder, where one can be made."""
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)

    def get_source_stamp(self) -> str:
        """Return what says whether the text has changed."""
        return text_of_loops()

    def get_disambiguator(self) -> str:
        """Return what tells loops of one name apart: the line."""
        return self._place


class _Library(codegen.JITCodeLibrary):
    """The code of one function. An inner one is called only by the loops that it is linked into, and stays as it is."""

    @property
    def _is_inner(self) -> bool:
        return bool(self.name.endswith(INNER))

    def _optimize_final_module(self) -> None:
        if not self._is_inner:
            super()._optimize_final_module()  # type: ignore[no-untyped-call]

    def _finalize_final_module(self) -> None:
        if not self._is_inner:
            super()._finalize_final_module()  # type: ignore[no-untyped-call]
        self._finalized = True

    def serialize_using_object_code(self) -> Any:
        """Return what the cache keeps: of an inner function there is no machine code."""
        whole: Any = super()
        return whole.serialize_using_bitcode() if self._is_inner else whole.serialize_using_object_code()


class _Codegen(codegen.JITCPUCodegen):
    """Gives functions their environment; an inner one, which is not translated by itself, has none."""

    _library_class = _Library

    def set_env(self, env_name: str, env: object) -> None:
        """Take note of the environment of a function that is translated."""
        if self._engine.is_symbol_defined(env_name):  # type: ignore[no-untyped-call]
            super().set_env(env_name, env)  # type: ignore[no-untyped-call]


class _Watch(event.Listener):
    """Reports to the clock of time limits when the compiler is at work; loops read from the cache are not compiled."""

    def on_start(self, event: object) -> None:
        """Take note."""
        COMPILING.start()

    def on_end(self, event: object) -> None:
        """Take note."""
        COMPILING.end()


class _Index(caching.IndexDataCacheFile):
    """The index of what was compiled. One that is damaged, or names a class that is gone, is read as empty.

    What the disk does not take is not kept: it is compiled again by the next process.
    """

    def _load_index(self) -> Any:
        try:
            return super()._load_index()  # type: ignore[no-untyped-call]
        except Exception:  # pickle raises errors of any kind on damaged bytes
            return {}

    def load(self, key: Any) -> Any:
        """Return what was compiled; None where it cannot be read."""
        try:
            return super().load(key)  # type: ignore[no-untyped-call]
        except Exception:
            return None

    def save(self, key: Any, data: Any) -> None:
        """Keep what was compiled, if there is room."""
        with suppress(OSError):
            super().save(key, data)  # type: ignore[no-untyped-call]


_SETTINGS: Any = config
_MACHINERY: Any = getattr(caching, "CacheImpl", None) or vars(caching)["_CacheImpl"]  # older versions call it so
if not _SETTINGS.CACHE_DIR:  # a folder that the user chose comes first
    _MACHINERY._locator_classes.insert(0, _Locator)
caching.IndexDataCacheFile = _Index  # type: ignore[misc]
event.register("numba:compile", _Watch())  # type: ignore[no-untyped-call]
codegen.JITCPUCodegen = _Codegen  # type: ignore[misc]
