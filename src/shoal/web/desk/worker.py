"""The worker: a process of its own that does one job and leaves what came of it in the job's folder.

`python -m shoal.web.desk.worker JOB_FOLDER`. It speaks in files only: nothing is printed, and what goes wrong is said
in shoal's own words, because the text of an unexpected error may hold a cell.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

from shoal.core.errors import ShoalError
from shoal.core.file_lock import keep_lock, lock
from shoal.core.memory import give_back_arrays
from shoal.web.desk.atomic_files import plain, put_json
from shoal.web.desk.job_handlers import KINDS, Refused, Stopped, Task
from shoal.web.desk.jobs import STOP, Failure, Job
from shoal.web.desk.progress_log import Teller

LOOK = 0.1
"""Seconds between two looks at the job's folder."""
SLOTS = 2
"""Runs, and looks, that are done at a time; the others wait."""
NICE = 5
"""By how much a worker stands back behind the page."""


def main(folder: Path) -> None:
    """Do one job; whatever happens, leave a result or the reason why there is none."""
    job, stop = Job(folder), Event()
    give_back_arrays()
    if (folder / STOP).exists():
        stop.set()
    Thread(target=_watch, args=(folder / STOP, stop), daemon=True).start()
    try:
        work = KINDS[str(job.asked.get("kind"))]
        with _slot(folder.parent, stop):
            work(Task.of(job, Teller(folder), stop))
    except BaseException as error:
        put_json(folder / "error.json", plain(failure(error)))


def failure(error: BaseException) -> Failure:
    """Return why there is no result, in words that hold no cell."""
    if isinstance(error, Refused):
        return error.failure
    kind = type(error).__name__
    return Failure(
        str(error) if isinstance(error, ShoalError | Stopped) else f"an unexpected error occurred in shoal ({kind})",
        kind,
    )


def _watch(path: Path, stop: Event) -> None:
    """Set the event once the file is there; end with the job's folder."""
    while path.parent.exists() and not path.exists():
        time.sleep(LOOK)
    stop.set()


@contextmanager
def _slot(jobs: Path, stop: Event) -> Iterator[None]:
    """Hold one of the few slots; wait as long as none is free."""
    held = _free(jobs)
    while held is None:
        if stop.is_set():
            raise Stopped("stopped before it began")
        time.sleep(LOOK)
        held = _free(jobs)
    try:
        yield
    finally:
        os.close(held)


def _free(jobs: Path) -> int | None:
    """Return the lock of a free slot; None if there is none."""
    tried = (lock(jobs / f".slot-{place}") for place in range(SLOTS))
    return next((held for held in tried if held is not None), None)


if __name__ == "__main__":
    if hasattr(os, "nice"):  # not on Windows
        os.nice(NICE)
    keep_lock(Path(sys.argv[1]) / "alive")
    main(Path(sys.argv[1]))
