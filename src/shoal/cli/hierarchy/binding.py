"""A hierarchy on a column of a table, or on its own leaves; what is written and said of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from shoal.cli.options import Reading
from shoal.cli.terminal import console, print_json
from shoal.core.arrays import Ints
from shoal.core.errors import HierarchyError, ParameterError, RoleError, nearest
from shoal.core.number_format import counted
from shoal.hierarchies import Automatic, Builder, Hierarchy, Taxonomy, as_builder, spec_of
from shoal.hierarchies.files import is_tree, write_hierarchy
from shoal.hierarchies.specs import listed
from shoal.tables.encoded_column import Coded
from shoal.tables.table import read


@dataclass(frozen=True)
class Bound:
    """A hierarchy, and the builder it is from; `chosen` if that was left to the column."""

    builder: Builder
    hierarchy: Hierarchy
    chosen: bool = False

    @classmethod
    def to(cls, spec: str, table: Path | None, column: str | None, reading: Reading) -> Bound:
        """Bind to the column; a hierarchy file, where no table is given, to its own leaves."""
        if table is not None and column is not None:
            return cls.to_column(spec, read_column(table, column, reading))
        if table is not None or column is not None:
            raise ParameterError(
                f"only {'--column' if table is None else '--table'} is given", expected="both --table and --column"
            )
        builder = as_builder(spec)
        if not isinstance(builder, Taxonomy):
            raise ParameterError(
                f"{builder.name} is built from the values of a column, and none is given",
                expected="--table FILE and --column NAME",
            )
        leaves = [*(row[0] for row in builder.rows), *([None] if builder.missing else [])]
        return cls(builder, builder.build(pl.Series(leaves, dtype=pl.String)))

    @classmethod
    def to_column(cls, spec: str, column: Coded) -> Bound:
        """Bind to the values of a column."""
        builder = as_builder(spec)
        chosen = isinstance(builder, Automatic)
        builder = builder.chosen(column.values, counts_of(column)) if isinstance(builder, Automatic) else builder
        return cls(builder, builder.build(column.values, counts_of(column)), chosen)

    def write(self, output: Path, as_json: bool) -> None:
        """Write every declared leaf of a taxonomy, the column's values of anything else, and say so."""
        write_hierarchy(self.builder if isinstance(self.builder, Taxonomy) else self.hierarchy, output)
        if as_json:
            print_json({"file": str(output)} | self.summary())
            return
        self.say_choice()
        leaves, levels = int(self.hierarchy.leaves[-1][0]), self.hierarchy.height
        console().print(f"{output}: {counted(leaves, 'leaf', 'leaves')}, {counted(levels, 'level')} above them")

    def summary(self) -> dict[str, object]:
        """Return the builder and the levels, for JSON."""
        builder = self.builder
        return {
            "builder": {"builder": builder.name} if isinstance(builder, Taxonomy) else spec_of(builder),
            "chosen": self.chosen,
            "levels": [
                {"level": level, "blocks": len(sizes), "smallest": int(sizes.min()), "largest": int(sizes.max())}
                for level, sizes in enumerate(self.hierarchy.leaves)
            ],
        }

    def say_choice(self) -> None:
        """Print the builder that was chosen, where that was left to the column."""
        if self.chosen:
            console().print(f"auto chose {words_of(self.builder)}")


def words_of(builder: Builder) -> str:
    """Return what `as_builder` reads as the same builder: `intervals:width=5,10`."""
    given = {name: value for name, value in spec_of(builder).items() if name != "builder"}
    options = ",".join(f"{name}={','.join(map(str, listed(value)))}" for name, value in given.items())
    return f"{builder.name}:{options}" if options else builder.name


def read_column(file: Path, name: str, reading: Reading) -> Coded:
    """Read one column."""
    table = read(file, **reading)
    if name not in table.columns:
        raise RoleError(f"the table has no column {name!r}", hint=nearest(name, table.columns))
    return table.coded(name)


def counts_of(column: Coded) -> Ints:
    """Return how many rows have each value."""
    return np.bincount(column.codes, minlength=column.size)


def refuse_early(output: Path, overwrite: bool, table: Path | None) -> None:
    """Refuse a wrong or existing output, and the table itself as one, before any work is done."""
    is_tree(output)
    if table is not None and output.resolve() == table.resolve():
        raise HierarchyError(f"{str(output)!r} is the table itself", hint="name another file")
    if output.exists() and not overwrite:
        raise HierarchyError(f"{str(output)!r} exists already", hint="name another file, or add --overwrite")
