"""A clock for time limits that goes by CPU seconds, as on two idle cores: other work on the machine changes little.

Of threads that work at the same time the longest alone counts. The solver's own limit, which is of wall time, is not
set: it is ended by that clock, too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch


class CpuTime:
    """A clock for time limits that goes by the CPU seconds of this process, as if threads had a core each."""

    saved = 0.0
    """Seconds of threads while a longer one worked."""

    @classmethod
    def monotonic(cls) -> float:
        """Return the seconds so far."""
        return time.process_time() - cls.saved


class Abreast(ThreadPoolExecutor):
    """Threads that work at the same time, of which the clock counts the longest."""

    def __enter__(self) -> Abreast:
        """Begin to take their seconds."""
        super().__enter__()
        self.seconds = [0.0]
        return self

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Start a thread, and take note of its seconds in the end."""

        def timed() -> Any:
            began = time.thread_time()
            try:
                return work(*arguments, **named)
            finally:
                self.seconds.append(time.thread_time() - began)

        return super().submit(timed)

    def __exit__(self, *raised: Any) -> None:
        """Set the clock back by what shorter threads took."""
        super().__exit__(*raised)
        CpuTime.saved += sum(self.seconds) - max(self.seconds)


@contextmanager
def on_two_cores() -> Iterator[None]:
    """Let time limits count the seconds that two idle cores would take."""
    with ExitStack() as patches:
        patches.enter_context(patch("shoal.core.clock.time", CpuTime))
        patches.enter_context(patch("shoal.methods.base.Deadline.left", None))
        for module in ("shoal.core.loops", "shoal.methods.general.windows"):
            patches.enter_context(patch(f"{module}.ThreadPoolExecutor", Abreast))
        yield
