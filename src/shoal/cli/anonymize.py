"""The command `anonymize`: a table becomes a release, in memory or in Spark."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer

from shoal.cli import show
from shoal.cli.interrupt import best_so_far
from shoal.cli.options import Json, request_options
from shoal.cli.progress import meter
from shoal.cli.settings import settings, table_file
from shoal.cli.spark import Spark
from shoal.core import memory
from shoal.core.errors import ParameterError, ShoalError, Unsupported
from shoal.release.release import Release, check_target
from shoal.republication.earlier import Earlier
from shoal.request import ABOUT, EARLIER, Request
from shoal.studies.first_compilation import PROOFS, compile_beside
from shoal.tables.databases import Address
from shoal.tables.table import Table, read, read_by_disk


@dataclass(frozen=True)
class Written:
    """A release that was written: its folder, and how long it took, beside the limit."""

    folder: Path
    seconds: Mapping[str, float] = field(default_factory=dict)
    limit: float | None = None


@request_options("anonymize")
def anonymize(given: dict[str, Any], as_json: Json = False) -> None:
    """Turn a table into a verified release."""
    if sys.stderr.isatty():
        compile_beside(PROOFS)
    made = publish(given)
    show.saved(made.folder, as_json=as_json, seconds=made.seconds, limit=made.limit)
    if not as_json:
        show.reports(made.folder)


def publish(given: Mapping[str, Any]) -> Written:
    """Make and write the release that flags, by setting, and the configuration among them ask for."""
    asked = settings("anonymize", given, needed={"folder": "-o DIR"})
    path, reading = table_file(asked)
    folder = asked.pop("folder")
    limit = memory.MemoryLimit.of(asked.pop("memory_limit", None))
    on_spark = Spark.asked(asked)
    about, wanted = _about_report(asked), asked.pop("report", False)
    saving = {"format": asked.pop("format", on_spark.format), "overwrite": bool(asked.pop("overwrite", False))}
    _refuse_early(Path(folder), saving["format"], saving["overwrite"], on_spark.formats)
    database = asked.pop("to", None)
    if database is not None:
        Address.of(database)  # what is no URL, or holds a password, is refused before any work
    earlier = Earlier.of(*(asked.pop(name, None) for name in EARLIER))
    request = Request(**asked)
    if on_spark.wanted and limit is not None:
        raise Unsupported(
            "--memory-limit cannot be used with --engine spark", hint="set the memory in the configuration of Spark"
        )
    if on_spark.wanted:
        with meter() as progress:
            on_spark.run(path, reading, request, folder, saving, progress)
        return Written(Path(folder))
    with memory.within(limit):
        with meter() as progress, best_so_far() as stop:
            progress(0.0, "reading")
            table = (read if limit is None else read_by_disk)(path, **reading)
            release = earlier.make(table, request, progress, stop, limit)
        if stop.is_set() and not typer.confirm("Keep the best release found so far?", default=False, err=True):
            raise KeyboardInterrupt
        for note in (*table.origin.told, *release.source.spelling, *release.advice):
            print(f"shoal: {note}", file=sys.stderr)
        release = earlier.compared(release, table)
        for overlap in release.overlaps:
            print(f"shoal: {overlap}", file=sys.stderr)
        pages = _report(release, table, Path(path).name, *about) if wanted else None
        release.save(folder, report=pages, **saving)
        if database is not None:
            release.to_database(database, overwrite=saving["overwrite"])
    earlier.record(folder, table)
    return Written(Path(folder), release.seconds, request.start_and_limit()[1])


def _about_report(asked: dict[str, Any]) -> list[str]:
    """Take what a report says of itself out of the settings; refuse it where no report is wanted."""
    given = [name for name in ABOUT if name in asked]
    if given and not asked.get("report"):
        raise ParameterError(f"{', '.join(given)} given without --report", hint="add --report, or leave it out")
    return [asked.pop(name, "") for name in ABOUT]


def _report(release: Release, table: Table, source: str, title: str, owner: str, purpose: str) -> Any:
    """Return the report of a release that is about to be written; where there is none, say why and go on."""
    from shoal.report import make  # loaded only where a report is asked for

    try:
        return make(release, table, source=source, title=title, owner=owner, purpose=purpose)
    except ShoalError as error:
        print(f"shoal: no report: {error}", file=sys.stderr)
        return None


def _refuse_early(folder: Path, format: str | None, overwrite: bool, formats: tuple[str, ...]) -> None:
    """Refuse an unknown format or an existing folder before any work is done."""
    if format is not None and format not in formats:
        raise ParameterError(f"unknown format {format!r}", expected=" or ".join(formats))
    check_target(folder, overwrite=overwrite)
