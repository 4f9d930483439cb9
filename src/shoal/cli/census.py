"""The command `synth census`: a synthetic table to try things on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.options import Json, to_table
from shoal.cli.terminal import print_json
from shoal.studies.synth import write_census


def census(
    output: Annotated[Path, to_table],
    rows: Annotated[int, typer.Option(help="How many people.")] = 10_000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same people.")] = 0,
    as_json: Json = False,
) -> None:
    """A census-like table: 7 quasi-identifiers, sensitive income and occupation, correlated and skewed.

    Its hierarchies are written next to it, in a folder named after FILE with _hierarchies at the end, one CSV file
    per column.
    """
    folder = write_census(output, rows, seed)
    if as_json:
        print_json({"table": str(output), "rows": rows, "hierarchies": str(folder)})
    else:
        print(f"{output}: {rows:,} people; hierarchies in {folder}", file=sys.stderr)
