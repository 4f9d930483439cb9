"""The command `demo`: the whole flow on a synthetic census, leaving everything behind to look at."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.text import Text

from shoal.cli import show
from shoal.cli.progress import meter
from shoal.cli.terminal import Grid, console
from shoal.core.errors import ReleaseError
from shoal.pipeline import anonymize
from shoal.release.release import check_target
from shoal.release.verification import verify
from shoal.studies.first_compilation import PROOFS, compile_beside
from shoal.studies.synth import QUASI, SENSITIVE, write_census
from shoal.tables.table import read

REQUIRE = "k=5 l(occupation)=3 t(income)=0.3"


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Where to leave the files.")] = Path(
        "shoal-demo"
    ),
    rows: Annotated[int, typer.Option(help="How many people.")] = 10_000,
) -> None:
    """Make a census, anonymize it with k, l and t together, verify it, and show what came out."""
    out = console()
    source = output / "census.csv"
    if source.exists() and not (output / "release").exists():
        raise ReleaseError(f"{str(source)!r} exists already and is not a demonstration", hint="name another folder")
    check_target(output / "release", overwrite=True)
    if sys.stderr.isatty():
        compile_beside(PROOFS)
    output.mkdir(parents=True, exist_ok=True)
    out.rule(Text("1. a table about people", style="bold"))
    write_census(source, rows, seed=0)
    table = read(source)
    out.print(
        f"{source}: {rows:,} people; an attacker may know {', '.join(QUASI)};"
        f" nobody must learn {' or '.join(SENSITIVE)}"
    )
    alone = table.frame.group_by(QUASI).len().filter(pl.col("len") == 1).height
    out.print(
        f"{alone:,} of them are the only person with their {len(QUASI)} quasi-identifiers:"
        " anyone who knows those finds them\n"
    )
    out.rule(Text(f"2. anonymize: {REQUIRE}", style="bold"))
    with meter() as progress:
        release = anonymize(
            table,
            quasi=QUASI,
            sensitive=SENSITIVE,
            require=REQUIRE,
            progress=progress,
        )
    target = release.save(output / "release", overwrite=True)
    show.certificate(release.certificate, release.config, {"time": show.time_taken(release.seconds)})
    out.print()
    _before_and_after(table.frame, release.table)
    out.rule(Text("3. verify, independently of the method", style="bold"))
    found = verify(target, original=table)
    show.verification(found)
    out.print(f"\nThe release is in {target}: public/ is safe to share; keep internal/ private.")
    raise typer.Exit(0 if found.passed else 1)


def _before_and_after(before: pl.DataFrame, after: pl.DataFrame) -> None:
    """Show two people before and after, an attribute a line."""
    grid = Grid().headed("", "one person", "published as", "another", "published as")
    for name in after.columns:
        cells = [(str(before[name][row]), str(after[name][row])) for row in range(2)]
        grid.add_row(name, *(text for pair in cells for text in pair))
    console().print(grid)
