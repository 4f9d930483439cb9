"""The worker: a process of its own that does one job and leaves what came of it in the job's folder.

`python -m shoal.desk.worker JOB_FOLDER`. It speaks in files only: nothing is printed, and what goes wrong is said in
shoal's own words, because the text of an unexpected error may hold a cell.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from threading import Event, Thread

from shoal.desk.jobs import STOP, Failure, Job
from shoal.desk.keeping import lock, plain, put_json
from shoal.desk.kinds import KINDS, Refused, Stopped, Task
from shoal.desk.telling import Teller
from shoal.errors import ShoalError

LOOK = 0.1
"""Seconds between two looks at the job's folder."""
SLOTS = 2
"""Jobs that are done at a time; the others wait."""
NICE = 5
"""By how much a worker stands back behind the page."""


def main(folder: Path) -> None:
    """Do one job."""
    os.nice(NICE)
    job, stop = Job(folder), Event()
    Thread(target=_watch, args=(folder / STOP, stop), daemon=True).start()
    try:
        kind = KINDS[str(job.asked.get("kind"))]
        if kind.heavy:
            _wait(folder.parent, stop)
        kind.work(Task.of(job, Teller(folder), stop))
    except BaseException as error:
        put_json(folder / "error.json", plain(failure(error)))


def failure(error: BaseException) -> Failure:
    """Return why there is no result, in words that hold no cell."""
    if isinstance(error, Refused):
        return error.failure
    kind = type(error).__name__
    return Failure(
        str(error) if isinstance(error, ShoalError | Stopped) else f"something went wrong in shoal ({kind})", kind
    )


def _watch(path: Path, stop: Event) -> None:
    """Set the event once the file is there."""
    while not path.exists():
        time.sleep(LOOK)
    stop.set()


def _wait(jobs: Path, stop: Event) -> int:
    """Return the lock of a free slot, which is held until the process ends; wait as long as there is none."""
    while not stop.is_set():
        for slot in range(SLOTS):
            held = lock(jobs / f".slot-{slot}")
            if held is not None:
                return held
        time.sleep(LOOK)
    raise Stopped("stopped before it began")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
