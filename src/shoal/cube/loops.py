"""Loops that run as they stand on small tables, and compiled on large ones: the same code, so the same result."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

Loop: TypeAlias = Callable[..., Any]

COMPILED_FROM = 3_000
"""Steps from which it is worth waiting for the compiler to be imported."""


def fitting(loop: Loop, steps: int) -> Loop:
    """Return a loop as it stands, or compiled if it will make many steps. It may call no other."""
    return loop if steps < COMPILED_FROM else _compiled(loop)


@cache
def _compiled(loop: Loop) -> Loop:
    from shoal.cube.compiled import njit

    compiled: Loop = njit(cache=True, nogil=True)(loop)
    return compiled
