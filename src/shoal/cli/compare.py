"""The command `compare`: methods side by side on one table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from shoal.cli.interrupt import INTERRUPTED
from shoal.cli.options import Json, request_options
from shoal.cli.progress import meter
from shoal.cli.settings import names, pairs, settings, table_file
from shoal.cli.terminal import Grid, console
from shoal.core.memory import MemoryLimit, within
from shoal.core.number_format import number
from shoal.core.plots import check_plot
from shoal.request import Request
from shoal.studies.comparison import Comparison, Outcome, check_names, run
from shoal.tables.table import read

STYLES = {"optimal": "green", "unsupported": "dim", "infeasible": "yellow", "failed": "bold red"}


@request_options("compare")
def compare(
    given: dict[str, Any],
    methods: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B,C", help="Methods (see `shoal methods`); all suitable ones if not given."),
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FILE", help="A table that another tool made from FILE; measured and audited in the same way."
        ),
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw it: .svg, .png or .html.")] = None,
    as_json: Json = False,
) -> None:
    """Run methods side by side on one table: cost, bound, levels, time and memory. Publishes nothing.

    Time and memory limit hold for each method. Ctrl-C keeps what is done. `--also` adds tables
    that other tools made from FILE; they are read like FILE.
    """
    asked = settings("compare", given, needed={})
    path, reading = table_file(asked)
    limit = MemoryLimit.of(asked.pop("memory_limit", None))
    request = Request(**asked)
    chosen = check_names(names(methods))
    if plot is not None:
        check_plot(plot)
    with within(limit), meter() as progress:
        progress(0.0, "reading")
        peers = {name: read(other, **reading) for name, other in (pairs(also, "--also", "NAME=FILE") or {}).items()}
        found = run(read(path, **reading), request, chosen, progress, peers, limit)
    if plot is not None:
        found.plot(plot)
    print(found.to_json()) if as_json else show(found)
    raise typer.Exit(_code(found))


def _code(found: Comparison) -> int:
    """0 if a method found a release, 3 if none did and one says that there is none, 130 if it was interrupted."""
    if found.stopped:
        return INTERRUPTED
    if found.best is not None:
        return 0
    return 3 if any(one.status == "infeasible" for one in found.outcomes) else 2


def show(found: Comparison) -> None:
    """Print what each method cost and took, why some have no release, what the others reach, what the gap says."""
    out = console()
    out.print(f"{found.rows:,} rows, {found.require}, recoding {found.recoding}, cost {found.cost}")
    out.print(_costs(found))
    for one in found.outcomes:
        if one.reason is not None:
            out.print(f"{one.method}: {one.reason}", style="yellow")
    if found.best is not None:
        out.print(_levels(found))
    out.print(_gap(found.lower_bound), style="dim")
    out.print("memory: the most that a method's own process held, and by how much it grew", style="dim")


def _gap(bound: float | None) -> str:
    if bound is None:
        return "gap: no lower bound is known for this request"
    return f"gap: cost / {bound:,.6g}, the best lower bound; a bound that one method proves holds for all"


def _costs(found: Comparison) -> Grid:
    grid = Grid(pad_edge=False).headed("method", "status", no_wrap=True)
    grid.headed("cost", "lower\nbound", "gap", "seconds", "memory", justify="right", no_wrap=True)
    for one in found.outcomes:
        grid.add_row(*_cost(one), style="bold" if one == found.best else None)
    return grid


def _cost(one: Outcome) -> list[str | Text]:
    status = Text(one.status, style=STYLES.get(one.status, ""))
    if one.cost is None:
        return [one.method, status, *["-"] * 5]
    bound = "-" if one.lower_bound is None else f"{one.lower_bound:,.6g}"
    gap = "-" if one.gap is None else f"{one.gap:.4g}"
    return [
        one.method,
        status,
        f"{one.cost:,.6g}",
        bound,
        gap,
        seconds(one.seconds),
        memory(one.memory_before, one.peak_memory),
    ]


def _levels(found: Comparison) -> Grid:
    """Return for every release its classes, its dropped rows and the level it reaches of every model."""
    released = [one for one in found.outcomes if one.cost is not None]
    grid = Grid(pad_edge=False).headed("reached by", no_wrap=True)
    grid.headed("classes", "dropped", justify="right", no_wrap=True)
    for model in released[0].models:
        grid.add_column(Text(model["model"]), justify="right", overflow="fold")  # brackets in a name are no style
    for one in released:
        levels = (number(model["reached"]) for model in one.models)
        grid.add_row(one.method, f"{one.classes:,}", f"{one.dropped:,}", *levels)
    return grid


def seconds(taken: float | None) -> str:
    """Write a time as people read it.

    >>> seconds(0.0004), seconds(0.0123), seconds(4.56), seconds(99.96), seconds(1234.5), seconds(None)
    ('<0.001', '0.012', '4.6', '100', '1,234', '-')
    """
    if taken is None:
        return "-"
    if taken < 0.001:
        return "<0.001"
    return f"{taken:.3f}" if taken < 1 else f"{taken:.1f}" if taken < 10 else f"{taken:,.0f}"


def memory(before: int | None, peak: int | None) -> str:
    """Write the peak in MB, and how much of it came with the method.

    >>> memory(67_000_000, 81_400_000), memory(None, None)
    ('81 MB (+14)', '-')
    """
    if before is None or peak is None:
        return "-"
    return f"{peak / 1e6:,.0f} MB (+{max(peak - before, 0) / 1e6:,.0f})"
