"""Runs: releases in the making or made, kept side by side, found again after a restart."""

from __future__ import annotations

import io
import shutil
import time
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from shoal.desk.draft import Draft
from shoal.desk.jobs import Failure, Job, Point, State
from shoal.desk.keeping import get_json, private_folder
from shoal.errors import ParameterError, ReleaseError


@dataclass(frozen=True)
class Run:
    """A release in the making or made."""

    job: Job

    @property
    def id(self) -> str:
        """Its name; later runs have later names."""
        return self.job.id

    @property
    def kind(self) -> str:
        """`run` for a release, `frontier` for a what-if, `look` for a look at the table."""
        return str(self.job.asked.get("kind", "run"))

    @property
    def made(self) -> str:
        """When it was started."""
        return str(self.job.asked.get("made", ""))

    @property
    def draft(self) -> Draft:
        """What was asked for."""
        return Draft.from_dict(self.job.asked.get("draft", {}))

    @property
    def state(self) -> State:
        """`waiting`, `running`, `done`, `stopped`, `failed` or `lost`."""
        return self.job.state

    @property
    def failure(self) -> Failure | None:
        """Why there is no result, in words."""
        return self.job.failure

    def progress(self, after: int = 0) -> list[Point]:
        """Return the points of progress, without the first so many."""
        return self.job.progress(after)

    @property
    def summary(self) -> dict[str, Any] | None:
        """What came of it as plain data: of a release, what its certificate states."""
        return self.job.result

    @property
    def measured(self) -> dict[str, Any] | None:
        """Risk before and after, attacks and utility as plain data; None as long as they are being measured."""
        found = get_json(self.job.folder / "measured.json")
        return found if isinstance(found, dict) else None

    @property
    def measuring(self) -> bool:
        """Whether measures are still to come."""
        alive = self.job.alive
        return alive and self.measured is None and self.summary is not None

    @property
    def release(self) -> Path | None:
        """The release folder; None where there is none."""
        folder = self.job.folder / "release"
        return folder if folder.is_dir() and self.summary is not None else None

    def report(self, *, public: bool = False) -> Path | None:
        """Return the report as an HTML file; None as long as there is none."""
        path = self.job.folder / f"report-{'public' if public else 'internal'}.html"
        return path if path.is_file() else None

    def stop(self) -> None:
        """Ask for the best so far."""
        self.job.stop()

    def zip(self, *, public: bool = False) -> bytes:
        """Return the release folder as a zip: all of it, for the house, or the part that may be given away."""
        folder = self.release
        if folder is None:
            raise ReleaseError("this run has no release", hint="wait until it is done, or run it again")
        held = io.BytesIO()
        with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as packed:
            for path in sorted((folder / "public" if public else folder).rglob("*")):
                packed.write(path, Path("release") / path.relative_to(folder))
        return held.getvalue()


@dataclass(frozen=True)
class Runs:
    """All runs of a desk, in a folder each."""

    folder: Path

    def all(self, kind: str | None = "run") -> list[Run]:
        """Return the runs of one kind, or all, oldest first."""
        if not self.folder.is_dir():
            return []
        found = [Run(Job(path)) for path in sorted(self.folder.iterdir()) if (path / "job.json").is_file()]
        return [run for run in found if kind is None or run.kind == kind]

    def __getitem__(self, id: str) -> Run:
        for run in self.all(None):
            if run.id == id:
                return run
        raise ParameterError(f"there is no run {id!r}", hint="it was deleted, or belongs to another desk")

    def start(self, draft: Draft, kind: str = "run", **asked: Any) -> Run:
        """Start a worker for a draft."""
        private_folder(self.folder)
        made = datetime.now(UTC).isoformat(timespec="seconds")
        id = f"{time.time_ns() // 1000:x}"
        job = Job.made(self.folder / id, {"kind": kind, "made": made, "draft": draft.to_dict(), **asked})
        job.start()
        return Run(job)

    def delete(self, run: Run) -> None:
        """End a run if it is going on, and remove all it left."""
        run.job.kill()
        shutil.rmtree(run.job.folder, ignore_errors=True)


def compare(runs: Sequence[Run]) -> list[Mapping[str, Any]]:
    """Return a row for each run, for a table side by side."""
    return [_row(run) for run in runs]


def _row(run: Run) -> dict[str, Any]:
    summary, draft = run.summary or {}, run.draft
    return {
        "run": run.id,
        "state": run.state,
        "require": " ".join(draft.require),
        "method": summary.get("method", draft.method),
        "recoding": summary.get("recoding", draft.recoding),
        "status": summary.get("status"),
        "classes": summary.get("classes"),
        "dropped": summary.get("dropped"),
        "cost": summary.get("cost"),
        "lower_bound": summary.get("lower_bound"),
        "gap": summary.get("gap"),
        "seconds": summary.get("seconds"),
    }
