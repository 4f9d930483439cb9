"""The loops of an ordinary release, compiled in a process beside while a person is still choosing.

`shoal start` and `shoal serve` begin it before anything is asked. What it compiles is kept as always
(`core/numba_setup`), so the run finds most of it. It publishes an invented table, and writes nothing else.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from contextlib import suppress

from shoal.core.errors import ShoalError
from shoal.core.kernel_folder import loops_folder
from shoal.pipeline import anonymize
from shoal.studies.synth import QUASI, SENSITIVE, census

ROWS = 300
REQUIREMENTS = ("k=5 distinct-l(occupation)=3", "k=5 l(occupation)=3 t(income)=0.3")
LAST = "shoal.checking.class_gains_kernel"
"""The module of the loops that are compiled last: where they are kept, so are the others."""


def compile_beside() -> subprocess.Popen[bytes] | None:
    """Start to compile, unless that was done before or nothing would be kept; it ends no later than this process."""
    folder = loops_folder()
    if folder is None or "NUMBA_CACHE_DIR" in os.environ or (folder / LAST).is_dir():
        return None
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )
    except OSError:  # no room for another process: the run compiles by itself
        return None
    atexit.register(_end, process)
    return process


def _end(process: subprocess.Popen[bytes]) -> None:
    """End it, if it is still at work."""
    process.kill()
    process.wait()


def main() -> None:
    """Publish an invented table for usual requirements."""
    table = census(ROWS, 0)
    for require in REQUIREMENTS:
        with suppress(ShoalError):
            anonymize(table, quasi=QUASI, sensitive=SENSITIVE, require=require, effort="quick")


if __name__ == "__main__":
    main()
