"""The command `hierarchy import-arx`: hierarchies of ARX, or one of its projects."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from shoal.cli.options import Json
from shoal.cli.terminal import console, print_json
from shoal.core.errors import ParameterError
from shoal.hierarchies.arx import PROJECT, column_of, read_arx
from shoal.studies.arx import read_project


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
    if len(files) == 1 and files[0].suffix == PROJECT:
        _import_project(files[0], output, as_json)
        return
    if output is not None:
        raise ParameterError("-o is given without a project", expected="one .deid file", hint="leave -o out")
    found = read_arx(files)
    paths = {column_of(path): str(path) for path in files}
    if as_json:
        leaves = {column: len(tree.rows) for column, tree in found.items()}
        print_json({column: {"file": paths[column], "leaves": leaves[column]} for column in found})
        return
    print("[hierarchies]")
    for column in found:
        print(f"{json.dumps(column, ensure_ascii=False)} = {json.dumps(paths[column], ensure_ascii=False)}")


def _import_project(file: Path, output: Path | None, as_json: bool) -> None:
    """Make the folder of a project; print what it asks for and what was left out."""
    if output is None:
        raise ParameterError("-o DIR is not given", expected="a new folder for what the project holds")
    project = read_project(file, output)
    if as_json:
        print_json(asdict(project))
        return
    out = console()
    roles = "; ".join(f"{role}: {', '.join(names)}" for role, names in project.roles.items() if names)
    limit = f"max_suppressed {project.max_suppressed}"
    for line in (roles, f"require: {project.require or 'nothing'}; {limit}; cost: {project.cost or 'not said'}"):
        out.print(line)
    for text in project.left_out:
        out.print(f"left out: {text}", style="yellow")
    out.print(f"{output}: shoal anonymize --config {output / 'shoal.toml'} -o release")
