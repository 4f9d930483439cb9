"""Loops that run as they stand on small tables, and compiled on large ones: the same code, so the same result."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

from shoal.core.compiler import njit

Loop: TypeAlias = Callable[..., Any]

COMPILED_FROM = 3_000
"""Steps from which a loop is compiled, once the compiler is at hand."""
WAITS_FROM = 200_000
"""Steps from which it is worth waiting a second for the compiler to be imported."""


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
