"""A job: a folder in which a worker process finds what to do, says how far it is, and leaves what came of it.

job.json         what is asked: the kind, the draft, and what the kind needs besides
alive            locked as long as the worker lives, however it ends
stop             made to ask for the best so far
progress.jsonl   a line now and then: share, doing, cost and bound so far, seconds
result.json      written last, in one step: the job is done
error.json       or why it is not, in words
hierarchies/     of a run: those that were files, as they were; they list values
release/         of a run: the release folder, moved there in one step; of CODIP a folder for each release
report/          its report in two forms; the internal one may name values, as hierarchies list them
made_from.json   of a run: size, time and hash of its table
measured.json    risk, attacks and utility in figures, as far as they are known
stop-measuring   made to ask for an end of measuring
points.jsonl     of a what-if: the points that are made
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from shoal.core.file_lock import inherited, lock, locked
from shoal.core.processes import end_session, own_session
from shoal.web.desk.atomic_files import get_json, private_folder, put_json
from shoal.web.language import t

State: TypeAlias = Literal["waiting", "running", "done", "stopped", "failed", "lost"]

RELEASE = "release"
REPORT = "report"
STOP = "stop"
POINTS = "points.jsonl"
PROGRESS = "progress.jsonl"
LOST = t("the worker ended before it was done; nothing was written: run it again")
PATIENCE = 5.0
"""Seconds to wait for a worker to be gone."""
CLOSED = t("shoal was stopped during this run; nothing was written: run it again")


@dataclass(frozen=True)
class Point:
    """How far a job was at a moment; cost and bound are None where they are not known yet."""

    seconds: float
    share: float
    doing: str
    cost: float | None = None
    bound: float | None = None


@dataclass(frozen=True)
class Failure:
    """Why there is no result, in words, and the parts of the draft that would help, if any are known."""

    said: str
    kind: str = "ShoalError"
    model: str | None = None
    """The requirement that no release meets."""
    reached: str | None = None
    """The level that all rows together reach."""
    parts: Mapping[str, Any] | None = None
    """What to change in the draft so that a release exists: `desk.change(**parts)`."""

    @property
    def offer(self) -> str | None:
        """What changing the draft would ask for, in words; None where nothing is known to help."""
        return None if self.parts is None else t("require {require}", require=" ".join(self.parts["require"]))


@dataclass(frozen=True)
class Job:
    """One job folder. Every property is read from its files, so any process may ask."""

    folder: Path

    @classmethod
    def made(cls, folder: Path, asked: Mapping[str, Any]) -> Job:
        """Write what is asked into a new folder."""
        put_json(private_folder(folder) / "job.json", dict(asked))
        return cls(folder)

    def start(self) -> None:
        """Start the worker, in a session of its own: it ends with nobody's tab and nobody's terminal."""
        held = lock(self.folder / "alive")
        if held is None:
            return
        shared = inherited(held)
        try:
            worker = subprocess.Popen(
                [sys.executable, "-m", "shoal.web.desk.worker", str(self.folder)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
                cwd=self.folder,
                **own_session(),
                **shared,
            )
        except BaseException:
            os.close(held)
            raise
        if shared:
            os.close(held)
        put_json(self.folder / "worker.json", {"process": worker.pid})
        threading.Thread(target=_wait, args=(worker, None if shared else held), daemon=True).start()

    @property
    def id(self) -> str:
        """Its name."""
        return self.folder.name

    @property
    def asked(self) -> dict[str, Any]:
        """What is asked; nothing where the folder is gone."""
        found = get_json(self.folder / "job.json")
        return found if isinstance(found, dict) else {}

    @property
    def alive(self) -> bool:
        """Whether its worker lives."""
        return locked(self.folder / "alive")

    @property
    def result(self) -> dict[str, Any] | None:
        """What came of it; None as long as nothing did."""
        found = get_json(self.folder / "result.json")
        return found if isinstance(found, dict) else None

    @property
    def failure(self) -> Failure | None:
        """Why nothing came of it; None where something did or still may."""
        alive = self.alive  # asked first: a worker that ends now has written what it had to
        if self.result is not None:
            return None
        found = get_json(self.folder / "error.json")
        if found is not None:
            return Failure(**found)
        return None if alive else Failure(CLOSED if (self.folder / "closed").exists() else LOST, kind="Lost")

    @property
    def state(self) -> State:
        """Where it stands."""
        failure = self.failure
        if failure is not None:
            return "lost" if failure.kind == "Lost" else "stopped" if failure.kind == "Stopped" else "failed"
        result = self.result
        if result is not None:
            return "stopped" if result.get("stopped") else "done"
        return "running" if (self.folder / PROGRESS).exists() else "waiting"

    def progress(self, after: int = 0) -> list[Point]:
        """Return the points of progress, without the first so many; a line that is still being written is left out."""
        try:
            text = (self.folder / PROGRESS).read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        lines = text[: text.rfind("\n") + 1].splitlines()[after:]
        return [Point(**json.loads(line)) for line in lines]

    @property
    def seconds(self) -> float:
        """How long a job that goes on has worked: what its last point says, and the time since."""
        points = self.progress()
        if not points:
            return 0.0
        return points[-1].seconds + max(time.time() - (self.folder / PROGRESS).stat().st_mtime, 0.0)

    def stop(self) -> None:
        """Ask for the best so far."""
        (self.folder / STOP).touch()

    def kill(self) -> None:
        """End the worker at once, if it lives."""
        said = get_json(self.folder / "worker.json")
        if said is None or not self.alive:
            return
        end_session(int(said["process"]))
        until = time.monotonic() + PATIENCE
        while self.alive and time.monotonic() < until:
            time.sleep(0.01)

    def end(self) -> None:
        """End the worker because shoal ends."""
        (self.folder / "closed").touch()
        self.kill()

    def sweep(self) -> None:
        """Remove what a worker that was killed left half done."""
        for left in (*self.folder.glob(".*.partial"), self.folder / RELEASE):
            shutil.rmtree(left, ignore_errors=True) if left.is_dir() else left.unlink(missing_ok=True)


def _wait(worker: subprocess.Popen[bytes], held: int | None) -> None:
    """Wait for the end of a worker; a lock that it could not inherit is held for it until then."""
    worker.wait()
    if held is not None:
        os.close(held)
