"""The command `register`: a release is recorded, and compared with those recorded before."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.options import Reading, reading_options
from shoal.cli.settings import names
from shoal.republication.earlier import register as record
from shoal.request import REGISTRY
from shoal.tables.table import read


@reading_options
def register(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A release folder.")],
    original: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The table it was made from: without it, who is in it is unknown."),
    ] = None,
    registry: Annotated[Path, typer.Option(metavar="DIR", help="Where releases are recorded.")] = Path(REGISTRY),
    person: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Columns that identify a person; else the identifiers, or quasi-identifiers."),
    ] = None,
    *,
    reading: Reading,
) -> None:
    """Record a release, and say what it gives away together with those recorded before. Exit code 1 if anything."""
    table = None if original is None else read(original, **reading)
    found = record(folder, table, registry=registry, person=names(person) or ())
    for one in found.overlaps:
        print(one)
    if table is None:
        print("who is in it is not known: later releases are checked as if everybody were")
    print(f"{registry}: {len(found.register.entries):,} releases are recorded")
    raise typer.Exit(0 if found.is_safe else 1)
