"""Runs: releases in the making or made, kept side by side, found again after a restart."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any

from shoal.core.errors import HierarchyError, ParameterError
from shoal.web.desk.atomic_files import get_json, private_folder, put_json, written
from shoal.web.desk.draft import Draft
from shoal.web.desk.jobs import POINTS, RELEASE, REPORT, Failure, Job, Point, State

GOING = ("waiting", "running")
NUMBERS = "numbers.json"
HIDDEN = ".deleted"
"""The folder of runs that were deleted, until the desk is closed."""


@dataclass(frozen=True)
class Run:
    """A release in the making or made, or another job. Everything is read from its folder, so any tab may ask."""

    job: Job

    @property
    def id(self) -> str:
        """Its name; later runs have later names."""
        return self.job.id

    @property
    def number(self) -> int:
        """1, 2, 3, for people; never given twice."""
        return int(self.job.asked.get("number", 0))

    @property
    def kind(self) -> str:
        """`run` for a release, `frontier` for a what-if, `codip`, `record` for recording one, `look` for a look."""
        return str(self.job.asked.get("kind", ""))

    @property
    def made(self) -> str:
        """When it was started."""
        return str(self.job.asked.get("made", ""))

    @property
    def draft(self) -> Draft:
        """What was asked for."""
        return Draft.from_dict(self.job.asked.get("draft", {}))

    @property
    def trees(self) -> dict[str, Path]:
        """For each column whose hierarchy is a file the copy that is kept with the run: it outlasts the uploads."""
        named = {column: self.job.folder / name for column, name in self.draft.trees.items()}
        return {column: path for column, path in named.items() if path.is_file()}

    @property
    def lasting(self) -> Draft:
        """What was asked for, with the hierarchies that are kept with the run."""
        return self.draft.changed(hierarchies={**self.draft.hierarchies, **self.trees})

    @property
    def state(self) -> State:
        """`waiting`, `running`, `done`, `stopped`, `failed` or `lost`; what a lost one left half done is swept away."""
        found = self.job.state
        if found == "lost":
            self.job.sweep()
        return found

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
    def points(self) -> list[dict[str, Any]]:
        """The points of a what-if that are made so far."""
        try:
            text = (self.job.folder / POINTS).read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        return [json.loads(line)["found"] for line in text[: text.rfind("\n") + 1].splitlines()]

    @property
    def measured(self) -> dict[str, Any] | None:
        """Risk before and after, hits of attacks, utility and notes, as far as they are known; or `said`, why not."""
        found = get_json(self.job.folder / "measured.json")
        return found if isinstance(found, dict) else None

    @property
    def measuring(self) -> bool:
        """Whether measures are still to come."""
        alive = self.job.alive
        return alive and self.summary is not None and not (self.measured or {"done": False}).get("done", True)

    def measure(self) -> None:
        """Measure a release again, or for the first time where its worker was killed before it did."""
        if self.release is not None and not self.job.alive:
            (self.job.folder / "measured.json").unlink(missing_ok=True)
            self.job.start()

    def stop_measuring(self) -> None:
        """Ask for an end of measuring: what is known by then is kept."""
        (self.job.folder / "stop-measuring").touch()

    @property
    def release(self) -> Path | None:
        """The release folder; None where there is none."""
        folder = self.job.folder / RELEASE
        return folder if self.summary is not None and folder.is_dir() else None

    def report(self, *, public: bool = False) -> Path | None:
        """Return the report as an HTML file; None as long as there is none."""
        path = self.job.folder / REPORT / ("public.html" if public else "internal.html")
        return path if path.is_file() and (self.measured or {"done": False}).get("done", True) else None

    def stop(self) -> None:
        """Ask for the best so far."""
        self.job.stop()


@dataclass(frozen=True)
class Runs:
    """All runs of a desk, a folder each."""

    folder: Path
    _lock: Lock

    @classmethod
    def at(cls, folder: Path) -> Runs:
        """Find the runs of a folder."""
        return cls(private_folder(folder), Lock())

    def all(self, kind: str | None = "run") -> list[Run]:
        """Return the runs of one kind, or all, oldest first."""
        found = [Run(Job(path)) for path in sorted(self.folder.iterdir()) if (path / "job.json").is_file()]
        return [run for run in found if kind is None or run.kind == kind]

    def __getitem__(self, id: str) -> Run:
        for run in self.all(None):
            if run.id == id:
                return run
        raise ParameterError(f"there is no run {id!r}", hint="it was deleted, or belongs to another desk")

    def start(self, draft: Draft, kind: str = "run", **asked: Any) -> Run:
        """Start a worker for a draft; where one already works on the same, return that run."""
        with self._lock:
            for run in self.all(kind):
                if run.state in GOING and run.draft == draft and asked.items() <= run.job.asked.items():
                    return run
            made = datetime.now(UTC).isoformat(timespec="seconds")
            said = {"kind": kind, "number": self._number(kind), "made": made, "draft": draft.to_dict(), **asked}
            job = Job.made(_with_trees(self.folder / self._next_name(), draft), said)
            job.start()
        return Run(job)

    def _next_name(self) -> str:
        """Return the name of the next folder: the time, or the number after the last name where the clock went back."""
        taken = (path.parent.name for path in self.folder.rglob("job.json"))
        return f"{max([time.time_ns(), *(int(name) + 1 for name in taken if name.isdecimal())]):020d}"

    def _number(self, kind: str) -> int:
        """Return the next number; the highest that was ever given is kept, as its run may be deleted."""
        given: dict[str, int] = get_json(self.folder / NUMBERS) or {}
        number = max([given.get(kind, 0), *(run.number for run in self.all(kind))]) + 1
        put_json(self.folder / NUMBERS, {**given, kind: number})
        return number

    def hide(self, ids: Iterable[str]) -> None:
        """Hide these runs, and no other: what is hidden is found again once it is not hidden any more."""
        with self._lock:
            wanted, hidden = set(ids), private_folder(self.folder / HIDDEN)
            for path in (*self.folder.glob("*/job.json"), *hidden.glob("*/job.json")):
                target = (hidden if path.parent.name in wanted else self.folder) / path.parent.name
                if target != path.parent:
                    path.parent.rename(target)

    def forget_hidden(self) -> None:
        """Remove for good what is hidden."""
        with self._lock:
            shutil.rmtree(self.folder / HIDDEN, ignore_errors=True)


def _with_trees(folder: Path, draft: Draft) -> Path:
    """Make the folder of a job, with copies of the hierarchies that are files."""
    trees = {name: Path(draft.hierarchies[column]) for column, name in draft.trees.items()}
    for column, name in draft.trees.items():
        if not trees[name].is_file():
            raise HierarchyError(f"the hierarchy of {column!r} is gone", hint="make it again, or choose another")
    private_folder(folder)
    for name, path in trees.items():
        target = private_folder((folder / name).parent) / Path(name).name
        with written(target):
            shutil.copyfile(path, target)
    return folder


def compare(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return a row for each run, for a table side by side; what a run does not know yet is None."""
    return [_row(run) for run in runs]


def _row(run: Run) -> dict[str, Any]:
    summary, measured, draft = run.summary or {}, run.measured or {}, run.draft
    risk, use, cost = measured.get("after") or {}, measured.get("utility") or {}, summary.get("cost") or {}
    lost = [one["loss"] for one in use.get("columns", [])]
    return {
        "run": run.number,
        "state": run.state,
        "require": " ".join(draft.require),
        "method": summary.get("method", draft.method),
        "recoding": summary.get("recoding", draft.recoding),
        "status": summary.get("status"),
        "classes": summary.get("classes"),
        "dropped": summary.get("dropped"),
        "cost": cost.get("value"),
        "cost name": cost.get("name"),
        "lower bound": summary.get("lower_bound"),
        "gap": summary.get("gap"),
        "highest risk": risk.get("prosecutor", {}).get("highest"),
        "average risk": risk.get("prosecutor", {}).get("average"),
        "loss": sum(lost) / len(lost) if lost else None,
        "query error": (use.get("queries") or {}).get("median"),
        "seconds": summary.get("seconds"),
    }
