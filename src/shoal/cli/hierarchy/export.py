"""The command `hierarchy export`: a hierarchy, converted to another kind of file."""

from __future__ import annotations

from shoal.cli.hierarchy.binding import Bound, refuse_early
from shoal.cli.hierarchy.options import MaybeColumn, MaybeTable, Output, Overwrite, Spec
from shoal.cli.options import Json, Reading, reading_options


@reading_options
def export(
    spec: Spec,
    output: Output,
    table: MaybeTable = None,
    column: MaybeColumn = None,
    overwrite: Overwrite = False,
    *,
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Write a hierarchy as rows that ARX reads (.csv) or as a tree (.json); of a file, every leaf it declares."""
    refuse_early(output, overwrite, table)
    Bound.to(spec, table, column, reading).write(output, as_json)
