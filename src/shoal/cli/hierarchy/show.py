"""The command `hierarchy show`: a hierarchy as a tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.text import Text
from rich.tree import Tree

from shoal.cli.hierarchy.binding import Bound
from shoal.cli.hierarchy.options import MaybeColumn, MaybeTable, Spec
from shoal.cli.options import Json, Reading, reading_options
from shoal.cli.terminal import Grid, console, print_json
from shoal.core.number_format import counted
from shoal.hierarchies import Hierarchy
from shoal.hierarchies.files import check_depth, hierarchy_rows, hierarchy_tree, raw_text


@reading_options
def show(
    spec: Spec,
    table: MaybeTable = None,
    column: MaybeColumn = None,
    leaves: Annotated[int, typer.Option(metavar="N", min=0, help="How many leaves of a block to print.")] = 8,
    *,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Print a hierarchy as a tree: its levels, their blocks, the leaves under each."""
    bound = Bound.to(spec, table, column, reading)
    check_depth(bound.hierarchy.height)
    if as_json:
        print_json(bound.summary() | {"tree": hierarchy_tree(hierarchy_rows(bound.hierarchy))})
        return
    bound.say_choice()
    console().print(_level_grid(bound.hierarchy))
    console().print(_tree(bound.hierarchy, leaves))


def _level_grid(bound: Hierarchy) -> Grid:
    grid = Grid().headed("level", "blocks", "leaves in a block", justify="right")
    for level, sizes in enumerate(bound.leaves):
        least, most = f"{sizes.min():,}", f"{sizes.max():,}"
        grid.add_row(str(level), f"{len(sizes):,}", least if least == most else f"{least} to {most}")
    return grid


def _tree(bound: Hierarchy, limit: int) -> Tree:
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
    more = [f"… {len(texts) - limit:,} more"] if len(texts) > limit else []
    if texts:
        node.add(Text(", ".join([*texts[:limit], *more]), style="dim"))


def _head(bound: Hierarchy, level: int, block: int, values: int) -> Text:
    """Name a block and count its leaves; where not all of them are in the column, how many are."""
    declared = int(bound.leaves[level][block])
    of = "" if declared == values else f"{values:,} of "
    return Text.assemble((_named(bound, level, block), "bold"), (f"  {of}{counted(declared, 'leaf', 'leaves')}", "dim"))


def _named(bound: Hierarchy, level: int, block: int) -> str:
    label = bound.labels[level][block]
    label = raw_text(label) if level == 0 else label
    return "(missing)" if label is None else label or '""'
