"""Flags that several commands for hierarchies have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

WORDS = "intervals:width=5,10 or prefixes or dates:month,year or stars or auto"
Spec = Annotated[str, typer.Argument(help=f"A hierarchy file, or words: {WORDS}.")]
MaybeTable = Annotated[
    Path | None, typer.Option("--table", metavar="FILE", help="The table; not needed for a hierarchy file.")
]
Column = Annotated[str, typer.Option(metavar="NAME", help="The column of the table.")]
MaybeColumn = Annotated[str | None, typer.Option(metavar="NAME", help="The column of the table.")]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="A .csv or .json file, or either .gz.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an existing file.")]
