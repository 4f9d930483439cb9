"""What a run was made from: the content of its table and what was decided; and whether that still is so.

made_from.json   of a run: size, time and hash of its table, written by its worker before it reads that
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from shoal.core.errors import TableError
from shoal.release.files import file_hash
from shoal.web.desk.atomic_files import get_json, put_json
from shoal.web.desk.draft import Draft
from shoal.web.desk.draft_changes import Change, changes
from shoal.web.desk.runs import Run
from shoal.web.language import t

MADE_FROM = "made_from.json"


@dataclass(frozen=True)
class Content:
    """The content of a file; two are the same if their hashes are."""

    size: int
    changed: int
    hash: str

    @classmethod
    def of(cls, path: Path) -> Content:
        """Look at a file; it is read once as long as it stays as it is."""
        said = path.stat()
        return _content(path, said.st_size, said.st_mtime_ns)

    def holds(self, path: Path) -> bool:
        """Whether a file has this content; its hash is asked for only where its size and time do not tell."""
        said = path.stat()
        if said.st_size != self.size:
            return False
        return said.st_mtime_ns == self.changed or Content.of(path).hash == self.hash


@lru_cache(maxsize=8)
def _content(path: Path, size: int, changed: int) -> Content:
    return Content(size, changed, file_hash(path))


def check_content(folder: Path, path: Path) -> None:
    """Write down what the table of a job holds; raise in words if it held something else before."""
    if not path.is_file():
        return  # who reads it says so
    before = _noted(folder)
    if before is None:
        put_json(folder / MADE_FROM, asdict(Content.of(path)))
    elif not before.holds(path):
        raise TableError(f"the file {path.name!r} was changed since the run", hint="run it again")


def _noted(folder: Path) -> Content | None:
    found = get_json(folder / MADE_FROM)
    return None if found is None else Content(**found)


@dataclass(frozen=True)
class Origin:
    """How a run stands to what is decided now."""

    table: str
    """The name of the table it was made from."""
    same_table: bool
    changes: tuple[Change, ...] = ()
    """What is decided otherwise since."""

    @property
    def fresh(self) -> bool:
        """Whether a run of what is decided now would be made from the same table and decisions."""
        return self.same_table and not self.changes


def origin(run: Run, draft: Draft) -> Origin:
    """Compare a run with a draft."""
    made = run.draft
    if draft.file is None or made.file is None or not _same_table(run, draft):
        return Origin(made.name, same_table=False)
    found = [] if _asked(made) == _asked(draft) else changes(made.changed(file=draft.file), draft)
    if not _unchanged(run, Path(draft.file)):
        found = [Change("data", t("the content of {name!r}", name=draft.name)), *found]
    return Origin(made.name, same_table=True, changes=tuple(found))


def _same_table(run: Run, draft: Draft) -> bool:
    """Whether a run was made from the file of a draft, or from one of the same content that lay elsewhere."""
    if run.draft.file == draft.file:
        return True
    found = _noted(run.job.folder)
    return found is not None and Path(str(draft.file)).is_file() and found.holds(Path(str(draft.file)))


def _unchanged(run: Run, path: Path) -> bool:
    """Whether the file still holds what the run read; one that is gone is told elsewhere."""
    found = _noted(run.job.folder)
    return found is None or not path.is_file() or found.holds(path)


def _asked(draft: Draft) -> dict[str, Any]:
    """Return all of a draft that a release depends on."""
    return {**draft.settings, **draft.reading, **draft.earlier, "format": draft.format}
