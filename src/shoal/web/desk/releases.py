"""The release of a run: its published rows, side by side with the original's if that is asked for, and as a zip."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import polars as pl

from shoal.core.atomic_files import replacing
from shoal.core.errors import ReleaseError, TableError
from shoal.release.release_reader import Opened
from shoal.tables.table import TABLE
from shoal.web.desk.atomic_files import private_folder
from shoal.web.desk.draft_table import table
from shoal.web.desk.queries import ROWS, Grid, grid
from shoal.web.desk.runs import Run


def release_of(run: Run) -> Path:
    """Return the release folder of a run, or say that there is none."""
    folder = run.release
    if folder is None:
        raise ReleaseError("this run has no release", hint="wait until it is done, or run it again")
    return folder


@lru_cache(maxsize=16)
def published(run: Run, rows: int = ROWS, name: str = TABLE) -> Grid:
    """Return rows spread evenly over a published table; of two tables the other one is called `sensitive`."""
    tables = Opened.of(release_of(run), None).tables
    if name not in tables:
        raise ReleaseError(f"the release has no table {name!r}", expected=" or ".join(tables))
    return grid(tables[name][_spread(tables[name].height, rows)])


def _spread(height: int, rows: int) -> list[int]:
    """Return places spread evenly: published rows are sorted, and the first ones are often all stars."""
    return sorted({place * height // rows for place in range(rows)})


@lru_cache(maxsize=16)
def column_losses(run: Run) -> tuple[tuple[str, float], ...]:
    """Return what each quasi-identifier lost, most first, as the codebook of the release states it."""
    columns = Opened.of(release_of(run), None).codebook["columns"]
    lost = [(str(one["name"]), float(one["loss"])) for one in columns if "loss" in one]
    return tuple(sorted(lost, key=lambda one: -one[1]))


@dataclass(frozen=True)
class Beside:
    """Rows of the original, which are cells, and the published rows that stand for them."""

    before: Grid
    after: Grid


@lru_cache(maxsize=16)
def beside(run: Run, rows: int = ROWS) -> Beside:
    """Return rows spread evenly over the release next to the original's: an explicit preview, for the table's owner."""
    folder = release_of(run)
    opened, original = Opened.of(folder, None), table(run.draft).frame
    after, numbers = opened.table, pl.read_parquet(folder / "internal" / "rows.parquet")["row"]
    if (numbers >= original.height + opened.codebook.get("counterfeits", 0)).any():
        raise TableError("the file was changed since the run", hint="run it again")
    real = (numbers < original.height).arg_true()
    spread = real.gather(_spread(len(real), rows)).to_list()
    places = numbers.gather(spread).to_list()
    columns = [name for name in after.columns if name in original.columns]
    return Beside(grid(original[places].select(columns)), grid(after[spread].select(columns)))


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
