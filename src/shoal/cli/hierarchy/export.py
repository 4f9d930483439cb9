"""The command `hierarchy export`: a hierarchy, converted to another kind of file."""

from __future__ import annotations

from shoal.cli.hierarchy.binding import Bound, refuse_early
from shoal.cli.hierarchy.options import MaybeColumn, Output, Overwrite, Spec, TableFile
from shoal.cli.options import Decimal, Encoding, Json, Separator


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
    refuse_early(output, overwrite, table)
    Bound.to(spec, table, column, separator, encoding, decimal).write(output, as_json)
