"""The command `attack`: what somebody would get who has a release and knows things about the people in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.options import Decimal, Encoding, Json, Separator
from shoal.core.on_demand import import_deferred

if TYPE_CHECKING:
    from rich.text import Text

    from shoal.attacks.run import Attacked
    from shoal.attacks.run import attack as attack_release
    from shoal.cli.settings import names
    from shoal.cli.terminal import Grid, console
    from shoal.tables.table import read


def attack(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A release folder.")],
    original: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The table that the release was made from; only `derived` does without it."),
    ] = None,
    other: Annotated[
        Path | None, typer.Option("--with", metavar="DIR", help="A second release in which the same people may be.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(metavar="A,B", help="Attacks to run; all if not given.")] = None,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
) -> None:
    """Attack a release: how many people are hit, in the table as it is and in the release. Prints counts only."""
    import_deferred(__name__)
    table = None if original is None else read(original, separator=separator, encoding=encoding, decimal=decimal)
    found = attack_release(folder, table, other=other, attacks=names(only))
    print(found.to_json()) if as_json else show(found)


def show(found: Attacked) -> None:
    """Print a row for every outcome."""
    out = console()
    grid = Grid().headed("attack", "learns", "knows", overflow="fold")
    grid.headed("hit before", "hit after", "of", justify="right", no_wrap=True)
    for one in found.outcomes:
        before = "-" if one.before is None else f"{one.before:,}"
        learns = one.attribute or ("a finer cell" if one.attack == "downcoding" else "who it is")
        grid.add_row(one.attack, Text(learns), Text(one.knows), before, f"{one.after:,}", f"{one.of:,}")
    out.print(grid)
    if any(one.candidates == "own class" for one in found.outcomes if one.before is not None):
        out.print("candidates were counted in a person's own class only: there are at least as many", style="dim")
