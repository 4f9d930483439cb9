"""The command `attack`: what somebody would get who has a release and knows things about the people in it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from shoal.attacks.run import Attacked
from shoal.attacks.run import attack as attack_release
from shoal.cli.options import Json, Reading, reading_options
from shoal.cli.settings import names
from shoal.cli.terminal import Grid, console
from shoal.tables.table import read

ABOVE = 4
"""The exit code where an attack is not shown to be within the threshold that was set."""


@reading_options
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
    fail_above: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SHARE",
            help="The largest risk that passes, for all attacks (0.05) or some (linkage=0.2,homogeneity=0).",
        ),
    ] = None,
    *,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Attack a release: how many people are hit in the original and in the release. Prints counts only.

    Exit code 4 if an attack is not shown to be within --fail-above. The risk of linkage is the highest chance of
    picking a person's record; that of the other attacks is the share of people hit.
    """
    table = None if original is None else read(original, **reading)
    limits = ",".join(fail_above) if fail_above else None
    found = attack_release(folder, table, other=other, attacks=names(only), fail_above=limits)
    print(found.to_json()) if as_json else show(found)
    raise typer.Exit(ABOVE if found.failures else 0)


def show(found: Attacked) -> None:
    """Print a row for every outcome, then what each means."""
    out = console()
    grid = Grid().headed("attack", "learns", "knows", overflow="fold")
    grid.headed("hit before", "hit after", "verdict", justify="right", no_wrap=True)
    for one in found.outcomes:
        before = "-" if one.before is None else f"{one.before:,}"
        learns = one.attribute or ("a finer cell" if one.attack == "downcoding" else "who it is")
        grid.add_row(one.attack, Text(learns), Text(one.knows), before, f"{one.after:,}", one.standing)
    out.print(grid)
    for one in found.outcomes:
        out.print(Text.assemble("\n", (f"{one.name}: {one.standing}", "bold"), "\n", one.verdict))
    for missed in found.untried:
        why = "Left out" if missed.applies else "Not applicable"
        out.print(Text.assemble("\n", (f"{missed.name}: not tried", "bold"), "\n", f"{why}: {missed.reason}."))
    if found.passed is not None:
        within = dict.fromkeys(one.name for one in found.outcomes if found.limits.of(one.attack) and one.passed)
        for word, listed in {"Not within": found.failures, "Within": within}.items():
            out.print(Text(f"\n{word} --fail-above: {'; '.join(listed) or 'none'}.", "bold"))
