"""The commands for hierarchies: build one on a column, look at it, check a file against a column, convert it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli.options import Decimal, Encoding, Json, Separator

if TYPE_CHECKING:
    from rich.table import Table as Grid
    from rich.text import Text
    from rich.tree import Tree

    from shoal.core.arrays import Ints
    from shoal.hierarchies import Builder, Hierarchy
    from shoal.hierarchies.files import Fit
    from shoal.tables.encoded_column import Coded

hierarchy = typer.Typer(help="Build, show, check and export hierarchies.", no_args_is_help=True)

WORDS = "intervals:width=5,10 or prefixes or dates:month,year or stars or auto"
Spec = Annotated[str, typer.Argument(help=f"A hierarchy file, or words: {WORDS}.")]
TableFile = Annotated[
    Path | None, typer.Option("--table", metavar="FILE", help="The table; not needed for a hierarchy file.")
]
Column = Annotated[str, typer.Option(metavar="NAME", help="The column of the table.")]
MaybeColumn = Annotated[str | None, typer.Option(metavar="NAME", help="The column of the table.")]
Output = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="A .csv or .json file, or either .gz.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an existing file.")]


@dataclass(frozen=True)
class Bound:
    """A hierarchy, and the builder it is from; `chosen` if that was left to the column."""

    builder: Builder
    hierarchy: Hierarchy
    chosen: bool = False


@hierarchy.command()
def build(
    file: Annotated[Path, typer.Argument(help="The table: CSV, csv.gz, Parquet or Arrow.")],
    words: Annotated[str, typer.Argument(help=f"{WORDS}.")],
    column: Column,
    output: Output,
    overwrite: Overwrite = False,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
) -> None:
    """Build a hierarchy on a column and write it, a row per value: value;level 1;...;*"""
    _refuse_early(output, overwrite, file)
    _write(_on_column(words, _column(file, column, separator, encoding, decimal)), output, as_json)


@hierarchy.command()
def show(
    spec: Spec,
    table: TableFile = None,
    column: MaybeColumn = None,
    leaves: Annotated[int, typer.Option(metavar="N", min=0, help="How many leaves of a block to print.")] = 8,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
) -> None:
    """Print a hierarchy as a tree: its levels, their blocks, the leaves under each."""
    from shoal.cli.show import console
    from shoal.hierarchies.files import check_depth, hierarchy_rows, hierarchy_tree

    bound = _bound(spec, table, column, separator, encoding, decimal)
    check_depth(bound.hierarchy.height)
    if as_json:
        _print_json(_summary(bound) | {"tree": hierarchy_tree(hierarchy_rows(bound.hierarchy))})
        return
    _say_choice(bound)
    console().print(_level_grid(bound.hierarchy))
    console().print(_tree(bound.hierarchy, leaves))


@hierarchy.command()
def check(
    file: Annotated[Path, typer.Argument(metavar="HIERARCHY", help="A hierarchy file: .csv or .json.")],
    table: Annotated[Path, typer.Option(metavar="FILE", help="The table it is meant for.")],
    column: Column,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
) -> None:
    """Check a hierarchy file against a column. Exit code 0 if it fits, 1 if not; no value is ever printed."""
    from dataclasses import asdict

    from shoal.hierarchies.files import check_file, is_tree

    is_tree(file)
    coded = _column(table, column, separator, encoding, decimal)
    found = check_file(file, coded.values, _counts(coded))
    _print_json({"passed": found.passed} | asdict(found)) if as_json else _say_fit(found)
    raise typer.Exit(0 if found.passed else 1)


@hierarchy.command()
def export(
    spec: Spec,
    output: Output,
    table: TableFile = None,
    column: MaybeColumn = None,
    overwrite: Overwrite = False,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    as_json: Json = False,
) -> None:
    """Write a hierarchy as rows that ARX reads (.csv) or as a tree (.json); of a file, every leaf it declares."""
    _refuse_early(output, overwrite, table)
    _write(_bound(spec, table, column, separator, encoding, decimal), output, as_json)


@hierarchy.command(name="import-arx")
def import_arx(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="ARX's hierarchies: .csv, separated by ;; or a project: .deid"),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Where a project is put; a new folder.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Read hierarchies of ARX, or one of its projects.

    Hierarchies are checked and printed as the [hierarchies] of a shoal.toml, a line per column: what follows
    `_hierarchy_` in the name of a file, or its whole name. Of a project (.deid) a folder is made: a shoal.toml with
    roles, models, suppression limit and cost, the hierarchies, the table. What is not carried over is listed.
    """
    from shoal.core.errors import ParameterError
    from shoal.hierarchies.arx import PROJECT, column_of, read_arx

    if len(files) == 1 and files[0].suffix == PROJECT:
        _import_project(files[0], output, as_json)
        return
    if output is not None:
        raise ParameterError("-o is given without a project", expected="one .deid file", hint="leave -o out")
    found = read_arx(files)
    paths = {column_of(path): str(path) for path in files}
    if as_json:
        leaves = {column: len(tree.rows) for column, tree in found.items()}
        _print_json({column: {"file": paths[column], "leaves": leaves[column]} for column in found})
        return
    print("[hierarchies]")
    for column in found:
        print(f"{json.dumps(column, ensure_ascii=False)} = {json.dumps(paths[column], ensure_ascii=False)}")


def _import_project(file: Path, output: Path | None, as_json: bool) -> None:
    """Make the folder of a project; print what it asks for and what was left out."""
    from shoal.cli.show import console
    from shoal.core.errors import ParameterError
    from shoal.studies.arx import read_project

    if output is None:
        raise ParameterError("-o DIR is not given", expected="a new folder for what the project holds")
    project = read_project(file, output)
    if as_json:
        _print_json(asdict(project))
        return
    out = console()
    roles = "; ".join(f"{role}: {', '.join(names)}" for role, names in project.roles.items() if names)
    limit = f"max_suppressed {project.max_suppressed}"
    for line in (roles, f"require: {project.require or 'nothing'}; {limit}; cost: {project.cost or 'not said'}"):
        out.print(line)
    for text in project.left_out:
        out.print(f"left out: {text}", style="yellow")
    out.print(f"{output}: shoal anonymize --config {output / 'shoal.toml'} -o release")


def _bound(spec: str, table: Path | None, column: str | None, *reading: str | None) -> Bound:
    """Bind to the column; a hierarchy file, where no table is given, to its own leaves."""
    import polars as pl

    from shoal.core.errors import ParameterError
    from shoal.hierarchies import Taxonomy, as_builder

    if table is not None and column is not None:
        return _on_column(spec, _column(table, column, *reading))
    if table is not None or column is not None:
        raise ParameterError(
            f"{'--column' if table is None else '--table'} alone", expected="both --table and --column"
        )
    builder = as_builder(spec)
    if not isinstance(builder, Taxonomy):
        raise ParameterError(f"{builder.name} without a column", expected="--table FILE and --column NAME")
    leaves = [*(row[0] for row in builder.rows), *([None] if builder.missing else [])]
    return Bound(builder, builder.build(pl.Series(leaves, dtype=pl.String)))


def _on_column(spec: str, column: Coded) -> Bound:
    from shoal.hierarchies import Automatic, as_builder

    builder = as_builder(spec)
    chosen = isinstance(builder, Automatic)
    builder = builder.chosen(column.values) if isinstance(builder, Automatic) else builder
    return Bound(builder, builder.build(column.values, _counts(column)), chosen)


def _column(file: Path, name: str, *reading: str | None) -> Coded:
    """Read one column; `reading` are separator, encoding and decimal sign."""
    from shoal.core.errors import RoleError, nearest
    from shoal.tables.table import read

    table = read(file, **dict(zip(("separator", "encoding", "decimal"), reading, strict=True)))
    if name not in table.columns:
        raise RoleError(f"the table has no column {name!r}", hint=nearest(name, table.columns))
    return table.coded(name)


def _counts(column: Coded) -> Ints:
    import numpy as np

    return np.bincount(column.codes, minlength=column.size)


def _refuse_early(output: Path, overwrite: bool, table: Path | None) -> None:
    """Refuse a wrong or existing output, and the table itself as one, before any work is done."""
    from shoal.core.errors import HierarchyError
    from shoal.hierarchies.files import is_tree

    is_tree(output)
    if table is not None and output.resolve() == table.resolve():
        raise HierarchyError(f"{str(output)!r} is the table itself", hint="name another file")
    if output.exists() and not overwrite:
        raise HierarchyError(f"{str(output)!r} exists already", hint="name another file, or add --overwrite")


def _write(bound: Bound, output: Path, as_json: bool) -> None:
    """Write every declared leaf of a taxonomy, the column's values of anything else, and say so."""
    from shoal.cli.show import console
    from shoal.hierarchies import Taxonomy
    from shoal.hierarchies.files import write_hierarchy

    write_hierarchy(bound.builder if isinstance(bound.builder, Taxonomy) else bound.hierarchy, output)
    if as_json:
        _print_json({"file": str(output)} | _summary(bound))
        return
    _say_choice(bound)
    leaves, levels = int(bound.hierarchy.leaves[-1][0]), bound.hierarchy.height
    console().print(f"{output}: {_many(leaves, 'leaf', 'leaves')}, {_many(levels, 'level')} above them")


def _summary(bound: Bound) -> dict[str, object]:
    from shoal.hierarchies import Taxonomy, spec_of

    builder = bound.builder
    return {
        "builder": {"builder": builder.name} if isinstance(builder, Taxonomy) else spec_of(builder),
        "chosen": bound.chosen,
        "levels": [
            {"level": level, "blocks": len(sizes), "smallest": int(sizes.min()), "largest": int(sizes.max())}
            for level, sizes in enumerate(bound.hierarchy.leaves)
        ],
    }


def _print_json(content: dict[str, object]) -> None:
    print(json.dumps(content, indent=2, ensure_ascii=False))


def _say_choice(bound: Bound) -> None:
    from shoal.cli.show import console

    if bound.chosen:
        console().print(f"auto chose {_words(bound.builder)}")


def _words(builder: Builder) -> str:
    """Return what `as_builder` reads as the same builder: `intervals:width=5,10`."""
    from shoal.hierarchies import spec_of
    from shoal.hierarchies.specs import listed

    given = {name: value for name, value in spec_of(builder).items() if name != "builder"}
    options = ",".join(f"{name}={','.join(map(str, listed(value)))}" for name, value in given.items())
    return f"{builder.name}:{options}" if options else builder.name


def _level_grid(bound: Hierarchy) -> Grid:
    from rich.table import Table as Grid

    grid = Grid(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("level", "blocks", "leaves in a block"):
        grid.add_column(heading, justify="right")
    for level, sizes in enumerate(bound.leaves):
        least, most = f"{sizes.min():,}", f"{sizes.max():,}"
        grid.add_row(str(level), f"{len(sizes):,}", least if least == most else f"{least} to {most}")
    return grid


def _tree(bound: Hierarchy, limit: int) -> Tree:
    from rich.tree import Tree

    values = range(bound.up.shape[1])
    root = Tree(_head(bound, bound.height, 0, len(values)))
    _grow(root, bound, bound.height, values, limit)
    return root


def _grow(node: Tree, bound: Hierarchy, level: int, members: Sequence[int], limit: int) -> None:
    """Hang what lies under one block of a level below its node; what only repeats the block is left out."""
    blocks: dict[int, list[int]] = {}
    for value in members:
        blocks.setdefault(int(bound.up[level - 1, value]), []).append(value)
    repeats = [bound.labels[level - 1][block] for block in blocks] == [_label(bound, level, members[0])]
    if level == 1:
        _add_leaves(node, [] if repeats else [_named(bound, 0, block) for block in blocks], limit)
        return
    for block, inside in blocks.items():
        below = node if repeats else node.add(_head(bound, level - 1, block, len(inside)))
        _grow(below, bound, level - 1, inside, limit)


def _label(bound: Hierarchy, level: int, value: int) -> str | None:
    return bound.labels[level][int(bound.up[level, value])]


def _add_leaves(node: Tree, texts: Sequence[str], limit: int) -> None:
    from rich.text import Text

    more = [f"… {len(texts) - limit:,} more"] if len(texts) > limit else []
    if texts:
        node.add(Text(", ".join([*texts[:limit], *more]), style="dim"))


def _head(bound: Hierarchy, level: int, block: int, values: int) -> Text:
    """Name a block and count its leaves; where not all of them are in the column, how many are."""
    from rich.text import Text

    declared = int(bound.leaves[level][block])
    of = "" if declared == values else f"{values:,} of "
    return Text.assemble((_named(bound, level, block), "bold"), (f"  {of}{_many(declared, 'leaf', 'leaves')}", "dim"))


def _named(bound: Hierarchy, level: int, block: int) -> str:
    from shoal.hierarchies.files import raw_text

    label = bound.labels[level][block]
    label = raw_text(label) if level == 0 else label
    return "(missing)" if label is None else label or '""'


def _say_fit(found: Fit) -> None:
    from rich.text import Text

    from shoal.cli.show import console

    out = console()
    for verdict in found.checks:
        mark = Text("ok  ", style="green") if verdict.passed else Text("FAIL", style="bold red")
        out.print(mark, Text(verdict.what + (f": {verdict.detail}" if verdict.detail else "")))
    share = f"{found.covered_values:,} of {found.values:,} values, {found.covered_rows:,} of {found.rows:,} rows"
    out.print(f"  -  covered: {share}")
    out.print(f"  -  not in the column: {found.unused_leaves:,} of {_many(found.leaves, 'leaf', 'leaves')}")
    out.print(Text("fits", style="bold green") if found.passed else Text("does not fit", style="bold red"))


def _many(count: int, one: str, several: str = "") -> str:
    """Count things.

    >>> _many(1, "level"), _many(1200, "leaf", "leaves")
    ('1 level', '1,200 leaves')
    """
    return f"{count:,} {one if count == 1 else several or one + 's'}"
