"""Options that several commands share, worded once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON on standard output, and nothing else there.")]
Separator = Annotated[str | None, typer.Option(help="CSV separator; guessed if not given.")]
Encoding = Annotated[str | None, typer.Option(help="CSV encoding; guessed if not given.")]
Decimal = Annotated[str | None, typer.Option(help="CSV decimal sign, . or , ; guessed if not given.")]
TableFile = Annotated[Path, typer.Argument(help="The table: CSV, csv.gz, Parquet or Arrow.")]
Hierarchies = Annotated[
    list[str] | None,
    typer.Option("--hierarchy", metavar="COLUMN=FILE", help="A hierarchy file, or words: age=intervals:width=5,10"),
]
Population = Annotated[Path | None, typer.Option(metavar="FILE", help="The population's table, for kmap and presence.")]
