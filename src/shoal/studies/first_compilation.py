"""The loops of an ordinary release, compiled in a process beside while a person is still choosing, or waits.

`shoal start` and `shoal serve` begin it before anything is asked; `shoal anonymize` and `shoal demo`, on a terminal,
before they read the table: then it begins with the loops that a run needs last. What it compiles is kept as always
(`core/numba_setup`), so the run finds it. It publishes an invented table, and writes nothing else.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace

from shoal.bounds.range_prices import RangePrices
from shoal.core.errors import ShoalError
from shoal.core.kernel_folder import loops_folder
from shoal.methods.base import Deadline, silent
from shoal.methods.effort import QUICK
from shoal.methods.general.mondrian import Mondrian
from shoal.pipeline import anonymize, run
from shoal.problem import Problem, Solution
from shoal.request import Request
from shoal.studies.synth import QUASI, SENSITIVE, census
from shoal.tables.table import Table

ROWS = 300
REQUIREMENTS = ("k=5 distinct-l(occupation)=3", "k=5 l(occupation)=3 t(income)=0.3")
LAST = "shoal.checking.class_gains_kernel"
"""The module of the loops that are compiled last: where they are kept, so are the others."""
PROOFS = "proofs"
"""What the process is told that begins with the loops of lower bounds."""


def compile_beside(*first: str) -> subprocess.Popen[bytes] | None:
    """Start to compile, unless that was done before or nothing would be kept; it ends no later than this process.

    `first`: `PROOFS`, where a run compiles at the same time, and needs the loops of lower bounds last.
    """
    folder = loops_folder()
    if folder is None or "NUMBA_CACHE_DIR" in os.environ or (folder / LAST).is_dir():
        return None
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", __name__, *first],
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


def main(*first: str) -> None:
    """Publish an invented table for usual requirements; before that, if asked to, prove a bound for it."""
    table = census(ROWS, 0)
    if PROOFS in first:
        run(Table.of(table), Request(QUASI, "k=5", leave_out="rest"), solve=_proved)
    for require in REQUIREMENTS:
        with suppress(ShoalError):
            anonymize(table, quasi=QUASI, sensitive=SENSITIVE, require=require, effort=QUICK)


def _proved(problem: Problem) -> Solution:
    """Return a release that is found at once, with prices that the audit checks."""
    found = Mondrian().run(problem, seed=0, deadline=Deadline(), progress=silent)
    prices = RangePrices(effort=QUICK).prices(problem)
    return replace(found, lower_bound=prices.bound, prices=prices)


if __name__ == "__main__":
    main(*sys.argv[1:])
