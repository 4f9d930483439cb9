"""A limit on memory: the peak of what the process holds is watched, and work that would pass it ends in words.

Nothing in shoal holds all cells of a file at once: columns are read one by one and kept as small integers. What that
takes at least is known from rows and columns, and refused at once where it is too much. What a method takes on top is
seen when it takes it: what was held at most is looked at many times a second.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from shoal.core.errors import ParameterError, Unsupported

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

UNITS = {"": 1, "b": 1} | {
    f"{prefix}{ending}": base**power
    for power, prefix in enumerate("kmgt", start=1)
    for ending, base in (("", 1024), ("b", 1000), ("ib", 1024))
}
"""What a number of bytes may be followed by: `2GiB` and `2G` are 2 * 1024**3, `2GB` is 2 * 1000**3."""
STATUS = Path("/proc/self/status")
RESET = Path("/proc/self/clear_refs")
START = 200 * 2**20
"""What Python and the libraries take."""
ADDRESSES, OF_CORE = 1792 * 2**20, 16 * 2**20
"""Addresses that the libraries reserve to start, and more for each core; of memory they take a tenth."""
PAUSE = 0.02
"""Seconds between two looks."""
MMAP_THRESHOLD, LARGE_ARRAY = -3, 4 * 2**20
"""An option of the C library, by its number: from how many bytes on an array is given back once it is free. Giving back
and asking again takes time, so it is done with those alone that a table of hundreds of thousands of rows has."""


class MemoryPassed(Unsupported):
    """The work needs more memory than is allowed."""

    def __init__(self) -> None:
        super().__init__(
            "more memory was needed than memory_limit allows; the run was stopped",
            hint="allow more, name fewer columns, take a method that needs less (mondrian, tp), or use --engine spark",
        )


@dataclass(frozen=True)
class MemoryLimit:
    """The most bytes that may be resident at any moment."""

    bytes: int

    @classmethod
    def of(cls, given: object) -> MemoryLimit | None:
        """Read a limit: a number of bytes, or a text such as `2GiB`; None is none.

        >>> [MemoryLimit.of(text).bytes for text in ("2GiB", "1.5 GB", "500m", 10**9)]
        [2147483648, 1500000000, 524288000, 1000000000]
        """
        if given is None:
            return None
        found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-z]*)\s*", str(given).lower())
        if not found or found[2] not in UNITS or isinstance(given, bool):
            raise ParameterError(f"memory_limit is {given!r}", expected="a number of bytes, or a text such as 2GiB")
        _check_platform()
        return cls(int(float(found[1]) * UNITS[found[2]]))

    def check_table(self, rows: int, columns: int) -> None:
        """Refuse a table that cannot be worked on within the limit, whatever the method."""
        least = START + rows * (8 * columns + 40)
        if least > self.bytes:
            raise Unsupported(
                f"{rows:,} rows of {columns} columns need at least {shown(least)},"
                f" and memory_limit allows {shown(self.bytes)}",
                hint="allow more, name fewer columns, or use --engine spark",
            )

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Guarantees that the work inside ends with `MemoryPassed` once more than the limit was resident."""
        start_of_peak()
        if _is_above(self.bytes):
            raise MemoryPassed
        watch = _Watch(self.bytes, threading.get_ident())
        token = _watching.set(watch)
        watch.thread.start()
        try:
            yield
            if not watch.over.is_set():
                watch.settle()
        except _Passed:
            raise MemoryPassed from None
        finally:
            watch.end()
            _watching.reset(token)


class _Passed(BaseException):
    """What is raised in the thread that works: no handler on the way takes it for an error of the table."""


class _Watch:
    """A thread that looks again and again, and raises in the one that works once it is too much."""

    def __init__(self, limit: int, worker: int) -> None:
        self.limit, self.worker = limit, worker
        self.over = threading.Event()
        self.passed = False
        self.thread = threading.Thread(target=self._look, daemon=True)

    def _look(self) -> None:
        while not self.over.wait(PAUSE):
            if _is_above(self.limit):
                self.passed = True
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.worker), ctypes.py_object(_Passed))
                return

    def end(self) -> None:
        """Look no more."""
        self.over.set()
        self.thread.join()

    def settle(self) -> None:
        """Look no more; raise if the limit was ever passed."""
        self.end()
        if self.passed or _is_above(self.limit):
            raise _Passed


_watching: ContextVar[_Watch | None] = ContextVar("watching", default=None)


def settle() -> None:
    """Guarantees that the limit was kept so far, and that from here on nothing is ended: a release goes into place."""
    watch = _watching.get()
    if watch is not None:
        watch.settle()


def within(limit: MemoryLimit | None) -> AbstractContextManager[None]:
    """Watch a limit, where there is one."""
    return nullcontext() if limit is None else limit.watched()


def peak() -> int | None:
    """Return the most bytes that were resident since the process began, or since `start_of_peak`; None if unknown."""
    return _from_status("VmHWM") or _from_usage()


def start_of_peak() -> int | None:
    """Return the bytes that are resident now, and let the peak begin here.

    Where the peak cannot be begun anew it is that of the process from its start, which is never less.
    """
    try:
        RESET.write_text("5", encoding="ascii")
    except OSError:
        return _from_status("VmRSS") or peak()
    return _from_status("VmRSS")


def _from_status(field: str) -> int | None:
    """Read one number of Linux's account of this process."""
    try:
        lines = STATUS.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    found = [line.split()[1] for line in lines if line.startswith(f"{field}:")]
    return int(found[0]) * 1024 if found else None


def _from_usage() -> int | None:
    """Ask the system elsewhere. Not on Linux: there the figure of a child counts its parent's memory, too."""
    if resource is None:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _is_above(limit: int) -> bool:
    """Whether more than a limit was resident; `Unsupported` where that is unknown."""
    found = peak()
    if found is None:
        raise Unsupported("this system does not say how much memory a process holds", hint="leave memory_limit out")
    return found > limit


def check_start() -> None:
    """Refuse to start where the libraries could not: they would end the process without a word of shoal's."""
    if resource is None:
        return
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    least = ADDRESSES + OF_CORE * (os.cpu_count() or 1)
    if resource.RLIM_INFINITY != allowed < least:
        raise Unsupported(
            f"{shown(allowed)} of address space are allowed (ulimit -v), and polars and numpy need {shown(least)}",
            hint="allow more; to limit what is held, use --memory-limit",
        )


def lean() -> None:
    """Have polars give memory back to the system as soon as it is free; without effect once polars is loaded."""
    os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:0,muzzy_decay_ms:0")


def give_back_arrays() -> None:
    """Have large arrays given back to the system as soon as they are free, where the C library is that of Linux.

    By itself it keeps freed arrays of up to 32 MB for later ones, which took 100 MB on 1.25 million rows. It is a
    setting of the whole process, and so made by commands alone.
    """
    option = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if option is not None:
        option(MMAP_THRESHOLD, LARGE_ARRAY)


def give_back() -> None:
    """Give memory that is free back to the system, where its C library keeps it for later (glibc)."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def shown(size: float) -> str:
    """Return a number of bytes in words.

    >>> shown(1536 * 2**20), shown(10**6)
    ('1.5 GiB', '1 MiB')
    """
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.0f} MiB"


def _check_platform() -> None:
    if not STATUS.is_file():
        raise Unsupported(
            "memory_limit works on Linux only", hint="leave it out: shoal reads files column by column anyway"
        )
