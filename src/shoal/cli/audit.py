"""The command `audit`: what a table gives, released by anyone, measured from its own cells."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import show
from shoal.cli.options import Hierarchies, Json, Missing, Order, Population, Reading, Unify, reading_options
from shoal.cli.settings import names, orders, pairs
from shoal.core.errors import ParameterError, cannot_write
from shoal.inspection.warned_audit import audit as audit_table
from shoal.release.release_reader import Opened
from shoal.tables.table import read


@reading_options
def audit(
    file: Annotated[Path, typer.Argument(help="Any table, released by anyone; or a release folder.")],
    quasi: Annotated[list[str] | None, typer.Option(metavar="A,B,C", help="Columns an attacker may know.")] = None,
    sensitive: Annotated[list[str] | None, typer.Option(metavar="A,B", help="Columns nobody must learn.")] = None,
    require: Annotated[str | None, typer.Option(help="Models to check; without it, every level is measured.")] = None,
    hierarchy: Hierarchies = None,
    unify: Unify = None,
    order: Order = None,
    missing: Missing = None,
    population: Population = None,
    wildcard: Annotated[
        str | None, typer.Option(help="Also count with cells that match anything: star, missing or both.")
    ] = None,
    withheld: Annotated[
        bool, typer.Option("--withheld", help="Rows of stars with missing sensitive cells show no sensitive value.")
    ] = False,
    violations: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the numbers of the rows whose class fails, from 1.")
    ] = None,
    sensitive_table: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The second of two tables: group, sensitive values, count.")
    ] = None,
    group: Annotated[str | None, typer.Option(metavar="COLUMN", help="The groups in both tables.")] = None,
    count: Annotated[str | None, typer.Option(metavar="COLUMN", help="The counts in the second table.")] = None,
    person: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Columns that identify the person of a row: people are counted, not rows."),
    ] = None,
    record_weight: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of sampling weights, for the individual risk.")
    ] = None,
    household: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column with the household number, for the risk of households.")
    ] = None,
    sample_fraction: Annotated[
        str | None, typer.Option(metavar="SHARE", help="Share of the population that is in the table.")
    ] = None,
    population_size: Annotated[int | None, typer.Option(metavar="N", help="Or how many people it has.")] = None,
    threshold: Annotated[
        list[str] | None,
        typer.Option(metavar="RISK", help="Another risk threshold, in addition to 0.2, 0.09 and 0.05."),
    ] = None,
    minimal_uniques: Annotated[
        int | None, typer.Option(metavar="N", help="Minimal sample uniques of up to N columns; 4, if that is quick.")
    ] = None,
    interaction: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B", help="Columns that the log-linear model takes as dependent; 'pairs' for every two."
        ),
    ] = None,
    *,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Measure a table from its own cells: models and risk. Exit code 1 if a required model fails.

    For a release folder, tables, roles, names and requirement are those of the release unless given.
    """
    asked = {
        "quasi": names(quasi),
        "sensitive": names(sensitive),
        "require": require,
        "hierarchies": pairs(hierarchy, "--hierarchy"),
        "unify": names(unify),
        "order": orders(order),
        "missing": orders(missing, "--missing"),
        "population": population,
        "wildcard": wildcard,
        "withheld": withheld or None,
        "group": group,
        "count": count,
        "person": names(person),
        "record_weight": record_weight,
        "household": household,
        "sample_fraction": sample_fraction,
        "population_size": population_size,
        "threshold": threshold,
        "minimal_uniques": minimal_uniques,
        "interactions": interaction,
    }
    published = _tables(file, sensitive_table, population, reading)
    published |= {name: given for name, given in asked.items() if given is not None}
    if not published.get("quasi"):
        raise ParameterError(
            "--quasi is not given", hint="name the quasi-identifiers, or give a release folder, which states them"
        )
    if violations is not None and violations.resolve() in {one.resolve() for one in (file, sensitive_table) if one}:
        raise ParameterError(f"--violations {str(violations)!r} is the table itself", hint="name another file")
    found = audit_table(**published)
    if violations is not None:
        _write_numbers(violations, (found.violations + 1).tolist())
    print(found.to_json()) if as_json else show.audit(found)
    raise typer.Exit(1 if found.asked and not found.holds else 0)


def _tables(
    file: Path, sensitive_table: Path | None, population: Path | None, reading: Mapping[str, str | None]
) -> dict[str, Any]:
    """Return what is audited: a file, two that belong together, or all that a release folder says of itself."""
    if not file.is_dir():
        second = None if sensitive_table is None else read(sensitive_table, **reading)
        return {"table": read(file, **reading), "sensitive_table": second}
    wrong = [name for name, given in {**reading, "sensitive-table": sensitive_table}.items() if given is not None]
    if wrong:
        raise ParameterError(
            f"--{wrong[0]} is given with a release folder", hint="leave it out: the release states how it is read"
        )
    return Opened.of(file, population).asked


def _write_numbers(path: Path, numbers: list[int]) -> None:
    """Write row numbers, one a line, under a heading."""
    try:
        path.write_text("row\n" + "".join(f"{number}\n" for number in numbers), encoding="utf-8")
    except OSError as error:
        raise cannot_write(path, error) from error
