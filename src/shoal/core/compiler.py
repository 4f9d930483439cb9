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
from types import FunctionType
from typing import Any

__all__ = ["INNER", "njit"]

INNER = "__inner_loop_of_shoal"
"""How the names of loops end that only loops call."""
_LOADING = RLock()
_INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options of loops that only loops call."""


class Loop:
    """A function that is compiled when it is first called, with the loops that it calls.

    What a loop calls is compiled as a part of it, without the code that Python would need to call it, which saves half
    of the time (`numba_setup`).
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.function, self.options = function, options
        self.compiled: Any = None
        self._inner: Any = None

    def __call__(self, *given: Any) -> Any:
        return (self.compiled or self.loaded())(*given)

    def loaded(self) -> Any:
        """Return the function as numba's, to be called from Python."""
        with _LOADING:
            if self.compiled is None:
                self.compiled = self._translated(self.function.__qualname__)
        return self.compiled

    def inner(self) -> Any:
        """Return the function as numba's, to be called from loops alone."""
        if self._inner is None:
            self._inner = self._translated(f"{self.function.__qualname__}{INNER}", **_INNER)
        return self._inner

    def _translated(self, name: str, **options: Any) -> Any:
        from shoal.core import numba_setup  # loading numba takes most of a second

        names = self.function.__globals__
        loops = {word: names[word] for word in self.function.__code__.co_names if isinstance(names.get(word), Loop)}
        called = {word: loop.inner() for word, loop in loops.items()}
        copy = FunctionType(self.function.__code__, names | called, closure=self.function.__closure__)
        copy.__qualname__, copy.__module__ = name, self.function.__module__
        return numba_setup.njit(**self.options, **options)(copy)


def njit(function: Callable[..., Any] | None = None, *, makes_arrays: bool = True, **options: Any) -> Any:
    """Return a loop, or with options alone a decorator: `@njit(cache=True)`. The options are those of `numba.njit`.

    `makes_arrays=False` says that it only reads and writes arrays that it is given: references to them are not counted
    then, which takes longer than a short loop itself. The compiler refuses it for a loop that makes an array.
    """
    if not makes_arrays:
        options["_nrt"] = False
    return partial(Loop, options=options) if function is None else Loop(function, options)
