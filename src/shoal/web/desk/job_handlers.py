"""The kinds of job that a worker does, each a few calls of the library."""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Event
from typing import Any

from shoal.core.atomic_files import remove
from shoal.core.errors import Infeasible, SafetyWarning, ShoalError
from shoal.core.memory import MemoryLimit, within
from shoal.models import Models
from shoal.models.parameter_range import Vary
from shoal.models.requirement import as_models
from shoal.release.files import file_hash
from shoal.release.release import Release, write_folder
from shoal.report import Evidence
from shoal.republication.codip import project
from shoal.republication.earlier import Earlier
from shoal.republication.release_register import Overlap
from shoal.request import Request
from shoal.studies import comparison
from shoal.studies.frontier import trace
from shoal.studies.lattice import view
from shoal.tables.table import Table, read
from shoal.web.desk.atomic_files import plain, put_json
from shoal.web.desk.draft import Draft
from shoal.web.desk.jobs import POINTS, RELEASE, Failure, Job
from shoal.web.desk.made_from import check_content
from shoal.web.desk.measures import QUERIES, measure_parts
from shoal.web.desk.progress_log import Teller
from shoal.web.desk.queries import LOOKS
from shoal.web.desk.relax_requirement import eased
from shoal.web.desk.release_check import Checked, check_parts
from shoal.web.desk.runs import Run

PARTS = "parts.json"
"""What is known of a check so far."""
COMPARING = "comparing with earlier releases"
MOST_NODES, NODES_SHOWN = 3_000, 300
"""Nodes of a lattice that are evaluated, and the cheapest of them that a page shows."""


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
        if self.asked["kind"] == "run":
            check_content(self.job.folder, Path(str(self.draft.file)))
        return read(str(self.draft.file), **self.draft.reading)

    def interrupting(self, share: float, doing: str) -> None:
        """Tell how far it is; end the work, as Ctrl-C does, once somebody asked to stop."""
        self.tell(share, str(doing))
        if self.stop.is_set():
            raise KeyboardInterrupt

    def limited(self) -> AbstractContextManager[None]:
        """Watch the limit on memory, where one is set."""
        return within(MemoryLimit.of(self.draft.memory_limit))

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
    with task.limited():
        table = task.table()
        made = _made(task, table)
        stopped, stated = task.stop.is_set(), made.certificate
        task.tell.settle(stated.cost, stated.lower_bound)
        task.tell(1.0, "saving")
        made.save(folder, format=task.draft.format)
    said: dict[str, Any] = {"exposed": stated.exposed, "sharing": stated.sharing}
    said |= {"decisions": list(made.decisions), "overlaps": _told(made.overlaps)}
    task.done({**stated.content(), **said}, stopped=stopped)
    measure(task, made, table)


@contextmanager
def _unwarned() -> Iterator[None]:
    """Keep warnings off the log of a worker: the page shows those that the certificate states."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SafetyWarning)
        yield


def _made(task: Task, table: Table) -> Release:
    """Make a release and compare it with earlier ones; it is recorded when somebody asks for that."""
    request, earlier = task.draft.request(), Earlier.of(**task.draft.earlier)
    try:
        with _unwarned():
            made = earlier.make(table, request, task.tell, task.stop)
    except Infeasible as error:
        said = (str(error), "Infeasible", error.model, str(error.reached))
        raise Refused(Failure(*said, _helping(table, request))) from error
    if earlier.registry is not None:
        task.tell(1.0, COMPARING)
    return earlier.compared(made, table)


def _helping(table: Table, request: Request) -> dict[str, Any] | None:
    """Return the parts of the draft with which a release exists; None where none are known."""
    try:
        found = eased(table, request)
    except ShoalError:
        return None
    return None if found is None else {"require": list(found)}


def measure(task: Task, made: Release | Path, table: Table | None = None) -> None:
    """Measure risk, attacks and utility part by part, and write the report."""
    task.tell(1.0, "measuring: risk")
    measure_parts(
        task.job.folder,
        lambda: Evidence.growing(made, table or task.table(), queries=QUERIES, source=task.draft.name),
        task.tell,
    )
    task.tell(1.0, "done")


def frontier(task: Task) -> None:
    """Make a release at every value of a model's number; once stopped, what is done is kept."""
    table, vary = task.table(), Vary.of(task.asked["vary"])
    request = task.draft.request()
    fixed = besides(as_models(request.require), vary)
    asked = replace(request, require=fixed if len(fixed) else "")
    with _interrupted(), task.limited():
        found = trace(table, asked, vary, [task.draft.method], QUERIES, task.job.folder / POINTS, task.interrupting)
    task.done(json.loads(found.to_json()), stopped=found.stopped)


def compare(task: Task) -> None:
    """Run every method that fits on the table, each with the same limit of time; once stopped, what is done is kept."""
    request = replace(task.draft.request(), time_limit=task.asked["seconds"])
    with _interrupted(), task.limited():
        found = comparison.run(task.table(), request, None, task.interrupting)
    task.done(json.loads(found.to_json()), stopped=found.stopped)


def lattice(task: Task) -> None:
    """Evaluate the nodes of the lattice of levels; once stopped, what is known of some is kept."""
    with _interrupted(), task.limited():
        found = view(task.table(), task.draft.request(), NODES_SHOWN, MOST_NODES, task.interrupting)
    drawn = [asdict(node) for node in found.drawn()]
    task.done({**json.loads(found.to_json()), "drawn": drawn}, stopped=found.stopped)


@contextmanager
def _interrupted() -> Iterator[None]:
    """Say that nothing was made where somebody asked to stop before anything was."""
    try:
        yield
    except KeyboardInterrupt:
        raise Stopped("stopped before a release was made") from None


def check(task: Task) -> None:
    """Verify, audit and attack a release that was made before, part by part."""
    asked = Checked(**task.asked["asked"])
    for found in check_parts(asked, task.tell):
        put_json(task.job.folder / PARTS, plain(found))
        if task.stop.is_set():
            break
    task.done(plain(found), stopped=task.stop.is_set())


def besides(models: Models, vary: Vary) -> Models:
    """Return the models without the one that is varied."""
    varied = vary.at(vary.values[0])
    same = (type(varied), varied.attributes, varied.given)
    return Models(tuple(one for one in models if (type(one), one.attributes, one.given) != same))


def codip(task: Task) -> None:
    """Make a release for each group of related sensitive columns, and measure what they reveal joined."""
    request = Request.of("codip", **task.draft.settings, **task.draft.earlier)
    with _unwarned(), task.limited():
        found = project(task.table(), request, task.asked["largest"], task.tell, task.stop)
    task.tell(1.0, "saving")
    found.save(task.job.folder / RELEASE, format=task.draft.format)
    joined = json.loads(found.joined.to_json())
    task.done({"releases": found.rows(), "joined": joined}, stopped=task.stop.is_set())


def record(task: Task) -> None:
    """Copy a release to its folder and record it, after comparing it with what was recorded meanwhile.

    A folder that holds this release already, because a worker was killed before it could record it, is recorded.
    """
    release, target = Path(task.asked["release"]), Path(task.asked["target"])
    table, earlier = task.table(), Earlier.of(**task.draft.earlier)
    task.tell(0.5, COMPARING)
    overlaps = earlier.overlaps(release, table)
    task.tell(1.0, "saving")
    fresh = not _same_release(release, target)
    if fresh:
        write_folder(target, lambda beside: _copy(release, beside))
    try:
        earlier.record(target, table)
    except ShoalError:
        if fresh:
            remove(target)
        raise
    task.done({"folder": str(target), "overlaps": _told(overlaps)})


def _told(overlaps: Sequence[Overlap]) -> list[dict[str, Any]]:
    """Return what a release and each earlier one reveal together, and whether that is nothing, as plain data."""
    return [{"said": str(one), "safe": one.is_safe} for one in overlaps]


def _same_release(release: Path, target: Path) -> bool:
    """Whether a folder holds a release with the same certificate."""
    seals = [folder / "public" / "certificate.json" for folder in (release, target)]
    return seals[1].is_file() and file_hash(seals[0]) == file_hash(seals[1])


def _copy(release: Path, beside: Path) -> None:
    shutil.copytree(release, beside, dirs_exist_ok=True)


def look(task: Task) -> None:
    """Look at a table."""
    task.done(plain(LOOKS[task.asked["what"]](task.draft)))


KINDS: Mapping[str, Callable[[Task], None]] = {
    "run": release,
    "frontier": frontier,
    "codip": codip,
    "compare": compare,
    "lattice": lattice,
    "check": check,
    "record": record,
    "look": look,
}
