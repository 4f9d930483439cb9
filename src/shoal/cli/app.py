"""The commands. Each reads its options, calls one library function, and shows the result."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli.attack_release import attack
from shoal.cli.codip import codip
from shoal.cli.compare_methods import compare
from shoal.cli.frontier_table import frontier
from shoal.cli.hard import hard
from shoal.cli.hierarchy import hierarchy as hierarchy_commands
from shoal.cli.inspect_table import inspect
from shoal.cli.options import Decimal, Encoding, Hierarchies, Json, Order, Population, Separator, Unify, request_options
from shoal.cli.register_release import register
from shoal.cli.report_release import made_report
from shoal.cli.report_release import report as report_command
from shoal.cli.serve import serve
from shoal.cli.settings import names, orders, pairs, settings, table_file, tables
from shoal.cli.utility import utility

app = typer.Typer(
    name="shoal",
    help="Publish a table about people: every record hides in a crowd, and the release proves it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.command()
@request_options("anonymize")
def anonymize(given: dict[str, Any], as_json: Json = False) -> None:
    """Turn a table into a verified release."""
    from shoal.core import memory

    if given["memory_limit"] is not None:
        memory.lean()  # before polars is loaded
    from shoal.cli import show
    from shoal.cli.interrupt import best_so_far
    from shoal.cli.progress import meter
    from shoal.cli.register_release import Earlier
    from shoal.cli.spark import Spark
    from shoal.core.errors import Unsupported
    from shoal.request import Request
    from shoal.tables.table import read, read_by_disk

    asked = settings("anonymize", given, needed={"folder": "-o DIR"})
    path, reading = table_file(asked)
    folder = asked.pop("folder")
    limit = memory.MemoryLimit.of(asked.pop("memory_limit", None))
    on_spark = Spark.asked(asked)
    wanted = asked.pop("report", False)
    saving = {"format": asked.pop("format", on_spark.format), "overwrite": bool(asked.pop("overwrite", False))}
    _refuse_early(Path(folder), saving["format"], saving["overwrite"], on_spark.formats)
    earlier = Earlier.asked(asked.pop("registry", None), asked.pop("overlap", None), asked.pop("follows", None))
    request = Request(**asked)
    if on_spark.wanted and limit is not None:
        raise Unsupported("--memory-limit with --engine spark", hint="tell Spark how much memory it has")
    if on_spark.wanted:
        with meter() as progress:
            on_spark.run(path, reading, request, folder, saving, progress)
        show.saved(folder, as_json=as_json)
        return
    with memory.within(limit):
        with meter() as progress, best_so_far() as stop:
            progress(0.0, "reading")
            table = (read if limit is None else read_by_disk)(path, **reading)
            release = earlier.run(table, request, progress, stop, limit)
        if stop.is_set() and not typer.confirm("Keep the best release found so far?", default=False, err=True):
            raise KeyboardInterrupt
        for note in release.source.spelling:
            print(f"shoal: {note}", file=sys.stderr)
        earlier.allow(release, table)
        pages = made_report(release, table, Path(path).name) if wanted else None
        release.save(folder, report=pages, **saving)
    earlier.record(folder, table)
    show.saved(folder, as_json=as_json, seconds=release.seconds, limit=request.start_and_limit()[1])


@app.command()
def audit(
    file: Annotated[Path, typer.Argument(help="Any table, released by anyone; or a release folder.")],
    quasi: Annotated[list[str] | None, typer.Option(metavar="A,B,C", help="Columns an attacker may know.")] = None,
    sensitive: Annotated[list[str] | None, typer.Option(metavar="A,B", help="Columns nobody must learn.")] = None,
    require: Annotated[str | None, typer.Option(help="Models to check; without it, every level is measured.")] = None,
    hierarchy: Hierarchies = None,
    unify: Unify = None,
    order: Order = None,
    population: Population = None,
    wildcard: Annotated[
        str | None, typer.Option(help="Also count with cells that match anything: star, missing or both.")
    ] = None,
    violations: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the numbers of the rows whose class fails, from 1.")
    ] = None,
    sensitive_table: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The second of two tables: group, sensitive values, count.")
    ] = None,
    group: Annotated[str | None, typer.Option(metavar="COLUMN", help="The groups in both tables.")] = None,
    count: Annotated[str | None, typer.Option(metavar="COLUMN", help="The counts in the second table.")] = None,
    record_weight: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="How many people each row stands for: for the individual risk.")
    ] = None,
    sample_fraction: Annotated[
        str | None, typer.Option(metavar="SHARE", help="Share of the population that is in the table.")
    ] = None,
    population_size: Annotated[int | None, typer.Option(metavar="N", help="Or how many people it has.")] = None,
    threshold: Annotated[
        list[str] | None, typer.Option(metavar="RISK", help="A risk that is too high, besides 0.2, 0.09 and 0.05.")
    ] = None,
    minimal_uniques: Annotated[
        int | None, typer.Option(metavar="N", help="Minimal sample uniques of up to N columns; 4, if that is quick.")
    ] = None,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
) -> None:
    """Measure a table from its own cells: models and risk. Exit code 1 if a required model fails.

    Of a release folder, tables, roles, names and requirement are those of the release, where no others are given.
    """
    from shoal.checking.audit import audit as audit_table
    from shoal.cli import show
    from shoal.core.errors import ParameterError

    asked = {
        "quasi": names(quasi),
        "sensitive": names(sensitive),
        "require": require,
        "hierarchies": pairs(hierarchy, "--hierarchy"),
        "unify": names(unify),
        "order": orders(order),
        "population": population,
        "wildcard": wildcard,
        "group": group,
        "count": count,
        "record_weight": record_weight,
        "sample_fraction": sample_fraction,
        "population_size": population_size,
        "threshold": threshold,
        "minimal_uniques": minimal_uniques,
    }
    reading = {"separator": separator, "encoding": encoding, "decimal": decimal}
    published = tables(file, sensitive_table, population, reading)
    published |= {name: given for name, given in asked.items() if given is not None}
    if not published.get("quasi"):
        raise ParameterError("--quasi is not given", hint="give it, or a release folder, which names its own")
    if violations is not None and violations.resolve() in {one.resolve() for one in (file, sensitive_table) if one}:
        raise ParameterError(f"--violations {str(violations)!r} is the table itself", hint="name another file")
    found = audit_table(**published)
    if violations is not None:
        _write_numbers(violations, (found.violations + 1).tolist())
    print(found.to_json()) if as_json else show.audit(found)
    raise typer.Exit(0 if found.holds else 1)


@app.command()
def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A release folder.")],
    original: Annotated[Path | None, typer.Option(help="The original table, to check coverage row by row.")] = None,
    population: Population = None,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
) -> None:
    """Re-check a release. Exit code 0 if everything holds, 1 if anything fails."""
    from dataclasses import asdict

    from shoal.cli import show
    from shoal.release.verification import verify as verify_folder
    from shoal.tables.table import read

    table = None if original is None else read(original, separator=separator, encoding=encoding, decimal=decimal)
    found = verify_folder(folder, original=table, population=population)
    if as_json:
        print(json.dumps({"passed": found.passed, **asdict(found)}, indent=2))
    else:
        show.verification(found)
    raise typer.Exit(0 if found.passed else 1)


@app.command()
def methods(as_json: Json = False) -> None:
    """List the methods: guarantee, running time, paper, models."""
    from shoal.cli import show
    from shoal.studies.reference import method_rows

    print(json.dumps(method_rows(), indent=2, ensure_ascii=False)) if as_json else show.rows(method_rows())


@app.command()
def models(as_json: Json = False) -> None:
    """List the privacy models and how they are written in --require."""
    from shoal.cli import show
    from shoal.studies.reference import model_rows

    print(json.dumps(model_rows(), indent=2, ensure_ascii=False)) if as_json else show.rows(model_rows())


@app.command()
def costs(as_json: Json = False) -> None:
    """List the costs that can be kept small."""
    from shoal.cli import show
    from shoal.studies.reference import cost_rows

    print(json.dumps(cost_rows(), indent=2, ensure_ascii=False)) if as_json else show.rows(cost_rows())


app.command()(attack)
app.command()(codip)
app.command()(compare)
app.command()(frontier)
app.command()(inspect)
app.command()(register)
app.command("report")(report_command)
app.command()(hard)
app.command()(serve)
app.command()(utility)
app.add_typer(hierarchy_commands, name="hierarchy")

synth = typer.Typer(help="Make synthetic tables.", no_args_is_help=True)
app.add_typer(synth, name="synth")


@synth.command()
def census(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="CSV, Parquet or Arrow.")],
    rows: Annotated[int, typer.Option(help="How many people.")] = 10_000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same people.")] = 0,
) -> None:
    """A census-like table: 7 quasi-identifiers, sensitive income and occupation, correlated and skewed.

    Its hierarchies are written beside it, into FILE's name with _hierarchies at the end, a CSV file a column.
    """
    from shoal.studies.synth import write_census

    folder = write_census(output, rows, seed)
    print(f"{output}: {rows:,} people; hierarchies in {folder}", file=sys.stderr)


@app.command()
def demo(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Where to leave the files.")] = Path(
        "shoal-demo"
    ),
    rows: Annotated[int, typer.Option(help="How many people.")] = 10_000,
) -> None:
    """Make a census, anonymize it with k, l and t together, verify it, and show what came out."""
    from shoal.cli.demo import run_demo

    raise typer.Exit(run_demo(output, rows))


def _version(wanted: bool) -> None:
    if wanted:
        import shoal

        print(f"shoal {shoal.__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Publish a table about people: every record hides in a crowd, and the release proves it."""


def _write_numbers(path: Path, numbers: list[int]) -> None:
    """Write row numbers, one a line, under a heading."""
    from shoal.core.errors import ReleaseError

    try:
        path.write_text("row\n" + "".join(f"{number}\n" for number in numbers), encoding="utf-8")
    except OSError as error:
        raise ReleaseError(f"cannot write {str(path)!r}: {error.strerror}") from error


def _refuse_early(folder: Path, format: str, overwrite: bool, formats: tuple[str, ...]) -> None:
    """Refuse an unknown format or an existing folder before any work is done."""
    from shoal.core.errors import ParameterError
    from shoal.release.release import check_target

    if format not in formats:
        raise ParameterError(f"unknown format {format!r}", expected=" or ".join(formats))
    check_target(folder, overwrite=overwrite)
