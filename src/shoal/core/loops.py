"""Loops that run as they stand on small tables, and compiled on large ones: the same code, so the same result.

Compiled loops over many nodes run in lanes at the same time; with n lanes, each looks at every n-th node.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeAlias

from shoal.core.compiler import njit

Loop: TypeAlias = Callable[..., Any]

COMPILED_FROM = 3_000
"""Steps from which a loop is compiled, once the compiler is at hand."""
WAITS_FROM = 200_000
"""Steps from which it is worth waiting a second for the compiler to be imported."""
LANES = 2
"""How many lanes there are."""
ALONE = 200_000
"""Steps up to which one lane does it all: others would take longer to start."""


def fitting(loop: Loop, steps: int) -> Loop:
    """Return a loop as it stands, or compiled if it will make many steps. It may call no other."""
    return _compiled(loop) if is_worth_compiling(steps) else loop


def is_worth_compiling(steps: int) -> bool:
    """Whether so many steps take longer than it takes until they can be compiled."""
    return steps >= (COMPILED_FROM if "numba" in sys.modules else WAITS_FROM)


@cache
def _compiled(loop: Loop) -> Loop:
    compiled: Loop = njit(cache=True, nogil=True)(loop)
    return compiled


def in_lanes(loop: Loop, *arguments: object, steps: int) -> list[Any]:
    """Return what each lane finds; the loop takes its lane and the number of them last, and must release the GIL."""
    if steps <= ALONE:
        return [loop(*arguments, 0, 1)]
    with ThreadPoolExecutor(LANES) as threads:
        return list(threads.map(lambda lane: loop(*arguments, lane, LANES), range(LANES)))
