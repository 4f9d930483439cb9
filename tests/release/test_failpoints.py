"""Whatever fails while a release is written: the old release is there or the new one, whole, and nothing beside it.

A failpoint is a touch of the file system: a file opened, a folder made, a move, data forced to the disk. Each of them
fails once, with each error that disks give; then another process writes the same folder at each of these moments.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.core.errors import ReleaseError
from shoal.release.release import Release

TOUCHES = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "shutil.rmtree")
MOVE, FOLDER = "os.rename", "os.mkdir"
"""A move puts a release into place, after one that takes the old one away; a folder may be there already."""
ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EDQUOT)


@dataclass
class Failpoints:
    """Counts touches of files in a folder, and calls `at` at the n-th."""

    folder: Path = Path("/nowhere")
    at: Callable[[str], None] | None = None
    step: int = 0
    seen: list[str] = field(default_factory=list)
    on: bool = False

    def touched(self, event: str, path: object) -> None:
        """Note a touch."""
        if not self.on or str(self.folder) not in str(path):
            return
        self.seen.append(event)
        if len(self.seen) == self.step and self.at is not None:
            self.on = False
            try:
                self.at(event)
            finally:
                self.on = True

    def hook(self, event: str, arguments: tuple[object, ...]) -> None:
        """Listen to what Python reveals itself."""
        if event in TOUCHES and arguments:
            self.touched(event, arguments[0])

    @contextmanager
    def watching(self, folder: Path, step: int, at: Callable[[str], None] | None) -> Iterator[None]:
        """Watch a folder for a while."""
        self.folder, self.step, self.at, self.seen, self.on = folder, step, at, [], True
        try:
            yield
        finally:
            self.on = False


POINTS = Failpoints()
sys.addaudithook(POINTS.hook)  # it cannot be taken away again, but it can be switched off


@pytest.fixture(autouse=True)
def forced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what is forced to the disk, and what polars writes, be failpoints too."""
    fsync = os.fsync

    def forcing(descriptor: int) -> None:
        POINTS.touched("os.fsync", Path(f"/proc/self/fd/{descriptor}").resolve())
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", forcing)
    for name in ("write_csv", "write_parquet", "write_ipc"):
        monkeypatch.setattr(pl.DataFrame, name, _written(name))


def _written(name: str) -> Callable[..., object]:
    true = getattr(pl.DataFrame, name)

    def written(self: pl.DataFrame, file: object = None, *given: object, **named: object) -> object:
        POINTS.touched(f"polars.{name}", file)
        return true(self, file, *given, **named)

    return written


@pytest.fixture(scope="module")
def releases() -> tuple[Release, Release]:
    """Two releases of one table, an old one and a new one."""
    people = {"age": [20, 21, 30, 31, 40, 41], "illness": ["flu", "gout", "flu", "gout", "flu", "gout"]}
    asked = {"quasi": ["age"], "sensitive": ["illness"], "method": "mondrian"}
    first, second = (shoal.anonymize(people, require=f"k={k}", **asked) for k in (2, 3))  # type: ignore[arg-type]
    return first, second


def contents(folder: Path) -> bytes | None:
    """The published table of a release, which must be whole; None where there is none."""
    if not folder.exists():
        return None
    assert shoal.verify(folder).failures == []
    return (folder / "public" / "table.csv").read_bytes()


def tables(releases: tuple[Release, Release], folder: Path) -> tuple[bytes | None, bytes | None]:
    return contents(releases[0].save(folder / "one")), contents(releases[1].save(folder / "two"))


def raising(code: int) -> Callable[[str], None]:
    def fail(event: str) -> None:
        raise OSError(code, os.strerror(code))

    return fail


def steps(releases: tuple[Release, Release], folder: Path, *, existing: bool) -> list[str]:
    """What is touched when nothing fails."""
    target = folder / "counted"
    if existing:
        releases[0].save(target)
    with POINTS.watching(folder, 0, None):
        releases[1].save(target, overwrite=True)
    return list(POINTS.seen)


@pytest.mark.parametrize("code", [ERRORS[0], *(pytest.param(one, marks=pytest.mark.slow) for one in ERRORS[1:])])
@pytest.mark.parametrize("existing", [False, True], ids=["new", "overwritten"])
def test_an_error_at_any_step_leaves_the_old_release_or_the_new_one(
    releases: tuple[Release, Release],
    tmp_path: Path,
    existing: bool,
    code: int,
    record_property: Callable[[str, object], None],
) -> None:
    old, new = tables(releases, tmp_path)
    touched = steps(releases, tmp_path, existing=existing)
    in_place = [place for place, event in enumerate(touched, 1) if event == MOVE][1 if existing else 0]
    for step in range(1, len(touched) + 1):
        folder = tmp_path / f"step {step}"
        folder.mkdir()
        target = folder / "out"
        if existing:
            releases[0].save(target)
        failed = False
        with POINTS.watching(folder, step, raising(code)):
            try:
                releases[1].save(target, overwrite=True)
            except ReleaseError:
                failed = True
        event = POINTS.seen[step - 1]
        assert contents(target) == ((old if existing else None) if failed else new), f"step {step}: {event}"
        if step > in_place:
            continue  # what is cleared away then may stay until the next run
        assert failed or event == FOLDER, f"step {step}: {event}"
        if failed:
            assert [path.name for path in folder.iterdir()] == ["out"] * existing, f"step {step}: {event}"
    record_property("seen", f"{len(touched)} failpoints of a release ({errno.errorcode[code]}, existing: {existing})")


def test_an_old_release_that_is_removed_by_half_is_never_put_back(
    releases: tuple[Release, Release], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = releases[0].save(tmp_path / "out")
    monkeypatch.setattr("shoal.release.release.remove", lambda path: None)  # its process is killed then
    releases[1].save(target, overwrite=True)
    (left,) = (path for path in tmp_path.iterdir() if path != target)
    monkeypatch.undo()
    gone = left.with_name(left.name.replace(f".{os.getpid()}.", ".99999999."))
    left.rename(gone)
    target.rename(tmp_path / "elsewhere")
    releases[1].save(target)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere", "out"]
    assert contents(target) is not None


@pytest.mark.parametrize("existing", [False, True], ids=["new", "overwritten"])
def test_another_process_on_the_same_folder_at_any_step_leaves_one_release(
    releases: tuple[Release, Release], tmp_path: Path, existing: bool
) -> None:
    old, new = tables(releases, tmp_path)
    for step in range(1, len(steps(releases, tmp_path, existing=existing)) + 1):
        target = tmp_path / f"step {step}" / "out"
        if existing:
            releases[0].save(target)

        def other(event: str, target: Path = target) -> None:
            with suppress(ReleaseError):
                releases[0].save(target, overwrite=True)

        with POINTS.watching(target.parent, step, other), suppress(ReleaseError):
            releases[1].save(target, overwrite=True)
        assert contents(target) in (old, new), f"step {step}"
        assert contents(target) is not None
