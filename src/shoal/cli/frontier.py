"""The command `frontier`: what privacy costs, from one level of a model to the next."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from shoal.cli.interrupt import INTERRUPTED
from shoal.cli.options import Json, request_options
from shoal.cli.progress import meter
from shoal.cli.settings import names, settings, table_file
from shoal.cli.terminal import Grid, console
from shoal.core import memory
from shoal.core.errors import ParameterError
from shoal.core.number_format import percent
from shoal.core.plots import check_plot
from shoal.models.parameter_range import Vary
from shoal.request import Request
from shoal.studies.comparison import check_names
from shoal.studies.frontier import AUTO, Frontier, Point, trace
from shoal.tables.table import read


@request_options("frontier")
def frontier(
    given: dict[str, Any],
    vary: Annotated[
        str | None,
        typer.Option(metavar="MODEL=VALUES", help="k=2..50, l(illness)=2,3,5 or t(income)=0.1..0.5..0.1 (a step)."),
    ] = None,
    k: Annotated[str | None, typer.Option("--k", metavar="VALUES", help="Short for --vary k=VALUES.")] = None,
    l: Annotated[  # noqa: E741 - the model's name
        str | None, typer.Option("--l", metavar="COLUMN=VALUES", help="Short for --vary l(COLUMN)=VALUES.")
    ] = None,
    t: Annotated[
        str | None, typer.Option("--t", metavar="COLUMN=VALUES", help="Short for --vary t(COLUMN)=VALUES.")
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B,C", help="Methods (see `shoal methods`); if not given, auto."),
    ] = None,
    queries: Annotated[int, typer.Option(metavar="N", help="Random counts asked of every release; 0 for none.")] = 200,
    state: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Save finished releases in this file, and resume from it.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw it: .svg, .png or .html.")] = None,
    as_json: Json = False,
) -> None:
    """Make a release at every value of a model, and show cost, bound, risk and utility. Publishes nothing.

    --require gives the other models. The time limit holds for each release. Ctrl-C keeps what is done.
    """
    asked = {"require": "", **settings("frontier", given, needed={}, unneeded=("require",))}
    path, reading = table_file(asked)
    limit = memory.MemoryLimit.of(asked.pop("memory_limit", None))
    configured = asked.pop("method", AUTO)
    chosen = check_names(names(methods) or [configured]) or []
    varied = Vary.of(_varied(vary, k, l=l, t=t))
    if plot is not None:
        check_plot(plot)
    with memory.within(limit), meter() as progress:
        progress(0.0, "reading")
        found = trace(read(path, **reading), Request(**asked), varied, chosen, queries, state, progress, limit)
    if plot is not None:
        found.plot(plot)
    print(found.to_json()) if as_json else show(found)
    raise typer.Exit(_code(found))


def _varied(vary: str | None, k: str | None, **of_column: str | None) -> str:
    """Return the one model that is varied, however it was named."""
    said = [vary, None if k is None else f"k={k}"]
    for model, given in of_column.items():
        column, equals, values = (given or "").rpartition("=")
        if given is not None and not (column and equals):
            raise ParameterError(f"--{model} {given}", expected="COLUMN=VALUES, such as illness=2..5")
        said.append(None if given is None else f"{model}({column})={values}")
    chosen = [one for one in said if one is not None]
    if len(chosen) != 1:
        what = "nothing is varied" if not chosen else f"{len(chosen)} models are varied"
        raise ParameterError(what, expected="one of --vary, --k, --l and --t")
    return chosen[0]


def _code(found: Frontier) -> int:
    """0 if there is a release, 3 if there is none and a method says that there cannot be, 130 if interrupted."""
    if found.stopped:
        return INTERRUPTED
    if any(point.cost is not None for point in found.points):
        return 0
    return 3 if any(point.status == "infeasible" for point in found.points) else 2


def show(found: Frontier) -> None:
    """Print a row a point, and why some have no release."""
    out = console()
    besides = f", {found.require}" if found.require else ""
    cost = f", cost {found.cost}" if found.cost else ""
    out.print(f"{found.rows:,} rows{besides}, recoding {found.recoding}{cost}")
    out.print(_points(found))
    for point in found.points:
        if point.reason is not None:
            out.print(f"{found.varied}={point.value:g}, {point.method}: {point.reason}", style="yellow")
    if found.nested:
        out.print("a bound at one value holds at every stricter one; the cheapest at each value is bold", style="dim")


def _points(found: Frontier) -> Grid:
    grid = Grid(pad_edge=False).headed(Text(found.varied), justify="right").headed("method", "status", no_wrap=True)
    numbers = ("cost", "bound", "gap", "classes", "risk", "average", "above 0.2", "loss", "counts")
    grid.headed(*numbers, justify="right", no_wrap=True)
    for point in found.points:
        grid.add_row(*_cells(point), style="bold" if point == found.best(point.value) else None)
    return grid


def _cells(point: Point) -> list[str]:
    head = [f"{point.value:g}", point.method, point.status]
    if point.cost is None:
        return [*head, *["-"] * 9]
    bound = "-" if point.lower_bound is None else f"{point.lower_bound:,.6g}"
    gap = "-" if point.gap is None else f"{point.gap:.4g}"
    shares = (point.highest_risk, point.average_risk, point.at_risk, point.loss, point.query_error)
    said = ("-" if share is None else percent(share) for share in shares)
    return [*head, f"{point.cost:,.6g}", bound, gap, f"{point.classes:,}", *said]
