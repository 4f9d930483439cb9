"""The desk: one private folder with what was decided, what was uploaded and what was run; safe to use from threads.

FOLDER/desk.json   the drafts, written in one step at every change
FOLDER/uploads/    tables and hierarchies that were handed over; gone when the desk is closed
FOLDER/runs/       a folder for each run
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from threading import RLock
from typing import IO, Any

from shoal.desk.draft import Draft
from shoal.desk.history import History
from shoal.desk.keeping import get_json, lock, private_folder, put_json
from shoal.desk.runs import Run, Runs
from shoal.desk.uploads import LIMIT, Uploads
from shoal.errors import ParameterError, ShoalError, TableError


class Desk:
    """One working folder. `root` is the folder whose files may be named by their paths; without it, uploads only."""

    def __init__(self, folder: str | Path, *, root: str | Path | None = None, upload_limit: int = LIMIT) -> None:
        self.folder = private_folder(Path(folder).absolute())
        self.root = None if root is None else Path(root).resolve()
        self._lock = RLock()
        self._held = lock(self.folder / "lock")
        if self._held is None:
            raise ShoalError(f"another shoal works in {str(self.folder)!r}", hint="end it, or name another folder")
        self.uploads = Uploads(self.folder / "uploads", upload_limit)
        self.runs = Runs(private_folder(self.folder / "runs"))
        kept = get_json(self.folder / "desk.json")
        self._history = History() if kept is None else History.from_dict(kept["history"])

    @property
    def history(self) -> History:
        """The drafts, in order."""
        return self._history

    @property
    def draft(self) -> Draft:
        """What was decided so far."""
        return self._history.draft

    def change(self, **parts: Any) -> Draft:
        """Decide other parts of the draft."""
        with self._lock:
            return self._keep(self._history.then(self.draft.changed(**parts)))

    def undo(self) -> Draft:
        """Go one step back."""
        with self._lock:
            return self._keep(self._history.undone())

    def redo(self) -> Draft:
        """Go one step on again."""
        with self._lock:
            return self._keep(self._history.redone())

    def _keep(self, history: History) -> Draft:
        put_json(self.folder / "desk.json", {"format": 1, "history": history.to_dict()})
        self._history = history
        return history.draft

    def open(self, path: str | Path) -> Draft:
        """Begin with a table that is named by its path, inside the chosen folder."""
        found = self.allowed(path)
        if not found.is_file():
            raise TableError(f"there is no file {found.name!r} in {str(found.parent)!r}", hint="check the path")
        return self._begin(found)

    def upload(self, name: str, stream: IO[bytes] | Iterable[bytes] | bytes) -> Draft:
        """Begin with a table that is handed over."""
        return self._begin(self.uploads.keep(name, stream))

    def _begin(self, file: Path) -> Draft:
        """Another table: what was decided about the one before is not carried over."""
        with self._lock:
            return self._keep(self._history.then(replace(Draft(), file=str(file))))

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

    def start(self, draft: Draft | None = None) -> Run:
        """Start a run for the draft, in a process of its own."""
        return self.runs.start(self.draft if draft is None else draft)

    def close(self, *, leave_running: bool = False) -> None:
        """End the workers and delete the uploads; what runs may be left running, with the uploads it reads."""
        with self._lock:
            going = [run for run in self.runs.all(None) if run.job.alive]
            for run in () if leave_running else going:
                (run.job.folder / "closed").touch()
                run.job.kill()
            self.uploads.clear(but=[Path(run.draft.file or "") for run in going] if leave_running else ())
            if self._held is not None:
                os.close(self._held)
                self._held = None
