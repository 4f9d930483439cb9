"""The command `inspect`: what a table holds, which roles its columns should have, what singles people out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.options import Decimal, Encoding, Json, Separator, TableFile
from shoal.core.errors import ReleaseError
from shoal.core.number_format import percent
from shoal.core.on_demand import import_deferred

if TYPE_CHECKING:
    from rich.text import Text

    from shoal.cli.terminal import Grid, console
    from shoal.inspection import Inspection, SinglingSet
    from shoal.inspection import inspect as inspect_table
    from shoal.tables.table import read


STYLES = {"identifier": "bold red", "quasi": "yellow", "sensitive": "magenta", "other": "dim"}


def inspect(
    file: TableFile,
    toml: Annotated[
        Path | None, typer.Option("--toml", metavar="FILE", help="Write a suggested shoal.toml; never overwrites.")
    ] = None,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
) -> None:
    """Propose a role for every column, with reasons, and find what singles people out. Shows no cell of the table."""
    import_deferred(__name__)
    if toml is not None:
        _refuse_existing(toml)
    found = inspect_table(read(file, separator=separator, encoding=encoding, decimal=decimal))
    if toml is not None:
        _write(toml, found.to_toml(_seen_from(toml, file), separator=separator, encoding=encoding, decimal=decimal))
    if as_json:
        print(found.to_json())
    else:
        show(found)
        if toml is not None:
            _out(f"{toml}: read it, change it, then run shoal anonymize --config with it")


def show(found: Inspection) -> None:
    """Print the columns, then the sets."""
    _out(f"{found.rows:,} rows, {len(found.columns):,} columns")
    console().print(_columns(found))
    singling = found.singling
    for size in (1, 2, 3):
        for one in singling.of_size(size):
            _out(_set(one))
    if singling.smallest is not None:
        _out(f"smallest set that singles out half of the rows: {_set(singling.smallest)}")
    elif singling.together is not None:
        _out("no set of up to three quasi-identifiers singles out half of the rows")
    if singling.together is not None:
        _out(f"all {len(singling.together.columns)} together: {percent(singling.together.share)} of the rows")
    for note in (*singling.notes, *found.notes):
        _out(note)


def _columns(found: Inspection) -> Grid:
    grid = Grid().headed("column", "type", overflow="fold")
    grid.headed("distinct", "missing", "unique", justify="right", no_wrap=True).headed("role", "why", overflow="fold")
    for column in found.columns:
        grid.add_row(
            Text(column.name),
            column.type,
            f"{column.distinct:,}",
            percent(column.missing),
            percent(column.unique),
            Text(column.role, style=STYLES[column.role]),
            Text(column.reason),
        )
    return grid


def _set(one: SinglingSet) -> str:
    return f"{percent(one.share):>6} of the rows are unique in {', '.join(one.columns)}"


def _out(line: str) -> None:
    console().print(line)


def _seen_from(toml: Path, file: Path) -> str:
    """Return the table's path relative to the configuration, as a configuration names files."""
    try:
        return Path(os.path.relpath(file.resolve(), toml.resolve().parent)).as_posix()
    except ValueError:  # on another drive
        return str(file.resolve())


def _refuse_existing(path: Path) -> None:
    if path.exists():
        raise ReleaseError(f"{str(path)!r} exists already", hint="name another file")


def _write(path: Path, content: str) -> None:
    """Write a file that is not there yet."""
    try:
        with path.open("x", encoding="utf-8") as handle:
            handle.write(content)
    except OSError as error:
        raise ReleaseError(f"cannot write {str(path)!r}: {error.strerror}") from error
