"""The command `codip`: one release for each group of related sensitive attributes, and what they give away joined."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli.options import Json, request_options
from shoal.cli.progress import meter
from shoal.cli.settings import settings, table_file
from shoal.cli.terminal import Grid, console
from shoal.core import memory
from shoal.release.release import check_new
from shoal.republication.codip import Projections, project
from shoal.request import Request
from shoal.tables.table import read


@request_options("codip")
def codip(
    given: dict[str, Any],
    largest: Annotated[int, typer.Option(help="Most sensitive columns in one release.")] = 1,
    as_json: Json = False,
) -> None:
    """Publish groups of related sensitive columns, each group in a separate release.

    Reports what an attacker learns by joining all of them.
    """
    asked = settings("codip", given, needed={"folder": "-o DIR", "sensitive": "--sensitive"})
    path, reading = table_file(asked)
    folder, kind = asked.pop("folder"), asked.pop("format", None)
    check_new(Path(folder))
    limit = memory.MemoryLimit.of(asked.pop("memory_limit", None))
    with memory.within(limit):
        with meter() as progress:
            progress(0.0, "reading")
            found = project(read(path, **reading), Request(**asked), largest, progress, limit=limit)
        found.save(folder, format=kind)
    print(found.to_json()) if as_json else _show(found, folder)


def _show(found: Projections, folder: str) -> None:
    """Print the releases, and what they give away joined."""
    out, rows = console(), found.rows()
    grid = Grid(pad_edge=False).headed(*rows[0], no_wrap=True)
    for row in rows:
        grid.add_row(*row.values())
    out.print(grid)
    out.print(f"joined: {found.joined.classes:,} classes, the smallest of {found.joined.smallest_class:,} rows")
    for finding in found.joined.findings:
        kept = "kept" if finding.holds else "NOT met by the releases joined"
        out.print(
            f"joined: {finding.model} {kept}: {finding.reached}",
            style=None if finding.holds else "yellow",
        )
    out.print(f"{folder}: in each folder public/ is safe to share; keep internal/ private")
