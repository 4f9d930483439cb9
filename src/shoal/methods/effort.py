"""Effort: how long `auto` searches, counted in steps that are the same on every machine, so that bytes are, too."""

from __future__ import annotations

from shoal.core.errors import ParameterError, nearest
from shoal.request import EFFORTS

QUICK, NORMAL, BEST = EFFORTS


def checked_effort(effort: str, method: str) -> str:
    """Return the effort, or raise: it is one of three, and for `auto` alone.

    >>> checked_effort("best", "auto")
    'best'
    """
    if effort not in EFFORTS:
        raise ParameterError(f"effort is {effort!r}", expected=", ".join(EFFORTS), hint=nearest(effort, EFFORTS))
    if effort != NORMAL and method != "auto":
        raise ParameterError(
            f"effort is {effort!r} with the method {method!r}",
            expected="the method auto",
            hint="leave one of the two out; --time-limit works with every method",
        )
    return effort
