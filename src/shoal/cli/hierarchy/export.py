"""The command `hierarchy export`: a hierarchy, converted to another kind of file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.cli.hierarchy.options import MaybeColumn, Output, Overwrite, Spec, TableFile
from shoal.cli.options import Decimal, Encoding, Json, Separator
from shoal.core.on_demand import import_deferred

if TYPE_CHECKING:
    from shoal.cli.hierarchy.binding import Bound, refuse_early


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
    import_deferred(__name__)
    refuse_early(output, overwrite, table)
    Bound.to(spec, table, column, separator, encoding, decimal).write(output, as_json)
