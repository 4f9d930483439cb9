"""The release of a run: its folder, what its columns lost, and all of it as a zip."""

from __future__ import annotations

import zipfile
from functools import lru_cache
from pathlib import Path

from shoal.core.atomic_files import replacing
from shoal.core.errors import ReleaseError
from shoal.release.release_reader import Opened
from shoal.web.desk.atomic_files import private_folder
from shoal.web.desk.runs import Run


def release_of(run: Run) -> Path:
    """Return the release folder of a run, or say that there is none."""
    folder = run.release
    if folder is None:
        raise ReleaseError("this run has no release", hint="wait until it is done, or run it again")
    return folder


@lru_cache(maxsize=16)
def column_losses(run: Run) -> tuple[tuple[str, float], ...]:
    """Return what each quasi-identifier lost, most first, as the codebook of the release states it."""
    columns = Opened.of(release_of(run), None).codebook["columns"]
    lost = [(str(one["name"]), float(one["loss"])) for one in columns if "loss" in one]
    return tuple(sorted(lost, key=lambda one: -one[1]))


def zipped(run: Run, *, public: bool = False) -> Path:
    """Return the release folder as a zip: all of it, to be kept private, or the public part alone.

    It is made once. Unzipped, the whole one is a release folder that `shoal verify` checks against the original, and
    beside it the hierarchies that the code which repeats the run names. Of CODIP it has a folder for each release.
    """
    folder, kept = release_of(run), private_folder(run.job.folder / "zips")
    target = kept / ("release-public.zip" if public else "release.zip")
    if target.is_file():
        return target
    with replacing(target) as beside, zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as packed:
        parts = [*folder.glob("public"), *sorted(folder.glob("*/public"))] if public else [folder]
        for path in (one for part in parts for one in sorted(part.rglob("*"))):
            packed.write(path, Path("release") / path.relative_to(folder))
        for column, path in {} if public else run.trees.items():
            packed.write(path, run.draft.trees[column])
    return target
