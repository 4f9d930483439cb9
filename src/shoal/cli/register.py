"""The command `register`: a release is recorded, and compared with those recorded before."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.options import Json, Reading, reading_options
from shoal.cli.settings import names
from shoal.cli.terminal import print_json
from shoal.republication.earlier import Registered
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
    as_json: Json = False,
) -> None:
    """Record a release, and say what it reveals together with earlier ones. Exit code 1 if anything."""
    table = None if original is None else read(original, **reading)
    found = record(folder, table, registry=registry, person=names(person) or ())
    if as_json:
        overlaps = [{**asdict(one), "is_safe": one.is_safe} for one in found.overlaps]
        print_json({"safe": found.is_safe, "recorded": len(found.register.entries), "overlaps": overlaps})
    else:
        _show(found, registry, people_known=table is not None)
    raise typer.Exit(0 if found.is_safe else 1)


def _show(found: Registered, registry: Path, *, people_known: bool) -> None:
    """Print what the release gives away together with each earlier one, and how many are recorded."""
    for one in found.overlaps:
        print(one)
    if not people_known:
        print("who is in it is not known: later releases are checked as if everybody were")
    print(f"{registry}: {len(found.register.entries):,} releases are recorded")
