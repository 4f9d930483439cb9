"""The command `lattice`: what every choice of one level for each column costs, and which models hold there."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from shoal.cli.interrupt import INTERRUPTED
from shoal.cli.options import Json, request_options
from shoal.cli.progress import meter
from shoal.cli.settings import settings, table_file
from shoal.cli.terminal import Grid, console
from shoal.core.memory import MemoryLimit, within
from shoal.core.number_format import counted
from shoal.core.plots import check_plot
from shoal.request import SETTINGS, Request
from shoal.studies.lattice import FEW, MOST_NODES, LatticeView, Node, view
from shoal.tables.table import read


@request_options("lattice")
def lattice(
    given: dict[str, Any],
    top: Annotated[
        int | None, typer.Option(metavar="N", help=f"List the first N nodes; if not given {FEW}, as JSON all.")
    ] = None,
    released: Annotated[bool, typer.Option("--released", help="List only nodes that give a release.")] = False,
    nodes: Annotated[
        int, typer.Option(metavar="N", help="Evaluate at most N nodes: those that cost least without suppression.")
    ] = MOST_NODES,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw it: .svg, .png or .html.")] = None,
    as_json: Json = False,
) -> None:
    """List choices of one level for each column: cost, models that hold, rows suppressed. Publishes nothing.

    Nodes that give a release come first, in order of cost. `shoal anonymize --recoding full-domain --level
    COLUMN=LEVEL ...` applies one. Ctrl-C keeps what is done.
    """
    asked = settings("lattice", given, needed={})
    path, reading = table_file(asked)
    limit = MemoryLimit.of(asked.pop("memory_limit", None))
    if plot is not None:
        check_plot(plot)
    with within(limit), meter() as progress:
        progress(0.0, "reading")
        found = view(read(path, **reading), Request(**asked), top, nodes, progress, limit, released=released)
    if plot is not None:
        found.plot(plot)
    print(found.to_json()) if as_json else show(found, FEW if top is None else top)
    raise typer.Exit(INTERRUPTED if found.stopped and found.evaluated < found.size else 0 if found.released else 3)


def show(found: LatticeView, most: int) -> None:
    """Print a row a node, which were left out, and how the best is applied."""
    out = console()
    suppress = f"{counted(found.may_suppress, 'row')} may be suppressed ({SETTINGS['max_suppressed'].flag})"
    out.print(f"{found.rows:,} rows, {found.require}, cost {found.cost}, {suppress}")
    out.print(f"{counted(found.size, 'node')}, {found.evaluated:,} evaluated, {found.released:,} give a release")
    if found.nodes:
        out.print(_grid(found, most))
    if len(found.nodes) > most:
        out.print(f"{len(found.nodes) - most:,} more nodes: --top lists more of them", style="dim")
    if found.partial:
        out.print(found.partial, style="yellow")
    if found.best is not None:
        levels = " ".join(
            f"{SETTINGS['levels'].flag} {shlex.quote(f'{name}={at}')}" for name, at in found.best.levels.items()
        )
        out.print(f"to publish the cheapest: shoal anonymize ... --recoding full-domain {levels}", style="dim")


def _grid(found: LatticeView, most: int) -> Grid:
    grid = Grid(pad_edge=False)
    for name in found.levels:
        grid.add_column(Text(name), justify="right", overflow="fold")  # brackets in a name are no style
    grid.headed("cost", "suppressed", "classes", justify="right", no_wrap=True)
    for model in found.nodes[0].models:
        grid.add_column(Text(f"fail {model.model}"), justify="right", overflow="fold")
    grid.headed("release")
    for node in found.nodes[:most]:
        grid.add_row(*_cells(node, found.may_suppress), style="bold" if node is found.best else None)
    return grid


def _cells(node: Node, may_suppress: int) -> list[str]:
    """Return a node as a row: rows that fail each model, and what becomes of them."""
    failing = (f"{one.failing_rows:,}" for one in node.models)
    levels = map(str, node.levels.values())
    why_not = "no" if node.suppressed > may_suppress else f"no: {node.reason}"
    outcome = node.outcome if node.released else why_not
    return [*levels, f"{node.cost:,.6g}", f"{node.suppressed:,}", f"{node.classes:,}", *failing, outcome]
