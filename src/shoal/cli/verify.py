"""The command `verify`: a release is checked again, from its files."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import show
from shoal.cli.options import Json, Population, Reading, reading_options
from shoal.release.verification import verify as verify_folder
from shoal.tables.table import read


@reading_options
def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A release folder.")],
    original: Annotated[Path | None, typer.Option(help="The original table, to check coverage row by row.")] = None,
    population: Population = None,
    *,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Re-check a release. Exit code 0 if everything holds, 1 if anything fails."""
    table = None if original is None else read(original, **reading)
    found = verify_folder(folder, original=table, population=population)
    if as_json:
        print(json.dumps({"passed": found.passed, **asdict(found)}, indent=2))
    else:
        show.verification(found)
    raise typer.Exit(0 if found.passed else 1)
