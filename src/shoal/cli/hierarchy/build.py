"""The command `hierarchy build`: a hierarchy on a column, written as a file."""

from __future__ import annotations

from typing import Annotated

import typer

from shoal.cli.hierarchy.binding import Bound, read_column, refuse_early
from shoal.cli.hierarchy.options import WORDS, Column, Output, Overwrite
from shoal.cli.options import Json, Reading, TableFile, reading_options


@reading_options
def build(
    file: TableFile,
    words: Annotated[str, typer.Argument(help=f"{WORDS}.")],
    column: Column,
    output: Output,
    overwrite: Overwrite = False,
    *,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Build a hierarchy on a column and write it, a row per value: value;level 1;...;*"""
    refuse_early(output, overwrite, file)
    Bound.to_column(words, read_column(file, column, reading)).write(output, as_json)
