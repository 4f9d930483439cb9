"""The desk: one private folder with what was decided, what was uploaded and what was run; safe to use from threads.

FOLDER/desk.json   the drafts, written in one step at every change
FOLDER/uploads/    tables and hierarchies that were handed over; gone when the desk is closed
FOLDER/runs/       a folder for each run
FOLDER/looks/      a folder for each look at a large table
"""

from __future__ import annotations

import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import RLock
from typing import IO, Any

from shoal.config import FIRST, read_config
from shoal.core.errors import ParameterError, ShoalError, TableError
from shoal.core.file_lock import lock
from shoal.models.parameter_range import Vary
from shoal.republication.codip import LARGEST
from shoal.republication.earlier import Earlier
from shoal.request import EARLIER
from shoal.tables.readers.base import reader_named
from shoal.web.desk import draft_checks
from shoal.web.desk.atomic_files import get_json, plain, private_folder, put_json
from shoal.web.desk.background_queries import Looks
from shoal.web.desk.config_file import parts_of
from shoal.web.desk.draft import OPEN, READ, Draft
from shoal.web.desk.draft_table import table
from shoal.web.desk.history import History
from shoal.web.desk.release_check import Checked
from shoal.web.desk.releases import release_of
from shoal.web.desk.runs import GOING, Run, Runs
from shoal.web.desk.uploads import LIMIT, Uploads

WHAT_IF = "k=2..50"


@dataclass(frozen=True)
class Refused:
    """A file that cannot be read as it was tried, and why: it may be readable in another way."""

    path: Path
    reading: Mapping[str, str | None]
    said: str

    @property
    def as_read(self) -> tuple[Path, Mapping[str, str | None]]:
        """The file, and how it was tried."""
        return self.path, self.reading


class Desk:
    """One working folder. `root` is the folder whose files may be named by their paths; without it, uploads only."""

    def __init__(self, folder: str | Path, *, root: str | Path | None = None, upload_limit: int = LIMIT) -> None:
        self.folder = private_folder(Path(folder).resolve())
        self.root = None if root is None else Path(root).resolve()
        self._lock = RLock()
        self._held = lock(self.folder / "lock")
        if self._held is None:
            raise ShoalError(f"another shoal is using {str(self.folder)!r}", hint="end it, or name another folder")
        self.uploads = Uploads(self.folder / "uploads", upload_limit)
        self.runs = Runs.at(self.folder / "runs")
        self.looks = Looks(self.folder / "looks")
        kept = get_json(self.folder / "desk.json")
        self._history = History() if kept is None else History.from_dict(kept["history"])
        self._settle()
        self.refused: Refused | None = None
        self.session = secrets.token_hex(8)
        """What tells this desk from the one of the same folder after a restart."""

    @property
    def history(self) -> History:
        """The drafts, in order."""
        return self._history

    @property
    def draft(self) -> Draft:
        """What was decided so far."""
        return self._history.draft

    def change(self, **parts: Any) -> Draft:
        """Decide other parts of the draft, checked one by one; a refused part changes nothing.

        Trees of values are kept among the uploads, because values are cells.
        """
        return self.decide(lambda _: parts)

    def decide(self, parts: Callable[[Draft], Mapping[str, Any]], group: str = "") -> Draft:
        """Decide parts that depend on what was decided before: nobody decides anything in between.

        Decisions of one group that follow each other within a while are undone together.
        """
        with self._lock:
            checked = {name: self._checked(name, part) for name, part in parts(self.draft).items()}
            draft = self.draft.changed(**checked)
            if not checked.keys().isdisjoint(EARLIER):
                Earlier.of(**draft.earlier)
            if not checked.keys().isdisjoint(draft_checks.COUNTED):
                draft_checks.count(draft)
            return self._keep(self._history.then(draft, group, time.monotonic()))

    def _checked(self, name: str, part: Any) -> Any:
        if name == "hierarchies":
            return {column: draft_checks.hierarchy(spec, self.allowed, self.uploads) for column, spec in part.items()}
        if name in (*READ, "registry") and part is not None:
            return str(self.allowed(part))
        if name == "follows" and part not in (None, FIRST):
            return str((self.root or Path()) / part)
        return draft_checks.part(name, part)

    def undo(self) -> Draft:
        """Go one moment back."""
        with self._lock:
            return self._keep(self._history.undone())

    def redo(self) -> Draft:
        """Go one moment on again."""
        with self._lock:
            return self._keep(self._history.redone())

    def _keep(self, history: History) -> Draft:
        put_json(self.folder / "desk.json", {"format": 1, "history": history.to_dict()})
        self._history = history
        self.runs.hide(history.gone)
        return history.draft

    def _settle(self) -> None:
        """Remove for good what was deleted; from now on it cannot be brought back."""
        self.runs.hide(self._history.gone)
        self.runs.forget_hidden()
        if any(self._history.deleted):
            self._keep(self._history.settled())

    def open(self, path: str | Path, **reading: str | None) -> Draft:
        """Begin with a table that is named by its path, inside the chosen folder; it is read before it is kept."""
        found = self.allowed(path)
        if not found.is_file():
            raise TableError(f"there is no file {found.name!r} in {str(found.parent)!r}", hint="check the path")
        return self._begin(found, reading)

    def upload(self, name: str, stream: IO[bytes] | Iterable[bytes] | bytes, **reading: str | None) -> Draft:
        """Begin with a table that is handed over; one that cannot be read is kept only to be read in another way."""
        return self._begin(self.uploads.keep(name, stream), reading)

    def read_anew(self, **reading: str | None) -> Draft:
        """Read the file that was refused, or else the table, in another way; if that fails, nothing is changed."""
        refused = self.refused
        path, before = (Path(str(self.draft.file)), self.draft.reading) if refused is None else refused.as_read
        return self._begin(path, {**before, **reading})

    def load(self, path: Path, *, beside: Path | None = None) -> Draft:
        """Decide all that a `shoal.toml` says, as one decision; files that it names are beside it, or in a folder.

        A table that it names is opened; where it names none, or one that is not there, it is about the table at hand.
        """
        settings = read_config(path, beside or path.parent)
        reading = {name: settings.pop(name) for name in self.draft.reading if name in settings}
        named = settings.pop("file", None)
        if named is not None and self.allowed(named).is_file():
            draft = self._read(self.allowed(named), reading)
        elif self.draft.file is not None:
            draft = replace(Draft(), file=self.draft.file).changed(**self.draft.reading, roles=self.draft.roles)
        else:
            raise TableError(
                f"the table that {path.name!r} is about is not here", hint="choose the table, then the shoal.toml"
            )
        parts = parts_of(settings, tuple(draft.roles))
        with self._lock:
            made = draft.changed(**{name: self._checked(name, part) for name, part in parts.items()})
            Earlier.of(**made.earlier)
            draft_checks.count(made)
            return self._keep(self._history.then(made))

    def give_up(self) -> None:
        """Forget the file that was refused."""
        with self._lock:
            refused, self.refused = self.refused, None
            if refused is not None and all(draft.file != str(refused.path) for draft in self._history.drafts):
                self.uploads.forget(refused.path)

    def _begin(self, file: Path, reading: Mapping[str, str | None]) -> Draft:
        """Another table: of what was decided about the one before, nothing is carried over."""
        if self.refused is not None and self.refused.path != file:
            self.give_up()
        try:
            draft = self._read(file, reading)
        except ShoalError as error:
            self._refuse(file, reading, str(error))
            raise
        with self._lock:
            self.refused = None
            return self._keep(self._history.then(draft))

    def _read(self, file: Path, reading: Mapping[str, str | None]) -> Draft:
        """Return a draft of a table about which nothing is decided."""
        draft = replace(Draft(), file=str(file)).changed(**reading)
        return draft.changed(roles=dict.fromkeys(table(draft).columns, OPEN))

    def _refuse(self, file: Path, reading: Mapping[str, str | None], said: str) -> None:
        """Keep a file that cannot be read, if its format can be read in more than one way."""
        self.refused = Refused(file, dict(reading), said)
        reader = reader_named(file)
        if reader is None or not reader.options or not file.stat().st_size or str(file) == self.draft.file:
            self.give_up()

    def allowed(self, path: str | Path) -> Path:
        """Return a path with its links followed, or refuse it: only the chosen folder and the uploads may be read."""
        given = Path(path)
        found = (given if given.is_absolute() or self.root is None else self.root / given).resolve()
        roots = [root.resolve() for root in (self.root, self.uploads.folder) if root is not None]
        if not any(found.is_relative_to(root) for root in roots):
            raise ParameterError(
                f"{given.name!r} is outside the folder that was chosen",
                hint="upload the file, or start shoal serve with --folder",
            )
        return found

    def look(self, what: str, draft: Draft | None = None) -> dict[str, Any] | None:
        """Return an `inspection` or the `methods` for a draft; None as long as a worker looks: ask again."""
        return self.looks.at(what, self.draft if draft is None else draft)

    def start(self, draft: Draft | None = None) -> Run:
        """Start a run for the draft, in a process of its own."""
        return self._started(self.draft if draft is None else draft, "run")

    def what_if(self, draft: Draft | None = None, vary: str = WHAT_IF) -> Run:
        """Start a release at every value of a model's number, in a process of its own."""
        Vary.of(vary)
        return self._started(self.draft if draft is None else draft, "frontier", vary=vary)

    def codip(self, draft: Draft | None = None, largest: int | str = 1) -> Run:
        """Start a release for each group of related sensitive columns, in a process of its own."""
        most = int(LARGEST.read(largest, "largest"))
        return self._started(self.draft if draft is None else draft, "codip", largest=most)

    def compare(self, draft: Draft | None = None, seconds: float = 30.0) -> Run:
        """Start every method that fits on the table, each for so many seconds at most, in a process of its own."""
        return self._started(self.draft if draft is None else draft, "compare", seconds=seconds)

    def lattice(self, draft: Draft | None = None) -> Run:
        """Start to evaluate the nodes of the lattice of levels, in a process of its own."""
        return self._started(self.draft if draft is None else draft, "lattice")

    def check(self, path: str, original: str = "", other: str = "", **said: Any) -> Run:
        """Start to check what was published before, inside the chosen folder, in a process of its own."""
        files = {"path": path, "original": original, "other": other}
        found: dict[str, Any] = {name: str(self.allowed(given)) for name, given in files.items() if given}
        if "path" not in found:
            raise ParameterError("no release and no table is named", expected="a release folder, or a table")
        asked = Checked(**found, **said)
        if asked.problem():
            raise ParameterError(f"{Path(path).name!r} cannot be checked: {asked.problem()}")
        return self.runs.start(Draft(), "check", asked=plain(asked))

    def record(self, run: Run, folder: str | Path) -> Run:
        """Start to copy a run's release to a folder and to record it in its register, in a process of its own.

        One is recorded at a time, so that each is compared with the one before.
        """
        if run.draft.registry is None:
            raise ParameterError("this run has no register", hint="choose one in the step Privacy, and run it again")
        asked = {"of": run.id, "release": str(release_of(run)), "target": str(self.allowed(folder))}
        with self._lock:
            if not all(asked.items() <= one.job.asked.items() for one in self._recording()):
                raise ShoalError("another release is being recorded", hint="wait until it is done")
            return self.runs.start(run.lasting, "record", **asked)

    def _recording(self) -> list[Run]:
        """Return what is being recorded."""
        return [one for one in self.runs.all("record") if one.state in GOING]

    def delete(self, run: Run) -> None:
        """End a run and delete all it left, and the trials of what it asked for, unless another run asks for it.

        Until the desk is closed this can be undone.
        """
        draft = run.draft
        with self._lock:
            if any(one.job.asked["of"] == run.id for one in self._recording()):
                raise ShoalError("the release of this run is being recorded", hint="wait until it is done")
            others = [one.draft for one in self.runs.all() if one.id != run.id]
            trials = (*self.runs.all("frontier"), *self.runs.all("codip"), *self.runs.all("record"))
            gone = [run] + [
                one
                for one in trials
                if one.job.asked.get("of") == run.id or (one.draft == draft and draft not in others)
            ]
            for one in gone:
                one.job.kill()
            self._keep(self._history.without(one.id for one in gone))

    def take_up(self, run: Run) -> Draft:
        """Decide all that a run was made from; hierarchies that were files are put back where they were."""
        draft = run.draft
        if draft.file is None or not Path(draft.file).is_file():
            raise TableError(f"the file {draft.name!r} is gone", hint="choose it again in the step Data")
        for column, kept in run.trees.items():
            target = Path(draft.hierarchies[column])
            if self.uploads.holds(target) and not target.is_file():
                shutil.copyfile(kept, private_folder(target.parent) / target.name)
        with self._lock:
            return self._keep(self._history.then(draft))

    def _started(self, draft: Draft, kind: str, **asked: Any) -> Run:
        missing = draft_checks.missing(draft)
        if missing:
            raise ParameterError(missing[0][1])
        return self.runs.start(draft, kind, **asked)

    def ready(self, draft: Draft | None = None) -> list[tuple[str, str]]:
        """Return what is missing before a run can start: the step, and what to do there."""
        return draft_checks.missing(self.draft if draft is None else draft)

    def portable(self, draft: Draft) -> Draft:
        """Return a draft that can be repeated beside its table: uploads by their names, trees as their copies."""
        files = {part: getattr(draft, part) for part in READ}
        uploaded = {part: Path(path).name for part, path in files.items() if path and self.uploads.holds(path)}
        beside = self.root if draft.file is None or "file" in uploaded else Path(draft.file).parent
        folders = {part: draft.earlier[part] for part in ("registry", "follows") if part in draft.earlier}
        named = {part: os.path.relpath(path, beside) for part, path in folders.items() if path != FIRST}
        return draft.changed(hierarchies={**draft.hierarchies, **draft.trees}, **uploaded, **named)

    def close(self, *, leave_running: bool = False) -> None:
        """End the workers and delete the uploads; what runs may be left running, with the uploads that it reads."""
        with self._lock:
            if self._held is not None:
                self._settle()
            self.looks.clear()
            going = [run for run in self.runs.all(None) if run.job.alive]
            for run in () if leave_running else going:
                run.job.end()
            self.uploads.clear(but=[path for run in going for path in run.draft.files] if leave_running else ())
            if self._held is not None:
                os.close(self._held)
                self._held = None
