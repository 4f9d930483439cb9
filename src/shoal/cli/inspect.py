"""The command `inspect`: what a table holds, which roles its columns should have, what singles people out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.cells import cell_len, set_cell_size
from rich.text import Text

from shoal.cli.options import Json, Reading, TableFile, reading_options
from shoal.cli.terminal import console
from shoal.config import seen_from
from shoal.core.errors import ReleaseError, cannot_write
from shoal.core.number_format import counted, percent
from shoal.inspection import Column, Inspection, SinglingSet, Step
from shoal.inspection import inspect as inspect_table
from shoal.inspection.ranking import CROWD
from shoal.tables.table import read

STYLES = {"identifier": "bold red", "quasi": "yellow", "sensitive": "magenta", "open": "bold cyan"}
PLAIN = "dim"
"""The style of the other roles."""
NAME = 26
"""Signs of a column's name that are shown, at most."""
ALL = 0.999
"""Share of unique rows from which on a further column adds nothing to see."""


@reading_options
def inspect(
    file: TableFile,
    toml: Annotated[
        Path | None, typer.Option("--toml", metavar="FILE", help="Write a suggested shoal.toml; never overwrites.")
    ] = None,
    household: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The number of the household; found by its name if not given.")
    ] = None,
    *,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Propose a role for every column, with reasons, and find what singles people out. Shows no cell of the table."""
    if toml is not None:
        _refuse_existing(toml)
    found = inspect_table(read(file, **reading), household=household)
    if toml is not None:
        _write(toml, found.to_toml(seen_from(toml, file), **reading))
    if as_json:
        print(found.to_json())
    else:
        show(found)
        if toml is not None:
            _out(f"{toml}: read it, change it, then run shoal anonymize --config with it")


def show(found: Inspection) -> None:
    """Print a line a column, what each quasi-identifier adds, and the sets that single people out."""
    width = show_columns(found)
    _ranking(found, width)
    _singling(found)
    if found.levels:
        _out("levels that --recoding generalize publishes where no hierarchy is given:")
    for name, levels in found.levels.items():
        _out(f"  {_cut(name, width)}  {levels}")
    for name, codes in found.missing.items():
        said = ",".join(codes)
        _out(f"{name}: {', '.join(codes)} may stand for missing values; if so, add --missing '{name}={said}'")
    for note in (*found.singling.notes, *found.notes):
        _out(note)


def show_columns(found: Inspection) -> int:
    """Print a line a column, with its role and why; return the places that a name takes."""
    _out(f"{counted(found.rows, 'row')}, {counted(len(found.columns), 'column')}")
    width = min(max(len("column"), *(len(column.name) for column in found.columns)), NAME)
    _out(f"{'column':<{width}}  {'role':<10}  {'distinct':>9}  why")
    for column in found.columns:
        console().print(_line(column, width), no_wrap=True, overflow="ellipsis")
    return width


def _line(column: Column, width: int) -> Text:
    """Return one line: name, role, distinct values, and the reason without what it means."""
    why = column.reason.partition(", which ")[0].removeprefix("the name says nothing; ")
    role = (f"{column.role:<10}", STYLES.get(column.role, PLAIN))
    return Text.assemble(_cut(column.name, width), "  ", role, f"  {column.distinct:>9,}  {why}")


def _cut(name: str, width: int) -> str:
    """Return a name as it takes so many places of the terminal."""
    name = _harmless(name)
    return set_cell_size(name, width) if cell_len(name) <= width else set_cell_size(name, width - 1) + "…"


def _harmless(name: str) -> str:
    """Return a name without signs that a terminal would obey, such as colours or writing from right to left."""
    return name if name.isprintable() else repr(name)


def _ranking(found: Inspection, width: int) -> None:
    """Say what each quasi-identifier adds to those before it, and what the open columns would add."""
    for role, title in (
        ("quasi", "quasi-identifiers, the worst first, each added to those above:"),
        ("open", "left to your judgement; as quasi-identifiers they would add:"),
    ):
        steps = [step for step in found.ranking if step.column in found.named(role)]
        if steps:
            _out(title)
            _steps(steps, width)


def _steps(steps: Sequence[Step], width: int) -> None:
    """Print the shares after each step, until nearly all rows are unique."""
    ends = next((place for place, step in enumerate(steps, 1) if step.unique >= ALL), len(steps))
    for step in steps[:ends]:
        shares = f"{percent(step.unique):>7} unique  {percent(step.below):>7} in groups below {CROWD}"
        _out(f"  {_cut(step.column, width)}  {shares}")
    if ends < len(steps):
        _out(f"  nearly all rows are unique already; then {', '.join(_harmless(step.column) for step in steps[ends:])}")


def _singling(found: Inspection) -> None:
    """Print the best set of each size, and how many rows all together single out."""
    singling = found.singling
    for size in (1, 2, 3):
        for one in singling.of_size(size)[:1]:
            _out(_set(one))
    if singling.smallest is not None:
        _out(f"smallest set that singles out half of the rows: {_set(singling.smallest)}")
    elif singling.together is not None:
        _out("no set of up to three quasi-identifiers singles out half of the rows")
    if singling.together is not None:
        _out(f"all {len(singling.together.columns)} together: {percent(singling.together.share)} of the rows")


def _set(one: SinglingSet) -> str:
    return f"{percent(one.share):>6} of the rows are unique in {', '.join(one.columns)}"


def _out(line: str) -> None:
    console().print(line)


def _refuse_existing(path: Path) -> None:
    if path.exists():
        raise ReleaseError(f"{str(path)!r} exists already", hint="name another file")


def _write(path: Path, content: str) -> None:
    """Write a file that is not there yet."""
    try:
        with path.open("x", encoding="utf-8") as handle:
            handle.write(content)
    except OSError as error:
        raise cannot_write(path, error) from error
