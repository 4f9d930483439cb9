"""The command `hierarchy check`: whether a hierarchy file fits a column."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from shoal.cli.hierarchy.binding import counts_of, read_column
from shoal.cli.hierarchy.options import Column
from shoal.cli.options import Json, Reading, reading_options
from shoal.cli.terminal import console, print_json
from shoal.core.number_format import counted
from shoal.hierarchies.files import Fit, check_file, is_tree


@reading_options
def check(
    file: Annotated[Path, typer.Argument(metavar="HIERARCHY", help="A hierarchy file: .csv or .json.")],
    table: Annotated[Path, typer.Option(metavar="FILE", help="The table it is meant for.")],
    column: Column,
    *,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Check a hierarchy file against a column. Exit code 0 if it fits, 1 if not; no value is ever printed."""
    is_tree(file)
    coded = read_column(table, column, reading)
    found = check_file(file, coded.values, counts_of(coded))
    print_json({"passed": found.passed} | asdict(found)) if as_json else _say_fit(found)
    raise typer.Exit(0 if found.passed else 1)


def _say_fit(found: Fit) -> None:
    out = console()
    for verdict in found.checks:
        mark = Text("ok  ", style="green") if verdict.passed else Text("FAIL", style="bold red")
        out.print(mark, Text(verdict.what + (f": {verdict.detail}" if verdict.detail else "")))
    share = f"{found.covered_values:,} of {found.values:,} values, {found.covered_rows:,} of {found.rows:,} rows"
    out.print(f"  -  covered: {share}")
    out.print(f"  -  not in the column: {found.unused_leaves:,} of {counted(found.leaves, 'leaf', 'leaves')}")
    out.print(Text("fits", style="bold green") if found.passed else Text("does not fit", style="bold red"))
