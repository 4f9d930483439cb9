"""The worker: a process of its own that does one job and leaves what came of it in the job's folder.

`python -m shoal.desk.worker JOB_FOLDER`. It speaks in files only: nothing is printed, and what goes wrong is said in
shoal's own words, because the text of an unexpected error may hold a cell.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from threading import Event, Thread
from typing import Any

from shoal.desk.draft import Draft
from shoal.desk.jobs import Failure, Job
from shoal.desk.keeping import put_json
from shoal.desk.telling import Teller
from shoal.errors import ShoalError

LOOK = 0.2
"""Seconds between two looks whether to stop."""


def main(folder: Path) -> None:
    """Do one job."""
    job = Job(folder)
    try:
        asked = job.asked
        tell, stop = Teller(folder / "progress.jsonl"), Event()
        Thread(target=_watch, args=(folder / "stop", stop), daemon=True).start()
        KINDS[str(asked.get("kind"))](job, Draft.from_dict(asked["draft"]), asked, tell, stop)
    except ShoalError as error:
        put_json(folder / "error.json", asdict(Failure(str(error), kind=type(error).__name__)))
    except BaseException as error:
        said = f"something went wrong in shoal ({type(error).__name__})"
        put_json(folder / "error.json", asdict(Failure(said, kind=type(error).__name__)))


def _watch(path: Path, stop: Event) -> None:
    while not stop.is_set():
        if path.exists():
            stop.set()
        time.sleep(LOOK)


def release(job: Job, draft: Draft, asked: dict[str, Any], tell: Teller, stop: Event) -> None:
    """Make a release, save it in one step, and say what its certificate states."""
    from shoal.pipeline import run
    from shoal.table import read

    tell(0.0, "reading")
    table = read(str(draft.file), **draft.reading)
    made = run(table, draft.request(), tell, stop)
    tell(1.0, "saving")
    made.save(job.folder / "release", format=draft.format)
    stated = made.certificate.content()
    put_json(job.folder / "result.json", {**stated, "stopped": stop.is_set(), "seconds": tell.seconds})


KINDS: dict[str, Callable[[Job, Draft, dict[str, Any], Teller, Event], None]] = {"run": release}

if __name__ == "__main__":
    main(Path(sys.argv[1]))
