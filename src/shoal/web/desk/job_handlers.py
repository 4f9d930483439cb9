"""The kinds of job that a worker does, each a few calls of the library."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import Any

from shoal.core.errors import Infeasible, ShoalError
from shoal.models import Models
from shoal.models.parameter_range import Vary
from shoal.models.requirement import as_models
from shoal.pipeline import run
from shoal.release.release import Release
from shoal.report import Evidence, Report
from shoal.request import Request
from shoal.studies.frontier import QUERIES, trace
from shoal.tables.table import Table, read
from shoal.web.desk.atomic_files import plain, private_folder, put_json
from shoal.web.desk.draft import Draft
from shoal.web.desk.jobs import POINTS, RELEASE, REPORT, Failure, Job
from shoal.web.desk.progress_log import Teller
from shoal.web.desk.queries import LOOKS
from shoal.web.desk.relax_requirement import eased
from shoal.web.desk.runs import Run


class Stopped(Exception):
    """Somebody asked to stop, and there is nothing to keep."""


class Refused(ShoalError):
    """A request that cannot be met, with what would help."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__(failure.said)


@dataclass(frozen=True)
class Task:
    """What a kind of job gets: the job, what is asked, how to tell, and when to stop."""

    job: Job
    draft: Draft
    asked: dict[str, Any]
    tell: Teller
    stop: Event

    @classmethod
    def of(cls, job: Job, tell: Teller, stop: Event) -> Task:
        """Read what is asked."""
        return cls(job, Run(job).lasting, job.asked, tell, stop)

    def table(self) -> Table:
        """Read the table."""
        self.tell(0.0, "reading")
        return read(str(self.draft.file), **self.draft.reading)

    def done(self, result: dict[str, Any], *, stopped: bool = False) -> None:
        """Leave the result, in one step."""
        put_json(self.job.folder / "result.json", {**result, "stopped": stopped, "seconds": self.tell.seconds})


def release(task: Task) -> None:
    """Make a release, save it in one step, say what its certificate states; then measure it.

    Where the release is there already, it is only measured.
    """
    folder = task.job.folder / RELEASE
    if task.job.result is not None:
        measure(task, folder)
        return
    table = task.table()
    made = _made(task, table)
    stopped, stated = task.stop.is_set(), made.certificate
    task.tell.settle(stated.cost, stated.lower_bound)
    task.tell(1.0, "saving")
    made.save(folder, format=task.draft.format)
    said = {"exposed": stated.exposed, "sharing": stated.sharing, "decisions": list(made.decisions)}
    task.done({**stated.content(), **said}, stopped=stopped)
    measure(task, made, table)


def _made(task: Task, table: Table) -> Release:
    request = task.draft.request()
    try:
        return run(table, request, task.tell, task.stop)
    except Infeasible as error:
        said = (str(error), "Infeasible", error.model, str(error.reached))
        raise Refused(Failure(*said, _helping(table, request))) from error


def _helping(table: Table, request: Request) -> dict[str, Any] | None:
    """Return the parts of the draft with which a release exists; None where none are known."""
    try:
        found = eased(table, request)
    except ShoalError:
        return None
    return None if found is None else {"require": list(found)}


def measure(task: Task, made: Release | Path, table: Table | None = None) -> None:
    """Measure risk, attacks and use, and write the report; where that fails, the release stands all the same."""
    folder = task.job.folder
    task.tell(1.0, "measuring risk, attacks and utility")
    try:
        found = Evidence.of(made, table or task.table(), source=task.draft.name)
        pages = Report(found)
        for name, page in (("internal", pages.internal), ("public", pages.public)):
            (private_folder(folder / REPORT) / f"{name}.html").write_text(page, encoding="utf-8", newline="\n")
        names = ("before", "after", "hits", "utility", "notes")
        put_json(folder / "measured.json", {name: plain(getattr(found, name)) for name in names})
    except ShoalError as error:
        put_json(folder / "measured.json", {"said": str(error)})
    except Exception as error:
        put_json(folder / "measured.json", {"said": f"something went wrong in shoal ({type(error).__name__})"})
    task.tell(1.0, "done")


def frontier(task: Task) -> None:
    """Make a release at every value of a model's number; once stopped, what is done is kept."""
    table, vary = task.table(), Vary.of(task.asked["vary"])
    request = task.draft.request()
    fixed = besides(as_models(request.require), vary)
    asked = replace(request, require=fixed if len(fixed) else "")

    def tell(share: float, doing: str) -> None:
        task.tell(share, str(doing))
        if task.stop.is_set():
            raise KeyboardInterrupt

    try:
        found = trace(table, asked, vary, [task.draft.method], QUERIES, task.job.folder / POINTS, tell)
    except KeyboardInterrupt:
        raise Stopped("stopped before a release was made") from None
    task.done(json.loads(found.to_json()), stopped=found.stopped)


def besides(models: Models, vary: Vary) -> Models:
    """Return the models without the one that is varied."""
    varied = vary.at(vary.values[0])
    same = (type(varied), varied.attributes, varied.given)
    return Models(tuple(one for one in models if (type(one), one.attributes, one.given) != same))


def look(task: Task) -> None:
    """Look at a table."""
    task.done(plain(LOOKS[task.asked["what"]](task.draft)))


KINDS: Mapping[str, Callable[[Task], None]] = {"run": release, "frontier": frontier, "look": look}
