"""Compiled loops: the compiler is loaded when a loop is first called, so that a module of loops is quick to import.

>>> @njit(cache=False)
... def doubled(number):
...     return 2 * number
>>> doubled(21)
42
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, update_wrapper
from threading import RLock
from typing import Any

__all__ = ["njit"]

_LOADING = RLock()


class Loop:
    """A function that is compiled when it is first called, with the loops that it calls."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.function, self.options = function, options
        self.compiled: Any = None
        self.is_ready = False

    def __call__(self, *given: Any) -> Any:
        return (self.compiled if self.is_ready else self.loaded())(*given)

    def loaded(self) -> Any:
        """Return the function as numba's; in its module all loops become numba's: compiled code calls nothing else."""
        from shoal.core import numba_setup  # loading numba takes most of a second

        with _LOADING:
            if self.compiled is None:
                self.compiled = numba_setup.njit(**self.options)(self.function)
                names = self.function.__globals__
                names |= {name: loop.loaded() for name, loop in list(names.items()) if isinstance(loop, Loop)}
                self.is_ready = True
        return self.compiled


def njit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Return a loop, or with options alone a decorator: `@njit(cache=True)`. The options are those of `numba.njit`."""
    return partial(Loop, options=options) if function is None else Loop(function, options)
