"""Looks that may take more than a second: done at once for a small table, by a worker for a large one.

Those that take long for a small table too are always done by a worker.
"""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from shoal.core.errors import ParameterError, ShoalError, nearest
from shoal.request import LEFT_OUT, READING
from shoal.studies.checkpoint import fingerprint
from shoal.web.desk.atomic_files import plain, private_folder
from shoal.web.desk.draft import Draft
from shoal.web.desk.draft_table import Stamp
from shoal.web.desk.jobs import Job
from shoal.web.desk.queries import LOOKS

SMALL = 16 << 20
"""Bytes of a file up to which a look takes no worker."""
SLOW = ("estimates",)
"""Looks that take a worker for a small table too."""
_FILE = ("file", *(name for name in READING if name not in LEFT_OUT["draft"]))
_SAFETY = ("roles", "allow", "person", "household", "record_weight", "weight_rounding", "masks")
_LOSS = ("hierarchies", "order", "unify", "max_dropped", "max_suppressed", "population", "recoding", "star")
NEEDS = {"inspection": _FILE, "safety": (*_FILE, *_SAFETY), "estimates": (*_FILE, *_SAFETY, *_LOSS)}
"""The parts of the draft that a look reads besides its `Stamp`, where that is not all of them."""


@dataclass(frozen=True)
class Looks:
    """What was seen, by what was looked at; of a large table in a folder each, so that a reload finds it again."""

    folder: Path
    _seen: dict[str, dict[str, Any]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def at(self, what: str, draft: Draft) -> dict[str, Any] | None:
        """Return what a look sees, None as long as a worker looks; raise in words what went wrong."""
        if what not in LOOKS:
            raise ParameterError(f"there is no query {what!r}", hint=nearest(what, LOOKS))
        stamp = Stamp.of(draft)
        said = draft.to_dict()
        key = fingerprint(what, stamp, *(said[name] for name in NEEDS.get(what, sorted(said))))[:32]
        if key not in self._seen:
            at_once = stamp.size <= SMALL and what not in SLOW
            found = plain(LOOKS[what](draft)) if at_once else self._by_worker(key, what, draft)
            if found is None:
                return None
            self._seen[key] = found
        return self._seen[key]

    def _by_worker(self, key: str, what: str, draft: Draft) -> dict[str, Any] | None:
        job = Job(private_folder(self.folder) / key)
        with self._lock:
            if not job.folder.exists():
                Job.made(job.folder, {"kind": "look", "what": what, "draft": draft.to_dict()}).start()
                return None
        failure = job.failure
        if failure is not None:
            shutil.rmtree(job.folder, ignore_errors=True)
            raise ShoalError(failure.said)
        return job.result

    def wait(self, what: str, draft: Draft, seconds: float = 60.0) -> dict[str, Any]:
        """Return what a look sees, however long it takes up to a limit."""
        until = time.monotonic() + seconds
        while (found := self.at(what, draft)) is None:
            if time.monotonic() > until:
                raise ShoalError(f"the query takes longer than {seconds:g} seconds", hint="ask again")
            time.sleep(0.05)
        return found

    def clear(self) -> None:
        """End the workers and forget what was seen."""
        for path in self.folder.glob("*/job.json"):
            Job(path.parent).kill()
        shutil.rmtree(self.folder, ignore_errors=True)
        self._seen.clear()
