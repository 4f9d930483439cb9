"""Running a compiled loop so that a deadline can end it: in a thread, with a flag that the loop looks at."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, TimeoutError
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np


class Ending(Protocol):
    """Something that says whether time is over."""

    @property
    def passed(self) -> bool:
        """Whether it is."""

    @property
    def left(self) -> float | None:
        """The seconds until it is; None where there is no limit."""

    @property
    def pause(self) -> float | None:
        """Seconds between two looks at it while something else works; None where nobody need look."""


@dataclass(frozen=True)
class Unlimited:
    """A deadline that does not come."""

    passed: bool = False
    left: float | None = None
    pause: float | None = None


def watched(loop: Callable[..., Any], *arguments: object, deadline: Ending) -> Any:
    """Call a compiled loop that takes a flag last and releases the interpreter; set the flag once time is over."""
    flag = np.zeros(1, dtype=np.bool_)
    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(loop, *arguments, flag)
        while True:
            try:
                return running.result(timeout=deadline.pause)
            except TimeoutError:
                flag[0] = flag[0] or deadline.passed
            except BaseException:
                flag[0] = True
                raise
